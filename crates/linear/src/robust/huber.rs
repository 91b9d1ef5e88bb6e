//! Huber's regression: squares for small residuals, absolute values for large ones, the border between them learnt.
//!
//! # Objective
//! $$ \min_{w,b,\sigma>0}\ \sum_i s_i\Big(\sigma + \sigma H_\epsilon\big(\tfrac{y_i - x_i^\top w - b}{\sigma}\big)\Big) +
//!    \alpha\lVert w\rVert_2^2,\qquad H_\epsilon(z) = \begin{cases} z^2 & |z| < \epsilon\\ 2\epsilon|z| - \epsilon^2 &\text{else}
//!    \end{cases} $$
//! with sample weights $s_i$; jointly convex in coefficients and scale.
//!
//! # Algorithm
//! Newton's method in coefficients and scale together, with a line search; the objective is quadratic as long as no row
//! crosses the border, so that the last steps are exact.
//!
//! # Complexity
//! O(n d² + d³) an iteration, ten to twenty of them; memory of a copy of the rows, sparse where they are.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::HuberRegressor;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(20, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..20).map(|i| if i == 3 { 80.0 } else { 2.0 * i as f64 + (i % 3) as f64 }).collect();
//! let model = HuberRegressor::default().fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! assert!((model.coef()[0] - 2.0).abs() < 0.1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where most rows are fitted exactly the scale has no positive minimum; it is then kept at 1e-8 of the size of the target,
//! and the certificate says that it stalled.
//!
//! # References
//! - P. J. Huber, E. M. Ronchetti. Robust Statistics. 2nd ed., 2009. doi:10.1002/9780470434697
//! - A. B. Owen. A robust hybrid of lasso and ridge regression. Contemporary Mathematics 443, 2007.

use super::model::{RobustLoss, RobustModel};
use super::rows::{Rows, solve};
use crate::intercept::InterceptParams;
use crate::linear_model::larger;
use mercer_core::{
    Capabilities, Certificate, Dataset, Error, Evidence, Learn, Params, Result, Session, Termination,
};
use mercer_math::{Mat, dot, median};

/// Huber's regression, which outliers draw with bounded force.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "huber",
    canon = "L1",
    task = Regression,
    python = "linear_model",
    tried = "| alpha=0.0",
    mixins = "HuberMixin WarmMixin",
    door = "warm_start=False",
    can = "weights sparse scaled explain",
    references = "Huber, Ronchetti. Robust Statistics. 2nd ed., 2009."
)]
pub struct HuberRegressor {
    /// Residuals beyond this many scales are outliers.
    #[param(default = 1.35, range = "[1, inf)", search = "linear 1.01..3")]
    pub epsilon: f64,
    /// Most iterations.
    #[param(default = 100, range = "[1, inf)")]
    pub max_iter: usize,
    /// Strength of the L2 penalty.
    #[param(default = 0.0001, range = "[0, inf)", search = "log 1e-6..1e2")]
    pub alpha: f64,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Relative gradient at which to stop.
    #[param(default = 1e-5, range = "[0, inf)")]
    pub tol: f64,
}

/// The name of the evidence.
const GRADIENT: &str = "relative gradient";
/// The smallest scale, in the unit of the target.
const LEAST: f64 = 1e-8;

impl Learn for HuberRegressor {
    type Model = RobustModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RobustModel> {
        let problem = Huber::of(Self::NAME, data, self.epsilon, self.alpha, self.intercept.fit_intercept)?;
        let (u, sigma, termination, iterations) = problem.minimise(
            self.tol.min(1e-8),
            self.max_iter,
            problem.start(data.n_features(), session)?,
            session,
        );
        let (found, value) =
            (problem.relative_gradient(&u, sigma), problem.value(&u, sigma) * problem.rows.unit());
        let meaning = "largest entry of the gradient of the convex objective by coefficients and scale, each over the most it can be: zero at the exact optimum";
        let certificate = Certificate::new(termination)
            .with_iterations(iterations as u64)
            .with_objective(value)
            .with_evidence(Evidence::residual(GRADIENT, found, meaning));
        let linear = problem.rows.model(Self::NAME, &u, certificate)?;
        let mut outliers = vec![false; data.n_rows()];
        for (&i, r) in problem.rows.kept.iter().zip(problem.rows.residuals(&u)) {
            outliers[i] = r.abs() > self.epsilon * sigma;
        }
        let scale = sigma * problem.rows.unit();
        let loss = RobustLoss::Huber { epsilon: self.epsilon, alpha: self.alpha, scale, outliers };
        Ok(RobustModel { linear, loss })
    }

