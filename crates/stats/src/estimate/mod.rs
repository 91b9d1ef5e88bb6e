//! Estimators: the most likely parameters, the most probable ones given priors, and what simulation says of any estimator.

mod likelihood;
mod shrink;
mod study;

pub use likelihood::{Estimate, map_estimate, mle};
pub use shrink::{average, james_stein};
pub use study::{Study, sample_of_run, study};
