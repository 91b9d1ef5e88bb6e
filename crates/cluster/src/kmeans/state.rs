//! What k-means knows between rounds, what a block adds to it, and what is kept of a block.

use super::KMeansAlgorithm;
use super::model::Found;
use super::race::Race;
use mercer_math::{ColumnMoments, Mat};
use serde::{Deserialize, Serialize};

/// What a round of [`KMeans`](crate::KMeans) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Means and variances of the features.
    Scan,
    /// Rows by luck alone.
    Draw,
    /// One more centre of k-means++.
    Grow,
    /// A Lloyd iteration.
    Iterate,
    /// The inertia of the last centres of a run.
    Judge,
}

/// What every block needs to know in a round of [`KMeans`](crate::KMeans).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KMeansState {
    pub(crate) phase: Phase,
    pub(crate) algorithm: KMeansAlgorithm,
    pub(crate) n_features: usize,
    pub(crate) seed: u64,
    pub(crate) run: u64,
    /// Rows that are drawn for each centre of k-means++.
    pub(crate) trials: usize,
    pub(crate) origin: Vec<f64>,
    /// Squared moves at which a run ends.
    pub(crate) tol: f64,
    /// Squared distances up to this are rounding.
    pub(crate) dust: f64,
    pub(crate) centres: Mat,
    pub(crate) candidates: Mat,
    pub(crate) half_gaps: Vec<f64>,
    /// The sum of the largest moves of all iterations of this run.
    pub(crate) drift: f64,
    pub(crate) iterations: u64,
    pub(crate) converged: bool,
    /// What is known of the run under way.
    pub(crate) seen: Option<Found>,
    /// The best of the runs that ended.
    pub(crate) best: Option<Found>,
}

/// What a block contributes to a round of [`KMeans`](crate::KMeans).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KMeansSums {
    pub(crate) moments: ColumnMoments,
    pub(crate) races: Vec<Race>,
    pub(crate) potentials: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    /// Σ w (x − c) of each centre.
    pub(crate) moves: Mat,
    pub(crate) inertia: f64,
}

/// What is kept of a block's rows between rounds, in memory: everything in it can be found again.
#[derive(Clone, Debug, Default)]
pub struct KMeansLocal {
    pub(crate) hashes: Vec<u64>,
    /// The run whose seeding the rows know.
    pub(crate) seeding: Option<u64>,
    /// How many centres are in `sq_dists`.
    pub(crate) known: usize,
    pub(crate) sq_dists: Vec<f64>,
    /// The run whose iteration the rows know.
    pub(crate) lloyd: Option<u64>,
    pub(crate) labels: Vec<u32>,
    /// A lower bound on the distance of the second nearest centre, plus the drift when it was found.
    pub(crate) lower: Vec<f64>,
}
