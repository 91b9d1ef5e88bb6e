//! Clustering and mixtures.

mod affinity_propagation;
mod bisecting;
mod dbscan;
mod dirichlet;
mod feature_agglomeration;
mod hdbscan;
mod hierarchical;
mod kmeans;
mod mean_shift;
mod medoids;
mod mini_batch;
mod mixture;
mod optics;
mod prototypes;
mod space;
mod spectral;

pub use affinity_propagation::{AffinityPropagation, AffinityPropagationModel, Similarity};
pub use bisecting::{BisectingKMeans, BisectingKMeansModel, BisectingStrategy};
pub use dbscan::{DBSCAN, DbscanModel};
pub use dirichlet::{
    DirichletProcessMixture, DirichletProcessMixtureModel, crp, crp_log_probability, dirichlet_marginals,
    expected_tables, polya_urn, stick_breaking, table_probabilities,
};
pub use feature_agglomeration::{FeatureAgglomeration, FeatureAgglomerationModel, Pooling};
pub use hdbscan::{ClusterSelection, HDBSCAN, HdbscanModel, StoredCenters};
pub use hierarchical::{AgglomerativeClustering, AgglomerativeModel, Linkage};
pub use kmeans::{
    KMeans, KMeansAlgorithm, KMeansInit, KMeansLocal, KMeansModel, KMeansRuns, KMeansState, KMeansSums,
    kmeans_plusplus,
};
pub use mean_shift::{MeanShift, MeanShiftModel, estimate_bandwidth};
pub use medoids::{KMedoids, KMedoidsModel, MedoidsInit};
pub use mini_batch::{MiniBatchKMeans, MiniBatchModel};
pub use mixture::{
    BayesianGaussianMixture, BayesianGaussianMixtureModel, BernoulliMixture, BernoulliMixtureModel,
    CovarianceParams, CovarianceType, EmParams, GaussianMixture, GaussianMixtureModel, Gaussians,
    MixtureInit, StudentMixture, StudentMixtureModel, WeightPrior,
};
pub use optics::{OPTICS, OpticsModel, ValleyMethod, optics_valleys};
pub use prototypes::{KModes, KPrototypes, PrototypeInit, PrototypeParams, PrototypesModel};
pub use space::{Assigned, ClusterMetric, ClusterSearch, NearParams};
pub use spectral::{Affinity, AssignLabels, SpectralClustering, SpectralModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<KMeans>(),
            Entry::of::<MiniBatchKMeans>(),
            Entry::of::<BisectingKMeans>(),
            Entry::of::<KMedoids>(),
            Entry::of::<KModes>(),
            Entry::of::<KPrototypes>(),
            Entry::of::<AgglomerativeClustering>(),
            Entry::of::<FeatureAgglomeration>(),
            Entry::of::<DBSCAN>(),
            Entry::of::<HDBSCAN>(),
            Entry::of::<OPTICS>(),
            Entry::of::<MeanShift>(),
            Entry::of::<AffinityPropagation>(),
            Entry::of::<GaussianMixture>(),
            Entry::of::<BernoulliMixture>(),
            Entry::of::<StudentMixture>(),
            Entry::of::<SpectralClustering>(),
            Entry::of::<BayesianGaussianMixture>(),
            Entry::of::<DirichletProcessMixture>(),
        ]
    }
}
