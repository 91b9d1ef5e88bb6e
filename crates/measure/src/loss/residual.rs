//! Losses of the residual: functions of `t = f − y` for numbers.

use super::{soft_threshold, within};

/// A loss of the residual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Residual {
    Squared,
    HalfSquared,
    Absolute,
    /// Absolute outside a tube of this half width.
    Tube(f64),
    /// Squared outside a tube of this half width.
    SquaredTube(f64),
    Huber(f64),
    Quantile(f64),
}

use Residual::{Absolute, HalfSquared, Huber, Quantile, Squared, SquaredTube, Tube};

#[inline(always)]
fn sign(t: f64) -> f64 {
    if t == 0.0 { 0.0 } else { t.signum() }
}

impl Residual {
    pub(super) fn value(self, t: f64) -> f64 {
        let outside = |epsilon: f64| (t.abs() - epsilon).max(0.0);
        match self {
            Squared => t * t,
            HalfSquared => 0.5 * t * t,
            Absolute => t.abs(),
            Tube(epsilon) => outside(epsilon),
            SquaredTube(epsilon) => outside(epsilon).powi(2),
            Huber(delta) if t.abs() <= delta => t * t / 2.0,
            Huber(delta) => delta * (t.abs() - delta / 2.0),
            Quantile(alpha) if t >= 0.0 => (1.0 - alpha) * t,
            Quantile(alpha) => -alpha * t,
        }
    }

    #[inline(always)]
    pub(super) fn slope(self, t: f64) -> f64 {
        match self {
            Squared => 2.0 * t,
            HalfSquared => t,
            Absolute => sign(t),
            Tube(epsilon) => sign(t) * f64::from(t.abs() > epsilon),
            SquaredTube(epsilon) => 2.0 * soft_threshold(t, epsilon),
            Huber(delta) => t.clamp(-delta, delta),
            Quantile(alpha) => {
                // A difference of two choices: one after the other, the loop over a block would be no SIMD.
                let right = if t > 0.0 { 1.0 - alpha } else { 0.0 };
                let left = if t < 0.0 { alpha } else { 0.0 };
                right - left
            }
        }
    }

    #[inline(always)]
    pub(super) fn curvature(self, t: f64) -> f64 {
        match self {
            Squared => 2.0,
            HalfSquared => 1.0,
            SquaredTube(epsilon) => 2.0 * f64::from(t.abs() > epsilon),
            Huber(delta) => f64::from(t.abs() < delta),
            Absolute | Tube(_) | Quantile(_) => 0.0,
        }
    }

    pub(super) fn curvature_bound(self) -> f64 {
        match self {
            Squared | SquaredTube(_) => 2.0,
            HalfSquared | Huber(_) => 1.0,
            Absolute | Tube(_) | Quantile(_) => f64::INFINITY,
        }
    }

    pub(super) fn prox(self, t: f64, s: f64) -> f64 {
        match self {
            Squared => t / (1.0 + 2.0 * s),
            HalfSquared => t / (1.0 + s),
            Absolute => soft_threshold(t, s),
            Tube(epsilon) | SquaredTube(epsilon) if t.abs() <= epsilon => t,
            Tube(epsilon) => t.signum() * (t.abs() - s).max(epsilon),
            SquaredTube(epsilon) => t.signum() * (epsilon + (t.abs() - epsilon) / (1.0 + 2.0 * s)),
            Huber(delta) if t.abs() <= delta * (1.0 + s) => t / (1.0 + s),
            Huber(delta) => t - t.signum() * s * delta,
            Quantile(alpha) if t >= 0.0 => (t - s * (1.0 - alpha)).max(0.0),
            Quantile(alpha) => (t + s * alpha).min(0.0),
        }
    }

    /// The conjugate in the residual.
    pub(super) fn conjugate(self, a: f64) -> f64 {
        match self {
            Squared => a * a / 4.0,
            HalfSquared => a * a / 2.0,
            Absolute => within(-1.0, 1.0, 0.0, a),
            Tube(epsilon) => within(-1.0, 1.0, epsilon * a.abs(), a),
            SquaredTube(epsilon) => epsilon * a.abs() + a * a / 4.0,
            Huber(delta) => within(-delta, delta, a * a / 2.0, a),
            Quantile(alpha) => within(-alpha, 1.0 - alpha, 0.0, a),
        }
    }
}
