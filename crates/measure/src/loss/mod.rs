//! Losses as named values: what a score `f` costs when the truth is `y`. Whatever minimises a loss reads it here.
//!
//! | name | `y` | value | note |
//! |---|---|---|---|
//! | `zero_one` | ±1 | 1 if y f ≤ 0, else 0 | not convex: no gradient, curvature or prox |
//! | `logistic` | ±1 | ln(1 + e^{−y f}) | |
//! | `perceptron` | ±1 | max(0, −y f) | |
//! | `hinge` | ±1 | max(0, 1 − y f) | |
//! | `squared_hinge` | ±1 | max(0, 1 − y f)² | |
//! | `modified_huber` | ±1 | max(0, 1 − y f)², and −4 y f below −1 | |
//! | `exponential` | ±1 | e^{−y f} | 1 at f = 0 |
//! | `squared` | number | (f − y)² | |
//! | `half_squared` | number | ½(f − y)² | |
//! | `absolute` | number | \|f − y\| | |
//! | `epsilon_insensitive(epsilon=0.1)` | number | max(0, \|f − y\| − ε) | |
//! | `squared_epsilon_insensitive(epsilon=0.1)` | number | max(0, \|f − y\| − ε)² | |
//! | `huber(delta=1.35)` | number | ½(f − y)², and δ(\|f − y\| − ½δ) beyond δ | |
//! | `quantile(alpha=0.5)` | number | α (y − f) or (1 − α)(f − y), whichever is positive | pinball |
//! | `cross_entropy` | [0, 1] | ln(1 + e^f) − y f: `f` is the logit of class 1 | many classes: [`softmax`] |
//! | `poisson` | ≥ 0 | e^f − y f: `f` is the logarithm of the mean | half the deviance, up to a constant |
//! | `gamma` | > 0 | f + y e^{−f} | the same |
//! | `tweedie(power=1.5)` | ≥ 0 | e^{(2−p) f} / (2−p) − y e^{(1−p) f} / (1−p), 1 < p < 2 | the same |
//!
//! All but `zero_one` are convex in `f`. At a kink the gradient is a subgradient: 0 where 0 is one (a residual of 0,
//! the edge of the tube, the hinge at its corner), so that an exact fit stays put; for `quantile` at 0, too. A class is
//! the positive one where its truth is above 0: codes 0 and 1 say the same as −1 and 1.
//!
//! A loss is a function of the margin, of the residual, of the logit or of the logarithm of
//! a mean: one file each. [`Loss::gradients`] computes blocks of rows with SIMD exponentials, which may
//! differ from the functions of one row in the last digits; [`ClassBlock`] is the cross-entropy of rows with classes.

mod block;
mod class_block;
mod link;
mod log_mean;
mod margin;
mod names;
mod residual;
pub mod softmax;
mod start;

pub use class_block::ClassBlock;
pub use link::{Link, class_probabilities};
pub(crate) use log_mean::unit_deviance;
pub use start::quantile_constant;

use log_mean::LogMean;
use margin::Margin;
use mercer_core::{Error, Result};
use mercer_math::{log1p_exp, rising_root};
use residual::Residual;

/// A loss, with its parameters. See the [table](crate::loss).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// 1 for a mistake.
    ZeroOne,
    /// Of logistic regression, for classes ±1.
    Logistic,
    /// Of the perceptron.
    Perceptron,
    /// Of the support vector machine.
    Hinge,
    /// The hinge, squared.
    SquaredHinge,
    /// The squared hinge, linear beyond a margin of -1.
    ModifiedHuber,
    /// Of AdaBoost.
    Exponential,
    /// Of least squares, without a half.
    Squared,
    /// Of least squares, with a half: its gradient is the residual.
    HalfSquared,
    /// Of least absolute deviations.
    Absolute,
    /// The absolute loss with a tube in which errors are free.
    EpsilonInsensitive {
        /// Half the width of the tube, at least 0.
        epsilon: f64,
    },
    /// Its square.
    SquaredEpsilonInsensitive {
        /// Half the width of the tube, at least 0.
        epsilon: f64,
    },
    /// Half the squared loss, linear beyond `delta`.
    Huber {
        /// Where it turns linear, above 0.
        delta: f64,
    },
    /// Of quantile regression.
    Quantile {
        /// The quantile, in [0, 1].
        alpha: f64,
    },
    /// Of a logit, for classes 0 and 1 or a probability between.
    CrossEntropy,
    /// Half the Poisson deviance of the logarithm of a mean, for counts.
    Poisson,
    /// Half the gamma deviance of the logarithm of a mean, for positive numbers.
    Gamma,
    /// Half the Tweedie deviance of the logarithm of a mean, for numbers that are often 0.
    Tweedie {
        /// The power of the mean that the variance grows with, in (1, 2).
        power: f64,
    },
}

