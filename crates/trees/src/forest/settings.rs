//! Forest settings: what the parameters of all forests come to.

use super::grow_forest::{Bags, FeaturesPer, ForestPlan, MaxSamples, running};
use crate::constraints::{InteractionConstraints, Interactions, Monotonic};
use crate::limits::{Limits, MaxFeatures, MinSamples, Splitter};
use mercer_core::{Capabilities, Error, Result, Rows, Session};
use mercer_math::Weights;
use std::sync::Arc;

/// The parameters that forests share.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) owner: &'static str,
    pub(crate) n_estimators: usize,
    pub(crate) splitter: Splitter,
    pub(crate) max_depth: Option<usize>,
    pub(crate) min_samples_split: MinSamples,
    pub(crate) min_samples_leaf: MinSamples,
    pub(crate) min_weight_fraction_leaf: f64,
    pub(crate) max_features: Option<MaxFeatures>,
    pub(crate) max_leaf_nodes: Option<usize>,
    pub(crate) min_impurity_decrease: f64,
    pub(crate) ccp_alpha: f64,
    pub(crate) bootstrap: bool,
    pub(crate) oob_score: bool,
    pub(crate) max_samples: Option<MaxSamples>,
    pub(crate) max_bins: Option<usize>,
    pub(crate) features_per: FeaturesPer,
    pub(crate) monotonic_cst: Option<Monotonic>,
    pub(crate) interaction_cst: Option<Interactions>,
}

/// The settings of a learner that has the fields of all forests.
macro_rules! settings {
    ($learner:expr, $splitter:expr) => {
        $crate::forest::settings::Settings {
            owner: Self::NAME,
            n_estimators: $learner.n_estimators,
            splitter: $splitter,
            max_depth: $learner.max_depth,
            min_samples_split: $learner.min_samples_split,
            min_samples_leaf: $learner.min_samples_leaf,
            min_weight_fraction_leaf: $learner.min_weight_fraction_leaf,
            max_features: $learner.max_features,
            max_leaf_nodes: $learner.max_leaf_nodes,
            min_impurity_decrease: $learner.min_impurity_decrease,
            ccp_alpha: $learner.ccp_alpha,
            bootstrap: $learner.bootstrap,
            oob_score: $learner.oob_score,
            max_samples: $learner.max_samples,
            max_bins: $learner.max_bins,
            features_per: $learner.features_per,
            monotonic_cst: $learner.monotonic_cst.clone(),
            interaction_cst: $learner.interaction_cst.clone(),
        }
    };
}
pub(crate) use settings;

impl Settings {
    pub(crate) fn check(&self) -> Result<()> {
        self.min_samples_split.check(self.owner, "min_samples_split", 2)?;
        self.min_samples_leaf.check(self.owner, "min_samples_leaf", 1)?;
        self.max_features.map_or(Ok(()), |m| m.check(self.owner))?;
        let (good, got) = match self.max_samples {
            Some(MaxSamples::Count(n)) => (n >= 1 && n <= u32::MAX as usize, n as f64),
            Some(MaxSamples::Fraction(share)) => (share > 0.0 && share <= 1.0, share),
            None => (true, 0.0),
        };
        if !good {
            let expected = "a whole number from 1, or a fraction in (0.0, 1.0]";
            return Err(Error::param(self.owner, "max_samples", expected, got));
        }
        if !self.bootstrap && self.max_samples.is_some() {
            return Err(Error::param(self.owner, "max_samples", "none where bootstrap=false", got));
        }
        if !self.bootstrap && self.oob_score {
            return Err(Error::param(self.owner, "oob_score", "false where bootstrap=false", true));
        }
        Ok(())
    }

    /// What a forest with these settings can do.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let all = matches!(self.max_features, None | Some(MaxFeatures::Fraction(1.0)));
        let counts =
            self.min_samples_split != MinSamples::Count(2) || self.min_samples_leaf != MinSamples::Count(1);
        Capabilities {
            random: self.bootstrap || !all || self.splitter == Splitter::Random,
            counts_rows: self.bootstrap || counts,
            ordered: self.bootstrap,
            ..declared
        }
    }

    /// What `interaction_cst` leaves; where features are drawn for a tree, a split looks at all of them.
    pub(crate) fn interactions(&self, rows: &Rows<'_>) -> Result<Option<Arc<InteractionConstraints>>> {
        let drawn = self.max_features.filter(|_| self.features_per == FeaturesPer::Split);
        InteractionConstraints::new(self.owner, self.interaction_cst.as_ref(), rows, drawn)
    }

    /// The plan for `n` kept rows and `d` features; `weights` are those that a bag draws by, unless all are 1.
    pub(crate) fn plan(&self, n: usize, d: usize, weights: Option<&[f64]>, session: &Session) -> ForestPlan {
        let features = self.max_features.map_or(d, |m| m.of(d));
        let limits = Limits {
            splitter: self.splitter,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_samples_split: self.min_samples_split.of(n).max(2),
            min_samples_leaf: self.min_samples_leaf.of(n).max(1),
            min_weight_leaf: self.min_weight_fraction_leaf,
            max_features: features,
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            ccp_alpha: self.ccp_alpha,
            min_instances: 0.0,
            monotone: None,
            interactions: None,
        };
        let total = Weights::from(weights).total(n);
        let draws = match self.max_samples {
            None => n,
            Some(MaxSamples::Count(count)) => count,
            Some(MaxSamples::Fraction(share)) => ((share * total) as usize).clamp(1, u32::MAX as usize),
        };
        let bags = self.bootstrap.then(|| Bags { seed: session.seed(), draws: draws as u64 });
        let sums = weights.filter(|_| self.bootstrap).and_then(running);
        ForestPlan { n_estimators: self.n_estimators, limits, bags, sums, features_per: self.features_per }
    }
}
