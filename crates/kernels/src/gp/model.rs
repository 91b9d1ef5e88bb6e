//! What Gaussian process regression learns: a posterior distribution over functions.

use super::likelihood::{Factored, Likelihood, Standing};
use super::noise::Noise;
use super::regressor::GaussianProcessRegressor;
use super::search::{not_definite, projected};
use super::trend::Trend;
use crate::kernel::{Held, Kernel, Points, PointsRef, Side};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Fitted, Input, Intervals, Params, Prediction,
    PredictiveSpread, Quantiles, Result, Schema, Session, Spread, Target,
};
use mercer_math::special::norm_ppf;
use mercer_math::{Mat, Rng, dot, eigh, gemm_into, matmul, matmul_parallel, normal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub(super) const GRADIENT: &str = "gradient of the log marginal likelihood";
pub(super) const LIKELIHOOD: &str = "log marginal likelihood";
pub(super) const LEFT_OUT: &str = "leave-one-out log probability";
pub(super) const RESIDUAL: &str = "residual";
const NAME: &str = GaussianProcessRegressor::NAME;
/// New points that are looked at together.
const SOME: usize = 128;

/// The targets as they are learnt from, and how they came from those given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Observed {
    /// Rows × targets.
    pub(super) y: Mat,
    pub(super) mean: Vec<f64>,
    pub(super) deviation: Vec<f64>,
}

impl Observed {
    pub(super) fn new(who: &str, target: &Target<'_>, normalize: bool) -> Result<Self> {
        let (mut mean, mut deviation) = (vec![0.0; target.n_columns()], vec![1.0; target.n_columns()]);
        for k in (0..target.n_columns()).filter(|_| normalize) {
            let found = mercer_math::Moments::of(target.numbers_of(k)?);
            (mean[k], deviation[k]) = (found.mean, found.variance().sqrt());
            if !(mean[k].is_finite() && deviation[k].is_finite()) {
                return Err(Error::numeric(who, "targets overflow: scale them"));
            }
            // What varies by less than rounding does not vary.
            let varies = deviation[k] > 10.0 * f64::EPSILON * mean[k].abs();
            if !varies {
                deviation[k] = 1.0;
            }
        }
        let observed = Self { y: Mat::zeros(0, 0), mean, deviation }.with(target)?;
        // Squares of larger ones leave no room for the likelihood's other numbers.
        match observed.y.as_slice().iter().find(|v| v.abs() > 1e100) {
            Some(large) => Err(Error::numeric(
                who,
                format!("a target of {large:e} is too large: scale targets, or set `normalize_y`"),
            )),
            None => Ok(observed),
        }
    }

    /// Other targets, in the same units.
    pub(super) fn with(&self, target: &Target<'_>) -> Result<Self> {
        let columns: Vec<&[f64]> =
            (0..self.mean.len()).map(|k| target.numbers_of(k)).collect::<Result<_>>()?;
        let own = |i: usize, k: usize| (columns[k][i] - self.mean[k]) / self.deviation[k];
        let y = Mat::from_fn(target.n_rows(), columns.len(), own);
        Ok(Self { y, mean: self.mean.clone(), deviation: self.deviation.clone() })
    }
}

/// The training rows, where they are rows of numbers or strings.
pub(super) fn training_rows(points: &Points) -> Option<Attribute> {
    let doc = "The training rows.";
    match points {
        Points::Dense(x) => {
            Some(Attribute::real("X_train_", doc, &[x.n_rows(), x.n_cols()], x.as_slice().to_vec()))
        }
        Points::Strings(strings) => Some(Attribute::text("X_train_", doc, strings.clone())),
        _ => None,
    }
}

/// A Gaussian process given its data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianProcessModel {
    pub(super) kernel: Kernel,
    pub(super) points: Points,
    pub(super) observed: Observed,
    /// K⁻¹(y − m), rows × targets.
    pub(super) alpha: Mat,
    /// The coefficients of the mean, functions × targets.
    pub(super) beta: Mat,
    pub(super) trend: Trend,
    pub(super) noise: Noise,
    pub(super) likelihood: f64,
    pub(super) certificate: Certificate,
    /// Made again from the rest when a loaded model is first asked for more than its mean.
    #[serde(skip)]
    pub(super) factored: OnceLock<Arc<Factored>>,
}

/// The predictive distribution of some points, by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The mean, points × targets.
    pub mean: Mat,
    /// The variance of the function, before each target's units.
    pub epistemic: Vec<f64>,
    /// The variance of the noise about it, before each target's units.
    pub aleatoric: Vec<f64>,
}

/// What the model says of each training row when it has not seen that row, rows × targets.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The mean.
    pub mean: Mat,
    /// The variance, noise included.
    pub variance: Mat,
}

