//! The beta law and the uniform one.

use super::two;
use crate::draw::beta;
use crate::family::{Univariate, law};
use crate::many::climbed;
use crate::moments::rising;
use mercer_math::special::{
    beta_quantile, binomial_term, digamma, gamma_entropy, incomplete_beta, trigamma, upper_incomplete_beta,
};
use mercer_math::{Mat, Rng, uniform};

law! {
    /// The beta law on (0, 1), proportional to x^{a−1} (1 − x)^{b−1}.
    Beta ("beta", discrete: false, Iterated, holds: |x| 0.0 < x && x < 1.0, guess: |_, sample| {
        let (mean, variance) = sample.moments();
        let total = (mean * (1.0 - mean) / variance.max(1e-12) - 1.0).max(1e-2);
        let logs = [sample.mean(f64::ln), sample.mean(|x| (-x).ln_1p())];
        climbed(vec![mean * total, (1.0 - mean) * total], &logs)
    }) {
        /// The exponent a.
        a: Positive = f64::NAN,
        /// The exponent b.
        b: Positive = f64::NAN,
    }
}

impl Univariate for Beta {
    law!(parameters Beta: a, b);

    fn log_density(&self, x: f64) -> f64 {
        let (a, b) = (self.a, self.b);
        let edge = |own: f64, other: f64| match own {
            _ if own < 1.0 => f64::INFINITY,
            1.0 => other.ln(),
            _ => f64::NEG_INFINITY,
        };
        match x {
            0.0 => edge(a, b),
            1.0 => edge(b, a),
            _ if !(0.0..=1.0).contains(&x) && !x.is_nan() => f64::NEG_INFINITY,
            _ => binomial_term(a, a + b, x, 1.0 - x) + (a / (a + b) * b).ln() - x.ln() - (-x).ln_1p(),
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        incomplete_beta(self.a, self.b, x)
    }
    fn survival(&self, x: f64) -> f64 {
        upper_incomplete_beta(self.a, self.b, x)
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { beta_quantile(self.a, self.b, p) } else { f64::NAN }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, 1.0)
    }
    fn moment(&self, order: u32) -> f64 {
        rising(order, |i| (self.a + i) / (self.a + self.b + i))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        beta(rng, self.a, self.b)
    }
    fn mean(&self) -> f64 {
        self.a / (self.a + self.b)
    }
    fn variance(&self) -> f64 {
        let total = self.a + self.b;
        self.a * self.b / (total * total * (total + 1.0))
    }
    fn entropy(&self) -> f64 {
        let total = self.a + self.b;
        gamma_entropy(self.a) + gamma_entropy(self.b) - gamma_entropy(total) - digamma(total)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let both = digamma(self.a + self.b);
        vec![x.ln() - digamma(self.a) + both, (-x).ln_1p() - digamma(self.b) + both]
    }
    fn slope(&self, x: f64) -> f64 {
        (self.a - 1.0) / x - (self.b - 1.0) / (1.0 - x)
    }
    fn information(&self) -> Option<Mat> {
        let both = trigamma(self.a + self.b);
        two(trigamma(self.a) - both, -both, trigamma(self.b) - both)
    }
}

law! {
    /// The uniform law between two numbers.
    Uniform ("uniform", discrete: false, Apart, holds: f64::is_finite, guess: |_, sample| {
        let (low, high) = sample.range();
        vec![low, high]
    }) {
        /// The lower end.
        low: Real = 0.0,
        /// The upper end.
        high: Real = 1.0,
    }
}

impl Univariate for Uniform {
    law!(parameters Uniform: low, high);

    fn log_density(&self, x: f64) -> f64 {
        match x {
            _ if x.is_nan() => x,
            _ if x < self.low || x > self.high => f64::NEG_INFINITY,
            _ => -(self.high - self.low).ln(),
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
    fn survival(&self, x: f64) -> f64 {
        ((self.high - x) / (self.high - self.low)).clamp(0.0, 1.0)
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { self.low + p * (self.high - self.low) } else { f64::NAN }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        if (0.0..=1.0).contains(&q) { self.high - q * (self.high - self.low) } else { f64::NAN }
    }
    fn support(&self) -> (f64, f64) {
        (self.low, self.high)
    }
    fn moment(&self, order: u32) -> f64 {
        let n = order as i32;
        (0..=n).map(|i| self.low.powi(i) * self.high.powi(n - i)).sum::<f64>() / f64::from(n + 1)
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.low + uniform(rng) * (self.high - self.low)
    }
    fn mean(&self) -> f64 {
        self.low + 0.5 * (self.high - self.low)
    }
    fn variance(&self) -> f64 {
        (self.high - self.low).powi(2) / 12.0
    }
    fn entropy(&self) -> f64 {
        (self.high - self.low).ln()
    }
    fn score(&self, _: f64) -> Vec<f64> {
        let slope = 1.0 / (self.high - self.low);
        vec![slope, -slope]
    }
    fn slope(&self, _: f64) -> f64 {
        0.0
    }
    fn information(&self) -> Option<Mat> {
        None
    }
}
