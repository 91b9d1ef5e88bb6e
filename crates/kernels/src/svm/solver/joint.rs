//! All classes in one problem (Crammer and Singer), through a kernel: blocks of the worst rows, one after the other.

use super::cache::RowCache;
use super::epoch::{add_rows, fetch};
use super::oracle::{COLUMNS, Oracle};
use super::problem::Settings;
use mercer_core::{Session, Termination};

/// Rows of a block.
const BLOCK: usize = 1024;
/// The share of the first violation at which a block is left for the next.
const SHARE: f64 = 0.1;
/// Steps on a block for each of its rows before the session is asked again.
const STEPS: u64 = 100;
/// A k(x, x) below this share of the largest is none.
const FLAT: f64 = 1e-14;

/// Rows with a class and a cost each. What belongs to rows and classes is kept class by class.
pub(crate) struct Joint {
    pub(crate) codes: Vec<u32>,
    pub(crate) costs: Vec<f64>,
    pub(crate) n_classes: usize,
}

/// A point of the dual.
pub(crate) struct JointSolution {
    /// αᵢₘ.
    pub(crate) alpha: Vec<f64>,
    /// Σⱼ k(xᵢ, xⱼ) αⱼₘ + [m ≠ yᵢ].
    pub(crate) slopes: Vec<f64>,
    pub(crate) iterations: u64,
    pub(crate) termination: Termination,
}

/// min_α ½ Σ_m α_mᵀKα_m + Σᵢ Σ_{m≠yᵢ} αᵢₘ   s.t.  Σ_m αᵢₘ = 0,  αᵢₘ ≤ cᵢ [m = yᵢ]
///
/// Each step solves for all αᵢₘ of the row that violates its optimality conditions most, exactly; no constraint binds rows together.
///
/// Keerthi, Sundararajan, Chang, Hsieh, Lin. A sequential dual method for large scale multi-class linear SVMs. KDD 2008.
pub(crate) fn solve_joint<O: Oracle>(
    oracle: &O,
    rows: &Joint,
    settings: &Settings,
    session: &Session,
) -> JointSolution {
    let n = oracle.len();
    let all: Vec<usize> = (0..n).collect();
    let points: Vec<O::Points> = all.chunks(COLUMNS).map(|c| oracle.gather(c)).collect();
    let sides: Vec<O::Side<'_>> = points.iter().map(|p| oracle.side(p)).collect();
    let diagonal = oracle.diagonal();
    let size = BLOCK.min(RowCache::<f64>::rows_in(settings.cache_bytes, n)).max(1);
    let mut cache = RowCache::<f64>::new(n, settings.cache_bytes, size);
    let mut at = JointSolution {
        alpha: vec![0.0; n * rows.n_classes],
        slopes: rows.own(&all),
        iterations: 0,
        termination: Termination::Converged,
    };
    let mut last = Vec::new();
    loop {
        let violations = rows.violations(&at.alpha, &at.slopes);
        let worst = violations.iter().fold(0.0f64, |a, v| a.max(*v));
        let largest = at.slopes.iter().fold(0.0f64, |a, s| a.max(s.abs()));
        let tol = settings.tol.max(1e-13 * largest);
        if worst < tol {
            return at;
        }
        let told = session.step("block", at.iterations, settings.max_iter, Some(worst));
        let limit = settings.max_iter.filter(|most| at.iterations >= *most);
        if let Some(why) = told.or(limit.map(|_| Termination::IterationLimit)) {
            at.termination = why;
            return at;
        }
        let chosen = worst_rows(&violations, &last, tol, size);
        fetch(&mut cache, oracle, (&all, &diagonal), &sides, &chosen);
        let mut block = Block::new(rows, &at, &cache, &chosen, &diagonal);
        let left = settings.max_iter.map_or(u64::MAX, |most| most - at.iterations);
        let share = if chosen.len() == n { 0.0 } else { SHARE };
        let steps = block.work(tol * 0.5, share, left.min(STEPS * chosen.len() as u64));
        at.iterations += steps;
        block.put(&mut at, &cache, &chosen);
        if steps == 0 {
            at.termination = Termination::Stalled;
            return at;
        }
        last = chosen;
    }
}

