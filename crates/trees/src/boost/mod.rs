//! Gradient boosting of trees on histograms: one engine, three learners.

mod booster;
mod classifier;
mod draft;
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
mod several;
mod split;
mod sweep;
mod train;
mod watch;

// Trees and forests have the same constraints.
use crate::constraints;

pub use booster::{Booster, BoosterObjective, Boosting, Growth};
pub use classifier::{EarlyStopping, HistGradientBoostingClassifier, HistLoss};
pub use loss::{Loss, Objective};
pub use model::BoostedTrees;
pub use plan::Categorical;
pub use regressor::{HistGradientBoostingRegressor, HistRegressionLoss};
