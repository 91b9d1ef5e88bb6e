//! One run of Huang's algorithm: rows move one after the other to the nearest prototype, which follows at once.

use super::mixed::Mixed;
use mercer_core::{Session, Termination};
use mercer_math::{Mat, sq_dist};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Prototypes: means of numbers, and modes of categories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prototypes {
    /// One row a prototype, taken from the origin of the rows.
    pub(super) means: Mat,
    /// One code for each prototype and column of categories.
    pub(super) modes: Vec<u32>,
    /// What a differing category costs, in squared units of the numbers.
    pub(super) gamma: f64,
}

/// Rows between two looks at the session, and those that one task measures.
const CHUNK: usize = 4096;

impl Prototypes {
    /// The rows themselves.
    pub(super) fn of(data: &Mixed, rows: &[usize], gamma: f64) -> Self {
        let picked = data.gather(rows);
        let modes = (0..rows.len()).flat_map(|c| picked.codes(c)).copied().collect();
        Self { means: picked.numbers, modes, gamma }
    }

    pub(super) fn len(&self) -> usize {
        self.means.n_rows()
    }

    pub(super) fn mode(&self, c: usize) -> &[u32] {
        let width = self.modes.len() / self.len();
        &self.modes[c * width..(c + 1) * width]
    }

    /// The dissimilarity of a row and a prototype.
    pub(super) fn between(&self, data: &Mixed, i: usize, c: usize) -> f64 {
        let differ = data.codes(i).iter().zip(self.mode(c)).filter(|(a, b)| a != b).count();
        let far =
            if data.numbers.n_cols() > 0 { sq_dist(data.numbers.row(i), self.means.row(c)) } else { 0.0 };
        far + self.gamma * differ as f64
    }

    /// The nearest prototype, the first of equals, and how far it is.
    fn nearest(&self, data: &Mixed, i: usize) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for c in 0..self.len() {
            let far = self.between(data, i, c);
            best = if far < best.1 { (c, far) } else { best };
        }
        best
    }

    /// The nearest prototype of each row, and how far it is.
    pub(super) fn label(&self, data: &Mixed) -> Vec<(usize, f64)> {
        let mut out = vec![(0, 0.0); data.len()];
        let fill = |(chunk, out): (usize, &mut [(usize, f64)])| {
            (chunk * CHUNK..).zip(out).for_each(|(i, out)| *out = self.nearest(data, i));
        };
        out.par_chunks_mut(CHUNK).enumerate().for_each(fill);
        out
    }
}

/// The weighted sum of dissimilarities.
fn cost_of(labels: &[(usize, f64)], weights: &[f64]) -> f64 {
    labels.iter().zip(weights).map(|((_, far), w)| w * far).sum()
}

/// The rows that a run works on.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) data: &'a Mixed,
    pub(super) weights: &'a [f64],
    /// For each column of categories, how many codes there are.
    pub(super) n_codes: &'a [usize],
    /// A hash of each row as it was given: copies of a row are as lucky as one.
    pub(super) lots: &'a [u64],
}

/// What a run has found.
pub(super) struct Found {
    pub(super) prototypes: Prototypes,
    pub(super) cost: f64,
    pub(super) rounds: u64,
    pub(super) why: Termination,
}

/// Prototypes, the clusters of rows, and the sums that the prototypes are made of.
struct Clusters<'a> {
    work: Work<'a>,
    prototypes: Prototypes,
    labels: Vec<usize>,
    /// The weight of each cluster, and its number of rows.
    totals: Vec<(f64, usize)>,
    sums: Mat,
    /// The weight of each code of each column, cluster by cluster.
    counts: Vec<f64>,
    /// Where a column begins within the counts of a cluster, and their length.
    starts: Vec<usize>,
}

/// min Σ w_i (‖x_i − m_c(i)‖² + γ #{j : a_ij ≠ z_c(i)j}) over clusters c(i), means m and modes z, from given prototypes.
///
/// Every row in turn goes to its nearest prototype; those of both clusters are taken anew at once. It ends when no row moves in a
/// round, or a round does not lower the cost. Section 3 of Huang 1998.
pub(super) fn run(work: Work<'_>, first: Prototypes, max_iter: usize, session: &Session) -> Found {
    let mut clusters = Clusters::new(work, first);
    let mut cost = cost_of(&clusters.prototypes.label(work.data), work.weights);
    let (mut rounds, mut why) = (0u64, Termination::IterationLimit);
    while rounds < max_iter as u64 {
        rounds += 1;
        let moves = match clusters.round((rounds, max_iter), cost, session) {
            Ok(moves) => moves,
            Err(stopped) => {
                why = stopped;
                break;
            }
        };
        let before =
            std::mem::replace(&mut cost, cost_of(&clusters.prototypes.label(work.data), work.weights));
        if moves == 0 || cost >= before {
            why = Termination::Converged;
            break;
        }
    }
    let prototypes = clusters.prototypes;
    let cost = cost_of(&prototypes.label(work.data), work.weights);
    Found { prototypes, cost, rounds, why }
}

impl<'a> Clusters<'a> {
    fn new(work: Work<'a>, first: Prototypes) -> Self {
        let (k, mut starts) = (first.len(), vec![0]);
        work.n_codes.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
        let labels = first.label(work.data).into_iter().map(|(c, _)| c).collect();
        let mut all = Self {
            work,
            labels,
            totals: vec![(0.0, 0); k],
            sums: Mat::zeros(k, first.means.n_cols()),
            counts: vec![0.0; k * starts[starts.len() - 1]],
            starts,
            prototypes: first,
        };
        all.count();
        (0..k).for_each(|c| all.renew(c));
        for c in 0..k {
            if all.totals[c].1 == 0 {
                all.refill(c);
            }
        }
        all
    }

