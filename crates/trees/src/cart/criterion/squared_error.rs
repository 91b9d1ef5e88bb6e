//! Squared error, standard deviation and Poisson deviance: leaves predict means.

use crate::cart::criterion::{Criterion, NodeSummary, Sides, pick, pick_wide, weight};
use std::sync::Arc;

/// One output under squared error, less its mean over all rows.
#[derive(Debug)]
pub(crate) struct SquaredError {
    pub(crate) y: Vec<f64>,
    pub(crate) w: Option<Vec<f64>>,
    pub(crate) offset: f64,
}

impl Criterion for SquaredError {
    type Sides<'a> = SquareSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        Self { y: pick(&self.y, rows), w: self.w.as_ref().map(|w| pick(w, rows)), offset: self.offset }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        summary_of_means(rows, &self.y, &self.w, &[self.offset])
    }

    fn sides(&self) -> SquareSides<'_> {
        SquareSides { of: self, n: 0.0, total: 0.0, left: 0.0, sum: 0.0 }
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, _: usize, rows: &[u32]) -> f64 {
        mean(rows, &self.w, |i| self.y[i as usize])
    }
}

/// The decrease of the squares is (s n − S l)² / (n l (n − l)), with s of S and l of n on the left.
#[derive(Debug)]
pub(crate) struct SquareSides<'a> {
    of: &'a SquaredError,
    n: f64,
    total: f64,
    left: f64,
    sum: f64,
}

impl Sides for SquareSides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        (self.n, self.total, self.left, self.sum) = (node.weight, node.totals[0], 0.0, 0.0);
    }

    #[inline]
    fn add(&mut self, row: u32) {
        let w = weight(&self.of.w, row);
        self.left += w;
        self.sum += w * self.of.y[row as usize];
    }

    #[inline]
    fn score(&self) -> f64 {
        let (excess, sizes) = (self.sum * self.n - self.total * self.left, self.left * (self.n - self.left));
        if sizes > 0.0 { excess * excess / sizes } else { f64::NEG_INFINITY }
    }

    #[inline]
    fn weight(&self) -> f64 {
        self.left
    }

    fn values(&self) -> (f64, f64) {
        let right = (self.total - self.sum) / (self.n - self.left);
        (self.of.offset + self.sum / self.left, self.of.offset + right)
    }
}

/// One output by the standard deviation of each side, less its mean over all rows: what model trees decrease.
#[derive(Debug)]
pub(crate) struct StandardDeviation {
    pub(crate) y: Vec<f64>,
    pub(crate) w: Option<Vec<f64>>,
    pub(crate) offset: f64,
    /// A node that deviates less than this counts as pure.
    pub(crate) least: f64,
}

impl Criterion for StandardDeviation {
    type Sides<'a> = DeviationSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        let w = self.w.as_ref().map(|w| pick(w, rows));
        Self { y: pick(&self.y, rows), w, offset: self.offset, least: self.least }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        let mut summary = summary_of_means(rows, &self.y, &self.w, &[self.offset]);
        if summary.impurity.sqrt() < self.least {
            summary.impurity = 0.0;
        }
        summary
    }

    fn sides(&self) -> DeviationSides<'_> {
        DeviationSides { of: self, all: [0.0; 3], left: [0.0; 3] }
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, _: usize, rows: &[u32]) -> f64 {
        mean(rows, &self.w, |i| self.y[i as usize])
    }
}

/// Weight, sum and sum of squares of a node and of its left side.
#[derive(Debug)]
pub(crate) struct DeviationSides<'a> {
    of: &'a StandardDeviation,
    all: [f64; 3],
    left: [f64; 3],
}

impl Sides for DeviationSides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        let (n, sum) = (node.weight, node.totals[0]);
        (self.all, self.left) = ([n, sum, node.impurity * n + sum * sum / n], [0.0; 3]);
    }

    #[inline]
    fn add(&mut self, row: u32) {
        let (w, y) = (weight(&self.of.w, row), self.of.y[row as usize]);
        self.left = [self.left[0] + w, self.left[1] + w * y, self.left[2] + w * y * y];
    }

    #[inline]
    fn score(&self) -> f64 {
        let right: [f64; 3] = std::array::from_fn(|i| self.all[i] - self.left[i]);
        if right[0] <= 0.0 {
            return f64::NEG_INFINITY;
        }
        // Weight times standard deviation.
        let part = |[n, s, squares]: [f64; 3]| (n * squares - s * s).max(0.0).sqrt();
        -(part(self.left) + part(right))
    }

    #[inline]
    fn weight(&self) -> f64 {
        self.left[0]
    }

    fn values(&self) -> (f64, f64) {
        let right = (self.all[1] - self.left[1]) / (self.all[0] - self.left[0]);
        (self.of.offset + self.left[1] / self.left[0], self.of.offset + right)
    }
}

/// Several outputs under squared error, or any number under Poisson deviance. `y` is rows × outputs.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) y: Vec<f64>,
    pub(crate) w: Option<Vec<f64>>,
    pub(crate) offsets: Arc<[f64]>,
    pub(crate) poisson: bool,
}

