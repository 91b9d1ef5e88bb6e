//! The likelihood of a power transformation and its maximum.
//!
//! With u = log(1 + |x|) (Yeo-Johnson) or the centred log x (Box-Cox), weights w of sum W and the transformed values
//! y(λ), the profile log-likelihood per unit weight is
//!
//!   l(λ) = -½ log var(y) + (λ - 1) mean(sign(x) u),    l'(λ) = -cov(y, dy/dλ) / var(y) + mean(sign(x) u).
//!
//! It is concave in λ, so that the zero of l' is the maximum. Centring log x multiplies x by a constant, which moves
//! the likelihood by one, and keeps powers of large values in range.

/// One column, prepared: u and whether x is negative, with weights of sum 1.
#[derive(Debug)]
pub(crate) struct Likelihood {
    u: Vec<f64>,
    negative: Vec<bool>,
    weights: Vec<f64>,
    /// mean(sign(x) u).
    slope: f64,
    /// Where λ is looked for.
    pub(crate) bounds: (f64, f64),
}

/// The integral of exp(λ t) over t in [0, u]: (exp(λ u) - 1) / λ.
pub(crate) fn power(lambda: f64, u: f64) -> f64 {
    let s = lambda * u;
    if s == 0.0 { u } else { s.exp_m1() / lambda }
}

/// [`power`] and its derivative in λ, the integral of t exp(λ t).
fn power_and_slope(lambda: f64, u: f64) -> (f64, f64) {
    let s = lambda * u;
    if s.abs() > 0.1 {
        let e = s.exp_m1();
        return (e / lambda, (s * (e + 1.0) - e) / (lambda * lambda));
    }
    // sum_k s^k / (k! (k + 2)); the ninth term is below 1e-16.
    let (mut term, mut sum) = (1.0, 0.5);
    for k in 1..=9 {
        term *= s / f64::from(k);
        sum += term / f64::from(k + 2);
    }
    (power(lambda, u), u * u * sum)
}

impl Likelihood {
    /// Of Yeo and Johnson's family. Bounds as in scipy: values up to twenty times the largest stay in range, with
    /// half of the exponents left for their variance.
    pub(crate) fn yeo_johnson(pairs: &[(f64, f64)]) -> Self {
        let largest = pairs.iter().fold(0.0, |m: f64, (x, _)| m.max(x.abs()));
        let wide = (20.0 * largest).ln_1p().max(f64::MIN_POSITIVE);
        let low = (f64::MIN_POSITIVE.ln() - f64::EPSILON.ln()) / 2.0 / wide;
        let high = (f64::MAX.ln() + f64::EPSILON.ln()) / 2.0 / wide;
        let negatives = pairs.iter().filter(|(x, _)| *x < 0.0).count();
        let bounds = match negatives {
            0 => (low, high),
            n if n == pairs.len() => (2.0 - high, 2.0 - low),
            _ => (low.max(2.0 - high), high.min(2.0 - low)),
        };
        Self::new(pairs, bounds, |x| (x.abs().ln_1p(), x < 0.0))
    }

