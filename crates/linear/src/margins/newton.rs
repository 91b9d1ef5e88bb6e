//! Trust-region Newton for squared losses with an L2 penalty, in the coefficients themselves.

use super::dual::{Budget, Descent};
use super::problem::Problem;
use crate::points::Points;
use mercer_core::Termination;
use mercer_math::dot;
use mercer_optim::{NewtonCg, Objective, Stop, newton_cg};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Sums over rows are taken in this many parts, whatever the threads.
const PARTS: usize = 8;

/// min_w ½|w|² + Σ cᵢ eᵢ(w)²
///
/// The Hessian I + 2 Σ cᵢ xᵢxᵢᵀ over the rows with an excess is only multiplied with. Stops when the largest entry of the
/// gradient is at most `tol` times that of w = 0, for classes times the share of the smaller one as well, or when no step
/// lowers the objective any more.
///
/// Lin, Weng, Keerthi, JMLR 9, 2008.
pub(crate) fn newton<P: Points>(points: &P, problem: &Problem, budget: &Budget<'_>) -> Descent {
    let mut objective = SquaredLoss { points, problem, excess: Vec::new(), at: Vec::new() };
    let start = vec![0.0; points.width()];
    let mut steepest = vec![0.0; points.width()];
    objective.value_grad(&start, &mut steepest);
    let scale = steepest.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    let tol = budget.tol * scale * share_of_smaller(problem);
    let settings = NewtonCg { tol, max_iter: budget.max_iter, ..NewtonCg::default() };
    let mut why = None;
    let mut monitor = |step: &mercer_optim::Step| {
        why = budget.session.step("newton", step.iteration as u64, None, Some(step.value));
        if why.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = newton_cg(&mut objective, &start, &settings, Some(&mut monitor));
    let termination = match found.stop {
        Stop::Converged => Termination::Converged,
        Stop::MaxIter => Termination::IterationLimit,
        Stop::Interrupted => why.unwrap_or(Termination::Cancelled),
        // At the bottom of what rounding can tell apart.
        Stop::NoProgress if found.grad_norm <= 1e-7 * scale => Termination::Converged,
        Stop::NoProgress => Termination::Stalled,
    };
    Descent { w: found.x, beta: Vec::new(), iterations: found.iterations, termination }
}

fn share_of_smaller(problem: &Problem) -> f64 {
    if !problem.classes {
        return 1.0;
    }
    let counted = || problem.targets.iter().zip(&problem.costs).filter(|(_, c)| **c > 0.0);
    let (all, positive) = (counted().count(), counted().filter(|(y, _)| **y > 0.0).count());
    positive.min(all - positive).max(1) as f64 / all.max(1) as f64
}

struct SquaredLoss<'p, P> {
    points: &'p P,
    problem: &'p Problem,
    /// Of each row at the point `at`.
    excess: Vec<f64>,
    at: Vec<f64>,
}

impl<P: Points> SquaredLoss<'_, P> {
    fn move_to(&mut self, w: &[f64]) {
        if self.at == w {
            return;
        }
        let (points, problem) = (self.points, self.problem);
        self.excess.resize(points.n(), 0.0);
        let of = |i: usize| match problem.costs[i] > 0.0 {
            true => problem.excess(i, points.dot(i, w)),
            false => 0.0,
        };
        self.excess.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, e)| *e = of(i));
        self.at = w.to_vec();
    }

    /// out += 2 Σ cᵢ aᵢ xᵢ over rows with an excess; aᵢ is asked of the row.
    fn gather(&self, out: &mut [f64], a: impl Fn(usize) -> f64 + Sync) {
        let rows = self.points.n().div_ceil(PARTS).max(1);
        let parts: Vec<Vec<f64>> = (0..self.points.n().div_ceil(rows))
            .into_par_iter()
            .map(|part| {
                let mut sum = vec![0.0; out.len()];
                for i in part * rows..((part + 1) * rows).min(self.points.n()) {
                    if self.excess[i] != 0.0 {
                        self.points.add(i, 2.0 * self.problem.costs[i] * a(i), &mut sum);
                    }
                }
                sum
            })
            .collect();
        parts.iter().for_each(|part| mercer_math::axpy(1.0, part, out));
    }
}

impl<P: Points> Objective for SquaredLoss<'_, P> {
    fn dim(&self) -> usize {
        self.points.width()
    }

    fn value_grad(&mut self, w: &[f64], grad: &mut [f64]) -> f64 {
        self.move_to(w);
        grad.copy_from_slice(w);
        self.gather(grad, |i| self.excess[i]);
        let loss: f64 = self.excess.iter().enumerate().map(|(i, &e)| self.problem.cost(i, e)).sum();
        0.5 * dot(w, w) + loss
    }

    fn hess_vec(&mut self, w: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        self.move_to(w);
        out.copy_from_slice(v);
        self.gather(out, |i| self.points.dot(i, v));
        true
    }
}
