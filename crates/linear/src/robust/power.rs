//! L_p regression: the sum of powers of absolute residuals, from least absolute deviations towards the least maximum.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{\sum_i s_i}\sum_i s_i\,\lvert y_i - x_i^\top w - b\rvert^p,\qquad p \ge 1 $$
//! with sample weights $s_i$.
//!
//! # Algorithm
//! $p = 1$ is least absolute deviations, solved exactly as the median by [`QuantileRegressor`](crate::QuantileRegressor).
//! Else Newton's method, which is least squares with the weights $\lvert r_i\rvert^{p-2}$ and a step of $1/(p-1)$, from
//! least squares on and with a line search.
//!
//! # Complexity
//! O(n d² + d³) an iteration; memory of a copy of the rows, sparse where they are.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LpRegressor;
//! use mercer_math::Mat;
//! let rows = Mat::from_rows(&[[0.0], [0.0], [1.0], [1.0]]).unwrap();
//! let data = Dataset::new(&rows).with_target(Target::real(vec![0.0, 1.0, 5.0, 7.0]))?;
//! let model = LpRegressor::default().p(4.0).fit(&data)?;
//! assert!((model.intercept() - 0.5).abs() < 1e-6 && (model.coef()[0] - 5.5).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Below $p = 2$ weights grow without bound where residuals vanish; they are capped at residuals of 1e-8 of the largest, and
//! the certificate shows the gradient that is left.
//!
//! # References
//! - R. H. Byrd, D. A. Pyne. Convergence of the iteratively reweighted least squares algorithm for robust regression. 1979.
//! - Å. Björck. Numerical Methods for Least Squares Problems. 1996. doi:10.1137/1.9781611971484

use super::model::{RobustLoss, RobustModel};
use super::quantile::Pinball;
use super::rows::Rows;
use crate::intercept::InterceptParams;
use crate::linear_model::larger;
use mercer_core::{Certificate, Dataset, Evidence, Learn, Params, Result, Session, Termination};

/// L_p regression; `p=1` is least absolute deviations.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lp-regression least-absolute-deviations",
    canon = "L1",
    task = Regression,
    python = "linear_model",
    tried = "| p=1.5 | p=4",
    can = "weights sparse explain",
    references = "Björck. Numerical Methods for Least Squares Problems. 1996."
)]
pub struct LpRegressor {
    /// The power of the residuals; 1 is least absolute deviations.
    #[param(default = 1.0, range = "[1, 100]", search = "linear 1..4")]
    pub p: f64,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Most iterations.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// Relative gradient at which to stop.
    #[param(default = 1e-8, range = "[0, inf)")]
    pub tol: f64,
}

/// The name of the evidence.
const GRADIENT: &str = "relative gradient";

impl Learn for LpRegressor {
    type Model = RobustModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RobustModel> {
        let loss = RobustLoss::Power { p: self.p };
        if self.p == 1.0 {
            let median = Pinball::of(Self::NAME, data, 0.5, 0.0, self.intercept.fit_intercept)?;
            let (u, found) = median.solve(session);
            let certificate = median.certificate(&u, &found);
            return Ok(RobustModel { linear: median.rows.model(Self::NAME, &u, certificate)?, loss });
        }
        let problem = Power { rows: Rows::of(Self::NAME, data, self.intercept.fit_intercept)?, p: self.p };
        let (u, termination, iterations) = problem.minimise(self.tol, self.max_iter, session);
        let meaning = "largest entry of the gradient of the convex objective, over what it were if no residuals cancelled: zero at the exact optimum";
        let objective = problem.value(&u) / problem.rows.frame.weight * problem.rows.unit().powf(self.p);
        let mut certificate = Certificate::new(termination)
            .with_iterations(iterations as u64)
            .with_evidence(Evidence::residual(GRADIENT, problem.relative_gradient(&u), meaning));
        certificate.objective = Some(objective).filter(|v| v.is_finite());
        Ok(RobustModel { linear: problem.rows.model(Self::NAME, &u, certificate)?, loss })
    }
}

/// The problem in the frame of its rows.
pub(super) struct Power {
    pub(super) rows: Rows,
    pub(super) p: f64,
}

impl Power {
    fn value(&self, u: &[f64]) -> f64 {
        self.rows.residuals(u).iter().zip(&self.rows.weights).map(|(r, s)| s * r.abs().powf(self.p)).sum()
    }

    /// |Σ s |r|^(p−1) sign(r) a| over Σ s |r|^(p−1) |a|, the largest of all columns; residuals of rounding are none.
    fn relative_gradient(&self, u: &[f64]) -> f64 {
        let r = self.rows.residuals(u);
        let largest = r.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        if largest <= 1e-12 * self.rows.y.iter().fold(0.0f64, |a, b| a.max(b.abs())) {
            return if largest.is_nan() { f64::NAN } else { 0.0 };
        }
        let pull: Vec<f64> = r
            .iter()
            .zip(&self.rows.weights)
            .map(|(r, s)| s * (r.abs() / largest).powf(self.p - 1.0) * r.signum())
            .collect();
        let (g, most) = (self.rows.a.back(&pull), self.rows.a.most_back(&pull));
        g.iter().zip(&most).map(|(g, m)| if *g == 0.0 { 0.0 } else { (g / m).abs() }).fold(0.0, larger)
    }

    pub(super) fn evidence(&self, u: &[f64]) -> Vec<(String, f64)> {
        vec![(GRADIENT.to_owned(), self.relative_gradient(u))]
    }

    fn minimise(&self, tol: f64, limit: usize, session: &Session) -> (Vec<f64>, Termination, usize) {
        let q = self.rows.a.n_cols();
        let (ones, none) = (vec![1.0; self.rows.y.len()], vec![0.0; q]);
        let mut u = self.rows.weighted_squares(&ones, &none).unwrap_or_else(|| none.clone());
        let mut value = self.value(&u);
        for iteration in 0..limit {
            if self.relative_gradient(&u) <= tol {
                return (u, Termination::Converged, iteration);
            }
            if let Some(why) =
                session.step("reweighted squares", iteration as u64, Some(limit as u64), Some(value))
            {
                return (u, why, iteration);
            }
            let r = self.rows.residuals(&u);
            let largest = r.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let factor: Vec<f64> =
                r.iter().map(|r| (r.abs() / largest).max(1e-8).powf(self.p - 2.0)).collect();
            let Some(target) = self.rows.weighted_squares(&factor, &none) else { break };
            let mut length = if self.p > 2.0 { 1.0 / (self.p - 1.0) } else { 1.0 };
            // Longer steps pay far from the optimum, shorter ones where weights were capped.
            length *= 2.0;
            let mut found = None;
            for _ in 0..50 {
                let at: Vec<f64> = u.iter().zip(&target).map(|(u, t)| u + length * (t - u)).collect();
                let there = self.value(&at);
                if there < value {
                    found = Some((at, there));
                    break;
                }
                length *= 0.5;
            }
            let Some((at, there)) = found else { break };
            (u, value) = (at, there);
        }
        let end =
            if self.relative_gradient(&u) <= 1e-6 { Termination::Converged } else { Termination::Stalled };
        (u, end, limit)
    }
}
