//! Losses as named values: what a prediction `f` costs when the truth is `y`.
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
//! | `absolute` | number | \|f − y\| | |
//! | `epsilon_insensitive(epsilon=0.1)` | number | max(0, \|f − y\| − ε) | |
//! | `squared_epsilon_insensitive(epsilon=0.1)` | number | max(0, \|f − y\| − ε)² | |
//! | `huber(delta=1.35)` | number | ½(f − y)², and δ(\|f − y\| − ½δ) beyond δ | |
//! | `quantile(alpha=0.5)` | number | α (y − f) or (1 − α)(f − y), whichever is positive | pinball |
//! | `cross_entropy` | [0, 1] | ln(1 + e^f) − y f: `f` is the logit of class 1 | many classes: [`softmax`](crate::softmax) |
//!
//! All but `zero_one` are convex in `f`. At a kink the gradient is a subgradient: 0 where 0 is one (a residual of 0,
//! the edge of the tube, the hinge at its corner), so that an exact fit stays put; for `quantile` at 0, too.

use crate::spec::Spec;
use mercer_core::{Error, ParamKind, ParamType, Result, Value};
use mercer_math::rising_root;
use std::fmt;

/// A loss, with its parameters. See the [table](crate::loss).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
}

/// A loss is a function of the margin `y f`, of the residual `f - y`, or of the logit.
#[derive(Clone, Copy)]
enum Shape {
    Margin,
    Residual,
    Logit,
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
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

/// `x` pulled towards 0 by `by`, and 0 within.
pub(crate) fn soft_threshold(x: f64, by: f64) -> f64 {
    x.signum() * (x.abs() - by).max(0.0)
}

/// 0 where it holds, else infinity: the conjugate of what grows linearly.
pub(crate) fn indicator(holds: bool) -> f64 {
    if holds { 0.0 } else { f64::INFINITY }
}

impl Loss {
    /// Reads a loss from text: `hinge`, `huber(delta=1.35)`. Usual other names are known (`log_loss`,
    /// `squared_error`, `absolute_error`, `pinball`, …).
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Loss;
    /// let loss = Loss::parse("huber(delta=2)")?;
    /// assert_eq!(loss, Loss::Huber { delta: 2.0 });
    /// assert_eq!(loss.value(5.0, 0.0), 2.0 * (5.0 - 1.0));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Loss> {
        Self::read(Spec::parse("loss", text)?)
    }

    /// Reads a loss from a parameter's value.
    pub fn from_value(value: &Value) -> Result<Loss> {
        Self::read(Spec::of("loss", value)?)
    }

    fn read(mut spec: Spec) -> Result<Loss> {
        const NAMES: [&str; 14] = [
            "zero_one",
            "logistic",
            "perceptron",
            "hinge",
            "squared_hinge",
            "modified_huber",
            "exponential",
            "squared",
            "absolute",
            "epsilon_insensitive",
            "squared_epsilon_insensitive",
            "huber",
            "quantile",
            "cross_entropy",
        ];
        let tube = |spec: &Spec| spec.real("epsilon", 0.1, "in [0, inf)", |v| v >= 0.0 && v.is_finite());
        let names: &[&str] = match spec.kind.as_str() {
            "epsilon_insensitive" | "squared_epsilon_insensitive" => &["epsilon"],
            "huber" => &["delta"],
            "quantile" | "pinball" => &["alpha"],
            _ => &[],
        };
        spec.name_all(names)?;
        Ok(match spec.kind.as_str() {
            "zero_one" | "0_1" | "zero_one_loss" => Loss::ZeroOne,
            "logistic" | "log_loss" | "log" => Loss::Logistic,
            "perceptron" => Loss::Perceptron,
            "hinge" => Loss::Hinge,
            "squared_hinge" => Loss::SquaredHinge,
            "modified_huber" => Loss::ModifiedHuber,
            "exponential" => Loss::Exponential,
            "squared" | "squared_error" | "squared_loss" => Loss::Squared,
            "absolute" | "absolute_error" => Loss::Absolute,
            "epsilon_insensitive" => Loss::EpsilonInsensitive { epsilon: tube(&spec)? },
            "squared_epsilon_insensitive" => Loss::SquaredEpsilonInsensitive { epsilon: tube(&spec)? },
            "huber" => {
                let delta = spec.real("delta", 1.35, "in (0, inf)", |v| v > 0.0 && v.is_finite())?;
                Loss::Huber { delta }
            }
            "quantile" | "pinball" => {
                let alpha = spec.real("alpha", 0.5, "in [0, 1]", |v| (0.0..=1.0).contains(&v))?;
                Loss::Quantile { alpha }
            }
            "cross_entropy" => Loss::CrossEntropy,
            other => return Err(Error::unknown("loss", other, NAMES)),
        })
    }