/// The rows of the next block, no more than `size`: the later half of the last one, and those that violate most.
fn worst_rows(violations: &[f64], last: &[usize], tol: f64, size: usize) -> Vec<usize> {
    let mut chosen = last[last.len() - last.len().min(size / 2)..].to_vec();
    let mut taken = vec![false; violations.len()];
    chosen.iter().for_each(|&i| taken[i] = true);
    let mut found: Vec<usize> =
        (0..violations.len()).filter(|&i| violations[i] >= tol && !taken[i]).collect();
    let room = size - chosen.len();
    if found.len() > room {
        let worse = |&a: &usize, &b: &usize| violations[b].total_cmp(&violations[a]).then(a.cmp(&b));
        found.select_nth_unstable_by(room - 1, worse);
        found.truncate(room);
        found.sort_unstable_by(worse);
    }
    chosen.extend(found);
    chosen
}

impl Joint {
    /// [m ≠ yᵢ] of some rows.
    pub(crate) fn own(&self, rows: &[usize]) -> Vec<f64> {
        let of = |m: u32| rows.iter().map(move |&i| f64::from(u8::from(self.codes[i] != m)));
        (0..self.n_classes as u32).flat_map(of).collect()
    }

    /// How far each row is from its optimum: the largest slope less the smallest of those that may grow.
    pub(crate) fn violations(&self, alpha: &[f64], slopes: &[f64]) -> Vec<f64> {
        let n = self.codes.len();
        let (mut out, mut least) = (vec![0.0; n], vec![0.0; n]);
        violations(alpha, slopes, &self.tops(), &mut least, &mut out);
        out
    }

    /// The bounds: the cost for a row's own class, zero for others.
    fn tops(&self) -> Vec<f64> {
        let of = |m: usize| {
            self.codes
                .iter()
                .zip(&self.costs)
                .map(move |(&c, cost)| if c as usize == m { *cost } else { 0.0 })
        };
        (0..self.n_classes).flat_map(of).collect()
    }
}