/// What a loss is a function of.
#[derive(Clone, Copy)]
enum Shape {
    /// The margin `y f`.
    Margin(Margin),
    /// The residual `f - y`.
    Residual(Residual),
    /// The logit.
    Logit,
    /// The logarithm of a mean.
    LogMean(LogMean),
}

/// 1 / (1 + e^{-x}) without overflow.
fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// x ln x, 0 at 0.
fn x_log_x(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x * x.ln() }
}

/// Minus the entropy of (p, 1 - p); infinite outside [0, 1].
fn negative_entropy(p: f64) -> f64 {
    if (0.0..=1.0).contains(&p) { x_log_x(p) + x_log_x(1.0 - p) } else { f64::INFINITY }
}

/// `value` where `at` lies between the bounds, else infinity.
fn within(low: f64, high: f64, value: f64, at: f64) -> f64 {
    if at >= low && at <= high { value } else { f64::INFINITY }
}

/// The root of `z - t - s e^{-z}`, for `s` above 0.
fn exponential_prox(t: f64, s: f64) -> f64 {
    // It lies above t; e^{-z} is at most e^{-t} above 0 and at most 1 below.
    let high = if t >= 0.0 { t + s * (-t).exp() } else { s };
    rising_root(t, high, |z| (z - t - s * (-z).exp(), 1.0 + s * (-z).exp()))
}

/// `x` pulled towards 0 by `by`, and 0 within.
pub(crate) fn soft_threshold(x: f64, by: f64) -> f64 {
    x.signum() * (x.abs() - by).max(0.0)
}

/// 0 where it holds, else infinity: the conjugate of what grows linearly.
pub(crate) fn indicator(holds: bool) -> f64 {
    if holds { 0.0 } else { f64::INFINITY }
}

impl Loss {
    #[inline(always)]
    fn shape(self) -> Shape {
        match self {
            Loss::ZeroOne => Shape::Margin(Margin::ZeroOne),
            Loss::Logistic => Shape::Margin(Margin::Logistic),
            Loss::Perceptron => Shape::Margin(Margin::Perceptron),
            Loss::Hinge => Shape::Margin(Margin::Hinge),
            Loss::SquaredHinge => Shape::Margin(Margin::SquaredHinge),
            Loss::ModifiedHuber => Shape::Margin(Margin::ModifiedHuber),
            Loss::Exponential => Shape::Margin(Margin::Exponential),
            Loss::Squared => Shape::Residual(Residual::Squared),
            Loss::HalfSquared => Shape::Residual(Residual::HalfSquared),
            Loss::Absolute => Shape::Residual(Residual::Absolute),
            Loss::EpsilonInsensitive { epsilon } => Shape::Residual(Residual::Tube(epsilon)),
            Loss::SquaredEpsilonInsensitive { epsilon } => Shape::Residual(Residual::SquaredTube(epsilon)),
            Loss::Huber { delta } => Shape::Residual(Residual::Huber(delta)),
            Loss::Quantile { alpha } => Shape::Residual(Residual::Quantile(alpha)),
            Loss::CrossEntropy => Shape::Logit,
            Loss::Poisson => Shape::LogMean(LogMean::Poisson),
            Loss::Gamma => Shape::LogMean(LogMean::Gamma),
            Loss::Tweedie { power } => Shape::LogMean(LogMean::Tweedie(power)),
        }
    }

    /// Whether the truth is a class ±1 (a function of the margin).
    pub fn is_margin(&self) -> bool {
        matches!(self.shape(), Shape::Margin(_))
    }

    /// Whether it is a function of the residual: of a number and its prediction.
    pub fn is_residual(&self) -> bool {
        matches!(self.shape(), Shape::Residual(_))
    }

