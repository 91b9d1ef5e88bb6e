//! Where the columns stand, and what is summed of their rows.

use super::family::{Curved, Family};
use mercer_core::NumbersRef;
use mercer_core::sums::Block;
use mercer_math::{
    ColumnMoments, Mat, Moments, axpy, gemv, gemv_t, sparse_t_add, sparse_times, special::lgamma, sum,
    weighted_gram,
};
use serde::{Deserialize, Serialize};

/// Columns less their means in units of their spread, so that neither offsets nor units matter; sparse ones keep their
/// zeros.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GlmFrame {
    /// The sum of the weights.
    pub(super) weight: f64,
    pub(super) y: Moments,
    pub(super) means: Vec<f64>,
    /// What is subtracted from each column.
    pub(super) shift: Vec<f64>,
    /// What it is multiplied by then; 0 for columns that do not vary, which have no coefficient.
    pub(super) scale: Vec<f64>,
    pub(super) intercept: bool,
    /// The weights of the squares of all coefficients in this frame, the intercept first.
    pub(super) penalty: Vec<f64>,
}

impl GlmFrame {
    /// Of the offset, which has no coefficient, nothing is subtracted.
    pub(super) fn of(
        sums: &GlmSums,
        intercept: bool,
        sparse: bool,
        alpha: f64,
        offset: Option<usize>,
    ) -> Self {
        let squares = |m: &Moments| if intercept { m.m2 } else { m.m2 + m.weight * m.mean * m.mean };
        // What varies by less than rounding about its mean does not vary.
        let varies =
            |m: &Moments| squares(m) > if intercept { (4e-15 * m.mean).powi(2) * m.weight } else { 0.0 };
        let scale: Vec<f64> = sums
            .columns
            .iter()
            .enumerate()
            .map(|(j, m)| match varies(m) && offset != Some(j) {
                true => (m.weight / squares(m)).sqrt().min(1e160),
                false => 0.0,
            })
            .collect();
        let shift =
            |(m, scale): (&Moments, &f64)| if intercept && (!sparse || *scale == 0.0) { m.mean } else { 0.0 };
        let mut shift: Vec<f64> = sums.columns.iter().zip(&scale).map(shift).collect();
        offset.into_iter().for_each(|j| shift[j] = 0.0);
        let own = scale.iter().map(|s| (alpha * s * s).min(1e200));
        Self {
            weight: sums.y.weight,
            y: sums.y,
            means: sums.columns.iter().map(|m| m.mean).collect(),
            shift,
            penalty: std::iter::repeat_n(0.0, usize::from(intercept)).chain(own).collect(),
            scale,
            intercept,
        }
    }

    /// Coefficients, the intercept among them.
    pub(super) fn width(&self) -> usize {
        self.penalty.len()
    }

    /// Coefficients and intercept in the units of the data.
    pub(super) fn unscaled(&self, u: &[f64]) -> (Vec<f64>, f64) {
        let (b, u) = u.split_at(usize::from(self.intercept));
        let coef: Vec<f64> = u.iter().zip(&self.scale).map(|(u, s)| u * s).collect();
        let at_shift = b.first().copied().unwrap_or(0.0);
        let intercept = if self.intercept { at_shift - mercer_math::dot(&coef, &self.shift) } else { 0.0 };
        (coef, intercept)
    }

    /// The coefficients of a model in this frame.
    pub(super) fn scaled(&self, coef: &[f64], intercept: f64) -> Vec<f64> {
        let at_shift = self.intercept.then(|| intercept + mercer_math::dot(coef, &self.shift));
        let own = coef.iter().zip(&self.scale).map(|(w, s)| if *s > 0.0 { w / s } else { 0.0 });
        at_shift.into_iter().chain(own).collect()
    }

