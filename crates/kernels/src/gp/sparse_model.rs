//! What Gaussian process regression through inducing points learns.

use super::bound::Bound;
use super::search::projected;
use super::sparse::{SparseGaussianProcessRegressor, SparseMethod};
use crate::kernel::{Kernel, PointsRef};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Fitted, Input, Intervals, Params, Prediction,
    PredictiveSpread, Quantiles, Result, Schema, Session, Spread,
};
use mercer_math::special::norm_ppf;
use mercer_math::{Mat, dot, gemv, matmul_parallel, solve_lower_rows};
use serde::{Deserialize, Serialize};

pub(super) const BOUND: &str = "bound on the log marginal likelihood";
pub(super) const GRADIENT: &str = "gradient of the bound";
pub(super) const WEIGHTS: &str = "difference of the weights";
const NAME: &str = SparseGaussianProcessRegressor::NAME;

/// The method in a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Kept {
    Vfe,
    Fitc,
}

impl From<SparseMethod> for Kept {
    fn from(method: SparseMethod) -> Self {
        if method == SparseMethod::Vfe { Kept::Vfe } else { Kept::Fitc }
    }
}

/// A Gaussian process given its data, known at inducing points.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SparseGaussianProcessModel {
    /// That of the function and that of the noise, summed.
    pub(super) kernel: Kernel,
    pub(super) inducing: Mat,
    /// L with K_mm = L Lᵀ.
    pub(super) outer: Mat,
    /// The factor of B.
    pub(super) inner: Mat,
    pub(super) weights: Vec<f64>,
    pub(super) method: Kept,
    pub(super) jitter: f64,
    pub(super) mean: f64,
    pub(super) deviation: f64,
    pub(super) value: f64,
    pub(super) certificate: Certificate,
}

impl SparseGaussianProcessModel {
    /// The kernel with the hyper-parameters that were found, noise included.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The bound on the log marginal likelihood.
    pub fn evidence(&self) -> f64 {
        self.value
    }

    fn function(&self) -> Result<(&Kernel, f64)> {
        Bound::parts(&self.kernel).ok_or_else(|| Error::numeric(NAME, "the kernel has no noise"))
    }

    fn bound<'a>(&'a self, points: PointsRef<'a>, y: &'a [f64], session: &'a Session) -> Bound<'a> {
        let method = if self.method == Kept::Vfe { SparseMethod::Vfe } else { SparseMethod::Fitc };
        let inducing = PointsRef::Dense(self.inducing.view());
        Bound { who: NAME, points, inducing, y, method, jitter: self.jitter, session }
    }

    /// The bound on the log marginal likelihood and its gradient at other hyper-parameters, by their logarithms, those of the noise
    /// last, for the data learnt from.
    pub fn bound_at(&self, data: &Dataset<'_>, theta: &[f64], session: &Session) -> Result<(f64, Vec<f64>)> {
        let (x, y) = (data.dense(NAME)?, self.scaled(data)?);
        let kernel = self.kernel.with_theta(theta);
        let found = self.bound(PointsRef::Dense(x.view()), &y, session).value_grad(&kernel)?;
        found.ok_or_else(|| super::search::not_definite(NAME, &kernel))
    }

    fn scaled(&self, data: &Dataset<'_>) -> Result<Vec<f64>> {
        let target = data.need_target(NAME)?;
        Ok(target.numbers()?.iter().map(|v| (v - self.mean) / self.deviation).collect())
    }

    /// k(new, inducing) and the prior variances of new rows.
    fn crossed(&self, input: &Input<'_>, session: &Session) -> Result<(Mat, Vec<f64>)> {
        let (x, (function, _)) = (input.rows(NAME)?.dense(NAME)?, self.function()?);
        let (new, few) = (PointsRef::Dense(x.view()), PointsRef::Dense(self.inducing.view()));
        session.run(|| {
            let side = function.side(new)?;
            Ok((function.cross(&side, &function.side(few)?), function.diagonal(&side)))
        })
    }

    fn means(&self, cross: &Mat) -> Vec<f64> {
        gemv(cross.view(), &self.weights).into_iter().map(|v| v * self.deviation + self.mean).collect()
    }
}

