//! Stopping rules of growth (depth, rows, leaves, features): parameters, and what they come to on given data.

use crate::constraints::{InteractionConstraints, Interactions, Monotone, Monotonic};
pub use mercer_core::MaxFeatures;
use mercer_core::{Choice, CountOrShare, ParamGroup, Result};
use std::sync::Arc;

/// How a threshold is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Splitter {
    /// The best threshold of each feature.
    Best,
    /// A random threshold for each feature, and the best of these.
    Random,
}

/// Which of several features with equally good splits is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Ties {
    /// The first one.
    First,
    /// One of them at random, so that trees grown one after the other do not repeat each other.
    Random,
}

/// The stopping rules and constraints that single trees and the trees of forests share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct TreeParams {
    /// Most splits on the way to a leaf; none is without limit.
    #[param(default = None, range = "[1, inf)", search = "int 1..32")]
    pub max_depth: Option<usize>,
    /// Least rows of a node that is split; fractions are shares of all rows.
    #[param(default = CountOrShare::Count(2))]
    pub min_samples_split: CountOrShare,
    /// Least rows of a leaf; fractions are shares of all rows.
    #[param(default = CountOrShare::Count(1), search = "int 1..64")]
    pub min_samples_leaf: CountOrShare,
    /// Least weight of a leaf, as a share of all weight.
    #[param(default = 0.0, range = "[0, 0.5]")]
    pub min_weight_fraction_leaf: f64,
    /// How many features are looked at for each split; none looks at all.
    #[param(default = None)]
    pub max_features: Option<MaxFeatures>,
    /// Most leaves, grown best first; none is without limit.
    #[param(default = None, range = "[2, inf)")]
    pub max_leaf_nodes: Option<usize>,
    /// Least decrease of impurity, times the node's share of the weight, of a split.
    #[param(default = 0.0, range = "[0, inf)")]
    pub min_impurity_decrease: f64,
    /// Strength of cost-complexity pruning.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-5..1e-1")]
    pub ccp_alpha: f64,
    /// Whether the prediction must rise (1) or fall (-1) with a column: signs by place, or names with signs.
    #[param(default = None)]
    pub monotonic_cst: Option<Monotonic>,
    /// Which columns may meet on a way from the root to a leaf.
    #[param(default = None)]
    pub interaction_cst: Option<Interactions>,
    /// Most bins of a feature, between which splits are looked for; none looks between all values.
    #[param(default = None, range = "[2, 255]")]
    pub max_bins: Option<usize>,
}

impl TreeParams {
    /// Checks what ranges cannot.
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        self.min_samples_split.check(owner, "min_samples_split", "", 2)?;
        self.min_samples_leaf.check(owner, "min_samples_leaf", "", 1)?;
        self.max_features.map_or(Ok(()), |m| m.check(owner))
    }

    /// Whether rows are counted, so that a weight of 2 is not two copies.
    pub(crate) fn counts_rows(&self) -> bool {
        self.min_samples_split != CountOrShare::Count(2) || self.min_samples_leaf != CountOrShare::Count(1)
    }

    /// The stopping rules for `n` kept rows and `d` features, without constraints.
    pub(crate) fn limits(&self, splitter: Splitter, n: usize, d: usize) -> Limits {
        Limits {
            splitter,
            ties: Ties::First,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_samples_split: least_rows(self.min_samples_split, n).max(2),
            min_samples_leaf: least_rows(self.min_samples_leaf, n).max(1),
            min_weight_leaf: self.min_weight_fraction_leaf,
            max_features: self.max_features.map_or(d, |m| m.of(d)),
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            ccp_alpha: self.ccp_alpha,
            min_instances: 0.0,
            monotone: None,
            interactions: None,
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
    pub(crate) ties: Ties,
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
