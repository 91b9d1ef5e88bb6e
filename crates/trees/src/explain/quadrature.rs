//! Gauss-Legendre quadrature on (0, 1).

/// Points and weights of the rule with `n` points, which is exact for polynomials of degree 2n − 1.
///
/// Newton's method on the Legendre polynomial, from the asymptotic places of its roots.
pub(crate) fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let polynomial = |x: f64| {
        let (mut before, mut p) = (1.0, x);
        for k in 2..=n {
            let k = k as f64;
            (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
        }
        (p, n as f64 * (x * p - before) / (x * x - 1.0))
    };
    let point = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        for _ in 0..100 {
            let (p, slope) = polynomial(x);
            let next = x - p / slope;
            if (next - x).abs() <= 1e-16 {
                break;
            }
            x = next;
        }
        let (_, slope) = polynomial(x);
        ((1.0 - x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    if n == 1 { vec![(0.5, 1.0)] } else { (0..n).map(point).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_exact_for_their_degree() {
        for n in [1, 2, 3, 4, 7, 8, 16, 32] {
            let rule = gauss_legendre(n);
            for degree in 0..2 * n {
                let found: f64 = rule.iter().map(|(t, w)| w * t.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((found - exact).abs() < 1e-14, "{n} points, degree {degree}: {found} {exact}");
            }
        }
    }
}
