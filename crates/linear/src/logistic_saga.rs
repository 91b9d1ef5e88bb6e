//! Stochastic average gradients for logistic regression: one row a step, with a memory of the last slope of every row.

use crate::logistic_coordinate::{Found, Limits};
use crate::points::Points;
use mercer_core::Termination;
use mercer_math::{Rng, below, softmax_in_place};

/// What is minimised: the mean loss of rows, each with its weight, and the weights of the penalties.
#[derive(Clone, Debug)]
pub(crate) struct Averaged<'r> {
    pub(crate) codes: &'r [u32],
    /// They add up to the number of rows that count.
    pub(crate) weights: Vec<f64>,
    /// Which classes occur.
    pub(crate) present: Vec<bool>,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) intercept: bool,
    /// Whether steps are without bias (SAGA) or follow the average alone (SAG).
    pub(crate) saga: bool,
}

/// Steps between two questions to the session.
const ASK: usize = 1 << 16;

/// min_W (1/n) Σᵢ sᵢ ℓ(yᵢ, W xᵢ + b) + l1 ‖W‖₁ + l2 ‖W‖²/2
///
/// A step draws a row, replaces its slope in the average of all slopes, and goes against the average (SAG), or against the
/// new slope less the old one plus the average (SAGA), then applies the proximal map of the penalty. Coefficients that a row
/// does not touch drift with an average that stays as it is: they are brought up to date in closed form when a row touches
/// them again. The length of a step follows from the largest curvature L of a row: 1/L for SAG, 1/(2L + min(2 n l2, L)) for SAGA. Stops when
/// a pass changes no coefficient by more than `tol` times the largest.
///
/// Schmidt, Le Roux, Bach. arXiv:1309.2388, 2013; Defazio, Bach, Lacoste-Julien. SAGA. NIPS 2014.
pub(crate) fn average<P: Points>(
    points: &P,
    problem: &Averaged<'_>,
    start: &[f64],
    limits: &Limits<'_>,
    mut rng: Rng,
) -> Found {
    let rows: Vec<u32> = (0..points.n() as u32).filter(|&i| problem.weights[i as usize] > 0.0).collect();
    let mut walk = Walk::new(points, problem, &rows, start);
    let (mut passes, mut last) = (0, walk.w.clone());
    let mut termination = Termination::IterationLimit;
    'passes: while (passes as usize) < limits.max_iter {
        for step in 0..rows.len() {
            if step % ASK == ASK - 1
                && let Some(why) = limits.session.interrupted()
            {
                termination = why;
                break 'passes;
            }
            walk.step(rows[below(&mut rng, rows.len())] as usize);
        }
        walk.settle();
        passes += 1;
        let sup =
            |v: &mut dyn Iterator<Item = f64>| v.fold(0.0, |m, w| crate::linear_model::larger(m, w.abs()));
        let largest = sup(&mut walk.w.iter().copied());
        let change = sup(&mut walk.w.iter().zip(&last).map(|(w, l)| w - l));
        if !largest.is_finite() {
            termination = Termination::Stalled;
            break;
        }
        if change <= limits.tol * largest {
            termination = Termination::Converged;
            break;
        }
        last.copy_from_slice(&walk.w);
        let told = limits.session.step("pass", passes, Some(limits.max_iter as u64), Some(change));
        if let Some(why) = told {
            termination = why;
            break;
        }
    }
    walk.settle();
    Found { point: walk.w, iterations: passes, termination }
}

/// A walk under way: coefficients by features, the intercepts last.
struct Walk<'p, P> {
    points: &'p P,
    problem: &'p Averaged<'p>,
    k: usize,
    w: Vec<f64>,
    /// The average of the slopes of all rows.
    average: Vec<f64>,
    /// The last slope of each row by its scores.
    memory: Vec<f64>,
    /// The steps that each feature has seen, and those made.
    seen: Vec<u64>,
    made: u64,
    rule: Drift,
    share: f64,
    scores: Vec<f64>,
}

