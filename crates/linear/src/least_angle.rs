//! The path of least angles: piecewise linear, knot by knot.

use crate::products::{GramProducts, GrowingFactor, Products};
use crate::sparse_path::Columns;
use mercer_core::{Dataset, Error, Result, Session, Termination};
use mercer_math::Mat;

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
#[derive(Clone, Debug)]
pub(crate) struct Knots {
    /// The strength at each knot, from the largest.
    pub(crate) alphas: Vec<f64>,
    /// The coefficients at each knot.
    pub(crate) coefs: Vec<Vec<f64>>,
    /// The features in use at the end, in the order in which they came.
    pub(crate) active: Vec<usize>,
    /// Features that stay out though they correlate most, since those in use span them.
    pub(crate) spanned: Vec<usize>,
    pub(crate) termination: Termination,
}

/// A path of least angles as [`lars_path`] and [`lars_path_gram`] follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnglesParams {
    /// Whether it is the path of the lasso, on which coefficients that reach zero leave.
    pub lasso: bool,
    /// Whether coefficients may not be negative; of the lasso alone.
    pub positive: bool,
    /// Most steps.
    pub max_iter: usize,
    /// The strength at which to end.
    pub alpha_min: f64,
}

/// A path of least angles.
#[derive(Clone, Debug, PartialEq)]
pub struct AnglesPath {
    /// The strength at each knot, from the largest.
    pub alphas: Vec<f64>,
    /// The features in use at the end, in the order in which they came.
    pub active: Vec<usize>,
    /// The coefficients, features × knots.
    pub coefs: Mat,
}

/// The path of least angles of rows with one target, without an intercept.
pub fn lars_path(data: &Dataset<'_>, params: &AnglesParams, session: &Session) -> Result<AnglesPath> {
    let columns = Columns::of("lars_path", data, false)?;
    if columns.targets() != 1 {
        return Err(Error::shape("targets of lars_path", 1, columns.targets()));
    }
    params.follow("lars_path", &columns, session)
}

/// The path of least angles of a problem that is known by its products: XᵀX, Xᵀy and the number of rows.
pub fn lars_path_gram(
    gram: &Mat,
    xy: &[f64],
    n_samples: f64,
    params: &AnglesParams,
    session: &Session,
) -> Result<AnglesPath> {
    const NAME: &str = "lars_path_gram";
    if (gram.n_rows(), gram.n_cols()) != (xy.len(), xy.len()) {
        return Err(Error::shape("rows and columns of Gram", xy.len(), gram.n_rows()));
    }
    if n_samples.is_nan() || n_samples <= 0.0 {
        return Err(Error::param(NAME, "n_samples", "above 0", n_samples));
    }
    params.follow(NAME, &GramProducts { gram, xy, total: n_samples }, session)
}

impl AnglesParams {
    fn follow(&self, name: &str, problem: &dyn Products, session: &Session) -> Result<AnglesPath> {
        if self.positive && !self.lasso {
            return Err(Error::param(name, "positive", "false unless the path is that of the lasso", true));
        }
        let AnglesParams { lasso, positive, max_iter, alpha_min } = *self;
        let steps = Steps { lasso, positive, max_iter, alpha_min, session };
        let Knots { alphas, coefs, active, .. } = session.run(|| least_angles(problem, &steps));
        if !alphas.iter().chain(coefs.iter().flatten()).all(|v| v.is_finite()) {
            let why = "values whose squares are too large or too small: scale the features or the target";
            return Err(Error::numeric(name, why));
        }
        let coefs = Mat::from_fn(problem.n(), coefs.len(), |j, knot| coefs[knot][j]);
        Ok(AnglesPath { alphas, active, coefs })
    }
}

/// A feature whose squared distance from the span of those in use is less than this share of its square stays out.
const DEGENERATE: f64 = 1e-14;
/// Correlations that differ by less than this share are the same.
const TIE: f64 = 1e-10;
/// Rates, of 1, that differ by less are the same.
const SAME: f64 = 1e-13;

/// Least angle regression (Efron et al. 2004) of a problem with one target.
///
/// All features in use correlate equally with the residual, more than all others, and coefficients move so that they
/// keep doing so: along G⁻¹s with the signs s of their correlations, until another feature catches up and joins, for
/// the lasso until a coefficient becomes zero and leaves, or the strength reaches `alpha_min`.
pub(crate) fn least_angles(problem: &dyn Products, steps: &Steps<'_>) -> Knots {
    let mut state = State::new(problem, steps.positive);
    let first = state.height;
    state.told = 1e-7 * first;
    let mut knots = Knots {
        alphas: vec![first / problem.total()],
        coefs: vec![state.w.clone()],
        active: Vec::new(),
        spanned: Vec::new(),
        termination: Termination::Exact,
    };
    let end = steps.alpha_min * problem.total();
    let mut dropped = false;
    for step in 0..steps.max_iter {
        if let Some(why) = steps.session.step("least angles", step as u64, Some(steps.max_iter as u64), None)
        {
            knots.termination = why;
            break;
        }
        // Rounding leaves no correlation to go by.
        if state.height <= end.max(1e-14 * first) || !(dropped || state.join()) {
            break;
        }
        let direction = state.factor.solve(&state.signs);
        if !direction.iter().all(|v| v.is_finite()) {
            knots.termination = Termination::Stalled;
            break;
        }
        dropped = state.advance(&direction, end, steps.lasso);
        knots.alphas.push(state.height / problem.total());
        knots.coefs.push(state.w.clone());
    }
    (knots.active, knots.spanned) = (state.active, state.spanned);
    knots
}

