//! One Lloyd iteration by sums: labels, inertia, and the differences of rows from their centres.

use super::seed::{CHUNK, choose_rows};
use super::state::{KMeansLocal, KMeansState, KMeansSums};
use super::{Data, KMeansAlgorithm};
use mercer_math::{Centres, Mat, Nearest, add_differences, sq_dists_own, sq_dists_to};
use rayon::prelude::*;

/// Squared distances that differ by less than this share are equal: the first centre is taken.
const TIE: f64 = 1e-12;
/// A label is kept only where its centre is nearer than all bounds by more than this share of its square.
const MARGIN: f64 = 1e-11;

/// Labels of packed rows: a function of row and centres alone. Scanned fast, and settled by direct differences
/// where rounding of the fast form could matter; of centres equally near, the first.
#[derive(Debug)]
pub(crate) struct Labeller<'a> {
    centres: &'a Mat,
    packed: Centres,
    all: Vec<u32>,
    direct: Vec<f64>,
}

impl<'a> Labeller<'a> {
    pub(crate) fn new(centres: &'a Mat, origin: &[f64]) -> Self {
        let k = centres.n_rows();
        let packed = Centres::new(centres.view(), origin);
        Self { centres, packed, all: (0..k as u32).collect(), direct: vec![0.0; k] }
    }

    /// The nearest centre of each chosen row, with a lower bound on the squared distance of every other in `second`.
    pub(crate) fn label(&mut self, x: &[f64], rows: &[u32], found: &mut [Nearest]) {
        self.packed.scan(x, rows, found);
        let d = self.centres.n_cols();
        for (&row, found) in rows.iter().zip(found) {
            found.second = (found.second - found.slack).max(0.0);
            if found.is_ambiguous() {
                let row = &x[row as usize * d..][..d];
                *found = self.settle(row);
            }
        }
    }

    fn settle(&mut self, row: &[f64]) -> Nearest {
        sq_dists_to(self.centres.as_slice(), &self.all, row, &mut self.direct);
        // Centres are rounded to the last bit of their size, whatever their distance.
        let dust = 1e-30 * mercer_math::dot(row, row);
        let (mut best, mut second, mut label) = (f64::INFINITY, f64::INFINITY, 0);
        for (c, &far) in self.direct.iter().enumerate() {
            if far < best - TIE * best - dust || (best.is_infinite() && far < best) {
                (second, best, label) = (best, far, c);
            } else {
                second = second.min(far);
            }
        }
        Nearest { label: label as u32, best, second: second * (1.0 - TIE), slack: 0.0 }
    }
}

/// Half the distance of each centre from the nearest other.
pub(crate) fn half_gaps(centres: &Mat) -> Vec<f64> {
    let k = centres.n_rows();
    let rows: Vec<u32> = (0..k as u32).collect();
    let nearest = |c: usize| {
        let mut out = vec![0.0; k];
        sq_dists_to(centres.as_slice(), &rows, centres.row(c), &mut out);
        out[c] = f64::INFINITY;
        0.5 * out.iter().fold(f64::INFINITY, |a, v| a.min(*v)).sqrt()
    };
    (0..k).into_par_iter().map(nearest).collect()
}

