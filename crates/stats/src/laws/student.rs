//! Laws with heavy tails from ratios: Student's t, Cauchy's law, Fisher's F.

use super::two;
use crate::draw::{inner_uniform, log_gamma};
use crate::family::{Sample, Tail, Univariate, by_bisection, law};
use crate::moments::{even, rising, shifted};
use mercer_math::special::{
    binomial_term, digamma, gamma_entropy, half_step, incomplete_beta, trigamma, upper_incomplete_beta,
};
use mercer_math::{Mat, Rng, normal};
use std::f64::consts::PI;

/// The median, and half the distance of the quartiles.
fn middle(sample: &Sample<'_>) -> (f64, f64) {
    let scale = 0.5 * (sample.quantile(0.75) - sample.quantile(0.25));
    let spread = sample.moments().1.sqrt();
    (sample.quantile(0.5), if scale > 0.0 { scale } else { spread.max(f64::MIN_POSITIVE) })
}

/// ln(1 + z²/v), also where the square is too large to be a number.
fn ln_square(z: f64, v: f64) -> f64 {
    if z.abs() < 1e150 { (z * z / v).ln_1p() } else { 2.0 * z.abs().ln() - v.ln() }
}

law! {
    /// Student's t law with a location and a scale.
    StudentT ("student_t", discrete: false, Iterated, holds: f64::is_finite, guess: |_, sample| {
        let (location, scale) = middle(sample);
        vec![5.0, location, 1.3 * scale]
    }) {
        /// The degrees of freedom ν.
        df: Positive = f64::NAN,
        /// The location.
        location: Real = 0.0,
        /// The scale.
        scale: Positive = 1.0,
    }
}

impl StudentT {
    fn standard(&self, x: f64) -> f64 {
        (x - self.location) / self.scale
    }

    /// The quantile without location and scale.
    fn standard_quantile(&self, p: f64) -> f64 {
        let standard = StudentT { location: 0.0, scale: 1.0, ..*self };
        match p {
            0.5 => 0.0,
            _ if p > 0.5 => -by_bisection(&standard, Tail::Lower(1.0 - p)),
            _ => by_bisection(&standard, Tail::Lower(p)),
        }
    }

    /// The probability beyond `z`, for z ≥ 0.
    fn tail(&self, z: f64) -> f64 {
        let square = z * z;
        match square < self.df {
            true => 0.5 * upper_incomplete_beta(0.5, 0.5 * self.df, square / (self.df + square)),
            false => 0.5 * incomplete_beta(0.5 * self.df, 0.5, self.df / (self.df + square)),
        }
    }
}

impl Univariate for StudentT {
    law!(parameters StudentT: df, location, scale);

