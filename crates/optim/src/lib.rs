//! Optimisation: smooth and not, with and without constraints, deterministic and stochastic.
//!
//! Pure functions over oracles: no I/O, no clock, no threads of their own. A solver says why it stopped; not converging is
//! data, not an error. An optional [`Monitor`] sees every iteration and may end the run.
//!
//! | problem | solver | oracle |
//! |---|---|---|
//! | min f(x) | [`gradient_descent`] (fixed, decaying, optimal, searched steps) | [`Objective`] |
//! | | [`nonlinear_cg`], [`lbfgs`] | [`Objective`] |
//! | | [`newton_cg`]: trust region with Steihaug's conjugate gradients | [`Objective`], best with `hess_vec` |
//! | | [`newton`]: dense and damped | [`Objective`] and its Hessian |
//! | | [`AskTell`]: L-BFGS, Newton, OWL-QN one answer at a time | told values and gradients |
//! | min f(x), l ≤ x ≤ u | [`lbfgsb`] | [`Objective`] |
//! | min f(x) + Σ ℓⱼ\|xⱼ\| | [`owlqn`] | [`Objective`] of the smooth part |
//! | min f(x) + r(x), min f(x) over a set | [`proximal_gradient`] (FISTA), [`projected_gradient`] | [`Objective`], [`Prox`] |
//! | min f(x) + Σ rⱼ(xⱼ) | [`coordinate_descent`] | [`Coordinates`], [`Separable`] |
//! | min E f(x; Z) | [`Stochastic`]: SGD, momentum, Nesterov, AdaGrad, RMSProp, Adam, AdamW with a [`Schedule`] | told gradients |
//! | min cᵀx, Gx ≤ h, Ax = b, l ≤ x ≤ u | [`solve_lp`]: simplex, with proofs | [`Constraints`] |
//! | min ½xᵀPx + qᵀx, the same constraints | [`solve_qp`]: interior point, with proofs | [`Constraints`] |
//! | min \|Ax − b\|², x ≥ 0 | [`nnls`] | a matrix |
//! | Ax = b, A positive definite | [`linear_cg`] | products with A |
//! | F(x) = 0 | [`newton_root`], [`newton_system`] | values and derivatives |
//! | line searches | [`armijo`], [`wolfe`] | [`Objective`] |
//! | is this optimal? | [`kkt`], [`kkt_linear`], [`kkt_multipliers`] | [`Objective`]s |
//! | is this its gradient? | [`check_gradient`] | [`Objective`] |
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
mod conjugate_gradient;
mod constraints;
mod coordinate;
mod gradient_check;
mod gradient_descent;
mod interior;
mod kkt;
mod lbfgs;
mod lbfgsb;
mod line_search;
mod linear_program;
mod lu;
mod newton;
mod newton_cg;
mod nnls;
mod objective;
mod owlqn;
mod prox;
mod proximal;
mod quadratic_program;
mod refuse;
mod roots;
mod schedule;
mod sgd;
mod simplex;

pub use ask_tell::{Ask, AskTell, AskTellSettings};
pub use conjugate_gradient::{
    Conjugacy, LinearCg, LinearMap, LinearSolution, NonlinearCg, linear_cg, nonlinear_cg,
};
pub use constraints::{Constraints, Multipliers, Optimum, Verdict};
pub use coordinate::{CoordinateDescent, CoordinateSolution, Coordinates, Separable, coordinate_descent};
pub use gradient_check::check_gradient;
pub use gradient_descent::{GradientDescent, StepRule, gradient_descent};
pub use kkt::{Kkt, kkt, kkt_linear, kkt_multipliers};
pub use lbfgs::{Lbfgs, lbfgs};
pub use lbfgsb::{LbfgsB, lbfgsb};
pub use line_search::{Point, Search, Wolfe, armijo, wolfe};
pub use linear_program::{LpSettings, solve_lp};
pub use newton::{Newton, newton};
pub use newton_cg::{NewtonCg, newton_cg};
pub use nnls::{Nnls, NnlsSolution, nnls};
pub use objective::{Monitor, Objective, Solution, Step, Stop};
pub use owlqn::{OwlQn, owlqn};
pub use prox::Prox;
pub use proximal::{Proximal, projected_gradient, proximal_gradient};
pub use quadratic_program::{QpSettings, solve_qp};
pub use roots::{NewtonRoot, Root, RootStop, System, SystemRoot, newton_root, newton_system};
pub use schedule::{RobbinsMonro, Schedule};
pub use sgd::{Rule, StepInfo, Stochastic};

#[cfg(test)]
mod problems;
#[cfg(test)]
mod tests;
