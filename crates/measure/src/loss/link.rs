//! Links: how a score and the mean that it predicts belong together.

use super::{Loss, Shape, margin::Margin, softmax};
use mercer_math::{Mat, exp_slice, sigmoid_slice};

/// The link of a loss: the score of a mean. Its inverse makes predictions of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// The score is the prediction.
    Identity,
    /// The score is the logarithm of the mean.
    Log,
    /// This many times the score is the logit of the probability of the positive class.
    Logit(f64),
}

impl Link {
    /// Turns scores into means: numbers, or probabilities of the positive class.
    pub fn means(self, scores: &mut [f64]) {
        match self {
            Link::Identity => {}
            Link::Log => exp_slice(scores),
            Link::Logit(scale) => {
                scores.iter_mut().for_each(|f| *f *= scale);
                sigmoid_slice(scores);
            }
        }
    }

    /// The score of a mean; of one at the end of its range a score far out, yet finite.
    pub fn score(self, mean: f64) -> f64 {
        match self {
            Link::Identity => mean,
            Link::Log => mean.max(f64::MIN_POSITIVE).ln(),
            Link::Logit(scale) => {
                let p = mean.clamp(1e-15, 1.0 - 1e-15);
                (p / (1.0 - p)).ln() / scale
            }
        }
    }
}

/// The probabilities of all classes, rows × classes: by softmax of a score for each class, or by one score for two
/// classes, `scale` times which is the logit of the second.
///
/// # Example
/// ```
/// use mercer_math::Mat;
/// let p = mercer_measure::class_probabilities(Mat::from_fn(2, 1, |i, _| 40.0 * i as f64), 1.0);
/// assert_eq!((p[(0, 0)], p[(0, 1)], p[(1, 1)]), (0.5, 0.5, 1.0));
/// assert!(p[(1, 0)] > 0.0);
/// ```
pub fn class_probabilities(mut scores: Mat, scale: f64) -> Mat {
    let (n, k) = (scores.n_rows(), scores.n_cols());
    if k > 1 {
        (0..n).for_each(|i| softmax::means(k, scores.row_mut(i)));
        return scores;
    }
    // Both from the score itself, so that neither loses its digits to the other.
    let (mut yes, mut no) = (scores.as_slice().to_vec(), scores.into_vec());
    Link::Logit(scale).means(&mut yes);
    Link::Logit(-scale).means(&mut no);
    Mat::from_fn(n, 2, |i, c| if c == 1 { yes[i] } else { no[i] })
}

impl Loss {
    /// The link under which the loss is least in expectation: the mean, or the probability, that a score stands for.
    /// Of a margin loss that knows no probabilities it is the identity, as it is of one of the residual.
    pub fn link(&self) -> Link {
        match self.shape() {
            Shape::Margin(Margin::Logistic) | Shape::Logit => Link::Logit(1.0),
            Shape::Margin(Margin::Exponential) => Link::Logit(2.0),
            Shape::Margin(_) | Shape::Residual(_) => Link::Identity,
            Shape::LogMean(_) => Link::Log,
        }
    }
}