/// Violations of rows into `out`, without allocation; of rows without a cost none may grow.
#[inline(always)]
fn violations(alpha: &[f64], slopes: &[f64], tops: &[f64], least: &mut [f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(f64::NEG_INFINITY);
    least.fill(f64::INFINITY);
    for ((alpha, slopes), tops) in alpha.chunks_exact(n).zip(slopes.chunks_exact(n)).zip(tops.chunks_exact(n))
    {
        let least = &mut least[..n];
        for i in 0..n {
            let open = if alpha[i] < tops[i] { slopes[i] } else { f64::INFINITY };
            out[i] = if slopes[i] > out[i] { slopes[i] } else { out[i] };
            least[i] = if open < least[i] { open } else { least[i] };
        }
    }
    out.iter_mut().zip(&*least).for_each(|(o, s)| *o = if *o > *s { *o - s } else { 0.0 });
}

/// Some rows, whose kernel values are all at hand.
struct Block {
    rows: Joint,
    kernel: Vec<f64>,
    curvature: Vec<f64>,
    alpha: Vec<f64>,
    slopes: Vec<f64>,
    /// α before.
    before: Vec<f64>,
}

impl Block {
    fn new(
        all: &Joint,
        at: &JointSolution,
        cache: &RowCache<f64>,
        chosen: &[usize],
        diagonal: &[f64],
    ) -> Self {
        let n = all.codes.len();
        let flat = FLAT * diagonal.iter().fold(0.0f64, |a, d| a.max(*d));
        let take = |values: &[f64]| -> Vec<f64> {
            values.chunks(n).flat_map(|of| chosen.iter().map(move |&i| of[i])).collect()
        };
        let kernel =
            chosen.iter().flat_map(|&i| chosen.iter().map(move |&j| cache.row(i)[j])).collect::<Vec<f64>>();
        let alpha = take(&at.alpha);
        Self {
            rows: Joint {
                codes: chosen.iter().map(|&i| all.codes[i]).collect(),
                costs: take(&all.costs),
                n_classes: all.n_classes,
            },
            kernel,
            curvature: chosen.iter().map(|&i| if diagonal[i] > flat { diagonal[i] } else { 0.0 }).collect(),
            before: alpha.clone(),
            alpha,
            slopes: take(&at.slopes),
        }
    }

    /// Steps until no row violates its conditions by more than `tol`, or by more than `share` of what the first did.
    fn work(&mut self, tol: f64, share: f64, limit: u64) -> u64 {
        mercer_math::wide(
            #[inline(always)]
            || self.steps(tol, share, limit),
        )
    }

    #[inline(always)]
    fn steps(&mut self, tol: f64, share: f64, limit: u64) -> u64 {
        let (b, k) = (self.rows.codes.len(), self.rows.n_classes);
        let (mut tol, mut steps) = (tol, 0);
        let (mut slopes, mut next, mut sorted) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        let (mut found, mut least, tops) = (vec![0.0; b], vec![0.0; b], self.rows.tops());
        while steps < limit {
            violations(&self.alpha, &self.slopes, &tops, &mut least, &mut found);
            let worst = mercer_math::argmax(&found);
            if steps == 0 {
                tol = tol.max(share * found[worst]);
            }
            if found[worst] < tol {
                break;
            }
            let curvature = self.curvature[worst];
            for (m, slope) in slopes.iter_mut().enumerate() {
                *slope = self.slopes[m * b + worst] - curvature * self.alpha[m * b + worst];
            }
            let (class, cost) = (self.rows.codes[worst] as usize, self.rows.costs[worst]);
            simplex(&slopes, curvature, (class, cost), &mut sorted, &mut next);
            let row = &self.kernel[worst * b..(worst + 1) * b];
            for (m, next) in next.iter().enumerate() {
                let change = next - self.alpha[m * b + worst];
                if change != 0.0 {
                    let slopes = &mut self.slopes[m * b..(m + 1) * b];
                    slopes.iter_mut().zip(row).for_each(|(s, k)| *s += change * k);
                    self.alpha[m * b + worst] = *next;
                }
            }
            steps += 1;
        }
        steps
    }

    /// Adds what was changed to the slopes of all rows.
    fn put(&self, at: &mut JointSolution, cache: &RowCache<f64>, chosen: &[usize]) {
        let (b, n) = (chosen.len(), at.alpha.len() / self.rows.n_classes);
        for m in 0..self.rows.n_classes {
            let change = |r: usize| self.alpha[m * b + r] - self.before[m * b + r];
            let moved: Vec<(f64, &[f64])> =
                (0..b).filter(|&r| change(r) != 0.0).map(|r| (change(r), cache.row(chosen[r]))).collect();
            add_rows(&mut at.slopes[m * n..(m + 1) * n], &moved);
            chosen.iter().enumerate().for_each(|(r, &i)| at.alpha[m * n + i] = self.alpha[m * b + r]);
        }
    }
}

/// min_a ½A|a|² + B·a  s.t.  Σ a = 0, a_m ≤ u_m (the cost for the row's own class, 0 for others): a_m = min(u_m, (β − B_m)/A), with
/// β where the sum is zero. Without curvature all of the cost stands against the steepest other class.
fn simplex(b: &[f64], curvature: f64, (class, cost): (usize, f64), sorted: &mut [f64], next: &mut [f64]) {
    if curvature <= 0.0 {
        next.fill(0.0);
        let steepest = (0..b.len()).filter(|&m| m != class).max_by(|&i, &j| b[i].total_cmp(&b[j]));
        if let Some(steepest) = steepest.filter(|&m| b[m] > b[class]) {
            (next[class], next[steepest]) = (cost, -cost);
        }
        return;
    }
    // B_m + A u_m in falling order: the classes at their bounds are the last ones.
    sorted.copy_from_slice(b);
    sorted[class] += curvature * cost;
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut beta = sorted[0] - curvature * cost;
    let mut r = 1;
    while r < sorted.len() && beta < r as f64 * sorted[r] {
        beta += sorted[r];
        r += 1;
    }
    beta /= r as f64;
    for (m, next) in next.iter_mut().enumerate() {
        let top = if m == class { cost } else { 0.0 };
        *next = ((beta - b[m]) / curvature).min(top);
    }
}
