//! Agglomerative clustering: rows that are merged one pair of clusters after the other, the nearest first.
//!
//! # Objective
//! The mergers of the greedy hierarchy under a linkage: the least (`single`), greatest (`complete`) or mean (`average`) distance of
//! two rows of two clusters, or the growth of the squares within (`ward`), $\sqrt{2|A||B|/(|A|+|B|)}\,\lVert\bar a-\bar b\rVert$.
//!
//! # Algorithm
//! `single`: a spanning tree by Prim's algorithm. The others: nearest-neighbour chains; `ward` from the means of the clusters, which stand
//! side by side, without any matrix; `complete` and `average` by the update of Lance and Williams on the distances of all pairs.
//! With `connectivity`, clusters merge only where rows of them are connected: a heap has the heights of connected pairs, and parts
//! that nothing connects are connected by their nearest rows. A new row has the cluster of the nearest row learnt from.
//!
//! # Complexity
//! Time O(n² d). Memory O(n d) for `single` and `ward`, 4n² bytes for the others. With m connections about O(m (d + log m)), as long as
//! clusters have few neighbours.
//!
//! # Example
//! ```
//! use mercer_cluster::AgglomerativeClustering;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
//! let model = AgglomerativeClustering::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels()[0], model.labels()[1]);
//! assert_eq!(model.heights()[2], 2f64.sqrt() * 10.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! All linkages here are reducible, so that chains find the greedy hierarchy, up to ties. Mergers of equal height are in the
//! order in which they were found. Connected clusters may merge lower than the merger before, which connected them. Of two clusters that
//! only one part of a third is connected with, the distance is that part's: `complete` and `average` are over connected pairs.
//!
//! # References
//! - J. H. Ward. Hierarchical grouping to optimize an objective function. JASA 58, 1963. doi:10.1080/01621459.1963.10500845
//! - G. N. Lance, W. T. Williams. A general theory of classificatory sorting strategies. Comput. J. 9(4), 1967. doi:10.1093/comjnl/9.4.373
//! - F. Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983. doi:10.1093/comjnl/26.4.354
//! - D. Müllner. Modern hierarchical, agglomerative clustering algorithms. 2011. arXiv:1109.2378

mod chain;
mod linked;
mod model;
mod ward;

pub use model::AgglomerativeModel;
pub(crate) use model::Grown;

use crate::space::{Assigned, ClusterMetric, Measure, Merger, Space, mergers, spanning_tree};
use linked::Links;
use mercer_core::{Choice, Dataset, Error, Learn, ParamType, Params, Result, Session};
use serde::{Deserialize, Serialize};

/// How far apart two clusters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Linkage {
    /// By the growth of the squares within clusters; Euclidean alone.
    Ward,
    /// By their farthest rows.
    Complete,
    /// By the mean distance of their rows.
    Average,
    /// By their nearest rows.
    Single,
}

/// Rows that are merged one pair of clusters after the other, the nearest first.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "agglomerative hierarchical",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "| n_clusters=3,linkage=average,metric=manhattan | n_clusters=none,distance_threshold=2,linkage=complete | linkage=single,n_clusters=4",
    door = "memory=None compute_full_tree='auto' compute_distances=False",
    order = "n_clusters metric connectivity linkage distance_threshold",
    mixins = "AgglomerativeMixin",
    rows = 2000,
    can = "scaled ordered",
    references = "Ward. Hierarchical grouping to optimize an objective function. JASA 58, 1963.|Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983.|Müllner. Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011."
)]
pub struct AgglomerativeClustering {
    /// Number of clusters; none where `distance_threshold` decides.
    #[param(default = Some(2), range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: Option<usize>,
    /// The distance that mergers begin with; Ward's linkage takes the Euclidean one alone.
    #[param(default = ClusterMetric::Euclidean)]
    pub metric: ClusterMetric,
    /// How far apart two clusters are.
    #[param(default = Linkage::Ward)]
    pub linkage: Linkage,
    /// Mergers of at least this height are not made, in place of `n_clusters`.
    #[param(default = None, range = "[0, inf)")]
    pub distance_threshold: Option<f64>,
    /// Pairs of rows that are connected: clusters merge only along them. All may merge where they are not given.
    #[param(default = None)]
    pub connectivity: Option<Vec<Vec<f64>>>,
}

