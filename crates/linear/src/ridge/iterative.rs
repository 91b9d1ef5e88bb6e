//! Ridge regression by iterations on the rows, which are centred on the way and never copied.
//!
//! All solve, for one target at a time and in units in which the longest column and the largest target are 1,
//!
//!   min_w ½ Σ s (y − a·w)² + ½α‖w‖²   (s.t. w ≥ 0),   a = x − x̄
//!
//! and stop when the gradient is at most `tol` times that of zero coefficients, at the limit, when asked to, or where
//! rounding leaves nothing to gain.

use super::stochastic::stochastic;
use super::{Ridge, RidgeSolver};
use crate::centred::Centred;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{Dataset, ParamType, Result, Session, Termination, Value};
use mercer_math::{Mat, axpy, dot};
use mercer_optim::{LbfgsB, Objective, Stop, lbfgsb};
use std::ops::ControlFlow;

/// The problem of one target.
pub(super) struct Single<'a> {
    pub(super) centred: &'a Centred<'a>,
    /// What columns are multiplied by.
    pub(super) unit: f64,
    /// The penalty in these units.
    pub(super) alpha: f64,
    /// The target in these units.
    pub(super) y: Vec<f64>,
    pub(super) tol: f64,
    pub(super) limit: usize,
    pub(super) positive: bool,
    pub(super) session: &'a Session,
}

/// Coefficients in the units of the problem, how the search ended, and after how many iterations.
pub(super) type Found = (Vec<f64>, Termination, u64);

/// Gradients that are smaller than this, relative to that of zero coefficients, are rounding.
pub(super) const ROUNDING: f64 = 1e-12;

impl Ridge {
    /// Every target by a solver that iterates.
    pub(super) fn iterate(
        &self,
        data: &Dataset<'_>,
        solver: RidgeSolver,
        session: &Session,
    ) -> Result<LinearRegressionModel> {
        let centred = Centred::new(self.params.intercept.fit_intercept, data)?;
        let (d, alphas) = (centred.mean_x.len(), self.params.alphas.of_targets(centred.y.len())?);
        // In units of columns and target, so that squares of products neither overflow nor vanish.
        let longest = centred.norms().into_iter().fold(0.0, f64::max);
        let unit = if longest > 0.0 { 1.0 / longest } else { 1.0 };
        let mut w = Mat::zeros(d, alphas.len());
        let (mut termination, mut iterations) = (Termination::Converged, 0);
        for (k, (y, alpha)) in centred.y.iter().zip(&alphas).enumerate() {
            let size = y.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            let size = if size > 0.0 { size } else { 1.0 };
            let problem = Single {
                centred: &centred,
                unit,
                alpha: alpha * unit * unit,
                y: y.iter().map(|v| v / size).collect(),
                tol: self.params.tol,
                limit: self.params.max_iter.unwrap_or_else(|| limit(solver, d)),
                positive: self.params.positive,
                session,
            };
            let (found, ended, n) = problem.solve(solver)?;
            found.iter().enumerate().for_each(|(j, v)| w[(j, k)] = v * unit * size);
            termination = if termination.is_success() { ended } else { termination };
            iterations = n.max(iterations);
        }
        let bound = self.params.positive.then_some(0.0);
        let certificate = centred.certificate(&alphas, &w, bound, termination).with_iterations(iterations);
        let name = solver.to_value();
        let name = if let Value::Text(word) = &name { word.as_str() } else { "" };
        let model = self.model(w, (&centred.mean_x, &centred.mean_y), name, certificate)?;
        Ok(LinearRegressionModel { means: centred.means, ..model })
    }
}

/// Most iterations where none are given.
fn limit(solver: RidgeSolver, d: usize) -> usize {
    match solver {
        RidgeSolver::Sag | RidgeSolver::Saga => 1000,
        RidgeSolver::GradientDescent => 20_000,
        RidgeSolver::Lbfgs => 15_000,
        _ => 10 * d.max(10),
    }
}

