//! Rows in a frame of their own, as solvers of scores without an intercept see them.

use mercer_core::{Dataset, Error, NumbersRef, Result};
use mercer_math::{Csr, CsrRef, Mat, MatRef, Weights, axpy, dot};
use rayon::prelude::*;

/// The rows with a weight, their columns about their means and in units of their spread. Constant columns are left out.
pub(crate) struct ScaledRows {
    a: Scaled,
    pub(crate) weights: Vec<f64>,
    /// The rows of the data that these are.
    pub(crate) kept: Vec<usize>,
    /// The columns that vary.
    used: Vec<usize>,
    /// The mean of every column.
    pub(crate) means: Vec<f64>,
    /// The spread of each used column.
    units: Vec<f64>,
}

/// Rows × used columns.
enum Scaled {
    Dense(Mat),
    /// Zeros stay zeros: what they are in the frame, the same for all rows of a column, is subtracted on the way.
    Sparse {
        rows: Csr,
        columns: Csr,
        zeros: Vec<f64>,
    },
}

/// Rows of a block.
const BLOCK: usize = 1024;

impl ScaledRows {
    pub(crate) fn of(who: &str, data: &Dataset<'_>) -> Result<Self> {
        let (numbers, own) = (data.numbers(who)?, data.weights());
        let weight = Weights::of(&own);
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| weight.counts(i)).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| weight[i]).collect();
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::numeric(who, "the weights of the rows add up to no finite positive number"));
        }
        let made = match numbers.view() {
            NumbersRef::Dense(x) => dense(x, &kept, &weights, total),
            NumbersRef::Sparse(x) => sparse(x, &kept, &weights, total),
        };
        let (a, means, used, units) = made;
        Ok(Self { a, weights, kept, used, means, units })
    }

    /// The L2 penalty of each coefficient in this frame, for a penalty `alpha` in that of the data.
    pub(crate) fn penalty(&self, alpha: f64) -> Vec<f64> {
        self.units.iter().map(|unit| (alpha / unit / unit).min(1e200)).collect()
    }

    /// Coefficients of this frame in that of the data, and the score of the means there.
    pub(crate) fn unscaled(&self, u: &[f64]) -> (Vec<f64>, f64) {
        let mut coef = vec![0.0; self.means.len()];
        self.used.iter().zip(u.iter().zip(&self.units)).for_each(|(&j, (u, unit))| coef[j] = u / unit);
        let at_means = dot(&coef, &self.means);
        (coef, at_means)
    }

    /// Coefficients of the data's frame in this one, and the score of the means there.
    pub(crate) fn scaled(&self, coef: &[f64]) -> (Vec<f64>, f64) {
        let u = self.used.iter().zip(&self.units).map(|(&j, unit)| coef[j] * unit).collect();
        (u, dot(coef, &self.means))
    }

    /// A u, in blocks side by side.
    pub(crate) fn scores(&self, u: &[f64], out: &mut Vec<f64>) {
        out.resize(self.kept.len(), 0.0);
        let shift = match &self.a {
            Scaled::Dense(_) => 0.0,
            Scaled::Sparse { zeros, .. } => dot(zeros, u),
        };
        out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
            for (i, f) in out.iter_mut().enumerate() {
                let i = block * BLOCK + i;
                *f = match &self.a {
                    Scaled::Dense(a) => dot(a.row(i), u),
                    Scaled::Sparse { rows, .. } => {
                        let (at, values) = rows.view().row(i);
                        at.iter().zip(values).map(|(&j, v)| v * u[j as usize]).sum::<f64>() + shift
                    }
                };
            }
        });
    }

    /// Aᵀ p: dense rows are summed over blocks of fixed size, sparse columns each on its own.
    pub(crate) fn transposed(&self, p: &[f64]) -> Vec<f64> {
        let a = match &self.a {
            Scaled::Dense(a) => a,
            Scaled::Sparse { columns, zeros, .. } => {
                let sum = mercer_math::pairwise_sum(p);
                let one = |j: usize| {
                    let (at, values) = columns.view().row(j);
                    at.iter().zip(values).map(|(&i, v)| v * p[i as usize]).sum::<f64>() + zeros[j] * sum
                };
                return (0..self.used.len()).into_par_iter().with_min_len(64).map(one).collect();
            }
        };
        let leaf = |block: usize| {
            let mut sum = vec![0.0; a.n_cols()];
            let rows = block * BLOCK..((block + 1) * BLOCK).min(p.len());
            rows.for_each(|i| axpy(p[i], a.row(i), &mut sum));
            sum
        };
        let add = |mut a: Vec<f64>, b: Vec<f64>| {
            axpy(1.0, &b, &mut a);
            a
        };
        mercer_math::tree_reduce(p.len().div_ceil(BLOCK), leaf, add).unwrap_or_default()
    }

    /// Σ s |a| of each column.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        match &self.a {
            Scaled::Dense(a) => {
                let mut out = vec![0.0; a.n_cols()];
                for (i, s) in self.weights.iter().enumerate() {
                    out.iter_mut().zip(a.row(i)).for_each(|(o, a)| *o += s * a.abs());
                }
                out
            }
            Scaled::Sparse { columns, zeros, .. } => {
                let total: f64 = self.weights.iter().sum();
                let one = |(j, zero): (usize, &f64)| {
                    let (at, values) = columns.view().row(j);
                    let weight = |i: u32| self.weights[i as usize];
                    let stored: f64 = at.iter().map(|&i| weight(i)).sum();
                    let own: f64 = at.iter().zip(values).map(|(&i, v)| weight(i) * (v + zero).abs()).sum();
                    own + (total - stored).max(0.0) * zero.abs()
                };
                zeros.iter().enumerate().map(one).collect()
            }
        }
    }
}

