//! Line searches: how far to go along a direction.

use crate::Objective;
use mercer_math::{axpy, dot};

/// Conditions of the strong Wolfe search: 0 < c1 < c2 < 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wolfe {
    /// Sufficient decrease: f(x + t d) <= f(x) + c1 t f'(x; d).
    pub c1: f64,
    /// Curvature: |f'(x + t d; d)| <= c2 |f'(x; d)|.
    pub c2: f64,
    /// Most evaluations of one search.
    pub max_evaluations: usize,
    /// Longest step.
    pub max_step: f64,
}

impl Default for Wolfe {
    fn default() -> Self {
        Self { c1: 1e-4, c2: 0.9, max_evaluations: 40, max_step: 1e20 }
    }
}

/// Where a search starts: a point with its value and gradient.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The point.
    pub x: &'a [f64],
    /// Its value.
    pub value: f64,
    /// Its gradient.
    pub grad: &'a [f64],
}

/// Where a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Step length.
    pub step: f64,
    /// The new point.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// Its gradient.
    pub grad: Vec<f64>,
    /// Calls of [`Objective::value_grad`].
    pub evaluations: usize,
    /// Whether all conditions of the search hold (otherwise the value has merely decreased).
    pub satisfied: bool,
}

/// Backtracking: the first of `step, step/2, step/4, ...` with sufficient decrease, at most 60 of them.
///
///   find t with f(x + t d) <= f(x) + c1 t f'(x; d)
///
/// Given a descent direction `d`; `None` when `d` is none or no step satisfies the condition to rounding.
/// Values that are not finite count as too large. L. Armijo, Pacific J. Math. 16(1), 1966.
pub fn armijo(
    objective: &mut dyn Objective,
    from: Point<'_>,
    direction: &[f64],
    step: f64,
    c1: f64,
) -> Option<Search> {
    let mut line = Line::new(objective, from, direction)?;
    let mut step = step;
    for _ in 0..60 {
        let trial = line.at(step);
        if trial.is_finite() && trial.value <= line.allowed(c1, step) {
            return Some(line.into_search(trial, true));
        }
        step *= 0.5;
    }
    None
}

/// The strong Wolfe search: bracketing, then zooming with safeguarded cubic interpolation.
///
///   find t with f(x + t d) <= f(x) + c1 t f'(x; d)  and  |f'(x + t d; d)| <= c2 |f'(x; d)|
///
/// Given a descent direction `d` and a first step. A trial that is not finite halves the bracket. When the
/// evaluations run out, or the bracket shrinks to rounding, the best decrease found is returned with
/// `satisfied = false`; `None` when `d` is not a descent direction or nothing decreased.
///
/// Near a minimum, where differences of values drown in rounding, the decrease is judged by slopes instead
/// (the approximate Wolfe condition of Hager and Zhang, SIAM J. Optim. 16(1), 2005, doi:10.1137/030601880).
/// Algorithms 3.5 and 3.6 of J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., 2006.
pub fn wolfe(
    objective: &mut dyn Objective,
    from: Point<'_>,
    direction: &[f64],
    step: f64,
    rule: &Wolfe,
) -> Option<Search> {
    let mut line = Line::new(objective, from, direction)?;
    let start = Trial { step: 0.0, value: from.value, slope: line.slope0, x: vec![], grad: vec![] };
    let mut search = Bracket { low: start, high: None, best: None };
    let mut step = step.min(rule.max_step);
    while line.evaluations < rule.max_evaluations {
        let trial = line.at(step);
        if line.accepts(&trial, rule) {
            return Some(line.into_search(trial, true));
        }
        search.update(&line, trial, rule);
        match search.next(rule.max_step) {
            Some(next) => step = next,
            None => break,
        }
    }
    search.best.map(|trial| line.into_search(trial, false))
}

/// A point on the line.
#[derive(Clone, Debug)]
struct Trial {
    step: f64,
    value: f64,
    slope: f64,
    x: Vec<f64>,
    grad: Vec<f64>,
}

impl Trial {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.grad.iter().all(|g| g.is_finite())
    }
}

/// The objective along a direction.
struct Line<'a> {
    objective: &'a mut dyn Objective,
    from: Point<'a>,
    direction: &'a [f64],
    slope0: f64,
    evaluations: usize,
}

