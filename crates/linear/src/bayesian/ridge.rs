//! Bayesian ridge regression: the penalty of ridge regression and the noise, learnt from the data.
//!
//! # Objective
//! $$ y \mid w \sim N(Xw + b, \alpha^{-1}I),\quad w \sim N(0, \lambda^{-1}I),\quad \alpha \sim \Gamma(\alpha_1, \alpha_2),\
//!    \lambda \sim \Gamma(\lambda_1, \lambda_2) $$
//! The precisions maximise the marginal likelihood; the coefficients have their posterior mean and covariance.
//!
//! # Algorithm
//! MacKay's updates $\lambda = (\gamma + 2\lambda_1)/(\lVert w\rVert^2 + 2\lambda_2)$ and
//! $\alpha = (n - \gamma + 2\alpha_1)/(\lVert y - Xw\rVert^2 + 2\alpha_2)$ with the effective number of coefficients
//! $\gamma = \sum_j \alpha\sigma_j^2/(\lambda + \alpha\sigma_j^2)$, from one eigendecomposition of the centred moments, which are sums
//! over blocks of rows.
//!
//! # Complexity
//! O(n d²) once, O(d³) once, O(d²) an iteration; memory O(d²).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::BayesianRidge;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(30, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..30).map(|i| 2.0 * i as f64 + (i % 3) as f64).collect();
//! let model = BayesianRidge::default().fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! assert!((model.mean()[0] - 2.0).abs() < 0.05);
//! assert!((model.noise_variance() - 0.7).abs() < 0.2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Squares of residuals come from moments; of a target that is fitted to more than seven digits the noise is rounding.
//!
//! # References
//! - D. J. C. MacKay. Bayesian interpolation. Neural Computation 4(3), 1992. doi:10.1162/neco.1992.4.3.415
//! - M. E. Tipping. Sparse Bayesian learning and the relevance vector machine. JMLR 1, 2001.

use super::evidence::{PrecisionParams, finite, first_precision, gradient, residual_squares};
use super::model::{BayesianModel, certificate};
use crate::intercept::InterceptParams;
use crate::linear_model::LinearRegressionModel;
use crate::on_moments::{FromMoments, OnMoments};
use mercer_core::sums::{self, Batches};
use mercer_core::{CrossMoments, Dataset, Error, Learn, Params, Result, Session, Termination};
use mercer_math::{Eigh, Mat, dot, eigh, gemv, gemv_t};

/// Ridge regression with a penalty learnt from the data, and a distribution of its coefficients.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bayesian-ridge",
    canon = "L4",
    task = Regression,
    python = "linear_model",
    tried = "| compute_score=true,fit_intercept=false",
    session = "verbose",
    door = "copy_X=True",
    mixins = "SingleMixin",
    order = "lambda_2 alpha_init lambda_init compute_score",
    can = "weights by_sums scaled explain spread intervals",
    references = "MacKay. Bayesian interpolation. Neural Computation 4(3), 1992."
)]
pub struct BayesianRidge {
    /// How precisions are found.
    #[param(flatten)]
    pub precision: PrecisionParams,
    /// The precision of the noise to begin with; none means that of the target.
    #[param(default = None, range = "(0, inf)")]
    pub alpha_init: Option<f64>,
    /// The precision of the coefficients to begin with; none means 1.
    #[param(default = None, range = "(0, inf)")]
    pub lambda_init: Option<f64>,
}

impl Learn for BayesianRidge {
    type Model = BayesianModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BayesianModel> {
        sums::fit(Self::NAME, &OnMoments(self), data, session)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &OnMoments(self), batches, session))
    }
}

/// Moments along the eigenvectors of the features.
struct Along<'a> {
    moments: &'a CrossMoments,
    eigen: Eigh,
    /// Vᵀ Xᵀ y.
    xy: Vec<f64>,
}

impl<'a> Along<'a> {
    fn of(who: &str, moments: &'a CrossMoments) -> Result<Self> {
        finite(who, moments)?;
        let d = moments.xx.n_rows();
        let unit = (0..d).map(|j| moments.xx[(j, j)]).fold(0.0, f64::max);
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let scaled = Mat::from_fn(d, d, |i, j| moments.xx[(i, j)] / unit);
        let mut eigen =
            eigh(&scaled).ok_or_else(|| Error::numeric(who, "values too large: scale the features"))?;
        eigen.values.iter_mut().for_each(|v| *v = v.max(0.0) * unit);
        let xy = gemv_t(eigen.vectors.view(), moments.xy.as_slice());
        Ok(Self { moments, eigen, xy })
    }

