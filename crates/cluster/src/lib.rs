//! Clustering.

mod dbscan;
mod hdbscan;
mod hierarchical;
mod kmeans;
mod optics;
mod space;

pub use dbscan::{DBSCAN, DbscanModel};
pub use hdbscan::{ClusterSelection, HDBSCAN, HdbscanModel, StoredCenters};
pub use hierarchical::{AgglomerativeClustering, AgglomerativeModel, Linkage};
pub use kmeans::{
    KMeans, KMeansAlgorithm, KMeansInit, KMeansLocal, KMeansModel, KMeansRuns, KMeansState, KMeansSums,
};
pub use optics::{OPTICS, OpticsModel, ValleyMethod};
pub use space::{Assigned, ClusterMetric, ClusterSearch};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<KMeans>(),
            Entry::of::<AgglomerativeClustering>(),
            Entry::of::<DBSCAN>(),
            Entry::of::<HDBSCAN>(),
            Entry::of::<OPTICS>(),
        ]
    }
}
