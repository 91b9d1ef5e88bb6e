//! The objective of ordinal regression: losses of margins about thresholds, convex in thresholds and coefficients.

use super::rows::ScaledRows;
use super::{OrdinalLoss, OrdinalModel};
use crate::linear_model::larger;
use mercer_core::{Dataset, Error, Label, Labels, Result, Session, Termination};
use mercer_math::{axpy, dot};
use mercer_optim::{LbfgsB, Objective, Stop, lbfgsb};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// min over (t, δ, u) of the mean loss of rows plus Σ p u² / 2  s.t.  δ >= 0, where the thresholds of the classes that
/// occur are θ₁ = t, θ₂ = t + δ₂, …: linear in the variables, so that the objective stays convex.
pub(super) struct Problem {
    pub(super) rows: ScaledRows,
    loss: OrdinalLoss,
    /// The place of each row's class among those that occur.
    y: Vec<usize>,
    /// The classes that occur, in order.
    pub(super) present: Vec<u32>,
    /// The weight of each of them.
    sizes: Vec<f64>,
    total: f64,
    /// The penalty of each coefficient, over the total weight.
    penalty: Vec<f64>,
    scores: Vec<f64>,
}

/// The least gap that the proportional odds see, where the logarithm of the gap's share is still a number.
const LEAST: f64 = 1e-12;
const BLOCK: usize = 1024;

/// What a block of rows adds.
struct Sums {
    value: f64,
    /// The derivative by each threshold.
    thresholds: Vec<f64>,
    /// The derivative by each row's score.
    pulls: Vec<f64>,
}

impl Problem {
    pub(super) fn of(
        who: &str,
        data: &Dataset<'_>,
        loss: OrdinalLoss,
        alpha: f64,
        known: Option<&Labels>,
    ) -> Result<Self> {
        let rows = ScaledRows::of(who, data)?;
        let target = data.need_target(who)?;
        let (codes, labels) = target.class()?;
        let place = |label: &Label| match known {
            Some(known) => known.iter().position(|l| l == label).map(|c| c as u32),
            None => labels.iter().position(|l| l == label).map(|c| c as u32),
        };
        let codes: Option<Vec<u32>> =
            rows.kept.iter().map(|&i| labels.get(codes[i] as usize).and_then(place)).collect();
        let Some(codes) = codes else {
            return Err(Error::numeric(who, "rows of a class that training did not know"));
        };
        let mut present = codes.clone();
        present.sort_unstable();
        present.dedup();
        if present.len() < 2 {
            return Err(Error::too_few(who, "classes", 2, present.len()));
        }
        let y: Vec<usize> = codes.iter().map(|c| present.partition_point(|p| p < c)).collect();
        let mut sizes = vec![0.0; present.len()];
        y.iter().zip(&rows.weights).for_each(|(&y, w)| sizes[y] += w);
        let total = rows.weights.iter().sum::<f64>();
        let penalty = rows.penalty(alpha).iter().map(|p| p / total).collect();
        Ok(Self { rows, loss, y, present, sizes, total, penalty, scores: Vec::new() })
    }

    fn n_thresholds(&self) -> usize {
        self.present.len() - 1
    }

    /// The thresholds of variables.
    pub(super) fn thresholds(&self, v: &[f64]) -> Vec<f64> {
        let mut at = 0.0;
        let sums = v[..self.n_thresholds()].iter().map(|step| {
            at += step;
            at
        });
        sums.collect()
    }

    /// The variables of a model.
    pub(super) fn point(&self, model: &OrdinalModel) -> Vec<f64> {
        let (u, at_means) = self.rows.scaled(&model.coef);
        let mut before = 0.0;
        let mut v: Vec<f64> = Vec::with_capacity(self.n_thresholds() + u.len());
        for &c in &self.present[..self.n_thresholds()] {
            let theta = model.thresholds[c as usize] - at_means;
            v.push(theta - before);
            before = theta;
        }
        v.extend(u);
        v
    }

    /// What the rows of a block add to value and derivatives.
    fn block(&self, block: usize, theta: &[f64]) -> Sums {
        let rows = block * BLOCK..((block + 1) * BLOCK).min(self.y.len());
        let mut out =
            Sums { value: 0.0, thresholds: vec![0.0; theta.len()], pulls: Vec::with_capacity(rows.len()) };
        for i in rows {
            let (f, y, w) = (self.scores[i], self.y[i], self.rows.weights[i] / self.total);
            let seen = match self.loss.is_all() {
                true => 0..theta.len(),
                false => y.saturating_sub(1)..(y + 1).min(theta.len()),
            };
            let mut pull = 0.0;
            for k in seen {
                // Above the threshold the score should be, or below.
                let side = if y > k { 1.0 } else { -1.0 };
                let (value, slope) = self.loss.margin(side * (f - theta[k]));
                out.value += w * value;
                pull += w * side * slope;
                out.thresholds[k] -= w * side * slope;
            }
            out.pulls.push(pull);
        }
        out
    }

    fn steepest(&self) -> f64 {
        if self.loss.is_all() { self.n_thresholds() as f64 } else { 2.0 }
    }

