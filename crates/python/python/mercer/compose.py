# Written by `cargo xtask python` from the catalogue; do not edit.
"""ColumnTransformer."""

from __future__ import annotations

from mercer._compose import (
    make_column_selector,
    make_column_transformer,
)
from mercer._compose import ColumnTransformer

__all__ = [
    "ColumnTransformer",
    "make_column_selector",
    "make_column_transformer",
]
