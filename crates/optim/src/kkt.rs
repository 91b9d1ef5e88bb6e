//! The optimality conditions of Karush, Kuhn and Tucker, each with what is missing of it.
//!
//! # Objective
//! $$ \min_x\ f(x) \quad\text{s.t.}\quad g_i(x) \le 0,\ h_j(x) = 0 $$
//! with the Lagrangian $L(x, z, y) = f(x) + \sum_i z_i g_i(x) + \sum_j y_j h_j(x)$.
//!
//! # Algorithm
//! The four conditions at $(x, z, y)$: stationarity $\nabla_x L = 0$, primal feasibility $g \le 0$, $h = 0$, dual
//! feasibility $z \ge 0$, complementarity $z_i g_i = 0$. They are necessary where a constraint qualification holds, and
//! sufficient for a global minimum where f and g are convex and h affine. Where multipliers are not known,
//! [`kkt_multipliers`] finds those that come closest to stationarity.
//!
//! # Complexity
//! One evaluation of every function; the multipliers are a non-negative least-squares problem in the active constraints.
//!
//! # Example
//! ```
//! use mercer_optim::{Objective, kkt};
//! // The point of the disc |x| <= 1 nearest to (2, 0): x = (1, 0) with multiplier 1.
//! struct Distance;
//! impl Objective for Distance {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[2.0 * (x[0] - 2.0), 2.0 * x[1]]);
//!         (x[0] - 2.0).powi(2) + x[1] * x[1]
//!     }
//! }
//! struct Disc;
//! impl Objective for Disc {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
//!         x[0] * x[0] + x[1] * x[1] - 1.0
//!     }
//! }
//! let found = kkt(&mut Distance, &mut [&mut Disc], &mut [], &[1.0, 0.0], &[1.0], &[])?;
//! assert!(found.holds(1e-12));
//! let wrong = kkt(&mut Distance, &mut [&mut Disc], &mut [], &[1.0, 0.0], &[0.5], &[])?;
//! assert!(wrong.stationarity == 1.0 && wrong.primal_inequality == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Residuals are absolute, beside the scale that their terms have; NaN anywhere makes its residual NaN, and a NaN never holds.
//!
//! # References
//! - H. W. Kuhn, A. W. Tucker. Nonlinear programming. Second Berkeley Symposium, 1951.
//! - S. Boyd, L. Vandenberghe. Convex Optimization. Cambridge University Press, 2004, section 5.5.

use crate::Objective;
use crate::constraints::{Constraints, Multipliers};
use crate::nnls::{Nnls, nnls};
use crate::objective::sup_norm;
use crate::refuse::length;
use mercer_core::Result;
use mercer_math::{Mat, axpy, gemv};

/// What is missing of each optimality condition; zero where it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kkt {
    /// The largest component of |∇f + Σ zᵢ∇gᵢ + Σ yⱼ∇hⱼ|.
    pub stationarity: f64,
    /// The largest of gᵢ(x), where positive.
    pub primal_inequality: f64,
    /// The largest |hⱼ(x)|.
    pub primal_equality: f64,
    /// The largest of −zᵢ, where positive.
    pub dual: f64,
    /// The largest |zᵢ gᵢ(x)|.
    pub complementarity: f64,
    /// The largest component of a term of the stationarity condition, at least one: what its residual is measured by.
    pub scale: f64,
}

impl Kkt {
    /// Whether every condition holds to `tol`, stationarity, dual feasibility and complementarity relative to the scale.
    pub fn holds(&self, tol: f64) -> bool {
        let relative = [self.stationarity, self.dual, self.complementarity];
        let absolute = [self.primal_inequality, self.primal_equality];
        // NaN is not at most anything.
        relative.iter().all(|r| *r <= tol * self.scale) && absolute.iter().all(|r| *r <= tol)
    }

    /// The largest residual; NaN where one is.
    pub fn worst(&self) -> f64 {
        let all = [
            self.stationarity,
            self.primal_inequality,
            self.primal_equality,
            self.dual,
            self.complementarity,
        ];
        sup_norm(&all)
    }
}

/// Measures the optimality conditions at a point with its multipliers.
///
///   min_x f(x)   s.t.  g_i(x) <= 0,  h_j(x) = 0
///
/// Given f, the g and the h as oracles of value and gradient, the point, z for the inequalities and y for the equalities.
///
/// # Errors
/// A point, or multipliers, of the wrong length.
pub fn kkt(
    objective: &mut dyn Objective,
    inequalities: &mut [&mut dyn Objective],
    equalities: &mut [&mut dyn Objective],
    x: &[f64],
    z: &[f64],
    y: &[f64],
) -> Result<Kkt> {
    length("multipliers of inequalities", inequalities.len(), z.len())?;
    length("multipliers of equalities", equalities.len(), y.len())?;
    let (_, mut total) = evaluate(objective, x)?;
    let mut found = Kkt { scale: sup_norm(&total).max(1.0), ..ZERO };
    for (g, &z) in inequalities.iter_mut().zip(z) {
        let (value, grad) = evaluate(*g, x)?;
        found.primal_inequality = larger(found.primal_inequality, value.max_or_nan(0.0));
        found.dual = larger(found.dual, (-z).max_or_nan(0.0));
        found.complementarity = larger(found.complementarity, (z * value).abs());
        found.add(&mut total, z, &grad);
    }
    for (h, &y) in equalities.iter_mut().zip(y) {
        let (value, grad) = evaluate(*h, x)?;
        found.primal_equality = larger(found.primal_equality, value.abs());
        found.add(&mut total, y, &grad);
    }
    found.stationarity = sup_norm(&total);
    Ok(found)
}