    /// The gradient where bounds let the variables move, each part over the most that it can be, and a bound on how far
    /// the mean objective is above its minimum, if the best thresholds lie within 1 of these.
    pub(super) fn evidence(&mut self, v: &[f64]) -> (f64, Option<f64>) {
        let mut g = vec![0.0; v.len()];
        self.value_grad(v, &mut g);
        let q = self.n_thresholds();
        // A gap of zero that wants to be less cannot be.
        (1..q).filter(|&k| v[k] <= LEAST).for_each(|k| g[k] = g[k].min(0.0));
        let most =
            self.rows.sizes().into_iter().map(|s| (s / self.total * self.steepest()).max(f64::MIN_POSITIVE));
        let parts = g[..q].iter().map(|g| g.abs()).chain(g[q..].iter().zip(most).map(|(g, m)| (g / m).abs()));
        let relative = parts.fold(0.0, larger);
        let curved = self.penalty.iter().all(|p| *p > 0.0);
        let by_coef = || g[q..].iter().zip(&self.penalty).map(|(g, p)| g * g / (2.0 * p)).sum::<f64>();
        (relative, curved.then(|| by_coef() + g[..q].iter().map(|g| g.abs()).sum::<f64>()))
    }

    /// L-BFGS-B from the thresholds of a constant score; stops when the largest entry of the projected gradient is at most
    /// `tol`, at `max_iter`, or where no step helps.
    pub(super) fn minimise(
        &mut self,
        tol: f64,
        max_iter: usize,
        session: &Session,
    ) -> Result<(Vec<f64>, f64, Termination, u64)> {
        let (q, d) = (self.n_thresholds(), self.penalty.len());
        let (mut start, mut below, mut before) = (vec![0.0; q + d], 0.0, 0.0);
        for (at, size) in start[..q].iter_mut().zip(&self.sizes) {
            below += size / self.total;
            let logit = (below / (1.0 - below)).ln().clamp(-30.0, 30.0);
            (*at, before) = (logit - before, logit);
        }
        let least = if self.loss == OrdinalLoss::Logit { LEAST } else { 0.0 };
        let free = |k: usize| if k > 0 && k < q { least } else { f64::NEG_INFINITY };
        let lower: Vec<f64> = (0..q + d).map(free).collect();
        let upper = vec![f64::INFINITY; q + d];
        let (mut stopped, settings) = (None, LbfgsB { memory: 20, tol, max_iter, ..LbfgsB::default() });
        let mut watch = |step: &mercer_optim::Step| {
            stopped = session.step("lbfgsb", step.iteration as u64, Some(max_iter as u64), Some(step.value));
            if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = lbfgsb(self, &start, &lower, &upper, &settings, Some(&mut watch))?;
        let ended = match found.stop {
            Stop::Converged => Termination::Converged,
            Stop::MaxIter => Termination::IterationLimit,
            Stop::Interrupted => stopped.unwrap_or(Termination::Cancelled),
            // Rounding ends it there, too.
            Stop::NoProgress if found.grad_norm <= 1e-6 => Termination::Converged,
            Stop::NoProgress => Termination::Stalled,
        };
        Ok((found.x, found.value * self.total, ended, found.iterations as u64))
    }
}

impl Objective for Problem {
    fn dim(&self) -> usize {
        self.n_thresholds() + self.penalty.len()
    }

    fn value_grad(&mut self, v: &[f64], grad: &mut [f64]) -> f64 {
        let (q, theta) = (self.n_thresholds(), self.thresholds(v));
        let mut scores = std::mem::take(&mut self.scores);
        self.rows.scores(&v[q..], &mut scores);
        self.scores = scores;
        let blocks: Vec<Sums> =
            (0..self.y.len().div_ceil(BLOCK)).into_par_iter().map(|b| self.block(b, &theta)).collect();
        let (mut value, mut by, mut pulls) = (0.0, vec![0.0; q], Vec::with_capacity(self.y.len()));
        for sums in blocks {
            value += sums.value;
            axpy(1.0, &sums.thresholds, &mut by);
            pulls.extend(sums.pulls);
        }
        // Each step moves its own threshold and all after it.
        let mut behind = 0.0;
        for k in (0..q).rev() {
            behind += by[k];
            grad[k] = behind;
        }
        if self.loss == OrdinalLoss::Logit {
            // -ln(σ(b) - σ(a)) = -ln σ(b) - ln σ(-a) - ln(1 - e^{a - b}).
            for k in 1..q {
                let share = self.sizes[k] / self.total;
                value -= share * (-(-v[k]).exp_m1()).ln();
                grad[k] -= share / v[k].exp_m1();
            }
        }
        grad[q..].copy_from_slice(&self.rows.transposed(&pulls));
        for ((g, u), p) in grad[q..].iter_mut().zip(&v[q..]).zip(&self.penalty) {
            *g += p * u;
        }
        let scaled: Vec<f64> = v[q..].iter().zip(&self.penalty).map(|(u, p)| p * u).collect();
        value + 0.5 * dot(&scaled, &v[q..])
    }
}
