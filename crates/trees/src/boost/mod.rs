//! Gradient boosting of trees on histograms of gradients: one engine, three learners.
//!
//! The learners are `hist_gradient_boosting_classifier`, `hist_gradient_boosting_regressor` (scikit-learn's names) and
//! `booster` (LightGBM's); `params` are the parameters they share, `settings` what these come to. `train` runs the rounds, each with the
//! gradients of `loss` (or `lambdarank`) on the rows of `sampling`; `grow` grows a `binned_tree` from the `histogram`s
//! of its nodes, by the best `split` (`split_scores` weighs all cuts of a column at once) and the `partition` of rows;
//! `early_stopping` decides when to end. `target_statistics` turn categories into numbers, `linear_leaves` leaves into
//! lines; `multi_output` boosts several targets side by side.

mod binned_tree;
mod booster;
mod early_stopping;
mod grow;
mod hist_gradient_boosting_classifier;
mod hist_gradient_boosting_regressor;
mod histogram;
mod lambdarank;
mod linear_leaves;
mod loss;
mod model;
mod multi_output;
mod params;
mod partition;
mod quantised;
mod sampling;
mod settings;
mod split;
mod split_scores;
mod target_statistics;
mod train;

// Trees and forests have the same constraints.
use crate::constraints;

pub use booster::{Booster, BoosterObjective, Boosting, Growth};
pub use hist_gradient_boosting_classifier::{HistGradientBoostingClassifier, HistLoss};
pub use hist_gradient_boosting_regressor::{HistGradientBoostingRegressor, HistRegressionLoss};
pub use loss::{Loss, Objective};
pub use model::BoostedTrees;
pub use params::{BoostParams, EarlyStopping, EarlyStoppingParams, HistBoostParams};
pub use settings::Categorical;
