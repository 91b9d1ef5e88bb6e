//! Losses of blocks of rows: which loss it is is asked once a block, and exponentials are taken side by side.

use super::log_mean::LogMean;
use super::margin::{Margin, side};
use super::residual::Residual;
use super::{Loss, Shape};
use mercer_math::{Weights, exp_slice, sigmoid_slice};

/// Rows whose exponentials are taken at once, while they are in the nearest cache.
const PIECE: usize = 512;

/// Truths and scores in, rounded gradients and curvatures out; no curvatures are wanted where there is no room for them.
struct Block<'a, T, R> {
    truth: &'a [f64],
    scores: &'a [f64],
    gradient: &'a mut [T],
    curvature: &'a mut [T],
    round: R,
}

/// A function of truth and score for each row that there is room for. Slices as arguments of their own are known not to
/// overlap, without which the loop is no SIMD.
#[inline(always)]
fn write<T>(truth: &[f64], scores: &[f64], out: &mut [T], of: impl Fn(f64, f64) -> T) {
    out.iter_mut().zip(truth.iter().zip(scores)).for_each(|(out, (&y, &f))| *out = of(y, f));
}

impl<T, R: Fn(f64) -> T> Block<'_, T, R> {
    /// By functions of truth and score.
    #[inline(always)]
    fn each(self, gradient: impl Fn(f64, f64) -> f64, curvature: impl Fn(f64, f64) -> f64) {
        let round = self.round;
        write(self.truth, self.scores, self.gradient, |y, f| round(gradient(y, f)));
        write(self.truth, self.scores, self.curvature, |y, f| round(curvature(y, f)));
    }

    /// By both derivatives as a function of the truth and of an argument that is mapped for many rows at once.
    #[inline(always)]
    fn mapped(
        self,
        argument: impl Fn(f64, f64) -> f64,
        map: impl Fn(&mut [f64]),
        derivatives: impl Fn(f64, f64) -> (f64, f64),
    ) {
        let (mut room, round) = ([0.0; PIECE], self.round);
        let rows = self.truth.chunks(PIECE).zip(self.scores.chunks(PIECE));
        for (at, ((truth, scores), gradient)) in rows.zip(self.gradient.chunks_mut(PIECE)).enumerate() {
            let mapped = &mut room[..truth.len()];
            mapped.iter_mut().zip(truth.iter().zip(scores)).for_each(|(m, (&y, &f))| *m = argument(y, f));
            map(mapped);
            let rows = gradient.iter_mut().zip(truth.iter().zip(&*mapped));
            match self.curvature.get_mut(at * PIECE..at * PIECE + truth.len()) {
                None => rows.for_each(|(g, (&y, &m))| *g = round(derivatives(y, m).0)),
                Some(curvature) => rows.zip(curvature).for_each(|((g, (&y, &m)), h)| {
                    let (first, second) = derivatives(y, m);
                    (*g, *h) = (round(first), round(second));
                }),
            }
        }
    }

    fn fill(self, loss: Loss) {
        // Each arm is a loop of its own that names its loss: carried in a variable, it would be asked for again at every
        // row, and the loop would be no SIMD.
        macro_rules! margin {
            ($loss:expr) => {
                self.each(|y, f| side(y) * $loss.slope(side(y) * f), |y, f| $loss.curvature(side(y) * f))
            };
        }
        macro_rules! residual {
            ($loss:expr) => {
                self.each(|y, f| $loss.slope(f - y), |y, f| $loss.curvature(f - y))
            };
        }
        macro_rules! log_mean {
            ($loss:expr) => {
                self.mapped(|_, f| f, exp_slice, |y, mean| $loss.derivatives(mean, y))
            };
        }
        match loss.shape() {
            Shape::Margin(Margin::ZeroOne) => margin!(Margin::ZeroOne),
            Shape::Margin(Margin::Perceptron) => margin!(Margin::Perceptron),
            Shape::Margin(Margin::Hinge) => margin!(Margin::Hinge),
            Shape::Margin(Margin::SquaredHinge) => margin!(Margin::SquaredHinge),
            Shape::Margin(Margin::ModifiedHuber) => margin!(Margin::ModifiedHuber),
            Shape::Margin(Margin::Logistic) => {
                self.mapped(|y, f| -side(y) * f, sigmoid_slice, |y, q| (-side(y) * q, q * (1.0 - q)));
            }
            Shape::Margin(Margin::Exponential) => {
                self.mapped(|_, f| f, exp_slice, |y, e| if y > 0.0 { (-1.0 / e, 1.0 / e) } else { (e, e) });
            }
            Shape::Residual(Residual::Squared) => residual!(Residual::Squared),
            Shape::Residual(Residual::HalfSquared) => residual!(Residual::HalfSquared),
            Shape::Residual(Residual::Absolute) => residual!(Residual::Absolute),
            Shape::Residual(Residual::Tube(e)) => residual!(Residual::Tube(e)),
            Shape::Residual(Residual::SquaredTube(e)) => residual!(Residual::SquaredTube(e)),
            Shape::Residual(Residual::Huber(d)) => residual!(Residual::Huber(d)),
            Shape::Residual(Residual::Quantile(a)) => residual!(Residual::Quantile(a)),
            Shape::Logit => self.mapped(|_, f| f, sigmoid_slice, |y, p| (p - y, p * (1.0 - p))),
            Shape::LogMean(LogMean::Poisson) => log_mean!(LogMean::Poisson),
            Shape::LogMean(LogMean::Gamma) => log_mean!(LogMean::Gamma),
            Shape::LogMean(LogMean::Tweedie(p)) => log_mean!(LogMean::Tweedie(p)),
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
        assert!(weights.fit(truth.len()), "one weight for each row");
        self.gradients_as(truth, scores, gradient, curvature, |v| v);
        if let Some(w) = weights.given() {
            gradient.iter_mut().zip(w).for_each(|(g, w)| *g *= w);
            curvature.iter_mut().zip(w).for_each(|(h, w)| *h *= w);
        }
    }

    /// [`Loss::gradients`] of weight 1, each rounded on its way out.
    ///
    /// # Panics
    /// When the slices are not of one length.
    pub fn gradients_as<T>(
        &self,
        truth: &[f64],
        scores: &[f64],
        gradient: &mut [T],
        curvature: &mut [T],
        round: impl Fn(f64) -> T,
    ) {
        let n = truth.len();
        assert!(scores.len() == n && gradient.len() == n, "one entry for each row");
        assert!(curvature.is_empty() || curvature.len() == n, "one curvature for each row");
        Block { truth, scores, gradient, curvature, round }.fill(*self);
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
