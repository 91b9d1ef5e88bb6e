//! Mini-batch k-means: centres that move with small random batches of rows.
//!
//! # Objective
//! $$ \min_{c_1,\dots,c_k}\ \sum_i w_i \min_j \lVert x_i - c_j\rVert_2^2 $$
//!
//! # Algorithm
//! First centres by k-means++ and one iteration of Lloyd on a few rows, of `n_init` such starts the best. Then batches of rows drawn in
//! proportion to their weights: every centre moves to the mean of all rows that were ever nearest to it. Centres with few rows are
//! moved to random rows of the batch now and then. Batches end when a moving average of the inertia has not fallen for
//! `max_no_improvement` of them, or when centres move less than `tol`.
//!
//! # Complexity
//! Time O(b k d) a batch of b rows, memory O(b d + k d) beyond the data.
//!
//! # Example
//! ```
//! use mercer_cluster::MiniBatchKMeans;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
//! let model = MiniBatchKMeans::default().n_clusters(2).fit(&Dataset::new(&x))?;
//! assert!(model.inertia() < 1.1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Centres move by mean differences from where they were. Draws depend on the number of a row, so that the order of the rows
//! matters, and a weight of 2 is two copies only in expectation.
//!
//! # References
//! - D. Sculley. Web-scale k-means clustering. WWW 2010. doi:10.1145/1772690.1772862

mod model;

pub use model::MiniBatchModel;

use crate::kmeans::{KMeans, KMeansInit, KMeansRuns};
use mercer_core::{Dataset, Error, Fit, Learn, NumbersRef, Params, Result, Session, Termination};
use mercer_math::{Mat, Rng, below, by_weight, running_sums, sample_indices};
use model::Going;

/// Centres that move with small random batches of rows.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "minibatch-kmeans mini-batch-kmeans",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "n_clusters=3 | n_clusters=3,init=random,batch_size=20,tol=1e-3,max_no_improvement=none",
    session = "verbose random_state",
    order = "n_clusters init max_iter batch_size compute_labels tol max_no_improvement init_size n_init reassignment_ratio",
    mixins = "MiniBatchMixin",
    can = "transform weights counts_rows ordered sparse random scaled resumes",
    references = "Sculley. Web-scale k-means clustering. WWW 2010."
)]
pub struct MiniBatchKMeans {
    /// Number of clusters, whose centres the batches move.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// How the first centres are found, among `init_size` rows.
    #[param(default = KMeansInit::PlusPlus)]
    pub init: KMeansInit,
    /// Times that all rows are looked at, at most, on average.
    #[param(default = 100, range = "[1, inf)")]
    pub max_iter: usize,
    /// Rows of a batch.
    #[param(default = 1024, range = "[1, inf)")]
    pub batch_size: usize,
    /// Whether the rows learnt from are labelled, and the inertia of all of them computed.
    #[param(default = true)]
    pub compute_labels: bool,
    /// Sum of squared moves of the centres, relative to the mean variance of the features, at which batches end; 0 for never.
    #[param(default = 0.0, range = "[0, inf)")]
    pub tol: f64,
    /// Batches without a fall of the smoothed inertia after which they end; none for never.
    #[param(default = Some(10), range = "[0, inf)")]
    pub max_no_improvement: Option<usize>,
    /// Rows among which first centres are found; three batches where it is not given.
    #[param(default = None, range = "[1, inf)")]
    pub init_size: Option<usize>,
    /// Number of starts from other rows, of which the best is kept: once for k-means++, three times for random rows.
    #[param(default = KMeansRuns::Auto, range = "[1, inf)")]
    pub n_init: KMeansRuns,
    /// Centres with less than this share of the rows of the largest are moved.
    #[param(default = 0.01, range = "[0, inf)")]
    pub reassignment_ratio: f64,
    /// The first centres, one list of coordinates for each, in place of `init`; batches move them on.
    #[param(default = None)]
    pub centres: Option<Vec<Vec<f64>>>,
}

/// Tasks of the session's random streams.
const FIRST: u64 = 1;
const BATCH: u64 = 1 << 32;

impl Learn for MiniBatchKMeans {
    type Model = MiniBatchModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<MiniBatchModel> {
        let (n, numbers, weights) = (data.n_rows(), data.numbers(Self::NAME)?, data.weights());
        let batch = self.batch_size.min(n);
        let mut going = self.begin(data, session)?;
        let sums = weights.as_ref().map(|w| running_sums(w.iter().copied()));
        let limit = (self.max_iter as u64).saturating_mul(n as u64) / batch as u64;
        let tol = self.tol * going.variance;
        let mut calm = Calm::default();
        let mut why = Termination::IterationLimit;
        for step in 0..limit.max(1) {
            let mut rng = session.rng(BATCH + going.n_steps);
            let mut draw = || match &sums {
                Some(sums) => by_weight(&mut rng, sums),
                None => below(&mut rng, n),
            };
            let rows: Vec<usize> = (0..batch).map(|_| draw()).collect();
            let told = self.step(&mut going, &gathered(numbers.view(), &rows), None, &mut rng);
            let mean = told.inertia / batch as f64;
            if let Some(stopped) = session.step("mini-batches", step + 1, Some(limit), Some(mean)) {
                why = stopped;
                break;
            }
            let share = (2.0 * batch as f64 / (n as f64 + 1.0)).min(1.0);
            if step > 0
                && (self.tol > 0.0 && told.shift <= tol || calm.lasts(mean, share, self.max_no_improvement))
            {
                why = Termination::Converged;
                break;
            }
        }
        let n_iter = (going.n_steps * batch as u64).div_ceil(n as u64);
        let mean = calm.smooth.unwrap_or(0.0);
        Ok(MiniBatchModel::new(going, self.compute_labels.then_some(data), (n_iter, mean * n as f64), why))
    }

