//! Draws without a law around them: gamma, beta and Dirichlet numbers, on which those of other laws stand.

use mercer_math::special::{binomial_term, poisson_term};
use mercer_math::{Rng, log_sum_exp, normal, uniform};

/// A draw from the gamma law of this shape, above zero, and rate 1.
///
/// # Example
/// ```
/// let mut rng = mercer_math::rng_for(1, 2);
/// let mean = (0..20_000).map(|_| mercer_stats::draw::gamma(&mut rng, 2.5)).sum::<f64>() / 2e4;
/// assert!((mean - 2.5).abs() < 0.06); // five standard errors
/// ```
pub fn gamma(rng: &mut Rng, shape: f64) -> f64 {
    log_gamma(rng, shape).exp()
}

/// A draw from the beta law of these exponents, above zero.
pub fn beta(rng: &mut Rng, a: f64, b: f64) -> f64 {
    let (x, y) = (log_gamma(rng, a), log_gamma(rng, b));
    1.0 / (1.0 + (y - x).exp())
}

/// A draw from Dirichlet's law; a concentration of zero has a share of zero.
pub fn dirichlet(rng: &mut Rng, alpha: &[f64]) -> Vec<f64> {
    let draw = |a: &f64| if *a > 0.0 { log_gamma(rng, *a) } else { f64::NEG_INFINITY };
    let logs: Vec<f64> = alpha.iter().map(draw).collect();
    let total = log_sum_exp(&logs);
    logs.iter().map(|v| (v - total).exp()).collect()
}

/// A uniform number in (0, 1): a logarithm of it is finite.
pub(crate) fn inner_uniform(rng: &mut Rng) -> f64 {
    loop {
        let u = uniform(rng);
        if u > 0.0 {
            return u;
        }
    }
}

/// The logarithm of a gamma number of this shape and rate 1: a shape near zero gives numbers too small for any other form.
///
/// G. Marsaglia, W. W. Tsang. A simple method for generating gamma variables. ACM TOMS 26(3), 2000. doi:10.1145/358407.358414
pub(crate) fn log_gamma(rng: &mut Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        return log_gamma(rng, shape + 1.0) + inner_uniform(rng).ln() / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let z = normal(rng);
        let v = (1.0 + c * z).powi(3);
        if v > 0.0 && inner_uniform(rng).ln() < 0.5 * z * z + d - d * v + d * v.ln() {
            return d.ln() + v.ln();
        }
    }
}

/// A Poisson number: by inversion for a small mean, else by Hörmann's transformed rejection (PTRS).
///
/// W. Hörmann. The transformed rejection method for generating Poisson random variables. Insurance: Mathematics and Economics 12,
/// 1993. doi:10.1016/0167-6687(93)90997-4
pub(crate) fn poisson(rng: &mut Rng, mean: f64) -> f64 {
    if mean < 10.0 {
        let (mut left, mut k, mut term) = (uniform(rng), 0.0, (-mean).exp());
        while left >= term && term > 0.0 {
            left -= term;
            k += 1.0;
            term *= mean / k;
        }
        return k;
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let hat = Hat {
        centre: mean + 0.43,
        b,
        a: -0.059 + 0.02483 * b,
        log_scale: (1.1239 + 1.1328 / (b - 3.4)).ln(),
    };
    hat.draw(rng, |k| if k < 0.0 { f64::NEG_INFINITY } else { poisson_term(k, mean) })
}

/// A binomial number: by inversion where few successes are expected, else by Hörmann's transformed rejection (BTRS).
///
/// W. Hörmann. The generation of binomial random variates. J. Stat. Comput. Simul. 46, 1993. doi:10.1080/00949659308811496
pub(crate) fn binomial(rng: &mut Rng, n: f64, p: f64) -> f64 {
    if p > 0.5 {
        return n - binomial(rng, n, 1.0 - p);
    }
    if n * p < 10.0 {
        let odds = p / (1.0 - p);
        let (mut left, mut k, mut term) = (uniform(rng), 0.0, (n * (-p).ln_1p()).exp());
        while left >= term && k < n {
            left -= term;
            k += 1.0;
            term *= odds * (n - k + 1.0) / k;
        }
        return k;
    }
    let spread = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let log_term =
        |k: f64| if (0.0..=n).contains(&k) { binomial_term(k, n, p, 1.0 - p) } else { f64::NEG_INFINITY };
    let log_scale = ((2.83 + 5.1 / b) * spread).ln() + log_term(((n + 1.0) * p).floor());
    Hat { centre: n * p + 0.5, b, a: -0.0873 + 0.0248 * b + 0.01 * p, log_scale }.draw(rng, log_term)
}

/// The table mountain of Hörmann: its inverse distribution function is (2a / (½ − |u|) + b) u + centre.
struct Hat {
    centre: f64,
    b: f64,
    a: f64,
    log_scale: f64,
}

impl Hat {
    fn draw(&self, rng: &mut Rng, log_term: impl Fn(f64) -> f64) -> f64 {
        loop {
            // Never ½, where the hat is infinitely far.
            let (u, v) = (inner_uniform(rng) - 0.5, inner_uniform(rng));
            let us = 0.5 - u.abs();
            let k = ((2.0 * self.a / us + self.b) * u + self.centre).floor();
            if v.ln() + self.log_scale - (self.a / (us * us) + self.b).ln() <= log_term(k) {
                return k;
            }
        }
    }
}
