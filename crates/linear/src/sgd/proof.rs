//! What can be said of coefficients on data: the objective, its gradient, and how far the classes are apart.

use super::train::Lessons;
use crate::points::{OnPoints, Points};
use mercer_math::{axpy, dot, tree_reduce};
use mercer_measure::Loss;
use std::ops::Range;

/// The objective at some coefficients.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Mean loss and penalty, summed over classes.
    pub(crate) objective: f64,
    /// The same of no coefficients.
    pub(crate) size: f64,
    /// The largest entry of the least subgradient, each over the mean size of that of a single row that is wrong; the
    /// largest of all classes.
    pub(crate) gradient: f64,
    /// (R/γ)² summed over the classes; infinite where they are not apart.
    pub(crate) mistakes: f64,
}

/// Measures coefficients on rows.
pub(crate) struct Measure<'m> {
    pub(crate) lessons: &'m Lessons,
    pub(crate) loss: Loss,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) fit_intercept: bool,
    pub(crate) weights: &'m [(Vec<f64>, f64)],
}

impl OnPoints for Measure<'_> {
    type Out = Found;

    fn on<P: Points>(self, points: &P) -> Found {
        let all = (0..self.weights.len().min(self.lessons.targets.len())).map(|k| self.one(points, k));
        all.fold(Found::default(), |sum, one| Found {
            objective: sum.objective + one.objective,
            size: sum.size + one.size,
            gradient: crate::linear_model::larger(sum.gradient, one.gradient),
            mistakes: sum.mistakes + one.mistakes,
        })
    }
}

/// What a block of rows contributes.
#[derive(Default)]
struct Sums {
    objective: f64,
    size: f64,
    /// The gradient of the loss, that of the intercept behind it.
    gradient: Vec<f64>,
    /// The gradient that rows would have in sum, were each wrong and of one sign.
    steep: Vec<f64>,
    margin: f64,
    radius: f64,
}

impl Sums {
    fn merge(mut self, other: Self) -> Self {
        self.objective += other.objective;
        self.size += other.size;
        axpy(1.0, &other.gradient, &mut self.gradient);
        axpy(1.0, &other.steep, &mut self.steep);
        (self.margin, self.radius) = (self.margin.min(other.margin), self.radius.max(other.radius));
        self
    }
}

impl Measure<'_> {
    fn one<P: Points>(&self, points: &P, k: usize) -> Found {
        let ((w, b), weights) = (&self.weights[k], &self.lessons.weights[k]);
        let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        // Of very many features, blocks are as large as what each adds up.
        let rows = 4096.max(w.len() / 8);
        let blocks = points.n().div_ceil(rows).max(1);
        let block = |at: usize| self.block(points, k, at * rows..((at + 1) * rows).min(points.n()), total);
        let mut found = tree_reduce(blocks, block, Sums::merge).unwrap_or_default();
        let constant = f64::from(self.fit_intercept);
        let norm = (dot(w, w) + constant * b * b).sqrt();
        let apart = found.margin / norm;
        for (g, &w) in found.gradient.iter_mut().zip(w) {
            *g += self.l2 * w;
            // The least subgradient of the L1 part.
            *g = if w != 0.0 { *g + self.l1 * w.signum() } else { g.signum() * (g.abs() - self.l1).max(0.0) };
        }
        let penalty = 0.5 * self.l2 * dot(w, w) + self.l1 * w.iter().map(|w| w.abs()).sum::<f64>();
        let over = |(g, s): (&f64, &f64)| match (*g, *s) {
            (0.0, _) => 0.0,
            (g, 0.0) => g.abs(),
            (g, s) => g.abs() / s,
        };
        Found {
            objective: found.objective + penalty,
            size: found.size,
            gradient: found
                .gradient
                .iter()
                .zip(&found.steep)
                .map(over)
                .fold(0.0, crate::linear_model::larger),
            mistakes: if apart > 0.0 { found.radius / (apart * apart) } else { f64::INFINITY },
        }
    }

    fn block<P: Points>(&self, points: &P, k: usize, rows: Range<usize>, total: f64) -> Sums {
        let ((w, b), targets) = (&self.weights[k], &self.lessons.targets[k]);
        let (weights, constant) = (&self.lessons.weights[k], f64::from(self.fit_intercept));
        let d = w.len();
        let zeros = || vec![0.0; d + 1];
        let mut out = Sums { gradient: zeros(), steep: zeros(), margin: f64::INFINITY, ..Sums::default() };
        for i in rows.filter(|&i| weights[i] > 0.0) {
            let (f, y, share) = (points.dot(i, w) + b, targets[i], weights[i] / total);
            out.objective += share * self.loss.value(f, y);
            out.size += share * self.loss.value(0.0, y);
            let slope = share * self.loss.gradient(f, y).unwrap_or(f64::NAN);
            // A perceptron has no slope at zero, so that of a score that is wrong is taken.
            let wrong = if self.loss.is_margin() { -y } else { 0.0 };
            let most = share * self.loss.gradient(wrong, y).unwrap_or(f64::NAN).abs();
            points.each(i, |j, x| out.steep[j] += most * x.abs());
            out.steep[d] += most;
            points.add(i, slope, &mut out.gradient[..d]);
            out.gradient[d] += slope * constant;
            out.margin = out.margin.min(y * f);
            out.radius = out.radius.max(points.norm2(i) + constant);
        }
        out
    }
}
