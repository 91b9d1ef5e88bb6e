//! Columns about their means in units of their own, and what is summed of them.

use mercer_core::sums::Block;
use mercer_core::{CrossMoments, Dataset, Error, Result};
use mercer_math::{ColumnMoments, Double, Mat, MatRef, Moments, qr_r};
use serde::{Deserialize, Serialize};

/// Where the columns stand: what is subtracted from each and the power of two that it is divided by, so that neither
/// offsets nor units cost digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Columns that vary; the others have no coefficient.
    pub(crate) used: Vec<usize>,
    /// What is subtracted from each column: its mean where there is an intercept, else zero.
    pub(crate) shift: Vec<f64>,
    /// The unit of each used column.
    pub(crate) unit: Vec<f64>,
    /// What is subtracted from each target.
    pub(crate) mean_y: Vec<f64>,
    /// The unit of each target.
    pub(crate) unit_y: Vec<f64>,
    /// Σ s (y − ȳ)² of each target, about zero without an intercept, in its unit squared.
    pub(crate) spread: Vec<f64>,
    /// The largest gradient of zero coefficients, of each target, in these units.
    pub(crate) steep: Vec<f64>,
    /// The sum of the weights.
    pub(crate) weight: f64,
    /// The means of all columns.
    pub(crate) means: Vec<f64>,
    /// Whether the first coefficient is the intercept.
    pub(crate) intercept: bool,
    /// The singular values of the centred rows, where they are known.
    pub(crate) singular: Vec<f64>,
}

/// A power of two near a positive number; 1 for anything else.
fn power_of_two(v: f64) -> f64 {
    if v.is_finite() && v > 0.0 { v.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 }
}

impl Frame {
    /// The frame of moments about the means, where `intercept`, or about zero.
    pub(crate) fn of(moments: &CrossMoments, means: Vec<f64>, intercept: bool) -> Self {
        let CrossMoments { xx, xy, .. } = moments;
        let mut frame = Self::of_columns(moments, means, intercept, |j| xx[(j, j)]);
        for (k, steep) in frame.steep.iter_mut().enumerate() {
            let each = frame.used.iter().map(|&j| (xy[(j, k)] / xx[(j, j)].sqrt() / frame.unit_y[k]).abs());
            *steep = each.fold(1e-8 * *steep, f64::max);
        }
        frame
    }

    /// The frame of columns with these sums of squares; the gradient of zero coefficients is not known better than by
    /// the size of the targets.
    pub(crate) fn of_columns(
        moments: &CrossMoments,
        means: Vec<f64>,
        intercept: bool,
        squares: impl Fn(usize) -> f64,
    ) -> Self {
        let CrossMoments { mean_x, mean_y, yy, weight, .. } = moments;
        // What varies by less than rounding about its mean does not vary.
        let least = |j: usize| if intercept { (4e-15 * means[j]).powi(2) * weight } else { 0.0 };
        let used: Vec<usize> = (0..mean_x.len()).filter(|&j| squares(j) > least(j)).collect();
        let size = |k: usize| (yy[k] + weight * mean_y[k] * mean_y[k]).sqrt();
        let unit_y: Vec<f64> = (0..yy.len()).map(|k| power_of_two(size(k))).collect();
        let (shift, mean_y, weight) = (mean_x.clone(), mean_y.clone(), *weight);
        Self {
            steep: (0..yy.len())
                .map(|k| size(k) / unit_y[k])
                .map(|s| if s > 0.0 { s } else { 1.0 })
                .collect(),
            spread: (0..yy.len()).map(|k| yy[k] / unit_y[k] / unit_y[k]).collect(),
            unit: used.iter().map(|&j| power_of_two(squares(j).sqrt())).collect(),
            singular: Vec::new(),
            used,
            shift,
            unit_y,
            mean_y,
            weight,
            means,
            intercept,
        }
    }

