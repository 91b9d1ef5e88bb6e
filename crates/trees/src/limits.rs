//! Stopping rules of growth (depth, rows, leaves, features): parameters, and what they come to on given data.

use crate::constraints::{InteractionConstraints, Monotone};
use mercer_core::{Choice, CountOrShare, Result};
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
    /// So many, or this share of them.
    Of(CountOrShare),
}

impl MaxFeatures {
    /// How many of `d` features are looked at.
    pub(crate) fn of(self, d: usize) -> usize {
        let wanted = match self {
            MaxFeatures::Sqrt => (d as f64).sqrt() as usize,
            MaxFeatures::Log2 => (d as f64).log2() as usize,
            MaxFeatures::Of(amount) => amount.of(d as f64) as usize,
        };
        wanted.clamp(1, d)
    }

    pub(crate) fn check(self, owner: &str) -> Result<()> {
        match self {
            MaxFeatures::Of(amount) => amount.check(owner, "max_features", "sqrt, log2, ", 1),
            MaxFeatures::Sqrt | MaxFeatures::Log2 => Ok(()),
        }
    }
}

/// A least number of the `n` training rows: shares of them are rounded up.
pub(crate) fn least_rows(amount: CountOrShare, n: usize) -> usize {
    amount.of(n as f64).ceil() as usize
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
