//! L-BFGS-B: quasi-Newton within bounds.
//!
//! # Objective
//! $$ \min_x\ f(x) \quad\text{s.t.}\quad l \le x \le u $$
//!
//! # Algorithm
//! The limited-memory model $B = \theta I - W M W^\top$ is minimised along the projected gradient up to its first local
//! minimum (the generalised Cauchy point); over the variables that are free there, its minimum is found exactly and
//! cut at the bounds; a strong Wolfe search goes towards it.
//!
//! # Complexity
//! O(m n + n log n + m³) an iteration for m remembered steps and n variables, beside the evaluations; memory O(m n).
//!
//! # Example
//! ```
//! use mercer_optim::{LbfgsB, Objective, Stop, lbfgsb};
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn dim(&self) -> usize { 2 }
//!     fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
//!         grad.copy_from_slice(&[x[0] - 3.0, x[1] - 0.5]);
//!         0.5 * (x[0] - 3.0).powi(2) + 0.5 * (x[1] - 0.5).powi(2)
//!     }
//! }
//! let found = lbfgsb(&mut Bowl, &[0.0, 0.0], &[0.0, 0.0], &[1.0, 1.0], &LbfgsB::default(), None)?;
//! assert_eq!((found.stop, found.x[0]), (Stop::Converged, 1.0));
//! assert!((found.x[1] - 0.5).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Points are within the bounds to the bit, and variables that meet a bound equal it. Pairs without positive curvature are
//! not stored; a model that cannot be factored is forgotten.
//!
//! # References
//! - R. H. Byrd, P. Lu, J. Nocedal, C. Zhu. A limited memory algorithm for bound constrained optimization. SIAM J. Sci.
//!   Comput. 16(5), 1995. doi:10.1137/0916069

use crate::lbfgs::Counted;
use crate::line_search::{Point, Wolfe, wolfe};
use crate::lu::Lu;
use crate::objective::{Monitor, Objective, Solution, State, Stop, sup_norm};
use crate::refuse::{length, number, start};
use mercer_core::{Error, Result};
use mercer_math::{Mat, axpy, dot};
use std::collections::VecDeque;

const OWNER: &str = "lbfgsb";

/// Settings of [`lbfgsb`].
#[derive(Clone, Debug, PartialEq)]
pub struct LbfgsB {
    /// Steps remembered; at least one is used.
    pub memory: usize,
    /// Stop when the largest component of the projected gradient is at most this.
    pub tol: f64,
    /// Stop also when an iteration lowers the value by at most this, relative to its size; zero switches it off.
    pub value_tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// Steps that are remembered from before the first one, each with the difference of the gradients along it: what is known of
    /// the curvature.
    pub known: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Default for LbfgsB {
    fn default() -> Self {
        Self { memory: 10, tol: 1e-6, value_tol: 0.0, max_iter: 1000, known: Vec::new() }
    }
}

/// Minimises a smooth function within bounds by L-BFGS-B.
///
///   min_x f(x)   s.t.  lower <= x <= upper
///
/// Given f with its gradient, a start (moved to the nearest point within the bounds) and bounds that may be infinite;
/// returns the best point, with the largest component of x − P(x − ∇f) for `grad_norm`. Stops when that is at most
/// `tol` or the relative decrease at most `value_tol` (`Converged`), at `max_iter`, when the monitor breaks, or when
/// even the projected gradient finds no lower value (`NoProgress`).
///
/// # Errors
/// A start or bounds of the wrong length; a start that is not finite; bounds that contradict each other.
pub fn lbfgsb(
    objective: &mut dyn Objective,
    x0: &[f64],
    lower: &[f64],
    upper: &[f64],
    settings: &LbfgsB,
    mut monitor: Option<Monitor<'_>>,
) -> Result<Solution> {
    start(OWNER, objective.dim(), x0)?;
    let bounds = Bounds::new(OWNER, x0.len(), lower, upper)?;
    number(OWNER, "tol", "in [0, inf)", settings.tol, settings.tol >= 0.0)?;
    let mut x = x0.to_vec();
    bounds.project(&mut x);
    let mut state = State::start(objective, &x);
    let mut model = Model::new(settings.memory.max(1));
    for (s, y) in &settings.known {
        length("a known step", x.len(), s.len())?;
        length("a known difference of gradients", x.len(), y.len())?;
        model.push(s.clone(), y.clone());
    }
    let mut settled = false;
    loop {
        let norm = bounds.residual(&state.x, &state.grad);
        let verdict = state.verdict_at(norm, settings.tol, settings.max_iter, &mut monitor);
        if let Some(stop) = verdict.or(settled.then_some(Stop::Converged)) {
            return Ok(Solution { grad_norm: norm, ..state.solution(stop) });
        }
        let Some(drop) = iterate(objective, &mut state, &bounds, &mut model) else {
            return Ok(Solution { grad_norm: norm, ..state.solution(Stop::NoProgress) });
        };
        let size = state.value.abs().max((state.value + drop).abs()).max(1.0);
        settled = settings.value_tol > 0.0 && drop <= settings.value_tol * size;
    }
}

/// lower <= x <= upper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    pub(crate) lower: &'a [f64],
    pub(crate) upper: &'a [f64],
}

