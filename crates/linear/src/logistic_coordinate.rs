//! Newton's method for two classes whose steps are found by coordinate descent on the columns.

use crate::linear_model::larger;
use crate::points::Points;
use mercer_core::{Session, Termination};
use mercer_math::{CsrRef, log1p_exp};
use rayon::prelude::*;

/// What is minimised: rows with a sign ±1 and a cost each, and the weights of the penalties.
#[derive(Clone, Debug)]
pub(crate) struct Binary {
    pub(crate) signs: Vec<f64>,
    /// Of a row that does not count, 0.
    pub(crate) costs: Vec<f64>,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) intercept: bool,
    /// What one unit of the intercept costs beside one of a coefficient; 0 for nothing.
    pub(crate) intercept_cost: f64,
}

/// What ends a search.
pub(crate) struct Limits<'s> {
    /// Of the largest violation of the optimality conditions, or the largest change.
    pub(crate) tol: f64,
    /// Of the relative duality gap, where there is one.
    pub(crate) gap: f64,
    pub(crate) max_iter: usize,
    pub(crate) session: &'s Session,
}

/// Coefficients with the intercept behind them, where there is one, and how the search ended.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) point: Vec<f64>,
    pub(crate) iterations: u64,
    pub(crate) termination: Termination,
}

/// Rows whose sums are taken together, and columns a task looks at, whatever the threads.
const ROWS: usize = 4096;
const COLUMNS: usize = 256;
/// Of a step, the share of the promised decrease that must be real.
const SUFFICIENT: f64 = 0.01;
/// Most passes over the coefficients for one step.
const PASSES: usize = 200;
/// Violations below this share of those of the start are rounding.
const ROUNDING: f64 = 1e-9;

/// min_w Σⱼ (l1|wⱼ| + l2 wⱼ²/2) + Σᵢ cᵢ ln(1 + exp(−yᵢ (w·xᵢ + b)))
///
/// Each step minimises the quadratic model of the loss with the penalty itself, over the coefficients that are not zero or
/// that the gradient pushes away from it, by coordinate descent, the more exactly the closer the optimum is; those that sit
/// at zero and are held there by more than the last pass was violated are left out of the passes that follow. The
/// intercept follows every change of a coefficient at once, in closed form. Then a line search. Stops when no entry of the least
/// subgradient is beyond `tol` and the relative duality gap not beyond `gap`, or when no step lowers the objective beyond rounding.
///
/// newGLMNET: Yuan, Ho, Lin. An improved GLMNET for L1-regularized logistic regression. JMLR 13, 2012.
pub(crate) fn descend<P: Points>(
    points: &P,
    columns: CsrRef<'_>,
    problem: &Binary,
    start: &[f64],
    limits: &Limits<'_>,
) -> Found {
    let mut search = Search::new(points, columns, problem, start);
    let (mut first, mut iterations) = (0.0f64, 0);
    loop {
        search.differentiate();
        let worst = search.slopes_of_all();
        first = larger(first, worst);
        let ended = if worst <= limits.tol && problem.relative_gap(points, &search.w) <= limits.gap {
            Some(Termination::Converged)
        } else if !worst.is_finite() {
            Some(Termination::Stalled)
        } else if iterations as usize >= limits.max_iter {
            Some(Termination::IterationLimit)
        } else {
            let told = limits.session.step("newton", iterations, Some(limits.max_iter as u64), None);
            told.or_else(|| {
                let goal = worst * (worst / first).sqrt().min(0.1);
                search.solve_model(goal, limits.session);
                let settled =
                    if worst <= ROUNDING * first { Termination::Converged } else { Termination::Stalled };
                (!search.advance()).then_some(settled)
            })
        };
        if let Some(termination) = ended {
            return Found { point: search.w, iterations, termination };
        }
        iterations += 1;
    }
}

/// A coefficient that a step may change.
#[derive(Clone, Copy, Debug)]
struct Coefficient {
    j: u32,
    /// Σ x² h, the curvature of the loss.
    squares: f64,
    /// Σ x h, what it has in common with the constant.
    pull: f64,
}

/// A search under way. The intercept is the last coefficient, that of a constant.
struct Search<'p, P> {
    points: &'p P,
    columns: CsrRef<'p>,
    problem: &'p Binary,
    w: Vec<f64>,
    /// The scores of the rows, and first and second derivative of their losses there.
    scores: Vec<f64>,
    slope: Vec<f64>,
    curvature: Vec<f64>,
    /// Of each coefficient, the derivative of the loss.
    gradient: Vec<f64>,
    /// The coefficients that a step may change; and the step.
    working: Vec<Coefficient>,
    step: Vec<f64>,
    /// The step of the intercept, the curvature of the loss in it, and whether it follows every change of a coefficient.
    shift: f64,
    weight: f64,
    follows: bool,
    /// First derivatives of the losses in the quadratic model, at the step.
    bent: Vec<f64>,
}

