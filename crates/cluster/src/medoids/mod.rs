//! K-medoids: rows to which all others are near, under any distance.
//!
//! # Objective
//! $$ \min_{M,\ |M| = k}\ \sum_i w_i \min_{m \in M} d(x_i, x_m) $$
//!
//! # Algorithm
//! FasterPAM: rows take turns; a row for which the best swap with a medoid lowers the objective is swapped at once. What every swap
//! changes is known for all medoids from one look at the rows, by their nearest and second nearest medoid. It ends when no single
//! swap improves. First medoids by draws in proportion to the distance from those before (`k-medoids++`), at random, or greedily (`build`).
//!
//! # Complexity
//! Time O(n² d) a round over all rows, memory O(n k): distances are taken anew, and no matrix is stored.
//!
//! # Example
//! ```
//! use mercer_cluster::KMedoids;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]).unwrap();
//! let model = KMedoids::default().n_clusters(2).fit(&Dataset::new(&x))?;
//! assert_eq!(model.inertia, 4.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A swap must lower the objective by more than 1e-12 of it: rounding makes no endless rounds.
//!
//! # References
//! - L. Kaufman, P. J. Rousseeuw. Finding groups in data. Wiley 1990. doi:10.1002/9780470316801
//! - E. Schubert, P. J. Rousseeuw. Fast and eager k-medoids clustering. Inf. Syst. 101, 2021. doi:10.1016/j.is.2021.101804

mod model;
mod swaps;

pub use model::KMedoidsModel;

use crate::space::{ClusterMetric, Lines, Space};
use mercer_core::{Choice, Dataset, Error, Learn, Params, Result, Session, Termination};
use mercer_math::{by_weight, running_sums, sample_indices};
use serde::{Deserialize, Serialize};
use swaps::Swaps;

/// How [`KMedoids`] finds its first medoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum MedoidsInit {
    /// Draws in proportion to the distance from the medoids before.
    #[choice("k-medoids++")]
    PlusPlus,
    /// Random rows.
    Random,
    /// Each the row that lowers the objective the most.
    Build,
}

/// Rows to which all others are near, under any distance.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kmedoids pam",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "n_clusters=3 | n_clusters=3,init=build,metric=manhattan | n_clusters=2,metric=cosine | n_clusters=4,init=random",
    session = "random_state",
    order = "n_clusters metric init max_iter p",
    mixins = "MedoidsMixin",
    rows = 2000,
    can = "transform weights counts_rows scaled ordered random",
    references = "Kaufman, Rousseeuw. Finding groups in data. Wiley 1990.|Schubert, Rousseeuw. Fast and eager k-medoids clustering. Inf. Syst. 101, 2021."
)]
pub struct KMedoids {
    /// Number of medoids, and so of clusters.
    #[param(default = 8, range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: usize,
    /// The distance of a row from its medoid.
    #[param(default = ClusterMetric::Euclidean)]
    pub metric: ClusterMetric,
    /// How the first medoids are found.
    #[param(default = MedoidsInit::PlusPlus)]
    pub init: MedoidsInit,
    /// Rounds over all rows, at most.
    #[param(default = 300, range = "[1, inf)")]
    pub max_iter: usize,
    /// The exponent of the Minkowski metric.
    #[param(default = 2.0, range = "(0, inf]")]
    pub p: f64,
}

impl Learn for KMedoids {
    type Model = KMedoidsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KMedoidsModel> {
        let space = Space::new(Self::NAME, data, self.metric, self.p)?;
        let weights = data.weights().map_or_else(|| vec![1.0; space.len()], |w| w.to_vec());
        let lines = Lines::new(&space);
        let candidates: Vec<usize> = (0..space.len()).filter(|&i| weights[i] > 0.0).collect();
        if candidates.len() < self.n_clusters {
            return Err(Error::too_few(
                Self::NAME,
                "rows of positive weight",
                self.n_clusters,
                candidates.len(),
            ));
        }
        let first = self.first(&lines, &weights, &candidates, session);
        let mut swaps = Swaps::new(&lines, weights, first);
        let (mut turn, mut idle, mut rounds) = (0, 0, 0u64);
        let mut why = Termination::Converged;
        // A round without a swap ends it: no single swap improves.
        while idle < candidates.len() {
            if turn % candidates.len() == 0 {
                rounds += 1;
                if rounds > self.max_iter as u64 {
                    why = Termination::IterationLimit;
                    break;
                }
            }
            if turn % 64 == 0
                && let Some(stopped) =
                    session.step("k-medoids", rounds, Some(self.max_iter as u64), Some(swaps.objective()))
            {
                why = stopped;
                break;
            }
            let swapped = swaps.try_row(&lines, candidates[turn % candidates.len()]);
            idle = if swapped { 0 } else { idle + 1 };
            turn += 1;
        }
        let found = swaps.into_parts();
        Ok(KMedoidsModel::new(&space, found, rounds, why))
    }
}

impl KMedoids {
    fn first(
        &self,
        lines: &Lines<'_>,
        weights: &[f64],
        candidates: &[usize],
        session: &Session,
    ) -> Vec<usize> {
        let (k, n, mut rng) = (self.n_clusters, weights.len(), session.rng(0));
        if self.init == MedoidsInit::Random {
            return sample_indices(&mut rng, candidates.len(), k)
                .into_iter()
                .map(|i| candidates[i])
                .collect();
        }
        let (mut near, mut far, mut chosen) = (vec![f64::INFINITY; n], vec![0.0; n], Vec::<usize>::new());
        while chosen.len() < k {
            let free = || candidates.iter().copied().filter(|i| !chosen.contains(i));
            let next = if self.init == MedoidsInit::Build {
                let mut best = (f64::INFINITY, 0);
                for i in free() {
                    lines.fill(i, &mut far);
                    let cost: f64 = (0..n).map(|j| weights[j] * far[j].min(near[j])).sum();
                    best = if cost < best.0 { (cost, i) } else { best };
                }
                best.1
            } else {
                let free: Vec<usize> = free().collect();
                let share = |&i: &usize| if chosen.is_empty() { weights[i] } else { weights[i] * near[i] };
                let sums = running_sums(free.iter().map(share));
                // Where all that is left coincides with medoids, any row will do.
                let drawn = sums.last().is_some_and(|s| *s > 0.0).then(|| by_weight(&mut rng, &sums));
                free[drawn.unwrap_or(0)]
            };
            lines.fill(next, &mut far);
            near.iter_mut().zip(&far).for_each(|(near, far)| *near = near.min(*far));
            chosen.push(next);
        }
        chosen
    }
}