/// Measures the optimality conditions of a problem with linear constraints at a point with its multipliers.
///
/// # Errors
/// A gradient, a point, or multipliers, of the wrong length.
pub fn kkt_linear(
    gradient: &[f64],
    constraints: &Constraints,
    x: &[f64],
    multipliers: &Multipliers,
) -> Result<Kkt> {
    let n = constraints.n_variables();
    constraints.check("kkt_linear")?;
    length("gradient", n, gradient.len())?;
    length("values of the point", n, x.len())?;
    length("multipliers of inequalities", constraints.h.len(), multipliers.inequality.len())?;
    length("multipliers of equalities", constraints.b.len(), multipliers.equality.len())?;
    length("multipliers of lower bounds", n, multipliers.lower.len())?;
    length("multipliers of upper bounds", n, multipliers.upper.len())?;
    let over: Vec<f64> =
        gemv(constraints.g.view(), x).iter().zip(&constraints.h).map(|(v, h)| v - h).collect();
    let below: Vec<f64> = constraints.lower.iter().zip(x).map(|(l, x)| l - x).collect();
    let above: Vec<f64> = x.iter().zip(&constraints.upper).map(|(x, u)| x - u).collect();
    let off: Vec<f64> =
        gemv(constraints.a.view(), x).iter().zip(&constraints.b).map(|(v, b)| v - b).collect();
    let mut found = Kkt { primal_equality: sup_norm(&off), scale: sup_norm(gradient).max(1.0), ..ZERO };
    for (values, z) in
        [(&over, &multipliers.inequality), (&below, &multipliers.lower), (&above, &multipliers.upper)]
    {
        for (&value, &z) in values.iter().zip(z) {
            found.primal_inequality = larger(found.primal_inequality, value.max_or_nan(0.0));
            found.dual = larger(found.dual, (-z).max_or_nan(0.0));
            // A bound that is absent has no multiplier.
            let product = if z == 0.0 { 0.0 } else { z * value };
            found.complementarity = larger(found.complementarity, product.abs());
        }
    }
    let added = constraints.gradient(multipliers);
    found.scale = found.scale.max(sup_norm(&multipliers.inequality)).max(sup_norm(&multipliers.equality));
    found.stationarity = sup_norm(&gradient.iter().zip(&added).map(|(g, a)| g + a).collect::<Vec<_>>());
    Ok(found)
}

/// The multipliers (z, y) that come closest to stationarity at `x`, with z = 0 for inequalities below −`active`.
///
///   min_{z >= 0, y}  |grad f + sum_i z_i grad g_i + sum_j y_j grad h_j|^2
///
/// # Errors
/// A point of the wrong length; functions that are not finite there.
pub fn kkt_multipliers(
    objective: &mut dyn Objective,
    inequalities: &mut [&mut dyn Objective],
    equalities: &mut [&mut dyn Objective],
    x: &[f64],
    active: f64,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (_, grad) = evaluate(objective, x)?;
    let mut columns = Vec::new();
    let mut owners = Vec::new();
    for (i, g) in inequalities.iter_mut().enumerate() {
        let (value, grad) = evaluate(*g, x)?;
        if value >= -active {
            owners.push(i);
            columns.push(grad);
        }
    }
    // A multiplier of any sign is the difference of two that are not negative.
    for h in equalities.iter_mut() {
        let (_, grad) = evaluate(*h, x)?;
        columns.push(grad.iter().map(|v| -v).collect());
        columns.push(grad);
    }
    let matrix = Mat::from_fn(x.len(), columns.len(), |i, j| columns[j][i]);
    let target: Vec<f64> = grad.iter().map(|g| -g).collect();
    let found = nnls(matrix.view(), &target, &Nnls::default())?.x;
    let (signed, free) = found.split_at(owners.len());
    let mut z = vec![0.0; inequalities.len()];
    owners.iter().zip(signed).for_each(|(&i, v)| z[i] = *v);
    Ok((z, free.chunks_exact(2).map(|pair| pair[1] - pair[0]).collect()))
}

const ZERO: Kkt = Kkt {
    stationarity: 0.0,
    primal_inequality: 0.0,
    primal_equality: 0.0,
    dual: 0.0,
    complementarity: 0.0,
    scale: 1.0,
};

impl Kkt {
    fn add(&mut self, total: &mut [f64], multiplier: f64, grad: &[f64]) {
        self.scale = self.scale.max(multiplier.abs() * sup_norm(grad));
        axpy(multiplier, grad, total);
    }
}

fn evaluate(function: &mut dyn Objective, x: &[f64]) -> Result<(f64, Vec<f64>)> {
    length("values of the point", function.dim(), x.len())?;
    let mut grad = vec![0.0; x.len()];
    let value = function.value_grad(x, &mut grad);
    Ok((value, grad))
}

/// The larger of two; NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    sup_norm(&[a, b])
}

/// A maximum that keeps NaN.
trait MaxOrNan {
    fn max_or_nan(self, other: f64) -> f64;
}

impl MaxOrNan for f64 {
    fn max_or_nan(self, other: f64) -> f64 {
        if self.is_nan() || self > other { self } else { other }
    }
}
