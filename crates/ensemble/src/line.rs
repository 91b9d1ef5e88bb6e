//! What gradient boosting minimises, and the step of least loss along a direction.

use mercer_core::{Result, Target};
use mercer_math::{Mat, rising_root, weighted_quantile};
use mercer_measure::{Loss, softmax};

/// The most that one step may change a score that has no best value, as where all rows of a leaf are of one class.
const MOST: f64 = 5.0;

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Objective {
    /// A loss of one score; classes are −1 and 1, or 0 and 1.
    One(Loss),
    /// Softmax over this many scores.
    Softmax(usize),
}

impl Objective {
    /// Whether the loss may fall without end along a score.
    fn may_fall_for_ever(self) -> bool {
        match self {
            Objective::One(loss) => !loss.is_residual(),
            Objective::Softmax(_) => true,
        }
    }

    pub(crate) fn width(self) -> usize {
        match self {
            Objective::One(_) => 1,
            Objective::Softmax(k) => k,
        }
    }

    /// The truth as numbers that the loss takes.
    pub(crate) fn truth(self, target: &Target<'_>) -> Result<Vec<f64>> {
        match self {
            Objective::Softmax(_) => Ok(target.class()?.0.iter().map(|&c| f64::from(c)).collect()),
            Objective::One(loss) => match target.class() {
                Ok((codes, _)) => {
                    let low = if loss.is_margin() { -1.0 } else { 0.0 };
                    Ok(codes.iter().map(|&c| if c == 1 { 1.0 } else { low }).collect())
                }
                Err(_) => Ok(target.numbers()?.to_vec()),
            },
        }
    }

    /// The mean loss of scores.
    pub(crate) fn value(self, scores: &Mat, y: &[f64], w: &[f64]) -> f64 {
        let one = |i: usize| match self {
            Objective::One(loss) => loss.value(scores[(i, 0)], y[i]),
            Objective::Softmax(_) => softmax::value(scores.row(i), y[i] as usize).unwrap_or(f64::NAN),
        };
        let rows = || (0..y.len()).filter(|&i| w[i] > 0.0);
        rows().map(|i| w[i] * one(i)).sum::<f64>() / rows().map(|i| w[i]).sum::<f64>()
    }

    /// Minus the derivative by the score of each row, of score `k`.
    pub(crate) fn pull(self, scores: &Mat, y: &[f64], k: usize) -> Vec<f64> {
        let one = |i: usize| match self {
            Objective::One(loss) => -gradient(loss, scores[(i, 0)], y[i]),
            Objective::Softmax(_) => 0.0 - softmax::partial(&mut scores.row(i).to_vec(), y[i] as usize, k).0,
        };
        (0..y.len()).map(one).collect()
    }
}

/// The derivative of a loss by the score; the 0-1 loss, which has none, is refused before.
fn gradient(loss: Loss, f: f64, y: f64) -> f64 {
    loss.gradient(f, y).unwrap_or(0.0)
}

/// One line search: the rows, how far each moves for a step of 1, and which score moves.
pub(crate) struct Line<'a> {
    pub(crate) objective: Objective,
    pub(crate) scores: &'a Mat,
    pub(crate) y: &'a [f64],
    pub(crate) w: &'a [f64],
    pub(crate) class: usize,
    pub(crate) rows: &'a [usize],
}

impl Line<'_> {
    /// The derivative and the curvature along `h` at a step.
    fn slope(&self, h: &dyn Fn(usize) -> f64, step: f64) -> (f64, f64) {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for &i in self.rows {
            let (by, w) = (h(i), self.w[i]);
            let (g, c) = match self.objective {
                Objective::One(loss) => {
                    let f = self.scores[(i, 0)] + step * by;
                    (gradient(loss, f, self.y[i]), loss.curvature(f, self.y[i]).unwrap_or(0.0))
                }
                Objective::Softmax(_) => {
                    let mut scores = self.scores.row(i).to_vec();
                    scores[self.class] += step * by;
                    softmax::partial(&mut scores, self.y[i] as usize, self.class)
                }
            };
            slope += w * by * g;
            curvature += w * by * by * c;
        }
        (slope, curvature)
    }

    /// One step of Newton for all rows alike, where the loss has no least value to go to; else the best step. Of softmax,
    /// the factor is that of the diagonal of its Hessian (Friedman 2001).
    pub(crate) fn newton(&self) -> f64 {
        if !self.objective.may_fall_for_ever() {
            return self.best(&|_| 1.0);
        }
        let (slope, curvature) = self.slope(&|_| 1.0, 0.0);
        let factor = match self.objective {
            Objective::One(_) => 1.0,
            Objective::Softmax(k) => (k as f64 - 1.0) / k as f64,
        };
        let step = -factor * slope / curvature;
        if curvature > 1e-150 && step.is_finite() { step } else { 0.0 }
    }

    /// The step of least loss along `h`: Newton's, kept within the bracket of the slope's sign. Where the loss falls
    /// for ever, the step is bounded.
    pub(crate) fn best(&self, h: &dyn Fn(usize) -> f64) -> f64 {
        if let Objective::One(loss) = self.objective
            && let Some(share) = loss.quantile()
            && self.rows.iter().all(|&i| h(i) == 1.0)
        {
            let mut rest: Vec<(f64, f64)> =
                self.rows.iter().map(|&i| (self.y[i] - self.scores[(i, 0)], self.w[i])).collect();
            rest.retain(|r| r.1 > 0.0);
            rest.sort_by(|a, b| a.0.total_cmp(&b.0));
            return weighted_quantile(&rest, share).unwrap_or(0.0);
        }
        let (slope, curvature) = self.slope(h, 0.0);
        if slope == 0.0 || !slope.is_finite() {
            return 0.0;
        }
        let largest = self.rows.iter().fold(0.0f64, |m, &i| m.max(h(i).abs()));
        let limit = if self.objective.may_fall_for_ever() { MOST / largest } else { f64::MAX };
        let forward = -slope.signum();
        let ahead = |t: f64| {
            let (slope, curvature) = self.slope(h, forward * t);
            (forward * slope, curvature)
        };
        let newton = if curvature > 0.0 { slope.abs() / curvature } else { 1.0 };
        let (mut low, mut high) = (0.0, newton.min(limit));
        while ahead(high).0 < 0.0 {
            if high >= limit || high > 1e100 {
                return forward * high;
            }
            (low, high) = (high, (2.0 * high).min(limit));
        }
        forward * rising_root(low, high, ahead)
    }
}
