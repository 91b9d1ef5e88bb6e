//! Classification and regression trees (CART) with exact splits, and M5 model trees on the same engine.
//!
//! The learners are in `classifier`, `regressor` and `model_tree`. `training_columns` brings the data together and
//! grows a tree `depth_first` or `best_first`; `splitter` searches one feature of one node under a `criterion`;
//! `prune` and `reduced_error` cut back what was grown; `tree` is the fitted tree in flat arrays.

pub(crate) mod best_first;
pub(crate) mod classifier;
pub(crate) mod criterion;
pub(crate) mod depth_first;
pub(crate) mod model_tree;
mod params;
pub(crate) mod prune;
mod reduced_error;
pub(crate) mod regressor;
pub(crate) mod splitter;
pub(crate) mod training_columns;
pub(crate) mod tree;

pub use classifier::{ClassificationCriterion, DecisionTreeClassifier, DecisionTreeClassifierModel};
pub use model_tree::{ModelTree, ModelTreeModel, Terms};
pub use params::CartParams;
pub use prune::PruningPath;
pub use regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel, RegressionCriterion};
pub use tree::{NodeView, SplitView, Test, Tree};
