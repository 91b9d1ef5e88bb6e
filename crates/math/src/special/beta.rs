//! The incomplete beta function and its inverse: all that Student's t, Fisher's F, the beta and the binomial law need.

use super::{binomial_term, bisect};

/// The regularised incomplete beta function I_x(a, b) for `a, b > 0` and `x` in [0, 1].
///
/// # Example
/// ```
/// assert!((mercer_math::special::incomplete_beta(2.0, 3.0, 0.5) - 0.6875).abs() < 1e-15);
/// ```
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    split(a, b, x, 1.0 - x).0
}

/// 1 − I_x(a, b), without cancellation where it is small.
pub fn upper_incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    split(a, b, x, 1.0 - x).1
}

/// I_x(a, b) and what it lacks of one; y = 1 − x.
///
/// Lentz's evaluation of the continued fraction (DLMF 8.17.22), on the side where it converges fast.
fn split(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x >= 1.0 {
        return (1.0, 0.0);
    }
    // x^a y^b / B(a, b), a term of a binomial law of real order.
    let front = (binomial_term(a, a + b, x, y) + (a / (a + b) * b).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        let lower = front * fraction(a, b, x) / a;
        (lower, 1.0 - lower)
    } else {
        let upper = front * fraction(b, a, y) / b;
        (1.0 - upper, upper)
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..1_000_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        value *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The `x` with I_x(a, b) = p, by bisection to the last bit.
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 { 0.0 } else { 1.0 };
    }
    // The tail that is small keeps its digits.
    let below = |x: f64| match p < 0.5 {
        true => incomplete_beta(a, b, x) < p,
        false => upper_incomplete_beta(a, b, x) > 1.0 - p,
    };
    bisect(0.0, 1.0, below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-13 * b.abs().max(1e-3), "{a} != {b}");
        close(incomplete_beta(1.0, 1.0, 0.3), 0.3);
        close(incomplete_beta(2.0, 3.0, 0.5), 0.6875);
        close(incomplete_beta(0.5, 0.5, 0.5), 0.5);
        close(beta_quantile(3.0, 1.0, 0.125), 0.5);
        assert_eq!((beta_quantile(0.5, 2.5, 0.0), beta_quantile(0.5, 2.5, 1.0)), (0.0, 1.0));
        // Symmetry: both halves of a large, even law.
        close(incomplete_beta(1e5, 1e5, 0.5), 0.5);
        close(upper_incomplete_beta(1.0, 3.0, 0.9) / 1e-3, 1.0);
        assert_eq!((incomplete_beta(2.0, 2.0, 0.0), incomplete_beta(2.0, 2.0, 1.0)), (0.0, 1.0));
    }
}
