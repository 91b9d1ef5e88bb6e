//! Non-negative least squares.
//!
//! # Objective
//! $$ \min_x\ \tfrac12\lVert Ax - b\rVert_2^2 \quad\text{s.t.}\quad x \ge 0 $$
//!
//! # Algorithm
//! The active set of Lawson and Hanson: the variable whose gradient promises most is freed, least squares over the free
//! ones follow, and those that would become negative are fixed at zero on the way. Tall problems are first reduced to the
//! triangle of a QR decomposition.
//!
//! # Complexity
//! O(n d²) once, then O(d k²) for each of about as many iterations as there are positive variables, k of them free.
//!
//! # Example
//! ```
//! use mercer_math::Mat;
//! use mercer_optim::{Nnls, nnls};
//! let a = Mat::from_rows(&[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
//! let found = nnls(a.view(), &[2.0, 1.0, -1.0], &Nnls::default())?;
//! assert!((found.x[0] - 1.5).abs() < 1e-15 && found.x[1] == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Columns are scaled to unit length. Least squares go through QR, so that accuracy falls with the condition of A, not its
//! square. A column that depends on the free ones is not freed.
//!
//! # References
//! - C. L. Lawson, R. J. Hanson. Solving Least Squares Problems. Prentice-Hall, 1974, chapter 23.

use crate::objective::{Stop, sup_norm};
use crate::refuse::{finite, length, number};
use mercer_core::Result;
use mercer_math::{Mat, MatRef, axpy, dot, gemv, gemv_t, qr_thin};

/// Settings of [`nnls`].
#[derive(Clone, Debug, PartialEq)]
pub struct Nnls {
    /// Gradients up to this, relative to |b| for columns of unit length, count as zero.
    pub tol: f64,
    /// Most least-squares problems; zero for three for each variable, and at least a hundred.
    pub max_iter: usize,
}

impl Default for Nnls {
    fn default() -> Self {
        Self { tol: 1e-12, max_iter: 0 }
    }
}

/// The result of [`nnls`].
#[derive(Clone, Debug, PartialEq)]
pub struct NnlsSolution {
    /// The coefficients; those that are fixed are exactly zero.
    pub x: Vec<f64>,
    /// |A x − b|₂.
    pub residual_norm: f64,
    /// Aᵀ(A x − b), the multipliers of x ≥ 0: not negative, and zero where x is positive.
    pub gradient: Vec<f64>,
    /// Least-squares problems solved.
    pub iterations: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// Solves least squares with coefficients that are not negative.
///
///   min_x |A x - b|^2 / 2   s.t.  x >= 0
///
/// Given A (n by d) and b; returns x and its gradient. Stops when no gradient of a fixed variable is below −`tol` |b|
/// for columns of unit length (`Converged`), or at `max_iter`.
///
/// # Errors
/// A `b` that has not one value for each row; numbers that are not finite.
pub fn nnls(a: MatRef<'_>, b: &[f64], settings: &Nnls) -> Result<NnlsSolution> {
    const OWNER: &str = "nnls";
    length("`b`: one value for each row of `a`", a.n_rows(), b.len())?;
    let copy = a.to_mat();
    finite(OWNER, "a", copy.as_slice())?;
    finite(OWNER, "b", b)?;
    number(OWNER, "tol", "in [0, 0.1]", settings.tol, settings.tol >= 0.0 && settings.tol <= 0.1)?;
    let (n, d) = (a.n_rows(), a.n_cols());
    let target_size = sup_norm(b);
    let norms: Vec<f64> = (0..d).map(|j| norm(&copy.col(j))).collect();
    let unit = Mat::from_fn(n, d, |i, j| if norms[j] > 0.0 { copy[(i, j)] / norms[j] } else { 0.0 });
    let target: Vec<f64> = b.iter().map(|v| if target_size > 0.0 { v / target_size } else { 0.0 }).collect();
    let mut solver = Solver::new(unit, target);
    let most = if settings.max_iter > 0 { settings.max_iter } else { (3 * d).max(100) };
    let stop = solver.run(settings.tol, most);
    let x: Vec<f64> =
        (0..d).map(|j| if norms[j] > 0.0 { solver.x[j] * target_size / norms[j] } else { 0.0 }).collect();
    let mut residual = gemv(a, &x);
    axpy(-1.0, b, &mut residual);
    let gradient = gemv_t(a, &residual);
    Ok(NnlsSolution { x, residual_norm: norm(&residual), gradient, iterations: solver.iterations, stop })
}

/// The Euclidean norm, without overflow.
fn norm(v: &[f64]) -> f64 {
    let size = sup_norm(v);
    if size > 0.0 && size.is_finite() {
        size * v.iter().map(|x| (x / size) * (x / size)).sum::<f64>().sqrt()
    } else {
        size
    }
}

struct Solver {
    /// Columns of unit length, or their triangle.
    a: Mat,
    b: Vec<f64>,
    x: Vec<f64>,
    free: Vec<usize>,
    iterations: usize,
}

impl Solver {
    fn new(a: Mat, b: Vec<f64>) -> Self {
        let d = a.n_cols();
        let (a, b) = match qr_thin(a.view()) {
            Some((q, r)) if a.n_rows() > d => {
                let b = gemv_t(q.view(), &b);
                (r, b)
            }
            _ => (a, b),
        };
        Self { a, b, x: vec![0.0; d], free: Vec::new(), iterations: 0 }
    }