    /// Of Box and Cox's family, for positive values. No transformed value may leave the range of numbers.
    pub(crate) fn box_cox(pairs: &[(f64, f64)]) -> Self {
        let total: f64 = pairs.iter().map(|(_, w)| w).sum();
        let centre = pairs.iter().map(|(x, w)| w / total * x.ln()).sum::<f64>();
        let ends = pairs
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (x, _)| (a.min(x.ln()), b.max(x.ln())));
        let reach = (ends.1 - centre).max(centre - ends.0).max(f64::MIN_POSITIVE);
        let limit = (f64::MAX / 1e4).ln();
        let high = (300.0 / reach).min(if ends.1 > 0.0 { limit / ends.1 } else { f64::INFINITY });
        let low = (-300.0 / reach).max(if ends.0 < 0.0 { limit / ends.0 } else { f64::NEG_INFINITY });
        Self::new(pairs, (low, high), |x| (x.ln() - centre, false))
    }

    fn new(pairs: &[(f64, f64)], bounds: (f64, f64), u: impl Fn(f64) -> (f64, bool)) -> Self {
        let total: f64 = pairs.iter().map(|(_, w)| w).sum();
        let weights: Vec<f64> = pairs.iter().map(|(_, w)| w / total).collect();
        let (u, negative): (Vec<f64>, Vec<bool>) = pairs.iter().map(|(x, _)| u(*x)).unzip();
        let signed = |(u, negative): (&f64, &bool)| if *negative { -u } else { *u };
        let slope = u.iter().zip(&negative).map(signed).zip(&weights).map(|(u, w)| u * w).sum();
        Self { u, negative, weights, slope, bounds }
    }

    /// l'(λ).
    pub(crate) fn gradient(&self, lambda: f64) -> f64 {
        let value = |i: usize| match self.negative[i] {
            false => power_and_slope(lambda, self.u[i]),
            true => {
                let (y, slope) = power_and_slope(2.0 - lambda, self.u[i]);
                (-y, slope)
            }
        };
        let n = self.u.len();
        let values: Vec<(f64, f64)> = (0..n).map(value).collect();
        let mean = |f: fn(&(f64, f64)) -> f64| -> f64 {
            values.iter().zip(&self.weights).map(|(v, w)| w * f(v)).sum()
        };
        let (centre, slope) = (mean(|v| v.0), mean(|v| v.1));
        let (mut variance, mut covariance) = (0.0, 0.0);
        for ((y, dy), w) in values.iter().zip(&self.weights) {
            variance += w * (y - centre) * (y - centre);
            covariance += w * (y - centre) * (dy - slope);
        }
        self.slope - covariance / variance
    }

    /// The gradient, where it does not point out of the bounds.
    pub(crate) fn residual(&self, lambda: f64) -> f64 {
        let g = self.gradient(lambda);
        let outwards = (lambda <= self.bounds.0 && g < 0.0) || (lambda >= self.bounds.1 && g > 0.0);
        if outwards { 0.0 } else { g.abs() }
    }

    /// The λ of largest likelihood and the number of evaluations; `None` where rounding hides it.
    ///
    /// Brent's method for a zero of l': inverse quadratic interpolation, kept inside a bracket by bisection
    /// (Algorithms for Minimization without Derivatives, chapter 4, 1973). Stops at a bracket of rounding.
    pub(crate) fn maximum(&self) -> Option<(f64, u64)> {
        let (mut a, mut b) = self.bounds;
        let (mut fa, mut fb) = (self.gradient(a), self.gradient(b));
        if fa.is_nan() || fb.is_nan() {
            // At the ends values may leave the range of numbers: a narrower bracket shows the middle.
            (a, b) = (a.max(-10.0), b.min(10.0));
            (fa, fb) = (self.gradient(a), self.gradient(b));
        }
        match (fa, fb) {
            (fa, fb) if fa.is_nan() || fb.is_nan() => return None,
            (fa, _) if fa <= 0.0 => return Some((a, 2)),
            (_, fb) if fb >= 0.0 => return Some((b, 2)),
            _ => {}
        }
        let (mut c, mut fc, mut step, mut before) = (a, fa, b - a, b - a);
        for evaluations in 3..200 {
            if fb.signum() == fc.signum() {
                (c, fc, step, before) = (a, fa, b - a, b - a);
            }
            if fc.abs() < fb.abs() {
                (a, fa, b, fb, c, fc) = (b, fb, c, fc, b, fb);
            }
            let tol = 2.0 * f64::EPSILON * b.abs() + 1e-14;
            let half = 0.5 * (c - b);
            if half.abs() <= tol || fb == 0.0 {
                return Some((b, evaluations));
            }
            (step, before) = match interpolated((a, fa), (b, fb), (c, fc), half, tol, before) {
                Some(next) => (next, step),
                None => (half, half),
            };
            (a, fa) = (b, fb);
            b += if step.abs() > tol { step } else { tol.copysign(half) };
            fb = self.gradient(b);
            if fb.is_nan() {
                return None;
            }
        }
        Some((b, 200))
    }
}

/// The step that interpolation proposes, where it may be trusted.
fn interpolated(
    (a, fa): (f64, f64),
    (b, fb): (f64, f64),
    (c, fc): (f64, f64),
    half: f64,
    tol: f64,
    before: f64,
) -> Option<f64> {
    if before.abs() < tol || fa.abs() <= fb.abs() {
        return None;
    }
    let s = fb / fa;
    let (p, q) = if a == c {
        (2.0 * half * s, 1.0 - s)
    } else {
        let (q, r) = (fa / fc, fb / fc);
        (s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0)), (q - 1.0) * (r - 1.0) * (s - 1.0))
    };
    let (p, q) = if p > 0.0 { (p, -q) } else { (-p, q) };
    (2.0 * p < (3.0 * half * q - (tol * q).abs()).min((before * q).abs())).then(|| p / q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(l: &Likelihood, lambda: f64) -> f64 {
        let y: Vec<f64> = (0..l.u.len())
            .map(|i| if l.negative[i] { -power(2.0 - lambda, l.u[i]) } else { power(lambda, l.u[i]) })
            .collect();
        let mean: f64 = y.iter().zip(&l.weights).map(|(y, w)| y * w).sum();
        let variance: f64 = y.iter().zip(&l.weights).map(|(y, w)| w * (y - mean) * (y - mean)).sum();
        -0.5 * variance.ln() + (lambda - 1.0) * l.slope
    }

    fn sample() -> Vec<(f64, f64)> {
        (0..200).map(|i| (f64::from(i * 37 % 200) / 30.0 - 1.5, 1.0 + f64::from(i % 3))).collect()
    }

    #[test]
    fn the_gradient_is_the_derivative() {
        let shifted: Vec<(f64, f64)> = sample().into_iter().map(|(x, w)| (x + 2.0, w)).collect();
        for l in [Likelihood::yeo_johnson(&sample()), Likelihood::box_cox(&shifted)] {
            for lambda in [-1.0, -1e-9, 0.0, 0.4, 1.0, 2.0 + 1e-9, 2.5] {
                let h = 1e-5;
                let difference = (value(&l, lambda + h) - value(&l, lambda - h)) / (2.0 * h);
                let found = l.gradient(lambda);
                assert!(
                    (found - difference).abs() < 1e-8 * (1.0 + found.abs()),
                    "{lambda}: {found} {difference}"
                );
            }
        }
    }

    #[test]
    fn the_maximum_has_no_gradient_and_no_better_neighbour() {
        let l = Likelihood::yeo_johnson(&sample());
        let (lambda, _) = l.maximum().unwrap();
        assert!(l.gradient(lambda).abs() < 1e-12);
        assert!(
            value(&l, lambda) >= value(&l, lambda + 1e-3) && value(&l, lambda) >= value(&l, lambda - 1e-3)
        );
    }
}
