//! Random forest for numbers.
//!
//! # Objective
//! The prediction is
//! $$ \hat f(x) = \tfrac1B \sum_{b=1}^B \hat f_b(x), $$
//! the mean of the leaves that $x$ reaches in $B$ trees that differ by random rows and features.
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
//! several targets, `monotonic_cst` and `criterion=absolute_error`. One task grows one tree, with a random stream of
//! its own. `interaction_cst` leaves a node the columns that share a set with all columns met on the way to it;
//! features are drawn among these.
//!
//! With `quantiles` the rows of each leaf are kept; the rows that share leaves with $x$, weighted by how often they do,
//! are a sample of its distribution (Meinshausen), whose quantiles make prediction intervals. No finite sample
//! guarantees how many answers these hold; `ConformalRegressor` around the forest does.
//!
//! # Complexity
//! Time O(B n m log n) for m features a split, on average; memory n d bytes beyond the data while growing, then 20
//! bytes a node (28 once many rows have been predicted). A prediction costs one comparison a level and tree.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::RandomForestRegressor;
//! let x = Mat::from_fn(60, 2, |i, j| (i * (j + 1) % 17) as f64);
//! let y: Vec<f64> = (0..60).map(|i| 2.0 * x[(i, 0)]).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = RandomForestRegressor::default().n_estimators(20).fit(&data)?;
//! assert_eq!(model.predict(&x)?.numbers()?.len(), 60);
//! assert!(model.feature_importances()[0] > 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Sums are of targets less their mean, in the order of the rows. Weights decide how often a row is drawn, as in
//! scikit-learn 1.9; without `bootstrap` they weigh rows inside the trees.
//! The same seed gives the same trees at any number of threads. Missing values: both directions are tried.
//!
//! # References
//! - Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324
//! - T. K. Ho. The random subspace method for constructing decision forests. IEEE TPAMI 20(8), 1998.
//!   doi:10.1109/34.709601
//! - Meinshausen. Quantile regression forests. JMLR 7, 2006.

use super::grow_forest::FeaturesPer;
use super::settings::{ForestParams, learns_forest};
use super::{ForestRegressorModel, ForestRegressorParams};
use crate::cart::regressor::RegressionCriterion;
use crate::constraints::{Interactions, Monotonic};
use crate::limits::{MaxFeatures, Splitter, TreeParams};
use mercer_core::{CountOrShare, Params};

/// Random forest for numbers.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "forest-regressor",
    canon = "T5",
    task = Regression,
    python = "ensemble",
    twin = "RandomForestClassifier",
    tried = "n_estimators=12 | n_estimators=8,interaction_cst=[[x0, x1]]",
    session = "n_jobs random_state verbose",
    mixins = "ForestMixin",
    order = "n_estimators criterion, min_impurity_decrease bootstrap oob_score ccp_alpha max_samples max_bins features_per quantiles",
    door = "warm_start=False",
    can = "explain trees members weights missing categorical sparse multi_output random counts_rows ordered",
    references = "Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324"
)]
pub struct RandomForestRegressor {
    /// What forests for numbers share.
    #[param(flatten)]
    pub params: ForestRegressorParams,
}

learns_forest!(RandomForestRegressor, Splitter::Best, regressor_model => ForestRegressorModel, intervals if quantiles, quantiles if quantiles);
