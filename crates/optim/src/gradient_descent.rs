//! Gradient descent, the reference that the others are compared with.

use crate::lbfgs::Counted;
use crate::line_search::{Point, armijo};
use crate::objective::{Monitor, Objective, Solution, State, Stop};
use mercer_math::axpy;

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepRule {
    /// Always this far; converges for steps below 2 / L, L the Lipschitz constant of the gradient.
    Fixed(f64),
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
        StepRule::Fixed(step) => step,
        StepRule::Backtracking { first } => first,
    };
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return state.solution(stop);
        }
        let moved = match settings.step {
            StepRule::Fixed(step) => fixed(objective, &mut state, step),
            StepRule::Backtracking { .. } => backtrack(objective, &mut state, &mut step),
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

fn backtrack(objective: &mut dyn Objective, state: &mut State, step: &mut f64) -> Option<()> {
    let direction: Vec<f64> = state.grad.iter().map(|g| -g).collect();
    let from = Point { x: &state.x, value: state.value, grad: &state.grad };
    let mut counted = Counted { inner: objective, count: &mut state.evaluations };
    let found = armijo(&mut counted, from, &direction, *step, 1e-4)?;
    (found.value < state.value).then_some(())?;
    *step = 2.0 * found.step;
    (state.x, state.grad, state.value) = (found.x, found.grad, found.value);
    Some(())
}
