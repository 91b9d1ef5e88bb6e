//! Random forest for classes.
//!
//! # Objective
//! The prediction is
//! $$ \hat p(k \mid x) = \tfrac1B \sum_{b=1}^B \hat p_b(k \mid x), $$
//! the mean of the class shares in the leaves that $x$ reaches in $B$ trees that differ by random rows and features.
//! The errors of the trees have variance $\sigma^2$ and correlation $\rho$ over the rows; that of their
//! average is $\rho\sigma^2 + (1-\rho)\sigma^2/B$ (see [`crate::EnsembleVariance`]): luck lowers $\rho$, trees the rest.
//!
//! # Algorithm
//! Each tree is grown on a bag of rows, drawn with replacement and by weight; a split looks at `max_features` features
//! that can be cut, drawn anew, and takes the best (`features_per=tree` draws once for a tree).
//!
//! Features are put into at most `max_bins` bins of about equal weight, once for all trees; a node adds up one
//! histogram for each feature that it looks at, and cuts in the middle between two bins that it has rows in. With
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
//! use mercer_trees::RandomForestClassifier;
//! let x = Mat::from_fn(60, 2, |i, j| (i * (j + 1) % 17) as f64);
//! let y: Vec<i64> = (0..60).map(|i| i64::from(x[(i, 0)] > 8.0)).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = RandomForestClassifier::default().n_estimators(20).fit(&data)?;
//! assert_eq!(model.predict_proba(&x)?.n_cols(), 2);
//! assert!(model.feature_importances()[0] > 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Counts are whole numbers, so histograms of classes are exact. Weights decide how often a row is drawn, as in
//! scikit-learn 1.9; without `bootstrap` they weigh rows inside the trees.
//! The same seed gives the same trees at any number of threads. Missing values: both directions are tried.
//!
//! # References
//! - Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324
//! - T. K. Ho. The random subspace method for constructing decision forests. IEEE TPAMI 20(8), 1998.
//!   doi:10.1109/34.709601

use super::grow_forest::FeaturesPer;
use super::settings::{ForestParams, learns_forest};
use super::{ForestClassWeight, ForestClassifierModel, ForestClassifierParams};
use crate::cart::classifier::ClassificationCriterion;
use crate::constraints::{Interactions, Monotonic};
use crate::limits::{MaxFeatures, Splitter, TreeParams};
use mercer_core::{CountOrShare, Params};

/// Random forest for classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "forest",
    canon = "T5",
    task = Classification,
    python = "ensemble",
    twin = "RandomForestRegressor",
    quick = "",
    best = "",
    tried = "n_estimators=12",
    session = "n_jobs random_state verbose",
    mixins = "ForestMixin",
    order = "n_estimators criterion, min_impurity_decrease bootstrap oob_score class_weight ccp_alpha max_samples max_bins features_per",
    door = "warm_start=False",
    can = "proba explain trees members weights missing categorical sparse multi_output random counts_rows ordered",
    references = "Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324"
)]
pub struct RandomForestClassifier {
    /// What forests for classes share.
    #[param(flatten)]
    pub params: ForestClassifierParams,
}

learns_forest!(RandomForestClassifier, Splitter::Best, classifier_model => ForestClassifierModel);