impl<'a> Bounds<'a> {
    pub(crate) fn new(owner: &str, n: usize, lower: &'a [f64], upper: &'a [f64]) -> Result<Self> {
        length("lower bounds", n, lower.len())?;
        length("upper bounds", n, upper.len())?;
        for (j, (l, u)) in lower.iter().zip(upper).enumerate() {
            let holds = l <= u && *l < f64::INFINITY && *u > f64::NEG_INFINITY;
            if !holds {
                let name = format!("bounds[{j}]");
                return Err(Error::param(
                    owner,
                    &name,
                    "a lower bound up to the upper one",
                    format!("[{l}, {u}]"),
                ));
            }
        }
        Ok(Self { lower, upper })
    }

    pub(crate) fn project(&self, x: &mut [f64]) {
        for (x, (l, u)) in x.iter_mut().zip(self.lower.iter().zip(self.upper)) {
            *x = x.max(*l).min(*u);
        }
    }

    /// The largest component of x − P(x − g); NaN where the gradient is.
    pub(crate) fn residual(&self, x: &[f64], grad: &[f64]) -> f64 {
        let bounds = self.lower.iter().zip(self.upper);
        let parts = x.iter().zip(grad).zip(bounds).map(|((x, g), (l, u))| {
            // Without the difference of x and x − g, which loses digits.
            if *g > 0.0 { g.min(x - l) } else { g.max(x - u) }
        });
        sup_norm(&parts.collect::<Vec<_>>())
    }
}

/// One search towards the minimum of the model, or along the projected gradient where that fails.
fn iterate(
    objective: &mut dyn Objective,
    state: &mut State,
    bounds: &Bounds<'_>,
    model: &mut Model,
) -> Option<f64> {
    loop {
        let fresh = model.pairs.is_empty();
        let found = direction(state, bounds, model).and_then(|d| search(objective, state, bounds, &d, fresh));
        match found {
            Some(found) => {
                let difference =
                    |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
                model.push(difference(&found.0, &state.x), difference(&found.2, &state.grad));
                let drop = state.value - found.1;
                (state.x, state.value, state.grad) = found;
                state.iterations += 1;
                return Some(drop);
            }
            None if fresh => return None,
            None => model.forget(),
        }
    }
}

/// From the current point to the minimum of the model.
fn direction(state: &State, bounds: &Bounds<'_>, model: &Model) -> Option<Vec<f64>> {
    let (cauchy, c) = model.cauchy(state, bounds);
    let target = model.subspace(state, bounds, cauchy, &c)?;
    Some(target.iter().zip(&state.x).map(|(t, x)| t - x).collect())
}

