//! Rows in the frame of their columns, as solvers of robust losses see them.

use crate::linear_model::LinearRegressionModel;
use crate::squares::frame::Frame;
use mercer_core::{Certificate, Dataset, Result};
use mercer_math::{Mat, dot, gemv};

/// Dense rows about the means of their columns and in units of them, the constant of the intercept first, and a target.
pub(super) struct Rows {
    pub(super) frame: Frame,
    /// Rows × coefficients.
    pub(super) a: Mat,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The rows of the data that these are: those with a weight.
    pub(super) kept: Vec<usize>,
}

impl Rows {
    pub(super) fn of(who: &str, data: &Dataset<'_>, intercept: bool) -> Result<Self> {
        let x = data.dense(who)?;
        let (frame, y) = Frame::of_rows(who, data, x.view(), intercept)?;
        let own = data.weights();
        let weight = mercer_math::Weights::of(&own);
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| weight.counts(i)).collect();
        let mut a = Mat::zeros(kept.len(), frame.width());
        kept.iter().enumerate().for_each(|(at, &i)| frame.fill(x.view(), i, a.row_mut(at)));
        let y = kept.iter().map(|&i| frame.target(y.view(), i, 0)).collect();
        let weights = kept.iter().map(|&i| weight[i]).collect();
        Ok(Self { frame, a, y, weights, kept })
    }

    /// The coefficients of a model in this frame.
    pub(super) fn point(&self, model: &LinearRegressionModel) -> Vec<f64> {
        let (unit, mut out) = (self.frame.unit_y[0], Vec::with_capacity(self.frame.width()));
        if self.frame.intercept {
            let at_mean = model.intercept[0] + dot(model.coef.row(0), &self.frame.shift);
            out.push((at_mean - self.frame.mean_y[0]) / unit);
        }
        let scaled = self.frame.used.iter().zip(&self.frame.unit);
        out.extend(scaled.map(|(&j, column)| model.coef[(0, j)] / unit * column));
        out
    }

    /// y − A u.
    pub(super) fn residuals(&self, u: &[f64]) -> Vec<f64> {
        self.y.iter().zip(gemv(self.a.view(), u)).map(|(y, f)| y - f).collect()
    }

    /// The unit of the residuals.
    pub(super) fn unit(&self) -> f64 {
        self.frame.unit_y[0]
    }

    /// How many of the first coefficients are no penalised feature.
    pub(super) fn first(&self) -> usize {
        usize::from(self.frame.intercept)
    }

    /// The model of coefficients in this frame.
    pub(super) fn model(
        &self,
        who: &str,
        u: &[f64],
        certificate: Certificate,
    ) -> Result<LinearRegressionModel> {
        let (coef, intercept) = self.frame.unscaled(&Mat::from_fn(1, u.len(), |_, j| u[j]));
        let made = LinearRegressionModel::of(who, coef, intercept, self.frame.means.clone(), certificate)?;
        Ok(LinearRegressionModel { fit_intercept: self.frame.intercept, ..made })
    }

    /// Least squares with a weight for each row beside its own: (AᵀSVA + ridge)⁻¹ AᵀSVy, for a start and for steps.
    pub(super) fn weighted_squares(&self, factor: &[f64], ridge: &[f64]) -> Option<Vec<f64>> {
        let all: Vec<f64> = self.weights.iter().zip(factor).map(|(w, f)| w * f).collect();
        let right: Vec<f64> = all.iter().zip(&self.y).map(|(w, y)| w * y).collect();
        let mut h = gram(&self.a, &all);
        (0..h.n_rows()).for_each(|j| h[(j, j)] += ridge[j]);
        solve(&h, &mercer_math::gemv_t(self.a.view(), &right))
    }
}

/// AᵀDA, in blocks side by side.
pub(super) fn gram(a: &Mat, weights: &[f64]) -> Mat {
    const ROWS: usize = 2048;
    let leaf = |block: usize| {
        let rows = block * ROWS..((block + 1) * ROWS).min(a.n_rows());
        let mut out = Mat::zeros(a.n_cols(), a.n_cols());
        mercer_math::weighted_gram(a.view().rows(rows.clone()), Some(&weights[rows]), None, &mut out);
        out
    };
    let add = |mut a: Mat, b: Mat| {
        mercer_math::axpy(1.0, b.as_slice(), a.as_mut_slice());
        a
    };
    let sum = mercer_math::tree_reduce(a.n_rows().div_ceil(ROWS), leaf, add);
    let mut out = sum.unwrap_or_else(|| Mat::zeros(a.n_cols(), a.n_cols()));
    mercer_math::symmetrise(&mut out);
    out
}

/// H⁻¹ b of a positive definite H, or with as little on its diagonal as makes it so.
pub(super) fn solve(h: &Mat, b: &[f64]) -> Option<Vec<f64>> {
    let n = h.n_rows();
    let unit: Vec<f64> = (0..n).map(|j| if h[(j, j)] > 0.0 { h[(j, j)].sqrt() } else { 1.0 }).collect();
    let mut scaled = Mat::from_fn(n, n, |i, j| h[(i, j)] / unit[i] / unit[j]);
    let right: Vec<f64> = b.iter().zip(&unit).map(|(b, u)| b / u).collect();
    for extra in [0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-8] {
        (0..n).for_each(|j| scaled[(j, j)] += extra);
        if let Some(factor) = mercer_math::Cholesky::new(&scaled) {
            let mut x = factor.solve_vec(&right);
            // One step of refinement against the matrix as it is.
            let left: Vec<f64> = (0..n).map(|i| right[i] - dot(scaled.row(i), &x)).collect();
            mercer_math::axpy(1.0, &factor.solve_vec(&left), &mut x);
            return Some(x.iter().zip(&unit).map(|(x, u)| x / u).collect());
        }
    }
    None
}
