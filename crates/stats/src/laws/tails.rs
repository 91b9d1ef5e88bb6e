//! Laws with closed quantiles: Laplace's, the logistic, Weibull's, Pareto's.

use super::two;
use crate::draw::inner_uniform;
use crate::family::{Univariate, law};
use crate::moments::{alternating_zeta, even, factorial, shifted};
use mercer_math::special::lgamma;
use mercer_math::{Mat, Rng};
use std::f64::consts::{LN_2, PI};

const EULER: f64 = 0.577_215_664_901_532_9;

law! {
    /// Laplace's law, proportional to e^{−|x − location| / scale}.
    Laplace ("laplace", discrete: false, Apart, holds: f64::is_finite, guess: |given, sample| {
        let median = if given[0].is_nan() { sample.quantile(0.5) } else { given[0] };
        vec![median, sample.mean(|x| (x - median).abs())]
    }) {
        /// The location.
        location: Real = 0.0,
        /// The scale.
        scale: Positive = 1.0,
    }
}

impl Univariate for Laplace {
    law!(parameters Laplace: location, scale);

    fn log_density(&self, x: f64) -> f64 {
        -(2.0 * self.scale).ln() - (x - self.location).abs() / self.scale
    }
    fn cdf(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        if z < 0.0 { 0.5 * z.exp() } else { 1.0 - 0.5 * (-z).exp() }
    }
    fn survival(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        if z > 0.0 { 0.5 * (-z).exp() } else { 1.0 - 0.5 * z.exp() }
    }
    fn quantile(&self, p: f64) -> f64 {
        match p {
            _ if !(0.0..=1.0).contains(&p) => f64::NAN,
            _ if p < 0.5 => self.location + self.scale * (2.0 * p).ln(),
            _ => self.location - self.scale * (2.0 * (1.0 - p)).ln(),
        }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        match q {
            _ if !(0.0..=1.0).contains(&q) => f64::NAN,
            _ if q < 0.5 => self.location - self.scale * (2.0 * q).ln(),
            _ => self.location + self.scale * (2.0 * (1.0 - q)).ln(),
        }
    }
    fn log_cdf(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        if z < 0.0 { z - LN_2 } else { (-0.5 * (-z).exp()).ln_1p() }
    }
    fn log_survival(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        if z > 0.0 { -z - LN_2 } else { (-0.5 * z.exp()).ln_1p() }
    }
    fn support(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        shifted(order, self.location, self.scale, |n| even(n, factorial))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.quantile(inner_uniform(rng))
    }
    fn mean(&self) -> f64 {
        self.location
    }
    fn variance(&self) -> f64 {
        2.0 * self.scale * self.scale
    }
    fn entropy(&self) -> f64 {
        1.0 + (2.0 * self.scale).ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let away = x - self.location;
        let sign = if away == 0.0 { 0.0 } else { away.signum() };
        vec![sign / self.scale, (away.abs() / self.scale - 1.0) / self.scale]
    }
    fn slope(&self, x: f64) -> f64 {
        -self.score(x)[0]
    }
    fn information(&self) -> Option<Mat> {
        let each = 1.0 / (self.scale * self.scale);
        two(each, 0.0, each)
    }
}

law! {
    /// The logistic law, whose distribution function is the sigmoid.
    Logistic ("logistic", discrete: false, Iterated, holds: f64::is_finite, guess: |_, sample| {
        let (mean, variance) = sample.moments();
        vec![mean, (3.0 * variance).sqrt() / PI]
    }) {
        /// The location.
        location: Real = 0.0,
        /// The scale.
        scale: Positive = 1.0,
    }
}

impl Univariate for Logistic {
    law!(parameters Logistic: location, scale);