impl<'p, P: Points> Walk<'p, P> {
    fn new(points: &'p P, problem: &'p Averaged<'p>, rows: &[u32], start: &[f64]) -> Self {
        let (d, classes) = (points.features(), problem.present.len());
        let k = if classes == 2 { 1 } else { classes };
        let constant = f64::from(problem.intercept);
        let of = |&i: &u32| problem.weights[i as usize] * (points.norm2(i as usize) + constant);
        let steep = rows.iter().map(of).fold(f64::MIN_POSITIVE, f64::max) * if k == 1 { 0.25 } else { 0.5 };
        let length = match problem.saga {
            true => 1.0 / (2.0 * steep + (2.0 * rows.len() as f64 * problem.l2).min(steep)),
            false => 1.0 / (steep + problem.l2),
        };
        let len = (d + usize::from(problem.intercept)) * k;
        let mut w = start.to_vec();
        w.resize(len, 0.0);
        let mut walk = Self {
            points,
            problem,
            k,
            w,
            average: vec![0.0; len],
            memory: vec![0.0; points.n() * k],
            seen: vec![0; d],
            made: 0,
            rule: Drift { length, l1: problem.l1, shrink: 1.0 / (1.0 + length * problem.l2) },
            share: 1.0 / rows.len().max(1) as f64,
            scores: vec![0.0; k],
        };
        rows.iter().for_each(|&i| walk.remember(i as usize));
        walk
    }

    /// The slopes of a row by its scores, at the coefficients.
    fn slopes(&mut self, i: usize) {
        let (k, d) = (self.k, self.points.features());
        self.scores.fill(0.0);
        let (w, scores) = (&self.w, &mut self.scores);
        if k == 1 {
            scores[0] = self.points.dot(i, &w[..d]);
        } else {
            self.points.each(i, |j, x| {
                scores.iter_mut().zip(&w[j * k..]).for_each(|(z, w)| *z += x * w);
            });
        }
        if self.problem.intercept {
            scores.iter_mut().zip(&w[d * k..]).for_each(|(z, b)| *z += b);
        }
        let (own, weight) = (self.problem.codes[i] as usize, self.problem.weights[i]);
        if let [z] = &mut scores[..] {
            let p = 1.0 / (1.0 + (-*z).exp());
            *z = weight * (p - own as f64);
            return;
        }
        let absent = |c: usize| !self.problem.present[c];
        (0..k).filter(|&c| absent(c)).for_each(|c| scores[c] = crate::logistic_loss::ABSENT);
        softmax_in_place(scores);
        scores[own] -= 1.0;
        scores.iter_mut().for_each(|p| *p *= weight);
    }

    /// Takes a row into memory and average, before the first step.
    fn remember(&mut self, i: usize) {
        self.slopes(i);
        let (k, d, share) = (self.k, self.points.features(), self.share);
        let (scores, average) = (&self.scores, &mut self.average);
        self.points.each(i, |j, x| {
            average[j * k..(j + 1) * k].iter_mut().zip(scores).for_each(|(a, s)| *a += share * s * x);
        });
        average[d * k..].iter_mut().zip(scores).for_each(|(a, s)| *a += share * s);
        self.memory[i * k..(i + 1) * k].copy_from_slice(scores);
    }

    fn step(&mut self, i: usize) {
        let (k, d, made, rule) = (self.k, self.points.features(), self.made, self.rule);
        let (w, average, seen) = (&mut self.w, &self.average, &mut self.seen);
        self.points.each(i, |j, _| {
            let missed = made - seen[j];
            if missed > 0 {
                (j * k..(j + 1) * k).for_each(|e| w[e] = rule.drift(w[e], average[e], missed));
            }
            seen[j] = made + 1;
        });
        self.slopes(i);
        let memory = &mut self.memory[i * k..(i + 1) * k];
        for (new, old) in self.scores.iter_mut().zip(memory) {
            let now = *new;
            *new -= *old;
            *old = now;
        }
        let (scores, share, saga) = (&self.scores, self.share, self.problem.saga);
        let (w, average) = (&mut self.w, &mut self.average);
        let mut touch = |j: usize, x: f64, rule: &Drift| {
            for (c, change) in scores.iter().enumerate() {
                let e = j * k + c;
                let mut slope = average[e];
                average[e] += share * change * x;
                slope = if saga { slope + change * x } else { average[e] };
                w[e] = rule.once(w[e], slope);
            }
        };
        self.points.each(i, |j, x| touch(j, x, &rule));
        if self.problem.intercept {
            touch(d, 1.0, &Drift { l1: 0.0, shrink: 1.0, ..rule });
        }
        self.made += 1;
    }