impl Criterion for Outputs {
    type Sides<'a> = OutputSides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        let w = self.w.as_ref().map(|w| pick(w, rows));
        let y = pick_wide(&self.y, self.offsets.len(), rows);
        Self { y, w, offsets: self.offsets.clone(), poisson: self.poisson }
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        if !self.poisson {
            return summary_of_means(rows, &self.y, &self.w, &self.offsets);
        }
        let rows: Vec<u32> = rows.collect();
        let mut summary = summary_of_means(&mut rows.iter().copied(), &self.y, &self.w, &self.offsets);
        let q = self.offsets.len();
        let mut deviance = 0.0;
        for &i in &rows {
            for (k, &mean) in summary.value.iter().enumerate() {
                let y = self.y[i as usize * q + k];
                if y > 0.0 {
                    deviance += weight(&self.w, i) * y * (y / mean).ln();
                }
            }
        }
        let constant = summary.impurity == 0.0;
        summary.impurity = if constant { 0.0 } else { (deviance / (summary.weight * q as f64)).max(0.0) };
        summary
    }

    fn sides(&self) -> OutputSides<'_> {
        let q = self.offsets.len();
        OutputSides { of: self, n: 0.0, totals: vec![0.0; q], left: 0.0, sums: vec![0.0; q] }
    }

    fn orders(&self) -> usize {
        self.offsets.len()
    }

    fn key(&self, order: usize, rows: &[u32]) -> f64 {
        mean(rows, &self.w, |i| self.y[i as usize * self.offsets.len() + order])
    }
}

#[derive(Debug)]
pub(crate) struct OutputSides<'a> {
    of: &'a Outputs,
    n: f64,
    totals: Vec<f64>,
    left: f64,
    sums: Vec<f64>,
}

impl Sides for OutputSides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        self.totals.copy_from_slice(&node.totals);
        self.sums.fill(0.0);
        (self.n, self.left) = (node.weight, 0.0);
    }

    fn add(&mut self, row: u32) {
        let w = weight(&self.of.w, row);
        self.left += w;
        let q = self.sums.len();
        let y = &self.of.y[row as usize * q..][..q];
        self.sums.iter_mut().zip(y).for_each(|(s, y)| *s += w * y);
    }

    fn score(&self) -> f64 {
        let right = self.n - self.left;
        if right <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let pairs = self.sums.iter().zip(&self.totals);
        if self.of.poisson {
            return pairs.map(|(&s, &t)| poisson_score(s, t, self.left, right)).sum();
        }
        let excess = |s: f64, t: f64| s * self.n - t * self.left;
        pairs.map(|(&s, &t)| excess(s, t) * excess(s, t)).sum::<f64>() / (self.left * right)
    }

    fn weight(&self) -> f64 {
        self.left
    }

    fn values(&self) -> (f64, f64) {
        let right = (self.totals[0] - self.sums[0]) / (self.n - self.left);
        (self.of.offsets[0] + self.sums[0] / self.left, self.of.offsets[0] + right)
    }
}

/// The deviance that two sides of weights `left` and `right` save, constant terms left out, where `sum` of `total` falls to
/// the left. A side whose mean is zero but for rounding has no finite deviance, and would predict what never happens.
pub(crate) fn poisson_score(sum: f64, total: f64, left: f64, right: f64) -> f64 {
    let part = |sum: f64, n: f64| match sum > 1e-12 * total {
        true => sum * (sum / n).ln(),
        false => f64::NEG_INFINITY,
    };
    part(sum, left) + part(total - sum, right)
}

fn mean(rows: &[u32], w: &Option<Vec<f64>>, y: impl Fn(u32) -> f64) -> f64 {
    let (mut total, mut sum) = (0.0, 0.0);
    for &i in rows {
        total += weight(w, i);
        sum += weight(w, i) * y(i);
    }
    sum / total
}

/// Means and variances in two passes, so that large values lose no digits.
fn summary_of_means(
    rows: &mut dyn Iterator<Item = u32>,
    y: &[f64],
    w: &Option<Vec<f64>>,
    offsets: &[f64],
) -> NodeSummary {
    let q = offsets.len();
    let rows: Vec<u32> = rows.collect();
    let (mut total, mut totals) = (0.0, vec![0.0; q]);
    for &i in &rows {
        let w = weight(w, i);
        total += w;
        totals.iter_mut().zip(&y[i as usize * q..][..q]).for_each(|(t, y)| *t += w * y);
    }
    let means: Vec<f64> = totals.iter().map(|t| t / total).collect();
    let first = rows.first().map_or(&[][..], |&i| &y[i as usize * q..][..q]);
    let (mut loss, mut constant) = (0.0, true);
    for &i in &rows {
        let y = &y[i as usize * q..][..q];
        constant &= y == first;
        loss += weight(w, i) * y.iter().zip(&means).map(|(y, m)| (y - m) * (y - m)).sum::<f64>();
    }
    let means = if constant { first } else { &means[..] };
    let value = means.iter().zip(offsets).map(|(m, o)| m + o).collect();
    let loss = if constant { 0.0 } else { loss };
    NodeSummary { rows: rows.len(), weight: total, impurity: loss / (total * q as f64), value, totals, loss }
}