    fn log_density(&self, x: f64) -> f64 {
        let (z, v) = (self.standard(x), self.df);
        half_step(0.5 * v) - 0.5 * (2.0 * PI).ln() - self.scale.ln() - 0.5 * (v + 1.0) * ln_square(z, v)
    }
    fn cdf(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z < 0.0 { self.tail(-z) } else { 1.0 - self.tail(z) }
    }
    fn survival(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z < 0.0 { 1.0 - self.tail(-z) } else { self.tail(z) }
    }
    fn quantile(&self, p: f64) -> f64 {
        self.location + self.scale * self.standard_quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.location - self.scale * self.standard_quantile(q)
    }
    fn support(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let v = self.df;
        if order > 0 && f64::from(order) >= v {
            return if order.is_multiple_of(2) { f64::INFINITY } else { f64::NAN };
        }
        let square = |i: f64| v * (2.0 * i + 1.0) / (v - 2.0 * i - 2.0);
        shifted(order, self.location, self.scale, |n| even(n, |n| rising(n / 2, square)))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        let z = normal(rng);
        self.location + self.scale * z * (0.5 * ((0.5 * self.df).ln() - log_gamma(rng, 0.5 * self.df))).exp()
    }
    fn mean(&self) -> f64 {
        if self.df > 1.0 { self.location } else { f64::NAN }
    }
    fn variance(&self) -> f64 {
        match self.df {
            v if v > 2.0 => self.scale * self.scale * v / (v - 2.0),
            v if v > 1.0 => f64::INFINITY,
            _ => f64::NAN,
        }
    }
    fn entropy(&self) -> f64 {
        let (half, more) = (0.5 * self.df, 0.5 * (self.df + 1.0));
        gamma_entropy(half) - gamma_entropy(more) + digamma(more) - 1.5 * digamma(half)
            + 0.5 * (1.0 + (self.df * PI).ln())
            + self.scale.ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let (z, v) = (self.standard(x), self.df);
        let square = z * z;
        let pull = (v + 1.0) / (v + square);
        let by_df =
            digamma(0.5 * (v + 1.0)) - digamma(0.5 * v) - 1.0 / v - (square / v).ln_1p() + pull * square / v;
        vec![0.5 * by_df, pull * z / self.scale, (pull * square - 1.0) / self.scale]
    }
    fn slope(&self, x: f64) -> f64 {
        -self.score(x)[1]
    }
    /// K. L. Lange, R. J. A. Little, J. M. G. Taylor. Robust statistical modeling using the t distribution. JASA 84, 1989.
    fn information(&self) -> Option<Mat> {
        let (v, s) = (self.df, self.scale);
        let curved = 0.25 * (trigamma(0.5 * v) - trigamma(0.5 * (v + 1.0)));
        let by_df = curved - (v + 5.0) / (2.0 * v * (v + 1.0) * (v + 3.0));
        let both = -2.0 / ((v + 1.0) * (v + 3.0) * s);
        let mut out = Mat::zeros(3, 3);
        out[(0, 0)] = by_df;
        (out[(0, 2)], out[(2, 0)]) = (both, both);
        out[(1, 1)] = (v + 1.0) / ((v + 3.0) * s * s);
        out[(2, 2)] = 2.0 * v / ((v + 3.0) * s * s);
        Some(out)
    }
}

law! {
    /// Cauchy's law, which has no mean.
    Cauchy ("cauchy", discrete: false, Iterated, holds: f64::is_finite, guess: |_, sample| {
        let (location, scale) = middle(sample);
        vec![location, scale]
    }) {
        /// The location.
        location: Real = 0.0,
        /// The scale.
        scale: Positive = 1.0,
    }
}

impl Cauchy {
    /// The quantile without location and scale.
    fn standard_quantile(p: f64) -> f64 {
        match p {
            0.0 => f64::NEG_INFINITY,
            1.0 => f64::INFINITY,
            _ if !(0.0..=1.0).contains(&p) => f64::NAN,
            // Near zero the cotangent keeps the digits that a tangent near its pole loses.
            _ if p < 0.25 => -1.0 / (PI * p).tan(),
            _ if p > 0.75 => 1.0 / (PI * (1.0 - p)).tan(),
            _ => (PI * (p - 0.5)).tan(),
        }
    }
}

impl Univariate for Cauchy {
    law!(parameters Cauchy: location, scale);

    fn log_density(&self, x: f64) -> f64 {
        -(PI * self.scale).ln() - ln_square((x - self.location) / self.scale, 1.0)
    }
    fn cdf(&self, x: f64) -> f64 {
        f64::atan2(1.0, (self.location - x) / self.scale) / PI
    }
    fn survival(&self, x: f64) -> f64 {
        f64::atan2(1.0, (x - self.location) / self.scale) / PI
    }
    fn quantile(&self, p: f64) -> f64 {
        self.location + self.scale * Self::standard_quantile(p)
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        self.location - self.scale * Self::standard_quantile(q)
    }
    fn support(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        match order {
            0 => 1.0,
            _ if order.is_multiple_of(2) => f64::INFINITY,
            _ => f64::NAN,
        }
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        self.quantile(inner_uniform(rng))
    }
    fn mean(&self) -> f64 {
        f64::NAN
    }
    fn variance(&self) -> f64 {
        f64::NAN
    }
    fn entropy(&self) -> f64 {
        (4.0 * PI * self.scale).ln()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let z = (x - self.location) / self.scale;
        let unit = self.scale * (1.0 + z * z);
        vec![2.0 * z / unit, (z * z - 1.0) / unit]
    }
    fn slope(&self, x: f64) -> f64 {
        -self.score(x)[0]
    }
    fn information(&self) -> Option<Mat> {
        let each = 0.5 / (self.scale * self.scale);
        two(each, 0.0, each)
    }
}

