//! K-means: centres that are the means of the rows nearest to them.
//!
//! # Objective
//! $$ \min_{c_1,\dots,c_k}\ \sum_i w_i \min_j \lVert x_i - c_j\rVert_2^2 $$
//!
//! # Algorithm
//! Seeds by greedy k-means++ (or random rows), then Lloyd's iteration, all of it in rounds of sums over blocks of
//! rows: in memory, streamed and over partitions alike. Labels come from a blocked kernel for ‖c‖² − 2x·c, settled
//! by direct differences wherever rounding could matter. In memory, bounds from the triangle inequality (Hamerly)
//! skip rows whose label cannot have changed; labels, sums and centres are those of the plain iteration. An empty
//! cluster moves to the row farthest from its centre. Of `n_init` runs the one of least inertia is kept.
//!
//! # Complexity
//! Time O(n k d) an iteration at most, O(n d) where bounds skip all rows, O(n k d log k) for the seeds; memory
//! O(k d) beyond the data, and 28 bytes a row in memory.
//!
//! # Example
//! ```
//! use mercer_cluster::KMeans;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
//! let model = KMeans::default().n_clusters(2).fit(&Dataset::new(&x))?;
//! assert!((model.inertia - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Centres move by mean differences from where they were, so that data far from zero lose no digits. Luck is a hash
//! of a row's content, the same in any order; draws look at different rows, however often they occur, so weight 2
//! is two copies to rounding. Choices between potentials, runs and distances keep the first unless another is
//! better by a relative slack (1e-9, 1e-9, 1e-12): ties do not turn on the last bits of reordered sums. More
//! clusters than different rows leave centres that coincide. Iteration stops when the squared moves sum to at most
//! `tol` times the mean variance, or to rounding.
//!
//! # References
//! - S. P. Lloyd. Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982. doi:10.1109/TIT.1982.1056489
//! - D. Arthur, S. Vassilvitskii. k-means++: the advantages of careful seeding. SODA 2007. doi:10.5555/1283383.1283494
//! - G. Hamerly. Making k-means even faster. SDM 2010. doi:10.1137/1.9781611972801.12
//! - D. Aloise et al. NP-hardness of Euclidean sum-of-squares clustering. Mach. Learn. 75, 2009.
//!   doi:10.1007/s10994-009-5103-0

mod from;
mod lloyd;
mod model;
mod plus_plus;
mod race;
mod seed;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use self::lloyd::Labeller;
pub use self::model::KMeansModel;
pub(crate) use self::model::{by_blocks, different, distances, rows_at_once};
pub use self::plus_plus::kmeans_plusplus;
pub use self::state::{KMeansLocal, KMeansState, KMeansSums};

use self::from::From;
use self::lloyd::{half_gaps, iterate, step};
use self::model::Found;
use self::race::{Race, push, rows_of};
use self::seed::{choose, draw, grow, n_candidates};
pub(crate) use self::state::Phase;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{Choice, Dataset, Error, Input, Learn, Numbers, Params, Result, Session, Termination};
use mercer_math::{BLOCK_ROWS, ColumnMoments, Mat, MatRef, Weights};
use serde::{Deserialize, Serialize};

/// How [`KMeans`] finds its first centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum KMeansInit {
    /// Rows far from the centres before them, by greedy k-means++.
    #[choice("k-means++")]
    PlusPlus,
    /// Random rows.
    Random,
}

/// How often [`KMeans`] starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum KMeansRuns {
    /// Once for k-means++, ten times for random rows.
    Auto,
    /// This often.
    Count(usize),
}

/// How [`KMeans`] finds the nearest centres; the result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum KMeansAlgorithm {
    /// Whichever is fastest: bounds.
    Auto,
    /// Every row against every centre.
    Lloyd,
    /// Bounds from the triangle inequality; the same bounds as `hamerly`.
    Elkan,
    /// Bounds from the triangle inequality, one below and one above for each row.
    Hamerly,
}