impl Single<'_> {
    fn solve(&self, solver: RidgeSolver) -> Result<Found> {
        match solver {
            RidgeSolver::Lsqr => Ok(self.lsqr()),
            RidgeSolver::GradientDescent => Ok(self.gradient_descent()),
            RidgeSolver::Sag => Ok(stochastic(self, false)),
            RidgeSolver::Saga => Ok(stochastic(self, true)),
            RidgeSolver::Lbfgs => self.lbfgs(),
            _ => Ok(self.conjugate_gradients()),
        }
    }

    /// A v.
    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        let scaled: Vec<f64> = v.iter().map(|v| v * self.unit).collect();
        self.centred.times(&scaled)
    }

    /// Aᵀ S u.
    pub(super) fn transposed(&self, u: &[f64]) -> Vec<f64> {
        let mut out = self.centred.transposed(u);
        out.iter_mut().for_each(|v| *v *= self.unit);
        out
    }

    /// (AᵀSA + αI) v.
    fn curved(&self, v: &[f64]) -> Vec<f64> {
        let mut out = self.transposed(&self.times(v));
        axpy(self.alpha, v, &mut out);
        out
    }

    /// The gradient at w, from the residual.
    pub(super) fn gradient(&self, w: &[f64]) -> Vec<f64> {
        let off: Vec<f64> = self.times(w).iter().zip(&self.y).map(|(f, y)| f - y).collect();
        let mut out = self.transposed(&off);
        axpy(self.alpha, w, &mut out);
        out
    }

    /// Whether to stop before an iteration.
    pub(super) fn asked(&self, stage: &str, iteration: usize, value: f64) -> Option<Termination> {
        let stop = self.session.step(stage, iteration as u64, Some(self.limit as u64), Some(value));
        stop.or((iteration >= self.limit).then_some(Termination::IterationLimit))
    }

    /// Conjugate gradients; the residual is kept up to date by steps. Hestenes, Stiefel, J. Res. NBS 49, 1952.
    fn conjugate_gradients(&self) -> Found {
        let mut residual = self.transposed(&self.y);
        let (mut w, mut direction) = (vec![0.0; residual.len()], residual.clone());
        let mut rr = dot(&residual, &residual);
        let target = rr * self.tol * self.tol;
        let mut iteration = 0;
        while rr > target {
            if let Some(why) = self.asked("conjugate gradients", iteration, rr.sqrt()) {
                return (w, why, iteration as u64);
            }
            let ap = self.curved(&direction);
            let curvature = dot(&direction, &ap);
            if curvature.is_nan() || curvature <= 0.0 {
                return (w, Termination::Stalled, iteration as u64);
            }
            let step = rr / curvature;
            axpy(step, &direction, &mut w);
            axpy(-step, &ap, &mut residual);
            let next = dot(&residual, &residual);
            let beta = next / rr;
            direction.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + beta * *p);
            rr = next;
            iteration += 1;
        }
        (w, Termination::Converged, iteration as u64)
    }

    /// Gradient descent. The first step is the best along the gradient, every later one as long as was best for the gradient
    /// before it: the rule of J. Barzilai, J. Borwein, IMA J. Numer. Anal. 8(1), 1988, doi:10.1093/imanum/8.1.141, which
    /// converges on convex quadratics (M. Raydan, 1993) and far sooner than the best steps do.
    fn gradient_descent(&self) -> Found {
        let mut g: Vec<f64> = self.transposed(&self.y).iter().map(|v| -v).collect();
        let mut w = vec![0.0; g.len()];
        let (mut rr, mut length) = (dot(&g, &g), None);
        let target = rr * self.tol * self.tol;
        let (first, mut best, mut since, mut iteration) = (rr, rr, 0, 0);
        while rr > target {
            if let Some(why) = self.asked("gradient descent", iteration, rr.sqrt()) {
                return (w, why, iteration as u64);
            }
            let ag = self.curved(&g);
            let own = rr / dot(&g, &ag);
            if !(own.is_finite() && own > 0.0) {
                return (w, Termination::Stalled, iteration as u64);
            }
            let step = length.replace(own).unwrap_or(own);
            axpy(-step, &g, &mut w);
            iteration += 1;
            // Steps leave rounding in a gradient that is kept up to date by them.
            if iteration % 32 == 0 {
                g = self.gradient(&w);
            } else {
                axpy(-step, &ag, &mut g);
            }
            rr = dot(&g, &g);
            since = if rr < 0.9 * best { 0 } else { since + 1 };
            best = best.min(rr);
            if since > 200 && best <= first * ROUNDING * ROUNDING {
                break;
            }
        }
        (w, Termination::Converged, iteration as u64)
    }

    /// Bidiagonalisation of the rows with √α below them. C. C. Paige, M. A. Saunders, ACM TOMS 8(1), 1982,
    /// doi:10.1145/355984.355989.
    fn lsqr(&self) -> Found {
        let roots: Vec<f64> = (0..self.y.len()).map(|i| self.centred.weight(i).sqrt()).collect();
        // S^½ A v and Aᵀ S^½ u; rows without a weight are nothing.
        let forth =
            |v: &[f64]| -> Vec<f64> { self.times(v).iter().zip(&roots).map(|(v, r)| v * r).collect() };
        let back = |u: &[f64]| -> Vec<f64> {
            let inner: Vec<f64> =
                u.iter().zip(&roots).map(|(u, r)| if *r > 0.0 { u / r } else { 0.0 }).collect();
            self.transposed(&inner)
        };
        let mut u: Vec<f64> = self.y.iter().zip(&roots).map(|(y, r)| y * r).collect();
        let beta = normalise(&mut u);
        let mut v = back(&u);
        let mut alpha = normalise(&mut v);
        let (mut w, mut direction) = (vec![0.0; v.len()], v.clone());
        let (mut phi_bar, mut rho_bar, damp) = (beta, alpha, self.alpha.sqrt());
        let target = self.tol * alpha * beta;
        let mut left = alpha * beta;
        let mut iteration = 0;
        while left > target {
            if let Some(why) = self.asked("lsqr", iteration, left) {
                return (w, why, iteration as u64);
            }
            let mut next = forth(&v);
            axpy(-alpha, &u, &mut next);
            u = next;
            let beta = normalise(&mut u);
            let mut next = back(&u);
            axpy(-beta, &v, &mut next);
            v = next;
            alpha = normalise(&mut v);
            let damped = rho_bar.hypot(damp);
            phi_bar *= rho_bar / damped;
            let rho = damped.hypot(beta);
            let (c, s) = (damped / rho, beta / rho);
            let (theta, phi) = (s * alpha, c * phi_bar);
            (rho_bar, phi_bar) = (-c * alpha, s * phi_bar);
            axpy(phi / rho, &direction, &mut w);
            direction.iter_mut().zip(&v).for_each(|(d, v)| *d = v - theta / rho * *d);
            iteration += 1;
            left = alpha * (s * phi).abs();
            if !left.is_finite() {
                return (w, Termination::Stalled, iteration as u64);
            }
        }
        (w, Termination::Converged, iteration as u64)
    }

    /// L-BFGS within bounds, or without.
    fn lbfgs(&self) -> Result<Found> {
        let xy = self.transposed(&self.y);
        let steepest = xy.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let settings =
            LbfgsB { tol: self.tol.max(1e-15) * steepest, max_iter: self.limit, ..LbfgsB::default() };
        let zeros = vec![0.0; xy.len()];
        let lower = if self.positive { zeros.clone() } else { vec![f64::NEG_INFINITY; xy.len()] };
        let mut asked = None;
        let mut monitor = |step: &mercer_optim::Step| {
            let limit = Some(self.limit as u64);
            asked = self.session.step("lbfgs", step.iteration as u64, limit, Some(step.value));
            if asked.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let upper = vec![f64::INFINITY; xy.len()];
        let found = lbfgsb(&mut OfSingle(self), &zeros, &lower, &upper, &settings, Some(&mut monitor))?;
        let ended = match found.stop {
            Stop::Converged => Termination::Converged,
            Stop::MaxIter => Termination::IterationLimit,
            // The gradient is as small as rounding lets it be.
            Stop::NoProgress if found.grad_norm <= 1e-9 * steepest => Termination::Converged,
            _ => asked.unwrap_or(Termination::Stalled),
        };
        Ok((found.x, ended, found.iterations as u64))
    }
}

/// The norm of a vector, which is divided by it.
fn normalise(v: &mut [f64]) -> f64 {
    let norm = dot(v, v).sqrt();
    if norm > 0.0 {
        v.iter_mut().for_each(|v| *v /= norm);
    }
    norm
}

/// The objective as `optim` sees it.
struct OfSingle<'a>(&'a Single<'a>);

impl Objective for OfSingle<'_> {
    fn dim(&self) -> usize {
        self.0.centred.mean_x.len()
    }

    fn value_grad(&mut self, w: &[f64], grad: &mut [f64]) -> f64 {
        let off: Vec<f64> = self.0.times(w).iter().zip(&self.0.y).map(|(f, y)| f - y).collect();
        grad.copy_from_slice(&self.0.transposed(&off));
        axpy(self.0.alpha, w, grad);
        let squares = off.iter().enumerate().map(|(i, r)| self.0.centred.weight(i) * r * r).sum::<f64>();
        0.5 * (squares + self.0.alpha * dot(w, w))
    }
}