impl<'p, P: Points> Search<'p, P> {
    fn new(points: &'p P, columns: CsrRef<'p>, problem: &'p Binary, start: &[f64]) -> Self {
        let (n, width) = (points.n(), points.features() + usize::from(problem.intercept));
        let mut w = start.to_vec();
        w.resize(width, 0.0);
        let mut out = Self {
            points,
            columns,
            problem,
            w,
            scores: vec![0.0; n],
            slope: vec![0.0; n],
            curvature: vec![0.0; n],
            gradient: vec![0.0; width],
            working: Vec::new(),
            step: vec![0.0; width],
            shift: 0.0,
            weight: 0.0,
            follows: false,
            bent: vec![0.0; n],
        };
        if out.w.iter().any(|w| *w != 0.0) {
            out.scores = out.times(&out.w);
        }
        out
    }

    /// X v, with the constant.
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let (v, constant) = v.split_at(self.points.features());
        let constant = constant.first().copied().unwrap_or(0.0);
        let rows = (0..self.points.n()).into_par_iter().with_min_len(256);
        rows.map(|i| self.points.dot(i, v) + constant).collect()
    }

    /// The weights of both penalties of a coefficient.
    #[inline(always)]
    fn penalty(&self, j: usize) -> (f64, f64) {
        let (p, by) = (self.problem, self.problem.intercept_cost);
        if j < self.points.features() { (p.l1, p.l2) } else { (p.l1 * by, p.l2 * by * by) }
    }

    /// The derivatives of the losses at the scores.
    fn differentiate(&mut self) {
        let (problem, scores) = (self.problem, &self.scores);
        let blocks = self.slope.par_chunks_mut(ROWS).zip(self.curvature.par_chunks_mut(ROWS)).enumerate();
        blocks.for_each(|(block, (slopes, curvatures))| {
            for (at, (slope, curvature)) in slopes.iter_mut().zip(curvatures).enumerate() {
                let i = block * ROWS + at;
                let (y, c) = (problem.signs[i], problem.costs[i]);
                let wrong = 1.0 / (1.0 + (y * scores[i]).exp());
                *slope = -y * c * wrong;
                *curvature = c * wrong * (1.0 - wrong);
            }
        });
    }

    /// The gradient of the loss, the coefficients to work on, and the largest violation of the optimality conditions.
    fn slopes_of_all(&mut self) -> f64 {
        let d = self.points.features();
        let (slope, columns) = (&self.slope, self.columns);
        let (w, constant) = self.gradient.split_at_mut(d);
        w.par_iter_mut().enumerate().with_min_len(COLUMNS).for_each(|(j, g)| *g = dot(columns.row(j), slope));
        if let [constant] = constant {
            *constant = mercer_math::sum(slope);
        }
        let mut worst = 0.0;
        self.working.clear();
        for j in 0..self.w.len() {
            let violation = self.violation(j, self.gradient[j], self.w[j]);
            worst = larger(worst, violation);
            if j < d && (violation > 0.0 || self.w[j] != 0.0) {
                self.working.push(Coefficient { j: j as u32, squares: 0.0, pull: 0.0 });
            }
        }
        worst
    }

    /// The least subgradient of the objective by one coefficient, in size, where the loss has the derivative `slope`.
    #[inline(always)]
    fn violation(&self, j: usize, slope: f64, w: f64) -> f64 {
        let (l1, l2) = self.penalty(j);
        let slope = slope + l2 * w;
        if w == 0.0 { (slope.abs() - l1).max(0.0) } else { (slope + l1 * w.signum()).abs() }
    }

    /// Fills the step with about the minimum of the quadratic model: no violation of it is beyond `goal`.
    fn solve_model(&mut self, goal: f64, session: &Session) {
        let (d, columns, curvature) = (self.points.features(), self.columns, &self.curvature);
        let mut working = std::mem::take(&mut self.working);
        working.par_iter_mut().with_min_len(64).for_each(|one| {
            (one.squares, one.pull) = moments(columns.row(one.j as usize), curvature);
        });
        self.step.fill(0.0);
        self.bent.copy_from_slice(&self.slope);
        (self.shift, self.weight, self.follows) = (0.0, mercer_math::sum(&self.curvature), false);
        let mut active: Vec<u32> = (0..working.len() as u32).collect();
        let mut bound = f64::INFINITY;
        for _ in 0..PASSES {
            let whole = active.len() == working.len();
            let mut worst = self.visit_intercept();
            active.retain(|&at| {
                let found = self.visit(working[at as usize], bound);
                worst = larger(worst, found.unwrap_or(0.0));
                found.is_some()
            });
            let done = worst <= goal;
            if done && whole || session.interrupted().is_some() || !worst.is_finite() {
                break;
            }
            bound = worst;
            if done {
                active = (0..working.len() as u32).collect();
                bound = f64::INFINITY;
            }
        }
        if self.problem.intercept {
            self.step[d] = self.shift;
            working.push(Coefficient { j: d as u32, squares: self.weight, pull: 0.0 });
        }
        self.working = working;
    }

    /// Minimises the model over the intercept, which follows the coefficients from then on unless it sits at zero; the
    /// violation before. The derivatives of the losses are `bent` + `shift` · `curvature`.
    fn visit_intercept(&mut self) -> f64 {
        if !self.problem.intercept || self.weight <= 0.0 {
            return 0.0;
        }
        let d = self.points.features();
        let ((l1, l2), now) = (self.penalty(d), self.w[d] + self.shift);
        let slope = mercer_math::sum(&self.bent) + self.shift * self.weight;
        let h = self.weight + l2;
        let free = now - (slope + l2 * now) / h;
        let next = free.signum() * (free.abs() - l1 / h).max(0.0);
        self.shift = next - self.w[d];
        self.follows = l1 == 0.0 || next != 0.0;
        self.violation(d, slope, now)
    }

    /// Minimises the model over one coefficient, and an intercept that follows; the violation before, or nothing where it sits
    /// fast at zero.
    #[inline(always)]
    fn visit(&mut self, one: Coefficient, bound: f64) -> Option<f64> {
        let (j, d) = (one.j as usize, self.points.features());
        let slope = dot(self.columns.row(j), &self.bent) + self.shift * one.pull;
        let now = self.w[j] + self.step[j];
        let violation = self.violation(j, slope, now);
        let (l1, l2) = self.penalty(j);
        if now == 0.0 && slope.abs() < l1 - bound {
            return None;
        }
        if violation > 0.0 {
            let (l1_b, l2_b) = self.penalty(d);
            let weight = self.weight + l2_b;
            // What a column has in common with the constant is the intercept's, if that follows.
            let common = if self.follows { one.pull * one.pull / weight } else { 0.0 };
            let h = ((one.squares - common).max(1e-10 * one.squares) + l2).max(1e-12);
            let free = now - (slope + l2 * now) / h;
            let next = free.signum() * (free.abs() - l1 / h).max(0.0);
            let by = (next - now).clamp(-10.0, 10.0);
            self.step[j] += by;
            let (rows, values) = self.columns.row(j);
            for (&i, x) in rows.iter().zip(values) {
                self.bent[i as usize] += self.curvature[i as usize] * by * x;
            }
            if self.follows {
                let before = self.w[d] + self.shift;
                self.shift -= by * one.pull / weight;
                if l1_b > 0.0 && before * (self.w[d] + self.shift) <= 0.0 {
                    // It does not follow beyond zero, where its penalty has a corner.
                    (self.shift, self.follows) = (-self.w[d], false);
                }
            }
        }
        Some(violation)
    }

    /// Goes along the step as far as the objective falls enough; whether it did.
    fn advance(&mut self) -> bool {
        let along = self.times(&self.step);
        let price = |part: f64| -> f64 {
            let one = |one: &Coefficient| {
                let j = one.j as usize;
                let ((l1, l2), w) = (self.penalty(j), self.w[j]);
                let to = w + part * self.step[j];
                l1 * (to.abs() - w.abs()) + 0.5 * l2 * (to * to - w * w)
            };
            self.working.iter().map(one).sum()
        };
        let slope: f64 =
            self.working.iter().map(|c| self.gradient[c.j as usize] * self.step[c.j as usize]).sum();
        let promised = slope + price(1.0);
        // NaN counts as no promise.
        if promised.is_nan() || promised >= 0.0 {
            self.step.fill(0.0);
            return false;
        }
        let mut part = 1.0;
        for _ in 0..40 {
            let (change, size) = self.change(&along, part);
            let fall = change + price(part);
            if fall <= SUFFICIENT * part * promised || fall.abs() <= 1e-15 * size && part == 1.0 {
                let moved = self.working.iter().any(|c| {
                    let (w, by) = (self.w[c.j as usize], part * self.step[c.j as usize]);
                    by.abs() > 1e-15 * w.abs()
                });
                mercer_math::axpy(part, &self.step, &mut self.w);
                mercer_math::axpy(part, &along, &mut self.scores);
                self.step.fill(0.0);
                return moved;
            }
            part *= 0.5;
        }
        self.step.fill(0.0);
        false
    }

    /// By how much the loss changes along a direction of the scores, and the loss.
    fn change(&self, along: &[f64], part: f64) -> (f64, f64) {
        let (problem, scores) = (self.problem, &self.scores);
        let one = |block: usize| {
            let rows = block * ROWS..((block + 1) * ROWS).min(scores.len());
            rows.fold((0.0, 0.0), |(change, size), i| {
                let (y, c) = (problem.signs[i], problem.costs[i]);
                let (before, after) = (-y * scores[i], -y * (scores[i] + part * along[i]));
                let loss = log1p_exp(before);
                (change + c * (log1p_exp(after) - loss), size + c * loss)
            })
        };
        let blocks: Vec<(f64, f64)> = (0..scores.len().div_ceil(ROWS)).into_par_iter().map(one).collect();
        blocks.iter().fold((0.0, 0.0), |(a, b), (c, s)| (a + c, b + s))
    }
}