/// K-means clustering: centres that are the means of the rows nearest to them.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kmeans",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "| init=random | n_clusters=3,init=random | n_clusters=3,n_init=3",
    session = "verbose random_state",
    door = "copy_x=True",
    mixins = "KMeansMixin",
    can = "transform weights sparse by_sums random scaled",
    references = "Lloyd. Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982.|Arthur, Vassilvitskii. k-means++: the advantages of careful seeding. SODA 2007.|Hamerly. Making k-means even faster. SDM 2010."
)]
pub struct KMeans {
    /// Number of clusters.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// How the first centres are found.
    #[param(default = KMeansInit::PlusPlus)]
    pub init: KMeansInit,
    /// Number of runs from other first centres, of which the best is kept.
    #[param(default = KMeansRuns::Auto, range = "[1, inf)")]
    pub n_init: KMeansRuns,
    /// Iteration limit of a run.
    #[param(default = 300, range = "[1, inf)")]
    pub max_iter: usize,
    /// Sum of squared moves of the centres, relative to the mean variance of the features, at which a run ends.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
    /// The first centres, one list of coordinates for each, in place of `init`.
    #[param(default = None)]
    pub centres: Option<Vec<Vec<f64>>>,
    /// How the nearest centres are found.
    #[param(default = KMeansAlgorithm::Auto)]
    pub algorithm: KMeansAlgorithm,
}

impl Learn for KMeans {
    type Model = KMeansModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KMeansModel> {
        match self.first_centres(data.n_features())? {
            Some(centres) => self.learn_with(&From { params: self, centres: &centres }, data, session),
            None => self.learn_with(self, data, session),
        }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<KMeansModel>> {
        Some(self.stream(batches, session))
    }
}

impl KMeans {
    /// Learns in memory, and labels the rows.
    fn learn_with<L>(&self, rounds: &L, data: &Dataset<'_>, session: &Session) -> Result<KMeansModel>
    where
        L: BySums<Model = KMeansModel>,
    {
        let numbers = data.numbers(Self::NAME)?;
        // Columns are turned into rows once, not at every round.
        let turned = match &numbers {
            Numbers::Dense(m) if packed(m.view()).is_none() => {
                Some(data.with_input(Input::from(m.view().to_mat()))?)
            }
            _ => None,
        };
        let mut model = sums::fit(Self::NAME, rounds, turned.as_ref().unwrap_or(data), session)?;
        model.labels = model.nearest(numbers.view());
        Ok(model)
    }

    fn n_runs(&self) -> u64 {
        match (self.n_init, self.init) {
            (KMeansRuns::Count(n), _) => n as u64,
            (KMeansRuns::Auto, KMeansInit::PlusPlus) => 1,
            (KMeansRuns::Auto, KMeansInit::Random) => 10,
        }
    }
}

/// The values of a matrix, where they lie row by row without holes.
fn packed(x: MatRef<'_>) -> Option<&[f64]> {
    let whole = x.has_contiguous_rows() && (x.row_stride() == x.n_cols() || x.n_rows() <= 1);
    if whole { x.data().get(..x.n_rows() * x.n_cols()) } else { None }
}

/// Rows of a block, packed.
pub(crate) struct Data<'a> {
    pub(crate) x: &'a [f64],
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) weights: Weights<'a>,
}

impl<'a> Data<'a> {
    pub(crate) fn row(&self, i: usize) -> &'a [f64] {
        &self.x[i * self.d..(i + 1) * self.d]
    }

    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }
}

/// Rows that an iteration may give to empty clusters.
const RELOCATIONS: usize = 8;
/// Values of a block of wide rows: such blocks have fewer rows.
const BLOCK_VALUES: usize = 1 << 20;
/// Values of all centres together, at most.
const CENTRE_VALUES: usize = 1 << 31;

impl BySums for KMeans {
    type State = KMeansState;
    type Summary = KMeansSums;
    type Local = KMeansLocal;
    type Model = KMeansModel;

    fn block_rows(&self, shape: &Shape) -> usize {
        (BLOCK_VALUES / shape.n_features.max(1)).clamp(16, BLOCK_ROWS)
    }