impl GaussianProcessModel {
    /// The kernel with the hyper-parameters that were found.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The log marginal likelihood of the data, of targets as they are learnt from.
    pub fn evidence(&self) -> f64 {
        self.likelihood
    }

    /// The log marginal likelihood and its gradient at other hyper-parameters, by their logarithms.
    pub fn log_marginal_likelihood(&self, theta: &[f64], session: &Session) -> Result<(f64, Vec<f64>)> {
        let kernel = self.kernel.with_theta(theta);
        let noise = self.noise.of_rows(NAME, self.points.len())?;
        let mut likelihood = self.likelihood_of(self.points.view(), &self.observed.y, &noise, session);
        likelihood.value_grad(&kernel)?.ok_or_else(|| not_definite(NAME, &kernel))
    }

    /// What is said of each training row by all others, in closed form.
    pub fn leave_one_out(&self, session: &Session) -> Result<LeftOut> {
        let noise = self.noise.of_rows(NAME, self.points.len())?;
        let mut likelihood = self.likelihood_of(self.points.view(), &self.observed.y, &noise, session);
        let Standing { alpha, diagonal, .. } = likelihood.need_standing(&self.kernel, false)?;
        let (n, t, o) = (alpha.n_rows(), alpha.n_cols(), &self.observed);
        let mean = Mat::from_fn(n, t, |i, k| {
            (o.y[(i, k)] - alpha[(i, k)] / diagonal[i]) * o.deviation[k] + o.mean[k]
        });
        let variance = Mat::from_fn(n, t, |i, k| o.deviation[k] * o.deviation[k] / diagonal[i]);
        Ok(LeftOut { mean, variance })
    }

