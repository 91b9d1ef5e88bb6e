//! Target encoding: columns of levels as statistics of the target.
//!
//! A level's statistic is the mean target of its rows, drawn towards the mean of all by an empirical Bayes estimate of
//! how much levels differ. What a training row sees of its own level comes from rows of other folds alone, so that its
//! own target does not leak into its column; folds are drawn by the place of a row, since rows that hold the same must
//! not all be in one. A split of such a column becomes a set of levels in the model, by the statistics over all rows,
//! so predicting needs nothing further.

use super::loss::Loss;
use super::settings::{BoostSettings, Categorical, FEW_LEVELS};
use crate::bins::{Bins, Encoded};
use crate::sorted_columns::Values;
use mercer_core::MISSING_CODE;
use mercer_math::{Weights, seed_for};

/// Folds of the rows.
const FOLDS: usize = 8;
/// With more classes than this, levels have no statistics.
const MAX_CLASSES: u32 = 16;

/// Adds statistics of the target for the columns of levels, as the settings say.
pub(crate) fn encode(
    bins: &mut Bins,
    columns: &[Values<'_>],
    kept: Option<&[u32]>,
    (y, w): (&[f64], Option<&[f64]>),
    settings: &BoostSettings,
    seed: u64,
) {
    let least = match settings.categorical {
        Categorical::Auto => FEW_LEVELS,
        Categorical::Target => 2,
        Categorical::Partition => return,
    };
    let at = |i: usize| kept.map_or(i, |k| k[i] as usize);
    let levels = |codes: &[u32]| {
        (0..y.len()).map(|i| codes[at(i)]).filter(|&c| c != MISSING_CODE).max().map_or(0, |c| c as usize + 1)
    };
    let wanted: Vec<(usize, &[u32], usize)> = columns
        .iter()
        .enumerate()
        .filter_map(|(j, column)| match column {
            Values::Codes(codes) => Some((j, *codes, levels(codes))),
            _ => None,
        })
        .filter(|&(j, _, n)| n > least && bins.n_bins(j) > 1)
        .collect();
    if wanted.is_empty() {
        return;
    }
    let targets: Vec<Vec<f64>> = match settings.loss {
        Loss::Softmax(k) if k > MAX_CLASSES => return,
        Loss::Softmax(k) => {
            let one = |c: u32| y.iter().map(|&y| f64::from(u8::from(y == f64::from(c)))).collect();
            (0..k).map(one).collect()
        }
        Loss::Custom | Loss::LambdaRank => return,
        _ => vec![y.to_vec()],
    };
    let folds: Vec<u8> = (0..y.len()).map(|i| (seed_for(seed, i as u64) % FOLDS as u64) as u8).collect();
    for &(source, codes, n_levels) in &wanted {
        for target in &targets {
            let table = Table::new(codes, n_levels, &folds, target, w, &at);
            let values = (0..y.len()).map(|i| table.without(codes[at(i)], folds[i])).collect();
            bins.push(values, w, settings.max_bins, Encoded { source, statistics: table.statistics() });
        }
        if settings.categorical == Categorical::Target {
            bins.hide(source);
        }
    }
}

/// Sums of weight and target by level and fold.
struct Table {
    sums: Vec<[(f64, f64); FOLDS]>,
    total: (f64, f64),
    /// The weight of the mean of all in a level's statistic.
    prior: f64,
}

fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

impl Table {
    fn new(
        codes: &[u32],
        n_levels: usize,
        folds: &[u8],
        y: &[f64],
        w: Option<&[f64]>,
        at: &impl Fn(usize) -> usize,
    ) -> Self {
        let mut sums = vec![[(0.0, 0.0); FOLDS]; n_levels];
        let mut squares = 0.0;
        for (i, (&y, &fold)) in y.iter().zip(folds).enumerate() {
            let w = Weights::from(w)[i];
            if let Some(level) = sums.get_mut(codes[at(i)] as usize) {
                level[usize::from(fold)] = plus(level[usize::from(fold)], (w, w * y));
                squares += w * y * y;
            }
        }
        let by_level: Vec<(f64, f64)> =
            sums.iter().map(|l| l.iter().copied().fold((0.0, 0.0), plus)).collect();
        let total = by_level.iter().copied().fold((0.0, 0.0), plus);
        let prior = shrinkage(&by_level, total, squares);
        Self { sums, total, prior }
    }

    fn mean(&self, (weight, sum): (f64, f64)) -> f64 {
        (sum + self.prior * self.total.1 / self.total.0) / (weight + self.prior)
    }

    /// The statistic of a level from the rows outside a fold.
    fn without(&self, code: u32, fold: u8) -> f64 {
        let Some(level) = self.sums.get(code as usize) else { return f64::NAN };
        let others = level.iter().enumerate().filter(|(f, _)| *f != usize::from(fold)).map(|(_, &s)| s);
        self.mean(others.fold((0.0, 0.0), plus))
    }

    /// The statistic of each level from all rows.
    fn statistics(&self) -> Vec<f64> {
        let one = |level: &[(f64, f64); FOLDS]| {
            let all = level.iter().copied().fold((0.0, 0.0), plus);
            if all.0 > 0.0 { self.mean(all) } else { f64::NAN }
        };
        self.sums.iter().map(one).collect()
    }
}

/// The variance inside levels over the variance of their means: how many rows the mean of all is worth.
fn shrinkage(levels: &[(f64, f64)], total: (f64, f64), squares: f64) -> f64 {
    let filled: Vec<(f64, f64)> = levels.iter().copied().filter(|l| l.0 > 0.0).collect();
    let mean = total.1 / total.0;
    let explained: f64 = filled.iter().map(|l| l.1 * l.1 / l.0).sum();
    let n = filled.len() as f64;
    let inside = ((squares - explained) / (total.0 - n).max(1.0)).max(0.0);
    let between = explained - mean * total.1 - (n - 1.0) * inside;
    let size = total.0 - filled.iter().map(|l| l.0 * l.0).sum::<f64>() / total.0;
    let between = (between / size.max(1e-300)).max(1e-3 * inside).max(1e-300);
    (inside / between).clamp(0.5, 1e3)
}
