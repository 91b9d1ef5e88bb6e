//! Newton's method for roots, of one equation and of systems, with a verdict where it fails.
//!
//! # Objective
//! $$ F(x) = 0, \qquad F : \mathbb R^n \to \mathbb R^n $$
//!
//! # Algorithm
//! $x_{k+1} = x_k - J(x_k)^{-1}F(x_k)$, undamped as in the textbooks, or with steps halved until |F| falls (damped). Undamped,
//! it converges with order two at simple roots and linearly at multiple ones, and may diverge: for $f(x) = \sqrt[3]{x}$ every
//! step is $x \mapsto -2x$, whatever the start, and no damping can help where the derivative is infinite at the root.
//!
//! # Complexity
//! One evaluation of F and J and O(n³) an iteration.
//!
//! # Example
//! ```
//! use mercer_optim::{NewtonRoot, RootStop, newton_root};
//! let found = newton_root(&mut |x| (x * x - 2.0, 2.0 * x), 1.0, &NewtonRoot::default())?;
//! assert!(found.stop == RootStop::Converged && (found.x - 2f64.sqrt()).abs() < 1e-15);
//! // Newton's failure: the cube root drives every start away from its root 0.
//! let cube_root = &mut |x: f64| (x.cbrt(), x.cbrt().powi(-2) / 3.0);
//! assert_eq!(newton_root(cube_root, 0.1, &NewtonRoot::default())?.stop, RootStop::Diverged);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `Diverged` is said when |F| has grown for ten steps in a row while the steps themselves grew, or a value stopped being
//! finite; a cycle ends at `max_iter`.
//!
//! # References
//! - J. Nocedal, S. J. Wright. Numerical Optimization, 2nd ed., 2006, chapter 11.

use crate::lu::Lu;
use crate::objective::sup_norm;
use crate::refuse::{finite, number};
use mercer_core::Result;
use mercer_math::{Mat, axpy, dot};

/// Growing steps in a row that make a run divergent.
const GROWING: usize = 10;

/// Settings of [`newton_root`] and [`newton_system`].
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonRoot {
    /// Stop when the largest component of |F| is at most this.
    pub tol: f64,
    /// Stop also when the largest component of a step is at most this, relative to the size of x.
    pub step_tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// Whether steps are halved until |F|₂ falls.
    pub damped: bool,
}

impl Default for NewtonRoot {
    fn default() -> Self {
        Self { tol: 1e-12, step_tol: 1e-15, max_iter: 100, damped: false }
    }
}

/// Why a search for a root stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootStop {
    /// |F| is at most `tol`, or steps no longer change x.
    Converged,
    /// The largest number of iterations is reached.
    MaxIter,
    /// Values and steps grow, or are no longer finite.
    Diverged,
    /// The derivative is zero, or the Jacobian singular.
    Singular,
    /// No step of the damped method lowers |F|: a local minimum of it, or rounding.
    NoProgress,
}

/// The result of [`newton_root`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// The last point.
    pub x: f64,
    /// The function there.
    pub value: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Why the search stopped.
    pub stop: RootStop,
}

/// The result of [`newton_system`].
#[derive(Clone, Debug, PartialEq)]
pub struct SystemRoot {
    /// The last point.
    pub x: Vec<f64>,
    /// The functions there.
    pub value: Vec<f64>,
    /// Iterations done.
    pub iterations: usize,
    /// Why the search stopped.
    pub stop: RootStop,
}

/// Finds a root of a function of one number by Newton's method.
///
///   f(x) = 0,   x <- x - f(x) / f'(x)
///
/// Given `f(x) -> (value, derivative)` and a start. Stops as [`RootStop`] says.
///
/// # Errors
/// A start that is not finite; tolerances below zero.
pub fn newton_root(f: &mut dyn FnMut(f64) -> (f64, f64), x0: f64, settings: &NewtonRoot) -> Result<Root> {
    let mut system = |x: &[f64], value: &mut [f64], jacobian: &mut Mat| {
        (value[0], jacobian[(0, 0)]) = f(x[0]);
    };
    let found = newton_system(&mut system, &[x0], settings)?;
    Ok(Root { x: found.x[0], value: found.value[0], iterations: found.iterations, stop: found.stop })
}

/// A system of equations: reads x, writes F(x) and the Jacobian, a row for each equation.
pub type System<'a> = &'a mut dyn FnMut(&[f64], &mut [f64], &mut Mat);

/// Finds a root of as many equations as unknowns by Newton's method.
///
///   F(x) = 0,   x <- x - t J(x)^-1 F(x),   t = 1 or, damped, halved until |F|_2 falls
///
/// Given F with its Jacobian and a start. Stops as [`RootStop`] says.
///
/// # Errors
/// A start that is not finite; tolerances below zero.
pub fn newton_system(system: System<'_>, x0: &[f64], settings: &NewtonRoot) -> Result<SystemRoot> {
    const OWNER: &str = "newton_system";
    finite(OWNER, "x0", x0)?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    number(OWNER, "step_tol", "in [0, inf)", settings.step_tol, settings.step_tol >= 0.0)?;
    let n = x0.len();
    let (mut x, mut value, mut jacobian) = (x0.to_vec(), vec![0.0; n], Mat::zeros(n, n));
    system(&x, &mut value, &mut jacobian);
    let (mut iterations, mut growing, mut last_step) = (0, 0, f64::INFINITY);
    let stop = loop {
        let size = sup_norm(&value);
        if !size.is_finite() {
            break RootStop::Diverged;
        } else if size <= settings.tol {
            break RootStop::Converged;
        } else if growing >= GROWING {
            break RootStop::Diverged;
        } else if iterations >= settings.max_iter {
            break RootStop::MaxIter;
        }
        let Some(step) = Lu::new(jacobian.clone()).map(|lu| lu.solve(&value)) else {
            break RootStop::Singular;
        };
        if step.iter().any(|v| !v.is_finite()) {
            break RootStop::Singular;
        }
        let moved = advance(system, settings.damped, &mut x, &mut value, &mut jacobian, &step);
        let Some(length) = moved else { break RootStop::NoProgress };
        iterations += 1;
        let taken = length * sup_norm(&step);
        growing = if sup_norm(&value) > size && taken > last_step { growing + 1 } else { 0 };
        last_step = taken;
        if taken <= settings.step_tol * sup_norm(&x) && value.iter().all(|v| v.is_finite()) {
            break RootStop::Converged;
        }
    };
    Ok(SystemRoot { x, value, iterations, stop })
}

/// Takes a step, whole or damped; its length, or `None` where |F| does not fall.
fn advance(
    system: System<'_>,
    damped: bool,
    x: &mut Vec<f64>,
    value: &mut Vec<f64>,
    jacobian: &mut Mat,
    step: &[f64],
) -> Option<f64> {
    let before = dot(value, value);
    let mut length = 1.0;
    for _ in 0..if damped { 60 } else { 1 } {
        let mut trial = x.clone();
        axpy(-length, step, &mut trial);
        let mut after = vec![0.0; x.len()];
        jacobian.as_mut_slice().fill(0.0);
        system(&trial, &mut after, jacobian);
        if !damped || dot(&after, &after) <= (1.0 - 1e-4 * length) * before {
            (*x, *value) = (trial, after);
            return Some(length);
        }
        length *= 0.5;
    }
    None
}
