# Written by `cargo xtask python` from the catalogue; do not edit.
"""Pipeline."""

from __future__ import annotations

from mercer._pipeline import (
    make_pipeline,
)
from mercer._pipeline import Pipeline

__all__ = [
    "Pipeline",
    "make_pipeline",
]
