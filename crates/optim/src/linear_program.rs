//! Linear programs: the simplex method, with a proof for every verdict.
//!
//! # Objective
//! $$ \min_x\ c^\top x \quad\text{s.t.}\quad Gx \le h,\ Ax = b,\ l \le x \le u $$
//! with the dual $\max\ -h^\top z - b^\top y + l^\top\lambda - u^\top\mu$ s.t.
//! $c + G^\top z + A^\top y - \lambda + \mu = 0$, $z, \lambda, \mu \ge 0$.
//!
//! # Algorithm
//! The revised simplex method for bounded variables in two phases. Variables outside of the basis stand at a bound; the one
//! whose reduced cost promises most enters (Dantzig), and after many steps of length zero the one of lowest index
//! (Bland), which cannot cycle. Leaving ties are broken for the largest pivot (Harris). Phase one minimises the sum of
//! what is missing; its multipliers are Farkas' proof where that stays positive.
//!
//! # Complexity
//! O(m² + m n) an iteration with m constraints and n variables, O(m³) every 60 iterations; memory O(m² + m n). The number
//! of iterations is a small multiple of m + n on most problems and exponential on Klee and Minty's.
//!
//! # Example
//! ```
//! use mercer_math::Mat;
//! use mercer_optim::{Constraints, LpSettings, Verdict, solve_lp};
//! // max 3x + 5y  s.t.  x <= 4, 2y <= 12, 3x + 2y <= 18
//! let g = Mat::from_rows(&[[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]]).unwrap();
//! let constraints = Constraints::none(2).with_inequalities(g, vec![4.0, 12.0, 18.0]).non_negative();
//! let best = solve_lp(&[-3.0, -5.0], &constraints, &LpSettings::default())?.optimum().unwrap();
//! assert!((best.x[0] - 2.0).abs() < 1e-12 && (best.x[1] - 6.0).abs() < 1e-12);
//! assert!((best.value - best.dual_value).abs() < 1e-12 && (best.value + 36.0).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Rows, columns, costs and right-hand sides are scaled by powers of two, so that units do not matter. The inverse of the
//! basis is made anew every 60 iterations, and the last point and its multipliers are refined once. Proofs of
//! infeasibility and unboundedness, and the feasibility of the last point, are checked; what fails is `Unfinished`.
//!
//! # References
//! - G. B. Dantzig. Linear Programming and Extensions. Princeton University Press, 1963.
//! - R. G. Bland. New finite pivoting rules for the simplex method. Math. Oper. Res. 2(2), 1977. doi:10.1287/moor.2.2.103
//! - P. M. J. Harris. Pivot selection methods of the Devex LP code. Math. Programming 5, 1973. doi:10.1007/BF01580108
//! - J. Farkas. Theorie der einfachen Ungleichungen. J. reine angew. Math. 124, 1902. doi:10.1515/crll.1902.124.1

use crate::constraints::{Constraints, Multipliers, Optimum, Verdict};
use crate::objective::Stop;
use crate::refuse::{finite, length, number};
use crate::simplex::{End, Simplex};
use mercer_core::Result;
use mercer_math::{Mat, dot};

/// Settings of [`solve_lp`].
#[derive(Clone, Debug, PartialEq)]
pub struct LpSettings {
    /// By how much constraints and reduced costs may be missed, after scaling.
    pub tol: f64,
    /// Most iterations of both phases.
    pub max_iter: usize,
}

impl Default for LpSettings {
    fn default() -> Self {
        Self { tol: 1e-9, max_iter: 100_000 }
    }
}

/// Solves a linear program.
///
///   min_x c'x   s.t.  G x <= h,  A x = b,  lower <= x <= upper
///
/// Given the costs c and the constraints; returns the optimum with its multipliers, or Farkas' proof that there is no
/// feasible point, or a ray along which the costs fall for ever. Stops when no reduced cost is below −`tol`, at
/// `max_iter` (`Unfinished`), or when rounding leaves no usable pivot (`Unfinished` with `NoProgress`).
///
/// # Errors
/// Sizes that do not agree; numbers that are not finite, where they are no bounds.
pub fn solve_lp(cost: &[f64], constraints: &Constraints, settings: &LpSettings) -> Result<Verdict> {
    const OWNER: &str = "solve_lp";
    length("costs: one for each variable", constraints.n_variables(), cost.len())?;
    finite(OWNER, "cost", cost)?;
    constraints.check(OWNER)?;
    number(OWNER, "tol", "in (0, 0.01]", settings.tol, settings.tol > 0.0 && settings.tol <= 0.01)?;
    if let Some(proof) = constraints.contradiction() {
        return Ok(Verdict::Infeasible(proof));
    }
    let scaled = Scaled::new(cost, constraints);
    let mut simplex = scaled.simplex(constraints, settings);
    let mut end = simplex.phase_one();
    if matches!(end, End::Optimal) {
        if simplex.missing() > 10.0 * settings.tol {
            let proof = scaled.multipliers(&simplex, constraints, false);
            if constraints.proves_infeasible(&proof, 1e-9) {
                return Ok(Verdict::Infeasible(proof));
            }
            end = End::Stuck;
        } else {
            end = simplex.phase_two(&scaled.cost);
            if matches!(end, End::Optimal | End::Ray(_)) && !simplex.is_feasible() {
                end = End::Stuck;
            }
        }
    }
    Ok(scaled.verdict(&simplex, end, cost, constraints))
}

/// A program whose numbers are near one: x = column ∘ x̂ · right, rows multiplied by `row`.
struct Scaled {
    row: Vec<f64>,
    column: Vec<f64>,
    /// The size of the right-hand sides.
    right: f64,
    /// The size of the costs.
    price: f64,
    cost: Vec<f64>,
}

