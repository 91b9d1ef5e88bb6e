//! Losses of the margin: functions of `t = y f` for a class `y` of −1 or 1.

use super::{exponential_prox, indicator, negative_entropy, sigmoid, within, x_log_x};
use mercer_math::{log1p_exp, rising_root};

/// A loss of the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Margin {
    ZeroOne,
    Logistic,
    Perceptron,
    Hinge,
    SquaredHinge,
    ModifiedHuber,
    Exponential,
}

use Margin::{Exponential, Hinge, Logistic, ModifiedHuber, Perceptron, SquaredHinge, ZeroOne};

/// The sign of a class: 1 of the positive one, whose truth is above 0, else −1.
#[inline(always)]
pub(super) fn side(y: f64) -> f64 {
    if y > 0.0 { 1.0 } else { -1.0 }
}

impl Margin {
    pub(super) fn value(self, t: f64) -> f64 {
        match self {
            ZeroOne => f64::from(t <= 0.0),
            Logistic => log1p_exp(-t),
            Perceptron => (-t).max(0.0),
            Hinge => (1.0 - t).max(0.0),
            SquaredHinge => (1.0 - t).max(0.0).powi(2),
            ModifiedHuber if t >= -1.0 => (1.0 - t).max(0.0).powi(2),
            ModifiedHuber => -4.0 * t,
            Exponential => (-t).exp(),
        }
    }

    /// The derivative by the margin; that of the 0-1 loss, where there is one.
    #[inline(always)]
    pub(super) fn slope(self, t: f64) -> f64 {
        match self {
            ZeroOne => 0.0,
            Logistic => -sigmoid(-t),
            Perceptron => -f64::from(t < 0.0),
            Hinge => -f64::from(t < 1.0),
            SquaredHinge => -2.0 * (1.0 - t).max(0.0),
            ModifiedHuber => -(2.0 * (1.0 - t).max(0.0)).min(4.0),
            Exponential => -(-t).exp(),
        }
    }

    #[inline(always)]
    pub(super) fn curvature(self, t: f64) -> f64 {
        match self {
            ZeroOne | Perceptron | Hinge => 0.0,
            Logistic => sigmoid(t) * sigmoid(-t),
            SquaredHinge => 2.0 * f64::from(t < 1.0),
            ModifiedHuber => 2.0 * f64::from(t < 1.0 && t > -1.0),
            Exponential => (-t).exp(),
        }
    }

    pub(super) fn curvature_bound(self) -> f64 {
        match self {
            Logistic => 0.25,
            SquaredHinge | ModifiedHuber => 2.0,
            ZeroOne | Perceptron | Hinge | Exponential => f64::INFINITY,
        }
    }

    pub(super) fn prox(self, t: f64, s: f64) -> f64 {
        // Moves `t` up by `s`, but not beyond `corner`.
        let towards = |corner: f64| if t >= corner { t } else { (t + s).min(corner) };
        let squared = (t + 2.0 * s) / (1.0 + 2.0 * s);
        match self {
            ZeroOne => t,
            Perceptron => towards(0.0),
            Hinge => towards(1.0),
            SquaredHinge | ModifiedHuber if t >= 1.0 => t,
            ModifiedHuber if squared < -1.0 => t + 4.0 * s,
            SquaredHinge | ModifiedHuber => squared,
            Logistic => {
                rising_root(t, t + s, |z| (z - t - s * sigmoid(-z), 1.0 + s * sigmoid(z) * sigmoid(-z)))
            }
            Exponential => exponential_prox(t, s),
        }
    }

    pub(super) fn conjugate(self, a: f64) -> f64 {
        match self {
            ZeroOne => indicator(a == 0.0),
            Logistic => negative_entropy(-a),
            Perceptron => within(-1.0, 0.0, 0.0, a),
            Hinge => within(-1.0, 0.0, a, a),
            SquaredHinge => within(f64::NEG_INFINITY, 0.0, a + a * a / 4.0, a),
            ModifiedHuber => within(-4.0, 0.0, a + a * a / 4.0, a),
            Exponential => within(f64::NEG_INFINITY, 0.0, x_log_x(-a) + a, a),
        }
    }

    /// The best constant score, of shares of the positive and of the other class.
    pub(super) fn start(self, positive: f64) -> f64 {
        let lead = positive - (1.0 - positive);
        match self {
            // Any score of the sign of the greater class; 0 is always wrong.
            ZeroOne => side(if lead == 0.0 { 1.0 } else { lead }),
            Perceptron => 0.0,
            Hinge => {
                if lead == 0.0 {
                    0.0
                } else {
                    lead.signum()
                }
            }
            // Both sides are squares between the corners.
            SquaredHinge | ModifiedHuber => lead,
            Logistic => super::Link::Logit(1.0).score(positive),
            Exponential => super::Link::Logit(2.0).score(positive),
        }
    }
}
