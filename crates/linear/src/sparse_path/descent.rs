//! Coordinate descent with Newton steps on the features in use.

use super::{Penalty, Quadratic, Solved, Standing};
use mercer_core::{Session, Termination};
use mercer_math::{Cholesky, Rng, axpy, below, dot};

/// When to stop, and in which order to go.
pub(crate) struct Budget<'a> {
    pub(crate) max_iter: u64,
    /// The gap at which to stop, relative to ‖Y‖².
    pub(crate) tol: f64,
    /// Random order from this stream; else cyclic.
    pub(crate) order: Option<Rng>,
    /// Whether the equations of the features in use are solved exactly in the end.
    pub(crate) exact: bool,
    pub(crate) session: &'a Session,
}

/// How a stretch of descent ended; none where the gap was reached.
pub(crate) struct Stretch {
    pub(crate) standing: Standing,
    pub(crate) ended: Option<Termination>,
}

/// min_W ½‖Y − XW‖² + l1 Σ ‖W_j‖ + ½ l2‖W‖² (s.t. W ≥ 0), one feature at a time, from `w`.
///
/// Stops when the duality gap is at most tol ‖Y‖², with gap-safe screening of features on the way (Ndiaye et al.
/// 2017), then solves the equations of the features that are left exactly.
pub(crate) fn descend(
    problem: &mut impl Quadratic,
    penalty: Penalty,
    mut w: Vec<f64>,
    guess: Option<&[f64]>,
    budget: &mut Budget<'_>,
) -> Solved {
    let target = budget.tol * problem.yy();
    let mut iterations = 0;
    let Stretch { mut standing, ended } =
        stretch(problem, penalty, (&mut w, guess), target, &mut iterations, budget);
    let mut termination = ended.unwrap_or(Termination::Converged);
    if budget.exact && matches!(termination, Termination::Converged | Termination::Stalled) {
        polish(problem, penalty, &mut w, &mut standing);
        if standing.gap <= target.max(1e-13 * problem.yy()) {
            termination = Termination::Converged;
        }
    }
    if !standing.gap.is_finite() {
        termination = Termination::Stalled;
    }
    Solved { w, standing, termination, iterations }
}

/// Descends from `w`, or from `guess` where that is better, until the gap is at most `target`.
///
/// Where looks are cheap and there is one target, a Newton step on the features in use is tried whenever the sweeps
/// since the last have cost as much: where columns are close to each other, sweeps alone take very many.
pub(crate) fn stretch<Q: Quadratic>(
    problem: &mut Q,
    penalty: Penalty,
    (w, guess): (&mut [f64], Option<&[f64]>),
    target: f64,
    iterations: &mut u64,
    budget: &mut Budget<'_>,
) -> Stretch {
    let mut active: Vec<usize> = (0..problem.n()).filter(|&j| problem.norm2(j) > 0.0).collect();
    // No smaller gap can be told from rounding.
    let target = target.max(1e-15 * problem.yy());
    problem.reset(w);
    let (mut standing, mut left) = stand(problem, penalty, w);
    if let Some(guess) = guess.filter(|_| !standing.within(target)) {
        problem.reset(guess);
        let found = stand(problem, penalty, guess);
        match found.0.objective < standing.objective {
            true => {
                w.copy_from_slice(guess);
                (standing, left) = found;
            }
            false => problem.reset(w),
        }
    }
    let mut saved = 0.0;
    while !standing.within(target) {
        if Q::PATIENCE > 1 {
            screen(problem, penalty, &mut active, w, standing.gap, &left);
        }
        let limit = Some(budget.max_iter);
        let stop = budget.session.step("coordinate descent", *iterations, limit, Some(standing.objective));
        let stop = stop.or((*iterations >= budget.max_iter).then_some(Termination::IterationLimit));
        if stop.is_some() || !standing.gap.is_finite() {
            return Stretch { standing, ended: stop.or(Some(Termination::Stalled)) };
        }
        let used = w.iter().filter(|v| **v != 0.0).count() as f64;
        let newton = Q::PATIENCE == 1 && problem.targets() == 1 && saved > used * used * (used / 3.0 + 20.0);
        if newton {
            (saved, *iterations) = (0.0, *iterations + 1);
            standing = newton_step(problem, penalty, w, standing);
            continue;
        }
        let (moved, largest) = sweeps(problem, penalty, &active, w, iterations, budget);
        saved += SWEEP * used * problem.n() as f64;
        let still = budget.order.is_none() && moved <= 4.0 * f64::EPSILON * largest;
        if Q::PATIENCE > 1 || still {
            problem.reset(w);
        }
        (standing, left) = stand(problem, penalty, w);
        if Q::PATIENCE == 1 && standing.gap <= target {
            problem.reset(w);
            (standing, left) = stand(problem, penalty, w);
        }
        if still && standing.gap > target {
            // No coefficient moves any more: the gap is all rounding.
            return Stretch { standing, ended: Some(Termination::Stalled) };
        }
    }
    Stretch { standing, ended: None }
}

