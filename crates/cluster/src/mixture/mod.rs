//! Mixtures: components whose shares in each row are hidden, learnt by expectation maximisation.

mod bayesian;
mod bayesian_model;
mod bernoulli;
mod em;
mod em_rounds;
mod gaussian;
mod gaussian_model;
mod gaussians;
mod kernel;
mod moments;
mod params;
mod prior;
mod start;
mod student;

pub use bayesian::{BayesianGaussianMixture, WeightPrior};
pub use bayesian_model::BayesianGaussianMixtureModel;
pub use bernoulli::{BernoulliMixture, BernoulliMixtureModel};
pub use gaussian::GaussianMixture;
pub use gaussian_model::GaussianMixtureModel;
pub use gaussians::{CovarianceType, Gaussians};
pub use params::{CovarianceParams, EmParams};
pub(crate) use params::{clusters, likeliest};
pub use start::MixtureInit;
pub use student::{StudentMixture, StudentMixtureModel};