    fn resume(
        &self,
        model: Option<&MiniBatchModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<MiniBatchModel>> {
        Some(self.go_on(model, data, session))
    }
}

impl MiniBatchKMeans {
    fn go_on(
        &self,
        model: Option<&MiniBatchModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<MiniBatchModel> {
        let mut going = match model {
            Some(model) => model.going().clone(),
            None => self.begin(data, session)?,
        };
        let (numbers, weights) = (data.numbers(Self::NAME)?, data.weights());
        let all: Vec<usize> = (0..data.n_rows()).collect();
        let mut rng = session.rng(BATCH + going.n_steps);
        self.step(&mut going, &gathered(numbers.view(), &all), weights.as_deref(), &mut rng);
        let n_iter = going.n_steps;
        Ok(MiniBatchModel::new(going, Some(data), (n_iter, 0.0), Termination::Complete))
    }

    /// First centres, found on a few rows.
    fn begin(&self, data: &Dataset<'_>, session: &Session) -> Result<Going> {
        let (n, k) = (data.n_rows(), self.n_clusters);
        let asked = self.init_size.unwrap_or(3 * self.batch_size.min(n));
        let size = if asked < k { k.saturating_mul(3) } else { asked }.min(n);
        let mut rows = sample_indices(&mut session.rng(FIRST), n, size);
        rows.sort_unstable();
        let few = self.checked(&data.subset(&rows)?)?;
        let positive = few.weights().is_none_or(|w| w.iter().any(|w| *w > 0.0));
        let runs = match (self.n_init, self.init) {
            (KMeansRuns::Auto, KMeansInit::Random) => KMeansRuns::Count(3),
            (runs, _) => runs,
        };
        let start = KMeans {
            n_clusters: k,
            init: self.init,
            n_init: runs,
            max_iter: 1,
            tol: 0.0,
            centres: self.centres.clone(),
            ..KMeans::default()
        };
        let whole = if positive { &few } else { data };
        let first = start.learn(whole, &session.quiet())?;
        let variance = model::mean_variance(data)?;
        let (centres, origin) = first.into_parts();
        let centres = match start.first_centres(data.n_features())? {
            Some(given) => given,
            None => centres,
        };
        if centres.n_rows() != k {
            return Err(Error::too_few(Self::NAME, "rows", k, n));
        }
        Ok(Going { counts: vec![0.0; k], centres, origin, since: 0, n_steps: 0, variance })
    }

    /// Moves the centres by one batch.
    fn step(&self, going: &mut Going, batch: &Mat, weights: Option<&[f64]>, rng: &mut Rng) -> Told {
        let before = going.centres.clone();
        let inertia = going.learn(batch, weights);
        going.since += batch.n_rows();
        if going.counts.contains(&0.0) || going.since >= 10 * self.n_clusters {
            going.since = 0;
            going.reassign(batch, self.reassignment_ratio, rng);
        }
        going.n_steps += 1;
        Told { inertia, shift: mercer_math::sq_dist(before.as_slice(), going.centres.as_slice()) }
    }
}

/// What a batch says of the centres.
struct Told {
    inertia: f64,
    shift: f64,
}

/// A moving average of the inertia of batches, and how long it has not fallen.
#[derive(Debug, Default)]
struct Calm {
    smooth: Option<f64>,
    least: Option<f64>,
    idle: usize,
}

impl Calm {
    /// Whether the average has not fallen for so long.
    fn lasts(&mut self, mean: f64, share: f64, limit: Option<usize>) -> bool {
        let smooth = self.smooth.map_or(mean, |s| s * (1.0 - share) + mean * share);
        self.smooth = Some(smooth);
        if self.least.is_none_or(|l| smooth < l) {
            (self.least, self.idle) = (Some(smooth), 0);
        } else {
            self.idle += 1;
        }
        limit.is_some_and(|limit| self.idle >= limit)
    }
}

/// Rows of any kind, side by side.
fn gathered(x: NumbersRef<'_>, rows: &[usize]) -> Mat {
    match x {
        NumbersRef::Dense(x) => x.gather(rows),
        NumbersRef::Sparse(x) => x.gather(rows).view().to_dense(),
    }
}