    fn log_density(&self, x: f64) -> f64 {
        let z = ((x - self.location) / self.scale).abs();
        -z - 2.0 * (-z).exp().ln_1p() - self.scale.ln()
    }
    fn cdf(&self, x: f64) -> f64 {
        1.0 / (1.0 + ((self.location - x) / self.scale).exp())
    }
    fn survival(&self, x: f64) -> f64 {
        1.0 / (1.0 + ((x - self.location) / self.scale).exp())
    }
    fn quantile(&self, p: f64) -> f64 {
        self.location + self.scale * (p.ln() - (-p).ln_1p())
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.location + self.scale * ((-q).ln_1p() - q.ln())
    }
    fn log_cdf(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        z.min(0.0) - (-z.abs()).exp().ln_1p()
    }
    fn log_survival(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        (-z).min(0.0) - (-z.abs()).exp().ln_1p()
    }
    fn support(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let own = |n: u32| if n == 0 { 1.0 } else { 2.0 * factorial(n) * alternating_zeta(n) };
        shifted(order, self.location, self.scale, |n| even(n, own))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.quantile(inner_uniform(rng))
    }
    fn mean(&self) -> f64 {
        self.location
    }
    fn variance(&self) -> f64 {
        (PI * self.scale).powi(2) / 3.0
    }
    fn entropy(&self) -> f64 {
        self.scale.ln() + 2.0
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let z = (x - self.location) / self.scale;
        let t = (0.5 * z).tanh();
        vec![t / self.scale, (z * t - 1.0) / self.scale]
    }
    fn slope(&self, x: f64) -> f64 {
        -self.score(x)[0]
    }
    fn information(&self) -> Option<Mat> {
        let each = 1.0 / (3.0 * self.scale * self.scale);
        two(each, 0.0, each * (3.0 + PI * PI) / 3.0)
    }
}

/// ln Γ(1 + 2s) − 2 ln Γ(1 + s) for a small s: Σ ζ(n) (2ⁿ − 2) (−s)ⁿ / n, which its two parts would lose in rounding.
fn narrow(s: f64) -> f64 {
    let zeta = |n: u32| alternating_zeta(n) / (1.0 - 0.5f64.powi(n as i32 - 1));
    // ζ of odd numbers has no closed form.
    let odd = [1.202_056_903_159_594_3, 1.036_927_755_143_37, 1.008_349_277_381_923, 1.002_008_392_826_082_2];
    let term = |n: u32| {
        let zeta = if n.is_multiple_of(2) { zeta(n) } else { odd[n as usize / 2 - 1] };
        zeta * (2f64.powi(n as i32) - 2.0) * (-s).powi(n as i32) / f64::from(n)
    };
    (2..=9).rev().map(term).sum()
}

law! {
    /// Weibull's law, proportional to x^{k−1} e^{−(x/λ)^k}.
    Weibull ("weibull", discrete: false, Iterated, holds: |x| x > 0.0 && x.is_finite(), guess: |_, sample| {
        // The logarithm follows Gumbel's law of scale 1/k.
        let mean = sample.mean(f64::ln);
        let deviation = sample.mean(|x| (x.ln() - mean).powi(2)).sqrt().max(1e-9);
        let shape = PI / (6f64.sqrt() * deviation);
        vec![shape, (mean + EULER / shape).exp()]
    }) {
        /// The shape k.
        shape: Positive = f64::NAN,
        /// The scale λ.
        scale: Positive = 1.0,
    }
}

impl Univariate for Weibull {
    law!(parameters Weibull: shape, scale);

