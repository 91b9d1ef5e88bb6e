//! L-BFGS: quasi-Newton with a few remembered steps.
//!
//! # Objective
//! $$ \min_x f(x) $$
//!
//! # Algorithm
//! Directions $-H_k \nabla f(x_k)$, where $H_k$ is the BFGS inverse of the last m steps, applied by the two-loop recursion; a strong
//! Wolfe search along each. Where a search fails, the memory is forgotten and steepest descent tried.
//!
//! # Complexity
//! O(m n) an iteration beside the evaluations; memory O(m n).
//!
//! # Example
//! That of the crate's page runs it.
//!
//! # Numerics
//! Pairs without positive curvature are not stored. Values that are not finite only shorten the step.
//!
//! # References
//! - D. C. Liu, J. Nocedal. On the limited memory BFGS method for large scale optimization. Math. Programming 45, 1989.
//!   doi:10.1007/BF01589116

use crate::line_search::{Point, Wolfe, wolfe};
use crate::objective::{Monitor, Objective, Solution, State, Stop, sup_norm};
use mercer_math::{axpy, dot, scale};
use std::collections::VecDeque;

/// Settings of [`lbfgs`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lbfgs {
    /// Steps remembered; at least one is used.
    pub memory: usize,
    /// Stop when the largest absolute component of the gradient is at most this.
    pub tol: f64,
    /// Stop also when an iteration lowers the value by at most this, relative to its size; zero switches it off.
    pub value_tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// Conditions of the line search.
    pub wolfe: Wolfe,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self { memory: 10, tol: 1e-6, value_tol: 0.0, max_iter: 1000, wolfe: Wolfe::default() }
    }
}

/// Minimises a smooth function by limited-memory BFGS.
///
///   min_x f(x)
///
/// Given f with its gradient and a start; returns the best point. Stops when |grad f|_inf <= `tol`
/// (`Converged`), when the relative decrease is at most `value_tol` (`Converged`), at `max_iter`, when the
/// monitor breaks, or when even steepest descent finds no lower value (`NoProgress`). Pairs without positive
/// curvature are not stored; values that are not finite only shorten the step.
///
/// Algorithm 7.5 of Nocedal and Wright 2006; D. C. Liu, J. Nocedal. On the limited memory BFGS method for
/// large scale optimization. Math. Programming 45, 1989. doi:10.1007/BF01589116
///
/// # Panics
/// When the start has not one value for each variable.
pub fn lbfgs(
    objective: &mut dyn Objective,
    x0: &[f64],
    settings: &Lbfgs,
    mut monitor: Option<Monitor<'_>>,
) -> Solution {
    let mut state = State::start(objective, x0);
    let mut memory = Memory { pairs: VecDeque::new(), capacity: settings.memory.max(1) };
    let mut settled = false;
    loop {
        if let Some(stop) = state.verdict(settings.tol, settings.max_iter, &mut monitor) {
            return state.solution(stop);
        }
        if settled {
            return state.solution(Stop::Converged);
        }
        let Some((step, value_drop)) = iterate(objective, &mut state, &mut memory, &settings.wolfe) else {
            return state.solution(Stop::NoProgress);
        };
        memory.push(step);
        let size = state.value.abs().max((state.value + value_drop).abs()).max(1.0);
        settled = settings.value_tol > 0.0 && value_drop <= settings.value_tol * size;
    }
}

/// A step `s` and the change of gradient `y` along it.
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

/// One search along the quasi-Newton direction, or steepest descent where that fails.
fn iterate(
    objective: &mut dyn Objective,
    state: &mut State,
    memory: &mut Memory,
    rule: &Wolfe,
) -> Option<(Pair, f64)> {
    let mut found = None;
    while found.is_none() {
        let fresh = memory.pairs.is_empty();
        let direction = memory.direction(&state.grad);
        // Without curvature the first step has unit length at most.
        let step = if fresh { (1.0 / sup_norm(&state.grad)).min(1.0) } else { 1.0 };
        let from = Point { x: &state.x, value: state.value, grad: &state.grad };
        found = wolfe(
            &mut Counted { inner: objective, count: &mut state.evaluations },
            from,
            &direction,
            step,
            rule,
        );
        if found.is_none() {
            if fresh {
                return None;
            }
            memory.pairs.clear();
        }
    }
    let found = found?;
    let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    let (s, y) = (difference(&found.x, &state.x), difference(&found.grad, &state.grad));
    let value_drop = state.value - found.value;
    let rho = 1.0 / dot(&s, &y);
    (state.x, state.grad, state.value) = (found.x, found.grad, found.value);
    state.iterations += 1;
    Some((Pair { s, y, rho }, value_drop))
}

/// An objective that counts its evaluations, also those of failed searches.
pub(crate) struct Counted<'a> {
    pub(crate) inner: &'a mut dyn Objective,
    pub(crate) count: &'a mut usize,
}

impl Objective for Counted<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        *self.count += 1;
        self.inner.value_grad(x, grad)
    }

    fn hess_vec(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        self.inner.hess_vec(x, v, out)
    }
}

struct Memory {
    pairs: VecDeque<Pair>,
    capacity: usize,
}

impl Memory {
    /// Remembers a pair of positive curvature.
    fn push(&mut self, pair: Pair) {
        let curvature = 1.0 / pair.rho;
        let rounding = f64::EPSILON * dot(&pair.y, &pair.y).sqrt() * dot(&pair.s, &pair.s).sqrt();
        // In positive form, so that NaN is refused.
        let positive = curvature > rounding;
        if !positive {
            return;
        }
        if self.pairs.len() == self.capacity {
            self.pairs.pop_front();
        }
        self.pairs.push_back(pair);
    }

    /// `-H g` by the two-loop recursion (algorithm 7.4 of the book).
    fn direction(&self, grad: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = grad.iter().map(|g| -g).collect();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for Pair { s, y, rho } in self.pairs.iter().rev() {
            let alpha = rho * dot(s, &q);
            axpy(-alpha, y, &mut q);
            alphas.push(alpha);
        }
        if let Some(Pair { y, rho, .. }) = self.pairs.back() {
            scale(1.0 / (rho * dot(y, y)), &mut q);
        }
        for (Pair { s, y, rho }, alpha) in self.pairs.iter().zip(alphas.iter().rev()) {
            let beta = rho * dot(y, &q);
            axpy(alpha - beta, s, &mut q);
        }
        q
    }
}
