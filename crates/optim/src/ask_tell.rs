//! Minimisers that are asked where to look and told what is there.
//!
//! The solvers of this crate call their objective. Where the objective is a pass over a file or a cluster, the
//! pass must call the solver instead: [`AskTell`] holds everything between two evaluations, and serialises.

use crate::objective::{Stop, sup_norm};
use mercer_math::{axpy, dot, scale};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Sufficient decrease of a step.
const DECREASE: f64 = 1e-4;
/// The part of the slope that a step may leave.
const CURVATURE: f64 = 0.9;
/// Trial steps of one search.
const TRIALS: usize = 40;
/// Relative changes of the value below this are rounding; the slope decides instead.
const ROUNDING: f64 = 1e-14;

/// Settings of [`AskTell`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskTellSettings {
    /// Steps remembered by L-BFGS; zero follows the preconditioned gradient alone, which is Newton's method
    /// where the preconditioner is the inverse Hessian.
    pub memory: usize,
    /// Products with the Hessian for one direction of truncated Newton; zero asks for none.
    pub products: usize,
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// The weight of |x_j| for each coordinate, beside the smooth function; empty for none. The preconditioner should
    /// be diagonal then, and `products` zero.
    pub l1: Vec<f64>,
}

/// What an [`AskTell`] wants to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ask<'a> {
    /// Value and gradient at this point.
    Value(&'a [f64]),
    /// The Hessian at [`AskTell::point`] times this vector.
    Product(&'a [f64]),
}

/// Minimises a smooth function, one answer at a time: L-BFGS, Newton, or truncated Newton.
///
///   min_x f(x)  or  min_x f(x) + sum_j l1_j |x_j|
///
/// Given a start; [`AskTell::point`] is the best so far. Every answer comes with a preconditioner, a map that is
/// linear, symmetric and positive definite: L-BFGS takes it for its first inverse Hessian, truncated Newton for
/// the conjugate gradients. Stops when |grad f|_inf <= `tol` (`Converged`), at `max_iter`, or when no step lowers
/// the value (`NoProgress`).
///
/// Steps satisfy the weak Wolfe conditions, found by bracketing; where values no longer differ beyond rounding,
/// the approximate conditions of W. W. Hager, H. Zhang, SIAM J. Optim. 16(1), 2005. doi:10.1137/030601880.
/// Two-loop recursion: algorithm 7.4 of Nocedal and Wright 2006; truncated Newton: algorithm 7.1. With `l1`, f is told
/// without it, and L-BFGS becomes orthant-wise (OWL-QN): steps stay in the orthant that the pseudo-gradient points
/// into, so that coordinates stop at exactly zero. G. Andrew, J. Gao. ICML 2007. doi:10.1145/1273496.1273501.
///
/// # Example
/// ```
/// use mercer_optim::{Ask, AskTell, AskTellSettings, Stop};
/// let settings = AskTellSettings { memory: 10, products: 0, tol: 1e-8, max_iter: 100, l1: vec![] };
/// let mut search = AskTell::new(vec![3.0, -1.0], settings);
/// let stop = loop {
///     let Ask::Value(x) = search.ask() else { continue };
///     let (value, grad) = (x[0] * x[0] + 5.0 * x[1] * x[1], vec![2.0 * x[0], 10.0 * x[1]]);
///     if let Some(stop) = search.tell_value(value, grad, |g| g.to_vec()) {
///         break stop;
///     }
/// };
/// assert_eq!(stop, Stop::Converged);
/// assert!(search.point().iter().all(|x| x.abs() < 1e-8));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskTell {
    settings: AskTellSettings,
    point: Vec<f64>,
    value: f64,
    grad: Vec<f64>,
    first_norm: f64,
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    iterations: usize,
    line: Option<Line>,
    inner: Option<Inner>,
}

/// A search along a direction; steps in (low, high) may satisfy the conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    direction: Vec<f64>,
    slope: f64,
    step: f64,
    low: f64,
    high: f64,
    trials: usize,
    trial: Vec<f64>,
}

/// Conjugate gradients on H d = -g.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    rz: f64,
    target: f64,
    done: usize,
}

impl AskTell {
    /// A minimiser that will first ask for the value at `start`.
    pub fn new(start: Vec<f64>, settings: AskTellSettings) -> Self {
        let (pairs, grad) = Default::default();
        let (value, first_norm) = (f64::NAN, f64::NAN);
        Self {
            settings,
            point: start,
            value,
            grad,
            first_norm,
            pairs,
            iterations: 0,
            line: None,
            inner: None,
        }
    }

