//! Forest settings: the parameters that all forests share, and what they come to.

use super::grow_forest::{Bags, FeaturesPer, ForestPlan, running};
use crate::constraints::InteractionConstraints;
use crate::limits::{MaxFeatures, Splitter, TreeParams};
use mercer_core::{Capabilities, CountOrShare, Error, ParamGroup, Result, Rows, Session};
use mercer_math::Weights;
use std::sync::Arc;

/// Trees, bags and features of a forest.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ForestParams {
    /// Number of trees.
    #[param(default = 100, range = "[1, 1e6]", search = "int 50..500")]
    pub n_estimators: usize,
    /// Stopping rules and constraints of each tree.
    #[param(
        flatten,
        default(max_bins = Some(255)),
        search(max_depth = "int 2..32", min_samples_leaf = "int 1..32", max_features = "linear 0.1..1", ccp_alpha = ""),
        doc(max_leaf_nodes = "Most leaves of a tree, grown best first; none is without limit.")
    )]
    pub tree: TreeParams,
    /// Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    #[param(default = true)]
    pub bootstrap: bool,
    /// Whether the predictions for training rows of the trees grown without them are kept.
    #[param(default = false)]
    pub oob_score: bool,
    /// Rows that a bag draws; fractions, which may be above 1, are shares of all weight, none is as many as there are rows.
    #[param(default = None)]
    pub max_samples: Option<CountOrShare>,
    /// Whether the features are drawn for each split or once for each tree.
    #[param(default = FeaturesPer::Split)]
    pub features_per: FeaturesPer,
}

/// The settings of one forest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) owner: &'static str,
    pub(crate) splitter: Splitter,
    pub(crate) params: &'a ForestParams,
}

impl Settings<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        let ForestParams { tree, bootstrap, .. } = self.params;
        tree.check(self.owner)?;
        if let Some(amount) = self.params.max_samples {
            let got = amount.of(1.0);
            // Rows are drawn with replacement: there may be more draws than rows.
            if !matches!(amount, CountOrShare::Share(share) if share > 1.0) {
                amount.check(self.owner, "max_samples", "", 1)?;
            }
            if got > f64::from(u32::MAX) {
                return Err(Error::param(self.owner, "max_samples", "below 2^32", got));
            }
            if !bootstrap {
                return Err(Error::param(self.owner, "max_samples", "none where bootstrap=false", got));
            }
        }
        if !bootstrap && self.params.oob_score {
            return Err(Error::param(self.owner, "oob_score", "false where bootstrap=false", true));
        }
        Ok(())
    }

    /// What a forest with these settings can do.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let ForestParams { tree, bootstrap, .. } = self.params;
        let all = matches!(tree.max_features, None | Some(MaxFeatures::Of(CountOrShare::Share(1.0))));
        Capabilities {
            random: *bootstrap || !all || self.splitter == Splitter::Random,
            counts_rows: *bootstrap || tree.counts_rows(),
            ordered: *bootstrap,
            ..declared
        }
    }

    /// What `interaction_cst` leaves; where features are drawn for a tree, a split looks at all of them.
    pub(crate) fn interactions(&self, rows: &Rows<'_>) -> Result<Option<Arc<InteractionConstraints>>> {
        let ForestParams { tree, features_per, .. } = self.params;
        let drawn = tree.max_features.filter(|_| *features_per == FeaturesPer::Split);
        InteractionConstraints::new(self.owner, tree.interaction_cst.as_ref(), rows, drawn)
    }

    /// The plan for `n` kept rows and `d` features; `weights` are those that a bag draws by, unless all are 1.
    pub(crate) fn plan(&self, n: usize, d: usize, weights: Option<&[f64]>, session: &Session) -> ForestPlan {
        let ForestParams { n_estimators, tree, bootstrap, max_samples, features_per, .. } = self.params;
        let limits = tree.limits(self.splitter, n, d);
        let total = Weights::from(weights).total(n);
        let draws = match max_samples {
            None => n,
            // How often a row is drawn is counted up to 2^16 - 1: more draws would only take time.
            Some(amount) => (amount.of(total) as usize).clamp(1, n.saturating_mul(usize::from(u16::MAX))),
        };
        let bags = bootstrap.then(|| Bags { seed: session.seed(), draws: draws as u64 });
        let sums = weights.filter(|_| *bootstrap).and_then(running);
        ForestPlan { n_estimators: *n_estimators, limits, bags, sums, features_per: *features_per }
    }
}

/// How a forest learns whose trees split by a splitter, grown by the function `grow` of a module. What it gives depends on
/// parameters.
macro_rules! learns_forest {
    ($learner:ty, $splitter:expr, $grown:ident => $model:ty $(, $given:ident if $param:ident)*) => {
        impl $learner {
            fn settings(&self) -> super::settings::Settings<'_> {
                super::settings::Settings {
                    owner: Self::NAME,
                    splitter: $splitter,
                    params: &self.params.forest,
                }
            }
        }

        impl mercer_core::Learn for $learner {
            type Model = $model;

            fn learn(
                &self,
                data: &mercer_core::Dataset<'_>,
                session: &mercer_core::Session,
            ) -> mercer_core::Result<Self::Model> {
                super::$grown::grow(self.settings(), &self.params, data, session)
            }

            fn capabilities(&self) -> mercer_core::Capabilities {
                let declared = Self::declaration().capabilities;
                self.settings().capabilities(mercer_core::Capabilities {
                    $($given: self.params.$param,)*
                    ..declared
                })
            }

            fn check(&self) -> mercer_core::Result<()> {
                self.check_params()?;
                self.settings().check()
            }
        }
    };
}
pub(super) use learns_forest;