    /// Some rows in this frame.
    fn fill(&self, x: NumbersRef<'_>, out: &mut Mat) {
        let first = usize::from(self.intercept);
        for i in 0..x.n_rows() {
            let row = out.row_mut(i);
            row[..first].fill(1.0);
            match x {
                NumbersRef::Dense(x) => {
                    let columns = row[first..].iter_mut().zip(self.shift.iter().zip(&self.scale));
                    let values = x.row_cow(i);
                    columns.zip(values.iter()).for_each(|((o, (m, s)), v)| *o = (v - m) * s);
                }
                NumbersRef::Sparse(x) => {
                    row[first..].fill(0.0);
                    let (at, values) = x.row(i);
                    at.iter()
                        .zip(values)
                        .for_each(|(&j, v)| row[first + j as usize] += v * self.scale[j as usize]);
                }
            }
        }
    }
}

/// What one block contributes to a round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct GlmSums {
    pub(super) columns: Vec<Moments>,
    pub(super) y: Moments,
    /// Half the deviance.
    pub(super) loss: f64,
    pub(super) grad: Vec<f64>,
    /// The lower triangle of the Hessian, where it is wanted; else of no size.
    pub(super) gram: Mat,
    pub(super) facts: Facts,
}

/// Sums that likelihoods are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// Σ s (y − μ)² / V(μ).
    pub(super) pearson: f64,
    /// Half the deviance of the mean of the target, where there is no offset.
    pub(super) null: f64,
    /// Σ s ln y, where the family has positive targets.
    pub(super) log_y: f64,
    /// Σ s (y ln μ − μ − ln y!), of counts.
    pub(super) counts: f64,
}

impl GlmSums {
    pub(super) fn merge(&mut self, other: Self) {
        self.columns.iter_mut().zip(&other.columns).for_each(|(a, b)| *a = a.merge(*b));
        self.y = self.y.merge(other.y);
        self.loss += other.loss;
        axpy(1.0, &other.grad, &mut self.grad);
        axpy(1.0, other.gram.as_slice(), self.gram.as_mut_slice());
        self.facts.pearson += other.facts.pearson;
        self.facts.null += other.facts.null;
        self.facts.log_y += other.facts.log_y;
        self.facts.counts += other.facts.counts;
    }

    /// Adds the moments of a block.
    pub(super) fn count(&mut self, block: &Block<'_>) {
        let y = ColumnMoments::of_block(block.targets, block.weights.given());
        self.y = self.y.merge(y.columns.first().copied().unwrap_or_default());
        let columns = match block.x {
            NumbersRef::Dense(x) => ColumnMoments::of_block(x, block.weights.given()).columns,
            NumbersRef::Sparse(x) => {
                let weight = block.weights.total(block.n_rows());
                let (mut sums, mut squares) = (vec![0.0; x.n_cols()], vec![0.0; x.n_cols()]);
                for i in 0..x.n_rows() {
                    let (at, values) = x.row(i);
                    for (&j, v) in at.iter().zip(values) {
                        sums[j as usize] += block.weight(i) * v;
                        squares[j as usize] += block.weight(i) * v * v;
                    }
                }
                let of = |(s, q): (&f64, &f64)| {
                    let mean = if weight > 0.0 { s / weight } else { 0.0 };
                    let left = q - weight * mean * mean;
                    // What rounding leaves of a constant is no spread.
                    Moments { weight, mean, m2: if left > 1e-14 * q { left } else { 0.0 } }
                };
                sums.iter().zip(&squares).map(of).collect()
            }
        };
        self.columns.iter_mut().zip(columns).for_each(|(a, b)| *a = a.merge(b));
    }
}

/// One point of a problem, to be evaluated on blocks.
pub(super) struct Pass<'a> {
    pub(super) family: Family,
    pub(super) frame: &'a GlmFrame,
    pub(super) point: &'a [f64],
    pub(super) curved: Curved,
    /// The column that is added to the score.
    pub(super) offset: Option<usize>,
    /// Whether likelihoods are wanted, too.
    pub(super) finish: bool,
}

/// One number of some rows.
fn value(x: NumbersRef<'_>, i: usize, j: usize) -> f64 {
    match x {
        NumbersRef::Dense(x) => x.get(i, j),
        NumbersRef::Sparse(x) => {
            let (at, values) = x.row(i);
            at.iter().zip(values).filter(|(at, _)| **at as usize == j).map(|(_, v)| v).sum()
        }
    }
}

