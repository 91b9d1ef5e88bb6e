//! Bayesian computation: sampling.