    /// Without a penalty the units of columns do not matter.
    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.alpha > 0.0, ..Self::declaration().capabilities }
    }
}

/// The problem in the frame of its rows.
pub(super) struct Huber {
    pub(super) rows: Rows,
    epsilon: f64,
    /// The L2 penalty of each coefficient.
    penalty: Vec<f64>,
    /// 2ε Σ s |a| of each column.
    steepest: Vec<f64>,
}

impl Huber {
    pub(super) fn of(
        who: &str,
        data: &Dataset<'_>,
        epsilon: f64,
        alpha: f64,
        intercept: bool,
    ) -> Result<Self> {
        let rows = Rows::of(who, data, intercept)?;
        let unit_y = rows.unit();
        let own = rows.frame.unit.iter().map(|unit| (alpha * unit_y / unit / unit).min(1e200));
        let penalty = std::iter::repeat_n(0.0, rows.first()).chain(own).collect();
        let pull: Vec<f64> = rows.weights.iter().map(|s| 2.0 * epsilon * s).collect();
        let steepest = rows.a.most_back(&pull);
        Ok(Self { rows, epsilon, penalty, steepest })
    }

    fn value(&self, u: &[f64], sigma: f64) -> f64 {
        let one = |r: &f64| match r.abs() <= self.epsilon * sigma {
            true => sigma + r * r / sigma,
            false => sigma + 2.0 * self.epsilon * r.abs() - self.epsilon * self.epsilon * sigma,
        };
        let loss: f64 = self.rows.residuals(u).iter().zip(&self.rows.weights).map(|(r, s)| s * one(r)).sum();
        loss + u.iter().zip(&self.penalty).map(|(u, p)| p * u * u).sum::<f64>()
    }

    /// The gradient by coefficients, then by the scale, and each row's weight in the Hessian.
    fn gradient(&self, u: &[f64], sigma: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (r, weights) = (self.rows.residuals(u), &self.rows.weights);
        let inside = |r: f64| r.abs() <= self.epsilon * sigma;
        let pull: Vec<f64> = r
            .iter()
            .zip(weights)
            .map(
                |(r, s)| if inside(*r) { -2.0 * s * r / sigma } else { -2.0 * s * self.epsilon * r.signum() },
            )
            .collect();
        let mut g = self.rows.a.back(&pull);
        g.iter_mut().zip(u.iter().zip(&self.penalty)).for_each(|(g, (u, p))| *g += 2.0 * p * u);
        let by_scale =
            |r: f64| if inside(r) { 1.0 - (r / sigma).powi(2) } else { 1.0 - self.epsilon.powi(2) };
        g.push(r.iter().zip(weights).map(|(r, s)| s * by_scale(*r)).sum());
        let curve =
            r.iter().zip(weights).map(|(r, s)| if inside(*r) { 2.0 * s / sigma } else { 0.0 }).collect();
        (g, curve, r)
    }

    pub(super) fn relative_gradient(&self, u: &[f64], sigma: f64) -> f64 {
        let (g, _, _) = self.gradient(u, sigma);
        let total = self.rows.frame.weight * self.epsilon * self.epsilon;
        let most = self.steepest.iter().copied().chain([total]);
        let parts = g.iter().zip(most).map(|(g, m)| if *g == 0.0 { 0.0 } else { (g / m).abs() });
        parts.fold(0.0, larger)
    }

    pub(super) fn evidence(&self, u: &[f64], scale: f64) -> Vec<(String, f64)> {
        vec![(GRADIENT.to_owned(), self.relative_gradient(u, scale / self.rows.unit()))]
    }

