//! Coordinate descent for the squared hinge with an L1 penalty.

use super::dual::{Budget, Descent};
use super::problem::{Problem, Standing};
use crate::points::{Points, columns_of};
use mercer_core::Termination;
use mercer_math::{Rng, shuffle};

/// Of a step, the share of the promised decrease that must be real, and how a step that fails is shortened.
const SUFFICIENT: f64 = 0.01;
const SHORTER: f64 = 0.5;

/// min_w |w|₁ + Σ cᵢ eᵢ(w)²
///
/// One Newton step with a line search for each coefficient in random order, on columns, with the scores kept up to date.
/// Coefficients that are zero and held there by more than the last pass was violated anywhere are left out until the others
/// have converged. Stops when the violations of the optimality conditions of a pass add up to `tol` times the share of the
/// smaller class times those of the first pass.
///
/// Fan, Chang, Hsieh, Wang, Lin. LIBLINEAR. JMLR 9, 2008, appendix F.
pub(crate) fn descend_l1<P: Points>(
    points: &P,
    problem: &Problem,
    budget: &Budget<'_>,
    mut rng: Rng,
) -> Descent {
    let columns = columns_of(points);
    let d = points.width();
    let (mut w, mut scores) = (vec![0.0; d], vec![0.0; points.n()]);
    let mut order: Vec<usize> = (0..d).collect();
    let (mut active, mut bound, mut first) = (d, f64::INFINITY, None);
    let (mut iterations, mut termination) = (0, Termination::IterationLimit);
    while iterations < budget.max_iter {
        shuffle(&mut rng, &mut order[..active]);
        let whole = active == d;
        let (mut total, mut worst, mut s, mut moved) = (0.0, 0.0f64, 0, false);
        while s < active {
            let j = order[s];
            let (slope, curvature) = derivatives(problem, columns.view().row(j), &scores);
            let (up, down) = (slope + 1.0, slope - 1.0);
            let violation = match w[j] {
                0.0 if up < 0.0 => -up,
                0.0 if down > 0.0 => down,
                0.0 if up > bound && -down > bound => {
                    active -= 1;
                    order.swap(s, active);
                    continue;
                }
                0.0 => 0.0,
                v if v > 0.0 => up.abs(),
                _ => down.abs(),
            };
            (total, worst, s) = (total + violation, worst.max(violation), s + 1);
            if violation > 0.0 {
                moved |= step(problem, columns.view().row(j), &mut w[j], &mut scores, slope, curvature);
            }
        }
        iterations += 1;
        let goal = budget.tol * share(problem) * *first.get_or_insert(total);
        // Where nothing moves any more, rounding is all that is left.
        let done = total <= goal || !moved;
        if done && (active == d || whole && !moved) {
            termination = Termination::Converged;
            break;
        }
        (active, bound) = if done { (d, f64::INFINITY) } else { (active, worst / points.n() as f64) };
        let told = budget.session.step("pass", iterations as u64, Some(budget.max_iter as u64), None);
        if let Some(why) = told {
            termination = why;
            break;
        }
    }
    Descent { w, beta: Vec::new(), iterations, termination }
}

fn share(problem: &Problem) -> f64 {
    let positive = problem.targets.iter().filter(|y| **y > 0.0).count();
    let all = problem.targets.len();
    positive.min(all - positive).max(1) as f64 / all.max(1) as f64
}

type Column<'c> = (&'c [u32], &'c [f64]);

/// First and second derivative of the loss by one coefficient.
fn derivatives(problem: &Problem, (rows, values): Column<'_>, scores: &[f64]) -> (f64, f64) {
    let (mut slope, mut curvature) = (0.0, 0.0);
    for (&i, v) in rows.iter().zip(values) {
        let i = i as usize;
        let excess = problem.excess(i, scores[i]);
        if excess != 0.0 {
            slope += 2.0 * problem.costs[i] * excess * v;
            curvature += 2.0 * problem.costs[i] * v * v;
        }
    }
    (slope, curvature.max(1e-12))
}

/// A Newton step of one coefficient, shortened until the objective falls as it should; whether it changed more than rounding.
fn step(
    problem: &Problem,
    (rows, values): Column<'_>,
    w: &mut f64,
    scores: &mut [f64],
    slope: f64,
    curvature: f64,
) -> bool {
    let free = *w - slope / curvature;
    let mut change = free.signum() * (free.abs() - 1.0 / curvature).max(0.0) - *w;
    let promised = slope * change + (*w + change).abs() - w.abs();
    let loss_at = |by: f64| -> f64 {
        let one = |(&i, v): (&u32, &f64)| {
            let i = i as usize;
            problem.cost(i, problem.excess(i, scores[i] + by * v))
        };
        rows.iter().zip(values).map(one).sum()
    };
    let (before, mut part) = (loss_at(0.0), 1.0);
    for _ in 0..30 {
        let after = loss_at(change) - before + (*w + change).abs() - w.abs();
        if after <= SUFFICIENT * part * promised {
            let moved = change.abs() > 1e-13 * (*w + change).abs();
            *w += change;
            rows.iter().zip(values).for_each(|(&i, v)| scores[i as usize] += change * v);
            return moved;
        }
        (change, part) = (change * SHORTER, part * SHORTER);
    }
    false
}

/// The standing of w: the dual is max Σ yᵢβᵢ − βᵢ²/4cᵢ s.t. |Σ βᵢxᵢⱼ| ≤ 1, yᵢβᵢ ≥ 0, and the excess of the rows, made
/// shorter until it is feasible, is a point of it.
pub(crate) fn standing_l1<P: Points>(points: &P, problem: &Problem, w: &[f64]) -> Standing {
    let scores = problem.scores(points, w);
    let mut beta: Vec<f64> =
        (0..points.n()).map(|i| -2.0 * problem.costs[i] * problem.excess(i, scores[i])).collect();
    let mut v = vec![0.0; w.len()];
    beta.iter().enumerate().filter(|(_, b)| **b != 0.0).for_each(|(i, &b)| points.add(i, b, &mut v));
    let steepest = v.iter().fold(0.0f64, |m, g| crate::linear_model::larger(m, g.abs()));
    let (linear, curved) = beta.iter().enumerate().fold((0.0, 0.0), |(l, q), (i, b)| match *b {
        0.0 => (l, q),
        b => (l + problem.targets[i] * b, q + 0.25 * b * b / problem.costs[i]),
    });
    // The best multiple of β that is feasible.
    let scale =
        if curved > 0.0 { (0.5 * linear / curved).min(1.0 / steepest.max(f64::MIN_POSITIVE)) } else { 1.0 };
    let objective = w.iter().map(|w| w.abs()).sum::<f64>() + problem.loss(&scores);
    let gap = objective - (scale * linear - scale * scale * curved);
    // The conditions: the slope is −1 or 1 where a coefficient is not zero, and within elsewhere.
    let off =
        |(w, g): (&f64, &f64)| if *w == 0.0 { (g.abs() - 1.0).max(0.0) } else { (g - w.signum()).abs() };
    let residual = w.iter().zip(&v).map(off).fold(0.0, crate::linear_model::larger) / steepest.max(1.0);
    beta.retain(|b| *b != 0.0);
    let size = problem.loss(&vec![0.0; points.n()]);
    Standing { objective, gap: if gap < 0.0 { 0.0 } else { gap }, size, residual, support: beta.len() }
}