    fn run(&mut self, tol: f64, max_iter: usize) -> Stop {
        let limit = tol * norm(&self.b).max(f64::MIN_POSITIVE);
        // Variables that could not be freed since the last step.
        let mut refused = vec![false; self.x.len()];
        loop {
            let mut residual = self.b.clone();
            axpy(-1.0, &gemv(self.a.view(), &self.x), &mut residual);
            let rise = gemv_t(self.a.view(), &residual);
            let fixed = |j: &usize| !self.free.contains(j) && !refused[*j];
            let steepest = (0..rise.len()).filter(fixed).max_by(|&i, &j| rise[i].total_cmp(&rise[j]));
            let Some(next) = steepest.filter(|&j| rise[j] > limit) else { return Stop::Converged };
            if self.iterations >= max_iter {
                return Stop::MaxIter;
            }
            self.free.push(next);
            // A column that depends on the free ones gains nothing: its coefficient would be rounding.
            match self.least_squares() {
                Some(solution) if solution.last().is_some_and(|v| *v > 0.0) => {
                    refused.fill(false);
                    self.descend(solution);
                }
                _ => {
                    self.free.pop();
                    refused[next] = true;
                }
            }
        }
    }

    /// Moves towards the solution over the free variables, fixing those that reach zero.
    fn descend(&mut self, mut solution: Vec<f64>) {
        while solution.iter().any(|v| *v <= 0.0) {
            let reach = self.free.iter().zip(&solution).filter(|(_, s)| **s <= 0.0);
            let step = reach.map(|(&j, s)| self.x[j] / (self.x[j] - s)).fold(1.0f64, f64::min).max(0.0);
            for (&j, s) in self.free.iter().zip(&solution) {
                let moved = self.x[j] + step * (s - self.x[j]);
                // Whoever limits the step is at zero, whatever rounding says.
                let ends = *s <= 0.0 && self.x[j] / (self.x[j] - s) <= step;
                self.x[j] = if ends || moved <= 0.0 { 0.0 } else { moved };
            }
            self.free.retain(|&j| self.x[j] > 0.0);
            match self.least_squares() {
                Some(next) => solution = next,
                None => return,
            }
        }
        self.free.iter().zip(&solution).for_each(|(&j, s)| self.x[j] = *s);
    }

    /// Least squares over the free variables; `None` where their columns are dependent.
    fn least_squares(&mut self) -> Option<Vec<f64>> {
        self.iterations += 1;
        let k = self.free.len();
        (k <= self.a.n_rows()).then_some(())?;
        let part = Mat::from_fn(self.a.n_rows(), k, |i, j| self.a[(i, self.free[j])]);
        let (q, r) = qr_thin(part.view())?;
        let mut x = gemv_t(q.view(), &self.b);
        for i in (0..k).rev() {
            (r[(i, i)] > 1e-13).then_some(())?;
            x[i] = (x[i] - dot(&r.row(i)[i + 1..], &x[i + 1..])) / r[(i, i)];
        }
        Some(x)
    }
}
