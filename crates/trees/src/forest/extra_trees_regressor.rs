//! Extremely randomised trees for numbers.
//!
//! # Objective
//! The prediction is
//! $$ \hat f(x) = \tfrac1B \sum_{b=1}^B \hat f_b(x), $$
//! the mean of the leaves that $x$ reaches in $B$ trees that differ by random thresholds.
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
//! use mercer_trees::ExtraTreesRegressor;
//! let x = Mat::from_fn(60, 2, |i, j| (i * (j + 1) % 17) as f64);
//! let y: Vec<f64> = (0..60).map(|i| 2.0 * x[(i, 0)]).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = ExtraTreesRegressor::default().n_estimators(20).fit(&data)?;
//! assert_eq!(model.predict(&x)?.numbers()?.len(), 60);
//! assert!(model.feature_importances()[0] > 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Sums are of targets less their mean, in the order of the rows. Weights weigh rows inside the trees; with
//! `bootstrap` they decide how often a row is drawn.
//! The same seed gives the same trees at any number of threads. Missing values: a coin decides where they go.
//!
//! # References
//! - Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1
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

/// Extremely randomised trees for numbers.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "extra-trees-regressor",
    canon = "T5",
    task = Regression,
    python = "ensemble",
    twin = "ExtraTreesClassifier",
    tried = "n_estimators=12",
    session = "n_jobs random_state verbose",
    mixins = "ForestMixin",
    order = "n_estimators criterion, min_impurity_decrease bootstrap oob_score ccp_alpha max_samples max_bins features_per quantiles",
    door = "warm_start=False",
    can = "explain trees members weights missing categorical sparse multi_output random",
    references = "Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1"
)]
pub struct ExtraTreesRegressor {
    /// What forests for numbers share.
    #[param(flatten, default(forest.bootstrap = false))]
    pub params: ForestRegressorParams,
}

learns_forest!(ExtraTreesRegressor, Splitter::Random, regressor_model => ForestRegressorModel, intervals if quantiles, quantiles if quantiles);
