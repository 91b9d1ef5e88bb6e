//! Linear constraints, their multipliers, and the proofs that these give.

use crate::objective::Stop;
use crate::refuse::{finite, length};
use mercer_core::{Error, Result};
use mercer_math::{Mat, dot, gemv, gemv_t};

/// G x ≤ h, A x = b, lower ≤ x ≤ upper.
///
/// # Example
/// ```
/// use mercer_math::Mat;
/// use mercer_optim::Constraints;
/// let budget = Mat::from_rows(&[[1.0, 1.0]]).unwrap();
/// let constraints = Constraints::none(2).with_inequalities(budget, vec![4.0]).with_bounds(vec![0.0; 2], vec![3.0; 2]);
/// assert_eq!(constraints.violation(&[1.0, 5.0]), 2.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    /// One row for each inequality.
    pub g: Mat,
    /// What the inequalities may reach.
    pub h: Vec<f64>,
    /// One row for each equality.
    pub a: Mat,
    /// What the equalities must be.
    pub b: Vec<f64>,
    /// Lower bounds; −∞ for none.
    pub lower: Vec<f64>,
    /// Upper bounds; ∞ for none.
    pub upper: Vec<f64>,
}

impl Constraints {
    /// No constraint on `n` variables.
    pub fn none(n: usize) -> Self {
        let (lower, upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        Self { g: Mat::zeros(0, n), h: Vec::new(), a: Mat::zeros(0, n), b: Vec::new(), lower, upper }
    }

    /// G x ≤ h in place of the inequalities so far.
    pub fn with_inequalities(self, g: Mat, h: Vec<f64>) -> Self {
        Self { g, h, ..self }
    }

    /// A x = b in place of the equalities so far.
    pub fn with_equalities(self, a: Mat, b: Vec<f64>) -> Self {
        Self { a, b, ..self }
    }

    /// lower ≤ x ≤ upper in place of the bounds so far.
    pub fn with_bounds(self, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { lower, upper, ..self }
    }

    /// x ≥ 0 in place of the bounds so far.
    pub fn non_negative(self) -> Self {
        let n = self.n_variables();
        self.with_bounds(vec![0.0; n], vec![f64::INFINITY; n])
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.lower.len()
    }

    /// By how much the worst constraint is missed at `x`; zero inside, NaN where `x` is not finite.
    ///
    /// # Panics
    /// When `x` has not one value for each variable.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let over = gemv(self.g.view(), x).into_iter().zip(&self.h).map(|(v, h)| v - h);
        let off = gemv(self.a.view(), x).into_iter().zip(&self.b).map(|(v, b)| (v - b).abs());
        let bounds = x.iter().zip(self.lower.iter().zip(&self.upper)).flat_map(|(x, (l, u))| [l - x, x - u]);
        let worst = over.chain(off).chain(bounds).fold(0.0, f64::max);
        if x.iter().all(|v| v.is_finite()) { worst } else { f64::NAN }
    }

    /// Gᵀz + Aᵀy − λ + μ, what the multipliers add to the gradient of a Lagrangian.
    ///
    /// # Panics
    /// When there is not one multiplier for each constraint.
    pub fn gradient(&self, multipliers: &Multipliers) -> Vec<f64> {
        let mut out = gemv_t(self.g.view(), &multipliers.inequality);
        let equalities = gemv_t(self.a.view(), &multipliers.equality);
        for (j, value) in out.iter_mut().enumerate() {
            *value += equalities[j] - multipliers.lower[j] + multipliers.upper[j];
        }
        out
    }

    /// hᵀz + bᵀy − λᵀ lower + μᵀ upper, where a bound that is absent counts for nothing.
    ///
    /// # Panics
    /// When there is not one multiplier for each constraint.
    pub fn offset(&self, multipliers: &Multipliers) -> f64 {
        let bounds = |multipliers: &[f64], bounds: &[f64]| -> f64 {
            multipliers.iter().zip(bounds).filter(|(m, _)| **m != 0.0).map(|(m, b)| m * b).sum()
        };
        dot(&self.h, &multipliers.inequality) + dot(&self.b, &multipliers.equality)
            - bounds(&multipliers.lower, &self.lower)
            + bounds(&multipliers.upper, &self.upper)
    }

    /// Whether the multipliers prove that no point satisfies the constraints (Farkas' lemma): z, λ, μ ≥ 0,
    /// Gᵀz + Aᵀy − λ + μ = 0 and hᵀz + bᵀy − λᵀ lower + μᵀ upper < 0, where `tol` is what rounding may take of the
    /// sum of the absolute terms.
    pub fn proves_infeasible(&self, proof: &Multipliers, tol: f64) -> bool {
        let fits = proof.inequality.len() == self.h.len() && proof.equality.len() == self.b.len();
        let n = self.n_variables();
        if !(fits && proof.lower.len() == n && proof.upper.len() == n && proof.least() >= 0.0) {
            return false;
        }
        let sizes = self.sizes(proof);
        let zero = self.gradient(proof).iter().zip(&sizes).all(|(r, size)| r.abs() <= tol * size);
        let offset = self.offset(proof);
        let size = self.absolute().offset(&proof.absolute());
        zero && offset < 0.0 && -offset > tol * size
    }

