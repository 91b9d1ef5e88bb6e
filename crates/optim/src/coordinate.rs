//! Coordinate descent on a smooth function plus separable ones.
//!
//! # Objective
//! $$ \min_x\ f(x) + \sum_j r_j(x_j) $$
//! with f smooth and each $r_j$ convex: absolute values, squares, bounds.
//!
//! # Algorithm
//! One coordinate after the other: with the partial derivative $g_j$ and a bound $L_j$ of its curvature along the
//! coordinate, $x_j \leftarrow \operatorname{prox}_{r_j/L_j}(x_j - g_j/L_j)$. Where f is quadratic, that is the exact minimum over the
//! coordinate. The order is cyclic, so that a run is the same every time.
//!
//! # Complexity
//! One partial derivative and one update for each coordinate of a sweep; memory O(1) beside the objective's.
//!
//! # Example
//! ```
//! use mercer_optim::{CoordinateDescent, Coordinates, Separable, Stop, coordinate_descent};
//! // ½ x'Ax − b'x with A = (2, 1; 1, 2), b = (3, 0), and |x_1| + |x_2|: the residual Ax − b is kept up to date.
//! struct Quadratic { residual: [f64; 2] }
//! const A: [[f64; 2]; 2] = [[2.0, 1.0], [1.0, 2.0]];
//! impl Coordinates for Quadratic {
//!     fn dim(&self) -> usize { 2 }
//!     fn partial(&mut self, j: usize) -> f64 { self.residual[j] }
//!     fn curvature(&self, j: usize) -> f64 { A[j][j] }
//!     fn change(&mut self, j: usize, by: f64) { (0..2).for_each(|i| self.residual[i] += A[i][j] * by) }
//! }
//! let mut objective = Quadratic { residual: [-3.0, 0.0] };
//! let found = coordinate_descent(&mut objective, &Separable::l1(2, 1.0), &[0.0, 0.0], &CoordinateDescent::default())?;
//! assert_eq!((found.stop, found.x), (Stop::Converged, vec![1.0, 0.0]));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Coordinates without curvature are left alone unless their derivative pushes them to a finite bound. A derivative that is
//! not finite ends the run with `NoProgress`.
//!
//! # References
//! - P. Tseng. Convergence of a block coordinate descent method for nondifferentiable minimization. JOTA 109(3), 2001.
//!   doi:10.1023/A:1017501703105
//! - S. J. Wright. Coordinate descent algorithms. Math. Programming 151, 2015. doi:10.1007/s10107-015-0892-3

use crate::objective::Stop;
use crate::prox::soft_threshold;
use crate::refuse::{length, number, start};
use mercer_core::{Error, Result};

/// A smooth function that is asked and changed one coordinate at a time; it keeps its own point.
pub trait Coordinates {
    /// Number of variables.
    fn dim(&self) -> usize;

    /// The partial derivative along coordinate `j` at the current point.
    fn partial(&mut self, j: usize) -> f64;

    /// A bound of the second derivative along coordinate `j`, at every point.
    fn curvature(&self, j: usize) -> f64;

    /// Adds `by` to coordinate `j` of the current point.
    fn change(&mut self, j: usize, by: f64);
}

/// Σ l1ⱼ |xⱼ| + l2ⱼ/2 xⱼ² within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Separable {
    /// Weights of the absolute values.
    pub l1: Vec<f64>,
    /// Weights of half the squares.
    pub l2: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
}

