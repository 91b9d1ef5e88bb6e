//! Mixtures: components whose shares in each row are hidden, learnt by expectation maximisation.

mod bernoulli;
mod em;
mod gaussian;
mod gaussian_model;
mod gaussians;
mod kernel;
mod moments;
mod params;
mod start;
mod student;

pub use bernoulli::{BernoulliMixture, BernoulliMixtureModel};
pub use gaussian::GaussianMixture;
pub use gaussian_model::GaussianMixtureModel;
pub use gaussians::{CovarianceType, Gaussians};
pub use params::EmParams;
pub use start::MixtureInit;
pub use student::{StudentMixture, StudentMixtureModel};
