//! Row sampling and dropout: bagging, one-side sampling (GOSS), and the trees that a round drops (DART).

use super::settings::Dropout;
use mercer_math::{below, hash_unit, rng_for, seed_for, uniform};

/// A share of `m` rows, rising.
pub(crate) fn bag(m: usize, share: f64, seed: u64, round: usize) -> Vec<u32> {
    let seed = seed_for(seed_for(seed, 0xBA6), round as u64);
    let mut rows: Vec<u32> =
        (0..m as u32).filter(|&i| hash_unit(seed_for(seed, u64::from(i))) < share).collect();
    if rows.is_empty() && m > 0 {
        rows.push((seed % m as u64) as u32);
    }
    rows
}

/// Gradient-based one-side sampling: the rows of the largest gradients times hessians, and some of the others, whose
/// gradients and hessians are raised to stand for all others. Gradients are output × row.
pub(crate) fn one_side(
    m: usize,
    (top, other): (f64, f64),
    seed: u64,
    round: usize,
    g: &mut [f32],
    h: &mut [f32],
) -> Vec<u32> {
    let size: Vec<f32> =
        (0..m).map(|i| (i..g.len()).step_by(m.max(1)).map(|p| (g[p] * h[p]).abs()).sum()).collect();
    let n_top = ((top * m as f64) as usize).clamp(1, m);
    let mut order: Vec<u32> = (0..m as u32).collect();
    let by_size = |a: &u32, b: &u32| size[*b as usize].total_cmp(&size[*a as usize]).then(a.cmp(b));
    order.select_nth_unstable_by(n_top - 1, by_size);
    let mut rows = order[..n_top].to_vec();
    let share = (other / (1.0 - top).max(1e-9)).min(1.0);
    let seed = seed_for(seed_for(seed, 0x6055), round as u64);
    for &i in &order[n_top..] {
        if hash_unit(seed_for(seed, u64::from(i))) < share {
            rows.push(i);
            for p in (i as usize..g.len()).step_by(m) {
                g[p] /= share as f32;
                h[p] /= share as f32;
            }
        }
    }
    rows.sort_unstable();
    rows
}

/// The rounds whose trees are dropped while the next one grows.
pub(crate) fn drop(dropout: Option<&Dropout>, seed: u64, round: usize, n_rounds: usize) -> Vec<usize> {
    let Some(dropout) = dropout else { return Vec::new() };
    let mut rng = rng_for(seed_for(seed, 0xD09), round as u64);
    if n_rounds == 0 || uniform(&mut rng) < dropout.skip {
        return Vec::new();
    }
    let mut dropped: Vec<usize> = (0..n_rounds).filter(|_| uniform(&mut rng) < dropout.rate).collect();
    while dropped.len() > dropout.most.max(1) {
        let removed = below(&mut rng, dropped.len());
        dropped.remove(removed);
    }
    dropped
}
