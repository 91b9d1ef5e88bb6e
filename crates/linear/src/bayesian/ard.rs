//! Automatic relevance determination: Bayesian regression with a precision for each coefficient.
//!
//! # Objective
//! $$ y \mid w \sim N(Xw + b, \alpha^{-1}I),\quad w_j \sim N(0, \lambda_j^{-1}),\quad \alpha \sim \Gamma(\alpha_1, \alpha_2),\
//!    \lambda_j \sim \Gamma(\lambda_1, \lambda_2) $$
//! The precisions maximise the marginal likelihood; a coefficient whose precision exceeds `threshold_lambda` is zero.
//!
//! # Algorithm
//! Tipping's updates $\lambda_j = (\gamma_j + 2\lambda_1)/(w_j^2 + 2\lambda_2)$ with $\gamma_j = 1 - \lambda_j\Sigma_{jj}$, on centred
//! moments, which are sums over blocks of rows.
//!
//! # Complexity
//! O(n d²) once and O(k³) an iteration for the k features that are left; memory O(d²).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::ARDRegression;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(40, 2, |i, j| if j == 0 { i as f64 } else { ((i * 7) % 5) as f64 });
//! let y: Vec<f64> = (0..40).map(|i| 3.0 * i as f64 + ((i % 4) as f64 - 1.5)).collect();
//! let model = ARDRegression::default().fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! assert!((model.mean()[0] - 3.0).abs() < 0.02 && model.mean()[1].abs() < 0.05);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The marginal likelihood has several maxima; the updates end in one of them, and the order of columns does not matter.
//!
//! # References
//! - M. E. Tipping. Sparse Bayesian learning and the relevance vector machine. JMLR 1, 2001.
//! - D. J. C. MacKay. Bayesian nonlinear modeling for the prediction competition. ASHRAE Transactions 100, 1994.

use super::evidence::{PrecisionParams, finite, first_precision, gradient, part, residual_squares};
use super::model::{BayesianModel, certificate};
use crate::intercept::InterceptParams;
use crate::linear_model::LinearRegressionModel;
use crate::on_moments::{FromMoments, OnMoments};
use mercer_core::sums::{self, Batches};
use mercer_core::{CrossMoments, Dataset, Error, Learn, Params, Result, Session, Termination};
use mercer_math::{Cholesky, Mat, dot};

/// Bayesian regression that leaves features out by a precision for each of them.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ard",
    canon = "L4",
    task = Regression,
    python = "linear_model",
    tried = "| compute_score=true",
    session = "verbose",
    door = "copy_X=True",
    mixins = "SingleMixin",
    order = "compute_score threshold_lambda",
    can = "weights by_sums scaled explain spread intervals",
    references = "Tipping. Sparse Bayesian learning and the relevance vector machine. JMLR 1, 2001."
)]
pub struct ARDRegression {
    /// How precisions are found.
    #[param(flatten)]
    pub precision: PrecisionParams,
    /// Features whose precision exceeds this are left out.
    #[param(default = 1e4, range = "[0, inf)")]
    pub threshold_lambda: f64,
}

impl Learn for ARDRegression {
    type Model = BayesianModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<BayesianModel> {
        sums::fit(Self::NAME, &OnMoments(self), data, session)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &OnMoments(self), batches, session))
    }
}

/// The posterior of the coefficients that are left: mean of all, covariance of those.
fn posterior(m: &CrossMoments, kept: &[usize], alpha: f64, lambda: &[f64]) -> Option<(Vec<f64>, Mat)> {
    let xx = part(&m.xx, kept);
    // In units in which the diagonal is 1, since precisions differ by many powers of ten.
    let unit: Vec<f64> =
        kept.iter().enumerate().map(|(a, &j)| (lambda[j] + alpha * xx[(a, a)]).sqrt()).collect();
    let scaled = Mat::from_fn(kept.len(), kept.len(), |a, b| {
        let own = if a == b { lambda[kept[a]] } else { 0.0 };
        (own + alpha * xx[(a, b)]) / unit[a] / unit[b]
    });
    let inverse = Cholesky::new(&scaled)?.inverse();
    let covariance = Mat::from_fn(kept.len(), kept.len(), |a, b| inverse[(a, b)] / unit[a] / unit[b]);
    let xy: Vec<f64> = kept.iter().map(|&j| alpha * m.xy[(j, 0)]).collect();
    let mut w = vec![0.0; m.mean_x.len()];
    kept.iter().enumerate().for_each(|(a, &j)| w[j] = dot(covariance.row(a), &xy));
    Some((w, covariance))
}

