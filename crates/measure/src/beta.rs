//! The incomplete beta function and its inverse: all that Student's t, Fisher's F and the binomial need.

use mercer_math::special::{erfc, lgamma};

/// The regularised incomplete beta function I_x(a, b) for `a, b > 0` and `x` in [0, 1].
///
/// Lentz's evaluation of the continued fraction (DLMF 8.17.22), on the side where it converges fast.
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * (-x).ln_1p();
    if x < (a + 1.0) / (a + b + 2.0) {
        log_front.exp() * fraction(a, b, x) / a
    } else {
        1.0 - log_front.exp() * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..10_000 {
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
    bisect(0.0, 1.0, |x| incomplete_beta(a, b, x) < p)
}

/// Where `below` turns false between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..1100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// The chance that Student's t with `df` degrees of freedom exceeds |t| in absolute value.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(df / 2.0, 0.5, df / (df + t * t))
}

/// The t with a two-sided tail of `alpha` in (0, 1).
pub fn t_critical(alpha: f64, df: f64) -> f64 {
    let mut high = 1.0;
    while t_two_sided(high, df) > alpha && high < 1e300 {
        high *= 2.0;
    }
    bisect(0.0, high, |t| t_two_sided(t, df) > alpha)
}

/// The chance that a chi-squared variable with one degree of freedom exceeds `x`.
pub(crate) fn chi2_1_tail(x: f64) -> f64 {
    erfc((x / 2.0).sqrt())
}

/// The chance that Fisher's F with `a` and `b` degrees of freedom exceeds `x`.
pub fn f_tail(x: f64, a: f64, b: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    incomplete_beta(b / 2.0, a / 2.0, b / (b + a * x))
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
        close(t_critical(0.05, 1.0), 12.706204736174694);
        close(t_critical(0.05, 4.0), 2.7764451051977934);
        close(beta_quantile(3.0, 1.0, 0.125), 0.5);
        assert_eq!((incomplete_beta(2.0, 2.0, 0.0), incomplete_beta(2.0, 2.0, 1.0)), (0.0, 1.0));
    }
}
