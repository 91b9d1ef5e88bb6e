//! Proximal gradients: a smooth function plus one whose proximal map is known.
//!
//! # Objective
//! $$ \min_x\ f(x) + r(x) $$
//! with f smooth and r a [`Prox`]. Where r is the indicator of a set this is projected gradient descent.
//!
//! # Algorithm
//! $x_{k+1} = \operatorname{prox}_{t r}(w_k - t\nabla f(w_k))$ with t halved until f is below its quadratic bound. Plain steps
//! have $w_k = x_k$; accelerated ones (FISTA) $w_k = x_k + \frac{\theta_{k-1} - 1}{\theta_k}(x_k - x_{k-1})$ with
//! $\theta_k = \frac{1 + \sqrt{1 + 4\theta_{k-1}^2}}{2}$, started anew whenever the momentum points uphill.
//!
//! # Complexity
//! Two evaluations and two maps an iteration, memory O(n). For convex f the value is within O(1/k) of the least after k
//! plain and O(1/k²) after k accelerated iterations.
//!
//! # Example
//! ```
//! use mercer_optim::{Objective, Prox, Proximal, Stop, proximal_gradient};
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[x[0] - 3.0, 10.0 * (x[1] - 0.05)]);
//!         0.5 * (x[0] - 3.0).powi(2) + 5.0 * (x[1] - 0.05).powi(2)
//!     }
//! }
//! let found = proximal_gradient(&mut Bowl, &Prox::L1 { weight: 1.0 }, &[0.0, 0.0], &Proximal::default(), None)?;
//! assert_eq!((found.stop, found.x[1]), (Stop::Converged, 0.0));
//! assert!((found.x[0] - 2.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where values differ by rounding only, the bound is judged by the change of gradients. Steps grow again by a tenth
//! after each iteration, so that one bad region does not slow the rest.
//!
//! # References
//! - A. Beck, M. Teboulle. A fast iterative shrinkage-thresholding algorithm for linear inverse problems. SIAM J. Imaging
//!   Sci. 2(1), 2009. doi:10.1137/080716542
//! - B. O'Donoghue, E. Candès. Adaptive restart for accelerated gradient schemes. Found. Comput. Math. 15, 2015.
//!   doi:10.1007/s10208-013-9150-3

use crate::objective::{Monitor, Objective, Solution, Step, Stop, sup_norm};
use crate::prox::Prox;
use crate::refuse::{number, start};
use mercer_core::Result;
use mercer_math::{axpy, dot};

const OWNER: &str = "proximal_gradient";

/// Settings of [`proximal_gradient`].
#[derive(Clone, Debug, PartialEq)]
pub struct Proximal {
    /// Whether steps are accelerated (FISTA).
    pub accelerated: bool,
    /// The first step tried.
    pub first_step: f64,
    /// Stop when the largest component of (x − prox(x − t ∇f)) / t is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for Proximal {
    fn default() -> Self {
        Self { accelerated: true, first_step: 1.0, tol: 1e-6, max_iter: 10_000 }
    }
}

