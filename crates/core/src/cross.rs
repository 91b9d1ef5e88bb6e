//! Centred second moments of features and targets, summed block by block.

use crate::input::NumbersRef;
use crate::sums::Block;
use mercer_math::{Mat, gemm, weighted_gram};
use serde::{Deserialize, Serialize};

/// Weight, means and centred products of features `x` and targets `y`: all that least squares, principal
/// components and discriminants need of their data.
///
/// Blocks are centred at their own mean and merged by the update of Chan, Golub and LeVeque (1979), so that
/// one pass over data far from zero loses no digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CrossMoments {
    /// The sum of the weights.
    pub weight: f64,
    /// The number of rows of positive weight.
    pub n_rows: u64,
    /// The weighted means of the features.
    pub mean_x: Vec<f64>,
    /// The weighted means of the targets.
    pub mean_y: Vec<f64>,
    /// Σ w (x − x̄)(x − x̄)ᵀ; the lower triangle and the diagonal count.
    pub xx: Mat,
    /// Σ w (x − x̄)(y − ȳ)ᵀ.
    pub xy: Mat,
    /// Σ w (y − ȳ)² of each target.
    pub yy: Vec<f64>,
}

impl CrossMoments {
    /// The zero of merging.
    pub fn empty(n_features: usize, n_targets: usize) -> Self {
        Self {
            weight: 0.0,
            n_rows: 0,
            mean_x: vec![0.0; n_features],
            mean_y: vec![0.0; n_targets],
            xx: Mat::zeros(n_features, n_features),
            xy: Mat::zeros(n_features, n_targets),
            yy: vec![0.0; n_targets],
        }
    }

    /// The moments of one block.
    pub fn of_block(block: &Block<'_>) -> Self {
        let mut scratch = Mat::default();
        let x = block.dense(&mut scratch);
        let y = block.targets;
        let mut out = Self::empty(x.n_cols(), y.n_cols());
        let mean = |m: mercer_math::MatRef<'_>, into: &mut [f64], total: f64| {
            for i in 0..m.n_rows() {
                let w = block.weight(i) / total;
                match m.row(i) {
                    Some(row) => mercer_math::axpy(w, row, into),
                    None => into.iter_mut().enumerate().for_each(|(j, s)| *s += w * m.get(i, j)),
                }
            }
        };
        out.n_rows = (0..block.n_rows()).filter(|&i| block.weight(i) > 0.0).count() as u64;
        out.weight = block.weights.map_or(block.n_rows() as f64, mercer_math::sum);
        if out.weight == 0.0 {
            return out;
        }
        mean(x, &mut out.mean_x, out.weight);
        mean(y, &mut out.mean_y, out.weight);
        weighted_gram(x, block.weights, Some(&out.mean_x), &mut out.xx);
        if y.n_cols() > 0 {
            out.add_targets(block, x);
        }
        out
    }

    /// Adds Σ w (x − x̄)(y − ȳ)ᵀ, which equals Σ x w (y − ȳ)ᵀ since the second factor sums to zero, up to
    /// rounding that grows with |x̄|; the explicit correction below removes it.
    fn add_targets(&mut self, block: &Block<'_>, x: mercer_math::MatRef<'_>) {
        let y = block.targets;
        let centred =
            Mat::from_fn(y.n_rows(), y.n_cols(), |i, k| block.weight(i) * (y.get(i, k) - self.mean_y[k]));
        gemm(1.0, x.t(), centred.view(), 0.0, &mut self.xy);
        for k in 0..y.n_cols() {
            let drift: f64 = centred.col(k).iter().sum();
            for j in 0..x.n_cols() {
                self.xy[(j, k)] -= drift * self.mean_x[j];
            }
            self.yy[k] =
                (0..y.n_rows()).map(|i| block.weight(i) * (y.get(i, k) - self.mean_y[k]).powi(2)).sum();
        }
    }

    /// Adds the moments of other rows.
    pub fn merge(&mut self, other: Self) {
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = other;
            return;
        }
        let total = self.weight + other.weight;
        let scale = self.weight * other.weight / total;
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| b - a).collect::<Vec<f64>>();
        let (dx, dy) = (difference(&self.mean_x, &other.mean_x), difference(&self.mean_y, &other.mean_y));
        for (j, &d) in dx.iter().enumerate() {
            let row = self.xx.row_mut(j);
            mercer_math::axpy(1.0, other.xx.row(j), row);
            mercer_math::axpy(scale * d, &dx, row);
            for (k, &e) in dy.iter().enumerate() {
                self.xy[(j, k)] += other.xy[(j, k)] + scale * d * e;
            }
        }
        for (k, &e) in dy.iter().enumerate() {
            self.yy[k] += other.yy[k] + scale * e * e;
        }
        let share = other.weight / total;
        self.mean_x.iter_mut().zip(&dx).for_each(|(m, d)| *m += share * d);
        self.mean_y.iter_mut().zip(&dy).for_each(|(m, d)| *m += share * d);
        (self.weight, self.n_rows) = (total, self.n_rows + other.n_rows);
    }

    /// The same moments about zero instead of the mean, for models without an intercept.
    #[must_use]
    pub fn about_zero(mut self) -> Self {
        for j in 0..self.mean_x.len() {
            let scaled = self.weight * self.mean_x[j];
            mercer_math::axpy(scaled, &self.mean_x, self.xx.row_mut(j));
            for k in 0..self.mean_y.len() {
                self.xy[(j, k)] += scaled * self.mean_y[k];
            }
        }
        for k in 0..self.mean_y.len() {
            self.yy[k] += self.weight * self.mean_y[k] * self.mean_y[k];
        }
        self.mean_x.fill(0.0);
        self.mean_y.fill(0.0);
        self
    }
}

/// Rows times a vector, for dense and sparse rows alike.
pub fn rows_dot(x: NumbersRef<'_>, w: &[f64]) -> Vec<f64> {
    match x {
        NumbersRef::Dense(x) => mercer_math::gemv(x, w),
        NumbersRef::Sparse(_) => (0..x.n_rows()).map(|i| x.dot_row(i, w)).collect(),
    }
}

/// Transposed rows times a vector, for dense and sparse rows alike.
pub fn rows_t_dot(x: NumbersRef<'_>, v: &[f64]) -> Vec<f64> {
    match x {
        NumbersRef::Dense(x) => mercer_math::gemv_t(x, v),
        NumbersRef::Sparse(x) => {
            let mut out = vec![0.0; x.n_cols()];
            for (i, &vi) in v.iter().enumerate() {
                let (columns, values) = x.row(i);
                columns.iter().zip(values).for_each(|(&j, value)| out[j as usize] += vi * value);
            }
            out
        }
    }
}