    /// The session's start: coefficients, intercept and scale; else least squares with the scale of its median residual.
    fn start(&self, n_features: usize, session: &Session) -> Result<(Vec<f64>, f64)> {
        if let Some(given) = session.start() {
            if given.len() != n_features + 2 || !given.iter().all(|v| v.is_finite()) {
                let what = "finite coefficients, intercept and scale to start from";
                return Err(Error::shape(what, n_features + 2, given.len()));
            }
            let (coef, rest) = given.split_at(n_features);
            return Ok((self.rows.place(coef, rest[0]), (rest[1] / self.rows.unit()).max(LEAST)));
        }
        let ridge: Vec<f64> = self.penalty.iter().map(|p| p + 1e-12).collect();
        let squares = self.rows.weighted_squares(&vec![1.0; self.rows.y.len()], &ridge);
        let u = squares.unwrap_or_else(|| vec![0.0; self.rows.a.n_cols()]);
        let spread: Vec<f64> = self.rows.residuals(&u).iter().map(|r| r.abs()).collect();
        Ok((u, (median(&spread).unwrap_or(1.0) / 0.6745).max(LEAST)))
    }

    /// Damped Newton from a start; stops when the relative gradient is at most `tol`, at the limit, or where no step helps.
    fn minimise(
        &self,
        tol: f64,
        limit: usize,
        (mut u, mut sigma): (Vec<f64>, f64),
        session: &Session,
    ) -> (Vec<f64>, f64, Termination, usize) {
        let q = self.rows.a.n_cols();
        let (mut value, mut iterations) = (self.value(&u, sigma), 0);
        for iteration in 0..limit {
            let relative = self.relative_gradient(&u, sigma);
            if relative <= tol {
                return (u, sigma, Termination::Converged, iteration);
            }
            if let Some(why) = session.step("newton", iteration as u64, Some(limit as u64), Some(value)) {
                return (u, sigma, why, iteration);
            }
            let (g, curve, r) = self.gradient(&u, sigma);
            let Some(step) = self.direction(&g, &curve, &r, sigma) else { break };
            let (slope, mut length, mut found) = (dot(&g, &step), 1.0, None);
            for _ in 0..60 {
                let next = (sigma - length * step[q]).max(LEAST);
                let at: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u - length * s).collect();
                let there = self.value(&at, next);
                // Near the optimum values no longer tell steps apart, but gradients do.
                let flat =
                    there <= value + 1e-13 * value.abs() && self.relative_gradient(&at, next) < relative;
                if there < value - 1e-4 * length * slope.max(0.0) || flat {
                    found = Some((at, next, there));
                    break;
                }
                length *= 0.5;
            }
            let Some((at, next, there)) = found else { break };
            (u, sigma, value, iterations) = (at, next, there, iteration + 1);
        }
        let end = match self.relative_gradient(&u, sigma) {
            g if g <= 1e-7 => Termination::Converged,
            _ if iterations < limit => Termination::Stalled,
            _ => Termination::IterationLimit,
        };
        (u, sigma, end, iterations)
    }

    /// H⁻¹ g by coefficients and scale.
    fn direction(&self, g: &[f64], curve: &[f64], r: &[f64], sigma: f64) -> Option<Vec<f64>> {
        let q = self.rows.a.n_cols();
        let inner = self.rows.a.gram(curve);
        let mixed: Vec<f64> = curve.iter().zip(r).map(|(c, r)| c * r / sigma).collect();
        let cross = self.rows.a.back(&mixed);
        let by_scale: f64 = mixed.iter().zip(r).map(|(m, r)| m * r / sigma).sum();
        // A little on the diagonal where no row is inside of the border.
        let floor = 1e-10 * self.rows.frame.weight;
        let h = Mat::from_fn(q + 1, q + 1, |i, j| match (i == q, j == q) {
            (false, false) => inner[(i, j)] + if i == j { 2.0 * self.penalty[i] + floor } else { 0.0 },
            (true, true) => by_scale + floor,
            (true, false) => cross[j],
            (false, true) => cross[i],
        });
        solve(&h, g)
    }
}
