//! The normal law, and that of a number whose logarithm is normal.

use super::two;
use crate::family::{Sample, Univariate, law};
use crate::moments::{even, rising, shifted};
use mercer_math::special::{norm_cdf, norm_log_cdf, norm_ppf};
use mercer_math::{Mat, Rng, normal};
use std::f64::consts::{E, PI};

/// The mean of a function of the observations, where none is given, and the root of the mean square about it.
fn middle(given: &[f64], sample: &Sample<'_>, of: impl Fn(f64) -> f64) -> Vec<f64> {
    let mean = if given[0].is_nan() { sample.mean(&of) } else { given[0] };
    vec![mean, sample.mean(|x| (of(x) - mean).powi(2)).sqrt()]
}

law! {
    /// The normal law of mean μ and standard deviation σ.
    Normal ("normal", discrete: false, Apart, holds: f64::is_finite, guess: |given, sample| middle(given, sample, |x| x)) {
        /// The mean μ.
        mu: Real = 0.0,
        /// The standard deviation σ.
        sigma: Positive = 1.0,
    }
}

impl Univariate for Normal {
    law!(parameters Normal: mu, sigma);

    fn log_density(&self, x: f64) -> f64 {
        let z = (x - self.mu) / self.sigma;
        -0.5 * z * z - self.sigma.ln() - 0.5 * (2.0 * PI).ln()
    }
    fn cdf(&self, x: f64) -> f64 {
        norm_cdf((x - self.mu) / self.sigma)
    }
    fn survival(&self, x: f64) -> f64 {
        norm_cdf((self.mu - x) / self.sigma)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.mu + self.sigma * norm_ppf(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.mu - self.sigma * norm_ppf(q)
    }
    fn log_cdf(&self, x: f64) -> f64 {
        norm_log_cdf((x - self.mu) / self.sigma)
    }
    fn log_survival(&self, x: f64) -> f64 {
        norm_log_cdf((self.mu - x) / self.sigma)
    }
    fn support(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        shifted(order, self.mu, self.sigma, |n| even(n, |n| rising(n / 2, |i| 2.0 * i + 1.0)))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.mu + self.sigma * normal(rng)
    }
    fn mean(&self) -> f64 {
        self.mu
    }
    fn variance(&self) -> f64 {
        self.sigma * self.sigma
    }
    fn entropy(&self) -> f64 {
        0.5 * (2.0 * PI * E).ln() + self.sigma.ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let z = (x - self.mu) / self.sigma;
        vec![z / self.sigma, (z * z - 1.0) / self.sigma]
    }
    fn slope(&self, x: f64) -> f64 {
        (self.mu - x) / (self.sigma * self.sigma)
    }
    fn information(&self) -> Option<Mat> {
        let precision = 1.0 / (self.sigma * self.sigma);
        two(precision, 0.0, 2.0 * precision)
    }
}

law! {
    /// The law of e^z for a normal z of mean μ and standard deviation σ.
    LogNormal ("log_normal", discrete: false, Apart, holds: |x| x > 0.0 && x.is_finite(), guess: |given, sample| middle(given, sample, f64::ln)) {
        /// The mean μ of the logarithm.
        mu: Real = 0.0,
        /// The standard deviation σ of the logarithm.
        sigma: Positive = 1.0,
    }
}

impl LogNormal {
    fn log(&self) -> Normal {
        Normal { mu: self.mu, sigma: self.sigma }
    }
}

impl Univariate for LogNormal {
    law!(parameters LogNormal: mu, sigma);

    fn log_density(&self, x: f64) -> f64 {
        if x <= 0.0 { f64::NEG_INFINITY } else { self.log().log_density(x.ln()) - x.ln() }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.log().cdf(x.ln()) }
    }
    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.log().survival(x.ln()) }
    }
    fn quantile(&self, p: f64) -> f64 {
        self.log().quantile(p).exp()
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.log().upper_quantile(q).exp()
    }
    fn log_cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { f64::NEG_INFINITY } else { self.log().log_cdf(x.ln()) }
    }
    fn log_survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.log().log_survival(x.ln()) }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let n = f64::from(order);
        (n * self.mu + 0.5 * n * n * self.sigma * self.sigma).exp()
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.log().draw(rng).exp()
    }
    fn mean(&self) -> f64 {
        (self.mu + 0.5 * self.sigma * self.sigma).exp()
    }
    fn variance(&self) -> f64 {
        let square = self.sigma * self.sigma;
        square.exp_m1() * (2.0 * self.mu + square).exp()
    }
    fn entropy(&self) -> f64 {
        self.log().entropy() + self.mu
    }
    fn score(&self, x: f64) -> Vec<f64> {
        self.log().score(x.ln())
    }
    fn slope(&self, x: f64) -> f64 {
        (self.log().slope(x.ln()) - 1.0) / x
    }
    fn information(&self) -> Option<Mat> {
        self.log().information()
    }
}
