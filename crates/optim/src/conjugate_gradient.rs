//! Conjugate gradients: linear systems by products alone, and smooth functions with no more memory than a direction.
//!
//! # Objective
//! $$ \min_x\ \tfrac12 x^\top A x - b^\top x \quad (A \text{ symmetric, positive definite}), \qquad \min_x f(x) $$
//!
//! # Algorithm
//! Linear: Hestenes and Stiefel, with a preconditioner. Nonlinear: $d = -g + \beta d$ with the β of Fletcher and Reeves,
//! of Polak and Ribière (not below zero), or of Hager and Zhang, and a strong Wolfe search; a direction that does not
//! descend starts anew from the gradient.
//!
//! # Complexity
//! One product, or a few evaluations, an iteration; memory O(n). Linear systems end after as many iterations as A has
//! distinct eigenvalues, but for rounding.
//!
//! # Example
//! ```
//! use mercer_optim::{LinearCg, Stop, linear_cg};
//! // A = (4, 1; 1, 3)
//! let mut product = |v: &[f64], out: &mut [f64]| {
//!     out[0] = 4.0 * v[0] + v[1];
//!     out[1] = v[0] + 3.0 * v[1];
//! };
//! let found = linear_cg(&mut product, None, &[1.0, 2.0], &[0.0, 0.0], &LinearCg::default())?;
//! assert_eq!(found.stop, Stop::Converged);
//! assert!((found.x[0] - 1.0 / 11.0).abs() < 1e-10 && (found.x[1] - 7.0 / 11.0).abs() < 1e-10);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Curvature that is not positive ends the linear solver with `NoProgress`: A is not positive definite, or rounding is all
//! that is left. The residual is computed anew at the end.
//!
//! # References
//! - M. R. Hestenes, E. Stiefel. Methods of conjugate gradients for solving linear systems. J. Res. NBS 49(6), 1952.
//! - R. Fletcher, C. M. Reeves. Function minimization by conjugate gradients. Computer J. 7(2), 1964.
//! - E. Polak, G. Ribière. Note sur la convergence de méthodes de directions conjuguées. RIRO 3(R1), 1969.
//! - W. W. Hager, H. Zhang. A new conjugate gradient method. SIAM J. Optim. 16(1), 2005. doi:10.1137/030601880

use crate::lbfgs::Counted;
use crate::line_search::{Point, Wolfe, wolfe};
use crate::objective::{Monitor, Objective, Solution, State, Stop, sup_norm};
use crate::refuse::{finite, number, start};
use mercer_core::Result;
use mercer_math::{axpy, dot};

/// Settings of [`linear_cg`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearCg {
    /// Stop when |b − A x|₂ is at most this times |b|₂.
    pub tol: f64,
    /// Most products; zero for ten for each variable.
    pub max_iter: usize,
}

impl Default for LinearCg {
    fn default() -> Self {
        Self { tol: 1e-10, max_iter: 0 }
    }
}

/// The result of [`linear_cg`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSolution {
    /// The solution.
    pub x: Vec<f64>,
    /// |b − A x|₂.
    pub residual_norm: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// A linear map: reads the first vector, writes the second.
pub type LinearMap<'a> = &'a mut dyn FnMut(&[f64], &mut [f64]);

/// Solves A x = b for a symmetric positive definite A that is known by its products.
///
///   min_x x'Ax / 2 - b'x
///
/// Given the product with A, a preconditioner that is close to A⁻¹ (symmetric, positive definite) or none, b and a start.
/// Stops when |b − A x| <= `tol` |b| (`Converged`), at `max_iter`, or at curvature that is not positive (`NoProgress`).
///
/// # Errors
/// A start of another length than b; numbers that are not finite.
pub fn linear_cg(
    product: LinearMap<'_>,
    mut precondition: Option<LinearMap<'_>>,
    b: &[f64],
    x0: &[f64],
    settings: &LinearCg,
) -> Result<LinearSolution> {
    const OWNER: &str = "linear_cg";
    finite(OWNER, "b", b)?;
    start(OWNER, b.len(), x0)?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    let n = b.len();
    let most = if settings.max_iter > 0 { settings.max_iter } else { 10 * n };
    let mut apply = |r: &[f64], z: &mut [f64]| match precondition.as_mut() {
        Some(map) => map(r, z),
        None => z.copy_from_slice(r),
    };
    let (mut x, mut iterations) = (x0.to_vec(), 0);
    let stop = conjugate(product, &mut apply, b, &mut x, settings.tol, most, &mut iterations);
    let mut ax = vec![0.0; n];
    product(&x, &mut ax);
    let left: Vec<f64> = b.iter().zip(&ax).map(|(b, a)| b - a).collect();
    Ok(LinearSolution { x, residual_norm: dot(&left, &left).sqrt(), iterations, stop })
}

