//! Extremely randomised trees for classes.
//!
//! # Objective
//! The prediction is
//! $$ \hat p(k \mid x) = \tfrac1B \sum_{b=1}^B \hat p_b(k \mid x), $$
//! the mean of the class shares in the leaves that $x$ reaches in $B$ trees that differ by random thresholds.
//! The errors of the trees have variance $\sigma^2$ and correlation $\rho$ over the rows; that of their
//! average is $\rho\sigma^2 + (1-\rho)\sigma^2/B$ (see [`crate::EnsembleVariance`]): luck lowers $\rho$, trees the rest.
//!
//! # Algorithm
//! A split looks at `max_features` features that can be cut, draws one threshold for each, uniformly between the
//! least and the greatest value of the node, and takes the best of them. The luck of the thresholds makes the trees
//! differ, so all rows are used (`bootstrap=false`).
//!
//! Features are put into at most `max_bins` bins of about equal weight, once for all trees; a threshold that falls
//! inside a bin is moved to its lower end. With
//! `max_bins=none` all values are looked between, by the engine of the decision tree, which also serves
//! more than 64 classes, several targets and `monotonic_cst`. One task grows one tree, with a random stream of its own.
//! `interaction_cst` leaves a node the columns that share a set with all columns met on the way to it; features are
//! drawn among these.
//!
//! # Complexity
//! Time O(B n m log n) for m features a split, on average; memory n d bytes beyond the data while growing, then 20
//! bytes a node (28 once many rows have been predicted). A prediction costs one comparison a level and tree.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::ExtraTreesClassifier;
//! let x = Mat::from_fn(60, 2, |i, j| (i * (j + 1) % 17) as f64);
//! let y: Vec<i64> = (0..60).map(|i| i64::from(x[(i, 0)] > 8.0)).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = ExtraTreesClassifier::default().n_estimators(20).fit(&data)?;
//! assert_eq!(model.predict_proba(&x)?.n_cols(), 2);
//! assert!(model.feature_importances()[0] > 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Counts are whole numbers, so histograms of classes are exact. Weights weigh rows inside the trees; with
//! `bootstrap` they decide how often a row is drawn.
//! The same seed gives the same trees at any number of threads. Missing values: a coin decides where they go.
//!
//! # References
//! - Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1
//! - T. K. Ho. The random subspace method for constructing decision forests. IEEE TPAMI 20(8), 1998.
//!   doi:10.1109/34.709601

use super::grow_forest::FeaturesPer;
use super::settings::{ForestParams, learns_forest};
use super::{ForestClassWeight, ForestClassifierModel, ForestClassifierParams};
use crate::cart::classifier::ClassificationCriterion;
use crate::constraints::{Interactions, Monotonic};
use crate::limits::{MaxFeatures, Splitter, TreeParams};
use mercer_core::{CountOrShare, Params};

/// Extremely randomised trees for classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "extra-trees",
    canon = "T5",
    task = Classification,
    python = "ensemble",
    twin = "ExtraTreesRegressor",
    best = "",
    tried = "n_estimators=12",
    session = "n_jobs random_state verbose",
    mixins = "ForestMixin",
    order = "n_estimators criterion, min_impurity_decrease bootstrap oob_score class_weight ccp_alpha max_samples max_bins features_per",
    door = "warm_start=False",
    can = "proba explain trees members weights missing categorical sparse multi_output random",
    references = "Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1"
)]
pub struct ExtraTreesClassifier {
    /// What forests for classes share.
    #[param(flatten, default(forest.bootstrap = false))]
    pub params: ForestClassifierParams,
}

learns_forest!(ExtraTreesClassifier, Splitter::Random, classifier_model => ForestClassifierModel);