/// As many sweeps as suit the problem, or fewer where nothing moves any more; the last change, and the largest
/// coefficient.
fn sweeps<Q: Quadratic>(
    problem: &mut Q,
    penalty: Penalty,
    active: &[usize],
    w: &mut [f64],
    iterations: &mut u64,
    budget: &mut Budget<'_>,
) -> (f64, f64) {
    let (mut moved, mut largest) = (0.0, 0.0);
    for _ in 0..Q::PATIENCE.min(budget.max_iter - *iterations) {
        (moved, largest) = sweep(problem, penalty, active, w, budget.order.as_mut());
        *iterations += 1;
        if moved <= budget.tol * largest || moved <= f64::EPSILON * largest {
            break;
        }
    }
    (moved, largest)
}

/// What a sweep costs for each product of the Gram matrix that it touches, beside those of a Cholesky factorisation,
/// which are in the cache.
const SWEEP: f64 = 30.0;

/// Every feature once, or as many drawn at random; the largest change, and the largest coefficient.
fn sweep(
    problem: &mut impl Quadratic,
    penalty: Penalty,
    active: &[usize],
    w: &mut [f64],
    mut order: Option<&mut Rng>,
) -> (f64, f64) {
    let t = problem.targets();
    let (mut moved, mut largest) = (0.0f64, 0.0f64);
    let mut step = vec![0.0; t];
    for k in 0..active.len() {
        let j = active[order.as_mut().map_or(k, |rng| below(rng, active.len()))];
        let (old, norm2) = (&mut w[j * t..(j + 1) * t], problem.norm2(j));
        problem.correlation(j, &mut step);
        step.iter_mut().zip(old.iter()).for_each(|(s, w)| *s += w * norm2);
        let size = penalty.size(step.iter().copied());
        let shrink = if size > penalty.l1 { (size - penalty.l1) / size / (norm2 + penalty.l2) } else { 0.0 };
        let mut any = false;
        for (s, w) in step.iter_mut().zip(old) {
            let new = *s * shrink;
            *s = new - *w;
            *w = new;
            any |= *s != 0.0;
            moved = moved.max(s.abs());
            largest = largest.max(new.abs());
        }
        if any {
            problem.step(j, &step);
        }
    }
    (moved, largest)
}

/// What is known at `w`, and how each feature correlates with the residual.
pub(crate) fn stand(problem: &impl Quadratic, penalty: Penalty, w: &[f64]) -> (Standing, Vec<f64>) {
    let t = problem.targets();
    let mut left = vec![0.0; w.len()];
    left.chunks_exact_mut(t).enumerate().for_each(|(j, out)| problem.correlation(j, out));
    (penalty.standing(w, &left, t, problem.residual(w)), left)
}

