//! Linear regression by other losses than squares: quantiles, absolute deviations, Huber's loss, powers.

mod design;
mod huber;
mod interior_point;
mod model;
mod power;
mod quantile;
mod rows;

pub use huber::HuberRegressor;
pub use model::{RobustLoss, RobustModel};
pub use power::LpRegressor;
pub use quantile::{QuantileRegressor, QuantileSolver};
