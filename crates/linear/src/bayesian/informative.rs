//! Bayesian linear regression with a Gaussian prior that is given.
//!
//! # Objective
//! $$ y \mid w \sim N(Xw + b, \sigma_n^2 I),\quad w \sim N(\mu, \mathrm{diag}(\sigma_p^2)) $$
//! The posterior is Gaussian: covariance $\bar\Sigma = (\sigma_n^{-2}X^\top X + \Lambda)^{-1}$ and mean
//! $\bar\mu = \mu + \sigma_n^{-2}\bar\Sigma X^\top(y - X\mu)$, with $\Lambda = \mathrm{diag}(\sigma_p^{-2})$ and rows about their means
//! where there is an intercept, whose prior is flat. With $\mu = 0$ the mean is ridge regression at
//! $\alpha = \sigma_n^2/\sigma_p^2$.
//!
//! # Algorithm
//! Cholesky of the posterior precision in units of its diagonal, on centred moments, which are sums over blocks of rows.
//! Variances that are not given maximise the evidence by MacKay's updates.
//!
//! # Complexity
//! O(n d²) once, O(d³) an iteration; memory O(d²).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::BayesianLinearRegression;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![2.0, 4.0]))?;
//! let prior = BayesianLinearRegression::default().fit_intercept(false).noise_variance(Some(1.0));
//! let model = prior.prior_mean(vec![1.0]).prior_variance(vec![0.2]).fit(&data)?;
//! assert!((model.mean()[0] - 1.5).abs() < 1e-12 && (model.covariance()[(0, 0)] - 0.1).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The evidence of a model with an intercept counts a prior of density 1 for it, so that only differences between such
//! models mean something.
//!
//! # References
//! - C. M. Bishop. Pattern Recognition and Machine Learning, section 3.3. 2006.
//! - D. J. C. MacKay. Bayesian interpolation. Neural Computation 4(3), 1992. doi:10.1162/neco.1992.4.3.415

use super::evidence::{finite, first_precision, gradient, residual_squares};
use super::model::{BayesianModel, certificate};
use crate::linear_model::LinearRegressionModel;
use crate::on_moments::{FromMoments, OnMoments};
use mercer_core::sums::{self, Batches};
use mercer_core::{CrossMoments, Dataset, Error, Learn, Params, Result, Session, Termination};
use mercer_math::{Cholesky, Mat, dot};

/// Bayesian linear regression with a Gaussian prior that is given, or whose variance is learnt.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bayesian-linear-regression",
    canon = "L4",
    task = Regression,
    python = "linear_model",
    tried = "| noise_variance=0.1,prior_variance=[1.0]",
    can = "weights by_sums scaled explain spread intervals",
    references = "Bishop. Pattern Recognition and Machine Learning. 2006."
)]
pub struct BayesianLinearRegression {
    /// The prior mean of each coefficient; empty means zero.
    #[param(default = Vec::new(), range = "(-inf, inf)")]
    pub prior_mean: Vec<f64>,
    /// The prior variance of the coefficients, one or one for each; empty means one that maximises the evidence.
    #[param(default = Vec::new(), range = "(0, inf)")]
    pub prior_variance: Vec<f64>,
    /// The variance of the noise; none means the one that maximises the evidence.
    #[param(default = None, range = "(0, inf)")]
    pub noise_variance: Option<f64>,
    /// Whether to fit an intercept, with a flat prior.
    #[param(default = true)]
    pub fit_intercept: bool,
    /// Most iterations, where variances are learnt.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// Stop when no variance that is learnt changes by more than this share.
    #[param(default = 1e-8, range = "(0, 1)")]
    pub tol: f64,
}

impl Learn for BayesianLinearRegression {
    type Model = BayesianModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BayesianModel> {
        sums::fit(Self::NAME, &OnMoments(self), data, session)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &OnMoments(self), batches, session))
    }
}

/// A posterior, and the logarithm of the determinant of its precision.
struct Posterior {
    mean: Vec<f64>,
    covariance: Mat,
    log_det: f64,
}

fn overflow() -> Error {
    let why = "variances overflow: values too large or too small, scale them";
    Error::numeric(BayesianLinearRegression::NAME, why)
}

impl FromMoments for BayesianLinearRegression {
    type Made = BayesianModel;

    fn about_means(&self) -> bool {
        self.fit_intercept
    }