impl FromMoments for ARDRegression {
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
        finite(Self::NAME, moments)?;
        let (p, d) = (&self.precision, moments.mean_x.len());
        let overflow =
            || Error::numeric(Self::NAME, "precisions overflow: values too large or too small, scale them");
        let (mut alpha, mut lambda) = (first_precision(spread), vec![1.0; d]);
        let mut kept: Vec<usize> = (0..d).collect();
        let (mut scores, mut old, mut iterations) = (Vec::new(), vec![0.0; d], 0);
        let mut termination = Termination::IterationLimit;
        for iteration in 0..p.max_iter {
            if let Some(why) = session.step("evidence", iteration as u64, Some(p.max_iter as u64), None) {
                termination = why;
                break;
            }
            let (mut w, covariance) = posterior(moments, &kept, alpha, &lambda).ok_or_else(overflow)?;
            let squares = residual_squares(moments, &w);
            let gamma: Vec<f64> =
                kept.iter().enumerate().map(|(a, &j)| 1.0 - lambda[j] * covariance[(a, a)]).collect();
            for (gamma, &j) in gamma.iter().zip(&kept) {
                lambda[j] = (gamma + 2.0 * p.lambda_1) / (w[j] * w[j] + 2.0 * p.lambda_2);
            }
            alpha =
                (moments.weight - gamma.iter().sum::<f64>() + 2.0 * p.alpha_1) / (squares + 2.0 * p.alpha_2);
            kept.retain(|&j| lambda[j] < self.threshold_lambda);
            (0..d).filter(|j| kept.binary_search(j).is_err()).for_each(|j| w[j] = 0.0);
            if p.compute_score {
                scores.push(self.score(moments, &w, &covariance, squares, alpha, &lambda));
            }
            iterations = iteration + 1;
            let moved: f64 = w.iter().zip(&old).map(|(a, b)| (a - b).abs()).sum();
            if (iteration > 0 && moved < p.tol) || kept.is_empty() {
                termination = Termination::Converged;
                break;
            }
            old = w;
        }
        let (w, covariance) = posterior(moments, &kept, alpha, &lambda).ok_or_else(overflow)?;
        let columns = Mat::from_fn(d, 1, |j, _| w[j]);
        let penalty = |j: usize| kept.binary_search(&j).ok().map(|_| lambda[j] / alpha);
        let certificate = certificate(termination, iterations as u64, gradient(moments, &w, &[], penalty))
            .with_note(format!("{} of {d} features are kept", kept.len()));
        let linear = LinearRegressionModel::about(
            Self::NAME,
            &columns,
            (&moments.mean_x, &moments.mean_y),
            certificate,
        )?;
        let linear = LinearRegressionModel { fit_intercept: p.intercept.fit_intercept, means, ..linear };
        let finite = alpha.is_finite() && covariance.view().find_non_finite().is_none();
        let (prior, base) = (Vec::new(), 0.0);
        let model = BayesianModel { linear, kept, covariance, alpha, lambda, prior, base, scores };
        if finite { Ok(model) } else { Err(overflow()) }
    }
}

impl ARDRegression {
    /// The log marginal likelihood as scikit-learn counts it.
    fn score(
        &self,
        m: &CrossMoments,
        w: &[f64],
        covariance: &Mat,
        squares: f64,
        alpha: f64,
        lambda: &[f64],
    ) -> f64 {
        let p = &self.precision;
        let hyper = lambda.iter().map(|l| p.lambda_1 * l.ln() - p.lambda_2 * l).sum::<f64>()
            + p.alpha_1 * alpha.ln()
            - p.alpha_2 * alpha;
        let log_det = Cholesky::new(covariance).map_or(f64::NEG_INFINITY, |c| c.log_det());
        let fit = alpha * squares + w.iter().zip(lambda).map(|(w, l)| l * w * w).sum::<f64>();
        hyper + 0.5 * (log_det + m.weight * alpha.ln() + lambda.iter().map(|l| l.ln()).sum::<f64>())
            - 0.5 * fit
    }
}
