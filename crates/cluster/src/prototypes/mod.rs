//! K-prototypes: clusters of rows of numbers and categories about means and modes.
//!
//! # Objective
//! $$ \min_{m,z,c}\ \sum_i w_i \Bigl(\lVert x_i - m_{c(i)}\rVert_2^2 + \gamma\,\#\{j : a_{ij} \ne z_{c(i)j}\}\Bigr) $$
//! over means $m$ of the numbers $x$ and modes $z$ of the categories $a$.
//!
//! # Algorithm
//! Huang's: every row in turn goes to the nearest prototype, and those of both clusters are taken anew at once, until no row moves in a
//! round or a round does not lower the cost. First prototypes are rows: far from each other (`k-means++` under this dissimilarity), of
//! frequent categories and far from each other (`cao`), near to mixtures of values that were drawn column by column (`huang`), at
//! random, or those that are given. A cluster that loses its last row gets the row of the largest one that is farthest from its
//! prototype. Of `n_init` runs, side by side, the one of least cost is kept. A new row goes to the nearest prototype.
//!
//! # Complexity
//! Time O(n k (p + q)) a round for n rows of p numbers and q categories, memory O(n (p + q) + k Σ levels).
//!
//! # Example
//! ```
//! use mercer_cluster::KPrototypes;
//! use mercer_core::{Column, Dataset, Fit, Table};
//! let table = Table::new(vec![
//!     ("mass".into(), Column::numbers(vec![3.7, 3.8, 5.1, 5.0])),
//!     ("island".into(), Column::categories(&[Some("Dream"), Some("Dream"), Some("Biscoe"), Some("Biscoe")])),
//! ])?;
//! let model = KPrototypes::default().n_clusters(2).fit(&Dataset::new(&table))?;
//! assert_eq!(model.labels[0], model.labels[1]);
//! assert!((model.cost - 0.01).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Numbers are taken from their mean, and sums are made anew in every round, so that data far from zero lose no digits. A level that
//! training did not have differs from all. Ties go to the first prototype, and between levels to the first.
//!
//! # References
//! - Z. Huang. Clustering large data sets with mixed numeric and categorical values. PAKDD 1997, 21–34.
//! - Z. Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2,
//!   1998. doi:10.1023/A:1009769707641
//! - F. Cao, J. Liang, L. Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009.
//!   doi:10.1016/j.eswa.2009.01.060

mod mixed;
mod model;
mod modes;
mod run;
mod start;

pub use model::PrototypesModel;
pub use modes::KModes;

use mercer_core::{Choice, Dataset, Error, Learn, ParamGroup, Params, Result, Session};
use mercer_math::ColumnMoments;
use mixed::Roles;
use rayon::prelude::*;
use run::{Found, Prototypes, Work, run};
use serde::{Deserialize, Serialize};

/// How [`KPrototypes`] and [`KModes`] find their first prototypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum PrototypeInit {
    /// Rows drawn in proportion to the dissimilarity from those before.
    #[choice("k-means++")]
    PlusPlus,
    /// Rows of frequent categories, far from each other; nothing is drawn, so that one run is all.
    Cao,
    /// The rows nearest to mixtures of values that are drawn column by column.
    Huang,
    /// Random rows.
    Random,
}

/// How many prototypes there are, and how they are sought.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct PrototypeParams {
    /// Number of prototypes, and so of clusters.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// Number of runs from other first prototypes, of which the best is kept; one where nothing is drawn.
    #[param(default = 10, range = "[1, inf)")]
    pub n_init: usize,
    /// Rounds over all rows of a run, at most.
    #[param(default = 100, range = "[1, inf)")]
    pub max_iter: usize,
    /// The rows that are the first prototypes, in place of `init`.
    #[param(default = None)]
    pub first: Option<Vec<usize>>,
}

/// Clusters of rows of numbers and categories about means and modes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kprototypes",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "n_clusters=3 | n_clusters=3,init=cao | n_clusters=4,init=huang,n_init=2 | n_clusters=2,init=random,gamma=0.5",
    session = "verbose random_state",
    door = "categorical_features='from_dtype'",
    order = "n_clusters gamma init n_init max_iter first",
    mixins = "PrototypesMixin",
    can = "transform weights categorical scaled ordered random",
    references = "Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2, 1998.|Cao, Liang, Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009."
)]
pub struct KPrototypes {
    /// How many prototypes there are, and how they are sought.
    #[param(flatten)]
    pub search: PrototypeParams,
    /// What a differing category costs, in squared units of the numbers; none for half the mean standard deviation of the numbers.
    #[param(default = None, range = "[0, inf)")]
    pub gamma: Option<f64>,
    /// How the first prototypes are found.
    #[param(default = PrototypeInit::PlusPlus)]
    pub init: PrototypeInit,
}