/// A strong Wolfe search that stays within the bounds; the new point with its value and gradient.
fn search(
    objective: &mut dyn Objective,
    state: &mut State,
    bounds: &Bounds<'_>,
    direction: &[f64],
    fresh: bool,
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    let sides = bounds.lower.iter().zip(bounds.upper);
    let room = direction.iter().zip(&state.x).zip(sides).map(|((d, x), (l, u))| match d {
        d if *d > 0.0 => (u - x) / d,
        d if *d < 0.0 => (l - x) / d,
        _ => f64::INFINITY,
    });
    // The model's minimum is feasible, whatever rounding says.
    let max_step = room.fold(1e10, f64::min).max(1.0);
    let first = if fresh { (1.0 / sup_norm(direction)).min(1.0) } else { 1.0 };
    let rule = Wolfe { max_step, ..Wolfe::default() };
    let from = Point { x: &state.x, value: state.value, grad: &state.grad };
    let mut within = Within { inner: objective, bounds, at: vec![0.0; state.x.len()] };
    let mut counted = Counted { inner: &mut within, count: &mut state.evaluations };
    let found = wolfe(&mut counted, from, direction, first, &rule)?;
    let mut x = found.x;
    bounds.project(&mut x);
    Some((x, found.value, found.grad))
}

/// An objective that is asked within the bounds only: steps leave them by rounding.
struct Within<'a> {
    inner: &'a mut dyn Objective,
    bounds: &'a Bounds<'a>,
    at: Vec<f64>,
}

impl Objective for Within<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        self.at.copy_from_slice(x);
        self.bounds.project(&mut self.at);
        self.inner.value_grad(&self.at, grad)
    }
}

/// B = θ I − W M Wᵀ with W = (Y, θ S) and M⁻¹ = (−D, Lᵀ; L, θ SᵀS).
struct Model {
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
    capacity: usize,
    theta: f64,
    middle: Option<Lu>,
}

impl Model {
    fn new(capacity: usize) -> Self {
        Self { pairs: VecDeque::new(), capacity, theta: 1.0, middle: None }
    }

    fn forget(&mut self) {
        (self.theta, self.middle) = (1.0, None);
        self.pairs.clear();
    }

    /// Remembers a pair of positive curvature.
    fn push(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let (sy, yy) = (dot(&s, &y), dot(&y, &y));
        // In positive form, so that NaN is refused.
        let positive = sy > f64::EPSILON * yy && sy.is_finite() && yy.is_finite();
        if !positive {
            return;
        }
        if self.pairs.len() == self.capacity {
            self.pairs.pop_front();
        }
        self.pairs.push_back((s, y));
        self.theta = yy / sy;
        let k = self.pairs.len();
        let middle = Mat::from_fn(2 * k, 2 * k, |i, j| match (i < k, j < k) {
            (true, true) => {
                if i == j {
                    -dot(&self.pairs[i].0, &self.pairs[i].1)
                } else {
                    0.0
                }
            }
            (true, false) => self.below(j - k, i),
            (false, true) => self.below(i - k, j),
            (false, false) => self.theta * dot(&self.pairs[i - k].0, &self.pairs[j - k].0),
        });
        self.middle = Lu::new(middle);
        if self.middle.is_none() {
            self.forget();
        }
    }

    /// L: sᵢᵀyⱼ for i > j.
    fn below(&self, i: usize, j: usize) -> f64 {
        if i > j { dot(&self.pairs[i].0, &self.pairs[j].1) } else { 0.0 }
    }

    /// The row of W of a variable.
    fn row(&self, j: usize) -> Vec<f64> {
        let y = self.pairs.iter().map(|(_, y)| y[j]);
        y.chain(self.pairs.iter().map(|(s, _)| self.theta * s[j])).collect()
    }

    /// Wᵀ v.
    fn t_times(&self, v: &[f64]) -> Vec<f64> {
        let y = self.pairs.iter().map(|(_, y)| dot(y, v));
        y.chain(self.pairs.iter().map(|(s, _)| self.theta * dot(s, v))).collect()
    }

    /// W v.
    fn times(&self, v: &[f64], n: usize) -> Vec<f64> {
        let (mut out, k) = (vec![0.0; n], self.pairs.len());
        for (i, (s, y)) in self.pairs.iter().enumerate() {
            axpy(v[i], y, &mut out);
            axpy(self.theta * v[k + i], s, &mut out);
        }
        out
    }

    /// M v.
    fn middle(&self, v: &[f64]) -> Vec<f64> {
        self.middle.as_ref().map_or_else(Vec::new, |lu| lu.solve(v))
    }

