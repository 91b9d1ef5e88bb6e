//! The parameters that decision trees for classes and for numbers share.

use crate::constraints::InteractionConstraints;
use crate::limits::{Limits, Splitter, Ties, TreeParams};
use mercer_core::{Capabilities, ParamGroup, Result, Rows};

/// Growth and pruning of a single tree.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct CartParams {
    /// Whether the best or a random threshold of each feature is taken.
    #[param(default = Splitter::Best)]
    pub splitter: Splitter,
    /// Stopping rules and constraints.
    #[param(flatten)]
    pub tree: TreeParams,
    /// Tests with a leaf of less weight than this, and no other test below, are removed after growing; 0 removes none.
    #[param(default = 0.0, range = "[0, inf)")]
    pub min_instances: f64,
    /// Whether the first of several features with equally good splits is taken, or one at random.
    #[param(default = Ties::First)]
    pub ties: Ties,
    /// Whether subtrees that do not do better than a leaf on the validation rows are removed.
    #[param(default = false)]
    pub reduced_error: bool,
}

impl CartParams {
    /// The stopping rules on these rows, of which `n` have a weight; without monotone constraints.
    pub(crate) fn limits(&self, owner: &str, rows: &Rows<'_>, n: usize) -> Result<Limits> {
        let tree = &self.tree;
        let (given, drawn) = (tree.interaction_cst.as_ref(), tree.max_features);
        Ok(Limits {
            min_instances: self.min_instances,
            ties: self.ties,
            interactions: InteractionConstraints::new(owner, given, rows, drawn)?,
            ..tree.limits(self.splitter, n, rows.n_features())
        })
    }

    /// What a tree with these parameters can do.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        Capabilities {
            random: self.splitter == Splitter::Random
                || self.ties == Ties::Random
                || self.tree.max_features.is_some(),
            counts_rows: self.tree.counts_rows(),
            ..declared
        }
    }
}
