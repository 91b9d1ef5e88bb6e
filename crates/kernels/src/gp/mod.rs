//! Gaussian processes: distributions over functions, given by a kernel, and what data say of them.

mod bound;
mod classifier;
mod classifier_model;
mod laplace;
mod likelihood;
mod model;
mod noise;
mod regressor;
mod search;
mod sparse;
mod sparse_model;
mod trend;

pub use classifier::{GaussianProcessClassifier, GpMultiClass};
pub use classifier_model::GaussianProcessClassifierModel;
pub use model::{Distribution, GaussianProcessModel, LeftOut};
pub use noise::Noise;
pub use regressor::{GaussianProcessRegressor, KernelOptimizer, SearchParams};
pub use sparse::{Inducing, SparseGaussianProcessRegressor, SparseMethod};
pub use sparse_model::SparseGaussianProcessModel;
pub use trend::MeanFunction;
