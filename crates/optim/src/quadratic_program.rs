//! Convex quadratic programs: a primal-dual interior point, with a proof for every verdict.
//!
//! # Objective
//! $$ \min_x\ \tfrac12 x^\top P x + q^\top x \quad\text{s.t.}\quad Gx \le h,\ Ax = b,\ l \le x \le u $$
//! with P positive semi-definite, and the Lagrangian dual value
//! $-\tfrac12 x^\top P x - h^\top z - b^\top y + l^\top\lambda - u^\top\mu$ at stationary $x$.
//!
//! # Algorithm
//! Mehrotra's predictor and corrector on the optimality conditions $Px + q + C^\top z + A^\top y = 0$,
//! $Cx + s = d$, $Ax = b$, $s \circ z = 0$, where C holds G and the bounds. Each iteration factors
//! $\begin{pmatrix}P + C^\top S^{-1}ZC & A^\top\\ A & 0\end{pmatrix}$ once and solves twice. Where it does not converge, two linear
//! programs ask why: whether the constraints have a point, and whether there is a ray d with $Pd = 0$, $q^\top d < 0$.
//!
//! # Complexity
//! O((n + p)³ + m n²) an iteration with n variables, m inequalities and p equalities (bounds cost O(n)); ten to thirty
//! iterations. Memory O((n + p)² + m n).
//!
//! # Example
//! ```
//! use mercer_math::Mat;
//! use mercer_optim::{Constraints, QpSettings, solve_qp};
//! // The point of the simplex nearest to (1, 0.2).
//! let simplex = Constraints::none(2).with_equalities(Mat::from_rows(&[[1.0, 1.0]]).unwrap(), vec![1.0]).non_negative();
//! let best = solve_qp(&Mat::identity(2), &[-1.0, -0.2], &simplex, &QpSettings::default())?.optimum().unwrap();
//! assert!((best.x[0] - 0.9).abs() < 1e-9 && (best.x[1] - 0.1).abs() < 1e-9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Variables, rows and the objective are scaled by powers of two. Solutions of the linear systems are refined; a tiny
//! diagonal lets dependent equalities and a singular P pass. What stands is the iterate of least residual.
//!
//! # References
//! - S. Mehrotra. On the implementation of a primal-dual interior point method. SIAM J. Optim. 2(4), 1992.
//!   doi:10.1137/0802028
//! - J. Nocedal, S. J. Wright. Numerical Optimization, 2nd ed., 2006, section 16.6.

use crate::constraints::{Constraints, Multipliers, Optimum, Verdict};
use crate::interior::{Interior, Rows};
use crate::linear_program::{LpSettings, largest, power_of_two, solve_lp};
use crate::objective::Stop;
use crate::refuse::{finite, length, number};
use crate::simplex::clean;
use mercer_core::{Error, Result};
use mercer_math::{Cholesky, Mat, dot, gemv};

const OWNER: &str = "solve_qp";

/// Settings of [`solve_qp`].
#[derive(Clone, Debug, PartialEq)]
pub struct QpSettings {
    /// By how much stationarity, constraints and the duality gap may be missed, relative to the size of their terms.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for QpSettings {
    fn default() -> Self {
        Self { tol: 1e-10, max_iter: 100 }
    }
}

/// Solves a convex quadratic program.
///
///   min_x  x'Px / 2 + q'x   s.t.  G x <= h,  A x = b,  lower <= x <= upper
///
/// Given P (symmetric, positive semi-definite), q and the constraints; returns the optimum with its multipliers, or
/// Farkas' proof that there is no feasible point, or a ray along which the value falls for ever. Stops when all
/// residuals are at most `tol`, at `max_iter`, or when steps no longer help (both `Unfinished`, where no proof is found).
///
/// # Errors
/// Sizes that do not agree; numbers that are not finite, where they are no bounds; a P that is not symmetric or has a
/// negative eigenvalue beyond rounding.
pub fn solve_qp(p: &Mat, q: &[f64], constraints: &Constraints, settings: &QpSettings) -> Result<Verdict> {
    let n = constraints.n_variables();
    length("`q`: one value for each variable", n, q.len())?;
    length("`p`: rows", n, p.n_rows())?;
    length("`p`: columns", n, p.n_cols())?;
    finite(OWNER, "q", q)?;
    finite(OWNER, "p", p.as_slice())?;
    constraints.check(OWNER)?;
    number(OWNER, "tol", "in (0, 0.01]", settings.tol, settings.tol > 0.0 && settings.tol <= 0.01)?;
    convex(p)?;
    if let Some(proof) = constraints.contradiction() {
        return Ok(Verdict::Infeasible(proof));
    }
    let scaled = Scaled::new(p, q, constraints);
    let mut interior = scaled.interior(p, q, constraints);
    let stop = interior.solve(settings.tol, settings.max_iter);
    let last = scaled.optimum(&interior, p, q, constraints);
    match stop {
        Stop::Converged => Ok(Verdict::Optimal(last)),
        _ => explain(p, q, constraints, last, stop),
    }
}

