//! Seeding of k-means by rounds: greedy k-means++, or random rows.
//!
//! Luck is a hash of a row's content: the row with the least -ln(u) / d² is a draw with probability d² / Σd²
//! (an exponential race), and the ℓ rows of least keys are ℓ draws without replacement. Copies of a row have one
//! key, so a draw depends neither on order nor on copies, and weights do not enter it; the potentials between
//! which the greedy step chooses are weighted. Each round looks at the ℓ candidates of the last one, and races for
//! the candidates of the next under each of them, so that a centre costs one pass.

use super::Data;
use super::race::Race;
use super::state::{KMeansLocal, KMeansState, KMeansSums};
use mercer_math::{FewPoints, Mat, hash_row, hash_unit, seed_for, sq_dists_to, wide};

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

/// For each known centre, the least squared distance of a new centre or candidate from it.
fn reaches(state: &KMeansState, known: usize, points: &[&[f64]]) -> Vec<f64> {
    let rows: Vec<u32> = (0..known as u32).collect();
    let (mut least, mut out) = (vec![f64::INFINITY; known], vec![0.0; known]);
    for point in points {
        sq_dists_to(state.centres.as_slice(), &rows, point, &mut out);
        least.iter_mut().zip(&out).for_each(|(least, far)| *least = least.min(*far));
    }
    least
}

/// Rows of a chunk, of which a race may take any, looked at so many at a time.
const LOOK: usize = 32;

/// Enters the rows of a chunk that have a chance: -ln u >= 1 - u, so most lose without a logarithm. A row at distance
/// zero never runs.
fn run(race: &mut Race, data: &Data<'_>, start: usize, late: &[f64], near: &[f64]) {
    let mut bar = race.bar();
    for first in (0..near.len()).step_by(LOOK) {
        let end = (first + LOOK).min(near.len());
        let pairs = late[first..end].iter().zip(&near[first..end]);
        if !wide(|| pairs.fold(false, |any, (late, near)| any | (*late <= bar * near))) {
            continue;
        }
        for i in first..end {
            let weight = data.weight(start + i);
            if late[i] <= bar * near[i] && near[i] > 0.0 && weight > 0.0 {
                race.enter(-(1.0 - late[i]).ln() / near[i], data.row(start + i), weight, 0);
                bar = race.bar();
            }
        }
    }
}

/// Chooses places below `n`, without a branch that would be guessed wrong half of the time.
pub(crate) fn choose_rows(rows: &mut Vec<u32>, n: usize, chosen: impl Fn(usize) -> bool) {
    rows.resize(n, 0);
    let mut count = 0;
    for i in 0..n {
        rows[count] = i as u32;
        count += usize::from(chosen(i));
    }
    rows.truncate(count);
}

/// The distances of a chunk under a candidate, of which those of `rows` are known.
fn lower(under: &mut [f64], rows: &[u32], far: &[f64]) {
    let less = |under: &mut f64, far: f64| *under = if far < *under { far } else { *under };
    if rows.len() == under.len() {
        wide(|| under.iter_mut().zip(far).for_each(|(under, &far)| less(under, far)));
    } else {
        rows.iter().zip(far).for_each(|(&i, &far)| less(&mut under[i as usize], far));
    }
}

/// A step of greedy k-means++: potentials under each candidate, and the races of the next step.
///
/// A row at distance a from its centre can come nearer only to a point within 2a of that centre (triangle
/// inequality); of all others nothing is computed.
pub(crate) fn grow(state: &KMeansState, data: &Data<'_>, local: &mut KMeansLocal, sums: &mut KMeansSums) {
    prepare(state, data, local);
    let (d, m, n_candidates) = (data.d, state.centres.n_rows(), state.candidates.n_rows());
    let known = local.known.min(m);
    let news = (known..m).map(|c| state.centres.row(c));
    let points: Vec<&[f64]> = news.chain((0..n_candidates).map(|l| state.candidates.row(l))).collect();
    let reaches = reaches(state, known, &points);
    let points = FewPoints::new(Mat::from_rows(&points).unwrap_or_default(), &state.origin);
    let n_points = m - known + n_candidates;
    let (mut rows, mut far, mut late) = (Vec::with_capacity(CHUNK), Vec::new(), vec![0.0; CHUNK]);
    let mut under = vec![vec![0.0; CHUNK]; n_candidates.max(1)];
    for start in (0..data.n).step_by(CHUNK) {
        let end = (start + CHUNK).min(data.n);
        let (x, size) = (&data.x[start * d..end * d], end - start);
        let (near, labels) = (&mut local.sq_dists[start..end], &mut local.labels[start..end]);
        choose_rows(&mut rows, size, |i| {
            reaches.get(labels[i] as usize).is_none_or(|r| *r <= 4.000_001 * near[i])
        });
        far.resize(n_points * rows.len(), 0.0);
        points.sq_dists(x, &rows, &mut far);
        let (new, of_candidates) = far.split_at((m - known) * rows.len());
        for (c, far) in (known as u32..).zip(new.chunks_exact(rows.len().max(1))) {
            for (&i, &far) in rows.iter().zip(far) {
                if far < near[i as usize] {
                    (near[i as usize], labels[i as usize]) = (far, c);
                }
            }
        }
        under.iter_mut().for_each(|under| under[..size].copy_from_slice(near));
        for (under, far) in under.iter_mut().zip(of_candidates.chunks_exact(rows.len().max(1))) {
            lower(&mut under[..size], &rows, far);
        }
        let weights = data.weights.rows(start..end).given();
        for (potential, under) in sums.potentials.iter_mut().zip(&under) {
            let near = &under[..size];
            *potential += weights.map_or_else(|| mercer_math::sum(near), |w| mercer_math::dot(w, near));
        }
        if sums.races.is_empty() {
            continue;
        }
        let hashes = local.hashes[start..end].iter();
        wide(|| late.iter_mut().zip(hashes).for_each(|(late, &hash)| *late = 1.0 - luck(state, hash, m + 1)));
        for (race, under) in sums.races.iter_mut().zip(&under) {
            run(race, data, start, &late[..size], &under[..size]);
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