    /// The first local minimum of the model along the projected gradient, with c = Wᵀ(x_c − x) (algorithm CP).
    fn cauchy(&self, state: &State, bounds: &Bounds<'_>) -> (Vec<f64>, Vec<f64>) {
        let (mut x, grad) = (state.x.clone(), &state.grad);
        let meets = |j: usize| match grad[j] {
            g if g < 0.0 => (state.x[j] - bounds.upper[j]) / g,
            g if g > 0.0 => (state.x[j] - bounds.lower[j]) / g,
            _ => f64::INFINITY,
        };
        let times: Vec<f64> = (0..x.len()).map(meets).collect();
        let mut d: Vec<f64> = times.iter().zip(grad).map(|(t, g)| if *t > 0.0 { -g } else { 0.0 }).collect();
        let mut order: Vec<usize> =
            (0..x.len()).filter(|&j| times[j] > 0.0 && times[j] < f64::INFINITY).collect();
        order.sort_by(|&i, &j| times[i].total_cmp(&times[j]));
        let mut p = self.t_times(&d);
        let mut c = vec![0.0; p.len()];
        let mut slope = -dot(&d, &d);
        let mut bend = -self.theta * slope - dot(&p, &self.middle(&p));
        let floor = f64::EPSILON * bend;
        let (mut wanted, mut now) = (-slope / bend, 0.0);
        for j in order {
            let step = times[j] - now;
            if wanted < step {
                break;
            }
            x[j] = if d[j] > 0.0 { bounds.upper[j] } else { bounds.lower[j] };
            let (moved, g, row) = (x[j] - state.x[j], grad[j], self.row(j));
            axpy(step, &p, &mut c);
            let across = self.middle(&row);
            slope += step * bend + g * g + self.theta * g * moved - g * dot(&across, &c);
            bend += -self.theta * g * g - 2.0 * g * dot(&across, &p) - g * g * dot(&across, &row);
            bend = bend.max(floor);
            axpy(g, &row, &mut p);
            (d[j], now) = (0.0, times[j]);
            wanted = -slope / bend;
        }
        let rest = if wanted > 0.0 && wanted.is_finite() { wanted } else { 0.0 };
        for (j, d) in d.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            x[j] = state.x[j] + (now + rest) * d;
        }
        axpy(rest, &p, &mut c);
        (x, c)
    }

    /// The minimum of the model over the variables that are free at the Cauchy point, cut at the bounds (section 5.1).
    fn subspace(
        &self,
        state: &State,
        bounds: &Bounds<'_>,
        mut cauchy: Vec<f64>,
        c: &[f64],
    ) -> Option<Vec<f64>> {
        let n = cauchy.len();
        let free: Vec<usize> =
            (0..n).filter(|&j| cauchy[j] > bounds.lower[j] && cauchy[j] < bounds.upper[j]).collect();
        if free.is_empty() || self.pairs.is_empty() {
            bounds.project(&mut cauchy);
            return Some(cauchy);
        }
        let pull = self.times(&self.middle(c), n);
        let mut r = vec![0.0; n];
        for &j in &free {
            r[j] = state.grad[j] + self.theta * (cauchy[j] - state.x[j]) - pull[j];
        }
        let k = c.len();
        let mut gram = Mat::zeros(k, k);
        for &j in &free {
            let row = self.row(j);
            row.iter().enumerate().for_each(|(i, v)| axpy(*v / self.theta, &row, gram.row_mut(i)));
        }
        // N = I − M (WᵀZZᵀW) / θ, column by column of the symmetric product.
        let mut system = Mat::identity(k);
        for j in 0..k {
            let column = self.middle(gram.row(j));
            column.iter().enumerate().for_each(|(i, v)| system[(i, j)] -= v);
        }
        let v = Lu::new(system)?.solve(&self.middle(&self.t_times(&r)));
        let across = self.times(&v, n);
        let step = |j: usize| -r[j] / self.theta - across[j] / (self.theta * self.theta);
        let room = |j: usize| match step(j) {
            d if d > 0.0 => (bounds.upper[j] - cauchy[j]) / d,
            d if d < 0.0 => (bounds.lower[j] - cauchy[j]) / d,
            _ => 1.0,
        };
        let cut = free.iter().map(|&j| room(j)).fold(1.0, f64::min);
        for &j in &free {
            cauchy[j] += cut * step(j);
        }
        bounds.project(&mut cauchy);
        cauchy.iter().all(|v| v.is_finite()).then_some(cauchy)
    }
}
