//! Gaussian processes: distributions over functions, given by a kernel, and what data say of them.

mod likelihood;
mod model;
mod noise;
mod regressor;
mod search;
mod trend;

pub use model::{Distribution, GaussianProcessModel, LeftOut};
pub use noise::Noise;
pub use regressor::{GaussianProcessRegressor, KernelOptimizer};
pub use trend::MeanFunction;
