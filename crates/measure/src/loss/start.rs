//! The best constant score of a sample: where boosting and iterations start.

use super::{Link, Loss, Shape, residual::Residual};
use mercer_math::{Weights, rising_root};

/// The weighted mean of `value(0..n)`.
fn mean(n: usize, weights: Weights<'_>, value: impl Fn(usize) -> f64) -> f64 {
    let total: f64 = weights.iter(n).sum();
    (0..n).map(|i| weights[i] * value(i)).sum::<f64>() / total
}

/// The constant of least pinball loss at `alpha` for values with weights: the smallest at or below which that share of
/// the weight lies, averaged with the next where exact; 0 of nothing. Sorts the values.
pub fn quantile_constant(values: &mut [(f64, f64)], alpha: f64) -> f64 {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = values.iter().map(|v| v.1).sum();
    let (wanted, mut sum) = (alpha * total, 0.0);
    for (i, v) in values.iter().enumerate() {
        sum += v.1;
        let slack = 1e-12 * total;
        if sum > wanted + slack {
            return v.0;
        }
        if sum >= wanted - slack {
            return values.get(i + 1).map_or(v.0, |next| 0.5 * (v.0 + next.0));
        }
    }
    values.last().map_or(0.0, |v| v.0)
}

impl Loss {
    /// The quantile of the residuals that the best constant is, where it is one.
    pub fn quantile(&self) -> Option<f64> {
        match *self {
            Loss::Absolute => Some(0.5),
            Loss::Quantile { alpha } => Some(alpha),
            _ => None,
        }
    }

    /// The score of least total loss when all rows get the same.
    ///
    /// # Example
    /// ```
    /// use mercer_math::Weights;
    /// use mercer_measure::Loss;
    /// let counts = [0.0, 1.0, 2.0];
    /// assert_eq!(Loss::Squared.start(&counts, Weights::NONE), 1.0);
    /// assert_eq!(Loss::Poisson.start(&counts, Weights::NONE), 1f64.ln());
    /// ```
    pub fn start(&self, truth: &[f64], weights: Weights<'_>) -> f64 {
        let n = truth.len();
        let of_truth = || mean(n, weights, |i| truth[i]);
        match self.shape() {
            Shape::Margin(loss) => loss.start(mean(n, weights, |i| f64::from(truth[i] > 0.0))),
            Shape::Logit => Link::Logit(1.0).score(of_truth()),
            Shape::LogMean(_) => Link::Log.score(of_truth()),
            Shape::Residual(loss) => loss.start(truth, weights),
        }
    }
}

impl Residual {
    fn start(self, truth: &[f64], weights: Weights<'_>) -> f64 {
        let pairs = |shift: f64| truth.iter().enumerate().map(move |(i, y)| (y + shift, weights[i]));
        match self {
            Residual::Squared | Residual::HalfSquared => mean(truth.len(), weights, |i| truth[i]),
            Residual::Absolute => quantile_constant(&mut pairs(0.0).collect::<Vec<_>>(), 0.5),
            Residual::Quantile(alpha) => quantile_constant(&mut pairs(0.0).collect::<Vec<_>>(), alpha),
            // max(0, |t| − ε) is the mean of |t − ε| and |t + ε|, less ε.
            Residual::Tube(epsilon) => {
                quantile_constant(&mut pairs(-epsilon).chain(pairs(epsilon)).collect::<Vec<_>>(), 0.5)
            }
            Residual::SquaredTube(_) | Residual::Huber(_) => {
                let counted = || pairs(0.0).filter(|p| p.1 > 0.0);
                let low = counted().fold(f64::INFINITY, |m, p| m.min(p.0));
                let high = counted().fold(f64::NEG_INFINITY, |m, p| m.max(p.0));
                rising_root(low, high, |f| {
                    counted().fold((0.0, 0.0), |(slope, curvature), (y, w)| {
                        (slope + w * self.slope(f - y), curvature + w * self.curvature(f - y))
                    })
                })
            }
        }
    }
}
