//! Rows about their means, as least squares sees them, and what is proved of coefficients on them.

use crate::linear_model::{GRADIENT, LinearRegressionModel, larger, relative_gradient};
use mercer_core::{
    Certificate, Dataset, Evidence, Numbers, NumbersRef, Result, Termination, rows_dot, rows_t_dot,
};
use mercer_math::{Mat, Weights};

const WHO: &str = "a linear model";

/// Rows with their weighted means, subtracted without being touched: (X − 1x̄ᵀ)v = Xv − 1(x̄ᵀv).
pub(crate) struct Centred<'a> {
    pub(crate) x: Numbers<'a>,
    pub(crate) y: Vec<Vec<f64>>,
    weights: Option<Vec<f64>>,
    pub(crate) total: f64,
    /// The means of the features, subtracted or not.
    pub(crate) means: Vec<f64>,
    pub(crate) mean_x: Vec<f64>,
    pub(crate) mean_y: Vec<f64>,
}

impl<'a> Centred<'a> {
    pub(crate) fn new(fit_intercept: bool, data: &Dataset<'a>) -> Result<Self> {
        let x = data.numbers(WHO)?;
        let target = data.need_target(WHO)?;
        let weights = data.weights().map(|w| w.into_owned());
        let total = Weights::of(&weights).total(data.n_rows());
        let share: Vec<f64> = Weights::of(&weights).iter(data.n_rows()).map(|w| w / total).collect();
        let mut y = (0..target.n_columns())
            .map(|k| target.numbers_of(k).map(<[f64]>::to_vec))
            .collect::<Result<Vec<_>>>()?;
        let means = rows_t_dot(x.view(), &share);
        let (mut mean_x, mut mean_y) = (vec![0.0; means.len()], vec![0.0; y.len()]);
        if fit_intercept {
            mean_x.clone_from(&means);
            mean_y = y.iter().map(|y| mercer_math::dot(y, &share)).collect();
        }
        for (y, mean) in y.iter_mut().zip(&mean_y) {
            y.iter_mut().for_each(|v| *v -= mean);
        }
        Ok(Self { x, y, weights, total, means, mean_x, mean_y })
    }

    pub(crate) fn weight(&self, i: usize) -> f64 {
        Weights::of(&self.weights)[i]
    }