    /// Every loss with its usual parameters.
    pub fn all() -> [Loss; 14] {
        [
            Loss::ZeroOne,
            Loss::Logistic,
            Loss::Perceptron,
            Loss::Hinge,
            Loss::SquaredHinge,
            Loss::ModifiedHuber,
            Loss::Exponential,
            Loss::Squared,
            Loss::Absolute,
            Loss::EpsilonInsensitive { epsilon: 0.1 },
            Loss::SquaredEpsilonInsensitive { epsilon: 0.1 },
            Loss::Huber { delta: 1.35 },
            Loss::Quantile { alpha: 0.5 },
            Loss::CrossEntropy,
        ]
    }

    fn shape(self) -> Shape {
        match self {
            Loss::ZeroOne
            | Loss::Logistic
            | Loss::Perceptron
            | Loss::Hinge
            | Loss::SquaredHinge
            | Loss::ModifiedHuber
            | Loss::Exponential => Shape::Margin,
            Loss::CrossEntropy => Shape::Logit,
            _ => Shape::Residual,
        }
    }

    /// Whether the truth is a class ±1 (a function of the margin).
    pub fn is_margin(&self) -> bool {
        matches!(self.shape(), Shape::Margin)
    }

    /// What the loss looks at: the margin, the residual, or the prediction itself.
    fn argument(self, f: f64, y: f64) -> f64 {
        match self.shape() {
            Shape::Margin => y * f,
            Shape::Residual => f - y,
            Shape::Logit => f,
        }
    }

    /// The loss of predicting `f` for `y`.
    pub fn value(&self, f: f64, y: f64) -> f64 {
        let t = self.argument(f, y);
        let outside = |epsilon: f64| (t.abs() - epsilon).max(0.0);
        match *self {
            Loss::ZeroOne => f64::from(t <= 0.0),
            Loss::Logistic => softplus(-t),
            Loss::Perceptron => (-t).max(0.0),
            Loss::Hinge => (1.0 - t).max(0.0),
            Loss::SquaredHinge => (1.0 - t).max(0.0).powi(2),
            Loss::ModifiedHuber => {
                if t >= -1.0 {
                    (1.0 - t).max(0.0).powi(2)
                } else {
                    -4.0 * t
                }
            }
            Loss::Exponential => (-t).exp(),
            Loss::Squared => t * t,
            Loss::Absolute => t.abs(),
            Loss::EpsilonInsensitive { epsilon } => outside(epsilon),
            Loss::SquaredEpsilonInsensitive { epsilon } => outside(epsilon).powi(2),
            Loss::Huber { delta } => {
                if t.abs() <= delta {
                    t * t / 2.0
                } else {
                    delta * (t.abs() - delta / 2.0)
                }
            }
            Loss::Quantile { alpha } => {
                if t >= 0.0 {
                    (1.0 - alpha) * t
                } else {
                    -alpha * t
                }
            }
            Loss::CrossEntropy => softplus(t) - y * t,
        }
    }

    fn convex(&self, what: &str) -> Result<()> {
        if *self == Loss::ZeroOne { Err(Error::incapable("the 0-1 loss", what)) } else { Ok(()) }
    }

    /// The derivative in `f`; at a kink the subgradient that the [table](crate::loss) says. The 0-1 loss has none:
    /// an error.
    pub fn gradient(&self, f: f64, y: f64) -> Result<f64> {
        self.convex("give a gradient")?;
        let t = self.argument(f, y);
        let sign = if t == 0.0 { 0.0 } else { t.signum() };
        let slope = match *self {
            Loss::ZeroOne => 0.0,
            Loss::Logistic => -sigmoid(-t),
            Loss::Perceptron => -f64::from(t < 0.0),
            Loss::Hinge => -f64::from(t < 1.0),
            Loss::SquaredHinge => -2.0 * (1.0 - t).max(0.0),
            Loss::ModifiedHuber => -(2.0 * (1.0 - t).max(0.0)).min(4.0),
            Loss::Exponential => -(-t).exp(),
            Loss::Squared => 2.0 * t,
            Loss::Absolute => sign,
            Loss::EpsilonInsensitive { epsilon } => sign * f64::from(t.abs() > epsilon),
            Loss::SquaredEpsilonInsensitive { epsilon } => 2.0 * soft_threshold(t, epsilon),
            Loss::Huber { delta } => t.clamp(-delta, delta),
            Loss::Quantile { alpha } => {
                if t > 0.0 {
                    1.0 - alpha
                } else {
                    -alpha * f64::from(t < 0.0)
                }
            }
            Loss::CrossEntropy => sigmoid(t) - y,
        };
        Ok(if self.is_margin() { y * slope } else { slope })
    }