    fn begin(&self, shape: &Shape, session: &Session) -> Result<KMeansState> {
        let d = shape.n_features;
        if d == 0 {
            return Err(Error::too_few(Self::NAME, "features", 1, 0));
        }
        if self.n_clusters > CENTRE_VALUES / d {
            let expected = format!("at most {} for {d} features", CENTRE_VALUES / d);
            return Err(Error::param(Self::NAME, "n_clusters", expected, self.n_clusters));
        }
        Ok(KMeansState {
            phase: Phase::Scan,
            algorithm: self.algorithm,
            n_features: d,
            seed: session.seed(),
            run: 0,
            trials: n_candidates(self.n_clusters),
            origin: Vec::new(),
            tol: 0.0,
            dust: 0.0,
            centres: Mat::zeros(0, d),
            candidates: Mat::zeros(0, d),
            half_gaps: Vec::new(),
            drift: 0.0,
            iterations: 0,
            converged: false,
            seen: None,
            best: None,
        })
    }

    fn empty(&self, state: &KMeansState) -> KMeansSums {
        let (k, m, d) = (self.n_clusters, state.centres.n_rows(), state.n_features);
        let mut sums = KMeansSums {
            moments: ColumnMoments::empty(if state.phase == Phase::Scan { d } else { 0 }),
            races: Vec::new(),
            potentials: Vec::new(),
            weights: Vec::new(),
            moves: Mat::zeros(0, d),
            inertia: 0.0,
        };
        match state.phase {
            Phase::Scan => {}
            Phase::Draw => sums.races = vec![Race::new(if self.init == KMeansInit::Random { k } else { 1 })],
            Phase::Grow => {
                let n = state.candidates.n_rows().max(1);
                sums.potentials = vec![0.0; n];
                // The last centre needs no candidates after it.
                let last = state.candidates.n_rows() > 0 && m + 1 >= k;
                sums.races = if last || m >= k { Vec::new() } else { vec![Race::new(state.trials); n] };
            }
            Phase::Iterate | Phase::Judge => {
                sums.weights = vec![0.0; m];
                sums.moves = Mat::zeros(m, d);
                sums.races = vec![Race::new(RELOCATIONS.min(m))];
            }
        }
        sums
    }

    fn absorb(
        &self,
        state: &KMeansState,
        block: &Block<'_>,
        local: &mut KMeansLocal,
        sums: &mut KMeansSums,
    ) -> Result<()> {
        let (mut scratch, copy);
        scratch = Mat::default();
        let dense = block.dense(&mut scratch);
        let x = match packed(dense) {
            Some(x) => x,
            None => {
                copy = dense.to_mat();
                copy.as_slice()
            }
        };
        let data = Data { x, n: dense.n_rows(), d: dense.n_cols(), weights: block.weights };
        match state.phase {
            Phase::Scan => sums.moments = ColumnMoments::of_block(dense, block.weights.given()),
            Phase::Draw => draw(state, &data, local, sums),
            Phase::Grow => grow(state, &data, local, sums),
            Phase::Iterate | Phase::Judge => iterate(state, &data, local, sums),
        }
        Ok(())
    }

    fn merge(&self, into: &mut KMeansSums, other: KMeansSums) {
        into.moments = std::mem::take(&mut into.moments).merge(other.moments);
        into.races.iter_mut().zip(other.races).for_each(|(a, b)| a.merge(b));
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut into.potentials, &other.potentials);
        add(&mut into.weights, &other.weights);
        add(into.moves.as_mut_slice(), other.moves.as_slice());
        into.inertia += other.inertia;
    }

    fn advance(
        &self,
        mut state: KMeansState,
        sums: KMeansSums,
        session: &Session,
    ) -> Result<Round<KMeansState, KMeansModel>> {
        match state.phase {
            Phase::Scan => self.scanned(&mut state, &sums)?,
            Phase::Draw => self.drawn(&mut state, &sums),
            Phase::Grow => self.grown(&mut state, &sums),
            Phase::Iterate => self.iterated(&mut state, sums, session),
            Phase::Judge => return self.judged(state, sums),
        }
        Ok(Round::Go(state))
    }

    fn abandon(&self, state: KMeansState, why: Termination) -> Option<KMeansModel> {
        let found = match (state.best, state.seen) {
            (Some(best), Some(seen)) => Some(best.or_better(seen)),
            (best, seen) => best.or(seen),
        };
        Some(found?.model(state.origin, why))
    }
}

