//! The gamma law and its kin: exponential, chi-squared, inverse gamma.

use super::{one, two};
use crate::draw::{inner_uniform, log_gamma};
use crate::family::{Sample, Univariate, law};
use crate::moments::rising;
use mercer_math::special::{
    digamma, gamma_entropy, gamma_quantile, lower_gamma, poisson_term, trigamma, upper_gamma,
};
use mercer_math::{Mat, Rng};

/// The shape whose ln a − ψ(a) is that of the observations, ln(mean) − mean(ln), and the rate that goes with it: the optimum, but
/// for rounding, by Minka's guess and his steps of generalised Newton (Estimating a gamma distribution. 2002).
fn guess(sample: &Sample<'_>, of: impl Fn(f64) -> f64) -> Vec<f64> {
    let mean = sample.mean(&of);
    let s = (mean.ln() - sample.mean(|x| of(x).ln())).max(1e-12);
    let mut shape = (3.0 - s + ((s - 3.0).powi(2) + 24.0 * s).sqrt()) / (12.0 * s);
    for _ in 0..8 {
        let inverse = 1.0 / shape
            + (shape.ln() - digamma(shape) - s) / (shape * shape * (1.0 / shape - trigamma(shape)));
        let next = 1.0 / inverse;
        if !(next > 0.0 && next.is_finite()) || (next - shape).abs() <= 1e-15 * shape {
            break;
        }
        shape = next;
    }
    vec![shape, shape / mean]
}

law! {
    /// The gamma law of shape a and rate b, proportional to x^{a−1} e^{−bx}.
    Gamma ("gamma", discrete: false, Iterated, holds: |x| x > 0.0 && x.is_finite(), guess: |_, sample| guess(sample, |x| x)) {
        /// The shape a.
        shape: Positive = f64::NAN,
        /// The rate b.
        rate: Positive = 1.0,
    }
}

impl Univariate for Gamma {
    law!(parameters Gamma: shape, rate);

    fn log_density(&self, x: f64) -> f64 {
        match x {
            _ if x < 0.0 => f64::NEG_INFINITY,
            0.0 if self.shape == 1.0 => self.rate.ln(),
            0.0 if self.shape < 1.0 => f64::INFINITY,
            0.0 | f64::INFINITY => f64::NEG_INFINITY,
            _ => poisson_term(self.shape, self.rate * x) + self.shape.ln() - x.ln(),
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        lower_gamma(self.shape, self.rate * x)
    }
    fn survival(&self, x: f64) -> f64 {
        upper_gamma(self.shape, self.rate * x)
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { gamma_quantile(self.shape, p) / self.rate } else { f64::NAN }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        rising(order, |i| (self.shape + i) / self.rate)
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        (log_gamma(rng, self.shape) - self.rate.ln()).exp()
    }
    fn mean(&self) -> f64 {
        self.shape / self.rate
    }
    fn variance(&self) -> f64 {
        self.shape / (self.rate * self.rate)
    }
    fn entropy(&self) -> f64 {
        gamma_entropy(self.shape) - self.rate.ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        vec![self.rate.ln() - digamma(self.shape) + x.ln(), self.shape / self.rate - x]
    }
    fn slope(&self, x: f64) -> f64 {
        (self.shape - 1.0) / x - self.rate
    }
    fn information(&self) -> Option<Mat> {
        two(trigamma(self.shape), -1.0 / self.rate, self.shape / (self.rate * self.rate))
    }
}

law! {
    /// The law of 1/x for a gamma x of shape a and rate b.
    InverseGamma ("inverse_gamma", discrete: false, Iterated, holds: |x| x > 0.0 && x.is_finite(), guess: |_, sample| guess(sample, f64::recip)) {
        /// The shape a.
        shape: Positive = f64::NAN,
        /// The scale b.
        scale: Positive = 1.0,
    }
}

impl InverseGamma {
    fn inverse(&self) -> Gamma {
        Gamma { shape: self.shape, rate: self.scale }
    }
}

impl Univariate for InverseGamma {
    law!(parameters InverseGamma: shape, scale);