/// The power of two next below; one for what has no size.
pub(crate) fn power_of_two(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { size.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 }
}

impl Scaled {
    fn new(cost: &[f64], constraints: &Constraints) -> Self {
        let (n, rows) = (cost.len(), matrix_rows(constraints));
        let (mut row, mut column) = (vec![1.0; rows.len()], vec![1.0f64; n]);
        for _ in 0..3 {
            for (i, values) in rows.iter().enumerate() {
                row[i] = 1.0 / geometric(values.iter().zip(&column).map(|(v, c)| v * c));
            }
            for (j, c) in column.iter_mut().enumerate() {
                *c = 1.0 / geometric(rows.iter().zip(&row).map(|(values, r)| values[j] * r));
            }
        }
        for (i, values) in rows.iter().enumerate() {
            row[i] = 1.0 / power_of_two(largest(values.iter().zip(&column).map(|(v, c)| v * c)));
        }
        let sides = constraints.h.iter().chain(&constraints.b);
        let right = power_of_two(largest(sides.zip(&row).map(|(v, r)| v * r)));
        let mut cost: Vec<f64> = cost.iter().zip(&column).map(|(v, c)| v * c).collect();
        let price = power_of_two(largest(cost.iter().copied()));
        cost.iter_mut().for_each(|v| *v /= price);
        Self { row, column, right, price, cost }
    }

    fn simplex(&self, constraints: &Constraints, settings: &LpSettings) -> Simplex {
        let rows = matrix_rows(constraints);
        let (m, n) = (rows.len(), self.column.len());
        let columns = Mat::from_fn(n, m, |j, i| rows[i][j] * self.row[i] * self.column[j]);
        let sides = constraints.h.iter().chain(&constraints.b);
        let right = sides.zip(&self.row).map(|(v, r)| v * r / self.right).collect();
        let bound = |bounds: &[f64]| -> Vec<f64> {
            bounds.iter().zip(&self.column).map(|(v, c)| v / c / self.right).collect()
        };
        let (lower, upper) = (bound(&constraints.lower), bound(&constraints.upper));
        Simplex::new(columns, right, constraints.h.len(), lower, upper, settings.tol, settings.max_iter)
    }

    /// The multipliers of the basis, of the costs or (as a proof of infeasibility) without them.
    fn multipliers(&self, simplex: &Simplex, constraints: &Constraints, priced: bool) -> Multipliers {
        let price = if priced { self.price } else { 1.0 };
        let prices = simplex.prices();
        let all: Vec<f64> = prices.iter().zip(&self.row).map(|(y, r)| -y * r * price).collect();
        let (inequality, equality) = all.split_at(constraints.h.len());
        // Rounding below zero is no multiplier.
        let inequality = inequality.iter().map(|z| z.max(0.0)).collect();
        let mut found =
            Multipliers { inequality, equality: equality.to_vec(), ..Multipliers::zero(constraints) };
        let reduced = constraints.gradient(&found);
        for (j, r) in reduced.iter().enumerate() {
            let cost = if priced { self.cost[j] / self.column[j] * self.price } else { 0.0 };
            let reduced = cost + r;
            if reduced > 0.0 && constraints.lower[j].is_finite() {
                found.lower[j] = reduced;
            } else if reduced < 0.0 && constraints.upper[j].is_finite() {
                found.upper[j] = -reduced;
            }
        }
        found
    }

    /// A point in the units of the program, within its bounds to the bit.
    fn point(&self, simplex: &Simplex, constraints: &Constraints) -> Vec<f64> {
        let values = simplex.values().iter().zip(&self.column).map(|(x, c)| x * c * self.right);
        let bounds = constraints.lower.iter().zip(&constraints.upper);
        values.zip(bounds).map(|(x, (l, u))| x.max(*l).min(*u)).collect()
    }

    fn verdict(&self, simplex: &Simplex, end: End, cost: &[f64], constraints: &Constraints) -> Verdict {
        let x = self.point(simplex, constraints);
        let multipliers = self.multipliers(simplex, constraints, true);
        let (value, dual_value) = (dot(cost, &x), -constraints.offset(&multipliers));
        let last = Optimum { x, value, dual_value, multipliers, iterations: simplex.iterations() };
        match end {
            End::Optimal => Verdict::Optimal(last),
            End::Ray(ray) => {
                let mut ray: Vec<f64> = ray.iter().zip(&self.column).map(|(d, c)| d * c).collect();
                let size = power_of_two(largest(ray.iter().copied()));
                ray.iter_mut().for_each(|d| *d /= size);
                match constraints.proves_unbounded(cost, &ray, 1e-9) {
                    true => Verdict::Unbounded { point: last.x, ray },
                    false => Verdict::Unfinished { last, stop: Stop::NoProgress },
                }
            }
            End::MaxIter => Verdict::Unfinished { last, stop: Stop::MaxIter },
            End::Stuck => Verdict::Unfinished { last, stop: Stop::NoProgress },
        }
    }
}

/// The rows of G, then those of A.
fn matrix_rows(constraints: &Constraints) -> Vec<&[f64]> {
    let rows = |m| (0..Mat::n_rows(m)).map(|i| Mat::row(m, i));
    rows(&constraints.g).chain(rows(&constraints.a)).collect()
}

/// The largest absolute value.
pub(crate) fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m, v| f64::max(m, v.abs()))
}

/// The power of two between the least and the largest size; one where all are zero.
fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for size in values.map(f64::abs).filter(|v| *v > 0.0) {
        (low, high) = (low.min(size), high.max(size));
    }
    if high > 0.0 { power_of_two((0.5 * (low.log2() + high.log2())).exp2()) } else { 1.0 }
}
