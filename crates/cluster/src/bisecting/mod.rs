//! Bisecting k-means: clusters that are parted in two, one after the other.
//!
//! # Objective
//! For every cluster that is parted, $\min_{c_1,c_2} \sum_i w_i \min_j \lVert x_i - c_j\rVert_2^2$ over its rows.
//!
//! # Algorithm
//! All rows are one cluster; the cluster of the most inertia (or of the most rows) is parted by k-means with two centres, until there
//! are `n_clusters`. A row belongs to the cluster that it comes to when it goes from the whole to the nearer of two parts, again and
//! again. Of `n_init` runs for a parting the one of least inertia is kept.
//!
//! # Complexity
//! Time O(n d log k) an iteration where clusters are parted evenly, O(n d k) at worst, and O(d log k) for a new row; memory O(n d).
//!
//! # Example
//! ```
//! use mercer_cluster::BisectingKMeans;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]]).unwrap();
//! let model = BisectingKMeans::default().n_clusters(3).fit(&Dataset::new(&x))?;
//! assert!((model.inertia() - 1.5).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A row that is equally near to both parts, to 1e-12 of the squared distance, goes to the first. What k-means promises holds of each
//! parting: luck is a hash of a row, so that neither the order of the rows nor copies in place of weights matter. A cluster whose rows
//! coincide is not parted as long as there is another; where there are fewer different rows than clusters, the last clusters are empty
//! and repeat centres.
//!
//! # References
//! - M. Steinbach, G. Karypis, V. Kumar. A comparison of document clustering techniques. KDD workshop on text mining 2000.

mod model;

pub use model::BisectingKMeansModel;

use crate::kmeans::{KMeans, KMeansAlgorithm, KMeansInit, KMeansRuns};
use mercer_core::{Choice, Dataset, Error, Learn, Params, Result, Session, Termination};
use model::{Tree, sides};
use serde::{Deserialize, Serialize};

/// Which cluster [`BisectingKMeans`] parts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum BisectingStrategy {
    /// That of the greatest sum of squared distances from its centre.
    BiggestInertia,
    /// That of the most rows, by weight.
    LargestCluster,
}

/// Clusters that are parted in two, one after the other.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bisecting-kmeans bisecting-k-means",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "n_clusters=3 | n_clusters=4,init=k-means++,n_init=2,bisecting_strategy=largest_cluster",
    session = "verbose random_state",
    order = "n_clusters init n_init max_iter tol algorithm bisecting_strategy",
    door = "copy_x=True",
    mixins = "BisectingMixin",
    can = "transform weights sparse random scaled",
    references = "Steinbach, Karypis, Kumar. A comparison of document clustering techniques. KDD workshop on text mining 2000."
)]
pub struct BisectingKMeans {
    /// Number of clusters, one less than which partings are made.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// How the first two centres of a parting are found.
    #[param(default = KMeansInit::Random)]
    pub init: KMeansInit,
    /// Runs of a parting from other first centres, of which the best is kept.
    #[param(default = 1, range = "[1, inf)")]
    pub n_init: usize,
    /// Iteration limit of a run of a parting.
    #[param(default = 300, range = "[1, inf)")]
    pub max_iter: usize,
    /// Sum of squared moves of the two centres, relative to the mean variance of the cluster's features, at which a run ends.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
    /// How the nearer centres are found.
    #[param(default = KMeansAlgorithm::Auto)]
    pub algorithm: KMeansAlgorithm,
    /// Which cluster is parted next.
    #[param(default = BisectingStrategy::BiggestInertia)]
    pub bisecting_strategy: BisectingStrategy,
}

/// A cluster that may be parted.
struct Leaf {
    node: usize,
    rows: Vec<usize>,
    weight: f64,
    inertia: f64,
}

/// Values of all centres together, at most.
const CENTRE_VALUES: usize = 1 << 31;
/// Inertias up to this share of the whole are rounding.
const DUST: f64 = 1e-24;