    /// Whether a feasible objective with this gradient falls for ever along `ray`: G d ≤ 0, A d = 0, no bound is met,
    /// and gᵀd < 0, where `tol` is what rounding may take of the sum of the absolute terms.
    pub fn proves_unbounded(&self, gradient: &[f64], ray: &[f64], tol: f64) -> bool {
        if ray.len() != self.n_variables() || gradient.len() != ray.len() {
            return false;
        }
        let size: Vec<f64> = ray.iter().map(|d| d.abs()).collect();
        let rows = |m: &Mat, sides: &dyn Fn(f64, f64) -> bool| {
            let sizes = gemv(absolute(m).view(), &size);
            gemv(m.view(), ray).into_iter().zip(sizes).all(|(v, s)| sides(v, tol * s))
        };
        let largest = size.iter().copied().fold(0.0, f64::max);
        let inside = ray.iter().zip(self.lower.iter().zip(&self.upper)).all(|(d, (l, u))| {
            (*l == f64::NEG_INFINITY || *d >= -tol * largest) && (*u == f64::INFINITY || *d <= tol * largest)
        });
        let slope = dot(gradient, ray);
        let steep = gradient.iter().zip(ray).map(|(g, d)| (g * d).abs()).sum::<f64>();
        inside
            && rows(&self.g, &|v, slack| v <= slack)
            && rows(&self.a, &|v, slack| v.abs() <= slack)
            && slope < 0.0
            && -slope > tol * steep
    }

    /// The sums of absolute terms of [`Constraints::gradient`].
    fn sizes(&self, multipliers: &Multipliers) -> Vec<f64> {
        let mut absolute = multipliers.absolute();
        absolute.lower.iter_mut().for_each(|v| *v = -*v);
        self.absolute().gradient(&absolute)
    }

    /// All numbers without their signs; lower bounds negated, so that [`Constraints::offset`] adds them.
    fn absolute(&self) -> Self {
        let list = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<_>>();
        let lower = self.lower.iter().map(|v| -v.abs()).collect();
        let (g, a) = (absolute(&self.g), absolute(&self.a));
        Self { g, h: list(&self.h), a, b: list(&self.b), lower, upper: list(&self.upper) }
    }

    /// Sizes that do not agree, values that are not finite.
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        let n = self.n_variables();
        length("`upper`: one bound for each variable", n, self.upper.len())?;
        for (name, matrix, side) in [("g", &self.g, &self.h), ("a", &self.a, &self.b)] {
            length(&format!("`{name}`: columns"), n, matrix.n_cols())?;
            length(&format!("right-hand sides of `{name}`"), matrix.n_rows(), side.len())?;
            finite(owner, name, matrix.as_slice())?;
            finite(owner, &format!("right-hand sides of {name}"), side)?;
        }
        for (j, (l, u)) in self.lower.iter().zip(&self.upper).enumerate() {
            let whole = *l < f64::INFINITY && *u > f64::NEG_INFINITY;
            if !whole {
                return Err(Error::param(
                    owner,
                    &format!("bounds[{j}]"),
                    "numbers or -inf, inf",
                    format!("[{l}, {u}]"),
                ));
            }
        }
        Ok(())
    }

    /// The proof that bounds contradict each other, where they do.
    pub(crate) fn contradiction(&self) -> Option<Multipliers> {
        let j = (0..self.n_variables()).find(|&j| self.lower[j] > self.upper[j])?;
        let mut proof = Multipliers::zero(self);
        (proof.lower[j], proof.upper[j]) = (1.0, 1.0);
        Some(proof)
    }
}

/// A matrix without its signs.
fn absolute(m: &Mat) -> Mat {
    Mat::from_fn(m.n_rows(), m.n_cols(), |i, j| m[(i, j)].abs())
}

/// Lagrange multipliers of [`Constraints`]: those of inequalities and bounds are not negative at an optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Multipliers {
    /// z of G x ≤ h.
    pub inequality: Vec<f64>,
    /// y of A x = b.
    pub equality: Vec<f64>,
    /// λ of lower ≤ x.
    pub lower: Vec<f64>,
    /// μ of x ≤ upper.
    pub upper: Vec<f64>,
}

impl Multipliers {
    /// All zero.
    pub fn zero(constraints: &Constraints) -> Self {
        let n = constraints.n_variables();
        let (inequality, equality) = (vec![0.0; constraints.h.len()], vec![0.0; constraints.b.len()]);
        Self { inequality, equality, lower: vec![0.0; n], upper: vec![0.0; n] }
    }

    /// The least of those that may not be negative; NaN where one is.
    fn least(&self) -> f64 {
        let all = self.inequality.iter().chain(&self.lower).chain(&self.upper);
        all.fold(0.0, |m, &v| if v < m || v.is_nan() { v } else { m })
    }

    fn absolute(&self) -> Self {
        let list = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<_>>();
        Self {
            inequality: list(&self.inequality),
            equality: list(&self.equality),
            lower: list(&self.lower),
            upper: list(&self.upper),
        }
    }
}

/// The best point of a linear or quadratic program, with the multipliers that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The point.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// The value of the dual problem at the multipliers: no feasible point is below it.
    pub dual_value: f64,
    /// The multipliers.
    pub multipliers: Multipliers,
    /// Iterations done.
    pub iterations: usize,
}

/// What a solver found out about a linear or quadratic program, with the proof.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// There is a best point.
    Optimal(Optimum),
    /// No point satisfies the constraints: [`Constraints::proves_infeasible`] of these multipliers.
    Infeasible(Multipliers),
    /// The value falls for ever: from `point`, which is feasible, along `ray` ([`Constraints::proves_unbounded`]).
    Unbounded {
        /// A feasible point.
        point: Vec<f64>,
        /// A direction that stays feasible.
        ray: Vec<f64>,
    },
    /// The solver stopped before it knew; its last point need not be feasible.
    Unfinished {
        /// The last point, with its multipliers.
        last: Optimum,
        /// Why.
        stop: Stop,
    },
}

impl Verdict {
    /// The optimum, if there is one.
    pub fn optimum(self) -> Option<Optimum> {
        match self {
            Self::Optimal(optimum) => Some(optimum),
            Self::Infeasible(_) | Self::Unbounded { .. } | Self::Unfinished { .. } => None,
        }
    }
}