impl Separable {
    /// Nothing on `n` variables.
    pub fn none(n: usize) -> Self {
        let (lower, upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        Self { l1: vec![0.0; n], l2: vec![0.0; n], lower, upper }
    }

    /// One weight for all absolute values.
    pub fn l1(n: usize, weight: f64) -> Self {
        Self { l1: vec![weight; n], ..Self::none(n) }
    }

    /// No negative values.
    pub fn non_negative(n: usize) -> Self {
        Self { lower: vec![0.0; n], ..Self::none(n) }
    }

    fn check(&self, owner: &str, n: usize) -> Result<()> {
        for (name, weights) in [("l1", &self.l1), ("l2", &self.l2)] {
            length(&format!("weights `{name}`"), n, weights.len())?;
            for (j, w) in weights.iter().enumerate() {
                number(owner, &format!("{name}[{j}]"), "in [0, inf)", *w, *w >= 0.0 && w.is_finite())?;
            }
        }
        crate::lbfgsb::Bounds::new(owner, n, &self.lower, &self.upper).map(|_| ())
    }

    /// The minimum over coordinate `j` of g (v − x) + L/2 (v − x)² + r(v).
    fn best(&self, j: usize, x: f64, g: f64, curvature: f64) -> f64 {
        let total = curvature + self.l2[j];
        let free = match total > 0.0 {
            true => soft_threshold(curvature * x - g, self.l1[j]) / total,
            // Flat but for absolute values: at zero, at a bound, or anywhere.
            false if g.abs() <= self.l1[j] => {
                if self.l1[j] > 0.0 {
                    0.0
                } else {
                    x
                }
            }
            false => {
                if g > 0.0 {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
        };
        free.max(self.lower[j]).min(self.upper[j])
    }
}

/// Settings of [`coordinate_descent`].
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateDescent {
    /// Stop when no coordinate of a sweep wants to move by more than this times (1 + its size).
    pub tol: f64,
    /// Most sweeps over all coordinates.
    pub max_iter: usize,
}

impl Default for CoordinateDescent {
    fn default() -> Self {
        Self { tol: 1e-10, max_iter: 10_000 }
    }
}

/// The result of [`coordinate_descent`].
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateSolution {
    /// The point.
    pub x: Vec<f64>,
    /// The largest move of the last sweep, as the stopping rule measures it.
    pub largest_move: f64,
    /// Sweeps done.
    pub iterations: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

/// Minimises a smooth function plus separable ones, one coordinate at a time.
///
///   min_x f(x) + sum_j l1_j |x_j| + l2_j x_j^2 / 2   s.t.  lower <= x <= upper
///
/// Given f as [`Coordinates`], which must stand at `x0`. Stops when a whole sweep moves no coordinate by more than `tol`
/// (`Converged`), at `max_iter` sweeps, or where a coordinate falls for ever or is not finite (`NoProgress`).
///
/// # Errors
/// A start of the wrong length or not finite; weights below zero; bounds that contradict each other.
pub fn coordinate_descent(
    objective: &mut dyn Coordinates,
    separable: &Separable,
    x0: &[f64],
    settings: &CoordinateDescent,
) -> Result<CoordinateSolution> {
    const OWNER: &str = "coordinate_descent";
    start(OWNER, objective.dim(), x0)?;
    separable.check(OWNER, x0.len())?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    let curvatures: Vec<f64> = (0..x0.len()).map(|j| objective.curvature(j)).collect();
    if let Some((j, c)) = curvatures.iter().enumerate().find(|(_, c)| !(**c >= 0.0 && c.is_finite())) {
        return Err(Error::param(OWNER, &format!("curvature({j})"), "in [0, inf)", c));
    }
    let mut x = x0.to_vec();
    let (mut iterations, mut largest_move) = (0, f64::INFINITY);
    let stop = loop {
        if largest_move <= settings.tol {
            break Stop::Converged;
        } else if iterations >= settings.max_iter {
            break Stop::MaxIter;
        }
        let Some(moved) = sweep(objective, separable, &curvatures, &mut x) else { break Stop::NoProgress };
        largest_move = moved;
        iterations += 1;
    };
    Ok(CoordinateSolution { x, largest_move, iterations, stop })
}

/// Every coordinate once; the largest relative move, or `None` where one is not finite.
fn sweep(
    objective: &mut dyn Coordinates,
    separable: &Separable,
    curvatures: &[f64],
    x: &mut [f64],
) -> Option<f64> {
    let mut largest = 0.0f64;
    for (j, (x, &curvature)) in x.iter_mut().zip(curvatures).enumerate() {
        let g = objective.partial(j);
        let next = separable.best(j, *x, g, curvature);
        (g.is_finite() && next.is_finite()).then_some(())?;
        let by = next - *x;
        if by != 0.0 {
            objective.change(j, by);
            *x = next;
            largest = largest.max(by.abs() / (1.0 + next.abs()));
        }
    }
    Some(largest)
}
