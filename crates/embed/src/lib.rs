//! Reduction and embedding.