/// Scaled rows, the mean of every column, the columns that vary and their spread.
type Made = (Scaled, Vec<f64>, Vec<usize>, Vec<f64>);

/// Sums are taken of shares and in units of the largest value, so that none overflows.
fn dense(x: MatRef<'_>, kept: &[usize], weights: &[f64], total: f64) -> Made {
    let mean = |j: usize| kept.iter().zip(weights).map(|(&i, w)| w / total * x.get(i, j)).sum::<f64>();
    let means: Vec<f64> = (0..x.n_cols()).into_par_iter().map(mean).collect();
    let spread = |j: usize| {
        let most = kept.iter().fold(0.0f64, |m, &i| m.max((x.get(i, j) - means[j]).abs()));
        let squares = |(&i, w): (&usize, &f64)| w / total * ((x.get(i, j) - means[j]) / most).powi(2);
        // What rounding leaves of a constant is no spread.
        match most > 1e-13 * means[j].abs() {
            true => most * kept.iter().zip(weights).map(squares).sum::<f64>().sqrt(),
            false => 0.0,
        }
    };
    let spreads: Vec<f64> = (0..x.n_cols()).into_par_iter().map(spread).collect();
    let (used, units) = varying(&spreads);
    let a =
        Mat::from_fn(kept.len(), used.len(), |i, j| (x.get(kept[i], used[j]) - means[used[j]]) / units[j]);
    (Scaled::Dense(a), means, used, units)
}

/// The same of sparse rows, column by column: zeros that are not there count by the weight that is left.
fn sparse(x: CsrRef<'_>, kept: &[usize], weights: &[f64], total: f64) -> Made {
    let rows = x.gather(kept);
    let columns = rows.view().transposed();
    let column = |j: usize| {
        let (at, values) = columns.view().row(j);
        at.iter().zip(values).map(|(&i, v)| (weights[i as usize] / total, *v))
    };
    let mean = |j: usize| column(j).map(|(w, v)| w * v).sum::<f64>();
    let means: Vec<f64> = (0..x.n_cols()).into_par_iter().map(mean).collect();
    let spread = |j: usize| {
        let empty = (1.0 - column(j).map(|(w, _)| w).sum::<f64>()).max(0.0);
        let full = columns.view().row(j).0.len() == kept.len();
        let start = if full { 0.0 } else { means[j].abs() };
        let most = column(j).fold(start, |m: f64, (_, v)| m.max((v - means[j]).abs()));
        let stored: f64 = column(j).map(|(w, v)| w * ((v - means[j]) / most).powi(2)).sum();
        let rest = if full { 0.0 } else { empty * (means[j] / most).powi(2) };
        if most > 1e-13 * means[j].abs() && most > 0.0 { most * (stored + rest).sqrt() } else { 0.0 }
    };
    let spreads: Vec<f64> = (0..x.n_cols()).into_par_iter().map(spread).collect();
    let (used, units) = varying(&spreads);
    let mut scaled = Csr::empty(used.len());
    let mut place = vec![u32::MAX; x.n_cols()];
    used.iter().enumerate().for_each(|(to, &j)| place[j] = to as u32);
    for i in 0..rows.n_rows() {
        let (at, values) = rows.view().row(i);
        let own = at.iter().zip(values).filter(|(j, _)| place[**j as usize] != u32::MAX);
        let (at, values): (Vec<u32>, Vec<f64>) =
            own.map(|(&j, v)| (place[j as usize], v / units[place[j as usize] as usize])).unzip();
        scaled.push_row(&at, &values);
    }
    let zeros = used.iter().zip(&units).map(|(&j, unit)| -means[j] / unit).collect();
    let columns = scaled.view().transposed();
    (Scaled::Sparse { rows: scaled, columns, zeros }, means, used, units)
}

/// The columns that vary, and their spread.
fn varying(spreads: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let used: Vec<usize> = (0..spreads.len()).filter(|&j| spreads[j] > 0.0).collect();
    let units = used.iter().map(|&j| spreads[j]).collect();
    (used, units)
}
