//! The path of least angles: piecewise linear, knot by knot.

use crate::sparse_path::Columns;
use mercer_core::{Session, Termination};
use mercer_math::{Cholesky, Mat, axpy};

/// How a path is followed.
pub(crate) struct Steps<'a> {
    /// Whether coefficients that reach zero leave, which makes it the path of the lasso.
    pub(crate) lasso: bool,
    pub(crate) positive: bool,
    /// Most steps.
    pub(crate) max_iter: usize,
    /// The strength at which to end.
    pub(crate) alpha_min: f64,
    pub(crate) session: &'a Session,
}

/// The knots of a path.
pub(crate) struct Knots {
    /// The strength at each knot, from the largest.
    pub(crate) alphas: Vec<f64>,
    /// The coefficients at each knot.
    pub(crate) coefs: Vec<Vec<f64>>,
    /// The features in use at the end, in the order in which they came.
    pub(crate) active: Vec<usize>,
    pub(crate) termination: Termination,
}

/// A feature whose squared distance from the span of those in use is less than this share of its square stays out.
const DEGENERATE: f64 = 1e-14;

/// Least angle regression (Efron et al. 2004) of the only target of `columns`.
///
/// All features in use correlate equally with the residual, more than all others, and coefficients move so that they
/// keep doing so: along G⁻¹s with the signs s of their correlations, until another feature catches up and joins, for
/// the lasso until a coefficient becomes zero and leaves, or the strength reaches `alpha_min`.
pub(crate) fn least_angles(columns: &Columns, steps: &Steps<'_>) -> Knots {
    let mut state = State::new(columns, steps.positive);
    let first = state.height / columns.total;
    let mut knots = Knots {
        alphas: vec![first],
        coefs: vec![state.w.clone()],
        active: Vec::new(),
        termination: Termination::Exact,
    };
    let end = steps.alpha_min * columns.total;
    let mut dropped = false;
    for step in 0..steps.max_iter {
        if let Some(why) = steps.session.step("least angles", step as u64, Some(steps.max_iter as u64), None)
        {
            knots.termination = why;
            break;
        }
        // Rounding leaves no correlation to go by.
        if state.height <= end.max(1e-14 * first * columns.total) || !(dropped || state.join()) {
            break;
        }
        let Some(direction) = state.direction() else {
            knots.termination = Termination::Stalled;
            break;
        };
        dropped = state.advance(&direction, end, steps.lasso);
        knots.alphas.push(state.height / columns.total);
        knots.coefs.push(state.w.clone());
    }
    knots.active = state.active;
    knots
}

struct State<'a> {
    columns: &'a Columns,
    positive: bool,
    w: Vec<f64>,
    residual: Vec<f64>,
    /// XᵀR.
    left: Vec<f64>,
    /// How much the features in use correlate with the residual.
    height: f64,
    active: Vec<usize>,
    signs: Vec<f64>,
    /// The products of the features in use.
    gram: Vec<Vec<f64>>,
    /// Features that may join.
    free: Vec<bool>,
    all: Vec<usize>,
}

impl<'a> State<'a> {
    fn new(columns: &'a Columns, positive: bool) -> Self {
        let d = columns.n();
        let all: Vec<usize> = (0..d).collect();
        let mut left = vec![0.0; d];
        columns.correlate(&all, &columns.y, &mut left);
        let mut state = Self {
            columns,
            positive,
            w: vec![0.0; d],
            residual: columns.y.clone(),
            left,
            height: 0.0,
            active: Vec::new(),
            signs: Vec::new(),
            gram: Vec::new(),
            free: columns.norm2.iter().map(|n| *n > 0.0).collect(),
            all,
        };
        state.height = state.best().map_or(0.0, |(_, size)| size);
        state
    }

    /// The feature that correlates most among those that may join.
    fn best(&self) -> Option<(usize, f64)> {
        let size = |j: usize| if self.positive { self.left[j] } else { self.left[j].abs() };
        let found = (0..self.w.len()).filter(|&j| self.free[j]).map(|j| (j, size(j)));
        found.fold(None, |best, at| if best.is_none_or(|(_, b)| at.1 > b) { Some(at) } else { best })
    }

    /// Takes the most correlated feature in; false where there is none. Those that the features in use already span
    /// stay out for good.
    fn join(&mut self) -> bool {
        while let Some((j, size)) = self.best() {
            self.free[j] = false;
            if size <= 0.0 {
                return !self.active.is_empty();
            }
            let mut column = vec![0.0; self.columns.n_rows()];
            self.columns.write(j, &mut column);
            let sum = self.columns.sum(&column);
            let mut row: Vec<f64> =
                self.active.iter().map(|&k| self.columns.times(k, &column, sum)).collect();
            let inside = match self.factor() {
                Some(factor) if !row.is_empty() => mercer_math::dot(&row, &factor.solve_vec(&row)),
                _ => 0.0,
            };
            if self.columns.norm2[j] - inside > DEGENERATE * self.columns.norm2[j] {
                row.push(self.columns.norm2[j]);
                self.gram.push(row);
                self.active.push(j);
                self.signs.push(if self.positive { 1.0 } else { self.left[j].signum() });
                return true;
            }
        }
        !self.active.is_empty()
    }

    fn factor(&self) -> Option<Cholesky> {
        let n = self.active.len();
        let of = |a: usize, b: usize| if b <= a { self.gram[a][b] } else { self.gram[b][a] };
        Cholesky::new(&Mat::from_fn(n, n, of))
    }

    /// G⁻¹s: along it, the correlations of all features in use fall at the rate 1.
    fn direction(&self) -> Option<Vec<f64>> {
        let direction = self.factor()?.solve_vec(&self.signs);
        direction.iter().all(|v| v.is_finite()).then_some(direction)
    }

    /// Goes to the next knot; whether a feature left there.
    fn advance(&mut self, direction: &[f64], end: f64, lasso: bool) -> bool {
        let mut moved = vec![0.0; self.residual.len()];
        let along = self.active.iter().zip(direction);
        let offset: f64 = along.map(|(&j, d)| self.columns.add(j, *d, &mut moved)).sum();
        self.columns.add_roots(offset, &mut moved);
        let mut falls = vec![0.0; self.w.len()];
        self.columns.correlate(&self.all, &moved, &mut falls);
        let mut length = self.height - end;
        for j in (0..self.w.len()).filter(|&j| self.free[j]) {
            let mut meets = |gap: f64, rate: f64| {
                if rate > 0.0 && gap / rate < length {
                    length = (gap / rate).max(0.0);
                }
            };
            meets(self.height - self.left[j], 1.0 - falls[j]);
            if !self.positive {
                meets(self.height + self.left[j], 1.0 + falls[j]);
            }
        }
        let mut leaves = None;
        for (a, (&j, d)) in self.active.iter().zip(direction).enumerate().filter(|_| lasso) {
            let zero = -self.w[j] / d;
            if zero > 0.0 && zero < length {
                (length, leaves) = (zero, Some(a));
            }
        }
        self.active.iter().zip(direction).for_each(|(&j, d)| self.w[j] += length * d);
        axpy(-length, &moved, &mut self.residual);
        self.columns.correlate(&self.all, &self.residual, &mut self.left);
        self.height -= length;
        if let Some(a) = leaves {
            self.leave(a);
        }
        leaves.is_some()
    }

    fn leave(&mut self, a: usize) {
        let j = self.active.remove(a);
        self.signs.remove(a);
        self.gram.remove(a);
        for row in self.gram.iter_mut().skip(a) {
            row.remove(a);
        }
        self.w[j] = 0.0;
        self.free[j] = true;
    }
}