    /// Takes all sums anew: what was added and taken away leaves rounding behind.
    fn count(&mut self) {
        self.totals.fill((0.0, 0));
        self.sums.as_mut_slice().fill(0.0);
        self.counts.fill(0.0);
        for i in 0..self.labels.len() {
            self.add(i, self.labels[i], self.work.weights[i]);
        }
    }

    /// Adds a row to a cluster, or takes it away by a negative weight.
    fn add(&mut self, i: usize, c: usize, weight: f64) {
        let (total, rows) = &mut self.totals[c];
        *total += weight;
        *rows = if weight > 0.0 { *rows + 1 } else { *rows - 1 };
        let sums = self.sums.row_mut(c);
        sums.iter_mut().zip(self.work.data.numbers.row(i)).for_each(|(s, v)| *s += weight * v);
        let base = c * self.starts[self.starts.len() - 1];
        for (start, code) in self.starts.iter().zip(self.work.data.codes(i)) {
            self.counts[base + start + *code as usize] += weight;
        }
    }

    /// The weights of the codes of a column in a cluster.
    fn counts(&self, c: usize, column: usize) -> &[f64] {
        let base = c * self.starts[self.starts.len() - 1];
        &self.counts[base + self.starts[column]..base + self.starts[column + 1]]
    }

    /// The most frequent code, the first of equals.
    fn most(&self, c: usize, column: usize) -> u32 {
        let counts = self.counts(c, column);
        (1..counts.len()).fold(0, |best, code| if counts[code] > counts[best] { code } else { best }) as u32
    }

    fn renew_means(&mut self, c: usize) {
        let total = self.totals[c].0;
        let sums = self.sums.row(c).iter();
        self.prototypes.means.row_mut(c).iter_mut().zip(sums).for_each(|(m, s)| *m = s / total);
    }

    /// Takes a prototype anew from its cluster; that of an empty one stays where it is.
    fn renew(&mut self, c: usize) {
        if self.totals[c].1 == 0 {
            return;
        }
        self.renew_means(c);
        let q = self.work.data.n_categories();
        (0..q).for_each(|j| self.prototypes.modes[c * q + j] = self.most(c, j));
    }

    /// Moves a row; a mode changes only where another code has become more frequent, or the mode has lost a row.
    fn shift(&mut self, i: usize, to: usize) {
        let from = std::mem::replace(&mut self.labels[i], to);
        let weight = self.work.weights[i];
        self.add(i, to, weight);
        self.add(i, from, -weight);
        let q = self.work.data.n_categories();
        for j in 0..q {
            let code = self.work.data.codes(i)[j];
            let counts = self.counts(to, j);
            if counts[self.prototypes.modes[to * q + j] as usize] < counts[code as usize] {
                self.prototypes.modes[to * q + j] = code;
            }
            if self.totals[from].1 > 0 && self.prototypes.modes[from * q + j] == code {
                self.prototypes.modes[from * q + j] = self.most(from, j);
            }
        }
        self.renew_means(to);
        if self.totals[from].1 > 0 {
            self.renew_means(from);
        }
    }

    /// Gives an empty cluster the row of the largest cluster that is farthest from its prototype; none where all coincide with it.
    fn refill(&mut self, empty: usize) {
        let heavier = |a: usize, b: usize| if self.totals[b].0 > self.totals[a].0 { b } else { a };
        let largest = (0..self.totals.len()).reduce(heavier).unwrap_or(0);
        let mut farthest = (0.0, None);
        for i in (0..self.labels.len()).filter(|&i| self.labels[i] == largest) {
            let far = self.prototypes.between(self.work.data, i, largest);
            farthest = if far > farthest.0 { (far, Some(i)) } else { farthest };
        }
        if let Some(i) = farthest.1 {
            self.shift(i, empty);
            self.renew(empty);
        }
    }

    /// A round over all rows: how many moved.
    fn round(
        &mut self,
        (round, of): (u64, usize),
        cost: f64,
        session: &Session,
    ) -> Result<usize, Termination> {
        let mut moves = 0;
        self.count();
        for i in 0..self.labels.len() {
            if i % CHUNK == 0
                && let Some(stopped) = session.step("prototypes", round, Some(of as u64), Some(cost))
            {
                return Err(stopped);
            }
            let (nearest, _) = self.prototypes.nearest(self.work.data, i);
            let from = self.labels[i];
            if nearest != from {
                moves += 1;
                self.shift(i, nearest);
                if self.totals[from].1 == 0 {
                    self.refill(from);
                }
            }
        }
        Ok(moves)
    }
}

/// The cost of prototypes, and how much of it would go if they were taken anew from the rows nearest to them.
pub(super) fn judge(work: Work<'_>, prototypes: &Prototypes) -> (f64, f64) {
    let labels = prototypes.label(work.data);
    let mut clusters = Clusters::new(work, prototypes.clone());
    // Without the rows that were given to empty clusters.
    clusters.labels = labels.iter().map(|(c, _)| *c).collect();
    clusters.count();
    (0..prototypes.len()).for_each(|c| clusters.renew(c));
    let far = |i: usize| clusters.prototypes.between(work.data, i, clusters.labels[i]);
    let renewed: f64 = (0..labels.len()).map(|i| work.weights[i] * far(i)).sum();
    let cost = cost_of(&labels, work.weights);
    (cost, (cost - renewed).max(0.0))
}
