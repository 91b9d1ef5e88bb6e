//! Bayesian linear regression: coefficients with a distribution.

mod ard;
mod evidence;
mod informative;
mod model;
mod ridge;

pub use ard::ARDRegression;
pub use evidence::PrecisionParams;
pub use informative::BayesianLinearRegression;
pub use model::BayesianModel;
pub use ridge::BayesianRidge;