impl<'a> Line<'a> {
    /// `None` when `direction` is not one of finite descent.
    fn new(objective: &'a mut dyn Objective, from: Point<'a>, direction: &'a [f64]) -> Option<Self> {
        let slope0 = dot(from.grad, direction);
        let descends = slope0 < 0.0 && slope0.is_finite() && from.value.is_finite();
        descends.then_some(Self { objective, from, direction, slope0, evaluations: 0 })
    }

    fn at(&mut self, step: f64) -> Trial {
        let mut x = self.from.x.to_vec();
        axpy(step, self.direction, &mut x);
        let mut grad = vec![0.0; x.len()];
        let value = self.objective.value_grad(&x, &mut grad);
        self.evaluations += 1;
        let slope = dot(&grad, self.direction);
        Trial { step, value, slope, x, grad }
    }

    /// The largest value with sufficient decrease at `step`.
    fn allowed(&self, c1: f64, step: f64) -> f64 {
        self.from.value + c1 * step * self.slope0
    }

    /// Sufficient decrease, by values or, where those agree to rounding, by slopes.
    fn decreases(&self, trial: &Trial, c1: f64) -> bool {
        let rounding = 64.0 * f64::EPSILON * self.from.value.abs();
        trial.value <= self.allowed(c1, trial.step)
            || (trial.value <= self.from.value + rounding && trial.slope <= (2.0 * c1 - 1.0) * self.slope0)
    }

    fn accepts(&self, trial: &Trial, rule: &Wolfe) -> bool {
        trial.is_finite() && self.decreases(trial, rule.c1) && trial.slope.abs() <= -rule.c2 * self.slope0
    }

    fn into_search(self, trial: Trial, satisfied: bool) -> Search {
        Search {
            step: trial.step,
            x: trial.x,
            value: trial.value,
            grad: trial.grad,
            evaluations: self.evaluations,
            satisfied,
        }
    }
}

/// The interval that holds acceptable steps: `low` decreases enough and slopes towards `high`.
struct Bracket {
    low: Trial,
    /// Step, and value with slope where they are finite; absent while the interval is still growing.
    high: Option<(f64, Option<(f64, f64)>)>,
    /// The trial of least value below the start.
    best: Option<Trial>,
}

impl Bracket {
    fn update(&mut self, line: &Line<'_>, trial: Trial, rule: &Wolfe) {
        if !trial.is_finite() {
            self.high = Some((trial.step, None));
            return;
        }
        let least = self.best.as_ref().map_or(line.from.value, |b| b.value);
        if trial.value < least {
            self.best = Some(trial.clone());
        }
        let known = Some((trial.value, trial.slope));
        let worse_than_low = self.low.step > 0.0 && trial.value > self.low.value;
        if !line.decreases(&trial, rule.c1) || worse_than_low {
            self.high = Some((trial.step, known));
            return;
        }
        // The trial becomes the low end; the other end is where its slope points.
        let towards_high = self.high.map_or(1.0, |(high, _)| high - self.low.step);
        if trial.slope * towards_high >= 0.0 {
            self.high = Some((self.low.step, Some((self.low.value, self.low.slope))));
        }
        self.low = trial;
    }

    /// The next step to try; `None` when the interval is exhausted.
    fn next(&self, max_step: f64) -> Option<f64> {
        let low = &self.low;
        let Some((high, known)) = self.high else {
            // Still descending: go four times as far, up to the limit.
            return (low.step < max_step).then(|| (4.0 * low.step).min(max_step));
        };
        let width = high - low.step;
        let middle = low.step + 0.5 * width;
        if width.abs() <= 4.0 * f64::EPSILON * low.step.abs().max(high.abs()) || width.abs() < 1e-300 {
            return None;
        }
        let Some((value, slope)) = known else {
            return Some(low.step + 0.1 * width);
        };
        let guess = cubic_minimum(low.step, low.value, low.slope, high, value, slope);
        // A minimum too near an end would shrink the interval too slowly.
        let (nearest, farthest) = (low.step + 0.1 * width, low.step + 0.9 * width);
        let inside = guess >= nearest.min(farthest) && guess <= nearest.max(farthest);
        Some(if inside { guess } else { middle })
    }
}

/// The minimum of the cubic with given values and slopes at `a` and `b` (equation 3.59 of the book).
fn cubic_minimum(a: f64, fa: f64, ga: f64, b: f64, fb: f64, gb: f64) -> f64 {
    let d1 = ga + gb - 3.0 * (fa - fb) / (a - b);
    let d2 = (d1 * d1 - ga * gb).sqrt().copysign(b - a);
    b - (b - a) * (gb + d2 - d1) / (gb - ga + 2.0 * d2)
}