impl Learn for BisectingKMeans {
    type Model = BisectingKMeansModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BisectingKMeansModel> {
        let most = CENTRE_VALUES / (2 * data.n_features().max(1));
        if self.n_clusters > most {
            let expected = format!("at most {most} for {} features", data.n_features());
            return Err(Error::param(Self::NAME, "n_clusters", expected, self.n_clusters));
        }
        let one = KMeans::default().n_clusters(1).n_init(KMeansRuns::Count(1));
        let whole = one.learn(data, &session.split(0).quiet())?;
        let weight = data.weights().map_or(data.n_rows() as f64, |w| w.iter().sum());
        let mut tree = Tree::new(whole.centres.row(0));
        let rows = (0..data.n_rows()).collect();
        let mut leaves = vec![Leaf { node: 0, rows, weight, inertia: whole.inertia }];
        let dust = DUST * whole.inertia;
        let (mut iterations, mut why) = (0, whole.termination());
        for done in 1..self.n_clusters {
            let total = leaves.iter().map(|leaf| leaf.inertia).sum();
            let stopped =
                session.step("bisections", done as u64, Some(self.n_clusters as u64 - 1), Some(total));
            if let Some(stopped) = stopped {
                why = stopped;
                break;
            }
            let Some(place) = self.next(&leaves, dust) else {
                // No two rows of a cluster differ: what is left to part has no parts.
                let last = leaves.len() - 1;
                let same = tree.centre(leaves[last].node).to_vec();
                let [left, right] = tree.part(leaves[last].node, &same, &same);
                leaves[last].node = left;
                leaves.push(Leaf { node: right, rows: Vec::new(), weight: 0.0, inertia: 0.0 });
                continue;
            };
            let leaf = leaves.remove(place);
            let cluster = data.subset(&leaf.rows)?;
            let found = self.bisect().learn(&cluster, &session.split(done as u64).quiet())?;
            iterations += found.n_iter;
            let ended = found.termination();
            why = if ended == Termination::Converged { why } else { ended };
            let parts = tree.part(leaf.node, found.centres.row(0), found.centres.row(1));
            let parted = parted(&leaf, &cluster, &tree, parts)?;
            leaves.splice(place..place, parted);
            if !matches!(ended, Termination::Converged | Termination::IterationLimit) {
                break;
            }
        }
        BisectingKMeansModel::new(tree, data, iterations, why)
    }
}

impl BisectingKMeans {
    /// What parts a cluster.
    fn bisect(&self) -> KMeans {
        KMeans {
            n_clusters: 2,
            init: self.init,
            n_init: KMeansRuns::Count(self.n_init),
            max_iter: self.max_iter,
            tol: self.tol,
            centres: None,
            algorithm: self.algorithm,
        }
    }

    /// The place of the cluster to part: of equal ones the first.
    fn next(&self, leaves: &[Leaf], dust: f64) -> Option<usize> {
        let score = |leaf: &Leaf| match self.bisecting_strategy {
            BisectingStrategy::BiggestInertia => leaf.inertia,
            BisectingStrategy::LargestCluster => leaf.weight,
        };
        let apart = (0..leaves.len()).filter(|&i| leaves[i].inertia > dust && leaves[i].weight > 0.0);
        apart.reduce(|best, i| if score(&leaves[i]) > score(&leaves[best]) { i } else { best })
    }
}

/// The two parts of a cluster.
fn parted(leaf: &Leaf, cluster: &Dataset<'_>, tree: &Tree, nodes: [usize; 2]) -> Result<[Leaf; 2]> {
    let numbers = cluster.numbers(BisectingKMeans::NAME)?;
    let found = sides(numbers.view(), tree, nodes);
    let weights = cluster.weights();
    let mut parts = nodes.map(|node| Leaf { node, rows: Vec::new(), weight: 0.0, inertia: 0.0 });
    for (i, (side, far)) in found.into_iter().enumerate() {
        let (part, weight) = (&mut parts[side], weights.as_ref().map_or(1.0, |w| w[i]));
        part.rows.push(leaf.rows[i]);
        part.weight += weight;
        part.inertia += weight * far;
    }
    Ok(parts)
}