    /// The second derivative in `f`, where there is one; at a kink that of the flatter side. The 0-1 loss has none:
    /// an error.
    pub fn curvature(&self, f: f64, y: f64) -> Result<f64> {
        self.convex("give a curvature")?;
        let t = self.argument(f, y);
        let curved = match *self {
            Loss::Logistic | Loss::CrossEntropy => sigmoid(t) * sigmoid(-t),
            Loss::SquaredHinge => 2.0 * f64::from(t < 1.0),
            Loss::ModifiedHuber => 2.0 * f64::from(t < 1.0 && t > -1.0),
            Loss::Exponential => (-t).exp(),
            Loss::Squared => 2.0,
            Loss::SquaredEpsilonInsensitive { epsilon } => 2.0 * f64::from(t.abs() > epsilon),
            Loss::Huber { delta } => f64::from(t.abs() < delta),
            _ => 0.0,
        };
        Ok(if self.is_margin() { y * y * curved } else { curved })
    }

    /// The least upper bound of the curvature over all `f`, for `y` = ±1 where it is a class: the Lipschitz constant
    /// of the gradient. Infinite where the gradient jumps or grows without bound.
    pub fn curvature_bound(&self) -> f64 {
        match *self {
            Loss::Logistic | Loss::CrossEntropy => 0.25,
            Loss::Squared | Loss::SquaredHinge | Loss::ModifiedHuber => 2.0,
            Loss::SquaredEpsilonInsensitive { .. } => 2.0,
            Loss::Huber { .. } => 1.0,
            _ => f64::INFINITY,
        }
    }

