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

pub use dirichlet::{beta, dirichlet, gamma};
pub use kmeans::{KMeans, KMeansAlgorithm, KMeansInit, KMeansRuns};
pub use kmeans_model::KMeansModel;
pub use kmeans_state::{KMeansLocal, KMeansState, KMeansSums};
pub use mixture::{
    BernoulliMixture, BernoulliMixtureModel, CovarianceType, EmParams, GaussianMixture, GaussianMixtureModel,
    Gaussians, MixtureInit, StudentMixture, StudentMixtureModel,
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
        ]
    }
}
