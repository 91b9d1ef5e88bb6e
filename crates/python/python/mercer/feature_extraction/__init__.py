# Written by `cargo xtask python` from the catalogue; do not edit.
"""feature_extraction: text."""

__all__ = ["text"]


def __getattr__(name):
    if name in __all__:
        from importlib import import_module

        return import_module(f"mercer.feature_extraction.{name}")
    raise AttributeError(f"module 'mercer.feature_extraction' has no attribute {name!r}")
