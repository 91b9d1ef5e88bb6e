//! Gradient descent, the reference that the others are compared with.
//!
//! # Objective
//! $$ \min_x f(x), \qquad x_{k+1} = x_k - \eta_k \nabla f(x_k) $$
//!
//! # Algorithm
//! Steps of a fixed length, of one that falls by a [`Schedule`], the optimal one of the quadratic model,
//! $\eta_k = \frac{\lVert g\rVert^2}{g^\top H g}$ (001 eq. 8.17, Cauchy's step), or one found by a line search: halved until the value falls enough
//! (Armijo), or with the strong Wolfe conditions.
//!
//! # Complexity
//! One evaluation an iteration, with a line search a few; the optimal step needs a product with the Hessian, or two more
//! gradients. On a quadratic of condition κ the value's error falls at least by ((κ − 1)/(κ + 1))² an iteration with optimal steps.
//!
//! # Example
//! ```
//! use mercer_optim::{GradientDescent, Objective, StepRule, Stop, gradient_descent};
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[x[0] - 1.0, 4.0 * x[1]]);
//!         0.5 * (x[0] - 1.0).powi(2) + 2.0 * x[1] * x[1]
//!     }
//! }
//! let settings = GradientDescent { step: StepRule::Optimal, ..GradientDescent::default() };
//! let found = gradient_descent(&mut Bowl, &[3.0, 1.0], &settings, None);
//! assert!(found.stop == Stop::Converged && (found.x[0] - 1.0).abs() < 1e-5);
//! ```
//!
//! # Numerics
//! A step to a value or gradient that is not finite is not taken and ends the run. Where the curvature along the gradient is
//! not positive, the optimal step does not exist, and the halved one is taken.
//!
//! # References
//! - A.-L. Cauchy. Méthode générale pour la résolution des systèmes d'équations simultanées. C. R. Acad. Sci. 25, 1847.
//! - L. Armijo. Minimization of functions having Lipschitz continuous first partial derivatives. Pacific J. Math. 16(1), 1966.

use crate::lbfgs::Counted;
use crate::line_search::{Point, Search, Wolfe, armijo, wolfe};
use crate::newton_cg::hess_vec;
use crate::objective::{Monitor, Objective, Solution, State, Stop};
use crate::schedule::Schedule;
use mercer_math::{axpy, dot};

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepRule {
    /// Always this far; converges for steps below 2 / L, L the Lipschitz constant of the gradient.
    Fixed(f64),
    /// By a rate that falls with the iterations.
    Decaying(Schedule),
    /// To the minimum of the quadratic model along the gradient: |g|² / gᵀHg.
    Optimal,
    /// With the strong Wolfe conditions.
    Wolfe(Wolfe),
    /// Halved until the value decreases enough, starting from twice the last step.
    Backtracking {
        /// The first step tried.
        first: f64,
    },
}

/// Settings of [`gradient_descent`].
#[derive(Clone, Debug, PartialEq)]
pub struct GradientDescent {
    /// How far a step goes.
    pub step: StepRule,
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for GradientDescent {
    fn default() -> Self {
        Self { step: StepRule::Backtracking { first: 1.0 }, tol: 1e-6, max_iter: 10_000 }
    }
}

/// Minimises a smooth function by steps along the negative gradient.
///
///   min_x f(x),   x <- x - t grad f(x)
///
/// Given f with its gradient and a start; returns the last point that was finite. Stops when
/// |grad f|_inf <= `tol` (`Converged`), at `max_iter`, when the monitor breaks, or when no step lowers the
/// value or a fixed step leaves the domain (`NoProgress`). A.-L. Cauchy, 1847; Armijo, 1966.
///
/// # Panics
/// When the start has not one value for each variable.
pub fn gradient_descent(
    objective: &mut dyn Objective,
    x0: &[f64],
    settings: &GradientDescent,
    mut monitor: Option<Monitor<'_>>,
) -> Solution {
    let mut state = State::start(objective, x0);
    let mut step = match settings.step {
        StepRule::Backtracking { first } => first,
        StepRule::Fixed(_) | StepRule::Decaying(_) | StepRule::Optimal | StepRule::Wolfe(_) => 1.0,
    };
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return state.solution(stop);
        }
        let moved = match settings.step {
            StepRule::Fixed(step) => fixed(objective, &mut state, step),
            StepRule::Decaying(schedule) => {
                let rate = schedule.rate(state.iterations as u64 + 1);
                fixed(objective, &mut state, rate)
            }
            StepRule::Optimal => match optimal(objective, &mut state) {
                Some(step) => fixed(objective, &mut state, step),
                None => searched(objective, &mut state, &mut step, None),
            },
            StepRule::Backtracking { .. } => searched(objective, &mut state, &mut step, None),
            StepRule::Wolfe(rule) => searched(objective, &mut state, &mut step, Some(&rule)),
        };
        if moved.is_none() {
            return state.solution(Stop::NoProgress);
        }
        state.iterations += 1;
    }
}

fn fixed(objective: &mut dyn Objective, state: &mut State, step: f64) -> Option<()> {
    let mut x = state.x.clone();
    axpy(-step, &state.grad, &mut x);
    let mut grad = vec![0.0; x.len()];
    let value = objective.value_grad(&x, &mut grad);
    state.evaluations += 1;
    (value.is_finite() && grad.iter().all(|g| g.is_finite())).then_some(())?;
    (state.x, state.grad, state.value) = (x, grad, value);
    Some(())
}

/// The step of 001 eq. 8.17; `None` where the curvature along the gradient is not positive.
fn optimal(objective: &mut dyn Objective, state: &mut State) -> Option<f64> {
    let grad = state.grad.clone();
    let mut product = vec![0.0; grad.len()];
    hess_vec(objective, state, &grad, &mut product);
    let step = dot(&grad, &grad) / dot(&grad, &product);
    (step > 0.0 && step.is_finite()).then_some(step)
}

/// A line search, which begins at twice the last step.
fn searched(
    objective: &mut dyn Objective,
    state: &mut State,
    step: &mut f64,
    rule: Option<&Wolfe>,
) -> Option<()> {
    let direction: Vec<f64> = state.grad.iter().map(|g| -g).collect();
    let from = Point { x: &state.x, value: state.value, grad: &state.grad };
    let mut counted = Counted { inner: objective, count: &mut state.evaluations };
    let found: Search = match rule {
        None => armijo(&mut counted, from, &direction, *step, 1e-4)?,
        Some(rule) => wolfe(&mut counted, from, &direction, *step, rule)?,
    };
    (rule.is_some() || found.value < state.value).then_some(())?;
    *step = 2.0 * found.step;
    (state.x, state.grad, state.value) = (found.x, found.grad, found.value);
    Some(())
}
