//! OWL-QN: quasi-Newton with an L1 part.
//!
//! # Objective
//! $$ \min_x\ f(x) + \sum_j \ell_j\,\lvert x_j\rvert,\qquad \ell_j \ge 0 $$
//!
//! # Algorithm
//! L-BFGS directions of the smooth part, kept to the orthant that the least subgradient points into; steps are projected
//! onto that orthant, so that coordinates stop at exactly zero, and halved until the value falls enough. The machine is
//! [`AskTell`] with `l1`; this function is its loop over an [`Objective`].
//!
//! # Complexity
//! O(m n) an iteration for m remembered steps, beside the evaluations; memory O(m n).
//!
//! # Example
//! ```
//! use mercer_optim::{Objective, OwlQn, Stop, owlqn};
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[x[0] - 3.0, x[1] - 0.5]);
//!         0.5 * (x[0] - 3.0).powi(2) + 0.5 * (x[1] - 0.5).powi(2)
//!     }
//! }
//! let found = owlqn(&mut Bowl, &[0.0, 0.0], &[1.0, 1.0], &OwlQn::default(), None)?;
//! assert_eq!((found.stop, found.x[1]), (Stop::Converged, 0.0));
//! assert!((found.x[0] - 2.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where values no longer differ beyond rounding, the least subgradient decides whether a step is taken.
//!
//! # References
//! - G. Andrew, J. Gao. Scalable training of L1-regularized log-linear models. ICML 2007. doi:10.1145/1273496.1273501

use crate::ask_tell::{Ask, AskTell, AskTellSettings};
use crate::objective::{Monitor, Objective, Solution, Step, Stop, sup_norm};
use crate::refuse::{length, number, start};
use mercer_core::Result;

/// Settings of [`owlqn`].
#[derive(Clone, Debug, PartialEq)]
pub struct OwlQn {
    /// Steps remembered.
    pub memory: usize,
    /// Stop when the largest component of the least subgradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for OwlQn {
    fn default() -> Self {
        Self { memory: 10, tol: 1e-6, max_iter: 1000 }
    }
}

/// Minimises a smooth function plus weighted absolute values by orthant-wise L-BFGS.
///
///   min_x f(x) + sum_j l1_j |x_j|
///
/// Given f with its gradient (without the L1 part), a start and one weight for each variable; returns the best point, its
/// value with the L1 part, and the largest component of its least subgradient for `grad_norm`. Stops when that is at most
/// `tol` (`Converged`), at `max_iter`, when the monitor breaks, or when no step lowers the value (`NoProgress`).
///
/// # Errors
/// A start or weights of the wrong length or not finite; a negative weight.
pub fn owlqn(
    objective: &mut dyn Objective,
    x0: &[f64],
    l1: &[f64],
    settings: &OwlQn,
    mut monitor: Option<Monitor<'_>>,
) -> Result<Solution> {
    const OWNER: &str = "owlqn";
    start(OWNER, objective.dim(), x0)?;
    length("weights of the L1 part", x0.len(), l1.len())?;
    for (j, l) in l1.iter().enumerate() {
        number(OWNER, &format!("l1[{j}]"), "in [0, inf)", *l, *l >= 0.0 && l.is_finite())?;
    }
    let OwlQn { memory, tol, max_iter } = *settings;
    number(OWNER, "tol", "in [0, inf)", tol, tol >= 0.0)?;
    let machine = AskTellSettings { memory, products: 0, tol, max_iter, l1: l1.to_vec() };
    let mut search = AskTell::new(x0.to_vec(), machine);
    let (mut evaluations, mut shown) = (0, None);
    // Without curvature the first step has unit length at most.
    let mut unit = f64::NAN;
    let stop = loop {
        let Ask::Value(x) = search.ask() else { break Stop::NoProgress };
        let mut grad = vec![0.0; x0.len()];
        let value = objective.value_grad(x, &mut grad);
        evaluations += 1;
        if unit.is_nan() {
            unit = (1.0 / sup_norm(&grad)).min(1.0);
        }
        let stop = search.tell_value(value, grad, |v| v.iter().map(|v| unit * v).collect());
        let iteration = search.iterations();
        let mut interrupted = false;
        if shown != Some(iteration) {
            shown = Some(iteration);
            let step = Step { iteration, value: search.value(), grad_norm: sup_norm(&search.grad()) };
            interrupted = monitor.as_mut().is_some_and(|m| m(&step).is_break());
        }
        match stop {
            Some(stop) => break stop,
            None if interrupted => break Stop::Interrupted,
            None => {}
        }
    };
    let (value, grad_norm, iterations) = (search.value(), sup_norm(&search.grad()), search.iterations());
    Ok(Solution { x: search.point().to_vec(), value, grad_norm, iterations, evaluations, stop })
}
