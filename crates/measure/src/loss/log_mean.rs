//! Losses of the logarithm `f` of a mean: half the deviances of Poisson, gamma and Tweedie, up to what depends on the
//! truth alone.

use super::{exponential_prox, x_log_x};
use mercer_math::rising_root;

/// A loss of the logarithm of a mean. With `a = 2 − p`, `b = p − 1` all are `e^{a f} / a + y e^{−b f} / b`, in the limit
/// where one of them is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LogMean {
    Poisson,
    Gamma,
    Tweedie(f64),
}

use LogMean::{Gamma, Poisson, Tweedie};

impl LogMean {
    pub(super) fn takes(self, y: f64) -> bool {
        match self {
            Poisson | Tweedie(_) => y >= 0.0,
            Gamma => y > 0.0,
        }
    }

    pub(super) fn value(self, f: f64, y: f64) -> f64 {
        match self {
            Poisson => f.exp() - y * f,
            Gamma => f + y * (-f).exp(),
            Tweedie(p) => ((2.0 - p) * f).exp() / (2.0 - p) - y * ((1.0 - p) * f).exp() / (1.0 - p),
        }
    }

    /// The first and second derivative by `f`, from the mean `e^f`.
    #[inline(always)]
    pub(super) fn derivatives(self, mean: f64, y: f64) -> (f64, f64) {
        match self {
            Poisson => (mean - y, mean),
            Gamma => (1.0 - y / mean, y / mean),
            Tweedie(p) => {
                let (a, b) = (mean.powf(1.0 - p), mean.powf(2.0 - p));
                (b - y * a, (2.0 - p) * b - (1.0 - p) * y * a)
            }
        }
    }

    pub(super) fn prox(self, v: f64, s: f64, y: f64) -> f64 {
        match self {
            // z + s e^z = v + s y is the equation of the exponential loss, mirrored.
            Poisson => -exponential_prox(-(v + s * y), s),
            Gamma => exponential_prox(v - s, s * y),
            Tweedie(p) if y == 0.0 => {
                let a = 2.0 - p;
                -exponential_prox(-a * v, s * a) / a
            }
            // Between here and where the loss is least.
            Tweedie(_) => rising_root(v.min(y.ln()), v.max(y.ln()), |z| {
                let (slope, curvature) = self.derivatives(z.exp(), y);
                (z - v + s * slope, 1.0 + s * curvature)
            }),
        }
    }

    pub(super) fn conjugate(self, u: f64, y: f64) -> f64 {
        // sup_f c f − k e^f: c ln(c / k) − c.
        let of_exponential =
            |c: f64, k: f64| if c < 0.0 { f64::INFINITY } else { x_log_x(c) - c - c * k.ln() };
        match self {
            Poisson => of_exponential(u + y, 1.0),
            Gamma => of_exponential(1.0 - u, y),
            Tweedie(p) if y == 0.0 => of_exponential(u / (2.0 - p), 1.0 / (2.0 - p)),
            Tweedie(p) => {
                // The slope is at most u at `low`, where e^{a f} is at most 1, and at least u at `high`, where
                // e^{−b f} is at most 1.
                let low = -(((1.0 - u) / y).max(1.0)).ln() / (p - 1.0);
                let high = (u + y).max(1.0).ln() / (2.0 - p);
                let f = rising_root(low, high, |f| {
                    let (slope, curvature) = self.derivatives(f.exp(), y);
                    (slope - u, curvature)
                });
                u * f - self.value(f, y)
            }
        }
    }
}

/// The unit deviance of a predicted mean `f` for any power: twice the loss of `ln f` beyond that of `ln y`, written so
/// that it is exact where they meet.
pub(crate) fn unit_deviance(y: f64, f: f64, power: f64) -> f64 {
    // y ln(y / f), 0 at y = 0.
    let y_log = if y == 0.0 { 0.0 } else { y * (y / f).ln() };
    if power == 0.0 {
        return (y - f).powi(2);
    }
    if power == 1.0 {
        return 2.0 * (y_log - y + f);
    }
    if power == 2.0 {
        return 2.0 * ((f / y).ln() + y / f - 1.0);
    }
    let (one, two) = (1.0 - power, 2.0 - power);
    let of_y = if power < 0.0 { y.max(0.0) } else { y };
    2.0 * (of_y.powf(two) / (one * two) - y * f.powf(one) / one + f.powf(two) / two)
}