/// Refuses a matrix that is not symmetric or not positive semi-definite to rounding.
fn convex(p: &Mat) -> Result<()> {
    let n = p.n_rows();
    // In the units of the variables: with ones on the diagonal.
    let units: Vec<f64> = (0..n).map(|j| p[(j, j)].abs().sqrt()).collect();
    let unit = |i: usize, j: usize| match units[i] * units[j] {
        0.0 => p[(i, j)],
        size => p[(i, j)] / size,
    };
    for i in 0..n {
        for j in 0..i {
            let (a, b) = (p[(i, j)], p[(j, i)]);
            if (a - b).abs() > 1e-10 * a.abs().max(b.abs()).max(units[i] * units[j]) {
                return Err(Error::param(OWNER, "p", "symmetric", format!("{a} and {b} at ({i}, {j})")));
            }
        }
    }
    let lifted = Mat::from_fn(n, n, |i, j| unit(i, j) + if i == j { 1e-9 * n as f64 } else { 0.0 });
    match n == 0 || Cholesky::new(&lifted).is_some() {
        true => Ok(()),
        false => {
            Err(Error::param(OWNER, "p", "positive semi-definite", "a matrix with a negative eigenvalue"))
        }
    }
}

/// Why the interior point did not converge: no feasible point, no lower end, or neither could be shown.
fn explain(p: &Mat, q: &[f64], constraints: &Constraints, last: Optimum, stop: Stop) -> Result<Verdict> {
    let settings = LpSettings::default();
    let point = match solve_lp(&vec![0.0; q.len()], constraints, &settings)? {
        Verdict::Infeasible(proof) => return Ok(Verdict::Infeasible(proof)),
        Verdict::Optimal(found) => found.x,
        Verdict::Unbounded { .. } | Verdict::Unfinished { .. } => {
            return Ok(Verdict::Unfinished { last, stop });
        }
    };
    // Rays of the feasible set within a box, along which the quadratic part is zero.
    let both: Vec<&[f64]> = (0..p.n_rows())
        .map(|i| p.row(i))
        .chain((0..constraints.a.n_rows()).map(|i| constraints.a.row(i)))
        .collect();
    let flat = Mat::from_fn(both.len(), q.len(), |i, j| both[i][j]);
    let lower = constraints.lower.iter().map(|l| if l.is_finite() { 0.0 } else { -1.0 }).collect();
    let upper = constraints.upper.iter().map(|u| if u.is_finite() { 0.0 } else { 1.0 }).collect();
    let cone = Constraints::none(q.len())
        .with_inequalities(constraints.g.clone(), vec![0.0; constraints.h.len()])
        .with_equalities(flat, vec![0.0; both.len()])
        .with_bounds(lower, upper);
    let Some(mut found) = solve_lp(q, &cone, &settings)?.optimum() else {
        return Ok(Verdict::Unfinished { last, stop });
    };
    clean(&mut found.x, 1e-11);
    let flat = Constraints { lower: constraints.lower.clone(), upper: constraints.upper.clone(), ..cone };
    match flat.proves_unbounded(q, &found.x, 1e-9) {
        true => Ok(Verdict::Unbounded { point, ray: found.x }),
        false => Ok(Verdict::Unfinished { last, stop }),
    }
}