    fn log_density(&self, x: f64) -> f64 {
        match x {
            _ if x <= 0.0 || x == f64::INFINITY => f64::NEG_INFINITY,
            _ => self.inverse().log_density(1.0 / x) - 2.0 * x.ln(),
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.inverse().survival(1.0 / x) }
    }
    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.inverse().cdf(1.0 / x) }
    }
    fn quantile(&self, p: f64) -> f64 {
        1.0 / self.inverse().upper_quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        1.0 / self.inverse().quantile(q)
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        match f64::from(order) < self.shape {
            true => rising(order, |i| self.scale / (self.shape - 1.0 - i)),
            false => f64::INFINITY,
        }
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        (self.scale.ln() - log_gamma(rng, self.shape)).exp()
    }
    fn mean(&self) -> f64 {
        if self.shape > 1.0 { self.scale / (self.shape - 1.0) } else { f64::INFINITY }
    }
    fn variance(&self) -> f64 {
        let (a, b) = (self.shape, self.scale);
        if a > 2.0 { b * b / ((a - 1.0).powi(2) * (a - 2.0)) } else { f64::INFINITY }
    }
    fn entropy(&self) -> f64 {
        gamma_entropy(self.shape) + self.scale.ln() - 2.0 * digamma(self.shape)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        self.inverse().score(1.0 / x)
    }
    fn slope(&self, x: f64) -> f64 {
        (self.scale / x - self.shape - 1.0) / x
    }
    fn information(&self) -> Option<Mat> {
        self.inverse().information()
    }
}

law! {
    /// The exponential law of rate λ.
    Exponential ("exponential", discrete: false, Closed, holds: |x| x >= 0.0 && x.is_finite(), guess: |_, sample| vec![1.0 / sample.mean(|x| x)]) {
        /// The rate λ.
        rate: Positive = 1.0,
    }
}

impl Univariate for Exponential {
    law!(parameters Exponential: rate);

    fn log_density(&self, x: f64) -> f64 {
        if x < 0.0 { f64::NEG_INFINITY } else { self.rate.ln() - self.rate * x }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { -(-self.rate * x).exp_m1() }
    }
    fn survival(&self, x: f64) -> f64 {
        if x < 0.0 { 1.0 } else { (-self.rate * x).exp() }
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { -(-p).ln_1p() / self.rate } else { f64::NAN }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        if (0.0..=1.0).contains(&q) { (0.0 - q.ln()) / self.rate } else { f64::NAN }
    }
    fn log_survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -self.rate * x }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        rising(order, |i| (1.0 + i) / self.rate)
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        -inner_uniform(rng).ln() / self.rate
    }
    fn mean(&self) -> f64 {
        1.0 / self.rate
    }
    fn variance(&self) -> f64 {
        1.0 / (self.rate * self.rate)
    }
    fn entropy(&self) -> f64 {
        1.0 - self.rate.ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        vec![1.0 / self.rate - x]
    }
    fn slope(&self, _: f64) -> f64 {
        -self.rate
    }
    fn information(&self) -> Option<Mat> {
        one(1.0 / (self.rate * self.rate))
    }
}

law! {
    /// The chi-squared law: the sum of squares of as many standard normal numbers as there are degrees of freedom.
    ChiSquared ("chi_squared", discrete: false, Iterated, holds: |x| x > 0.0 && x.is_finite(), guess: |_, sample| vec![sample.mean(|x| x)]) {
        /// The degrees of freedom.
        df: Positive = f64::NAN,
    }
}

impl ChiSquared {
    fn gamma(&self) -> Gamma {
        Gamma { shape: 0.5 * self.df, rate: 0.5 }
    }
}

impl Univariate for ChiSquared {
    law!(parameters ChiSquared: df);

    fn log_density(&self, x: f64) -> f64 {
        self.gamma().log_density(x)
    }
    fn cdf(&self, x: f64) -> f64 {
        self.gamma().cdf(x)
    }
    fn survival(&self, x: f64) -> f64 {
        self.gamma().survival(x)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.gamma().quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.gamma().upper_quantile(q)
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        self.gamma().moment(order)
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.gamma().draw(rng)
    }
    fn mean(&self) -> f64 {
        self.df
    }
    fn variance(&self) -> f64 {
        2.0 * self.df
    }
    fn entropy(&self) -> f64 {
        self.gamma().entropy()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        vec![0.5 * self.gamma().score(x)[0]]
    }
    fn slope(&self, x: f64) -> f64 {
        self.gamma().slope(x)
    }
    fn information(&self) -> Option<Mat> {
        one(0.25 * trigamma(0.5 * self.df))
    }
}
