//! Losses of blocks of rows: which loss it is is asked once a block, and exponentials are taken side by side.

use super::log_mean::LogMean;
use super::margin::{Margin, side};
use super::residual::Residual;
use super::{Loss, Shape};
use mercer_math::{Weights, exp_slice, sigmoid_slice};

/// Truths and scores in, gradients and curvatures out; no curvatures are wanted where there is no room for them.
struct Block<'a> {
    truth: &'a [f64],
    scores: &'a [f64],
    gradient: &'a mut [f64],
    curvature: &'a mut [f64],
}

impl Block<'_> {
    /// By functions of truth and score.
    #[inline(always)]
    fn each(self, gradient: impl Fn(f64, f64) -> f64, curvature: impl Fn(f64, f64) -> f64) {
        let rows = || self.truth.iter().zip(self.scores);
        self.gradient.iter_mut().zip(rows()).for_each(|(g, (&y, &f))| *g = gradient(y, f));
        self.curvature.iter_mut().zip(rows()).for_each(|(h, (&y, &f))| *h = curvature(y, f));
    }

    /// By both derivatives as a function of the truth and of an argument that is mapped for all rows at once.
    #[inline(always)]
    fn mapped(
        self,
        argument: impl Fn(f64, f64) -> f64,
        map: impl Fn(&mut [f64]),
        derivatives: impl Fn(f64, f64) -> (f64, f64),
    ) {
        let rows = self.truth.iter().zip(self.scores);
        self.gradient.iter_mut().zip(rows).for_each(|(g, (&y, &f))| *g = argument(y, f));
        map(self.gradient);
        let rows = self.gradient.iter_mut().zip(self.truth);
        if self.curvature.is_empty() {
            rows.for_each(|(g, &y)| *g = derivatives(y, *g).0);
        } else {
            rows.zip(self.curvature).for_each(|((g, &y), h)| (*g, *h) = derivatives(y, *g));
        }
    }

    #[inline(always)]
    fn margin(self, loss: Margin) {
        self.each(|y, f| side(y) * loss.slope(side(y) * f), |y, f| loss.curvature(side(y) * f));
    }

    #[inline(always)]
    fn residual(self, loss: Residual) {
        self.each(|y, f| loss.slope(f - y), |y, f| loss.curvature(f - y));
    }

    #[inline(always)]
    fn log_mean(self, loss: LogMean) {
        self.mapped(|_, f| f, exp_slice, |y, mean| loss.derivatives(mean, y));
    }

    fn fill(self, loss: Loss) {
        // Each arm is a loop of its own, in which the loss is known.
        match loss.shape() {
            Shape::Margin(Margin::ZeroOne) => self.margin(Margin::ZeroOne),
            Shape::Margin(Margin::Perceptron) => self.margin(Margin::Perceptron),
            Shape::Margin(Margin::Hinge) => self.margin(Margin::Hinge),
            Shape::Margin(Margin::SquaredHinge) => self.margin(Margin::SquaredHinge),
            Shape::Margin(Margin::ModifiedHuber) => self.margin(Margin::ModifiedHuber),
            Shape::Margin(Margin::Logistic) => {
                self.mapped(|y, f| -side(y) * f, sigmoid_slice, |y, q| (-side(y) * q, q * (1.0 - q)));
            }
            Shape::Margin(Margin::Exponential) => {
                self.mapped(|_, f| f, exp_slice, |y, e| if y > 0.0 { (-1.0 / e, 1.0 / e) } else { (e, e) });
            }
            Shape::Residual(Residual::Squared) => self.residual(Residual::Squared),
            Shape::Residual(Residual::HalfSquared) => self.residual(Residual::HalfSquared),
            Shape::Residual(Residual::Absolute) => self.residual(Residual::Absolute),
            Shape::Residual(Residual::Tube(e)) => self.residual(Residual::Tube(e)),
            Shape::Residual(Residual::SquaredTube(e)) => self.residual(Residual::SquaredTube(e)),
            Shape::Residual(Residual::Huber(d)) => self.residual(Residual::Huber(d)),
            Shape::Residual(Residual::Quantile(a)) => self.residual(Residual::Quantile(a)),
            Shape::Logit => self.mapped(|_, f| f, sigmoid_slice, |y, p| (p - y, p * (1.0 - p))),
            Shape::LogMean(LogMean::Poisson) => self.log_mean(LogMean::Poisson),
            Shape::LogMean(LogMean::Gamma) => self.log_mean(LogMean::Gamma),
            Shape::LogMean(LogMean::Tweedie(p)) => self.log_mean(LogMean::Tweedie(p)),
        }
    }
}

impl Loss {
    /// Writes the gradient of each row into `gradient` and, unless it is empty, the curvature into `curvature`, both
    /// times the row's weight. Those of the 0-1 loss are 0, as they are where it has any.
    ///
    /// # Panics
    /// When the slices are not of one length.
    ///
    /// # Example
    /// ```
    /// use mercer_math::Weights;
    /// use mercer_measure::Loss;
    /// let (mut g, mut h) = ([0.0; 2], [0.0; 2]);
    /// Loss::Poisson.gradients(&[3.0, 0.0], &[0.0, 0.0], Weights::NONE, &mut g, &mut h);
    /// assert_eq!((g, h), ([-2.0, 1.0], [1.0, 1.0]));
    /// ```
    pub fn gradients(
        &self,
        truth: &[f64],
        scores: &[f64],
        weights: Weights<'_>,
        gradient: &mut [f64],
        curvature: &mut [f64],
    ) {
        let n = truth.len();
        assert!(scores.len() == n && gradient.len() == n && weights.fit(n), "one entry for each row");
        assert!(curvature.is_empty() || curvature.len() == n, "one curvature for each row");
        Block { truth, scores, gradient: &mut *gradient, curvature: &mut *curvature }.fill(*self);
        if let Some(w) = weights.given() {
            gradient.iter_mut().zip(w).for_each(|(g, w)| *g *= w);
            curvature.iter_mut().zip(w).for_each(|(h, w)| *h *= w);
        }
    }

    /// The sum of weight times loss over the rows of a block.
    ///
    /// # Panics
    /// When the slices are not of one length.
    pub fn total(&self, truth: &[f64], scores: &[f64], weights: Weights<'_>) -> f64 {
        assert!(scores.len() == truth.len() && weights.fit(truth.len()), "one entry for each row");
        let rows = truth.iter().zip(scores).enumerate();
        rows.fold(0.0, |sum, (i, (&y, &f))| sum + weights[i] * self.value(f, y))
    }
}