/// The iteration of Hestenes and Stiefel, from `x` and on it.
fn conjugate(
    product: LinearMap<'_>,
    apply: LinearMap<'_>,
    b: &[f64],
    x: &mut [f64],
    tol: f64,
    most: usize,
    iterations: &mut usize,
) -> Stop {
    let (mut r, mut z, mut ap) = (b.to_vec(), vec![0.0; b.len()], vec![0.0; b.len()]);
    product(x, &mut ap);
    axpy(-1.0, &ap, &mut r);
    apply(&r, &mut z);
    let (mut p, mut rz) = (z.clone(), dot(&r, &z));
    let target = tol * dot(b, b).sqrt();
    loop {
        if dot(&r, &r).sqrt() <= target {
            return Stop::Converged;
        } else if *iterations >= most {
            return Stop::MaxIter;
        }
        product(&p, &mut ap);
        let curvature = dot(&p, &ap);
        // In positive form, so that NaN is refused.
        let definite = curvature > 0.0 && rz > 0.0 && curvature.is_finite() && rz.is_finite();
        if !definite {
            return Stop::NoProgress;
        }
        let step = rz / curvature;
        axpy(step, &p, x);
        axpy(-step, &ap, &mut r);
        apply(&r, &mut z);
        let next = dot(&r, &z);
        let beta = next / rz;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        rz = next;
        *iterations += 1;
    }
}

/// How much of the last direction is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjugacy {
    /// |g⁺|² / |g|².
    FletcherReeves,
    /// max(0, g⁺ᵀ(g⁺ − g) / |g|²).
    PolakRibiere,
    /// With guaranteed descent.
    HagerZhang,
}

/// Settings of [`nonlinear_cg`].
#[derive(Clone, Debug, PartialEq)]
pub struct NonlinearCg {
    /// How much of the last direction is kept.
    pub conjugacy: Conjugacy,
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for NonlinearCg {
    fn default() -> Self {
        Self { conjugacy: Conjugacy::HagerZhang, tol: 1e-6, max_iter: 10_000 }
    }
}

/// Minimises a smooth function by nonlinear conjugate gradients.
///
///   min_x f(x)
///
/// Given f with its gradient and a start; returns the best point. Stops when |grad f|_inf <= `tol` (`Converged`), at
/// `max_iter`, when the monitor breaks, or when even steepest descent finds no lower value (`NoProgress`).
///
/// # Errors
/// A start of the wrong length or not finite.
pub fn nonlinear_cg(
    objective: &mut dyn Objective,
    x0: &[f64],
    settings: &NonlinearCg,
    mut monitor: Option<Monitor<'_>>,
) -> Result<Solution> {
    const OWNER: &str = "nonlinear_cg";
    start(OWNER, objective.dim(), x0)?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    let mut state = State::start(objective, x0);
    let mut direction: Vec<f64> = state.grad.iter().map(|g| -g).collect();
    let rule = Wolfe { c2: 0.1, ..Wolfe::default() };
    let (mut fresh, mut last_drop) = (true, f64::NAN);
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return Ok(state.solution(stop));
        }
        let slope = dot(&direction, &state.grad);
        let first = match fresh {
            true => (1.0 / sup_norm(&state.grad)).min(1.0),
            // As much first-order change as the last step had.
            false => (2.0 * last_drop / -slope).clamp(1e-10, 1e10),
        };
        let from = Point { x: &state.x, value: state.value, grad: &state.grad };
        let mut counted = Counted { inner: objective, count: &mut state.evaluations };
        let found = wolfe(&mut counted, from, &direction, first, &rule);
        let Some(found) = found else {
            if fresh {
                return Ok(state.solution(Stop::NoProgress));
            }
            direction = state.grad.iter().map(|g| -g).collect();
            fresh = true;
            continue;
        };
        let beta = settings.conjugacy.beta(&state.grad, &found.grad, &direction);
        last_drop = (state.value - found.value).max(1e-300);
        (state.x, state.grad, state.value) = (found.x, found.grad, found.value);
        state.iterations += 1;
        direction.iter_mut().zip(&state.grad).for_each(|(d, g)| *d = beta * *d - g);
        let (slope, square) = (dot(&direction, &state.grad), dot(&state.grad, &state.grad));
        // Directions that hardly descend start anew.
        fresh = !(slope < -1e-3 * square && slope.is_finite());
        if fresh {
            direction = state.grad.iter().map(|g| -g).collect();
        }
    }
}

impl Conjugacy {
    fn beta(self, old: &[f64], new: &[f64], direction: &[f64]) -> f64 {
        let change: Vec<f64> = new.iter().zip(old).map(|(n, o)| n - o).collect();
        match self {
            Self::FletcherReeves => dot(new, new) / dot(old, old),
            Self::PolakRibiere => (dot(new, &change) / dot(old, old)).max(0.0),
            Self::HagerZhang => {
                let dy = dot(direction, &change);
                let bend = 2.0 * dot(&change, &change) / dy;
                let beta =
                    change.iter().zip(direction).zip(new).map(|((y, d), g)| (y - bend * d) * g).sum::<f64>()
                        / dy;
                let (size, grad) = (dot(direction, direction).sqrt(), dot(old, old).sqrt());
                beta.max(-1.0 / (size * grad.min(0.01)))
            }
        }
    }
}
