//! Cross validation, intervals and comparison.
