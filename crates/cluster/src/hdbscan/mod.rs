//! HDBSCAN: the clusters of all densities at once that are the most stable.
//!
//! # Objective
//! Rows a and b reach each other at $\max(\kappa_a, \kappa_b, d(a, b)/\alpha)$, with κ the distance to the
//! `min_samples`-th nearest row. Single linkage under this distance is a tree of clusters; those below `min_cluster_size` are rows
//! that leave their parent. Of every branch the clusters of the greatest total stability are chosen, where the stability of a
//! cluster is $\sum_{x \in C} (\lambda_x - \lambda_C)$ with λ = 1/distance at which x leaves and C appears.
//!
//! # Algorithm
//! Core distances and spanning tree by rounds of Borůvka over a k-d tree, where the metric is Euclidean, Manhattan or Chebyshev, there
//! are at most ten features and α is 1; else core distances by a k-d tree or brute force, and Prim's algorithm over rows that stand
//! side by side. The tree is condensed, and clusters chosen from its leaves to its root (`eom`), or its leaves taken (`leaf`).
//!
//! A new row has the cluster of the nearest row learnt from; [`HdbscanModel::approximate_predict`] also says which new rows are noise.
//!
//! # Complexity
//! About O(n (k + log n) log n) for k nearest rows where boxes part the rows well, memory O(n (d + k)); else time O(n² d), memory O(n d).
//!
//! # Example
//! ```
//! use mercer_cluster::HDBSCAN;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(40, 1, |i, _| (i % 20) as f64 * 0.1 + (i / 20) as f64 * 50.0);
//! let model = HDBSCAN::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.n_clusters(), 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Rows that coincide have λ = ∞; clusters of such rows alone have stability ∞. Edges of equal length are taken in the order in
//! which Prim's algorithm finds them, so that ties may part otherwise than in other programs. Distances that are given may be
//! infinite, as those are that a sparse matrix leaves out: rows that nothing joins part at infinity, where λ = 0.
//!
//! # References
//! - R. J. G. B. Campello, D. Moulavi, J. Sander. Density-based clustering based on hierarchical density estimates. PAKDD 2013. doi:10.1007/978-3-642-37456-2_14
//! - W. B. March, P. Ram, A. G. Gray. Fast Euclidean minimum spanning tree: algorithm, analysis, and applications. KDD 2010. doi:10.1145/1835804.1835882
//! - L. McInnes, J. Healy. Accelerated hierarchical density based clustering. ICDMW 2017. doi:10.1109/ICDMW.2017.12
//! - R. J. G. B. Campello, D. Moulavi, A. Zimek, J. Sander. Hierarchical density estimates for data clustering, visualization, and outlier
//!   detection. ACM TKDD 10(1), 2015. doi:10.1145/2733381
//! - C. Malzer, M. Baum. A hybrid approach to hierarchical density-based cluster selection. MFI 2020. doi:10.1109/MFI49285.2020.9235263

mod approximate;
mod choose;
mod condense;
mod model;

pub use model::HdbscanModel;

use crate::hierarchical::is_euclidean;
use crate::space::{
    Assigned, ClusterMetric, ClusterSearch, Measure, Merger, NearParams, Reach, Space, mergers, reach_tree,
    spanning_tree,
};
use mercer_core::{Choice, Dataset, Error, Learn, Params, Result, Session};
use mercer_math::PairMetric;
use model::{Centres, Hierarchy, Parts};
use serde::{Deserialize, Serialize};

/// Which clusters of the tree [`HDBSCAN`] chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum ClusterSelection {
    /// Those of the greatest total stability (excess of mass).
    Eom,
    /// The leaves.
    Leaf,
}

/// Which centres [`HDBSCAN`] stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum StoredCenters {
    /// Means, weighted by the strength of membership.
    Centroid,
    /// The rows of the least weighted distance from the others.
    Medoid,
    /// Both.
    Both,
}