struct State<'a> {
    problem: &'a dyn Products,
    positive: bool,
    w: Vec<f64>,
    /// XᵀR.
    left: Vec<f64>,
    /// How much the features in use correlate with the residual.
    height: f64,
    active: Vec<usize>,
    signs: Vec<f64>,
    /// Of the products of the features in use.
    factor: GrowingFactor,
    /// Features that may join.
    free: Vec<bool>,
    /// Features that stay out for good while the strength is still above `told`.
    spanned: Vec<usize>,
    told: f64,
}

impl<'a> State<'a> {
    fn new(problem: &'a dyn Products, positive: bool) -> Self {
        let d = problem.n();
        let w = vec![0.0; d];
        let mut state = Self {
            problem,
            positive,
            left: problem.left(&w),
            w,
            height: 0.0,
            active: Vec::new(),
            signs: Vec::new(),
            factor: GrowingFactor::default(),
            free: (0..d).map(|j| problem.norm2(j) > 0.0).collect(),
            spanned: Vec::new(),
            told: 0.0,
        };
        state.height = state.best().map_or(0.0, |(_, size)| size.max(0.0));
        state
    }

    /// The feature that correlates most among those that may join.
    fn best(&self) -> Option<(usize, f64)> {
        let size = |j: usize| if self.positive { self.left[j] } else { self.left[j].abs() };
        let found = (0..self.w.len()).filter(|&j| self.free[j]).map(|j| (j, size(j)));
        found.fold(None, |best, at| if best.is_none_or(|(_, b)| at.1 > b) { Some(at) } else { best })
    }

    /// Takes the most correlated feature in; false where there is none. Those that the features in use already span
    /// stay out for good; another takes their place only where it correlates as much.
    fn join(&mut self) -> bool {
        let mut first = true;
        while let Some((j, size)) =
            self.best().filter(|(_, size)| first || *size >= self.height * (1.0 - TIE))
        {
            first = false;
            self.free[j] = false;
            if size <= 0.0 {
                return !self.active.is_empty();
            }
            let between = self.problem.between(j, &self.active);
            if self.factor.push(&between, self.problem.norm2(j), DEGENERATE) {
                self.active.push(j);
                self.signs.push(if self.positive { 1.0 } else { self.left[j].signum() });
                return true;
            }
            self.leave_out(j);
        }
        !self.active.is_empty()
    }

    /// Keeps a feature out for good.
    fn leave_out(&mut self, j: usize) {
        self.free[j] = false;
        if self.height > self.told {
            self.spanned.push(j);
        }
    }

    /// Keeps those out that correlate as much as the features in use, and go on doing so: these span them.
    fn leave_out_alike(&mut self, falls: &[f64]) {
        let close = |a: f64, b: f64, by: f64| (a - b).abs() <= by;
        for j in (0..self.w.len()).filter(|&j| self.free[j]).collect::<Vec<_>>() {
            let (left, fall) = (self.left[j], falls[j]);
            let alike = |sign: f64| {
                close(sign * left, self.height, TIE * self.height) && close(sign * fall, 1.0, SAME)
            };
            if alike(1.0) || !self.positive && alike(-1.0) {
                self.leave_out(j);
            }
        }
    }

    /// Goes to the next knot along `direction`, G⁻¹s: along it, the correlations of all features in use fall at the rate
    /// 1. Whether a feature left there.
    fn advance(&mut self, direction: &[f64], end: f64, lasso: bool) -> bool {
        let falls = self.problem.along(&self.active, direction);
        self.leave_out_alike(&falls);
        let whole = self.height - end;
        let mut length = whole;
        for j in (0..self.w.len()).filter(|&j| self.free[j]) {
            let mut meets = |gap: f64, rate: f64| {
                // A feature that falls at the same rate, up to rounding, never catches up.
                if rate > SAME && gap / rate < length {
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
        // The end is reached exactly, whatever a difference of two numbers is rounded to.
        self.height = if length == whole { end } else { self.height - length };
        if let Some(a) = leaves {
            self.leave(a);
        }
        self.left = self.problem.left(&self.w);
        leaves.is_some()
    }

    fn leave(&mut self, a: usize) {
        let j = self.active.remove(a);
        self.signs.remove(a);
        self.factor.remove(a);
        self.w[j] = 0.0;
        self.free[j] = true;
    }
}