/// Minimises a smooth function plus one whose proximal map is known, by proximal gradients.
///
///   min_x f(x) + r(x)
///
/// Given f with its gradient, r and a start (mapped into the domain of r); returns the last point, its value with r, and
/// the size of its gradient map (x − prox(x − t ∇f)) / t for `grad_norm`. Stops when that is at most `tol`
/// (`Converged`), at `max_iter`, when the monitor breaks, or when no step keeps below the bound (`NoProgress`).
///
/// # Errors
/// A start of the wrong length or not finite; an r that is not convex.
pub fn proximal_gradient(
    objective: &mut dyn Objective,
    prox: &Prox,
    x0: &[f64],
    settings: &Proximal,
    mut monitor: Option<Monitor<'_>>,
) -> Result<Solution> {
    start(OWNER, objective.dim(), x0)?;
    prox.check(OWNER, x0.len())?;
    let first = settings.first_step;
    number(OWNER, "first_step", "in (0, inf)", first, first > 0.0 && first.is_finite())?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    let mut x = x0.to_vec();
    prox.map(0.0, &mut x);
    let mut run = Run { objective, prox, step: first, evaluations: 0 };
    let mut at = run.evaluate(x);
    let mut from = at.clone();
    let (mut theta, mut iterations) = (1.0f64, 0);
    let stop = loop {
        let Some(next) = run.forward(&from) else {
            // Momentum may have left the domain; without it there is no excuse.
            if from.x != at.x {
                (from, theta) = (at.clone(), 1.0);
                continue;
            }
            break (Stop::NoProgress, f64::NAN);
        };
        let norm = gradient_map(&from.x, &next.x, run.step);
        let total = at.value + prox.value(&at.x);
        let step = Step { iteration: iterations, value: total, grad_norm: norm };
        let interrupted = monitor.as_mut().is_some_and(|m| m(&step).is_break());
        // The map at the point itself, which momentum is not.
        if norm <= settings.tol && (from.x == at.x || sup_distance(&next.x, &at.x) <= settings.tol * run.step)
        {
            at = next;
            break (Stop::Converged, norm);
        } else if interrupted {
            break (Stop::Interrupted, norm);
        } else if iterations >= settings.max_iter {
            break (Stop::MaxIter, norm);
        }
        iterations += 1;
        let uphill: f64 = (0..next.x.len()).map(|j| (from.x[j] - next.x[j]) * (next.x[j] - at.x[j])).sum();
        let old = std::mem::replace(&mut at, next);
        if !settings.accelerated || uphill > 0.0 || norm <= settings.tol {
            (from, theta) = (at.clone(), 1.0);
        } else {
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
            let push = (theta - 1.0) / grown;
            theta = grown;
            let ahead = at.x.iter().zip(&old.x).map(|(new, old)| new + push * (new - old)).collect();
            from = run.evaluate(ahead);
        }
        run.step *= 1.1;
    };
    let (stop, grad_norm) = stop;
    let value = at.value + prox.value(&at.x);
    Ok(Solution { x: at.x, value, grad_norm, iterations, evaluations: run.evaluations, stop })
}

/// Minimises a smooth function over a set by projected gradients: [`proximal_gradient`] without acceleration.
///
///   min_x f(x)   s.t.  x in the set
///
/// # Errors
/// As [`proximal_gradient`].
pub fn projected_gradient(
    objective: &mut dyn Objective,
    set: &Prox,
    x0: &[f64],
    settings: &Proximal,
    monitor: Option<Monitor<'_>>,
) -> Result<Solution> {
    let plain = Proximal { accelerated: false, ..settings.clone() };
    proximal_gradient(objective, set, x0, &plain, monitor)
}

#[derive(Clone, Debug)]
struct At {
    x: Vec<f64>,
    value: f64,
    grad: Vec<f64>,
}

struct Run<'a> {
    objective: &'a mut dyn Objective,
    prox: &'a Prox,
    step: f64,
    evaluations: usize,
}

impl Run<'_> {
    fn evaluate(&mut self, x: Vec<f64>) -> At {
        let mut grad = vec![0.0; x.len()];
        let value = self.objective.value_grad(&x, &mut grad);
        self.evaluations += 1;
        At { x, value, grad }
    }

    /// A proximal step whose value is below the quadratic bound; `None` where no step is.
    fn forward(&mut self, from: &At) -> Option<At> {
        let whole = from.value.is_finite() && from.grad.iter().all(|g| g.is_finite());
        whole.then_some(())?;
        for _ in 0..100 {
            let mut x = from.x.clone();
            axpy(-self.step, &from.grad, &mut x);
            self.prox.map(self.step, &mut x);
            let next = self.evaluate(x);
            if bounded(from, &next, self.step) {
                return Some(next);
            }
            self.step *= 0.5;
        }
        None
    }
}

/// f(x) <= f(w) + ∇f(w)'(x − w) + |x − w|² / 2t, by values or, where those agree to rounding, by gradients.
fn bounded(from: &At, next: &At, step: f64) -> bool {
    if !(next.value.is_finite() && next.grad.iter().all(|g| g.is_finite())) {
        return false;
    }
    let apart: Vec<f64> = next.x.iter().zip(&from.x).map(|(a, b)| a - b).collect();
    let square = dot(&apart, &apart) / step;
    if square <= 1e-7 * from.value.abs() {
        // By monotonicity of the gradient: (∇f(x) − ∇f(w))'(x − w) <= |x − w|² / t.
        let bend = next.grad.iter().zip(&from.grad).zip(&apart).map(|((a, b), d)| (a - b) * d).sum::<f64>();
        return bend <= square;
    }
    next.value <= from.value + dot(&from.grad, &apart) + 0.5 * square
}

fn sup_distance(a: &[f64], b: &[f64]) -> f64 {
    sup_norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

fn gradient_map(from: &[f64], to: &[f64], step: f64) -> f64 {
    sup_distance(from, to) / step
}
