//! Damped Newton with a dense Hessian.
//!
//! # Objective
//! $$ \min_x f(x), \qquad x_{k+1} = x_k - t\,(H(x_k) + \tau I)^{-1}\nabla f(x_k) $$
//!
//! # Algorithm
//! τ is the least of a rising sequence that makes the matrix positive definite, t from a strong Wolfe search that tries 1 first. For
//! roots, and where Newton's method without these fails, see [`newton_root`](crate::newton_root).
//!
//! # Complexity
//! O(n³) an iteration; memory O(n²). Convergence is quadratic near a minimum with a positive definite Hessian.
//!
//! # Example
//! ```
//! use mercer_math::Mat;
//! use mercer_optim::{Newton, Objective, Stop, newton};
//! struct Cosh;
//! impl Objective for Cosh {
//!     fn dim(&self) -> usize { 1 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad[0] = (x[0] - 1.0).sinh();
//!         (x[0] - 1.0).cosh()
//!     }
//! }
//! let mut hessian = |x: &[f64], h: &mut Mat| h[(0, 0)] = (x[0] - 1.0).cosh();
//! let found = newton(&mut Cosh, &mut hessian, &[3.0], &Newton::default(), None);
//! assert!(found.stop == Stop::Converged && (found.x[0] - 1.0).abs() < 1e-8);
//! ```
//!
//! # Numerics
//! A Hessian that is not finite leaves steepest descent.
//!
//! # References
//! - J. Nocedal, S. J. Wright. Numerical Optimization, 2nd ed., 2006, algorithms 3.2 and 3.3.

use crate::lbfgs::Counted;
use crate::line_search::{Point, Wolfe, wolfe};
use crate::objective::{Monitor, Objective, Solution, State, Stop};
use mercer_math::{Cholesky, Mat};

/// Settings of [`newton`].
#[derive(Clone, Debug, PartialEq)]
pub struct Newton {
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// Conditions of the line search.
    pub wolfe: Wolfe,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tol: 1e-8, max_iter: 100, wolfe: Wolfe::default() }
    }
}

/// Minimises a smooth function of few variables by Newton's method.
///
///   min_x f(x),   x <- x - t (H + tau I)^-1 grad f(x)
///
/// Given f with its gradient, `hessian(x, out)` that writes the lower triangle of the d by d Hessian (`out`
/// arrives zeroed), and a start; returns the best point. `tau` is zero where H is positive definite and else
/// the least of a rising sequence that makes it so. Stops when |grad f|_inf <= `tol` (`Converged`), at
/// `max_iter`, when the monitor breaks, or when no step lowers the value (`NoProgress`). O(d^3) an iteration.
///
/// Algorithms 3.2 and 3.3 of J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., 2006.
///
/// # Panics
/// When the start has not one value for each variable.
pub fn newton(
    objective: &mut dyn Objective,
    hessian: &mut dyn FnMut(&[f64], &mut Mat),
    x0: &[f64],
    settings: &Newton,
    mut monitor: Option<Monitor<'_>>,
) -> Solution {
    let mut state = State::start(objective, x0);
    let mut h = Mat::zeros(x0.len(), x0.len());
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return state.solution(stop);
        }
        h.as_mut_slice().fill(0.0);
        hessian(&state.x, &mut h);
        let direction = match damped(&mut h) {
            Some(factor) => factor.solve_vec(&state.grad).iter().map(|v| -v).collect(),
            // A Hessian that is not finite leaves steepest descent.
            None => state.grad.iter().map(|g| -g).collect::<Vec<_>>(),
        };
        let from = Point { x: &state.x, value: state.value, grad: &state.grad };
        let mut counted = Counted { inner: objective, count: &mut state.evaluations };
        let Some(found) = wolfe(&mut counted, from, &direction, 1.0, &settings.wolfe) else {
            return state.solution(Stop::NoProgress);
        };
        (state.x, state.grad, state.value) = (found.x, found.grad, found.value);
        state.iterations += 1;
    }
}

/// The factor of H + tau I for the first tau of 0, t, 4t, 16t, ... that is positive definite.
fn damped(h: &mut Mat) -> Option<Cholesky> {
    let n = h.n_rows();
    let size = (0..n).fold(0.0f64, |m, i| m.max(h[(i, i)].abs()));
    let least = (0..n).fold(f64::INFINITY, |m, i| m.min(h[(i, i)]));
    if least > 0.0
        && let Some(factor) = Cholesky::new(h)
    {
        return Some(factor);
    }
    let first = 1e-3 * size.max(1e-10);
    let (mut tau, mut added) = (if least > 0.0 { first } else { first - least }, 0.0);
    for _ in 0..60 {
        (0..n).for_each(|i| h[(i, i)] += tau - added);
        added = tau;
        if let Some(factor) = Cholesky::new(h) {
            return Some(factor);
        }
        tau *= 4.0;
    }
    None
}