    /// What is wanted next.
    pub fn ask(&self) -> Ask<'_> {
        match (&self.inner, &self.line) {
            (Some(inner), _) => Ask::Product(&inner.direction),
            (None, Some(line)) => Ask::Value(&line.trial),
            (None, None) => Ask::Value(&self.point),
        }
    }

    /// The best point so far; the start until it has been evaluated.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// The value at [`AskTell::point`], with its L1 part; NaN until it is known.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The gradient at [`AskTell::point`], with `l1` its least subgradient; empty until it is known.
    pub fn grad(&self) -> Vec<f64> {
        least_subgradient(&self.point, &self.grad, &self.settings.l1)
    }

    /// Steps taken.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// What [`AskTell::iterations`] will be at the point of [`Ask::Value`], should it be taken.
    pub fn next_iteration(&self) -> usize {
        self.iterations + usize::from(!self.grad.is_empty())
    }

    /// Answers [`Ask::Value`]. A value that is not finite means "outside the domain".
    pub fn tell_value(
        &mut self,
        value: f64,
        grad: Vec<f64>,
        precondition: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Option<Stop> {
        let Some(mut line) = self.line.take() else {
            (self.value, self.grad) = (value + self.norm1(&self.point), grad);
            self.first_norm = sup_norm(&self.grad());
            if !(self.value.is_finite() && self.first_norm.is_finite()) {
                return Some(Stop::NoProgress);
            }
            return self.settle(precondition);
        };
        line.trials += 1;
        if !self.settings.l1.is_empty() {
            return self.tell_l1(line, value, grad, precondition);
        }
        let slope = dot(&grad, &line.direction);
        let finite = value.is_finite() && slope.is_finite();
        let enough = value <= self.value + DECREASE * line.step * line.slope;
        let level =
            value <= self.value + ROUNDING * self.value.abs() && slope <= (2.0 * DECREASE - 1.0) * line.slope;
        let falls = finite && (enough || level);
        if falls && (slope >= CURVATURE * line.slope || line.trials >= TRIALS) {
            self.accept(line.trial, value, grad);
            return self.settle(precondition);
        }
        if line.trials >= TRIALS {
            return self.retreat(precondition);
        }
        line.narrow(falls, finite.then_some(value - self.value), slope);
        line.aim(&self.point);
        self.line = Some(line);
        None
    }

    /// Backtracks along the bent path of an orthant until the value falls enough.
    fn tell_l1(
        &mut self,
        mut line: Line,
        value: f64,
        grad: Vec<f64>,
        precondition: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Option<Stop> {
        let (old, value) = (self.grad(), value + self.norm1(&line.trial));
        let fall: f64 =
            old.iter().zip(line.trial.iter().zip(&self.point)).map(|(g, (t, x))| g * (t - x)).sum();
        let enough = value <= self.value + DECREASE * fall;
        let level = value <= self.value + ROUNDING * self.value.abs()
            && sup_norm(&least_subgradient(&line.trial, &grad, &self.settings.l1)) < sup_norm(&old);
        if value.is_finite() && (enough || level) {
            self.accept(line.trial, value, grad);
            return self.settle(precondition);
        }
        if line.trials >= TRIALS {
            return self.retreat(precondition);
        }
        line.step *= if value.is_finite() { 0.5 } else { 0.1 };
        self.aim(&mut line, &old);
        self.line = Some(line);
        None
    }

    /// The L1 part at a point.
    fn norm1(&self, point: &[f64]) -> f64 {
        self.settings.l1.iter().zip(point).map(|(l, x)| l * x.abs()).sum()
    }

    /// The trial point of a line; with an L1 part, no coordinate leaves its orthant.
    fn aim(&self, line: &mut Line, grad: &[f64]) {
        line.aim(&self.point);
        let orthants = self.settings.l1.iter().zip(self.point.iter().zip(grad));
        for (trial, (&l1, (&x, &g))) in line.trial.iter_mut().zip(orthants) {
            let side = if x == 0.0 { -g } else { x };
            if l1 > 0.0 && *trial * side <= 0.0 {
                *trial = 0.0;
            }
        }
    }

    /// Answers [`Ask::Product`].
    pub fn tell_product(
        &mut self,
        product: &[f64],
        precondition: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Option<Stop> {
        let mut inner = self.inner.take()?;
        let curvature = dot(&inner.direction, product);
        // In positive form, so that NaN is refused.
        let positive = curvature > 0.0 && curvature.is_finite();
        if positive {
            let step = inner.rz / curvature;
            axpy(step, &inner.direction, &mut inner.solution);
            axpy(-step, product, &mut inner.residual);
            let z = precondition(&inner.residual);
            let rz = dot(&inner.residual, &z);
            inner.done += 1;
            if rz > inner.target && inner.done < self.settings.products {
                let beta = rz / inner.rz;
                inner.direction.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
                inner.rz = rz;
                self.inner = Some(inner);
                return None;
            }
        }
        let direction = if inner.done > 0 { inner.solution } else { inner.direction };
        self.search(direction, precondition)
    }

    /// Takes a step.
    fn accept(&mut self, point: Vec<f64>, value: f64, grad: Vec<f64>) {
        if self.settings.memory > 0 {
            let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
            let (s, y) = (difference(&point, &self.point), difference(&grad, &self.grad));
            let curvature = dot(&s, &y);
            if curvature > f64::EPSILON * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
                if self.pairs.len() == self.settings.memory {
                    self.pairs.pop_front();
                }
                self.pairs.push_back((s, y, 1.0 / curvature));
            }
        }
        (self.point, self.value, self.grad) = (point, value, grad);
        self.iterations += 1;
    }

    /// Stops at a new point, or looks for a direction.
    fn settle(&mut self, precondition: impl Fn(&[f64]) -> Vec<f64>) -> Option<Stop> {
        let norm = sup_norm(&self.grad());
        if norm <= self.settings.tol {
            return Some(Stop::Converged);
        }
        if self.iterations >= self.settings.max_iter {
            return Some(Stop::MaxIter);
        }
        if self.settings.products == 0 {
            return self.search(self.direction(&precondition), precondition);
        }
        let residual: Vec<f64> = self.grad.iter().map(|g| -g).collect();
        let direction = precondition(&residual);
        let rz = dot(&residual, &direction);
        // The forcing term falls with the gradient: few products far away, superlinear convergence near.
        let forcing = (norm / self.first_norm).sqrt().min(0.3);
        let solution = vec![0.0; residual.len()];
        self.inner =
            Some(Inner { solution, residual, direction, rz, target: rz * forcing * forcing, done: 0 });
        None
    }

    /// `-H g` by the two-loop recursion.
    fn direction(&self, precondition: &impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let grad = self.grad();
        let mut q: Vec<f64> = grad.iter().map(|g| -g).collect();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for (s, y, rho) in self.pairs.iter().rev() {
            let alpha = rho * dot(s, &q);
            axpy(-alpha, y, &mut q);
            alphas.push(alpha);
        }
        q = precondition(&q);
        if let Some((_, y, rho)) = self.pairs.back() {
            let size = rho * dot(y, &precondition(y));
            if size > 0.0 && size.is_finite() {
                scale(1.0 / size, &mut q);
            }
        }
        for ((s, y, rho), alpha) in self.pairs.iter().zip(alphas.iter().rev()) {
            let beta = rho * dot(y, &q);
            axpy(alpha - beta, s, &mut q);
        }
        // With an L1 part, only what agrees with the steepest descent is sure to descend.
        for ((q, g), l1) in q.iter_mut().zip(&grad).zip(&self.settings.l1) {
            if *l1 > 0.0 && *q * g >= 0.0 {
                *q = 0.0;
            }
        }
        q
    }

    /// Begins a search along a direction, if it descends.
    fn search(&mut self, direction: Vec<f64>, precondition: impl Fn(&[f64]) -> Vec<f64>) -> Option<Stop> {
        let grad = self.grad();
        let slope = dot(&direction, &grad);
        if !(slope < 0.0 && slope.is_finite()) {
            return self.retreat(precondition);
        }
        let trial = Vec::new();
        let mut line = Line { direction, slope, step: 1.0, low: 0.0, high: f64::INFINITY, trials: 0, trial };
        self.aim(&mut line, &grad);
        self.line = Some(line);
        None
    }

    /// After a failed search: forgets the curvature that misled it, or gives up.
    fn retreat(&mut self, precondition: impl Fn(&[f64]) -> Vec<f64>) -> Option<Stop> {
        if self.pairs.is_empty() {
            return Some(Stop::NoProgress);
        }
        self.pairs.clear();
        self.search(self.direction(&precondition), precondition)
    }
}

/// The subgradient of f + sum l1 |x| of least size, from the gradient of f.
fn least_subgradient(point: &[f64], grad: &[f64], l1: &[f64]) -> Vec<f64> {
    let mut out = grad.to_vec();
    for ((g, &x), &l1) in out.iter_mut().zip(point).zip(l1) {
        *g = if x != 0.0 { *g + l1 * x.signum() } else { g.signum() * (g.abs() - l1).max(0.0) };
    }
    out
}

impl Line {
    /// The next step, from what the last one found: `rise` is its change of value, if that is finite.
    fn narrow(&mut self, falls: bool, rise: Option<f64>, slope: f64) {
        let t = self.step;
        if falls {
            // Still steep: the minimum is further on, about where the secant of the slopes meets zero.
            self.low = t;
            let secant = t * self.slope / (self.slope - slope);
            self.step = match self.high.is_finite() {
                true => 0.5 * (t + self.high),
                false if secant.is_finite() => secant.clamp(2.0 * t, 10.0 * t),
                false => 4.0 * t,
            };
            return;
        }
        self.high = t;
        self.step = match rise {
            Some(rise) if self.low == 0.0 => {
                let parabola = -0.5 * self.slope * t * t / (rise - self.slope * t);
                if parabola.is_finite() { parabola.clamp(0.1 * t, 0.5 * t) } else { 0.5 * t }
            }
            Some(_) => 0.5 * (self.low + t),
            None => self.low + 0.1 * (t - self.low),
        };
    }

    fn aim(&mut self, from: &[f64]) {
        self.trial.clear();
        self.trial.extend_from_slice(from);
        axpy(self.step, &self.direction, &mut self.trial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objective;
    use crate::problems::{Quadratic, Rosenbrock};

    fn run(
        objective: &mut dyn Objective,
        start: &[f64],
        settings: AskTellSettings,
    ) -> (AskTell, Stop, usize) {
        let mut search = AskTell::new(start.to_vec(), settings);
        for round in 0..100_000 {
            let stop = match search.ask() {
                Ask::Value(x) => {
                    let (x, mut grad) = (x.to_vec(), vec![0.0; start.len()]);
                    let value = objective.value_grad(&x, &mut grad);
                    search.tell_value(value, grad, <[f64]>::to_vec)
                }
                Ask::Product(v) => {
                    let (v, mut out) = (v.to_vec(), vec![0.0; start.len()]);
                    assert!(objective.hess_vec(search.point(), &v, &mut out));
                    search.tell_product(&out, <[f64]>::to_vec)
                }
            };
            if let Some(stop) = stop {
                return (search, stop, round);
            }
        }
        panic!("no end");
    }

    #[test]
    fn finds_the_end_of_the_banana() {
        let settings = AskTellSettings { memory: 10, products: 0, tol: 1e-10, max_iter: 500, l1: vec![] };
        let (search, stop, rounds) = run(&mut Rosenbrock(2), &[-1.2, 1.0], settings);
        assert_eq!(stop, Stop::Converged, "{:?} after {rounds}", search.point());
        assert!(search.point().iter().all(|x| (x - 1.0).abs() < 1e-8));
    }

    #[test]
    fn products_find_the_bottom_of_a_long_valley() {
        let settings = AskTellSettings { memory: 0, products: 50, tol: 1e-9, max_iter: 50, l1: vec![] };
        let (search, stop, rounds) = run(&mut Quadratic::conditioned(12, 1e6), &[0.0; 12], settings);
        assert_eq!(stop, Stop::Converged, "after {rounds} rounds");
        assert!(search.point().iter().enumerate().all(|(i, x)| (x - (i + 1) as f64).abs() < 1e-7));
    }

    #[test]
    fn the_limit_and_the_domain_are_respected() {
        let settings = AskTellSettings { memory: 5, products: 0, tol: 1e-10, max_iter: 3, l1: vec![] };
        let (search, stop, _) = run(&mut Rosenbrock(2), &[-1.2, 1.0], settings.clone());
        assert_eq!((stop, search.iterations()), (Stop::MaxIter, 3));
        let mut search = AskTell::new(vec![f64::NAN], settings);
        assert_eq!(search.tell_value(f64::NAN, vec![f64::NAN], <[f64]>::to_vec), Some(Stop::NoProgress));
    }

    #[test]
    fn an_absolute_value_stops_coordinates_at_zero() {
        // Separable: ½ c (x − a)² + l |x| has its minimum at the soft threshold of a by l / c.
        let (a, c, l1) = ([3.0, -0.2, 0.0, -5.0], [1.0, 2.0, 1.0, 10.0], vec![1.0, 1.0, 0.5, 0.0]);
        let settings = AskTellSettings { memory: 5, products: 0, tol: 1e-10, max_iter: 100, l1: l1.clone() };
        let mut search = AskTell::new(vec![1.0; 4], settings);
        let stop = loop {
            let Ask::Value(x) = search.ask() else { panic!("no products") };
            let value: f64 = (0..4).map(|j| 0.5 * c[j] * (x[j] - a[j]).powi(2)).sum();
            let grad = (0..4).map(|j| c[j] * (x[j] - a[j])).collect();
            if let Some(stop) = search.tell_value(value, grad, <[f64]>::to_vec) {
                break stop;
            }
        };
        assert_eq!(stop, Stop::Converged);
        let best = |j: usize| a[j].signum() * (a[j].abs() - l1[j] / c[j]).max(0.0);
        assert!((0..4).all(|j| (search.point()[j] - best(j)).abs() < 1e-9), "{:?}", search.point());
        assert_eq!(search.point()[1..3], [0.0, 0.0]);
    }
}