impl Learn for AgglomerativeClustering {
    type Model = AgglomerativeModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgglomerativeModel> {
        let space = Space::new(Self::NAME, data, self.metric, 2.0)?;
        let (grown, labels) = self.grow(&space, session)?;
        Ok(AgglomerativeModel::new(Assigned::new(space, labels, None, f64::INFINITY), grown))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.n_clusters.is_some() == self.distance_threshold.is_some() {
            let expected = "given where `distance_threshold` is none, and none where it is given";
            return Err(Error::param(Self::NAME, "n_clusters", expected, self.n_clusters.to_value()));
        }
        let euclidean = matches!(self.metric, ClusterMetric::Euclidean | ClusterMetric::L2);
        if self.linkage == Linkage::Ward && !euclidean {
            return Err(Error::param(
                Self::NAME,
                "metric",
                "euclidean for ward linkage",
                self.metric.to_value(),
            ));
        }
        Ok(())
    }
}

impl AgglomerativeClustering {
    /// The tree of the rows of a space, and the clusters of the cut.
    pub(crate) fn grow(&self, space: &Space, session: &Session) -> Result<(Grown, Vec<i32>)> {
        let n = space.len();
        if n < 2 {
            return Err(Error::too_few(Self::NAME, "rows", 2, n));
        }
        let links = match &self.connectivity {
            Some(given) => Some(Links::new(Self::NAME, given, space)?),
            None => None,
        };
        let tree = match &links {
            Some(links) => linked::tree(space, links, self.linkage, session)?,
            None => self.tree(space, session)?,
        };
        let labels = cut(&tree, n, self.count(&tree, n)?);
        Ok((Grown::new(tree, self.linkage, links), labels))
    }

    fn tree(&self, space: &Space, session: &Session) -> Result<Vec<Merger>> {
        let n = space.len();
        if self.linkage == Linkage::Single {
            return Ok(mergers(spanning_tree(space, None, 1.0, session)?, n));
        }
        let edges = match self.linkage {
            Linkage::Ward => ward::chain(space, session)?,
            _ => chain::chain(Self::NAME, space, self.linkage, session)?,
        };
        let mut tree = mergers(edges, n);
        tree.iter_mut().for_each(|m| (m.left, m.right) = (m.left.min(m.right), m.left.max(m.right)));
        Ok(tree)
    }

    fn count(&self, tree: &[Merger], n: usize) -> Result<usize> {
        match (self.n_clusters, self.distance_threshold) {
            (Some(k), _) if k > n => {
                Err(Error::param(Self::NAME, "n_clusters", format!("at most the {n} rows"), k))
            }
            (Some(k), _) => Ok(k),
            (None, threshold) => {
                let threshold = threshold.unwrap_or(f64::INFINITY);
                Ok(tree.iter().filter(|m| m.height >= threshold).count() + 1)
            }
        }
    }
}

/// The clusters that are left when the last k − 1 mergers are undone, numbered as scikit-learn numbers them: by the places of a
/// heap from which the last merger is taken apart first.
pub(crate) fn cut(tree: &[Merger], n: usize, k: usize) -> Vec<i32> {
    let mut heap = vec![2 * n - 2];
    for _ in 1..k {
        let m = tree[heap[0] - n];
        push(&mut heap, m.left as usize);
        // The top makes room for the other part, unless that is a later merger than all others.
        let right = m.right as usize;
        if heap[0] > right {
            heap[0] = right;
            sink(&mut heap);
        }
    }
    let mut labels = vec![-1; n];
    for (label, &top) in heap.iter().enumerate() {
        each_row(tree, top, |row| labels[row] = label as i32);
    }
    labels
}

fn push(heap: &mut Vec<usize>, node: usize) {
    heap.push(node);
    let mut at = heap.len() - 1;
    while at > 0 && heap[(at - 1) / 2] < heap[at] {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Sinks the top to a leaf by the larger children and lets it rise again, as Python's heaps do: the places of the others depend on it.
fn sink(heap: &mut [usize]) {
    let (top, mut at) = (heap[0], 0);
    while 2 * at + 1 < heap.len() {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        let child = if right < heap.len() && heap[right] >= heap[left] { right } else { left };
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = top;
    while at > 0 && heap[(at - 1) / 2] < heap[at] {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Calls `f` for every row below a node.
pub(crate) fn each_row(tree: &[Merger], top: usize, mut f: impl FnMut(usize)) {
    let (n, mut stack) = (tree.len() + 1, vec![top]);
    while let Some(node) = stack.pop() {
        match node.checked_sub(n) {
            None => f(node),
            Some(m) => stack.extend([tree[m].left as usize, tree[m].right as usize]),
        }
    }
}

/// Whether the distance is the Euclidean one.
pub(crate) fn is_euclidean(measure: Measure) -> bool {
    measure == Measure::Norm(2.0)
}