impl Learn for KPrototypes {
    type Model = PrototypesModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PrototypesModel> {
        let roles = Roles::of(data.input().rows(Self::NAME)?, true)?;
        let settings = Settings { who: Self::NAME, search: &self.search, init: self.init, gamma: self.gamma };
        settings.learn(roles, data, session)
    }
}

/// What both learners are told.
struct Settings<'a> {
    who: &'static str,
    search: &'a PrototypeParams,
    init: PrototypeInit,
    gamma: Option<f64>,
}

impl Settings<'_> {
    fn learn(&self, roles: Roles, data: &Dataset<'_>, session: &Session) -> Result<PrototypesModel> {
        if roles.0.is_empty() {
            return Err(Error::too_few(self.who, "features", 1, 0));
        }
        let (mixed, weights, kept) = roles.weighted(self.who, data)?;
        mixed.check_size(self.who)?;
        if kept.len() < self.search.n_clusters {
            return Err(Error::too_few(
                self.who,
                "rows of positive weight",
                self.search.n_clusters,
                kept.len(),
            ));
        }
        let moments = ColumnMoments::of(mixed.numbers.view(), Some(&weights));
        let gamma = self.gamma.unwrap_or_else(|| default_gamma(&moments.variances()));
        let (origin, lots) = (moments.means(), mixed.hashes(session.seed()));
        let mixed = mixed.centred(&origin);
        let (n_codes, first) = (roles.n_codes(), self.given(&kept)?);
        let work = Work { data: &mixed, weights: &weights, n_codes: &n_codes, lots: &lots };
        let found = self.best(work, first.as_deref(), gamma, session);
        let proof = run::judge(work, &found.prototypes);
        PrototypesModel::new((roles, origin), found, proof).labelled(data)
    }

    /// The places among the rows of positive weight of the rows that are given as first prototypes.
    fn given(&self, kept: &[usize]) -> Result<Option<Vec<usize>>> {
        let Some(first) = &self.search.first else { return Ok(None) };
        let expected =
            || format!("{} different rows of positive weight, counted from 0", self.search.n_clusters);
        let refused = || Error::param(self.who, "first", expected(), format!("{first:?}"));
        let places: Option<Vec<usize>> = first.iter().map(|row| kept.binary_search(row).ok()).collect();
        let mut sorted = first.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        match places {
            Some(places) if places.len() == self.search.n_clusters && sorted.len() == places.len() => {
                Ok(Some(places))
            }
            _ => Err(refused()),
        }
    }

    /// The run of least cost, the first of equals.
    fn best(&self, work: Work<'_>, first: Option<&[usize]>, gamma: f64, session: &Session) -> Found {
        let runs = if first.is_some() || self.init == PrototypeInit::Cao { 1 } else { self.search.n_init };
        let one = |r: usize| {
            let own = session.split(r as u64);
            let rows = match first {
                Some(rows) => rows.to_vec(),
                None => start::rows(work, self.init, self.search.n_clusters, gamma, &own),
            };
            run(work, Prototypes::of(work.data, &rows, gamma), self.search.max_iter, &own)
        };
        // Only the best of a batch is kept, so that many runs take no more memory than a few.
        let better = |a: Found, b: Found| if b.cost < a.cost * (1.0 - RUN_SLACK) { b } else { a };
        let mut best = one(0);
        for batch in (1..runs).step_by(RUNS) {
            let some: Vec<Found> = (batch..(batch + RUNS).min(runs)).into_par_iter().map(one).collect();
            best = some.into_iter().fold(best, better);
            if let Some(stopped) = session.interrupted() {
                best.why = stopped;
                break;
            }
        }
        best
    }
}

/// Costs that differ by less than this share are equal: the earlier run is kept.
const RUN_SLACK: f64 = 1e-9;
/// Runs side by side.
const RUNS: usize = 8;

/// Half the mean standard deviation of the numbers, as Huang 1997 suggests; 1 where there are none that vary.
fn default_gamma(variances: &[f64]) -> f64 {
    let spread: f64 = variances.iter().map(|v| v.sqrt()).sum();
    if spread > 0.0 { 0.5 * spread / variances.len() as f64 } else { 1.0 }
}
