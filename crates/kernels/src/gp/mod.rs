//! Gaussian processes: distributions over functions, given by a kernel, and what data say of them.

mod classifier;
mod classifier_model;
mod laplace;
mod likelihood;
mod model;
mod noise;
mod regressor;
mod search;
mod trend;

pub use classifier::{GaussianProcessClassifier, GpMultiClass};
pub use classifier_model::GaussianProcessClassifierModel;
pub use model::{Distribution, GaussianProcessModel, LeftOut};
pub use noise::Noise;
pub use regressor::{GaussianProcessRegressor, KernelOptimizer};
pub use trend::MeanFunction;