    /// The posterior mean.
    fn coef(&self, ratio: f64) -> Vec<f64> {
        let shrunk: Vec<f64> = self.xy.iter().zip(&self.eigen.values).map(|(c, v)| c / (v + ratio)).collect();
        gemv(self.eigen.vectors.view(), &shrunk)
    }
}

impl FromMoments for BayesianRidge {
    type Made = BayesianModel;

    fn about_means(&self) -> bool {
        self.precision.intercept.fit_intercept
    }

    fn finish(
        &self,
        moments: &CrossMoments,
        (means, spread): (Vec<f64>, f64),
        session: &Session,
    ) -> Result<BayesianModel> {
        let (at, p) = (Along::of(Self::NAME, moments)?, &self.precision);
        let mut alpha = self.alpha_init.unwrap_or_else(|| first_precision(spread));
        let mut lambda = self.lambda_init.unwrap_or(1.0);
        let (mut scores, mut old, mut iterations) = (Vec::new(), Vec::new(), 0);
        let mut termination = Termination::IterationLimit;
        for iteration in 0..p.max_iter {
            if let Some(why) = session.step("evidence", iteration as u64, Some(p.max_iter as u64), None) {
                termination = why;
                break;
            }
            let w = at.coef(lambda / alpha);
            let squares = residual_squares(moments, &w);
            if p.compute_score {
                scores.push(self.score(&at, &w, squares, alpha, lambda));
            }
            let gamma: f64 = at.eigen.values.iter().map(|v| alpha * v / (lambda + alpha * v)).sum();
            lambda = (gamma + 2.0 * p.lambda_1) / (dot(&w, &w) + 2.0 * p.lambda_2);
            alpha = (moments.weight - gamma + 2.0 * p.alpha_1) / (squares + 2.0 * p.alpha_2);
            iterations = iteration + 1;
            let moved: f64 = w.iter().zip(&old).map(|(a, b): (&f64, &f64)| (a - b).abs()).sum();
            if iteration > 0 && moved < p.tol {
                termination = Termination::Converged;
                break;
            }
            old = w;
        }
        let w = at.coef(lambda / alpha);
        if p.compute_score {
            scores.push(self.score(&at, &w, residual_squares(moments, &w), alpha, lambda));
        }
        let d = w.len();
        let spread: Vec<f64> = at.eigen.values.iter().map(|v| 1.0 / (alpha * v + lambda)).collect();
        let half = Mat::from_fn(d, d, |i, j| at.eigen.vectors[(i, j)] * spread[j]);
        let covariance = mercer_math::matmul(half.view(), at.eigen.vectors.view().t());
        let found = gradient(moments, &w, &[], |_| Some(lambda / alpha));
        let certificate = certificate(termination, iterations as u64, found);
        let columns = Mat::from_fn(d, 1, |j, _| w[j]);
        let linear = LinearRegressionModel::about(
            Self::NAME,
            &columns,
            (&moments.mean_x, &moments.mean_y),
            certificate,
        )?;
        let linear = LinearRegressionModel { fit_intercept: p.intercept.fit_intercept, means, ..linear };
        let (kept, prior, base) = ((0..d).collect(), Vec::new(), 0.0);
        let model =
            BayesianModel { linear, kept, covariance, alpha, lambda: vec![lambda], prior, base, scores };
        if model.alpha.is_finite()
            && lambda.is_finite()
            && model.covariance.view().find_non_finite().is_none()
        {
            return Ok(model);
        }
        Err(Error::numeric(Self::NAME, "precisions overflow: values too large or too small, scale them"))
    }
}

impl BayesianRidge {
    /// The log marginal likelihood.
    fn score(&self, at: &Along<'_>, w: &[f64], squares: f64, alpha: f64, lambda: f64) -> f64 {
        let (p, n, d) = (&self.precision, at.moments.weight, w.len() as f64);
        let log_det: f64 = at.eigen.values.iter().map(|v| (lambda + alpha * v).ln()).sum();
        p.lambda_1 * lambda.ln() - p.lambda_2 * lambda + p.alpha_1 * alpha.ln() - p.alpha_2 * alpha
            + 0.5
                * (d * lambda.ln() + n * alpha.ln()
                    - alpha * squares
                    - lambda * dot(w, w)
                    - log_det
                    - n * (2.0 * std::f64::consts::PI).ln())
    }
}