/// Adds a block to the sums of an iteration.
///
/// Bounds of Hamerly 2010: a row keeps its label where its centre is nearer than half the way to any other, or
/// nearer than the lower bound of the second nearest when the row was last scanned, less what centres have moved.
/// The distance from its own centre is always exact. Labels are those of a full scan, so are all sums.
pub(crate) fn iterate(state: &KMeansState, data: &Data<'_>, local: &mut KMeansLocal, sums: &mut KMeansSums) {
    let (d, n) = (data.d, data.n);
    let fresh = local.lloyd != Some(state.run) || local.labels.len() != n || local.lower.len() != n;
    if fresh {
        local.labels.resize(n, 0);
        local.lower = vec![f64::NEG_INFINITY; n];
        local.lloyd = Some(state.run);
        local.seeding = None;
    }
    let bounded = !fresh && state.algorithm != KMeansAlgorithm::Lloyd;
    let mut labeller = Labeller::new(&state.centres, &state.origin);
    let squared_gaps: Vec<f64> = state.half_gaps.iter().map(|g| g * g).collect();
    let (mut own, mut rows) = (vec![0.0; CHUNK], Vec::with_capacity(CHUNK));
    let mut found = vec![Nearest::default(); CHUNK];
    for start in (0..n).step_by(CHUNK) {
        let end = (start + CHUNK).min(n);
        let (x, own) = (&data.x[start * d..end * d], &mut own[..end - start]);
        let (labels, lower) = (&mut local.labels[start..end], &mut local.lower[start..end]);
        if bounded {
            sq_dists_own(x, labels, &state.centres, own);
        }
        choose_rows(&mut rows, own.len(), |i| {
            let (bound, reach) = (lower[i] - state.drift, own[i] * (1.0 + MARGIN));
            let kept = (reach < squared_gaps[labels[i] as usize]) | (bound > 0.0 && reach < bound * bound);
            !(bounded && kept)
        });
        let found = &mut found[..rows.len()];
        labeller.label(x, &rows, found);
        for (&i, found) in rows.iter().zip(found.iter()) {
            let bound = found.second.sqrt();
            labels[i as usize] = found.label;
            lower[i as usize] = bound - TIE * (bound + state.drift) + state.drift;
        }
        if !rows.is_empty() {
            sq_dists_own(x, labels, &state.centres, own);
        }
        let weights = data.weights.rows(start..end).given();
        add_differences(x, labels, weights, &state.centres, &mut sums.moves);
        sums.inertia += weights.map_or_else(|| mercer_math::sum(own), |w| mercer_math::dot(w, own));
        for (i, (&label, &far)) in labels.iter().zip(own.iter()).enumerate() {
            let weight = data.weight(start + i);
            sums.weights[label as usize] += weight;
            let race = &mut sums.races[0];
            if weight > 0.0 && -far * (1.0 + MARGIN) <= race.bar() {
                race.enter(-rounded(far), &x[i * d..(i + 1) * d], weight, label);
            }
        }
    }
}

/// A number to forty bits, so that distances which differ in their last bits are ties, broken by content.
fn rounded(v: f64) -> f64 {
    f64::from_bits((v.to_bits() + (1 << 11)) & !((1 << 12) - 1))
}

/// What one iteration says of its centres.
#[derive(Debug)]
pub(crate) struct Step {
    /// The centres of the next iteration.
    pub(crate) centres: Mat,
    /// The sum of squared moves.
    pub(crate) shift: f64,
    /// The largest move.
    pub(crate) largest: f64,
    /// The largest move of a centre that has rows, without relocation.
    pub(crate) residual: f64,
    /// Whether an empty cluster was given a row.
    pub(crate) relocated: bool,
}

/// The means of the rows of each centre. An empty cluster moves to the row farthest from its own centre, which
/// leaves its cluster, as in scikit-learn; where no row is away from its centre, it stays.
pub(crate) fn step(state: &KMeansState, mut sums: KMeansSums) -> Step {
    let (k, d) = (state.centres.n_rows(), state.centres.n_cols());
    let mut centres = state.centres.clone();
    let mut residual = 0.0f64;
    for c in (0..k).filter(|&c| sums.weights[c] > 0.0) {
        let square: f64 = sums.moves.row(c).iter().map(|v| (v / sums.weights[c]).powi(2)).sum();
        residual = residual.max(square.sqrt());
    }
    let mut empty: Vec<usize> = (0..k).rev().filter(|&c| sums.weights[c] <= 0.0).collect();
    let mut relocated = false;
    for runner in sums.races[0].runners() {
        let from = runner.label as usize;
        let left = sums.weights[from] - runner.weight;
        if -runner.key <= state.dust || left <= 1e-9 * sums.weights[from] {
            continue;
        }
        let Some(c) = empty.pop() else { break };
        relocated = true;
        for j in 0..d {
            sums.moves[(from, j)] -= runner.weight * (runner.row[j] - state.centres[(from, j)]);
        }
        sums.weights[from] = left;
        centres.row_mut(c).copy_from_slice(&runner.row);
    }
    for c in (0..k).filter(|&c| sums.weights[c] > 0.0) {
        let weight = sums.weights[c];
        centres.row_mut(c).iter_mut().zip(sums.moves.row(c)).for_each(|(v, m)| *v += m / weight);
    }
    let (mut shift, mut largest) = (0.0, 0.0f64);
    for c in 0..k {
        let square = mercer_math::sq_dist(centres.row(c), state.centres.row(c));
        shift += square;
        largest = largest.max(square.sqrt());
    }
    Step { centres, shift, largest, residual, relocated }
}
