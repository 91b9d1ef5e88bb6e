//! OPTICS: an order of the rows in which dense clusters are valleys of the reachability, at all densities at once.
//!
//! # Objective
//! The next row of the order is the one of the least reachability, $r(x) = \min_p \max(\kappa_p, d(p, x))$ over the rows p before it that
//! are within `max_eps`, with κ the distance to the `min_samples`-th nearest row.
//!
//! # Algorithm
//! Core distances by a k-d tree or brute force; then one pass over the rows that are left for each row of the order. Clusters are
//! valleys with steep sides (`xi`), or those of DBSCAN at `eps` (`dbscan`).
//!
//! # Complexity
//! Time O(n² d), memory O(n d).
//!
//! # Example
//! ```
//! use mercer_cluster::OPTICS;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 2.0], [2.0, 5.0], [3.0, 6.0], [8.0, 7.0], [8.0, 8.0], [7.0, 3.0]]).unwrap();
//! let model = OPTICS::default().min_samples(mercer_core::CountOrShare::Count(2)).fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels(), [0, 0, 0, 1, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Distances are rounded to fifteen decimals, as in scikit-learn, so that ties are ties; of rows equally near the first comes next.
//!
//! # References
//! - M. Ankerst, M. M. Breunig, H.-P. Kriegel, J. Sander. OPTICS: ordering points to identify the clustering structure. SIGMOD 1999. doi:10.1145/304182.304187

mod model;
mod order;
mod valleys;

pub use model::OpticsModel;

use crate::space::{Assigned, ClusterMetric, ClusterSearch, NearParams, Reach, Space};
use mercer_core::{Choice, CountOrShare, Dataset, Error, Learn, ParamType, Params, Result, Session};
use order::Order;
use serde::{Deserialize, Serialize};

/// How [`OPTICS`] takes clusters from the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum ValleyMethod {
    /// Valleys with steep sides.
    Xi,
    /// The clusters of DBSCAN at `eps`.
    Dbscan,
}

/// An order of the rows in which dense clusters are valleys of the reachability.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "optics",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "| min_samples=4,metric=manhattan,max_eps=3,xi=0.02 | cluster_method=dbscan,eps=1.2,metric=chebyshev",
    session = "n_jobs",
    order = "min_samples max_eps metric p cluster_method eps xi predecessor_correction min_cluster_size algorithm leaf_size",
    door = "metric_params=None memory=None",
    mixins = "OPTICSMixin ByDensityMixin",
    rows = 2000,
    can = "sparse scaled ordered",
    references = "Ankerst, Breunig, Kriegel, Sander. OPTICS: ordering points to identify the clustering structure. SIGMOD 1999."
)]
pub struct OPTICS {
    /// The neighbour, the row itself included, whose distance is the core distance: a number above 1, or a share of the rows.
    #[param(default = CountOrShare::Count(5), range = "(0, inf)")]
    pub min_samples: CountOrShare,
    /// How far rows reach.
    #[param(default = f64::INFINITY, range = "[0, inf]")]
    pub max_eps: f64,
    /// The exponent of the Minkowski metric.
    #[param(default = 2.0, range = "[1, inf]")]
    pub p: f64,
    /// How clusters are taken from the order.
    #[param(default = ValleyMethod::Xi)]
    pub cluster_method: ValleyMethod,
    /// The distance at which clusters are cut by `dbscan`; `max_eps` where it is not given.
    #[param(default = None, range = "[0, inf)")]
    pub eps: Option<f64>,
    /// How steep the sides of a valley are: the share by which the reachability changes from one row to the next.
    #[param(default = 0.05, range = "[0, 1]")]
    pub xi: f64,
    /// Whether a valley ends with rows that were reached from within it.
    #[param(default = true)]
    pub predecessor_correction: bool,
    /// Rows of the smallest cluster by `xi`, a number above 1 or a share; `min_samples` where it is not given.
    #[param(default = None, range = "(0, inf)")]
    pub min_cluster_size: Option<CountOrShare>,
    /// What is near to what, and how it is found.
    #[param(flatten, default(metric = ClusterMetric::Minkowski))]
    pub near: NearParams,
}