    fn likelihood_of<'a>(
        &'a self,
        points: PointsRef<'a>,
        y: &'a Mat,
        noise: &'a [f64],
        session: &'a Session,
    ) -> Likelihood<'a> {
        Likelihood::new(NAME, points, y, noise, &self.trend, session)
    }

    fn factored(&self) -> Result<Arc<Factored>> {
        if let Some(factored) = self.factored.get() {
            return Ok(factored.clone());
        }
        let (session, noise) = (Session::default(), self.noise.of_rows(NAME, self.points.len())?);
        let mut likelihood = self.likelihood_of(self.points.view(), &self.observed.y, &noise, &session);
        let made = likelihood.factored(&self.kernel)?.ok_or_else(|| not_definite(NAME, &self.kernel))?;
        Ok(self.factored.get_or_init(|| Arc::new(made.1)).clone())
    }

    /// Works on k(new, training) for blocks of new points, on all threads; what is made of them in order.
    fn by_blocks<T: Send>(
        &self,
        new: &Side<'_>,
        work: impl Fn(Range<usize>, Mat) -> T + Sync,
    ) -> Result<Vec<T>> {
        let (known, n) = (self.kernel.side(self.points.view())?, self.points.len());
        let blocks = (0..new.len().div_ceil(SOME)).into_par_iter().map(|b| {
            let rows = b * SOME..((b + 1) * SOME).min(new.len());
            let mut values = Mat::zeros(rows.len(), n);
            self.kernel.block(new, rows.clone(), &known, values.as_mut_slice());
            work(rows, values)
        });
        Ok(blocks.collect())
    }

    /// The predicted mean of new points, points × targets.
    pub fn mean(&self, points: PointsRef<'_>) -> Result<Mat> {
        let (new, t) = (self.kernel.side(points)?, self.alpha.n_cols());
        let mut out = matmul(self.trend.values(points).view(), self.beta.view());
        let parts = self.by_blocks(&new, |_, values| matmul(values.view(), self.alpha.view()))?;
        let found = parts.iter().flat_map(|part| part.as_slice());
        for (at, (v, found)) in out.as_mut_slice().iter_mut().zip(found).enumerate() {
            *v = (*v + found) * self.observed.deviation[at % t] + self.observed.mean[at % t];
        }
        Ok(out)
    }

    /// Mean and variances of new points.
    pub fn distribution(&self, points: PointsRef<'_>) -> Result<Distribution> {
        let (factored, new) = (self.factored()?, self.kernel.side(points)?);
        let (whole, silent) = (self.kernel.diagonal(&new), self.kernel.without_noise());
        let latent = silent.diagonal(&silent.side(points)?);
        let basis = self.trend.values(points);
        let parts = self.by_blocks(&new, |rows, mut values| {
            let trend = self.trend_of(&factored, &basis, rows.clone(), &values);
            factored.factor.solve_l_rows(&mut values);
            let left = |(at, i): (usize, usize)| {
                let v = values.row(at);
                (latent[i] - dot(v, v) + trend.as_ref().map_or(0.0, |r| dot(&r.col(at), &r.col(at)))).max(0.0)
            };
            rows.enumerate().map(left).collect::<Vec<f64>>()
        })?;
        let extra = self.noise.of_new_rows();
        let aleatoric = whole.iter().zip(&latent).map(|(w, l)| (w - l).max(0.0) + extra).collect();
        Ok(Distribution { mean: self.mean(points)?, epistemic: parts.concat(), aleatoric })
    }

    /// What the unknown mean adds, as R with Rᵀ R the covariance: functions × points.
    fn trend_of(&self, factored: &Factored, basis: &Mat, rows: Range<usize>, values: &Mat) -> Option<Mat> {
        let inner = factored.inner.as_ref()?;
        let mut out = basis.view().rows(rows).to_mat();
        gemm_into(-1.0, values.view(), factored.across.view(), 1.0, out.as_mut_slice());
        let mut out = out.view().t().to_mat();
        inner.solve_l(&mut out);
        Some(out)
    }

    /// The covariance of the function's values at new points, before each target's units.
    pub fn covariance_of(&self, points: PointsRef<'_>) -> Result<Mat> {
        let (factored, new, silent) =
            (self.factored()?, self.kernel.side(points)?, self.kernel.without_noise());
        let mut out = silent.gram(&silent.side(points)?);
        let known = self.kernel.side(self.points.view())?;
        let mut values = self.kernel.cross(&new, &known);
        let trend = self.trend_of(&factored, &self.trend.values(points), 0..points.len(), &values);
        factored.factor.solve_l_rows(&mut values);
        let seen = matmul_parallel(values.view(), values.view().t());
        out.as_mut_slice().iter_mut().zip(seen.as_slice()).for_each(|(v, s)| *v -= s);
        if let Some(r) = trend {
            gemm_into(1.0, r.view().t(), r.view(), 1.0, out.as_mut_slice());
        }
        Ok(out)
    }

    /// Functions drawn from the posterior at new points, each with the noise of the kernel: points × draws, of one target.
    pub fn sample(&self, points: PointsRef<'_>, target: usize, draws: usize, rng: &mut Rng) -> Result<Mat> {
        if target >= self.alpha.n_cols() {
            return Err(Error::shape("targets", self.alpha.n_cols(), target + 1));
        }
        let (found, mut covariance) = (self.distribution(points)?, self.covariance_of(points)?);
        let (n, extra) = (points.len(), self.noise.of_new_rows());
        (0..n).for_each(|i| covariance[(i, i)] += found.aleatoric[i] - extra);
        // Eigenvectors, since a covariance of close points has no Cholesky factor.
        let eigen =
            eigh(&covariance).ok_or_else(|| Error::numeric(NAME, "the covariance is not finite: scale"))?;
        let roots: Vec<f64> = eigen.values.iter().map(|v| v.max(0.0).sqrt()).collect();
        let drawn = Mat::from_fn(n, draws, |i, _| roots[i] * normal(rng));
        let mut out = matmul_parallel(eigen.vectors.view(), drawn.view());
        let unit = self.observed.deviation[target];
        for i in 0..n {
            out.row_mut(i).iter_mut().for_each(|v| *v = *v * unit + found.mean[(i, target)]);
        }
        Ok(out)
    }

    fn of_input<T: Send>(
        &self,
        input: &Input<'_>,
        session: &Session,
        ask: impl FnOnce(PointsRef<'_>) -> Result<T> + Send,
    ) -> Result<T> {
        let held = Held::new(NAME, self.kernel.data_kind(), input)?;
        session.run(|| ask(held.view()))
    }
}

