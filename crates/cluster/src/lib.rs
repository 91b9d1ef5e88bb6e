//! Clustering.

mod dirichlet;
mod kmeans;
mod kmeans_from;
mod kmeans_lloyd;
mod kmeans_model;
mod kmeans_race;
mod kmeans_seed;
mod kmeans_state;
#[cfg(test)]
mod kmeans_tests;
mod mixture;

pub use dirichlet::{
    DirichletProcessMixture, DirichletProcessMixtureModel, beta, crp, crp_log_probability, dirichlet,
    dirichlet_marginals, expected_tables, gamma, polya_urn, stick_breaking, table_probabilities,
};
pub use kmeans::{KMeans, KMeansAlgorithm, KMeansInit, KMeansRuns};
pub use kmeans_model::KMeansModel;
pub use kmeans_state::{KMeansLocal, KMeansState, KMeansSums};
pub use mixture::{
    BayesianGaussianMixture, BayesianGaussianMixtureModel, BernoulliMixture, BernoulliMixtureModel,
    CovarianceParams, CovarianceType, EmParams, GaussianMixture, GaussianMixtureModel, Gaussians,
    MixtureInit, StudentMixture, StudentMixtureModel, WeightPrior,
};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<KMeans>(),
            Entry::of::<GaussianMixture>(),
            Entry::of::<BernoulliMixture>(),
            Entry::of::<StudentMixture>(),
            Entry::of::<BayesianGaussianMixture>(),
            Entry::of::<DirichletProcessMixture>(),
        ]
    }
}