    /// Whether the loss has a value for a truth.
    pub fn takes(&self, y: f64) -> bool {
        match self.shape() {
            Shape::Margin(_) | Shape::Residual(_) => y.is_finite(),
            Shape::Logit => (0.0..=1.0).contains(&y),
            Shape::LogMean(loss) => y.is_finite() && loss.takes(y),
        }
    }

    /// The loss of the score `f` for `y`.
    pub fn value(&self, f: f64, y: f64) -> f64 {
        match self.shape() {
            Shape::Margin(loss) => loss.value(margin::side(y) * f),
            Shape::Residual(loss) => loss.value(f - y),
            Shape::Logit => log1p_exp(f) - y * f,
            Shape::LogMean(loss) => loss.value(f, y),
        }
    }

    fn convex(&self, what: &str) -> Result<()> {
        if *self == Loss::ZeroOne { Err(Error::incapable("the 0-1 loss", what)) } else { Ok(()) }
    }

    /// The derivative in `f`; at a kink the subgradient that the [table](crate::loss) says. The 0-1 loss has none:
    /// an error.
    pub fn gradient(&self, f: f64, y: f64) -> Result<f64> {
        self.convex("give a gradient")?;
        Ok(match self.shape() {
            Shape::Margin(loss) => margin::side(y) * loss.slope(margin::side(y) * f),
            Shape::Residual(loss) => loss.slope(f - y),
            Shape::Logit => sigmoid(f) - y,
            Shape::LogMean(loss) => loss.derivatives(f.exp(), y).0,
        })
    }

    /// The second derivative in `f`, where there is one; at a kink that of the flatter side. The 0-1 loss has none:
    /// an error.
    pub fn curvature(&self, f: f64, y: f64) -> Result<f64> {
        self.convex("give a curvature")?;
        Ok(match self.shape() {
            Shape::Margin(loss) => loss.curvature(margin::side(y) * f),
            Shape::Residual(loss) => loss.curvature(f - y),
            Shape::Logit => sigmoid(f) * sigmoid(-f),
            Shape::LogMean(loss) => loss.derivatives(f.exp(), y).1,
        })
    }

    /// The least upper bound of the curvature over all `f`, for all `y`: the Lipschitz constant of the gradient.
    /// Infinite where the gradient jumps or grows without bound.
    pub fn curvature_bound(&self) -> f64 {
        match self.shape() {
            Shape::Margin(loss) => loss.curvature_bound(),
            Shape::Residual(loss) => loss.curvature_bound(),
            Shape::Logit => 0.25,
            Shape::LogMean(_) => f64::INFINITY,
        }
    }

    /// The proximal point `argmin_z step · loss(z, y) + ½ (z − v)²` for a `step` above 0.
    ///
    /// In closed form but for the logistic, exponential, cross-entropy losses and the deviances, where Newton's method
    /// within a bracket finds it to the last digits. The 0-1 loss has none: an error.
    pub fn prox(&self, v: f64, step: f64, y: f64) -> Result<f64> {
        self.convex("give a proximal point")?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::param("prox", "step", "in (0, inf)", step));
        }
        if !v.is_finite() {
            return Ok(v);
        }
        Ok(match self.shape() {
            Shape::Margin(loss) => margin::side(y) * loss.prox(margin::side(y) * v, step),
            Shape::Residual(loss) => y + loss.prox(v - y, step),
            Shape::Logit => rising_root(v - step * (1.0 - y).max(0.0), v + step * y.max(0.0), |z| {
                (z - v + step * (sigmoid(z) - y), 1.0 + step * sigmoid(z) * sigmoid(-z))
            }),
            Shape::LogMean(loss) => loss.prox(v, step, y),
        })
    }

    /// The convex conjugate in the score, `sup_f u f − loss(f, y)`; infinite outside its domain. That of the 0-1 loss
    /// is that of its convex hull, 0: 0 at `u = 0`, else infinite.
    pub fn conjugate(&self, u: f64, y: f64) -> f64 {
        match self.shape() {
            Shape::Margin(loss) => loss.conjugate(margin::side(y) * u),
            Shape::Residual(loss) => match loss.conjugate(u) {
                // 0 · infinity must not become NaN.
                conjugate if conjugate.is_finite() => conjugate + u * y,
                infinite => infinite,
            },
            Shape::Logit => negative_entropy(u + y),
            Shape::LogMean(loss) => loss.conjugate(u, y),
        }
    }
}
