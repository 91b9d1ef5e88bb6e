//! Laws of trials that succeed with a probability: Bernoulli's, the binomial, the geometric.

use super::{inner_share, one, whole};
use crate::draw::{binomial, inner_uniform};
use crate::family::{Tail, Univariate, law, whole_quantile};
use crate::information::entropy_by_sums;
use crate::moments::{factorial, of_falling, rising};
use mercer_math::special::{binomial_term, incomplete_beta, upper_incomplete_beta};
use mercer_math::{Mat, Rng};

/// −p ln p, zero at zero.
fn self_information(p: f64) -> f64 {
    if p > 0.0 { -p * p.ln() } else { 0.0 }
}

law! {
    /// Bernoulli's law: one with probability p, else zero.
    Bernoulli ("bernoulli", discrete: true, Closed, holds: |x| x == 0.0 || x == 1.0, guess: |_, sample| vec![sample.mean(|x| x)]) {
        /// The probability p of one.
        p: Share = f64::NAN,
    }
}

impl Univariate for Bernoulli {
    law!(parameters Bernoulli: p);

    fn log_density(&self, x: f64) -> f64 {
        match x {
            0.0 => (-self.p).ln_1p(),
            1.0 => self.p.ln(),
            _ if x.is_nan() => x,
            _ => f64::NEG_INFINITY,
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        1.0 - self.survival(x)
    }
    fn survival(&self, x: f64) -> f64 {
        match x {
            _ if x.is_nan() => x,
            _ if x < 0.0 => 1.0,
            _ if x < 1.0 => self.p,
            _ => 0.0,
        }
    }
    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { f64::from(p > 1.0 - self.p) } else { f64::NAN }
    }
    fn support(&self) -> (f64, f64) {
        (0.0, 1.0)
    }
    fn moment(&self, order: u32) -> f64 {
        if order == 0 { 1.0 } else { self.p }
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        f64::from(mercer_math::uniform(rng) < self.p)
    }
    fn mean(&self) -> f64 {
        self.p
    }
    fn variance(&self) -> f64 {
        self.p * (1.0 - self.p)
    }
    fn entropy(&self) -> f64 {
        self_information(self.p) + self_information(1.0 - self.p)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let p = inner_share(self.p);
        vec![(x - p) / (p * (1.0 - p))]
    }
    fn information(&self) -> Option<Mat> {
        one(1.0 / self.variance())
    }
}

law! {
    /// The binomial law: how many of n trials succeed.
    Binomial ("binomial", discrete: true, Closed, holds: |x| whole(x, 0.0), guess: |given, sample| {
        vec![given[0], sample.mean(|x| x) / given[0]]
    }) {
        /// The number n of trials.
        n: Count = f64::NAN,
        /// The probability p of success.
        p: Share = f64::NAN,
    }
}

impl Univariate for Binomial {
    law!(parameters Binomial: n, p);

    fn log_density(&self, x: f64) -> f64 {
        match whole(x, 0.0) && x <= self.n {
            true => binomial_term(x, self.n, self.p, 1.0 - self.p),
            false => {
                if x.is_nan() {
                    x
                } else {
                    f64::NEG_INFINITY
                }
            }
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        match x.floor() {
            k if k < 0.0 => 0.0,
            k if k >= self.n => 1.0,
            k => upper_incomplete_beta(k + 1.0, self.n - k, self.p),
        }
    }
    fn survival(&self, x: f64) -> f64 {
        match x.floor() {
            k if k < 0.0 => 1.0,
            k if k >= self.n => 0.0,
            k => incomplete_beta(k + 1.0, self.n - k, self.p),
        }
    }
    fn quantile(&self, p: f64) -> f64 {
        whole_quantile(self, Tail::Lower(p))
    }
    fn support(&self) -> (f64, f64) {
        (0.0, self.n)
    }
    fn moment(&self, order: u32) -> f64 {
        of_falling(order, |k| rising(k, |i| (self.n - i) * self.p))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        binomial(rng, self.n, self.p)
    }
    fn mean(&self) -> f64 {
        self.n * self.p
    }
    fn variance(&self) -> f64 {
        self.n * self.p * (1.0 - self.p)
    }
    fn entropy(&self) -> f64 {
        entropy_by_sums(self)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let p = inner_share(self.p);
        vec![0.0, (x - self.n * p) / (p * (1.0 - p))]
    }
    /// Of the probability; the number of trials is given, so that its rows are zero.
    fn information(&self) -> Option<Mat> {
        super::two(0.0, 0.0, self.n / (self.p * (1.0 - self.p)))
    }
}

law! {
    /// The geometric law: the number of the first trial that succeeds.
    Geometric ("geometric", discrete: true, Closed, holds: |x| whole(x, 1.0), guess: |_, sample| vec![1.0 / sample.mean(|x| x)]) {
        /// The probability p of success, above zero.
        p: Chance = f64::NAN,
    }
}

impl Univariate for Geometric {
    law!(parameters Geometric: p);

    fn log_density(&self, x: f64) -> f64 {
        match whole(x, 1.0) {
            true if x == 1.0 => self.p.ln(),
            true => self.p.ln() + (x - 1.0) * (-self.p).ln_1p(),
            false => {
                if x.is_nan() {
                    x
                } else {
                    f64::NEG_INFINITY
                }
            }
        }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 1.0 { 0.0 } else { -(x.floor() * (-self.p).ln_1p()).exp_m1() }
    }
    fn survival(&self, x: f64) -> f64 {
        if x < 1.0 { 1.0 } else { (x.floor() * (-self.p).ln_1p()).exp() }
    }
    fn quantile(&self, p: f64) -> f64 {
        whole_quantile(self, Tail::Lower(p))
    }
    fn log_survival(&self, x: f64) -> f64 {
        if x < 1.0 { 0.0 } else { x.floor() * (-self.p).ln_1p() }
    }
    fn support(&self) -> (f64, f64) {
        (1.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let odds = (1.0 - self.p) / self.p;
        of_falling(order, |k| if k == 0 { 1.0 } else { factorial(k) * odds.powi(k as i32 - 1) / self.p })
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        (inner_uniform(rng).ln() / (-self.p).ln_1p()).ceil().max(1.0)
    }
    fn mean(&self) -> f64 {
        1.0 / self.p
    }
    fn variance(&self) -> f64 {
        (1.0 - self.p) / (self.p * self.p)
    }
    fn entropy(&self) -> f64 {
        (self_information(self.p) + self_information(1.0 - self.p)) / self.p
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let p = inner_share(self.p);
        vec![1.0 / p - (x - 1.0) / (1.0 - p)]
    }
    fn information(&self) -> Option<Mat> {
        one(1.0 / (self.p * self.p * (1.0 - self.p)))
    }
}
