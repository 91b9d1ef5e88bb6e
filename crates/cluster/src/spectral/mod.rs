//! Spectral clustering: clusters of a graph of affinities, by the leading vectors of its normalised matrix.
//!
//! # Objective
//! The relaxed normalised cut: with affinities $A$ and degrees $D$, the $k$ leading eigenvectors of $D^{-1/2} A D^{-1/2}$, one coordinate of
//! each row from each vector, in which rows are then parted.
//!
//! # Algorithm
//! Affinities of all pairs (`rbf`), of neighbours (`nearest_neighbors`), or given; the leading eigenvectors by a block Krylov basis where
//! there are many rows, or by the whole decomposition where that does not hold them; rows of the eigenvectors,
//! divided by the root of the degree, are parted by k-means, by rotation to indicators (`discretize`), or by pivoted
//! QR (`cluster_qr`). A new row has the cluster of the nearest row learnt from.
//!
//! # Complexity
//! Time O(n² k) a step of the basis, some tens of them, else O(n³); memory 16n² bytes, or 24n² for the whole decomposition.
//!
//! # Example
//! ```
//! use mercer_cluster::SpectralClustering;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [0.5], [1.0], [7.0], [7.5], [8.0]]).unwrap();
//! let model = SpectralClustering::default().n_clusters(2).fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels()[0], model.labels()[2]);
//! assert_ne!(model.labels()[0], model.labels()[3]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A row without any affinity has degree 1. Where the k-th and the next eigenvalue are equal, the vectors are not determined; the
//! certificate has the gap.
//!
//! # References
//! - J. Shi, J. Malik. Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000. doi:10.1109/34.868688
//! - S. X. Yu, J. Shi. Multiclass spectral clustering. ICCV 2003. doi:10.1109/ICCV.2003.1238361
//! - U. von Luxburg. A tutorial on spectral clustering. Stat. Comput. 17, 2007. doi:10.1007/s11222-007-9033-z
//! - A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral clustering. Inf. Inference 8(1), 2019. doi:10.1093/imaiai/iay008

mod affinity;
mod assign;
mod leading;
mod model;

pub use model::SpectralModel;

use crate::kmeans::{KMeans, KMeansRuns};
use crate::space::{Assigned, ClusterMetric, Space};
use affinity::{Normalised, affinities};
use leading::{Leading, leading};
use mercer_core::{Choice, Dataset, Error, ErrorKind, Learn, Params, Result, Session};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// What [`SpectralClustering`] takes for near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Affinity {
    /// exp(−γ‖a−b‖²).
    Rbf,
    /// 1 for each of two that is among the nearest of the other, halved.
    NearestNeighbors,
    /// Rows are affinities.
    Precomputed,
}

/// How [`SpectralClustering`] parts rows by their coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum AssignLabels {
    /// K-means.
    Kmeans,
    /// The nearest indicators, after rotation.
    Discretize,
    /// Pivoted QR: no randomness.
    ClusterQr,
}

/// Clusters of a graph of affinities, by the leading vectors of its normalised matrix.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "spectral",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "n_clusters=3,gamma=0.1 | n_clusters=3,affinity=nearest_neighbors,assign_labels=cluster_qr | n_clusters=3,gamma=0.1,assign_labels=discretize",
    session = "random_state n_jobs verbose",
    order = "n_clusters n_components n_init gamma affinity n_neighbors assign_labels",
    door = "eigen_solver=None eigen_tol='auto' degree=3 coef0=1 kernel_params=None",
    mixins = "SpectralMixin",
    rows = 500,
    can = "scaled ordered random",
    references = "Shi, Malik. Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000.|Yu, Shi. Multiclass spectral clustering. ICCV 2003.|Damle, Minden, Ying. Simple, direct and efficient multi-way spectral clustering. Inf. Inference 8(1), 2019."
)]
pub struct SpectralClustering {
    /// Number of clusters, and of eigenvectors where `n_components` says nothing.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// Number of eigenvectors; `n_clusters` where it is not given.
    #[param(default = None, range = "[1, inf)")]
    pub n_components: Option<usize>,
    /// Runs of k-means, of which the best is kept.
    #[param(default = 10, range = "[1, inf)")]
    pub n_init: usize,
    /// How fast affinity falls with the squared distance.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-3..10")]
    pub gamma: f64,
    /// What is near.
    #[param(default = Affinity::Rbf)]
    pub affinity: Affinity,
    /// Neighbours of each row, itself included, for `nearest_neighbors`.
    #[param(default = 10, range = "[1, inf)")]
    pub n_neighbors: usize,
    /// How rows are parted by their coordinates.
    #[param(default = AssignLabels::Kmeans)]
    pub assign_labels: AssignLabels,
}

impl Learn for SpectralClustering {
    type Model = SpectralModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SpectralModel> {
        let metric = if self.affinity == Affinity::Precomputed {
            ClusterMetric::Precomputed
        } else {
            ClusterMetric::Euclidean
        };
        let space = Space::new(Self::NAME, data, metric, 2.0)?;
        let (n, parts) = (space.len(), self.n_components.unwrap_or(self.n_clusters));
        if n < self.n_clusters.max(parts) {
            return Err(Error::too_few(Self::NAME, "rows", self.n_clusters.max(parts), n));
        }
        let pause = |done| -> Result<()> {
            match session.step("spectral clustering", done, Some(3), None) {
                Some(_) => Err(ErrorKind::Cancelled.into()),
                None => Ok(()),
            }
        };
        pause(0)?;
        let affinity = affinities(Self::NAME, &space, self, session)?;
        let graph = Normalised::new(affinity);
        pause(1)?;
        let found = leading(&graph.matrix, parts, session)?;
        let Leading { values, vectors, next } =
            found.ok_or_else(|| Error::numeric(Self::NAME, "affinities are not finite: scale the rows"))?;
        pause(2)?;
        let maps = Mat::from_fn(n, parts, |i, c| vectors[(i, c)] / graph.roots[i]);
        let labels = self.labels(&maps, session)?;
        let gap = next.map(|next| values[parts - 1] - next);
        let assigned = Assigned::new(space, labels, None, f64::INFINITY);
        Ok(SpectralModel::new(
            assigned,
            (self.affinity, self.gamma, self.n_neighbors),
            (values, vectors, gap),
            &graph,
        ))
    }
}

impl SpectralClustering {
    fn labels(&self, maps: &Mat, session: &Session) -> Result<Vec<i32>> {
        Ok(match self.assign_labels {
            AssignLabels::Kmeans => {
                let parts =
                    KMeans::default().n_clusters(self.n_clusters).n_init(KMeansRuns::Count(self.n_init));
                let model = parts.learn(&Dataset::new(maps), &session.quiet())?;
                model.labels.iter().map(|&l| l as i32).collect()
            }
            AssignLabels::Discretize => assign::discretize(maps, &mut session.rng(0)),
            AssignLabels::ClusterQr => assign::cluster_qr(maps),
        })
    }
}