/// Leaves out features that no optimum within the gap can use.
fn screen(
    problem: &mut impl Quadratic,
    penalty: Penalty,
    active: &mut Vec<usize>,
    w: &mut [f64],
    gap: f64,
    left: &[f64],
) {
    let (Penalty { l1, l2, .. }, t) = (penalty, problem.targets());
    if l1 == 0.0 {
        return;
    }
    let at = |j: usize| left[j * t..(j + 1) * t].iter().zip(&w[j * t..(j + 1) * t]).map(|(x, w)| x - l2 * w);
    // The dual point is that of the gap: where coefficients may not be negative, only positive scores shrink it.
    let scale = (0..problem.n()).fold(l1, |a, j| a.max(penalty.size(at(j))));
    // Rounding may leave a gap of less than nothing.
    let radius = (2.0 * (gap.max(0.0) + 1e-12 * problem.yy())).sqrt() / l1;
    let free = Penalty { positive: false, ..penalty };
    let safe = |j: usize| (1.0 - free.size(at(j)) / scale) / (problem.norm2(j) + l2).sqrt() > radius;
    let (gone, kept): (Vec<usize>, Vec<usize>) = active.iter().partition(|&&j| safe(j));
    for j in gone {
        let row = &mut w[j * t..(j + 1) * t];
        if row.iter().any(|v| *v != 0.0) {
            let step: Vec<f64> = row.iter().map(|v| -v).collect();
            row.fill(0.0);
            problem.step(j, &step);
        }
    }
    *active = kept;
}

/// More coefficients than this are left as they are.
const MOST_POLISHED: usize = 3000;

/// The solution of (G + l2 I) w = c − l1 sign(w) on the features in use.
fn newton_point(problem: &impl Quadratic, penalty: Penalty, w: &[f64]) -> Option<(Vec<usize>, Vec<f64>)> {
    let used: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
    if problem.targets() != 1 || used.is_empty() || used.len() > MOST_POLISHED {
        return None;
    }
    let (mut gram, xy) = problem.gram(&used);
    (0..used.len()).for_each(|a| gram[(a, a)] += penalty.l2);
    let factor = Cholesky::new(&gram)?;
    let right: Vec<f64> = used.iter().zip(&xy).map(|(&j, c)| c - penalty.l1 * w[j].signum()).collect();
    let mut solution = factor.solve_vec(&right);
    let rest: Vec<f64> = (0..used.len()).map(|a| right[a] - dot(gram.row(a), &solution)).collect();
    axpy(1.0, &factor.solve_vec(&rest), &mut solution);
    solution.iter().all(|v| v.is_finite()).then_some((used, solution))
}

/// Goes to the point where the gradient of the features in use is zero. Where coefficients would change their sign,
/// they become zero, or the way ends at the first of them, if that is the better point.
fn newton_step(problem: &mut impl Quadratic, penalty: Penalty, w: &mut [f64], before: Standing) -> Standing {
    let Some((used, solution)) = newton_point(problem, penalty, w) else { return before };
    let first = used.iter().zip(&solution).filter(|&(&j, v)| v * w[j] < 0.0);
    let first = first.map(|(&j, v)| w[j] / (w[j] - v)).fold(1.0, f64::min);
    for length in [1.0, first] {
        let mut to = w.to_vec();
        for (&j, v) in used.iter().zip(&solution) {
            let new = w[j] + length * (v - w[j]);
            to[j] = if new * w[j] <= 0.0 { 0.0 } else { new };
        }
        problem.reset(&to);
        let (found, _) = stand(problem, penalty, &to);
        if found.objective <= before.objective {
            w.copy_from_slice(&to);
            return found;
        }
    }
    problem.reset(w);
    before
}

/// Solves the equations of the features in use exactly; kept where no sign turns and the optimality conditions hold
/// better.
pub(crate) fn polish(
    problem: &mut impl Quadratic,
    penalty: Penalty,
    w: &mut Vec<f64>,
    standing: &mut Standing,
) {
    let Some((used, solution)) = newton_point(problem, penalty, w) else { return };
    if used.iter().zip(&solution).any(|(&j, v)| v.signum() != w[j].signum()) {
        return;
    }
    let mut better = w.clone();
    used.iter().zip(&solution).for_each(|(&j, v)| better[j] = *v);
    problem.reset(&better);
    let (found, _) = stand(problem, penalty, &better);
    if found.kkt <= standing.kkt {
        (*w, *standing) = (better, found);
    } else {
        problem.reset(w);
    }
}