    /// (X − 1x̄ᵀ) v.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let shift = mercer_math::dot(&self.mean_x, v);
        let mut out = rows_dot(self.x.view(), v);
        out.iter_mut().for_each(|o| *o -= shift);
        out
    }

    /// (X − 1x̄ᵀ)ᵀ S u.
    pub(crate) fn transposed(&self, u: &[f64]) -> Vec<f64> {
        let weighted: Vec<f64> = u.iter().enumerate().map(|(i, u)| self.weight(i) * u).collect();
        let mut out = rows_t_dot(self.x.view(), &weighted);
        mercer_math::axpy(-weighted.iter().sum::<f64>(), &self.mean_x, &mut out);
        out
    }

    /// The norm of each column of S^½ (X − 1x̄ᵀ).
    pub(crate) fn norms(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.mean_x.len()];
        match self.x.view() {
            NumbersRef::Dense(x) => {
                for i in 0..x.n_rows() {
                    let each = squares.iter_mut().zip(&self.mean_x).enumerate();
                    each.for_each(|(j, (s, m))| *s += self.weight(i) * (x.get(i, j) - m).powi(2));
                }
            }
            NumbersRef::Sparse(x) => {
                let mut stored = vec![0.0; squares.len()];
                for i in 0..x.n_rows() {
                    let (at, values) = x.row(i);
                    for (&j, v) in at.iter().zip(values) {
                        squares[j as usize] += self.weight(i) * (v - self.mean_x[j as usize]).powi(2);
                        stored[j as usize] += self.weight(i);
                    }
                }
                let zeros = stored.iter().zip(&self.mean_x).map(|(w, m)| (self.total - w).max(0.0) * m * m);
                squares.iter_mut().zip(zeros).for_each(|(s, z)| *s += z);
            }
        }
        squares.iter().zip(&self.mean_x).map(|(&s, &m)| column_norm(s, m, self.total)).collect()
    }

    /// The largest relative gradient of a model on these rows, that by its intercepts among them.
    pub(crate) fn relative_gradient(&self, model: &LinearRegressionModel) -> f64 {
        let norms = self.norms();
        let each = self.y.iter().enumerate().map(|(k, y)| {
            let (w, b) = (model.coef.row(k), model.intercept[k]);
            let shift = self.mean_y[k] - mercer_math::dot(&self.mean_x, w) - b;
            let bound = if model.positive { Some(0.0) } else { None };
            self.gradient_of(y, (w, bound), model.penalty(k), &norms, (self.mean_y[k], b, shift))
        });
        each.fold(0.0, larger)
    }

    /// The same of one target: its gradient about the means, and of the constant by which the intercept is off. At a
    /// lower bound the gradient counts as far as it points above; what lies below the bound is no solution.
    fn gradient_of(
        &self,
        y: &[f64],
        (w, bound): (&[f64], Option<f64>),
        alpha: f64,
        norms: &[f64],
        (mean, b, shift): (f64, f64, f64),
    ) -> f64 {
        let residual: Vec<f64> = y.iter().zip(self.times(w)).map(|(y, f)| y - f).collect();
        let mut gradient = self.transposed(&residual);
        gradient.iter_mut().zip(w).for_each(|(g, w)| *g -= alpha * w);
        if let Some(bound) = bound {
            let at = gradient.iter_mut().zip(w).filter(|(_, w)| **w <= bound);
            at.for_each(|(g, w)| *g = if *w < bound { f64::INFINITY } else { g.max(0.0) });
        }
        gradient.push(self.total * shift);
        let root = self.total.sqrt();
        let norms: Vec<f64> = norms.iter().copied().chain([root]).collect();
        let spread = y.iter().enumerate().map(|(i, v)| self.weight(i) * v * v).sum::<f64>().sqrt();
        let size = spread + root * (mean.abs() + b.abs());
        relative_gradient(&gradient, &self.transposed(y), &norms, size)
    }

    /// The certificate of coefficients, within a lower bound or without, with the intercepts that belong to them, and a
    /// penalty for each target.
    pub(crate) fn certificate(
        &self,
        alphas: &[f64],
        w: &Mat,
        bound: Option<f64>,
        termination: Termination,
    ) -> Certificate {
        let (norms, mut relative, mut objective) = (self.norms(), 0.0f64, 0.0);
        for (k, (y, &alpha)) in self.y.iter().zip(alphas).enumerate() {
            let wk = w.col(k);
            let squares = y.iter().zip(self.times(&wk)).enumerate();
            objective += 0.5 * squares.map(|(i, (y, f))| self.weight(i) * (y - f).powi(2)).sum::<f64>()
                + 0.5 * alpha * mercer_math::dot(&wk, &wk);
            let offset = (self.mean_y[k], 0.0, 0.0);
            relative = larger(relative, self.gradient_of(y, (&wk, bound), alpha, &norms, offset));
        }
        certificate(termination, relative, objective)
    }
}

/// The norm of a centred column from its squares, not smaller than rounding about its mean leaves.
pub(crate) fn column_norm(squares: f64, mean: f64, total: f64) -> f64 {
    squares.sqrt().max(1e-8 * mean.abs() * total.sqrt())
}

/// Solutions that are further than this from optimal are not called exact: rounding had its way.
const EXACT: f64 = 1e-6;

/// What is proved of coefficients by their largest relative gradient.
pub(crate) fn certificate(termination: Termination, relative: f64, objective: f64) -> Certificate {
    let meaning = "largest gradient of the convex objective over that of zero coefficients, both over the norms of the columns: zero at the exact optimum";
    let termination = match termination {
        Termination::Exact if relative.is_nan() || relative > EXACT => Termination::Stalled,
        other => other,
    };
    let evidence = Evidence::residual(GRADIENT, relative, meaning);
    let certificate = Certificate::new(termination).with_evidence(evidence);
    if objective.is_finite() { certificate.with_objective(objective) } else { certificate }
}
