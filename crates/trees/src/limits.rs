//! Stopping rules of growth (depth, rows, leaves, features): parameters, and what they come to on given data.

use crate::constraints::{InteractionConstraints, Monotone};
use mercer_core::{Choice, Error, Result};
use std::sync::Arc;

/// How a threshold is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Splitter {
    /// The best threshold of each feature.
    Best,
    /// A random threshold for each feature, and the best of these.
    Random,
}

/// How many features are looked at for each split.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum MaxFeatures {
    /// The square root of their number.
    Sqrt,
    /// The logarithm of their number to base 2.
    Log2,
    /// So many.
    Count(usize),
    /// This share of them.
    Fraction(f64),
}

impl MaxFeatures {
    /// How many of `d` features are looked at.
    pub(crate) fn of(self, d: usize) -> usize {
        let wanted = match self {
            MaxFeatures::Sqrt => (d as f64).sqrt() as usize,
            MaxFeatures::Log2 => (d as f64).log2() as usize,
            MaxFeatures::Count(n) => n,
            MaxFeatures::Fraction(share) => (share * d as f64) as usize,
        };
        wanted.clamp(1, d)
    }

    pub(crate) fn check(self, owner: &str) -> Result<()> {
        let (good, got) = match self {
            MaxFeatures::Count(n) => (n >= 1, n as f64),
            MaxFeatures::Fraction(share) => (share > 0.0 && share <= 1.0, share),
            _ => (true, 0.0),
        };
        let expected = "sqrt, log2, a whole number from 1, or a fraction in (0.0, 1.0]";
        if good { Ok(()) } else { Err(Error::param(owner, "max_features", expected, got)) }
    }
}

/// A least number of rows: whole numbers count, fractions are shares of the training rows.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum MinSamples {
    /// So many rows.
    Count(usize),
    /// This share of the rows, rounded up.
    Fraction(f64),
}

impl MinSamples {
    /// The number for `n` rows.
    pub(crate) fn of(self, n: usize) -> usize {
        match self {
            MinSamples::Count(count) => count,
            MinSamples::Fraction(share) => (share * n as f64).ceil() as usize,
        }
    }

    pub(crate) fn check(self, owner: &str, name: &str, least: usize) -> Result<()> {
        let (good, got) = match self {
            MinSamples::Count(n) => (n >= least, n as f64),
            MinSamples::Fraction(share) => (share > 0.0 && share <= 1.0, share),
        };
        let expected = format!("a whole number from {least}, or a fraction in (0.0, 1.0]");
        if good { Ok(()) } else { Err(Error::param(owner, name, expected, got)) }
    }
}

/// The stopping rules on given data.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) splitter: Splitter,
    pub(crate) max_depth: usize,
    pub(crate) min_samples_split: usize,
    pub(crate) min_samples_leaf: usize,
    pub(crate) min_weight_leaf: f64,
    pub(crate) max_features: usize,
    pub(crate) max_leaf_nodes: Option<usize>,
    pub(crate) min_impurity_decrease: f64,
    pub(crate) ccp_alpha: f64,
    pub(crate) min_instances: f64,
    pub(crate) monotone: Option<Monotone>,
    pub(crate) interactions: Option<Arc<InteractionConstraints>>,
}