type Column<'c> = (&'c [u32], &'c [f64]);

/// Σ x v over the entries of a column.
#[inline(always)]
fn dot((rows, values): Column<'_>, v: &[f64]) -> f64 {
    mercer_math::sparse_dot(rows, values, v)
}

/// Σ x² v and Σ x v over the entries of a column.
fn moments((rows, values): Column<'_>, v: &[f64]) -> (f64, f64) {
    rows.iter().zip(values).fold((0.0, 0.0), |(q, s), (&i, x)| {
        let part = x * v[i as usize];
        (q + x * part, s + part)
    })
}

impl Binary {
    /// How far a point is above the minimum at most, in units of the objective of no coefficients: the dual is
    /// max −Σ cᵢ (tᵢ ln tᵢ + (1 − tᵢ) ln(1 − tᵢ)) less the conjugate of the penalty at Σ cᵢ yᵢ tᵢ xᵢ, and tᵢ the probability that
    /// the row is taken for the other class, made smaller until it is feasible, is a point of it.
    pub(crate) fn relative_gap<P: Points>(&self, points: &P, point: &[f64]) -> f64 {
        let d = points.features();
        let (w, b) = point.split_at(d.min(point.len()));
        let b = b.first().copied().unwrap_or(0.0);
        let (mut objective, mut size) = (0.0, 0.0);
        let mut shares = Vec::with_capacity(points.n());
        // Σ c t of both classes, which must agree where the intercept is free.
        let mut masses = [0.0; 2];
        for i in 0..points.n() {
            let (y, c) = (self.signs[i], self.costs[i]);
            let margin = y * (points.dot(i, w) + b);
            let share = 1.0 / (1.0 + margin.exp());
            objective += c * log1p_exp(-margin);
            size += c * std::f64::consts::LN_2;
            masses[usize::from(y > 0.0)] += c * share;
            shares.push(share);
        }
        let free = self.intercept && self.intercept_cost == 0.0;
        let least = masses[0].min(masses[1]);
        let factors = masses.map(|m| if free && m > 0.0 { least / m } else { 1.0 });
        let (mut pull, mut pull_b) = (vec![0.0; d], 0.0);
        for (i, share) in shares.iter_mut().enumerate() {
            *share *= factors[usize::from(self.signs[i] > 0.0)];
            let by = self.signs[i] * self.costs[i] * *share;
            points.add(i, by, &mut pull);
            pull_b += by;
        }
        if !self.intercept || free {
            pull_b = 0.0;
        }
        let (l1_b, l2_b) = (self.l1 * self.intercept_cost, self.l2 * self.intercept_cost.powi(2));
        let over = |pull: f64, l1: f64| if pull == 0.0 { 1.0 } else { l1 / pull.abs() };
        let mut scale = 1.0f64;
        if self.l2 == 0.0 {
            scale = pull.iter().fold(over(pull_b, l1_b).min(1.0), |s, p| s.min(over(*p, self.l1)));
        }
        let conjugate = |pull: f64, l1: f64, l2: f64| match (scale * pull.abs() - l1).max(0.0) {
            // What is left beyond L1 alone is rounding of the scale.
            _ if l2 == 0.0 => 0.0,
            beyond => 0.5 * beyond * beyond / l2,
        };
        let entropy = |t: f64| if t > 0.0 && t < 1.0 { t * t.ln() + (1.0 - t) * (-t).ln_1p() } else { 0.0 };
        let dual = -shares.iter().zip(&self.costs).map(|(t, c)| c * entropy(scale * t)).sum::<f64>()
            - pull.iter().map(|p| conjugate(*p, self.l1, self.l2)).sum::<f64>()
            - conjugate(pull_b, l1_b, l2_b);
        let cost = |w: f64, l1: f64, l2: f64| l1 * w.abs() + 0.5 * l2 * w * w;
        objective += w.iter().map(|w| cost(*w, self.l1, self.l2)).sum::<f64>() + cost(b, l1_b, l2_b);
        let gap = objective - dual;
        // Rounding may leave less than nothing; NaN stays.
        if gap < 0.0 { 0.0 } else { gap / size.max(f64::MIN_POSITIVE) }
    }
}