    fn finish(
        &self,
        m: &CrossMoments,
        (means, spread): (Vec<f64>, f64),
        session: &Session,
    ) -> Result<BayesianModel> {
        finite(Self::NAME, m)?;
        let d = m.mean_x.len();
        for (what, got) in
            [("prior_mean", self.prior_mean.len()), ("prior_variance", self.prior_variance.len())]
        {
            if got != 0 && got != d && (what == "prior_mean" || got != 1) {
                let expected = format!("a list of one number for each of {d} features");
                return Err(Error::param(Self::NAME, what, expected, format!("{got} numbers")));
            }
        }
        let mut alpha = self.noise_variance.map_or_else(|| first_precision(spread), |v| 1.0 / v);
        let mut lambda: Vec<f64> = match self.prior_variance.as_slice() {
            [] => vec![1.0],
            given => given.iter().map(|v| 1.0 / v).collect(),
        };
        let learns = (self.noise_variance.is_none(), self.prior_variance.is_empty());
        let limit = if learns == (false, false) { 0 } else { self.max_iter };
        let mut termination = if limit == 0 { Termination::Exact } else { Termination::IterationLimit };
        let (mut found, mut iterations) = (self.posterior(m, alpha, &lambda)?, 0);
        while iterations < limit {
            if let Some(why) = session.step("evidence", iterations as u64, Some(limit as u64), None) {
                termination = why;
                break;
            }
            let before = (alpha, lambda[0]);
            self.update(m, &found, learns, &mut alpha, &mut lambda);
            found = self.posterior(m, alpha, &lambda)?;
            iterations += 1;
            let moved = |a: f64, b: f64| (a / b - 1.0).abs();
            if moved(alpha, before.0).max(moved(lambda[0], before.1)) <= self.tol {
                termination = Termination::Converged;
                break;
            }
        }
        let penalty = |j: usize| Some(lambda.get(j).unwrap_or(&lambda[0]) / alpha);
        let gradient = gradient(m, &found.mean, &self.prior_mean, penalty);
        let scores = vec![self.log_evidence(m, &found, alpha, &lambda)];
        let columns = Mat::from_fn(d, 1, |j, _| found.mean[j]);
        let certificate = certificate(termination, iterations as u64, gradient);
        let linear = LinearRegressionModel::about(Self::NAME, &columns, (&m.mean_x, &m.mean_y), certificate)?;
        let linear = LinearRegressionModel { fit_intercept: self.fit_intercept, means, ..linear };
        let base = if self.fit_intercept { 1.0 / alpha / m.weight } else { 0.0 };
        let (kept, prior) = ((0..d).collect(), self.prior_mean.clone());
        Ok(BayesianModel { linear, kept, covariance: found.covariance, alpha, lambda, prior, base, scores })
    }
}

impl BayesianLinearRegression {
    fn posterior(&self, m: &CrossMoments, alpha: f64, lambda: &[f64]) -> Result<Posterior> {
        let d = m.mean_x.len();
        let own = |j: usize| lambda.get(j).copied().unwrap_or(lambda[0]);
        let unit: Vec<f64> = (0..d).map(|j| (own(j) + alpha * m.xx[(j, j)]).sqrt()).collect();
        let scaled = Mat::from_fn(d, d, |i, j| {
            (alpha * m.xx[(i, j)] + if i == j { own(j) } else { 0.0 }) / unit[i] / unit[j]
        });
        let factor = Cholesky::new(&scaled).ok_or_else(overflow)?;
        let inverse = factor.inverse();
        let covariance = Mat::from_fn(d, d, |i, j| inverse[(i, j)] / unit[i] / unit[j]);
        let mean = |j: usize| self.prior_mean.get(j).copied().unwrap_or(0.0);
        let prior: Vec<f64> = (0..d).map(mean).collect();
        let right: Vec<f64> =
            (0..d).map(|j| alpha * (m.xy[(j, 0)] - dot(m.xx.row(j), &prior)) / unit[j]).collect();
        let step = factor.solve_vec(&right);
        let mean = (0..d).map(|j| prior[j] + step[j] / unit[j]).collect();
        let log_det = factor.log_det() + 2.0 * unit.iter().map(|u| u.ln()).sum::<f64>();
        if covariance.view().find_non_finite().is_some() || !log_det.is_finite() {
            return Err(overflow());
        }
        Ok(Posterior { mean, covariance, log_det })
    }

    /// γ = d − λ tr Σ̄; λ = γ / ‖w − μ‖², α = (n − γ) / ‖y − Xw‖², for those that are learnt.
    fn update(
        &self,
        m: &CrossMoments,
        at: &Posterior,
        (noise, prior): (bool, bool),
        alpha: &mut f64,
        lambda: &mut [f64],
    ) {
        let d = at.mean.len();
        let own = |j: usize| lambda.get(j).copied().unwrap_or(lambda[0]);
        let gamma = d as f64 - (0..d).map(|j| own(j) * at.covariance[(j, j)]).sum::<f64>();
        let free = m.weight - f64::from(u8::from(self.fit_intercept)) - gamma;
        let squares = residual_squares(m, &at.mean);
        let off = |j: usize| at.mean[j] - self.prior_mean.get(j).copied().unwrap_or(0.0);
        let length: f64 = (0..d).map(|j| off(j).powi(2)).sum();
        // Precisions of what does not vary at all stay within what can be computed with.
        let size = (m.yy[0] / m.weight).max(f64::MIN_POSITIVE);
        if noise && free > 0.0 {
            *alpha = free / squares.max(1e-20 * size * m.weight).max(f64::MIN_POSITIVE);
        }
        if prior && gamma > 0.0 {
            lambda[0] = (gamma / length.max(f64::MIN_POSITIVE)).clamp(1e-300, 1e300);
        }
    }

    /// log p(y) = ½(n log α + log|Λ| − log|A| − α‖y − Xw‖² − (w − μ)ᵀΛ(w − μ) − n log 2π), and for a flat intercept
    /// ½ log(2π / αn) beside it.
    fn log_evidence(&self, m: &CrossMoments, at: &Posterior, alpha: f64, lambda: &[f64]) -> f64 {
        let (n, d, turn) = (m.weight, at.mean.len(), (2.0 * std::f64::consts::PI).ln());
        let own = |j: usize| lambda.get(j).copied().unwrap_or(lambda[0]);
        let off = |j: usize| at.mean[j] - self.prior_mean.get(j).copied().unwrap_or(0.0);
        let prior: f64 = (0..d).map(|j| own(j).ln() - own(j) * off(j).powi(2)).sum();
        let fit =
            0.5 * (n * alpha.ln() + prior - at.log_det - alpha * residual_squares(m, &at.mean) - n * turn);
        fit + if self.fit_intercept { 0.5 * (turn - (alpha * n).ln()) } else { 0.0 }
    }
}