    fn log_density(&self, x: f64) -> f64 {
        let k = self.shape;
        match x {
            _ if x < 0.0 => f64::NEG_INFINITY,
            0.0 if k == 1.0 => -self.scale.ln(),
            0.0 => {
                if k < 1.0 {
                    f64::INFINITY
                } else {
                    f64::NEG_INFINITY
                }
            }
            _ => {
                let log = (x / self.scale).ln();
                let power = (k * log).exp();
                if power == f64::INFINITY { -power } else { (k / self.scale).ln() + (k - 1.0) * log - power }
            }
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(-(x / self.scale).powf(self.shape)).exp_m1() }
    }
    fn survival(&self, x: f64) -> f64 {
        self.log_survival(x).exp()
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { self.scale * (-(-p).ln_1p()).powf(1.0 / self.shape) } else { f64::NAN }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        if (0.0..=1.0).contains(&q) { self.scale * (0.0 - q.ln()).powf(1.0 / self.shape) } else { f64::NAN }
    }
    fn log_survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(x / self.scale).powf(self.shape) }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        self.scale.powi(order as i32) * lgamma(1.0 + f64::from(order) / self.shape).exp()
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.scale * (-inner_uniform(rng).ln()).powf(1.0 / self.shape)
    }
    fn mean(&self) -> f64 {
        self.scale * lgamma(1.0 + 1.0 / self.shape).exp()
    }
    fn variance(&self) -> f64 {
        let step = 1.0 / self.shape;
        self.mean().powi(2)
            * match step < 0.01 {
                true => narrow(step).exp_m1(),
                false => (lgamma(1.0 + 2.0 * step) - 2.0 * lgamma(1.0 + step)).exp_m1(),
            }
    }
    fn entropy(&self) -> f64 {
        EULER * (1.0 - 1.0 / self.shape) + (self.scale / self.shape).ln() + 1.0
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let log = (x / self.scale).ln();
        let power = (self.shape * log).exp();
        vec![1.0 / self.shape + log - power * log, self.shape / self.scale * (power - 1.0)]
    }
    fn slope(&self, x: f64) -> f64 {
        (self.shape - 1.0 - self.shape * (x / self.scale).powf(self.shape)) / x
    }
    fn information(&self) -> Option<Mat> {
        let (k, s) = (self.shape, self.scale);
        two((PI * PI / 6.0 + (1.0 - EULER).powi(2)) / (k * k), -(1.0 - EULER) / s, (k / s).powi(2))
    }
}

law! {
    /// Pareto's law from a scale on, proportional to x^{−shape−1}.
    Pareto ("pareto", discrete: false, Apart, holds: |x| x > 0.0 && x.is_finite(), guess: |given, sample| {
        let least = if given[1].is_nan() { sample.range().0 } else { given[1] };
        vec![1.0 / sample.mean(|x| (x / least).ln()), least]
    }) {
        /// The shape.
        shape: Positive = f64::NAN,
        /// The scale, which is the least value.
        scale: Positive = 1.0,
    }
}

impl Univariate for Pareto {
    law!(parameters Pareto: shape, scale);

    fn log_density(&self, x: f64) -> f64 {
        match x < self.scale {
            true => f64::NEG_INFINITY,
            false => self.shape.ln() - self.shape * (x / self.scale).ln() - x.ln(),
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < self.scale { 0.0 } else { -(-self.shape * (x / self.scale).ln()).exp_m1() }
    }
    fn survival(&self, x: f64) -> f64 {
        if x < self.scale { 1.0 } else { (x / self.scale).powf(-self.shape) }
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { self.scale * (-(-p).ln_1p() / self.shape).exp() } else { f64::NAN }
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        if (0.0..=1.0).contains(&q) { self.scale * (-q.ln() / self.shape).exp() } else { f64::NAN }
    }
    fn log_survival(&self, x: f64) -> f64 {
        if x < self.scale { 0.0 } else { -self.shape * (x / self.scale).ln() }
    }
    fn support(&self) -> (f64, f64) {
        (self.scale, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let n = f64::from(order);
        match n < self.shape {
            true => self.scale.powi(order as i32) * self.shape / (self.shape - n),
            false => f64::INFINITY,
        }
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.scale * (-inner_uniform(rng).ln() / self.shape).exp()
    }
    fn mean(&self) -> f64 {
        if self.shape > 1.0 { self.shape * self.scale / (self.shape - 1.0) } else { f64::INFINITY }
    }
    fn variance(&self) -> f64 {
        let a = self.shape;
        if a > 2.0 { self.scale.powi(2) * a / ((a - 1.0).powi(2) * (a - 2.0)) } else { f64::INFINITY }
    }
    fn entropy(&self) -> f64 {
        (self.scale / self.shape).ln() + 1.0 + 1.0 / self.shape
    }
    fn score(&self, x: f64) -> Vec<f64> {
        vec![1.0 / self.shape - (x / self.scale).ln(), self.shape / self.scale]
    }
    fn slope(&self, x: f64) -> f64 {
        -(self.shape + 1.0) / x
    }
    fn information(&self) -> Option<Mat> {
        None
    }
}
