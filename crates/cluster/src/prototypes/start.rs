//! First prototypes: rows of the data.

use super::PrototypeInit;
use super::run::{Prototypes, Work};
use mercer_core::Session;
use mercer_math::{by_weight, hash_unit, running_sums, seed_for};

/// The first prototypes, as rows. Luck is a hash of a row's content, so that copies of a row are as lucky as one.
pub(super) fn rows(
    work: Work<'_>,
    init: PrototypeInit,
    k: usize,
    gamma: f64,
    session: &Session,
) -> Vec<usize> {
    match init {
        PrototypeInit::Cao => by_density(work, k, gamma),
        PrototypeInit::Huang => by_columns(work, k, gamma, session),
        PrototypeInit::Random => different(work, k, session),
        PrototypeInit::PlusPlus => far_apart(work, k, gamma, session),
    }
}

/// How far each row is from one of them, at once for all.
fn line(work: Work<'_>, row: usize, gamma: f64) -> Vec<f64> {
    let one = Prototypes::of(work.data, &[row], gamma);
    one.label(work.data).into_iter().map(|(_, far)| far).collect()
}

fn lower(near: &mut [f64], far: &[f64]) {
    near.iter_mut().zip(far).for_each(|(near, far)| *near = near.min(*far));
}

/// The first of the greatest.
fn greatest(n: usize, value: impl Fn(usize) -> f64) -> usize {
    (1..n).fold((0, value(0)), |best, i| if value(i) > best.1 { (i, value(i)) } else { best }).0
}

/// The row of the most frequent categories, then always the one whose distance from those before, times its density, is greatest.
/// Cao, Liang and Bai 2009.
fn by_density(work: Work<'_>, k: usize, gamma: f64) -> Vec<usize> {
    let (n, q) = (work.data.len(), work.n_codes.len());
    let total: f64 = work.weights.iter().sum();
    let mut frequencies: Vec<Vec<f64>> = work.n_codes.iter().map(|&codes| vec![0.0; codes]).collect();
    for (i, weight) in work.weights.iter().enumerate() {
        let own = frequencies.iter_mut().zip(work.data.codes(i));
        own.for_each(|(frequencies, code)| frequencies[*code as usize] += weight);
    }
    let density = |i: usize| {
        let own = frequencies.iter().zip(work.data.codes(i)).map(|(f, code)| f[*code as usize]);
        if q == 0 { 1.0 } else { own.map(|f| f / total / q as f64).sum() }
    };
    let densities: Vec<f64> = (0..n).map(density).collect();
    let mut chosen = vec![greatest(n, |i| densities[i])];
    let mut near = vec![f64::INFINITY; n];
    while chosen.len() < k {
        lower(&mut near, &line(work, chosen[chosen.len() - 1], gamma));
        chosen.push(greatest(n, |i| near[i] * densities[i]));
    }
    chosen
}

/// Values are drawn column by column; the row nearest to each such mixture is taken, if it is not like one taken before.
/// Section 3.1 of Huang 1998.
fn by_columns(work: Work<'_>, k: usize, gamma: f64, session: &Session) -> Vec<usize> {
    let (mut rng, sums) = (session.rng(0), running_sums(work.weights.iter().copied()));
    let (p, q) = (work.data.numbers.n_cols(), work.data.n_categories());
    let mut drawn = Prototypes::of(work.data, &vec![0; k], gamma);
    for c in 0..k {
        for j in 0..p {
            drawn.means[(c, j)] = work.data.numbers[(by_weight(&mut rng, &sums), j)];
        }
        for j in 0..q {
            drawn.modes[c * q + j] = work.data.codes(by_weight(&mut rng, &sums))[j];
        }
    }
    let mut chosen: Vec<usize> = Vec::new();
    for c in 0..k {
        let mut best = (f64::INFINITY, 0, true);
        for i in 0..work.data.len() {
            let far = drawn.between(work.data, i, c);
            let taken = chosen.iter().any(|&row| same(work, i, row));
            if (taken, far) < (best.2, best.0) {
                best = (far, i, taken);
            }
        }
        chosen.push(best.1);
    }
    chosen
}

fn same(work: Work<'_>, a: usize, b: usize) -> bool {
    work.data.codes(a) == work.data.codes(b) && work.data.numbers.row(a) == work.data.numbers.row(b)
}

/// How lucky a row is in a round of a run.
fn luck(work: Work<'_>, i: usize, round: usize, session: &Session) -> f64 {
    hash_unit(seed_for(work.lots[i] ^ session.seed(), round as u64))
}

/// Different rows at random; where there are too few, some are taken twice.
fn different(work: Work<'_>, k: usize, session: &Session) -> Vec<usize> {
    let mut order: Vec<usize> = (0..work.data.len()).collect();
    order.sort_by(|&a, &b| luck(work, a, 0, session).total_cmp(&luck(work, b, 0, session)));
    order.dedup_by(|a, b| same(work, *a, *b));
    order.iter().cycle().take(k).copied().collect()
}

/// A row at random, then always one drawn in proportion to its distance from those before: k-means++ by an exponential race.
fn far_apart(work: Work<'_>, k: usize, gamma: f64, session: &Session) -> Vec<usize> {
    let n = work.data.len();
    let mut near = vec![f64::INFINITY; n];
    let mut chosen = vec![greatest(n, |i| luck(work, i, 0, session))];
    while chosen.len() < k {
        lower(&mut near, &line(work, chosen[chosen.len() - 1], gamma));
        // The least −ln(u)/d is the greatest d/−ln(u).
        let late = |i: usize| -luck(work, i, chosen.len(), session).ln();
        chosen.push(greatest(n, |i| near[i] / late(i)));
    }
    chosen
}
