//! The model file.
