//! What can be said of coefficients on data: the objective, its gradient, and how far the classes are apart.

use super::train::Lessons;
use crate::points::{OnPoints, Points};
use mercer_math::dot;
use mercer_measure::Loss;

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

impl Measure<'_> {
    fn one<P: Points>(&self, points: &P, k: usize) -> Found {
        let ((w, b), targets) = (&self.weights[k], &self.lessons.targets[k]);
        let (weights, constant) = (&self.lessons.weights[k], f64::from(self.fit_intercept));
        let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let (mut objective, mut size, mut steep_b, mut slope_b) = (0.0, 0.0, 0.0, 0.0);
        let (mut margin, mut radius) = (f64::INFINITY, 0.0f64);
        let (mut gradient, mut steep) = (vec![0.0; w.len()], vec![0.0; w.len()]);
        for i in (0..points.n()).filter(|&i| weights[i] > 0.0) {
            let (f, y, share) = (points.dot(i, w) + b, targets[i], weights[i] / total);
            let norm2 = points.norm2(i) + constant;
            objective += share * self.loss.value(f, y);
            size += share * self.loss.value(0.0, y);
            let slope = share * self.loss.gradient(f, y).unwrap_or(f64::NAN);
            // A perceptron has no slope at zero, so that of a score that is wrong is taken.
            let wrong = if self.loss.is_margin() { -y } else { 0.0 };
            let most = share * self.loss.gradient(wrong, y).unwrap_or(f64::NAN).abs();
            points.each(i, |j, x| steep[j] += most * x.abs());
            steep_b += most;
            points.add(i, slope, &mut gradient);
            slope_b += slope * constant;
            (margin, radius) = (margin.min(y * f), radius.max(norm2));
        }
        let norm = (dot(w, w) + constant * b * b).sqrt();
        let apart = margin / norm;
        for (g, &w) in gradient.iter_mut().zip(w) {
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
        let entries = gradient.iter().zip(&steep).chain([(&slope_b, &steep_b)]);
        Found {
            objective: objective + penalty,
            size,
            gradient: entries.map(over).fold(0.0, crate::linear_model::larger),
            mistakes: if apart > 0.0 { radius / (apart * apart) } else { f64::INFINITY },
        }
    }
}
