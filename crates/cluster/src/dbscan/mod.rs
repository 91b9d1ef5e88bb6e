//! DBSCAN: clusters of rows that are dense and connected, and noise.
//!
//! # Objective
//! A row is a core where the weights of the rows within `eps` of it, its own included, sum to at least `min_samples`.
//! Clusters are the connected components of the cores under "within `eps`"; a row within `eps` of a core belongs to that
//! core's cluster (of several, to the first); all others are noise.
//!
//! # Algorithm
//! Neighbourhoods by a k-d tree or brute force, in parallel; cores are joined by union-find. Clusters are numbered by their
//! first core. A new row belongs to the cluster of the nearest core within `eps`, else it is noise.
//!
//! # Complexity
//! Time O(n log n) searches and O(m α(n)) for m pairs within `eps`. Pairs are kept up to 2²⁷ of them and found again beyond,
//! so that memory is O(n d) and at most 512 MB.
//!
//! # Example
//! ```
//! use mercer_cluster::DBSCAN;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [99.0]]).unwrap();
//! let model = DBSCAN::default().min_samples(3).fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels(), [0, 0, 0, 1, 1, 1, -1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A row at a distance of exactly `eps` is a neighbour. A row of weight 0 is never a core, so that it is as good as absent.
//!
//! # References
//! - M. Ester, H.-P. Kriegel, J. Sander, X. Xu. A density-based algorithm for discovering clusters. KDD 1996. doi:10.5555/3001460.3001507
//! - E. Schubert et al. DBSCAN revisited, revisited. ACM TODS 42(3), 2017. doi:10.1145/3068335

mod model;

pub use model::DbscanModel;

use crate::space::{Assigned, ClusterMetric, ClusterSearch, Groups, NearParams, Reach, Searched, Space};
use mercer_core::{Dataset, Learn, Params, Result, Session};
use mercer_math::Neighbourhoods;

/// Clusters of rows that are dense and connected, and noise.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "dbscan",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "eps=1.5 | eps=2,metric=manhattan,algorithm=brute | eps=0.1,min_samples=2,metric=cosine",
    session = "n_jobs",
    order = "eps min_samples metric algorithm leaf_size p",
    door = "metric_params=None",
    mixins = "ByDensityMixin",
    can = "weights sparse scaled ordered",
    references = "Ester, Kriegel, Sander, Xu. A density-based algorithm for discovering clusters. KDD 1996."
)]
pub struct DBSCAN {
    /// The distance up to which rows are neighbours.
    #[param(default = 0.5, range = "(0, inf)")]
    pub eps: f64,
    /// The weight of the neighbours, the row included, that makes a row a core.
    #[param(default = 5, range = "[1, inf)", search = "int 2..20")]
    pub min_samples: usize,
    /// What is near to what, and how it is found.
    #[param(flatten)]
    pub near: NearParams,
    /// The exponent of the Minkowski metric; 2 where it is not given.
    #[param(default = None, range = "(0, inf]")]
    pub p: Option<f64>,
}

/// Neighbours that are kept between the two looks at them.
const KEPT: usize = 1 << 27;

impl Learn for DBSCAN {
    type Model = DbscanModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<DbscanModel> {
        let space = Space::new(Self::NAME, data, self.near.metric, self.p.unwrap_or(2.0))?;
        let searched = space.search(self.near.algorithm, self.near.leaf_size);
        let weights = data.weights();
        let found = found(&searched, space.len(), self, weights.as_deref(), session)?;
        let deciding: Vec<u32> = (0..space.len() as u32).filter(|&i| found.cores[i as usize]).collect();
        drop(searched);
        let assigned = Assigned::new(space, found.labels, Some(deciding), self.eps);
        Ok(DbscanModel::new(assigned, self.min_samples))
    }
}

/// What DBSCAN finds.
pub(crate) struct Found {
    pub(crate) cores: Vec<bool>,
    pub(crate) labels: Vec<i32>,
}

fn found(
    searched: &Searched<'_>,
    n: usize,
    params: &DBSCAN,
    weights: Option<&[f64]>,
    session: &Session,
) -> Result<Found> {
    let reach = Reach::Radius(params.eps);
    let (mut cores, mut kept, mut total) = (vec![false; n], Vec::new(), 0);
    searched.each("neighbourhoods", reach, session, |first, mut near| {
        for i in 0..near.len() {
            cores[first + i] = is_core(first + i, near.of(i).0, params.min_samples, weights);
        }
        total += near.indices.len();
        if total <= KEPT {
            near.distances = Vec::new();
            kept.push((first, near));
        } else {
            kept = Vec::new();
        }
    })?;
    let (mut groups, mut border) = (Groups::new(n), Vec::new());
    let mut join = |first: usize, near: &Neighbourhoods| {
        for i in 0..near.len() {
            let (row, others) = ((first + i) as u32, &near.indices[near.starts[i]..near.starts[i + 1]]);
            let others = others.iter().copied().filter(|&j| cores[j as usize]);
            if cores[row as usize] {
                others.filter(|&j| j < row).for_each(|j| groups.join(row, j));
            } else {
                border.extend(others.map(|j| (row, j)));
            }
        }
    };
    if total <= KEPT {
        kept.iter().for_each(|(first, near)| join(*first, near));
    } else {
        searched.each("clusters", reach, session, |first, near| join(first, &near))?;
    }
    let labels = number(&cores, &mut groups, &border);
    Ok(Found { cores, labels })
}

/// Whether a row with these neighbours, itself among them, is a core.
pub(crate) fn is_core(row: usize, near: &[u32], min_samples: usize, weights: Option<&[f64]>) -> bool {
    match weights {
        None => near.len() >= min_samples,
        Some(w) => w[row] > 0.0 && near.iter().map(|&j| w[j as usize]).sum::<f64>() >= min_samples as f64,
    }
}

/// Clusters numbered by their first core; a row at the border of several belongs to the first.
fn number(cores: &[bool], groups: &mut Groups, border: &[(u32, u32)]) -> Vec<i32> {
    let n = cores.len();
    let (mut numbers, mut labels, mut next) = (vec![-1i32; n], vec![-1i32; n], 0);
    for i in (0..n).filter(|&i| cores[i]) {
        let root = groups.find(i as u32) as usize;
        if numbers[root] < 0 {
            numbers[root] = next;
            next += 1;
        }
        labels[i] = numbers[root];
    }
    for &(row, core) in border {
        let (own, near) = (labels[row as usize], labels[core as usize]);
        labels[row as usize] = if own < 0 { near } else { own.min(near) };
    }
    labels
}