impl Fitted for SparseGaussianProcessModel {
    /// The second version has the jitter as a share.
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([self.means(&self.crossed(input, session)?.0)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { spread: Some(self), intervals: Some(self), quantiles: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (x, y) = (data.dense(NAME)?, self.scaled(data)?);
        let bound = self.bound(PointsRef::Dense(x.view()), &y, session);
        let found = bound.need(&self.kernel)?;
        let slopes = bound.gradient(&self.kernel, &found)?;
        let size = self.weights.iter().fold(f64::MIN_POSITIVE, |m, w| m.max(w.abs()));
        let off = found.weights.iter().zip(&self.weights).map(|(a, b)| (a - b).abs() / size);
        let off = off.fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m });
        Ok(vec![
            (BOUND.to_owned(), found.value),
            (WEIGHTS.to_owned(), off),
            (GRADIENT.to_owned(), projected(&self.kernel, &slopes)),
        ])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = [self.inducing.n_rows(), self.inducing.n_cols()];
        vec![
            Attribute::text(
                "kernel_",
                "The kernel with the hyper-parameters found.",
                vec![self.kernel.to_string()],
            ),
            Attribute::real("inducing_", "The inducing points.", &shape, self.inducing.as_slice().to_vec()),
            Attribute::real(
                "alpha_",
                "The weights of the inducing points.",
                &shape[..1],
                self.weights.clone(),
            ),
            Attribute::real("bound_", "The bound on the log marginal likelihood.", &[], vec![self.value]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let m = self.weights.len();
        let shaped = |x: &Mat, shape: (usize, usize)| x.is_consistent() && (x.n_rows(), x.n_cols()) == shape;
        let fits = shaped(&self.inducing, (m, schema.n_features()))
            && shaped(&self.outer, (m, m))
            && shaped(&self.inner, (m, m))
            && schema.targets.len() == 1
            && self.deviation > 0.0
            && self.function().is_ok_and(|(f, _)| f.data_kind() == mercer_core::DataKind::Rows);
        if fits { Ok(()) } else { Err("inducing points, weights and kernel do not fit together".to_owned()) }
    }
}

impl SparseGaussianProcessModel {
    /// What is left of the prior at new rows, as L⁻¹k and (L LB)⁻¹k, row by row.
    fn halves(&self, mut cross: Mat) -> (Mat, Mat) {
        solve_lower_rows(&self.outer, &mut cross);
        let mut inner = cross.clone();
        solve_lower_rows(&self.inner, &mut inner);
        (cross, inner)
    }

    fn at_scores(&self, input: &Input<'_>, scores: &[f64], session: &Session) -> Result<Mat> {
        let found = self.spread(input, session)?;
        let std = found.std();
        let at = |i: usize, k: usize| found.mean[i] + if std[i] > 0.0 { scores[k] * std[i] } else { 0.0 };
        Ok(Mat::from_fn(std.len(), scores.len(), at))
    }
}

impl Spread for SparseGaussianProcessModel {
    fn spread(&self, input: &Input<'_>, session: &Session) -> Result<PredictiveSpread> {
        let ((cross, prior), noise, unit) =
            (self.crossed(input, session)?, self.function()?.1, self.deviation * self.deviation);
        let mean = self.means(&cross);
        let (seen, left) = session.run(|| self.halves(cross));
        let own = |i: usize| prior[i] - dot(seen.row(i), seen.row(i)) + dot(left.row(i), left.row(i));
        let epistemic: Vec<f64> = (0..mean.len()).map(|i| own(i).max(0.0) * unit).collect();
        Ok(PredictiveSpread { aleatoric: vec![noise * unit; mean.len()], mean, epistemic })
    }

    fn covariance(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let found = self.spread(input, session)?;
        let (x, (function, _)) = (input.rows(NAME)?.dense(NAME)?, self.function()?);
        let (mut out, seen, left) = session.run(|| -> Result<_> {
            let out = function.gram(&function.side(PointsRef::Dense(x.view()))?);
            let (seen, left) = self.halves(self.crossed(input, session)?.0);
            let square = |half: Mat| matmul_parallel(half.view(), half.view().t());
            Ok((out, square(seen), square(left)))
        })?;
        let unit = self.deviation * self.deviation;
        let parts = out.as_mut_slice().iter_mut().zip(seen.as_slice()).zip(left.as_slice());
        parts.for_each(|((v, s), l)| *v = (*v - s + l) * unit);
        (0..out.n_rows()).for_each(|i| out[(i, i)] = found.epistemic[i] + found.aleatoric[i]);
        Ok(out)
    }
}

impl Intervals for SparseGaussianProcessModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        let z = norm_ppf(0.5 + 0.5 * level);
        self.at_scores(input, &[-z, z], session)
    }
}

impl Quantiles for SparseGaussianProcessModel {
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat> {
        let scores: Vec<f64> = quantiles.iter().map(|&q| norm_ppf(q)).collect();
        self.at_scores(input, &scores, session)
    }
}