/// A program whose numbers are near one: x = column ∘ x̂, rows multiplied by `rows`, the objective divided by `price`.
struct Scaled {
    column: Vec<f64>,
    price: f64,
    /// Of the rows of G, then those of A.
    rows: (Vec<f64>, Vec<f64>),
}

impl Scaled {
    fn new(p: &Mat, q: &[f64], constraints: &Constraints) -> Self {
        let n = q.len();
        let column: Vec<f64> = (0..n)
            .map(|j| match p[(j, j)] {
                curved if curved > 0.0 => 1.0 / power_of_two(curved.sqrt()),
                _ => {
                    let rows = [&constraints.g, &constraints.a];
                    let entries = rows.iter().flat_map(|m| (0..m.n_rows()).map(move |i| m[(i, j)]));
                    1.0 / power_of_two(largest(entries))
                }
            })
            .collect();
        let price = largest(q.iter().zip(&column).map(|(q, c)| q * c));
        let price = match price > 0.0 {
            true => power_of_two(price),
            false => 1.0,
        };
        // A quadratic part of size one and a linear one of size `price`: the solution is of size `price`.
        let column: Vec<f64> = column.iter().map(|c| c * price).collect();
        let row = |m: &Mat| {
            let size = |i| largest(m.row(i).iter().zip(&column).map(|(v, c)| v * c));
            (0..m.n_rows()).map(|i| 1.0 / power_of_two(size(i))).collect::<Vec<_>>()
        };
        let rows = (row(&constraints.g), row(&constraints.a));
        Self { column, price: price * price, rows }
    }

    fn interior(&self, p: &Mat, q: &[f64], constraints: &Constraints) -> Interior {
        let (n, c) = (q.len(), &self.column);
        let scaled = |m: &Mat, rows: &[f64]| Mat::from_fn(m.n_rows(), n, |i, j| m[(i, j)] * rows[i] * c[j]);
        let sides = |v: &[f64], rows: &[f64]| v.iter().zip(rows).map(|(v, r)| v * r).collect::<Vec<_>>();
        let mut bounds = Vec::new();
        let mut right = sides(&constraints.h, &self.rows.0);
        for (sign, values) in [(-1.0, &constraints.lower), (1.0, &constraints.upper)] {
            for (j, v) in values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                bounds.push((j, sign));
                right.push(sign * v / c[j]);
            }
        }
        Interior::new(
            Mat::from_fn(n, n, |i, j| p[(i, j)] * c[i] * c[j] / self.price),
            q.iter().zip(c).map(|(q, c)| q * c / self.price).collect(),
            Rows { g: scaled(&constraints.g, &self.rows.0), bounds },
            right,
            scaled(&constraints.a, &self.rows.1),
            sides(&constraints.b, &self.rows.1),
        )
    }

    /// The best iterate in the units of the program.
    fn optimum(&self, interior: &Interior, p: &Mat, q: &[f64], constraints: &Constraints) -> Optimum {
        let best = interior.best();
        let bounds = constraints.lower.iter().zip(&constraints.upper);
        let x: Vec<f64> = best
            .x
            .iter()
            .zip(&self.column)
            .zip(bounds)
            .map(|((x, c), (l, u))| (x * c).max(*l).min(*u))
            .collect();
        let unscale =
            |v: &[f64], rows: &[f64]| v.iter().zip(rows).map(|(v, r)| v * r * self.price).collect::<Vec<_>>();
        let mut multipliers = Multipliers {
            inequality: unscale(&best.z, &self.rows.0),
            equality: unscale(&best.y, &self.rows.1),
            ..Multipliers::zero(constraints)
        };
        for ((j, sign), z) in interior.bounds().iter().zip(&best.z[constraints.h.len()..]) {
            let side = if *sign < 0.0 { &mut multipliers.lower } else { &mut multipliers.upper };
            side[*j] = z * self.price / self.column[*j];
        }
        let curved = 0.5 * dot(&x, &gemv(p.view(), &x));
        let (value, dual_value) = (curved + dot(q, &x), -curved - constraints.offset(&multipliers));
        Optimum { x, value, dual_value, multipliers, iterations: interior.iterations() }
    }
}
