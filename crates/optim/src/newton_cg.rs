//! Trust-region Newton with conjugate gradients: large problems through Hessian-vector products.
//!
//! # Objective
//! $$ \min_x f(x), \qquad \min_s\ g^\top s + \tfrac12 s^\top H s \quad\text{s.t.}\quad \lVert s\rVert \le \Delta \ \text{ for each step} $$
//!
//! # Algorithm
//! Steihaug's conjugate gradients end at the boundary or at negative curvature, which they follow to the boundary; the radius
//! changes with how much of the predicted decrease is real.
//!
//! # Complexity
//! A few products with the Hessian an iteration (two gradients each where the objective has none); memory O(n).
//!
//! # Example
//! ```
//! use mercer_optim::{NewtonCg, Objective, Stop, newton_cg};
//! // A saddle at zero: negative curvature leads away from it.
//! struct Saddle;
//! impl Objective for Saddle {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[2.0 * x[0], x[1].powi(3) - x[1]]);
//!         x[0] * x[0] + 0.25 * x[1].powi(4) - 0.5 * x[1] * x[1]
//!     }
//! }
//! let found = newton_cg(&mut Saddle, &[1.0, 0.1], &NewtonCg::default(), None);
//! assert!(found.stop == Stop::Converged && (found.x[1] - 1.0).abs() < 1e-6);
//! ```
//!
//! # Numerics
//! Where the predicted decrease is rounding, a step is taken if it lowers the gradient.
//!
//! # References
//! - T. Steihaug. The conjugate gradient method and trust regions. SIAM J. Numer. Anal. 20(3), 1983. doi:10.1137/0720042
//! - C.-J. Lin, R. C. Weng, S. S. Keerthi. Trust region Newton method for logistic regression. JMLR 9, 2008.

use crate::objective::{Monitor, Objective, Solution, State, Stop, sup_norm};
use mercer_math::{axpy, dot};

/// Settings of [`newton_cg`].
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonCg {
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// Most Hessian-vector products of one iteration.
    pub max_cg: usize,
}

impl Default for NewtonCg {
    fn default() -> Self {
        Self { tol: 1e-6, max_iter: 200, max_cg: 250 }
    }
}

/// Minimises a smooth function by truncated Newton steps within a trust region.
///
///   min_x f(x);   each step:  min_s  g's + s'Hs / 2   s.t.  |s| <= delta,  by conjugate gradients
///
/// Given f with its gradient and, best, [`Objective::hess_vec`] (differences of gradients are used where it
/// returns false), and a start; returns the best point. The inner residual falls below
/// min(0.1, sqrt|g|) |g|, so convergence is superlinear. Stops when |grad f|_inf <= `tol` (`Converged`), at
/// `max_iter`, when the monitor breaks, or when neither value nor gradient can be lowered (`NoProgress`).
///
/// C.-J. Lin, R. C. Weng, S. S. Keerthi. Trust region Newton method for large-scale logistic regression.
/// JMLR 9, 2008 (the TRON of LIBLINEAR); the inner solver is Steihaug's, SIAM J. Numer. Anal. 20(3), 1983.
///
/// # Panics
/// When the start has not one value for each variable.
pub fn newton_cg(
    objective: &mut dyn Objective,
    x0: &[f64],
    settings: &NewtonCg,
    mut monitor: Option<Monitor<'_>>,
) -> Solution {
    let mut state = State::start(objective, x0);
    let mut delta = norm(&state.grad);
    let mut first = true;
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return state.solution(stop);
        }
        let mut accepted = None;
        // Every refusal at least halves the radius: after sixty of them no step changes x.
        for _ in 0..60 {
            let (step, predicted) = truncated_cg(objective, &mut state, delta, settings.max_cg);
            let length = norm(&step);
            if first {
                delta = delta.min(length);
                first = false;
            }
            let trial = Trial::new(objective, &mut state, &step);
            let slope = dot(&state.grad, &step);
            delta = new_radius(delta, length, slope, predicted, state.value - trial.value);
            if trial.improves(&state, predicted) {
                accepted = Some(trial);
                break;
            }
            // In positive form, so that NaN ends the loop.
            let worth_trying = delta > 1e-16 * norm(&state.x) && predicted > 0.0;
            if !worth_trying {
                break;
            }
        }
        let Some(trial) = accepted else { return state.solution(Stop::NoProgress) };
        (state.x, state.grad, state.value) = (trial.x, trial.grad, trial.value);
        state.iterations += 1;
    }
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

struct Trial {
    x: Vec<f64>,
    grad: Vec<f64>,
    value: f64,
}

