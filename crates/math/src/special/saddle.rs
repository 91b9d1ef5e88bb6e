//! Terms of the Poisson and the binomial law without cancellation: C. Loader. Fast and accurate computation of binomial
//! probabilities. 2000.

use super::lgamma;
use std::f64::consts::PI;

/// ln Γ(n + 1) less Stirling's formula, (n + ½) ln n − n + ½ ln 2π; as much as ln Γ(n) lacks of (n − ½) ln n − n + ½ ln 2π.
pub(super) fn stirling_error(n: f64) -> f64 {
    if n < 15.0 {
        return lgamma(n + 1.0) - (n + 0.5) * n.ln() + n - 0.5 * (2.0 * PI).ln();
    }
    const S: [f64; 6] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let y = 1.0 / (n * n);
    S.iter().rev().fold(0.0, |s, &c| s * y + c) / n
}

/// x ln(x / m) + m − x, which is zero at x = m.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    // With v = (x − m) / (x + m): (x − m) v + 2x Σ v^(2j+1) / (2j + 1).
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut power = 2.0 * x * v;
    for j in 1..1000 {
        power *= v * v;
        let next = sum + power / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The logarithm of $ e^{-m} m^x / \Gamma(x + 1) $, for real `x ≥ 0` and `m ≥ 0`.
pub fn poisson_term(x: f64, m: f64) -> f64 {
    if m == 0.0 {
        return if x == 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    if x < 1e-300 * m {
        return -m;
    }
    if m < x * f64::MIN_POSITIVE || x < 1.0 {
        return -m + x * m.ln() - lgamma(x + 1.0);
    }
    -stirling_error(x) - deviance(x, m) - 0.5 * (2.0 * PI * x).ln()
}

/// The logarithm of $ \binom nx p^x q^{n-x} $ with q = 1 − p, for real `0 ≤ x ≤ n`; both p and q are given, so that none loses digits.
pub fn binomial_term(x: f64, n: f64, p: f64, q: f64) -> f64 {
    let certain = |yes: bool| if yes { 0.0 } else { f64::NEG_INFINITY };
    if p == 0.0 {
        return certain(x == 0.0);
    }
    if q == 0.0 {
        return certain(x == n);
    }
    if x == 0.0 || x == n {
        let (own, other) = if x == 0.0 { (q, p) } else { (p, q) };
        return if other < 0.1 { n * (-other).ln_1p() } else { n * own.ln() };
    }
    if x < 1.0 || n - x < 1.0 {
        let (few, many, rare, usual) = if x < n - x { (x, n - x, p, q) } else { (n - x, x, q, p) };
        let log = if rare < 0.5 { (-rare).ln_1p() } else { usual.ln() };
        return log_choose(few, many) + few * rare.ln() + many * log;
    }
    stirling_error(n)
        - stirling_error(x)
        - stirling_error(n - x)
        - deviance(x, n * p)
        - deviance(n - x, n * q)
        + 0.5 * (n / (2.0 * PI * x * (n - x))).ln()
}

/// ln Γ(few + many + 1) / (Γ(few + 1) Γ(many + 1)), where the last two gamma functions of a large number would cancel.
fn log_choose(few: f64, many: f64) -> f64 {
    let all = few + many;
    let ratio = match many < 15.0 {
        true => lgamma(all + 1.0) - lgamma(many + 1.0),
        false => {
            let slope = (many + 0.5) * (few / many).ln_1p() + few * all.ln() - few;
            slope + stirling_error(all) - stirling_error(many)
        }
    };
    ratio - lgamma(few + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Successes, trials, their probability, and the logarithm of the term by mpmath with 40 digits.
    const FEW: [(f64, f64, f64, f64); 5] = [
        (0.5, 1e10, 1e-10, -0.879_217_762_352_254_8),
        (0.5, 5e5, 2.5e-7, -1.043_938_173_829_659_7),
        (0.25, 2e12, 3e-12, -5.453_788_296_279_376),
        (0.5, 40.0, 0.01, -0.731_226_475_880_096),
        (0.9, 10.0, 0.3, -2.213_447_403_370_446),
    ];

    #[test]
    fn few_of_very_many_keep_their_digits() {
        for (x, n, p, expected) in FEW {
            let found = binomial_term(x, n, p, 1.0 - p);
            assert!((found - expected).abs() < 1e-14 * expected.abs().max(1.0), "{x} {n}: {found}");
        }
    }

    #[test]
    fn terms_sum_to_one_and_keep_their_digits() {
        for (n, p) in [(10.0, 0.3), (1000.0, 0.01), (1e6, 0.5)] {
            let mode = f64::floor(n * p);
            let sum: f64 = (0..=(n as usize).min(20_000))
                .map(|k| k as f64 + (mode - 10_000.0f64).max(0.0))
                .filter(|x| *x <= n)
                .map(|x| binomial_term(x, n, p, 1.0 - p).exp())
                .sum();
            assert!((sum - 1.0).abs() < 1e-12, "{n} {p}: {sum}");
        }
        let sum: f64 = (0..4000).map(|k| poisson_term(f64::from(k), 1500.0).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-13, "{sum}");
        // R's dbinom(500000, 1e6, 0.5).
        assert!((binomial_term(5e5, 1e6, 0.5, 0.5).exp() / 7.978_843_613_320_18e-4 - 1.0).abs() < 1e-12);
    }
}
