//! Gradient boosting of trees on histograms: one engine, three learners.

mod booster;
mod classifier;
mod constraints;
mod encode;
mod grow;
mod histogram;
mod linear;
mod loss;
mod model;
mod partition;
mod plan;
mod rank;
mod regressor;
mod sample;
mod split;
mod sweep;
mod train;
mod watch;

pub use booster::{Booster, BoosterObjective, Boosting, Growth};
pub use classifier::{EarlyStopping, HistGradientBoostingClassifier, HistLoss};
pub use constraints::{Interactions, Monotonic};
pub use loss::{Loss, Objective};
pub use model::BoostedTrees;
pub use plan::Categorical;
pub use regressor::{HistGradientBoostingRegressor, HistRegressionLoss};
