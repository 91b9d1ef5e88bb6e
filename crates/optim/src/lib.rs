//! Solvers: line searches, L-BFGS, Newton.
//!
//! Pure functions over an [`Objective`]: no I/O, no clock, no threads of their own. A solver returns an
//! [`Solution`] that says why it stopped; not converging is data, not an error. An optional [`Monitor`] sees
//! every iteration and may end the run.
//!
//! # Example
//! ```
//! use mercer_optim::{Lbfgs, Objective, Stop, lbfgs};
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[x[0] - 1.0, 10.0 * (x[1] + 2.0)]);
//!         0.5 * (x[0] - 1.0).powi(2) + 5.0 * (x[1] + 2.0).powi(2)
//!     }
//! }
//! let found = lbfgs(&mut Bowl, &[0.0, 0.0], &Lbfgs::default(), None);
//! assert_eq!(found.stop, Stop::Converged);
//! assert!((found.x[0] - 1.0).abs() < 1e-5 && (found.x[1] + 2.0).abs() < 1e-5);
//! ```

mod ask_tell;
mod gradient_check;
mod gradient_descent;
mod lbfgs;
mod line_search;
mod newton;
mod newton_cg;
mod objective;

pub use ask_tell::{Ask, AskTell, AskTellSettings};
pub use gradient_check::check_gradient;
pub use gradient_descent::{GradientDescent, StepRule, gradient_descent};
pub use lbfgs::{Lbfgs, lbfgs};
pub use line_search::{Point, Search, Wolfe, armijo, wolfe};
pub use newton::{Newton, newton};
pub use newton_cg::{NewtonCg, newton_cg};
pub use objective::{Monitor, Objective, Solution, Step, Stop};

#[cfg(test)]
mod problems;
#[cfg(test)]
mod tests;
