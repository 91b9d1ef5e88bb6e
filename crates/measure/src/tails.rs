//! Tails of Student's t, Fisher's F and chi-squared.

use mercer_math::special::{bisect, erfc, incomplete_beta};

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
        close(t_critical(0.05, 1.0), 12.706204736174694);
        close(t_critical(0.05, 4.0), 2.7764451051977934);
    }
}