law! {
    /// Fisher's F law: the ratio of two mean squares.
    FisherF ("fisher_f", discrete: false, Iterated, holds: |x| x > 0.0 && x.is_finite(), guess: |_, sample| {
        let mean = sample.mean(|x| x);
        vec![5.0, if mean > 1.0 { (2.0 * mean / (mean - 1.0)).clamp(4.5, 100.0) } else { 20.0 }]
    }) {
        /// The degrees of freedom above.
        df1: Positive = f64::NAN,
        /// The degrees of freedom below.
        df2: Positive = f64::NAN,
    }
}

impl FisherF {
    /// The share of the upper mean square, weighted by its degrees of freedom, and that of the lower one: beta numbers.
    fn shares(&self, x: f64) -> (f64, f64) {
        let odds = self.df1 * x.max(0.0) / self.df2;
        (1.0 / (1.0 + 1.0 / odds), 1.0 / (1.0 + odds))
    }
}

impl Univariate for FisherF {
    law!(parameters FisherF: df1, df2);

    fn log_density(&self, x: f64) -> f64 {
        let (a, b) = (0.5 * self.df1, 0.5 * self.df2);
        match x {
            _ if x < 0.0 => f64::NEG_INFINITY,
            0.0 if a == 1.0 => 0.0,
            0.0 if a < 1.0 => f64::INFINITY,
            0.0 | f64::INFINITY => f64::NEG_INFINITY,
            _ => {
                let (p, q) = self.shares(x);
                binomial_term(a, a + b, p, q) + (a / (a + b) * b).ln() - x.ln()
            }
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { incomplete_beta(0.5 * self.df1, 0.5 * self.df2, self.shares(x).0) }
    }
    fn survival(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { incomplete_beta(0.5 * self.df2, 0.5 * self.df1, self.shares(x).1) }
    }
    fn quantile(&self, p: f64) -> f64 {
        by_bisection(self, Tail::Lower(p))
    }
    fn upper_quantile(&self, q: f64) -> f64 {
        1.0 / FisherF { df1: self.df2, df2: self.df1 }.quantile(q)
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let (m, n) = (self.df1, self.df2);
        match 2.0 * f64::from(order) < n {
            true => rising(order, |i| n / m * (0.5 * m + i) / (0.5 * n - 1.0 - i)),
            false => f64::INFINITY,
        }
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        let (above, below) = (log_gamma(rng, 0.5 * self.df1), log_gamma(rng, 0.5 * self.df2));
        (above - below).exp() * self.df2 / self.df1
    }
    fn mean(&self) -> f64 {
        if self.df2 > 2.0 { self.df2 / (self.df2 - 2.0) } else { f64::INFINITY }
    }
    fn variance(&self) -> f64 {
        let (m, n) = (self.df1, self.df2);
        match n > 4.0 {
            true => 2.0 * n * n * (m + n - 2.0) / (m * (n - 2.0).powi(2) * (n - 4.0)),
            false if n > 2.0 => f64::INFINITY,
            false => f64::NAN,
        }
    }
    fn entropy(&self) -> f64 {
        let (a, b) = (0.5 * self.df1, 0.5 * self.df2);
        gamma_entropy(a) + gamma_entropy(b) - gamma_entropy(a + b) + (b / a).ln() - 2.0 * digamma(b)
            + digamma(a + b)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let (m, n) = (self.df1, self.df2);
        let (bottom, both) = (n + m * x, digamma(0.5 * (m + n)));
        vec![
            0.5 * (m.ln() + 1.0 + x.ln() - bottom.ln() - (m + n) * x / bottom - digamma(0.5 * m) + both),
            0.5 * (n.ln() + 1.0 - bottom.ln() - (m + n) / bottom - digamma(0.5 * n) + both),
        ]
    }
    fn slope(&self, x: f64) -> f64 {
        let (m, n) = (self.df1, self.df2);
        (0.5 * m - 1.0) / x - 0.5 * (m + n) * m / (n + m * x)
    }
}
