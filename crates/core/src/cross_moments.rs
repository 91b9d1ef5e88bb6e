//! Centred second moments of features and targets, summed block by block.

use crate::data_kinds::NumbersRef;
use crate::sums::Block;
use mercer_math::{Mat, MatRef, Weights, gemm, weighted_gram};
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

    /// The moments of one block: rows that fit the cache are centred at their own mean and added at once, then
    /// the spread of those means is added.
    pub fn of_block(block: &Block<'_>) -> Self {
        let mut scratch = Mat::default();
        let x = block.dense(&mut scratch);
        let mut out = Self::empty(x.n_cols(), block.targets.n_cols());
        let mut means = Vec::new();
        for start in (0..x.n_rows()).step_by(CACHE_ROWS) {
            let rows = start..(start + CACHE_ROWS).min(x.n_rows());
            let weights = block.weights.rows(rows.clone());
            means.extend(out.add_rows(x.rows(rows.clone()), block.targets.rows(rows), weights));
        }
        out.add_between(&means);
        out
    }

    /// Adds the products of some rows about their own mean, which is returned with their weight.
    fn add_rows(&mut self, x: MatRef<'_>, y: MatRef<'_>, weights: Weights<'_>) -> Option<Mean> {
        let n = x.n_rows();
        let weight = weights.total(n);
        self.n_rows += weights.count(n) as u64;
        if weight == 0.0 {
            return None;
        }
        let share = |i: usize| weights[i] / weight;
        let (x_mean, y_mean) = (mean_of(x, &share), mean_of(y, &share));
        weighted_gram(x, weights.given(), Some(&x_mean), &mut self.xx);
        if y.n_cols() > 0 {
            let centred = Mat::from_fn(n, y.n_cols(), |i, k| weights[i] * (y.get(i, k) - y_mean[k]));
            self.add_products(x, &centred, &x_mean);
            for (k, yy) in self.yy.iter_mut().enumerate() {
                *yy += (0..n).map(|i| centred[(i, k)] * (y.get(i, k) - y_mean[k])).sum::<f64>();
            }
        }
        Some(Mean { weight, x: x_mean, y: y_mean })
    }

    /// Adds Σ w (x − x̄)(y − ȳ)ᵀ, which equals Σ x w (y − ȳ)ᵀ since the second factor sums to zero, up to
    /// rounding that grows with |x̄|; the explicit correction below removes it.
    fn add_products(&mut self, x: MatRef<'_>, centred: &Mat, x_mean: &[f64]) {
        if centred.n_cols() == 1 && x.has_contiguous_rows() {
            for (i, &c) in centred.as_slice().iter().enumerate() {
                mercer_math::axpy(c, x.row(i).unwrap_or(&[]), self.xy.as_mut_slice());
            }
        } else {
            gemm(1.0, x.t(), centred.view(), 1.0, &mut self.xy);
        }
        for k in 0..centred.n_cols() {
            let drift: f64 = (0..centred.n_rows()).map(|i| centred[(i, k)]).sum();
            (0..x_mean.len()).for_each(|j| self.xy[(j, k)] -= drift * x_mean[j]);
        }
    }

    /// Adds the products of the means of parts about the mean of all, and keeps that.
    fn add_between(&mut self, parts: &[Mean]) {
        self.weight = parts.iter().map(|p| p.weight).sum();
        for part in parts {
            mercer_math::axpy(part.weight / self.weight, &part.x, &mut self.mean_x);
            mercer_math::axpy(part.weight / self.weight, &part.y, &mut self.mean_y);
        }
        for part in parts {
            let (dx, dy) = (difference(&self.mean_x, &part.x), difference(&self.mean_y, &part.y));
            self.add_outer(part.weight, &dx, &dy);
        }
    }

    /// Adds `scale` times the outer products of (dx, dy).
    fn add_outer(&mut self, scale: f64, dx: &[f64], dy: &[f64]) {
        for (j, &d) in dx.iter().enumerate() {
            mercer_math::axpy(scale * d, dx, self.xx.row_mut(j));
            for (k, &e) in dy.iter().enumerate() {
                self.xy[(j, k)] += scale * d * e;
            }
        }
        for (k, &e) in dy.iter().enumerate() {
            self.yy[k] += scale * e * e;
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
        let (dx, dy) = (difference(&self.mean_x, &other.mean_x), difference(&self.mean_y, &other.mean_y));
        mercer_math::axpy(1.0, other.xx.as_slice(), self.xx.as_mut_slice());
        mercer_math::axpy(1.0, other.xy.as_slice(), self.xy.as_mut_slice());
        mercer_math::axpy(1.0, &other.yy, &mut self.yy);
        self.add_outer(scale, &dx, &dy);
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

/// Rows whose products are added at once: they and their centred copy stay in the second-level cache.
const CACHE_ROWS: usize = 256;

/// The weight and means of some rows.
struct Mean {
    weight: f64,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn mean_of(m: MatRef<'_>, share: &dyn Fn(usize) -> f64) -> Vec<f64> {
    let mut mean = vec![0.0; m.n_cols()];
    for i in 0..m.n_rows() {
        match m.row(i) {
            Some(row) => mercer_math::axpy(share(i), row, &mut mean),
            None => mean.iter_mut().enumerate().for_each(|(j, s)| *s += share(i) * m.get(i, j)),
        }
    }
    mean
}

/// b − a.
fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| b - a).collect()
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
