//! Local learners: kernels about the rows learnt from.

mod density;
mod kernel;
mod local_linear;
mod nadaraya_watson;
mod network;
mod network_gradient;
mod network_model;
mod smoother;

pub use density::{KernelDensity, KernelDensityModel};
pub use kernel::{Bandwidth, LocalKernelName};
pub use local_linear::LocalLinearRegression;
pub use nadaraya_watson::{LocalParams, NadarayaWatson, ShapeParams};
pub use network::{
    NetworkCenters, NetworkOutput, NetworkParams, NetworkWidth, RBFNetworkClassifier, RBFNetworkRegressor,
};
pub use network_model::RbfNetworkModel;
pub use smoother::SmootherModel;
