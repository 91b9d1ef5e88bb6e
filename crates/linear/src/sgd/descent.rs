//! One pass of stochastic gradient descent: O(entries of a row) a step, whatever the penalty.

use super::settings::{LearningRate, Rule};
use crate::points::Points;
use mercer_math::prefetch;
use mercer_measure::Loss;
use serde::{Deserialize, Serialize};

/// Where a descent stands between passes: all that going on needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) w: Vec<f64>,
    pub(crate) intercept: f64,
    /// The number of the next step.
    pub(crate) t: f64,
    /// The step length of the adaptive rule.
    pub(crate) adapted: f64,
    /// Sums of coefficients and intercept over the steps that are averaged; empty where none are.
    pub(crate) sum: Vec<f64>,
    pub(crate) intercept_sum: f64,
    pub(crate) averaged: f64,
    /// Passes made.
    pub(crate) epochs: u64,
    /// Steps that moved the coefficients: of the perceptron, mistakes.
    pub(crate) updates: u64,
}

impl State {
    pub(crate) fn new(d: usize, rule: &Rule) -> Self {
        let sum = vec![0.0; if rule.average > 0 { d } else { 0 }];
        let (intercept, intercept_sum, averaged, epochs, updates) = Default::default();
        let (w, adapted) = (vec![0.0; d], rule.eta0);
        Self { w, intercept, t: 1.0, adapted, sum, intercept_sum, averaged, epochs, updates }
    }

    /// Coefficients and intercept as the model has them: their mean, where there is one.
    pub(crate) fn answer(&self) -> (Vec<f64>, f64) {
        if self.averaged > 0.0 {
            let mean = self.sum.iter().map(|s| s / self.averaged).collect();
            return (mean, self.intercept_sum / self.averaged);
        }
        (self.w.clone(), self.intercept)
    }

    /// The mean of several states, by their shares, which all had made `updates` when they parted.
    pub(crate) fn mean(states: &[(f64, State)], updates: u64) -> State {
        let mut out = states[0].1.clone();
        let total: f64 = states.iter().map(|(share, _)| share).sum();
        let mix = |get: &dyn Fn(&State) -> f64| states.iter().map(|(s, state)| s / total * get(state)).sum();
        for j in 0..out.w.len() {
            out.w[j] = mix(&|s| s.w[j]);
        }
        for j in 0..out.sum.len() {
            out.sum[j] = mix(&|s| s.sum[j] / s.averaged.max(1.0)) * out.averaged.max(1.0);
        }
        out.intercept = mix(&|s| s.intercept);
        out.intercept_sum = mix(&|s| s.intercept_sum / s.averaged.max(1.0)) * out.averaged.max(1.0);
        out.updates = updates + states.iter().map(|(_, s)| s.updates - updates).sum::<u64>();
        out.t = states.iter().map(|(_, s)| s.t).fold(0.0, f64::max);
        out
    }
}

/// Rows to learn from: targets, and what each counts.
pub(crate) struct Lesson<'l> {
    pub(crate) targets: &'l [f64],
    pub(crate) weights: &'l [f64],
}

/// Steepest slope that a step follows, so that one wild row does not throw everything away.
const STEEPEST: f64 = 1e12;
/// Below this scale, coefficients are multiplied out.
const SMALLEST: f64 = 1e-9;
/// How many rows ahead memory is asked for.
const AHEAD: usize = 8;

/// Loss and slope of a score. Unlike the table of losses, hinge and perceptron have a slope at their corners: a perceptron
/// would never leave zero.
#[inline(always)]
fn at(loss: Loss, f: f64, y: f64) -> (f64, f64) {
    match loss {
        Loss::Hinge => corner(1.0, f, y),
        Loss::Perceptron => corner(0.0, f, y),
        Loss::HalfSquared => (0.5 * (f - y) * (f - y), f - y),
        Loss::Logistic => {
            let z = f * y;
            let e = (-z.abs()).exp();
            let slope = if z > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
            (e.ln_1p() + (-z).max(0.0), -y * slope)
        }
        other => (other.value(f, y), other.gradient(f, y).unwrap_or(f64::NAN)),
    }
}

#[inline(always)]
fn corner(threshold: f64, f: f64, y: f64) -> (f64, f64) {
    let z = f * y;
    if z <= threshold { (threshold - z, -y) } else { (0.0, 0.0) }
}

/// Coefficients under way: w = scale · v, so that the L2 penalty costs one product a step; the sum of all w is
/// c v + u, so that averaging costs no more than the row; `total` is the L1 penalty so far, in units of v, and `paid` what
/// each coefficient had of it.
struct Walk<'r> {
    rule: &'r Rule,
    v: Vec<f64>,
    scale: f64,
    c: f64,
    u: Vec<f64>,
    total: f64,
    paid: Vec<f64>,
}

