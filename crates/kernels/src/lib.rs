//! Kernels and margins.