impl Learn for OPTICS {
    type Model = OpticsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<OpticsModel> {
        let space = Space::new(Self::NAME, data, self.near.metric, self.p)?;
        let n = space.len();
        if n < 2 {
            return Err(Error::too_few(Self::NAME, "rows", 2, n));
        }
        let near = self.rows("min_samples", self.min_samples, n)?;
        let smallest = match self.min_cluster_size {
            Some(size) => self.rows("min_cluster_size", size, n)?,
            None => near,
        };
        let cores = cores(&space, self.near.algorithm, self.near.leaf_size, (near, self.max_eps), session)?;
        let order = Order::of(&space, &cores, self.max_eps, session)?;
        let (labels, hierarchy) = match self.cluster_method {
            ValleyMethod::Xi => {
                valleys::clusters(&order, self.xi, (near, smallest), self.predecessor_correction)
            }
            ValleyMethod::Dbscan => (order.cut(&cores, self.eps.unwrap_or(self.max_eps)), Vec::new()),
        };
        let assigned = Assigned::new(space, labels, None, f64::INFINITY);
        Ok(OpticsModel::new(assigned, order, cores, (near, self.max_eps), hierarchy))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match self.eps {
            Some(eps) if self.cluster_method == ValleyMethod::Dbscan && eps > self.max_eps => {
                Err(Error::param(Self::NAME, "eps", format!("at most max_eps = {}", self.max_eps), eps))
            }
            _ => Ok(()),
        }
    }
}

impl OPTICS {
    /// A number of rows, of which a share counts at least two.
    fn rows(&self, name: &str, given: CountOrShare, n: usize) -> Result<usize> {
        let count = match given {
            CountOrShare::Share(share) if share <= 1.0 => ((share * n as f64) as usize).max(2),
            CountOrShare::Count(count) if (2..=n).contains(&count) => count,
            _ => {
                let expected = format!("a number from 2 to the {n} rows, or a share of them");
                return Err(Error::param(Self::NAME, name, expected, given.to_value()));
            }
        };
        Ok(count)
    }
}

/// The clusters by `xi` of an order that was found before, with the first and last place of each valley: for the rows in their order,
/// and by row the reachability and the row that it was reached from. Sizes are `min_samples` and `min_cluster_size`.
pub fn optics_valleys(
    rows: Vec<u32>,
    reach: Vec<f64>,
    from: Vec<Option<u32>>,
    xi: f64,
    sizes: (usize, usize),
    predecessor_correction: bool,
) -> Result<(Vec<i32>, Vec<[u32; 2]>)> {
    if !(0.0..1.0).contains(&xi) {
        return Err(Error::param(OPTICS::NAME, "xi", "in [0, 1)", xi));
    }
    let order = Order { rows, reach, from };
    if order.reach.is_empty() || !order.is_whole() || order.reach.iter().any(|r| r.is_nan()) {
        return Err(Error::numeric(
            OPTICS::NAME,
            "each row has one place in the order, a reachability and perhaps a row before it",
        ));
    }
    Ok(valleys::clusters(&order, xi, sizes, predecessor_correction))
}

/// To fifteen decimals.
fn rounded(v: f64) -> f64 {
    let large = v * 1e15;
    if large.is_finite() { large.round_ties_even() / 1e15 } else { v }
}

/// Core distances; infinite beyond `max_eps`.
fn cores(
    space: &Space,
    search: ClusterSearch,
    leaf_size: usize,
    (near, max_eps): (usize, f64),
    session: &Session,
) -> Result<Vec<f64>> {
    let mut cores = Vec::with_capacity(space.len());
    space.search(search, leaf_size).each("core distances", Reach::Count(near), session, |_, found| {
        let core = |i: usize| found.of(i).1.last().copied().unwrap_or(f64::INFINITY);
        cores
            .extend((0..found.len()).map(core).map(|c| if c > max_eps { f64::INFINITY } else { rounded(c) }));
    })?;
    Ok(cores)
}
