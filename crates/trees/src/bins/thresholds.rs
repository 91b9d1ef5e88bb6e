//! Bin boundaries of a numeric column, and the bin of a value.

use super::{Binned, Scale};
use crate::cart::depth_first::middle;

/// Bin boundaries padded with infinity, searched in eight steps without a branch.
pub(super) struct Ladder([f64; 256]);

impl Ladder {
    pub(super) fn new(binned: &Binned) -> Self {
        let mut rungs = [f64::INFINITY; 256];
        if let Scale::Numbers(thresholds) = &binned.scale {
            rungs[..thresholds.len()].copy_from_slice(thresholds);
        }
        Self(rungs)
    }

    /// How many thresholds are less than `v`.
    #[inline]
    pub(super) fn find(&self, v: f64) -> u8 {
        let mut at = 0usize;
        for step in [128, 64, 32, 16, 8, 4, 2, 1] {
            at += if self.0[(at + step - 1) & 255] < v { step } else { 0 };
        }
        at as u8
    }
}

/// At most `max_bins` − 1 thresholds over distinct values with their weights. Values heavier than an equal share
/// have a bin alone; the others share what is left evenly.
pub(super) fn thresholds(distinct: &[(f64, f64)], max_bins: usize) -> Vec<f64> {
    let between = |i: usize| middle(distinct[i].0, distinct[i + 1].0);
    let last = distinct.len().saturating_sub(1);
    if distinct.len() <= max_bins {
        return (0..last).map(between).collect();
    }
    let total: f64 = distinct.iter().map(|d| d.1).sum();
    let heavy = total / max_bins as f64;
    let is_heavy = |i: usize| distinct[i].1 >= heavy;
    let n_heavy = (0..distinct.len()).filter(|&i| is_heavy(i)).count();
    let heavy_weight: f64 = (0..distinct.len()).filter(|&i| is_heavy(i)).map(|i| distinct[i].1).sum();
    let (mut rest, mut bins) = (total - heavy_weight, max_bins - n_heavy);
    let mut share = rest / bins.max(1) as f64;
    let (mut out, mut filled) = (Vec::with_capacity(max_bins - 1), 0.0);
    for (i, &(_, weight)) in distinct[..last].iter().enumerate() {
        let alone = is_heavy(i);
        rest -= if alone { 0.0 } else { weight };
        filled += weight;
        // The next heavy value wants a bin alone, unless this one has hardly begun.
        let full = alone || filled >= share || (is_heavy(i + 1) && filled >= 0.5 * share);
        if full && out.len() + 1 < max_bins {
            out.push(between(i));
            filled = 0.0;
            bins = bins.saturating_sub(usize::from(!alone));
            share = rest / bins.max(1) as f64;
        }
    }
    out
}
