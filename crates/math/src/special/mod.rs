//! Special functions, accurate to about 1e-15 relative unless said otherwise.

mod bessel;
mod beta;
mod gamma;
mod normal;
mod saddle;

pub use bessel::bessel_k;
pub use beta::{beta_quantile, incomplete_beta, upper_incomplete_beta};
pub use gamma::{gamma_quantile, lower_gamma, upper_gamma};
pub use normal::{norm_cdf, norm_ppf};
pub use saddle::{binomial_term, poisson_term};

use std::f64::consts::PI;

/// The error function $ \tfrac{2}{\sqrt\pi}\int_0^x e^{-t^2}\,dt $.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// `1 - erf(x)`, without cancellation for large `x`.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// The logarithm of |Γ(x)|; infinite at zero and the negative integers.
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The derivative of `ln Γ`; NaN at zero and the negative integers. Absolute error about 1e-15 near its root.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection, with the argument of tan reduced first: pi * x loses digits for large |x|.
        let fraction = x - x.floor();
        return digamma(1.0 - x) - PI / (PI * fraction).tan();
    }
    // Recurrence up to 10, then the asymptotic series with Bernoulli numbers B_2k / 2k.
    let (mut shift, mut x) = (0.0, x);
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    const B: [f64; 7] =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let y = 1.0 / (x * x);
    let series = B.iter().rev().fold(0.0, |s, &b| (s + b) * y);
    shift + x.ln() - 0.5 / x - series
}

/// The derivative of [`digamma`]; infinite at zero and the negative integers.
pub fn trigamma(x: f64) -> f64 {
    if x <= 0.0 {
        if x == x.floor() {
            return f64::INFINITY;
        }
        return (PI / (PI * (x - x.floor())).sin()).powi(2) - trigamma(1.0 - x);
    }
    // Recurrence up to 10, then the asymptotic series with Bernoulli numbers B_2k.
    let (mut shift, mut x) = (0.0, x);
    while x < 10.0 {
        shift += 1.0 / (x * x);
        x += 1.0;
    }
    const B: [f64; 8] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
    ];
    let y = 1.0 / (x * x);
    let series = B.iter().rev().fold(0.0, |s, &b| (s + b) * y);
    shift + (1.0 + 0.5 / x + series) / x
}

/// Where `below` turns false between `low` and `high`, to the last bit.
pub fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..1100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tol: f64) {
        assert!((a - b).abs() <= tol * b.abs().max(1.0), "{a} != {b}");
    }

    #[test]
    fn known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        close(digamma(1.0), -EULER, 1e-15);
        close(digamma(0.5), -EULER - 2.0 * 2f64.ln(), 1e-15);
        close(digamma(2.0), 1.0 - EULER, 1e-15);
        close(digamma(1.461_632_144_968_362_3), 0.0, 1e-15);
        close(digamma(-0.5), digamma(0.5) + 2.0, 1e-14);
        close(digamma(1e10), 1e10f64.ln() - 0.5e-10, 1e-15);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan() && digamma(f64::NAN).is_nan());
        assert!(digamma(f64::NEG_INFINITY).is_nan());
        close(lgamma(0.5), 0.5 * PI.ln(), 1e-15);
        close(erf(0.5) + erfc(0.5), 1.0, 1e-15);
        close(norm_cdf(0.0), 0.5, 0.0);
        close(norm_cdf(1.959_963_984_540_054), 0.975, 1e-15);
        assert!((norm_cdf(-38.0) / 2.885_428e-316 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn digamma_satisfies_its_recurrence_and_is_the_slope_of_lgamma() {
        for i in 1..200 {
            let x = 0.13 * f64::from(i);
            close(digamma(x + 1.0), digamma(x) + 1.0 / x, 3e-15);
            let slope = (lgamma(x + 1e-5) - lgamma(x - 1e-5)) / 2e-5;
            assert!((slope - digamma(x)).abs() < 1e-5 * (1.0 + 1.0 / (x * x * x)));
        }
    }

    #[test]
    fn trigamma_is_the_slope_of_digamma() {
        close(trigamma(1.0), PI * PI / 6.0, 1e-15);
        close(trigamma(0.5), PI * PI / 2.0, 1e-15);
        for i in 1..200 {
            let x = 0.13 * f64::from(i);
            close(trigamma(x + 1.0), trigamma(x) - 1.0 / (x * x), 1e-14 * (1.0 + 1.0 / (x * x)));
        }
        close(trigamma(-0.5), trigamma(0.5) + 4.0, 1e-14);
    }

    #[test]
    fn norm_ppf_inverts_norm_cdf() {
        for i in -370..=80 {
            let z = f64::from(i) * 0.1;
            // Above zero, 1 - p is rounded: the error in z is eps / density, which bounds the range here.
            let tol = if z > 0.0 { 2e-16 * (0.5 * z * z).exp() * 3.0 + 1e-14 } else { 1e-14 };
            assert!((norm_ppf(norm_cdf(z)) - z).abs() <= tol * z.abs().max(1.0), "z = {z}");
        }
        assert_eq!(norm_ppf(0.0), f64::NEG_INFINITY);
        assert_eq!(norm_ppf(1.0), f64::INFINITY);
        assert_eq!(norm_ppf(0.5), 0.0);
        assert!(norm_ppf(-0.1).is_nan() && norm_ppf(f64::NAN).is_nan());
        assert!((norm_cdf(norm_ppf(1e-300)) / 1e-300 - 1.0).abs() < 1e-11);
    }
}
