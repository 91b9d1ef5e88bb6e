//! What every metric asks of its input first.

use mercer_core::{Error, Result};
use mercer_math::Weights;

/// The lengths must agree.
pub(crate) fn same_length(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::shape(what, expected, got)) }
}

/// Predictions and weights must be as many as the truths.
pub(crate) fn lengths(n: usize, n_predicted: usize, weights: Option<&[f64]>) -> Result<()> {
    same_length("predictions", n, n_predicted)?;
    weights.map_or(Ok(()), |w| same_length("weights", n, w.len()))
}

/// Every code must be below the number of classes.
pub(crate) fn codes(what: &str, codes: &[u32], n_classes: usize) -> Result<()> {
    match codes.iter().find(|&&c| c as usize >= n_classes) {
        Some(&code) => Err(Error::shape(
            format!("{what}: number of classes for code {code}"),
            code as usize + 1,
            n_classes,
        )),
        None => Ok(()),
    }
}

/// Scores must be ordered: NaN is refused by row.
pub(crate) fn ordered(metric: &str, scores: &[f64]) -> Result<()> {
    match scores.iter().position(|s| s.is_nan()) {
        Some(row) => Err(Error::numeric(metric, format!("the score of row {row} is NaN"))),
        None => Ok(()),
    }
}

/// Every value must be one for which `holds`.
pub(crate) fn every(
    metric: &str,
    what: &str,
    values: &[f64],
    expected: &str,
    holds: impl Fn(f64) -> bool,
) -> Result<()> {
    match values.iter().position(|&v| !holds(v)) {
        Some(row) => {
            let got = values[row];
            Err(Error::numeric(metric, format!("the {what} of row {row} must be {expected}, got {got}")))
        }
        None => Ok(()),
    }
}

/// The weighted mean of `value(0..n)`; NaN over no rows or no weight.
pub(crate) fn mean(n: usize, weights: Option<&[f64]>, value: impl Fn(usize) -> f64) -> f64 {
    let (weights, mut sum, mut total) = (Weights::from(weights), Sum::default(), Sum::default());
    for i in 0..n {
        let w = weights[i];
        sum.add(w * value(i));
        total.add(w);
    }
    sum.value() / total.value()
}

/// The weighted `q`-quantile, the mean of both neighbours where it is not unique; NaN of nothing.
pub(crate) fn quantile(values: impl Iterator<Item = f64>, q: f64, weights: Option<&[f64]>) -> f64 {
    let weights = Weights::from(weights);
    let mut sorted: Vec<(f64, f64)> = values.enumerate().map(|(i, v)| (v, weights[i])).collect();
    sorted.retain(|(_, w)| *w > 0.0);
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let target = q * sorted.iter().map(|(_, w)| w).sum::<f64>();
    let mut below = 0.0;
    for (i, (value, w)) in sorted.iter().enumerate() {
        below += w;
        if below >= target {
            let next = sorted.get(i + 1).filter(|_| below - target <= f64::EPSILON);
            return next.map_or(*value, |(next, _)| (value + next) / 2.0);
        }
    }
    sorted.last().map_or(f64::NAN, |(value, _)| *value)
}

/// `a / b`, and zero where `b` is zero.
pub(crate) fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// A compensated sum (Neumaier, 1974): metrics over millions of rows keep all digits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    #[inline]
    pub(crate) fn add(&mut self, x: f64) {
        let next = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - next) + x } else { (x - next) + self.sum };
        self.sum = next;
    }

    pub(crate) fn value(self) -> f64 {
        // An infinite sum has lost NaN on the way.
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }
}