    /// The frame of dense rows, with their targets as a matrix.
    pub(crate) fn of_rows(
        who: &str,
        data: &Dataset<'_>,
        x: MatRef<'_>,
        intercept: bool,
    ) -> Result<(Self, Mat)> {
        let (target, weights) = (data.need_target(who)?, data.weights());
        let columns = (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<Vec<_>>>()?;
        let y = Mat::from_fn(data.n_rows(), columns.len(), |i, k| columns[k][i]);
        let of = |m: MatRef<'_>| ColumnMoments::of(m, weights.as_deref());
        let (of_x, of_y) = (of(x), of(y.view()));
        let squares = |m: &Moments| if intercept { m.m2 } else { m.m2 + m.weight * m.mean * m.mean };
        let about = |m: &ColumnMoments| if intercept { m.means() } else { vec![0.0; m.columns.len()] };
        let mut moments = CrossMoments::empty(0, 0);
        moments.weight = of_y.columns.first().map_or(0.0, |m| m.weight);
        (moments.mean_x, moments.mean_y) = (about(&of_x), about(&of_y));
        moments.yy = of_y.columns.iter().map(squares).collect();
        let all = of_x.columns.iter().map(squares).chain(moments.yy.iter().copied());
        if all.chain([moments.weight]).any(|v| !v.is_finite()) {
            return Err(Error::numeric(who, "values too large: scale the features or the target"));
        }
        Ok((Self::of_columns(&moments, of_x.means(), intercept, |j| squares(&of_x.columns[j])), y))
    }

    /// The coefficients of each target (targets × features) and the intercepts, in the units of the data, of coefficients
    /// in this frame: targets × coefficients with the intercept first.
    pub(crate) fn unscaled(&self, u: &Mat) -> (Mat, Vec<f64>) {
        let first = usize::from(self.intercept);
        let mut coef = Mat::zeros(u.n_rows(), self.means.len());
        let mut intercept = vec![0.0; u.n_rows()];
        for (k, intercept) in intercept.iter_mut().enumerate() {
            let units = self.used.iter().zip(&self.unit).enumerate();
            units.for_each(|(i, (&j, unit))| coef[(k, j)] = u[(k, i + first)] / unit * self.unit_y[k]);
            if self.intercept {
                let mut b = Double { hi: self.mean_y[k], lo: 0.0 };
                b.add_product(u[(k, 0)], self.unit_y[k]);
                coef.row(k).iter().zip(&self.shift).for_each(|(w, m)| b.add_product(-w, *m));
                *intercept = b.value();
            }
        }
        (coef, intercept)
    }

    /// The number of coefficients, the intercept among them.
    pub(crate) fn width(&self) -> usize {
        self.used.len() + usize::from(self.intercept)
    }

    /// Row `i` of `x` in this frame, the constant of the intercept first.
    pub(crate) fn fill(&self, x: MatRef<'_>, i: usize, out: &mut [f64]) {
        let first = usize::from(self.intercept);
        out[..first].fill(1.0);
        let columns = out[first..].iter_mut().zip(&self.used).zip(&self.unit);
        match x.row(i) {
            Some(row) => columns.for_each(|((o, &j), unit)| *o = (row[j] - self.shift[j]) / unit),
            None => columns.for_each(|((o, &j), unit)| *o = (x.get(i, j) - self.shift[j]) / unit),
        }
    }

    /// Target `k` of row `i` in this frame.
    pub(crate) fn target(&self, y: MatRef<'_>, i: usize, k: usize) -> f64 {
        (y.get(i, k) - self.mean_y[k]) / self.unit_y[k]
    }

    /// R of the rows and targets of a block, each row times the root of its weight; not a number where that overflows.
    pub(crate) fn triangle(&self, block: &Block<'_>) -> Mat {
        let mut scratch = Mat::default();
        let (x, q, t) = (block.dense(&mut scratch), self.width(), self.mean_y.len());
        let mut rows = Mat::zeros(block.n_rows(), q + t);
        for i in 0..block.n_rows() {
            let (root, row) = (block.weight(i).sqrt(), rows.row_mut(i));
            self.fill(x, i, &mut row[..q]);
            row[q..].iter_mut().enumerate().for_each(|(k, o)| *o = self.target(block.targets, i, k));
            row.iter_mut().for_each(|v| *v *= root);
        }
        qr_r(rows.view()).unwrap_or_else(|| Mat::from_fn(1, q + t, |_, _| f64::NAN))
    }

    /// Adds what a block leaves of the targets beside coefficients `u` (targets × coefficients), and its gradient.
    pub(crate) fn residual(&self, block: &Block<'_>, u: &Mat, sums: &mut ResidualSums) {
        let mut scratch = Mat::default();
        let x = block.dense(&mut scratch);
        let mut row = vec![0.0; self.width()];
        for i in 0..block.n_rows() {
            self.fill(x, i, &mut row);
            for k in 0..u.n_rows() {
                let r = self.target(block.targets, i, k) - mercer_math::dot(&row, u.row(k));
                sums.squares[k] += block.weight(i) * r * r;
                mercer_math::axpy(block.weight(i) * r, &row, sums.gradient.row_mut(k));
            }
        }
    }

    /// The same with twice the digits.
    pub(crate) fn careful_residual(&self, block: &Block<'_>, u: &Mat, sums: &mut ResidualSums) {
        let mut scratch = Mat::default();
        let (x, first) = (block.dense(&mut scratch), usize::from(self.intercept));
        let mut row = vec![Double { hi: 1.0, lo: 0.0 }; self.width()];
        for i in 0..block.n_rows() {
            for ((o, &j), unit) in row[first..].iter_mut().zip(&self.used).zip(&self.unit) {
                let exact = Double::difference(x.get(i, j), self.shift[j]);
                *o = Double { hi: exact.hi / unit, lo: exact.lo / unit };
            }
            for k in 0..u.n_rows() {
                let exact = Double::difference(block.targets.get(i, k), self.mean_y[k]);
                let mut r = Double { hi: exact.hi / self.unit_y[k], lo: exact.lo / self.unit_y[k] };
                for (c, u) in row.iter().zip(u.row(k)) {
                    r.add_product(-c.hi, *u);
                    r.lo -= c.lo * u;
                }
                let (r, s) = (r.settled(), block.weight(i));
                sums.squares[k] += s * r.hi * r.hi;
                for (j, c) in row.iter().enumerate() {
                    let mut g = Double { hi: sums.gradient[(k, j)], lo: sums.low[(k, j)] };
                    g.add_product(s * r.hi, c.hi);
                    g.lo += s * (r.lo * c.hi + r.hi * c.lo);
                    (sums.gradient[(k, j)], sums.low[(k, j)]) = (g.hi, g.lo);
                }
            }
        }
    }
}

/// The triangle of the rows of two triangles together.
pub(crate) fn stacked(a: Mat, b: Mat) -> Mat {
    let (n, q) = (a.n_rows() + b.n_rows(), a.n_cols());
    let rows = Mat::from_vec([a.into_vec(), b.into_vec()].concat(), n, q);
    rows.and_then(|rows| qr_r(rows.view())).unwrap_or_else(|| Mat::from_fn(1, q, |_, _| f64::NAN))
}

/// Sums over residuals r of each target: Σ s r² and the gradient Σ s r x, as leading and trailing parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResidualSums {
    pub(crate) squares: Vec<f64>,
    pub(crate) gradient: Mat,
    pub(crate) low: Mat,
}

impl ResidualSums {
    pub(crate) fn empty(n_targets: usize, width: usize) -> Self {
        let zeros = || Mat::zeros(n_targets, width);
        Self { squares: vec![0.0; n_targets], gradient: zeros(), low: zeros() }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        mercer_math::axpy(1.0, &other.squares, &mut self.squares);
        let own = self.gradient.as_mut_slice().iter_mut().zip(self.low.as_mut_slice());
        let others = other.gradient.as_slice().iter().zip(other.low.as_slice());
        for ((hi, lo), (&h, &l)) in own.zip(others) {
            let mut sum = Double { hi: *hi, lo: *lo };
            sum.merge(Double { hi: h, lo: l });
            (*hi, *lo) = (sum.hi, sum.lo);
        }
    }
}
