//! Affinity propagation: rows that stand for others, found by messages between all pairs.
//!
//! # Objective
//! $$ \max_{c}\ \sum_i s\bigl(i, c(i)\bigr) \quad\text{with } c(c(i)) = c(i), $$
//! with $s(i,k) = -\lVert x_i - x_k\rVert_2^2$ or given similarities, and $s(k,k)$ the preference of row k to stand for others: the net
//! similarity.
//!
//! # Algorithm
//! Max-sum messages: responsibilities $r(i,k) = s(i,k) - \max_{k'\ne k}(a(i,k') + s(i,k'))$ and availabilities
//! $a(i,k) = \min(0,\ r(k,k) + \sum_{i'\notin\{i,k\}} \max(0, r(i',k)))$, each mixed with the one before by `damping`, until the rows with
//! $r(k,k) + a(k,k) > 0$ stay the same for `convergence_iter` iterations. Every cluster is then represented by its best row. Both
//! messages of a row are taken in one pass over it, rows side by side. A new row has the cluster of the nearest of these.
//!
//! # Complexity
//! Time O(n²) an iteration, memory 24 n² bytes.
//!
//! # Example
//! ```
//! use mercer_cluster::AffinityPropagation;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [4.0, 2.0], [4.0, 4.0], [4.0, 0.0]]).unwrap();
//! let model = AffinityPropagation::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels, [0, 0, 0, 1, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Ties make messages oscillate: similarities get noise of their last bits, drawn row by row from the seed.
//!
//! # References
//! - B. J. Frey, D. Dueck. Clustering by passing messages between data points. Science 315, 2007. doi:10.1126/science.1136800

mod messages;
mod model;

pub use model::AffinityPropagationModel;

use mercer_core::{Choice, Dataset, Error, ErrorKind, Learn, Params, Result, Session, Termination};
use mercer_math::{Mat, MatRef, median, normal, sq_dist};
use messages::{Ended, Exemplars, exemplars};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What [`AffinityPropagation`] takes for alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Similarity {
    /// −‖a−b‖².
    Euclidean,
    /// Rows are similarities.
    Precomputed,
}

/// Rows that stand for others, found by messages between all pairs.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "affinity-propagation",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "| preference=-50,damping=0.7 | max_iter=20,convergence_iter=5",
    session = "verbose random_state",
    order = "damping max_iter convergence_iter preference preferences affinity",
    door = "copy=True",
    mixins = "AffinityMixin",
    rows = 1000,
    can = "sparse scaled ordered random",
    references = "Frey, Dueck. Clustering by passing messages between data points. Science 315, 2007."
)]
pub struct AffinityPropagation {
    /// The share of a message that stays.
    #[param(default = 0.5, range = "[0.5, 1)", search = "linear 0.5..0.95")]
    pub damping: f64,
    /// Iterations, at most.
    #[param(default = 200, range = "[1, inf)")]
    pub max_iter: usize,
    /// Iterations without another row standing for others, after which all is said.
    #[param(default = 15, range = "[1, inf)")]
    pub convergence_iter: usize,
    /// How much each row wants to stand for others: the larger, the more clusters. The median of the similarities where it is not given.
    #[param(default = None)]
    pub preference: Option<f64>,
    /// How much each row wants to stand for others, one number for each, in place of `preference`.
    #[param(default = None)]
    pub preferences: Option<Vec<f64>>,
    /// What is alike.
    #[param(default = Similarity::Euclidean)]
    pub affinity: Similarity,
}

impl Learn for AffinityPropagation {
    type Model = AffinityPropagationModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AffinityPropagationModel> {
        let dense = data.dense(Self::NAME)?;
        if dense.view().n_cols() == 0 {
            return Err(Error::too_few(Self::NAME, "features", 1, 0));
        }
        if session.step("similarities", 0, None, None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let similar = similarities(dense.view(), self.affinity)?;
        let preferences = self.wanted(&similar)?;
        let found = match all_alike(&similar, &preferences) {
            Some(of_itself) => degenerate(similar.n_rows(), of_itself),
            None => {
                let mut noisy = similar.clone();
                preferences.iter().enumerate().for_each(|(i, p)| noisy[(i, i)] = *p);
                blur(&mut noisy, session);
                exemplars(&noisy, self, session)?
            }
        };
        AffinityPropagationModel::new(dense.view(), self.affinity, similar, (found, preferences))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let finite = self.preference.is_none_or(f64::is_finite);
        if !finite || self.preferences.iter().flatten().any(|p| !p.is_finite()) {
            return Err(Error::param(Self::NAME, "preference", "finite", "another number"));
        }
        Ok(())
    }
}

impl AffinityPropagation {
    fn wanted(&self, similar: &Mat) -> Result<Vec<f64>> {
        let n = similar.n_rows();
        if let Some(given) = &self.preferences {
            return match given.len() == n {
                true => Ok(given.clone()),
                false => Err(Error::shape(format!("`preferences` of {}", Self::NAME), n, given.len())),
            };
        }
        let all = self.preference.or_else(|| median(similar.as_slice())).unwrap_or(0.0);
        Ok(vec![all; n])
    }
}

/// The similarities of all pairs.
fn similarities(x: MatRef<'_>, affinity: Similarity) -> Result<Mat> {
    const WHO: &str = AffinityPropagation::NAME;
    let n = x.n_rows();
    if affinity == Similarity::Precomputed {
        return match n == x.n_cols() {
            true => Ok(x.to_mat()),
            false => Err(Error::shape(
                format!("columns of the similarities of {WHO}, which must be square"),
                n,
                x.n_cols(),
            )),
        };
    }
    let (rows, mut out) = (x.to_mat(), Mat::zeros(n, n));
    let fill = |(i, line): (usize, &mut [f64])| {
        line.iter_mut().enumerate().for_each(|(j, v)| *v = -sq_dist(rows.row(i), rows.row(j)));
    };
    out.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(fill);
    match out.as_slice().iter().all(|v| v.is_finite()) {
        true => Ok(out),
        false => Err(Error::numeric(WHO, "values too large for squared distances: scale them")),
    }
}

/// Where all similarities and all preferences are the same, messages say nothing: whether each row then stands for itself.
fn all_alike(similar: &Mat, preferences: &[f64]) -> Option<bool> {
    let n = similar.n_rows();
    if n == 1 {
        return Some(true);
    }
    let first = similar[(0, 1)];
    let apart = |i: usize| (0..n).filter(move |&j| j != i).any(|j| similar[(i, j)] != first);
    let differ = preferences.iter().any(|p| *p != preferences[0]) || (0..n).any(apart);
    (!differ).then_some(preferences[0] > first)
}

fn degenerate(n: usize, of_itself: bool) -> Exemplars {
    let rows = if of_itself { (0..n).collect() } else { vec![0] };
    let labels = (0..n).map(|i| if of_itself { i as i32 } else { 0 }).collect();
    Exemplars { rows, labels, ended: Ended { rounds: 0, why: Termination::Exact } }
}

/// Adds noise of the last bits, so that no two similarities tie.
fn blur(similar: &mut Mat, session: &Session) {
    let n = similar.n_rows();
    let row = |(i, row): (usize, &mut [f64])| {
        let mut rng = session.rng(i as u64);
        let size = |v: f64| f64::EPSILON * v + 100.0 * f64::MIN_POSITIVE;
        row.iter_mut().for_each(|v| *v += size(*v) * normal(&mut rng));
    };
    similar.as_mut_slice().par_chunks_mut(n).enumerate().for_each(row);
}
