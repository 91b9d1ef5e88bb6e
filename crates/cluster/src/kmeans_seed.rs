//! Seeding of k-means by rounds: greedy k-means++, or random rows.
//!
//! Luck is a hash of a row's content: the row with the least -ln(u) / d² is a draw with probability d² / Σd²
//! (an exponential race), and the ℓ rows of least keys are ℓ draws without replacement. Copies of a row have one
//! key, so a draw depends neither on order nor on copies, and weights do not enter it; the potentials between
//! which the greedy step chooses are weighted. Each round looks at the ℓ candidates of the last one, and races for
//! the candidates of the next under each of them, so that a centre costs one pass.

use crate::kmeans::Data;
use crate::kmeans_state::{KMeansLocal, KMeansState, KMeansSums};
use mercer_math::{Mat, hash_row, hash_unit, seed_for, sq_dists_to};

/// Rows that are looked at together: they stay in the first caches.
pub(crate) const CHUNK: usize = 256;
/// A candidate must better another by this share to be preferred to one of a smaller key: potentials of reordered
/// rows differ in their last bits, and ties must not turn on that.
const POTENTIAL_SLACK: f64 = 1e-9;

/// Candidates at each greedy step of k-means++, as scikit-learn has them.
pub(crate) fn n_candidates(k: usize) -> usize {
    2 + (k as f64).ln() as usize
}

/// Makes the per-row state of seeding fit this run.
fn prepare(state: &KMeansState, data: &Data<'_>, local: &mut KMeansLocal) {
    let n = data.n;
    if local.hashes.len() != n {
        local.hashes = (0..n).map(|i| hash_row(data.row(i), state.seed)).collect();
        local.seeding = None;
    }
    if local.seeding != Some(state.run) {
        local.seeding = Some(state.run);
        local.known = 0;
        local.labels = vec![0; n];
        local.sq_dists = vec![f64::INFINITY; n];
        local.lloyd = None;
    }
}

/// The luck of each row in a round.
fn luck(state: &KMeansState, hash: u64, round: usize) -> f64 {
    hash_unit(seed_for(hash ^ seed_for(state.seed, state.run), round as u64))
}

/// Rows by luck alone: the first centre, or all of them for `init = random`.
pub(crate) fn draw(state: &KMeansState, data: &Data<'_>, local: &mut KMeansLocal, sums: &mut KMeansSums) {
    prepare(state, data, local);
    let race = &mut sums.races[0];
    for i in (0..data.n).filter(|&i| data.weight(i) > 0.0) {
        let key = luck(state, local.hashes[i], 0);
        if key <= race.bar() {
            race.enter(key, data.row(i), data.weight(i), 0);
        }
    }
}

/// The squared distances of one point from the first `count` centres.
fn table(centres: &Mat, count: usize, point: &[f64]) -> Vec<f64> {
    let rows: Vec<u32> = (0..count as u32).collect();
    let mut out = vec![0.0; count];
    sq_dists_to(centres.as_slice(), &rows, point, &mut out);
    out
}

/// Work space of [`approach`].
#[derive(Default)]
struct Scratch {
    rows: Vec<u32>,
    far: Vec<f64>,
}

/// `out[i]` = the smaller of `near[i]` and the squared distance of row i of `x` from `point`.
///
/// A row at distance a from its centre can come nearer only to a point within 2a of that centre (triangle
/// inequality): `table` holds the squared distances of the point from the centres, and most rows are skipped.
fn approach(
    x: &[f64],
    near: &[f64],
    labels: &[u32],
    point: &[f64],
    table: &[f64],
    s: &mut Scratch,
    out: &mut [f64],
) {
    let within = |i: &u32| {
        let i = *i as usize;
        table.get(labels[i] as usize).is_none_or(|t| *t <= 4.000_001 * near[i])
    };
    s.rows.clear();
    s.rows.extend((0..near.len() as u32).filter(within));
    s.far.resize(s.rows.len(), 0.0);
    sq_dists_to(x, &s.rows, point, &mut s.far);
    out.copy_from_slice(near);
    for (&i, &far) in s.rows.iter().zip(&s.far) {
        let out = &mut out[i as usize];
        *out = if far < *out { far } else { *out };
    }
}

/// A step of greedy k-means++: potentials under each candidate, and the races of the next step.
pub(crate) fn grow(state: &KMeansState, data: &Data<'_>, local: &mut KMeansLocal, sums: &mut KMeansSums) {
    prepare(state, data, local);
    let (d, m) = (data.d, state.centres.n_rows());
    let news: Vec<usize> = (local.known.min(m)..m).collect();
    let new_tables: Vec<Vec<f64>> =
        news.iter().map(|&c| table(&state.centres, c, state.centres.row(c))).collect();
    let candidates: Vec<&[f64]> = (0..state.candidates.n_rows()).map(|l| state.candidates.row(l)).collect();
    let tables: Vec<Vec<f64>> = candidates.iter().map(|c| table(&state.centres, m, c)).collect();
    let (mut scratch, mut buffer, mut lucks) = (Scratch::default(), vec![0.0; CHUNK], Vec::new());
    let mut under = vec![vec![0.0; CHUNK]; candidates.len().max(1)];
    for start in (0..data.n).step_by(CHUNK) {
        let end = (start + CHUNK).min(data.n);
        let (x, size) = (&data.x[start * d..end * d], end - start);
        let (near, labels) = (&mut local.sq_dists[start..end], &mut local.labels[start..end]);
        for (&c, table) in news.iter().zip(&new_tables) {
            approach(x, near, labels, state.centres.row(c), table, &mut scratch, &mut buffer[..size]);
            for i in 0..size {
                if buffer[i] < near[i] {
                    (near[i], labels[i]) = (buffer[i], c as u32);
                }
            }
        }
        for ((point, table), under) in candidates.iter().zip(&tables).zip(&mut under) {
            approach(x, near, labels, point, table, &mut scratch, &mut under[..size]);
        }
        if candidates.is_empty() {
            under[0][..size].copy_from_slice(near);
        }
        let weights = data.weights.rows(start..end).given();
        for (potential, under) in sums.potentials.iter_mut().zip(&under) {
            let near = &under[..size];
            *potential += weights.map_or_else(|| mercer_math::sum(near), |w| mercer_math::dot(w, near));
        }
        if !sums.races.is_empty() {
            lucks.clear();
            lucks.extend(local.hashes[start..end].iter().map(|&hash| luck(state, hash, m + 1)));
        }
        for (race, under) in sums.races.iter_mut().zip(&under) {
            let mut bar = race.bar();
            for (i, (&u, &near)) in lucks.iter().zip(&under[..size]).enumerate() {
                // -ln u >= 1 - u: most rows lose without a logarithm. A row at distance zero never runs.
                if 1.0 - u <= bar * near && near > 0.0 && data.weight(start + i) > 0.0 {
                    race.enter(-u.ln() / near, &x[i * d..(i + 1) * d], data.weight(start + i), 0);
                    bar = race.bar();
                }
            }
        }
    }
    local.known = m;
}

/// The candidate of the least potential; the first, unless another is better by more than rounding.
pub(crate) fn choose(potentials: &[f64]) -> usize {
    let better = |best: usize, l: usize| {
        if potentials[l] < potentials[best] * (1.0 - POTENTIAL_SLACK) { l } else { best }
    };
    (1..potentials.len()).fold(0, better)
}