    /// Brings all coefficients up to date.
    fn settle(&mut self) {
        let (k, made) = (self.k, self.made);
        for (j, seen) in self.seen.iter_mut().enumerate() {
            if *seen < made {
                let missed = made - *seen;
                (j * k..(j + 1) * k)
                    .for_each(|e| self.w[e] = self.rule.drift(self.w[e], self.average[e], missed));
                *seen = made;
            }
        }
    }
}

/// Steps of w ← shrink · soft(w − length · slope, length · l1).
#[derive(Clone, Copy, Debug)]
struct Drift {
    length: f64,
    l1: f64,
    shrink: f64,
}

impl Drift {
    #[inline(always)]
    fn once(&self, w: f64, slope: f64) -> f64 {
        let (to, cut) = (w - self.length * slope, self.length * self.l1);
        match to {
            to if to > cut => self.shrink * (to - cut),
            to if to < -cut => self.shrink * (to + cut),
            // NaN stays what it is.
            to if to.is_nan() => to,
            _ => 0.0,
        }
    }

    /// Several steps under one slope. As long as the sign stays, each is the same affine map, and their number until it
    /// would change is known.
    fn drift(&self, mut w: f64, slope: f64, mut steps: u64) -> f64 {
        while steps > 0 {
            let sign = match w {
                _ if self.l1 == 0.0 => 0.0,
                w if w != 0.0 => w.signum(),
                _ if slope.abs() <= self.l1 => return 0.0,
                _ => -slope.signum(),
            };
            let push = self.length * (slope + sign * self.l1);
            let whole = self.steps_before_turning(w, push, sign).min(steps as f64);
            if whole >= 1.0 {
                w = self.affine(w, push, whole);
                steps -= whole as u64;
            }
            if steps > 0 {
                w = self.once(w, slope);
                steps -= 1;
            }
        }
        w
    }

    /// w ← shrink (w − push), several times.
    fn affine(&self, w: f64, push: f64, times: f64) -> f64 {
        if self.shrink == 1.0 {
            return w - times * push;
        }
        let less = (times * self.shrink.ln()).exp_m1();
        w * (1.0 + less) - push * self.shrink * -less / (1.0 - self.shrink)
    }

    /// How many steps the sign surely stays.
    fn steps_before_turning(&self, w: f64, push: f64, sign: f64) -> f64 {
        if sign * push <= 0.0 {
            return f64::INFINITY;
        }
        let count = if self.shrink == 1.0 {
            w / push
        } else {
            let end = -push * self.shrink / (1.0 - self.shrink);
            ((push - end) / (w - end)).ln() / self.shrink.ln()
        };
        (count.ceil() - 1.0).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_at_once_are_many_steps() {
        for (l1, l2) in [(0.0, 0.0), (0.0, 0.3), (0.2, 0.0), (0.2, 0.3), (0.05, 1e-9)] {
            let length = 0.01;
            let rule = Drift { length, l1, shrink: 1.0 / (1.0 + length * l2) };
            for w in [-1.0, -0.003, 0.0, 0.002, 0.7] {
                for slope in [-1.5, -0.1, 0.0, 0.19, 0.6] {
                    for steps in [1, 2, 7, 100, 1000] {
                        let one_by_one = (0..steps).fold(w, |w, _| rule.once(w, slope));
                        let found = rule.drift(w, slope, steps);
                        let far = (found - one_by_one).abs();
                        assert!(
                            far <= 1e-11 * (1.0 + w.abs()),
                            "{l1} {l2} {w} {slope} {steps}: {found} {one_by_one}"
                        );
                    }
                }
            }
        }
    }
}