/// The clusters of all densities at once that are the most stable.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "hdbscan",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "| min_cluster_size=8,cluster_selection_method=leaf,store_centers=both,metric=manhattan | allow_single_cluster=true,min_samples=3,max_cluster_size=40",
    session = "n_jobs",
    order = "min_cluster_size min_samples cluster_selection_epsilon max_cluster_size metric alpha algorithm leaf_size",
    door = "metric_params=None copy='warn'",
    mixins = "HDBSCANMixin ByDensityMixin",
    rows = 2000,
    can = "sparse scaled ordered",
    references = "Campello, Moulavi, Sander. Density-based clustering based on hierarchical density estimates. PAKDD 2013.|McInnes, Healy. Accelerated hierarchical density based clustering. ICDMW 2017."
)]
pub struct HDBSCAN {
    /// Rows of the smallest cluster.
    #[param(default = 5, range = "[2, inf)", search = "int 5..50")]
    pub min_cluster_size: usize,
    /// The neighbour, the row itself included, whose distance is the core distance; `min_cluster_size` where it is not given.
    #[param(default = None, range = "[1, inf)")]
    pub min_samples: Option<usize>,
    /// Clusters that part at a distance below this stay together.
    #[param(default = 0.0, range = "[0, inf)")]
    pub cluster_selection_epsilon: f64,
    /// Rows of the largest cluster that is chosen by stability.
    #[param(default = None, range = "[1, inf)")]
    pub max_cluster_size: Option<usize>,
    /// Distances are divided by this one.
    #[param(default = 1.0, range = "(0, inf)")]
    pub alpha: f64,
    /// What is near to what, and how it is found.
    #[param(flatten, default(leaf_size = 40))]
    pub near: NearParams,
    /// Which clusters of the tree are chosen.
    #[param(default = ClusterSelection::Eom)]
    pub cluster_selection_method: ClusterSelection,
    /// Whether all rows may be one cluster.
    #[param(default = false)]
    pub allow_single_cluster: bool,
    /// Which centres are stored.
    #[param(default = None)]
    pub store_centers: Option<StoredCenters>,
}

/// Beyond so many features most boxes are looked at.
const TREE_FEATURES: usize = 10;

impl Learn for HDBSCAN {
    type Model = HdbscanModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<HdbscanModel> {
        let space = Space::new(Self::NAME, data, self.near.metric, 2.0)?;
        let tree = self.tree(&space, session)?;
        let condensed = condense::condense(&tree, self.min_cluster_size);
        let chosen = choose::choose(&condensed, self);
        let centres = Centres::of(&space, &chosen, self.store_centers);
        let length = model::length(&tree);
        let assigned = Assigned::new(space, chosen.labels.clone(), None, f64::INFINITY);
        let (min_samples, alpha) = (self.near(), self.alpha);
        let clusters = Hierarchy::new(condensed, chosen);
        Ok(HdbscanModel::new(Parts { assigned, clusters, tree, centres, min_samples, alpha, length }))
    }
}

impl HDBSCAN {
    fn near(&self) -> usize {
        self.min_samples.unwrap_or(self.min_cluster_size)
    }

    /// Single linkage under the distance at which rows reach each other.
    fn tree(&self, space: &Space, session: &Session) -> Result<Vec<Merger>> {
        let (n, near) = (space.len(), self.near());
        if n < 2 {
            return Err(Error::too_few(Self::NAME, "rows", 2, n));
        }
        if near > n {
            return Err(Error::param(Self::NAME, "min_samples", format!("at most the {n} rows"), near));
        }
        let few = space.rows.n_cols() <= TREE_FEATURES && self.near.algorithm == ClusterSearch::Auto;
        let tree = few || matches!(self.near.algorithm, ClusterSearch::KdTree | ClusterSearch::BallTree);
        if tree
            && self.alpha == 1.0
            && let Some(edges) = reach_tree(space, near, session)?
        {
            return Ok(mergers(edges, n));
        }
        let search = space.search(self.near.algorithm, self.near.leaf_size);
        reaching(space, &search, near, self.alpha, session)
    }
}

/// Mergers of the spanning tree under the distance at which rows reach each other.
pub(crate) fn reaching(
    space: &Space,
    search: &crate::space::Searched<'_>,
    near: usize,
    alpha: f64,
    session: &Session,
) -> Result<Vec<Merger>> {
    let brute = divides_first(space.measure);
    let euclidean = is_euclidean(space.measure);
    let mut cores = Vec::with_capacity(space.len());
    search.each("core distances", Reach::Count(near), session, |first, found| {
        let level = |i: usize| match found.of(i) {
            // Added up as the spanning tree does, so that a core distance and the edge that it comes from are equal to the last bit.
            ([.., row], _) if euclidean => plain_square(space, first + i, *row as usize),
            (_, [.., far]) if brute => far / alpha,
            (_, [.., far]) => *far,
            _ => 0.0,
        };
        cores.extend((0..found.len()).map(level));
    })?;
    Ok(mergers(spanning_tree(space, Some(&cores), alpha, session)?, space.len()))
}

/// As scikit-learn has it: metrics without a tree are divided by alpha before cores are taken.
fn divides_first(measure: Measure) -> bool {
    match measure {
        Measure::Precomputed => true,
        Measure::Pairs(p) => {
            matches!(
                p,
                PairMetric::Sqeuclidean | PairMetric::Cosine | PairMetric::Correlation | PairMetric::Yule
            )
        }
        Measure::Norm(_) => false,
    }
}

fn plain_square(space: &Space, i: usize, j: usize) -> f64 {
    let (a, b) = (space.rows.row(i), space.rows.row(j));
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}