impl KMeans {
    fn scanned(&self, state: &mut KMeansState, sums: &KMeansSums) -> Result<()> {
        let total: f64 = sums.moments.variances().iter().sum();
        if sums.moments.columns.iter().all(|c| c.weight <= 0.0) {
            return Err(Error::too_few(Self::NAME, "rows of positive weight", 1, 0));
        }
        state.origin = sums.moments.means();
        let size: f64 = state.origin.iter().map(|v| v * v).sum();
        if !(total + size).is_finite() {
            return Err(Error::numeric(Self::NAME, "values too large for squared distances: scale them"));
        }
        // The floors are what rounding of the moves and of the distances may leave.
        state.tol = (self.tol * total / state.n_features as f64).max(1e-25 * total);
        state.dust = 1e-24 * total;
        state.phase = Phase::Draw;
        Ok(())
    }

    fn drawn(&self, state: &mut KMeansState, sums: &KMeansSums) {
        state.centres = rows_of(&sums.races[0], state.n_features);
        state.candidates = Mat::zeros(0, state.n_features);
        state.phase = Phase::Grow;
        if self.init == KMeansInit::Random {
            self.seeded(state, None);
        }
    }

    fn grown(&self, state: &mut KMeansState, sums: &KMeansSums) {
        let chosen = choose(&sums.potentials);
        if state.candidates.n_rows() > 0 {
            push(&mut state.centres, state.candidates.row(chosen));
        }
        state.candidates = sums.races.get(chosen).map_or_else(Mat::default, |r| rows_of(r, state.n_features));
        if state.centres.n_rows() >= self.n_clusters || state.candidates.n_rows() == 0 {
            self.seeded(state, Some(sums.potentials[chosen]));
        }
    }

    /// Ends seeding. Where there are fewer different rows than clusters, centres are repeated.
    fn seeded(&self, state: &mut KMeansState, inertia: Option<f64>) {
        let different = state.centres.n_rows().max(1);
        for c in state.centres.n_rows()..self.n_clusters {
            let copy = state.centres.row(c % different).to_vec();
            push(&mut state.centres, &copy);
        }
        state.candidates = Mat::zeros(0, state.n_features);
        let centres = || state.centres.clone();
        state.seen = inertia.map(|inertia| Found {
            centres: centres(),
            inertia,
            residual: None,
            iterations: 0,
            converged: false,
        });
        self.start(state);
    }

    pub(crate) fn start(&self, state: &mut KMeansState) {
        state.half_gaps = half_gaps(&state.centres);
        (state.drift, state.iterations, state.converged) = (0.0, 0, false);
        state.phase = Phase::Iterate;
    }

    fn iterated(&self, state: &mut KMeansState, sums: KMeansSums, session: &Session) {
        let inertia = sums.inertia;
        let step = step(state, sums);
        state.iterations += 1;
        let limit = self.max_iter as u64;
        session.step("k-means", state.iterations, Some(limit), Some(inertia));
        let centres = std::mem::replace(&mut state.centres, step.centres);
        let residual = Some(step.residual);
        state.seen =
            Some(Found { centres, inertia, residual, iterations: state.iterations, converged: false });
        state.drift += step.largest * (1.0 + 1e-12);
        state.half_gaps = half_gaps(&state.centres);
        state.converged = step.shift <= state.tol && !step.relocated;
        if state.converged || state.iterations >= limit {
            state.phase = Phase::Judge;
        }
    }

    /// Keeps the better of this run and the best before it; goes on to the next run, or ends.
    fn judged(&self, mut state: KMeansState, sums: KMeansSums) -> Result<Round<KMeansState, KMeansModel>> {
        let (inertia, iterations, converged) = (sums.inertia, state.iterations, state.converged);
        let residual = Some(step(&state, sums).residual);
        let centres = std::mem::replace(&mut state.centres, Mat::zeros(0, state.n_features));
        let found = Found { centres, inertia, residual, iterations, converged };
        let best = match state.best.take() {
            Some(best) => best.or_better(found),
            None => found,
        };
        state.run += 1;
        if state.run >= self.n_runs() {
            let why = if best.converged { Termination::Converged } else { Termination::IterationLimit };
            return Ok(Round::Done(best.model(state.origin, why)));
        }
        (state.best, state.seen, state.phase) = (Some(best), None, Phase::Draw);
        Ok(Round::Go(state))
    }
}