impl Fitted for GaussianProcessModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let mean = self.of_input(input, session, |points| self.mean(points))?;
        schema.prediction((0..mean.n_cols()).map(|k| mean.col(k)))
    }

    fn abilities(&self) -> Abilities<'_> {
        match self.alpha.n_cols() {
            1 => Abilities {
                spread: Some(self),
                intervals: Some(self),
                quantiles: Some(self),
                ..Abilities::default()
            },
            _ => Abilities::default(),
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        let several = ["spread", "intervals", "quantiles"].contains(&ability) && self.alpha.n_cols() > 1;
        several.then(|| "there are several targets, and the answer is for one".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (input, target) = (data.input(), data.need_target(NAME)?);
        let held = Held::new(NAME, self.kernel.data_kind(), &input)?;
        let (points, observed) = (held.view(), self.observed.with(&target)?);
        let noise = self.noise.of_rows(NAME, points.len())?;
        let mut likelihood = self.likelihood_of(points, &observed.y, &noise, session);
        let standing = likelihood.need_standing(&self.kernel, true)?;
        let known = (self.alpha.n_rows(), self.alpha.n_cols()) == (observed.y.n_rows(), observed.y.n_cols());
        let residual =
            if known { likelihood.residual(&self.kernel, &self.alpha, &self.beta)? } else { f64::NAN };
        Ok(vec![
            (GRADIENT.to_owned(), projected(&self.kernel, &standing.gradient)),
            (LIKELIHOOD.to_owned(), standing.value),
            (LEFT_OUT.to_owned(), standing.leave_one_out()),
            (RESIDUAL.to_owned(), residual),
        ])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, t) = (self.alpha.n_rows(), self.alpha.n_cols());
        let shape: &[usize] = if t == 1 { &[n] } else { &[n, t] };
        let mut all = vec![
            Attribute::text(
                "kernel_",
                "The kernel with the hyper-parameters found.",
                vec![self.kernel.to_string()],
            ),
            Attribute::real(
                "y_train_",
                "The targets as learnt from.",
                shape,
                self.observed.y.as_slice().to_vec(),
            ),
            Attribute::real(
                "alpha_",
                "The weights of the training rows.",
                shape,
                self.alpha.as_slice().to_vec(),
            ),
            Attribute::real(
                "_y_train_mean",
                "What is subtracted from targets.",
                &[t],
                self.observed.mean.clone(),
            ),
            Attribute::real(
                "_y_train_std",
                "What targets are divided by.",
                &[t],
                self.observed.deviation.clone(),
            ),
            Attribute::real(
                "log_marginal_likelihood_value_",
                "The log marginal likelihood.",
                &[],
                vec![self.likelihood],
            ),
        ];
        all.extend(training_rows(&self.points));
        if let Ok(factored) = self.factored() {
            let doc = "The Cholesky factor of the Gram matrix, noise included.";
            all.push(Attribute::real("L_", doc, &[n, n], factored.factor.l().into_vec()));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (n, t, m) = (self.points.len(), self.observed.mean.len(), self.trend.len());
        let shaped = |m: &Mat, shape: (usize, usize)| m.is_consistent() && (m.n_rows(), m.n_cols()) == shape;
        let fits = shaped(&self.observed.y, (n, t))
            && shaped(&self.alpha, (n, t))
            && shaped(&self.beta, (m, t))
            && t > 0
            && self.observed.deviation.len() == t
            && schema.targets.len() == t
            && self.trend.fits(schema.n_features())
            && self.points.fits(schema.n_features())
            && self.noise.of_rows(NAME, n).is_ok();
        if fits && self.points.suit(&self.kernel) {
            Ok(())
        } else {
            Err("weights, rows and kernel do not fit together".to_owned())
        }
    }
}

impl Spread for GaussianProcessModel {
    fn spread(&self, input: &Input<'_>, session: &Session) -> Result<PredictiveSpread> {
        let found = self.of_input(input, session, |points| self.distribution(points))?;
        let unit = self.observed.deviation[0] * self.observed.deviation[0];
        let scaled = |v: Vec<f64>| v.into_iter().map(|v| v * unit).collect();
        Ok(PredictiveSpread {
            mean: found.mean.into_vec(),
            epistemic: scaled(found.epistemic),
            aleatoric: scaled(found.aleatoric),
        })
    }

    fn covariance(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut out = self.of_input(input, session, |points| self.covariance_of(points))?;
        let found = self.spread(input, session)?;
        let unit = self.observed.deviation[0] * self.observed.deviation[0];
        out.as_mut_slice().iter_mut().for_each(|v| *v *= unit);
        (0..out.n_rows()).for_each(|i| out[(i, i)] = found.epistemic[i] + found.aleatoric[i]);
        Ok(out)
    }
}

impl GaussianProcessModel {
    /// mean + z · deviation for each z, rows × zs.
    fn at_scores(&self, input: &Input<'_>, scores: &[f64], session: &Session) -> Result<Mat> {
        let found = self.spread(input, session)?;
        let std = found.std();
        Ok(Mat::from_fn(std.len(), scores.len(), |i, k| {
            found.mean[i] + if std[i] > 0.0 { scores[k] * std[i] } else { 0.0 }
        }))
    }
}

impl Intervals for GaussianProcessModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        let z = norm_ppf(0.5 + 0.5 * level);
        self.at_scores(input, &[-z, z], session)
    }
}

impl Quantiles for GaussianProcessModel {
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], session: &Session) -> Result<Mat> {
        let scores: Vec<f64> = quantiles.iter().map(|&q| norm_ppf(q)).collect();
        self.at_scores(input, &scores, session)
    }
}