/// Rows whose copies stay in the nearest caches.
const PIECE: usize = 256;

impl Pass<'_> {
    /// Adds loss and gradient, and the Hessian where there is room for it.
    pub(super) fn absorb(&self, block: &Block<'_>, wide: bool, out: &mut GlmSums) {
        let y: Vec<f64> = (0..block.n_rows()).map(|i| block.targets.get(i, 0)).collect();
        let piece = if wide { block.n_rows().max(1) } else { PIECE };
        let (mut g, mut h) = (vec![0.0; piece], vec![0.0; piece]);
        let mut rows = Mat::zeros(if wide { 0 } else { piece }, self.frame.width());
        for start in (0..block.n_rows()).step_by(piece) {
            let range = start..(start + piece).min(block.n_rows());
            let (x, n) = (block.x.rows(range.clone()), range.len());
            let (y, weights) = (&y[range.clone()], block.weights.rows(range));
            let mut scores = if wide {
                self.sparse_scores(x)
            } else {
                self.frame.fill(x, &mut rows);
                gemv(rows.view().rows(0..n), self.point)
            };
            if let Some(j) = self.offset {
                scores.iter_mut().enumerate().for_each(|(i, score)| *score += value(x, i, j));
            }
            let curvature = if out.gram.n_rows() > 0 { &mut h[..n] } else { &mut [][..] };
            let loss = self.family.evaluate(y, &mut scores, weights, self.curved, (&mut g[..n], curvature));
            out.loss += loss;
            if !loss.is_finite() {
                continue;
            }
            if wide {
                self.sparse_back(x, &g[..n], &mut out.grad);
            } else {
                axpy(1.0, &gemv_t(rows.view().rows(0..n), &g[..n]), &mut out.grad);
            }
            if out.gram.n_rows() > 0 {
                weighted_gram(rows.view().rows(0..n), Some(&h[..n]), None, &mut out.gram);
            }
            if self.finish {
                self.finish(y, &scores, weights, &mut out.facts);
            }
        }
    }

    fn finish(&self, y: &[f64], means: &[f64], weights: mercer_math::Weights<'_>, out: &mut Facts) {
        for (i, (&y, &mean)) in y.iter().zip(means).enumerate() {
            let s = weights[i];
            out.pearson += s * self.family.pearson(mean, y - mean);
            match self.family.power {
                1.0 if s > 0.0 => out.counts += s * (y * mean.ln() - mean - lgamma(y + 1.0)),
                p if p >= 2.0 && s > 0.0 => out.log_y += s * y.ln(),
                _ => {}
            }
        }
        let total = weights.total(y.len());
        if total > 0.0 && self.offset.is_none() {
            let constant = vec![self.frame.y.mean; y.len()];
            let null = mercer_measure::tweedie_deviance(y, &constant, self.family.power, weights.given());
            out.null += 0.5 * total * null.unwrap_or(f64::NAN);
        }
    }

    fn sparse_scores(&self, x: NumbersRef<'_>) -> Vec<f64> {
        let (coef, intercept) = self.frame.unscaled(self.point);
        let mut z = vec![0.0; x.n_rows()];
        if let NumbersRef::Sparse(x) = x {
            sparse_times(x, &coef, 1, &mut z);
            z.iter_mut().for_each(|z| *z += intercept);
        }
        z
    }

    fn sparse_back(&self, x: NumbersRef<'_>, g: &[f64], grad: &mut [f64]) {
        let (b, w) = grad.split_at_mut(usize::from(self.frame.intercept));
        b.iter_mut().for_each(|b| *b += sum(g));
        if let NumbersRef::Sparse(x) = x {
            let mut own = vec![0.0; w.len()];
            sparse_t_add(x, g, 1, &mut own);
            w.iter_mut().zip(own.iter().zip(&self.frame.scale)).for_each(|(w, (o, s))| *w += o * s);
        }
    }
}
