//! What a solver is given and what it returns.

use std::ops::ControlFlow;

/// A smooth function to be minimised.
///
/// Methods take `&mut self` so that an objective can keep its workspace between evaluations.
pub trait Objective {
    /// Number of variables.
    fn dim(&self) -> usize;

    /// The value at `x`; writes the gradient. A value or gradient that is not finite means "outside the domain".
    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64;

    /// Writes the product of the Hessian at `x` with `v` and returns true; false where it is not available.
    ///
    /// Solvers call it at the point of a preceding [`Objective::value_grad`], though not always the last one.
    fn hess_vec(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        let _ = (x, v, out);
        false
    }
}

impl<O: Objective + ?Sized> Objective for &mut O {
    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        (**self).value_grad(x, grad)
    }

    fn hess_vec(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        (**self).hess_vec(x, v, out)
    }
}

/// What a monitor sees of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Iterations done; zero at the starting point.
    pub iteration: usize,
    /// Objective value.
    pub value: f64,
    /// Largest absolute component of the gradient.
    pub grad_norm: f64,
}

/// Called at the start and after every iteration; `Break` ends the run with [`Stop::Interrupted`].
pub type Monitor<'a> = &'a mut dyn FnMut(&Step) -> ControlFlow<()>;

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The stopping rule holds.
    Converged,
    /// The largest number of iterations is reached.
    MaxIter,
    /// The monitor asked for it.
    Interrupted,
    /// No step lowers the value: rounding, a wrong gradient, or a start outside the domain.
    NoProgress,
}

/// The result of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The best point found.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// The largest absolute component of the gradient there.
    pub grad_norm: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Calls of [`Objective::value_grad`].
    pub evaluations: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// The largest absolute component; NaN if there is one.
pub(crate) fn sup_norm(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

/// The current point of a solver, with the bookkeeping that all solvers share.
pub(crate) struct State {
    pub(crate) x: Vec<f64>,
    pub(crate) grad: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) iterations: usize,
    pub(crate) evaluations: usize,
}

impl State {
    /// Evaluates the start.
    ///
    /// # Panics
    /// When the start has not one value for each variable.
    pub(crate) fn start(objective: &mut dyn Objective, x0: &[f64]) -> Self {
        assert_eq!(x0.len(), objective.dim(), "one starting value for each variable");
        let mut grad = vec![0.0; x0.len()];
        let value = objective.value_grad(x0, &mut grad);
        Self { x: x0.to_vec(), grad, value, iterations: 0, evaluations: 1 }
    }

    /// Whether to stop before another iteration: domain, tolerance, monitor and count, in this order.
    pub(crate) fn verdict(
        &self,
        tol: f64,
        max_iter: usize,
        monitor: &mut Option<Monitor<'_>>,
    ) -> Option<Stop> {
        self.verdict_at(sup_norm(&self.grad), tol, max_iter, monitor)
    }

    /// [`State::verdict`], where something else than the gradient must vanish.
    pub(crate) fn verdict_at(
        &self,
        grad_norm: f64,
        tol: f64,
        max_iter: usize,
        monitor: &mut Option<Monitor<'_>>,
    ) -> Option<Stop> {
        let step = Step { iteration: self.iterations, value: self.value, grad_norm };
        let interrupted = monitor.as_mut().is_some_and(|m| m(&step).is_break());
        if !self.value.is_finite() || !grad_norm.is_finite() {
            Some(Stop::NoProgress)
        } else if grad_norm <= tol {
            Some(Stop::Converged)
        } else if interrupted {
            Some(Stop::Interrupted)
        } else if self.iterations >= max_iter {
            Some(Stop::MaxIter)
        } else {
            None
        }
    }

    /// The solution at the current point.
    pub(crate) fn solution(self, stop: Stop) -> Solution {
        Solution {
            grad_norm: sup_norm(&self.grad),
            x: self.x,
            value: self.value,
            iterations: self.iterations,
            evaluations: self.evaluations,
            stop,
        }
    }
}
