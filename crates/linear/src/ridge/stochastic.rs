//! Ridge regression by one row at a time: the stochastic average gradient, and SAGA.

use super::iterative::{Found, ROUNDING, Single};
use mercer_core::{NumbersRef, Termination};
use mercer_math::{axpy, below, dot};

/// min_w (1/n) Σ ½ s (y − a·w)² + ½ (α/n)‖w‖², by rows drawn at random.
///
/// Of every row the last derivative by its score is remembered, which is one number; the mean of the gradients that these
/// make moves w, corrected for the row at hand where `unbiased`. Steps are 1/L, or 1/(3L) for SAGA, with the largest
/// curvature L of a row; rows are drawn from the session's stream. A row costs as much as there are columns, sparse rows
/// too, since they are centred. Stops after a pass whose gradient is at most `tol` times that of zero coefficients, or
/// rounding.
///
/// M. Schmidt, N. Le Roux, F. Bach, Minimizing finite sums with the stochastic average gradient, Math. Program. 162, 2017,
/// doi:10.1007/s10107-016-1030-6; A. Defazio, F. Bach, S. Lacoste-Julien, SAGA, NeurIPS 2014.
pub(super) fn stochastic(problem: &Single<'_>, unbiased: bool) -> Found {
    let rows: Vec<usize> = (0..problem.y.len()).filter(|&i| problem.centred.weight(i) > 0.0).collect();
    let (n, d) = (rows.len(), problem.centred.mean_x.len());
    let (decay, share) = (problem.alpha / n.max(1) as f64, 1.0 / n.max(1) as f64);
    let mut row = vec![0.0; d];
    let mut curvature = 0.0f64;
    for &i in &rows {
        fill(problem, i, &mut row);
        curvature = curvature.max(problem.centred.weight(i) * dot(&row, &row));
    }
    let steepest = dot_self(&problem.transposed(&problem.y));
    let mut w = vec![0.0; d];
    if n == 0 || steepest == 0.0 || !(curvature + decay).is_finite() {
        let ended = if steepest == 0.0 { Termination::Converged } else { Termination::Stalled };
        return (w, ended, 0);
    }
    let step = if unbiased { 1.0 / (3.0 * (curvature + decay)) } else { 1.0 / (curvature + decay) };
    let (mut known, mut sum, mut seen) = (vec![0.0; n], vec![0.0; d], vec![false; n]);
    let (mut met, mut rng) = (0usize, problem.session.rng(0));
    let stage = if unbiased { "saga" } else { "sag" };
    let (mut best, mut since, mut pass) = (f64::INFINITY, 0, 0);
    loop {
        let g = problem.gradient(&w);
        let left = dot_self(&g);
        if left <= problem.tol * problem.tol * steepest {
            return (w, Termination::Converged, pass as u64);
        }
        since = if left < 0.9 * best { 0 } else { since + 1 };
        best = best.min(left);
        if since > 20 && best <= ROUNDING * ROUNDING * steepest {
            return (w, Termination::Converged, pass as u64);
        }
        if let Some(why) = problem.asked(stage, pass, left.sqrt()) {
            return (w, why, pass as u64);
        }
        for _ in 0..n {
            let at = below(&mut rng, n);
            let i = rows[at];
            fill(problem, i, &mut row);
            let slope = problem.centred.weight(i) * (dot(&row, &w) - problem.y[i]);
            let change = slope - known[at];
            known[at] = slope;
            if unbiased {
                w.iter_mut().zip(&sum).for_each(|(w, s)| *w -= step * (share * s + decay * *w));
                axpy(-step * change, &row, &mut w);
                axpy(change, &row, &mut sum);
            } else {
                met += usize::from(!std::mem::replace(&mut seen[at], true));
                axpy(change, &row, &mut sum);
                let share = 1.0 / met as f64;
                w.iter_mut().zip(&sum).for_each(|(w, s)| *w -= step * (share * s + decay * *w));
            }
        }
        pass += 1;
    }
}

fn dot_self(v: &[f64]) -> f64 {
    dot(v, v)
}

/// Row i about the means, in the units of the problem.
fn fill(problem: &Single<'_>, i: usize, out: &mut [f64]) {
    let (mean, unit) = (&problem.centred.mean_x, problem.unit);
    match problem.centred.x.view() {
        NumbersRef::Dense(x) => {
            let values = x.row_cow(i);
            out.iter_mut().zip(values.iter().zip(mean)).for_each(|(o, (v, m))| *o = (v - m) * unit);
        }
        NumbersRef::Sparse(x) => {
            out.iter_mut().zip(mean).for_each(|(o, m)| *o = -m * unit);
            let (at, values) = x.row(i);
            at.iter().zip(values).for_each(|(&j, v)| out[j as usize] += v * unit);
        }
    }
}