impl Trial {
    fn new(objective: &mut dyn Objective, state: &mut State, step: &[f64]) -> Self {
        let mut x = state.x.clone();
        axpy(1.0, step, &mut x);
        let mut grad = vec![0.0; x.len()];
        let value = objective.value_grad(&x, &mut grad);
        state.evaluations += 1;
        Self { x, grad, value }
    }

    /// Whether the value falls by enough of what the model predicts, or, where that is rounding, the gradient.
    fn improves(&self, state: &State, predicted: f64) -> bool {
        let finite = self.value.is_finite() && self.grad.iter().all(|g| g.is_finite());
        let rounding = 64.0 * f64::EPSILON * state.value.abs();
        let by_value = predicted > 0.0 && state.value - self.value > 1e-4 * predicted;
        let by_gradient = predicted <= rounding
            && self.value <= state.value + rounding
            && sup_norm(&self.grad) < 0.9 * sup_norm(&state.grad);
        finite && (by_value || by_gradient)
    }
}

/// The update of the trust region in LIBLINEAR: eta = (1e-4, 0.25, 0.75), sigma = (0.25, 0.5, 4).
fn new_radius(delta: f64, length: f64, slope: f64, predicted: f64, actual: f64) -> f64 {
    if !actual.is_finite() {
        return 0.25 * length.min(delta);
    }
    let excess = -actual - slope;
    let alpha = if excess <= 0.0 { 4.0 } else { (-0.5 * slope / excess).max(0.25) };
    if actual < 1e-4 * predicted {
        (alpha.max(0.25) * length).min(0.5 * delta)
    } else if actual < 0.25 * predicted {
        (alpha * length).min(0.5 * delta).max(0.25 * delta)
    } else if actual < 0.75 * predicted {
        (alpha * length).min(4.0 * delta).max(0.25 * delta)
    } else {
        (alpha * length).min(4.0 * delta).max(delta)
    }
}

/// Minimises the quadratic model within the radius; returns the step and the decrease it predicts.
fn truncated_cg(
    objective: &mut dyn Objective,
    state: &mut State,
    delta: f64,
    max_cg: usize,
) -> (Vec<f64>, f64) {
    let n = state.x.len();
    let mut step = vec![0.0; n];
    let mut residual: Vec<f64> = state.grad.iter().map(|g| -g).collect();
    let (mut p, mut hp) = (residual.clone(), vec![0.0; n]);
    let mut rr = dot(&residual, &residual);
    let tolerance = rr.sqrt() * rr.powf(0.25).min(0.1);
    for _ in 0..max_cg.max(1) {
        if rr.is_nan() || rr.sqrt() <= tolerance {
            break;
        }
        hess_vec(objective, state, &p, &mut hp);
        let curvature = dot(&p, &hp);
        let alpha = rr / curvature;
        let mut reached = step.clone();
        axpy(alpha, &p, &mut reached);
        // Negative curvature and long steps both end on the boundary (NaN counts as negative curvature).
        let inside = curvature > 0.0 && norm(&reached) < delta;
        if !inside {
            let tau = to_boundary(&step, &p, delta);
            axpy(tau, &p, &mut step);
            axpy(-tau, &hp, &mut residual);
            break;
        }
        step = reached;
        axpy(-alpha, &hp, &mut residual);
        let next = dot(&residual, &residual);
        let beta = next / rr;
        p.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + beta * *p);
        rr = next;
    }
    // With r = -g - Hs the decrease -g's - s'Hs/2 is (s'r - g's) / 2.
    let predicted = 0.5 * (dot(&step, &residual) - dot(&state.grad, &step));
    (step, predicted)
}

/// The positive tau with |step + tau p| = delta.
fn to_boundary(step: &[f64], p: &[f64], delta: f64) -> f64 {
    let (ss, sp, pp) = (dot(step, step), dot(step, p), dot(p, p));
    let room = delta * delta - ss;
    let root = (sp * sp + pp * room).max(0.0).sqrt();
    // Of the two equal forms, the one without cancellation.
    if sp >= 0.0 { room / (sp + root) } else { (root - sp) / pp }
}

/// The Hessian-vector product, by differences of gradients where the objective has none.
pub(crate) fn hess_vec(objective: &mut dyn Objective, state: &mut State, v: &[f64], out: &mut [f64]) {
    if objective.hess_vec(&state.x, v, out) {
        return;
    }
    let size = norm(v);
    let h = f64::EPSILON.cbrt() * norm(&state.x).max(1.0) / size;
    let (mut above, mut below) = (state.x.clone(), state.x.clone());
    axpy(h, v, &mut above);
    axpy(-h, v, &mut below);
    let mut grad_below = vec![0.0; v.len()];
    objective.value_grad(&above, out);
    objective.value_grad(&below, &mut grad_below);
    state.evaluations += 2;
    out.iter_mut().zip(&grad_below).for_each(|(a, b)| *a = (*a - b) / (2.0 * h));
}
