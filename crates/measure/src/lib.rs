//! Metrics, losses and splits.
