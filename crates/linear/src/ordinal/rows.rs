//! Dense rows in a frame of their own, as solvers of scores without an intercept see them.

use mercer_core::{Dataset, Error, Result};
use mercer_math::{Mat, Weights, axpy, dot};
use rayon::prelude::*;

/// The rows with a weight, their columns about their means and in units of their spread. Constant columns are left out.
pub(crate) struct ScaledRows {
    /// Rows × used columns.
    pub(crate) a: Mat,
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

/// Rows of a block.
const BLOCK: usize = 1024;

impl ScaledRows {
    pub(crate) fn of(who: &str, data: &Dataset<'_>) -> Result<Self> {
        let (x, own) = (data.dense(who)?, data.weights());
        let (x, weight) = (x.view(), Weights::of(&own));
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| weight.counts(i)).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| weight[i]).collect();
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::numeric(who, "the weights of the rows add up to no finite positive number"));
        }
        // Sums are taken of shares and in units of the largest value, so that none overflows.
        let mean = |j: usize| kept.iter().zip(&weights).map(|(&i, w)| w / total * x.get(i, j)).sum::<f64>();
        let means: Vec<f64> = (0..x.n_cols()).into_par_iter().map(mean).collect();
        let spread = |j: usize| {
            let most = kept.iter().fold(0.0f64, |m, &i| m.max((x.get(i, j) - means[j]).abs()));
            let squares = |(&i, w): (&usize, &f64)| w / total * ((x.get(i, j) - means[j]) / most).powi(2);
            // What rounding leaves of a constant is no spread.
            match most > 1e-13 * means[j].abs() {
                true => most * kept.iter().zip(&weights).map(squares).sum::<f64>().sqrt(),
                false => 0.0,
            }
        };
        let spreads: Vec<f64> = (0..x.n_cols()).into_par_iter().map(spread).collect();
        let used: Vec<usize> = (0..x.n_cols()).filter(|&j| spreads[j] > 0.0).collect();
        let units: Vec<f64> = used.iter().map(|&j| spreads[j]).collect();
        let a = Mat::from_fn(kept.len(), used.len(), |i, j| {
            (x.get(kept[i], used[j]) - means[used[j]]) / units[j]
        });
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
        out.resize(self.a.n_rows(), 0.0);
        out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
            out.iter_mut().enumerate().for_each(|(i, f)| *f = dot(self.a.row(block * BLOCK + i), u));
        });
    }

    /// Aᵀ p, summed over blocks of fixed size.
    pub(crate) fn transposed(&self, p: &[f64]) -> Vec<f64> {
        let leaf = |block: usize| {
            let mut sum = vec![0.0; self.a.n_cols()];
            let rows = block * BLOCK..((block + 1) * BLOCK).min(p.len());
            rows.for_each(|i| axpy(p[i], self.a.row(i), &mut sum));
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
        let mut out = vec![0.0; self.a.n_cols()];
        for (i, s) in self.weights.iter().enumerate() {
            out.iter_mut().zip(self.a.row(i)).for_each(|(o, a)| *o += s * a.abs());
        }
        out
    }
}
