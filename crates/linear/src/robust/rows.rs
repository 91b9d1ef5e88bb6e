//! Rows in the frame of their columns, as solvers of robust losses see them.

use super::design::Design;
use crate::linear_model::LinearRegressionModel;
use crate::squares::frame::Frame;
use mercer_core::{Certificate, CrossMoments, Dataset, Error, NumbersRef, Result};
use mercer_math::{ColumnMoments, Csr, CsrRef, Mat, Moments, Weights, dot};

/// Rows in units of their columns, dense ones about their means, the constant of the intercept first, and a target.
pub(super) struct Rows {
    pub(super) frame: Frame,
    /// Rows × coefficients.
    pub(super) a: Design,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The rows of the data that these are: those with a weight.
    pub(super) kept: Vec<usize>,
}

impl Rows {
    pub(super) fn of(who: &str, data: &Dataset<'_>, intercept: bool) -> Result<Self> {
        let own = data.weights();
        let weight = Weights::of(&own);
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| weight.counts(i)).collect();
        let numbers = data.numbers(who)?;
        let (frame, a, y) = match numbers.view() {
            NumbersRef::Dense(x) => {
                let (frame, y) = Frame::of_rows(who, data, x, intercept)?;
                let mut a = Mat::zeros(kept.len(), frame.width());
                kept.iter().enumerate().for_each(|(at, &i)| frame.fill(x, i, a.row_mut(at)));
                (frame, Design::Dense(a), y)
            }
            NumbersRef::Sparse(x) => {
                let (frame, y) = sparse_frame(who, data, x, intercept)?;
                let a = Design::Sparse(sparse_rows(&frame, x, &kept));
                (frame, a, y)
            }
        };
        let y = kept.iter().map(|&i| frame.target(y.view(), i, 0)).collect();
        let weights = kept.iter().map(|&i| weight[i]).collect();
        Ok(Self { frame, a, y, weights, kept })
    }

    /// The coefficients of a model in this frame.
    pub(super) fn point(&self, model: &LinearRegressionModel) -> Vec<f64> {
        self.place(model.coef.row(0), model.intercept[0])
    }

    /// Coefficients and an intercept in this frame.
    pub(super) fn place(&self, coef: &[f64], intercept: f64) -> Vec<f64> {
        let (unit, mut out) = (self.frame.unit_y[0], Vec::with_capacity(self.frame.width()));
        if self.frame.intercept {
            let at_mean = intercept + dot(coef, &self.frame.shift);
            out.push((at_mean - self.frame.mean_y[0]) / unit);
        }
        let scaled = self.frame.used.iter().zip(&self.frame.unit);
        out.extend(scaled.map(|(&j, column)| coef[j] / unit * column));
        out
    }

    /// y − A u.
    pub(super) fn residuals(&self, u: &[f64]) -> Vec<f64> {
        self.y.iter().zip(self.a.times(u)).map(|(y, f)| y - f).collect()
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
        let mut h = self.a.gram(&all);
        (0..h.n_rows()).for_each(|j| h[(j, j)] += ridge[j]);
        solve(&h, &self.a.back(&right))
    }
}

/// Sparse rows with more columns than this have no Hessian that fits a computer well.
const MOST: usize = 8192;

/// The frame of sparse rows, from which nothing is subtracted, and their targets as a matrix.
fn sparse_frame(who: &str, data: &Dataset<'_>, x: CsrRef<'_>, intercept: bool) -> Result<(Frame, Mat)> {
    let (target, own) = (data.need_target(who)?, data.weights());
    let (weights, n, d) = (Weights::of(&own), x.n_rows(), x.n_cols());
    let y = Mat::from_vec(target.numbers_of(0)?.to_vec(), n, 1).unwrap_or_default();
    let of_y = ColumnMoments::of(y.view(), own.as_deref()).columns.first().copied().unwrap_or_default();
    let total = weights.total(n);
    let (mut sums, mut squares) = (vec![0.0; d], vec![0.0; d]);
    for i in 0..n {
        let (at, values) = x.row(i);
        for (&j, v) in at.iter().zip(values) {
            sums[j as usize] += weights[i] * v;
            squares[j as usize] += weights[i] * v * v;
        }
    }
    let means: Vec<f64> = sums.iter().map(|s| if total > 0.0 { s / total } else { 0.0 }).collect();
    let spread = |j: usize| {
        let left = squares[j] - if intercept { total * means[j] * means[j] } else { 0.0 };
        // What rounding leaves of a constant is no spread.
        if left > 1e-14 * squares[j] { left } else { 0.0 }
    };
    let about =
        |m: Moments| if intercept { (m.mean, m.m2) } else { (0.0, m.m2 + m.weight * m.mean * m.mean) };
    let (mean_y, yy) = about(of_y);
    if squares.iter().chain([&yy, &total]).any(|v| !v.is_finite()) {
        return Err(Error::numeric(who, "values too large: scale the features or the target"));
    }
    let mut moments = CrossMoments::empty(0, 0);
    (moments.weight, moments.mean_x) = (total, vec![0.0; d]);
    (moments.mean_y, moments.yy) = (vec![mean_y], vec![yy]);
    let frame = Frame::of_columns(&moments, means.clone(), intercept, spread);
    if frame.width() > MOST {
        return Err(Error::incapable(who, format!("learn more than {MOST} coefficients of sparse rows")));
    }
    Ok((frame, y))
}

/// Some sparse rows in their frame.
fn sparse_rows(frame: &Frame, x: CsrRef<'_>, kept: &[usize]) -> Csr {
    let first = usize::from(frame.intercept);
    let mut place = vec![None; x.n_cols()];
    frame.used.iter().zip(&frame.unit).enumerate().for_each(|(k, (&j, unit))| {
        place[j] = Some(((first + k) as u32, *unit));
    });
    let mut out = Csr::empty(frame.width());
    for &i in kept {
        let (at, values) = x.row(i);
        let own =
            at.iter().zip(values).filter_map(|(&j, v)| place[j as usize].map(|(k, unit)| (k, v / unit)));
        let (at, values): (Vec<u32>, Vec<f64>) =
            frame.intercept.then_some((0, 1.0)).into_iter().chain(own).unzip();
        out.push_row(&at, &values);
    }
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