/// One pass over `rows`; returns the sum of the losses met on the way.
///
///   min_w  Σ sᵢ ℓ(w·xᵢ + b, yᵢ) / Σ sᵢ + l2 |w|²/2 + l1 |w|₁
///
/// Step t goes against the mean slope of its batch by ηₜ; the penalties act as Bottou's shrinking and as Tsuruoka's cumulative
/// L1 penalty, which a coefficient pays when a row touches it: before the row's score is taken, so that sparse rows go the way
/// of dense ones.
///
/// Tsuruoka, Tsujii, Ananiadou, ACL 2009; Bottou, Neural Networks: Tricks of the Trade, 2012; Xu, arXiv:1107.2490.
pub(crate) fn pass<P: Points>(
    points: &P,
    lesson: &Lesson<'_>,
    rows: &[u32],
    rule: &Rule,
    state: &mut State,
) -> f64 {
    let d = points.features();
    let paid = vec![0.0; if rule.l1 > 0.0 { d } else { 0 }];
    let (v, u) = (std::mem::take(&mut state.w), std::mem::take(&mut state.sum));
    let mut walk = Walk { rule, v, scale: 1.0, c: 0.0, u, total: 0.0, paid };
    let mut losses = 0.0;
    let mut changes = vec![0.0; rule.batch];
    let mut done = 0;
    for batch in rows.chunks(rule.batch) {
        let eta = rule.eta(state.t, state.adapted);
        let share = 1.0 / batch.len() as f64;
        for (change, &i) in changes.iter_mut().zip(batch) {
            if let Some(&next) = rows.get(done + AHEAD) {
                points.prefetch(next as usize);
                prefetch(lesson.targets, next as usize);
                prefetch(lesson.weights, next as usize);
            }
            done += 1;
            let i = i as usize;
            walk.pay(points, i);
            let f = walk.scale * points.dot(i, &walk.v) + state.intercept;
            let (loss, slope) = at(rule.loss, f, lesson.targets[i]);
            losses += loss;
            *change = share * lesson.weights[i] * step(rule, eta, loss, slope, || points.norm2(i));
        }
        walk.shrink(eta);
        let averaging = rule.average > 0 && state.t >= rule.average as f64;
        let mut moved = false;
        for (&change, &i) in changes.iter().zip(batch).filter(|(change, _)| **change != 0.0) {
            walk.add(points, i as usize, change);
            state.intercept += if rule.fit_intercept { change } else { 0.0 };
            moved = true;
        }
        if rule.one_class && rule.fit_intercept {
            state.intercept -= eta * rule.alpha;
        }
        state.updates += u64::from(moved);
        if averaging {
            walk.c += walk.scale;
            state.intercept_sum += state.intercept;
            state.averaged += 1.0;
        }
        state.t += 1.0;
    }
    walk.finish();
    (state.w, state.sum) = (walk.v, walk.u);
    losses
}

/// How far a row moves the coefficients along itself.
#[inline(always)]
fn step(rule: &Rule, eta: f64, loss: f64, slope: f64, norm2: impl Fn() -> f64) -> f64 {
    let aggressive = |length: f64| if slope == 0.0 { 0.0 } else { -slope.signum() * length };
    match rule.rate {
        LearningRate::Pa1 => match norm2() {
            0.0 => 0.0,
            norm2 => aggressive((loss / norm2).min(rule.eta0)),
        },
        LearningRate::Pa2 => aggressive(loss / (norm2() + 0.5 / rule.eta0)),
        // In this form NaN stays what it is.
        _ if slope.abs() > STEEPEST => -eta * STEEPEST * slope.signum(),
        _ => -eta * slope,
    }
}

impl Walk<'_> {
    /// The L2 penalty of a step, and what it adds to the L1 penalty.
    #[inline(always)]
    fn shrink(&mut self, eta: f64) {
        if self.rule.l2 > 0.0 {
            self.scale *= (1.0 - eta * self.rule.l2).max(0.0);
            if self.scale < SMALLEST {
                self.multiply_out();
            }
        }
        self.total += eta * self.rule.l1 / self.scale;
    }

    fn multiply_out(&mut self) {
        let by = self.scale;
        if self.c != 0.0 {
            mercer_math::axpy(self.c, &self.v, &mut self.u);
            self.c = 0.0;
        }
        mercer_math::scale(by, &mut self.v);
        mercer_math::scale(by, &mut self.paid);
        self.total *= by;
        self.scale = 1.0;
    }

    #[inline(always)]
    fn add<P: Points>(&mut self, points: &P, i: usize, change: f64) {
        let along = change / self.scale;
        points.add(i, along, &mut self.v);
        if self.c != 0.0 {
            points.add(i, -along * self.c, &mut self.u);
        }
    }

    /// Coefficients that row i touches pay what they owe of the L1 penalty, never beyond zero.
    #[inline(always)]
    fn pay<P: Points>(&mut self, points: &P, i: usize) {
        if self.rule.l1 > 0.0 {
            points.each(i, |j, _| {
                charge(&mut self.v[j], &mut self.paid[j], self.total, self.c, self.u.get_mut(j))
            });
        }
    }

    /// All debts are paid and w and the sum of all w multiplied out.
    fn finish(&mut self) {
        if self.rule.l1 > 0.0 {
            for j in 0..self.v.len() {
                charge(&mut self.v[j], &mut self.paid[j], self.total, self.c, self.u.get_mut(j));
            }
        }
        if self.c != 0.0 {
            mercer_math::axpy(self.c, &self.v, &mut self.u);
        }
        mercer_math::scale(self.scale, &mut self.v);
    }
}

#[inline(always)]
fn charge(v: &mut f64, paid: &mut f64, total: f64, c: f64, u: Option<&mut f64>) {
    let before = *v;
    if before > 0.0 {
        *v = (before - (total + *paid)).max(0.0);
    } else if before < 0.0 {
        *v = (before + (total - *paid)).min(0.0);
    }
    let change = *v - before;
    *paid += change;
    if let Some(u) = u.filter(|_| c != 0.0 && change != 0.0) {
        *u -= c * change;
    }
}
