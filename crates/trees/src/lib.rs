//! Decision trees.
