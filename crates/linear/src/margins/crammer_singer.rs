//! The machine of Crammer and Singer: all classes in one problem.

use super::dual::{Budget, Descent};
use super::problem::Standing;
use crate::points::Points;
use mercer_core::Termination;
use mercer_math::{Rng, dot, shuffle};

/// Rows with a class each, and costs.
#[derive(Debug)]
pub(crate) struct Classes {
    pub(crate) codes: Vec<u32>,
    pub(crate) n_classes: usize,
    pub(crate) costs: Vec<f64>,
}

/// min_α ½ Σ_m |w_m|² + Σᵢ Σ_{m≠yᵢ} αᵢₘ   s.t.  Σ_m αᵢₘ = 0,  αᵢₘ ≤ cᵢ [m = yᵢ],   with w_m = Σᵢ αᵢₘ xᵢ
///
/// The dual of min ½ Σ_m |w_m|² + Σ cᵢ max_m (w_m·xᵢ − w_{yᵢ}·xᵢ + [m ≠ yᵢ]). Each visit solves for all αᵢₘ of one row
/// exactly. Rows that are within a tenth of `tol` are left out until the others have converged. Stops when no
/// row is violated by more than `tol`. Returns the w_m one after the other.
///
/// Keerthi, Sundararajan, Chang, Hsieh, Lin. A sequential dual method for large scale multi-class linear SVMs. KDD 2008.
pub(crate) fn descend_classes<P: Points>(
    points: &P,
    rows: &Classes,
    budget: &Budget<'_>,
    mut rng: Rng,
) -> Descent {
    let (k, width) = (rows.n_classes, points.width());
    let norms: Vec<f64> = (0..points.n()).map(|i| points.norm2(i)).collect();
    let (mut alpha, mut w) = (vec![0.0; points.n() * k], vec![0.0; k * width]);
    let mut order: Vec<usize> = (0..points.n()).filter(|&i| rows.costs[i] > 0.0).collect();
    let all = order.len();
    let mut active = all;
    let (mut iterations, mut termination) = (0, Termination::IterationLimit);
    let mut scratch = Row { slopes: vec![0.0; k], next: vec![0.0; k], sorted: vec![0.0; k] };
    while iterations < budget.max_iter {
        shuffle(&mut rng, &mut order[..active]);
        let whole = active == all;
        let (mut worst, mut s) = (0.0f64, 0);
        while s < active {
            let i = order[s];
            let own = &mut alpha[i * k..(i + 1) * k];
            let (class, cost) = (rows.codes[i] as usize, rows.costs[i]);
            for (m, slope) in scratch.slopes.iter_mut().enumerate() {
                *slope = points.dot(i, &w[m * width..(m + 1) * width]) + f64::from(m != class);
            }
            let violation = violation(&scratch.slopes, own, class, cost);
            worst = worst.max(violation);
            if violation <= 0.1 * budget.tol {
                active -= 1;
                order.swap(s, active);
                continue;
            }
            scratch.solve(own, norms[i], class, cost);
            for m in 0..k {
                let change = scratch.next[m] - own[m];
                if change != 0.0 {
                    points.add(i, change, &mut w[m * width..(m + 1) * width]);
                }
            }
            own.copy_from_slice(&scratch.next);
            s += 1;
        }
        iterations += 1;
        if worst <= budget.tol && whole {
            termination = Termination::Converged;
            break;
        }
        if worst <= budget.tol {
            active = all;
        }
        let told = budget.session.step("pass", iterations as u64, Some(budget.max_iter as u64), None);
        if let Some(why) = told {
            termination = why;
            break;
        }
    }
    Descent { w, beta: alpha, iterations, termination }
}

/// How far a row is from its optimum: the largest slope less the smallest of those that may grow.
fn violation(slopes: &[f64], alpha: &[f64], class: usize, cost: f64) -> f64 {
    let top = |m: usize| if m == class { cost } else { 0.0 };
    let largest = slopes.iter().fold(f64::NEG_INFINITY, |a, s| a.max(*s));
    let free = (0..slopes.len()).filter(|&m| alpha[m] < top(m)).map(|m| slopes[m]);
    (largest - free.fold(f64::INFINITY, f64::min)).max(0.0)
}

struct Row {
    slopes: Vec<f64>,
    next: Vec<f64>,
    sorted: Vec<f64>,
}

impl Row {
    /// min_a ½A|a|² + B·a  s.t.  Σ a = 0, a_m ≤ u_m: a_m = min(u_m, (β − B_m)/A), with β where the sum is zero.
    ///
    /// Where the row is zero, its cost lies in the constant alone, and any a is as good: it is left.
    fn solve(&mut self, alpha: &[f64], norm: f64, class: usize, cost: f64) {
        self.next.copy_from_slice(alpha);
        if norm <= 0.0 {
            return;
        }
        for (slope, a) in self.slopes.iter_mut().zip(alpha) {
            *slope -= norm * a;
        }
        // D_m = B_m + A u_m in falling order: the classes at their bounds are the last ones.
        self.sorted.copy_from_slice(&self.slopes);
        self.sorted[class] += norm * cost;
        self.sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut beta = self.sorted[0] - norm * cost;
        let mut r = 1;
        while r < self.sorted.len() && beta < r as f64 * self.sorted[r] {
            beta += self.sorted[r];
            r += 1;
        }
        beta /= r as f64;
        for (m, next) in self.next.iter_mut().enumerate() {
            let top = if m == class { cost } else { 0.0 };
            *next = ((beta - self.slopes[m]) / norm).min(top);
        }
    }
}

/// The standing of the weights beside the dual point α.
pub(crate) fn standing_classes<P: Points>(points: &P, rows: &Classes, w: &[f64], alpha: &[f64]) -> Standing {
    let (k, width) = (rows.n_classes, points.width());
    let (mut v, mut sizes) = (vec![0.0; w.len()], vec![0.0; width]);
    let (mut loss, mut linear, mut support, mut size) = (0.0, 0.0, 0, 0.0);
    for i in (0..points.n()).filter(|&i| rows.costs[i] > 0.0) {
        let class = rows.codes[i] as usize;
        let score = |m: usize| points.dot(i, &w[m * width..(m + 1) * width]);
        let own = score(class);
        let worst = (0..k).map(|m| if m == class { 0.0 } else { score(m) - own + 1.0 }).fold(0.0, f64::max);
        loss += rows.costs[i] * worst;
        size += rows.costs[i];
        points.each(i, |j, x| sizes[j] += (rows.costs[i] * x).abs());
        let alpha = &alpha[i * k..(i + 1) * k];
        support += usize::from(alpha.iter().any(|a| *a != 0.0));
        for (m, &a) in alpha.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            linear += if m == class { 0.0 } else { -a };
            points.add(i, a, &mut v[m * width..(m + 1) * width]);
        }
    }
    let objective = 0.5 * dot(w, w) + loss;
    let gap = objective - (linear - 0.5 * dot(&v, &v));
    let over = |((w, v), s): ((&f64, &f64), &f64)| match w - v {
        0.0 => 0.0,
        d => d.abs() / s.max(w.abs()),
    };
    let residual =
        w.iter().zip(&v).zip(sizes.iter().cycle()).map(over).fold(0.0, crate::linear_model::larger);
    Standing { objective, gap: if gap < 0.0 { 0.0 } else { gap }, size, residual, support }
}
