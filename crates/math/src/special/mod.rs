//! Special functions, accurate to about 1e-15 relative unless said otherwise.

mod bessel;
mod beta;
mod gamma;
mod normal;
mod saddle;

pub use bessel::bessel_k;
pub use beta::{beta_quantile, incomplete_beta, upper_incomplete_beta};
pub use gamma::{gamma_quantile, lower_gamma, upper_gamma};
pub use normal::{norm_cdf, norm_log_cdf, norm_ppf};
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
    shift + x.ln() - 0.5 / x - digamma_error(x)
}

/// What the digamma function lacks of ln x − 1/2x, for x of at least 10.
fn digamma_error(x: f64) -> f64 {
    const B: [f64; 7] =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let y = 1.0 / (x * x);
    B.iter().rev().fold(0.0, |s, &b| (s + b) * y)
}

/// The entropy of the gamma law of shape `a` and rate 1, a + ln Γ(a) + (1 − a) ψ(a), without the cancellation of large shapes.
///
/// # Example
/// ```
/// // Almost a normal law of variance 10¹².
/// let entropy = mercer_math::special::gamma_entropy(1e12);
/// assert!((entropy - 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E * 1e12).ln()).abs() < 1e-11);
/// ```
pub fn gamma_entropy(a: f64) -> f64 {
    if a < 15.0 {
        return a + lgamma(a) + (1.0 - a) * digamma(a);
    }
    0.5 * (2.0 * PI * a).ln() + saddle::stirling_error(a) + (a - 1.0) * (0.5 / a + digamma_error(a))
}

/// ln Γ(a + ½) − ln Γ(a) − ½ ln a, which vanishes as `a` grows.
pub fn half_step(a: f64) -> f64 {
    if a < 15.0 {
        return lgamma(a + 0.5) - lgamma(a) - 0.5 * a.ln();
    }
    a * (0.5 / a).ln_1p() - 0.5 + saddle::stirling_error(a + 0.5) - saddle::stirling_error(a)
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

    /// mpmath, 40 digits.
    #[test]
    fn entropies_and_steps_of_large_shapes() {
        for (a, entropy, step) in [
            (0.1, -7.028_666_794_635_763, -0.703_186_247_167_948_2),
            (3.0, 1.847_578_510_363_011, -0.041_479_722_546_925_93),
            (15.0, 2.750_367_919_487_57, -0.008_331_792_174_172_91),
            (100.0, 3.718_181_948_504_746, -0.001_249_994_791_822_905),
            (1e8, 10.629_278_901_847_522, -1.25e-9),
        ] {
            close(gamma_entropy(a), entropy, 3e-15);
            close(half_step(a), step, 2e-15);
        }
        for (z, expected) in [
            (-4.9, -14.551_182_689_355_313),
            (-5.1, -15.588_487_091_871_466),
            (-10.0, -53.231_285_150_512_47),
        ] {
            close(norm_log_cdf(z), expected, 1e-15);
        }
        assert_eq!((norm_log_cdf(f64::NEG_INFINITY), norm_log_cdf(f64::INFINITY)), (f64::NEG_INFINITY, 0.0));
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