    /// The proximal point `argmin_z step · loss(z, y) + ½ (z − v)²` for a `step` above 0, and `y` = ±1 where it is a
    /// class.
    ///
    /// In closed form but for the logistic, exponential and cross-entropy losses, where Newton's method within a
    /// bracket finds it to the last digits. The 0-1 loss has none: an error.
    pub fn prox(&self, v: f64, step: f64, y: f64) -> Result<f64> {
        self.convex("give a proximal point")?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::param("prox", "step", "in (0, inf)", step));
        }
        if !v.is_finite() {
            return Ok(v);
        }
        let t = self.argument(v, y);
        Ok(match self.shape() {
            Shape::Margin => y * self.prox_of_margin(t, step),
            Shape::Residual => y + self.prox_of_residual(t, step),
            Shape::Logit => rising_root(t - step * (1.0 - y).max(0.0), t + step * y.max(0.0), |z| {
                (z - t + step * (sigmoid(z) - y), 1.0 + step * sigmoid(z) * sigmoid(-z))
            }),
        })
    }

    fn prox_of_margin(self, t: f64, s: f64) -> f64 {
        // Moves `t` up by `s`, but not beyond `corner`.
        let towards = |corner: f64| if t >= corner { t } else { (t + s).min(corner) };
        let squared = (t + 2.0 * s) / (1.0 + 2.0 * s);
        match self {
            Loss::Perceptron => towards(0.0),
            Loss::Hinge => towards(1.0),
            Loss::SquaredHinge if t < 1.0 => squared,
            Loss::ModifiedHuber if t < 1.0 && squared >= -1.0 => squared,
            Loss::ModifiedHuber if t < 1.0 => t + 4.0 * s,
            Loss::Logistic => {
                rising_root(t, t + s, |z| (z - t - s * sigmoid(-z), 1.0 + s * sigmoid(z) * sigmoid(-z)))
            }
            Loss::Exponential => {
                // The root lies above t; e^{-z} is at most e^{-t} above 0 and at most 1 below.
                let high = if t >= 0.0 { t + s * (-t).exp() } else { s };
                rising_root(t, high, |z| (z - t - s * (-z).exp(), 1.0 + s * (-z).exp()))
            }
            _ => t,
        }
    }

    fn prox_of_residual(self, t: f64, s: f64) -> f64 {
        match self {
            Loss::Squared => t / (1.0 + 2.0 * s),
            Loss::Absolute => soft_threshold(t, s),
            Loss::EpsilonInsensitive { epsilon } if t.abs() > epsilon => {
                t.signum() * (t.abs() - s).max(epsilon)
            }
            Loss::SquaredEpsilonInsensitive { epsilon } if t.abs() > epsilon => {
                t.signum() * (epsilon + (t.abs() - epsilon) / (1.0 + 2.0 * s))
            }
            Loss::Huber { delta } if t.abs() <= delta * (1.0 + s) => t / (1.0 + s),
            Loss::Huber { delta } => t - t.signum() * s * delta,
            Loss::Quantile { alpha } if t >= 0.0 => (t - s * (1.0 - alpha)).max(0.0),
            Loss::Quantile { alpha } => (t + s * alpha).min(0.0),
            _ => t,
        }
    }

    /// The convex conjugate in the prediction, `sup_f u f − loss(f, y)`, for `y` = ±1 where it is a class; infinite
    /// outside its domain. That of the 0-1 loss is that of its convex hull, 0: 0 at `u = 0`, else infinite.
    pub fn conjugate(&self, u: f64, y: f64) -> f64 {
        let within = |low: f64, high: f64, value: f64, at: f64| {
            if at >= low && at <= high { value } else { f64::INFINITY }
        };
        let a = if self.is_margin() { y * u } else { u };
        let conjugate = match *self {
            Loss::ZeroOne => indicator(a == 0.0),
            Loss::Logistic => negative_entropy(-a),
            Loss::Perceptron => within(-1.0, 0.0, 0.0, a),
            Loss::Hinge => within(-1.0, 0.0, a, a),
            Loss::SquaredHinge => within(f64::NEG_INFINITY, 0.0, a + a * a / 4.0, a),
            Loss::ModifiedHuber => within(-4.0, 0.0, a + a * a / 4.0, a),
            Loss::Exponential => within(f64::NEG_INFINITY, 0.0, x_log_x(-a) + a, a),
            Loss::Squared => a * a / 4.0,
            Loss::Absolute => within(-1.0, 1.0, 0.0, a),
            Loss::EpsilonInsensitive { epsilon } => within(-1.0, 1.0, epsilon * a.abs(), a),
            Loss::SquaredEpsilonInsensitive { epsilon } => epsilon * a.abs() + a * a / 4.0,
            Loss::Huber { delta } => within(-delta, delta, a * a / 2.0, a),
            Loss::Quantile { alpha } => within(-alpha, 1.0 - alpha, 0.0, a),
            Loss::CrossEntropy => negative_entropy(a + y),
        };
        match self.shape() {
            // 0 · infinity must not become NaN.
            Shape::Residual if conjugate.is_finite() => conjugate + u * y,
            _ => conjugate,
        }
    }
}

impl ParamType for Loss {
    fn kind() -> ParamKind {
        ParamKind::Text
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let read = match value {
            Value::Text(text) => Loss::parse(text),
            other => Loss::from_value(other),
        };
        read.map_err(|e| format!("a loss ({e})"))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::ZeroOne => f.write_str("zero_one"),
            Loss::Logistic => f.write_str("logistic"),
            Loss::Perceptron => f.write_str("perceptron"),
            Loss::Hinge => f.write_str("hinge"),
            Loss::SquaredHinge => f.write_str("squared_hinge"),
            Loss::ModifiedHuber => f.write_str("modified_huber"),
            Loss::Exponential => f.write_str("exponential"),
            Loss::Squared => f.write_str("squared"),
            Loss::Absolute => f.write_str("absolute"),
            Loss::EpsilonInsensitive { epsilon } => write!(f, "epsilon_insensitive(epsilon={epsilon})"),
            Loss::SquaredEpsilonInsensitive { epsilon } => {
                write!(f, "squared_epsilon_insensitive(epsilon={epsilon})")
            }
            Loss::Huber { delta } => write!(f, "huber(delta={delta})"),
            Loss::Quantile { alpha } => write!(f, "quantile(alpha={alpha})"),
            Loss::CrossEntropy => f.write_str("cross_entropy"),
        }
    }
}
