//! Laws of counts without a limit: Poisson's and the negative binomial.

use super::{inner_share, one, whole};
use crate::draw::{log_gamma, poisson};
use crate::family::{Tail, Univariate, law, whole_quantile};
use crate::information::entropy_by_sums;
use crate::moments::{of_falling, rising};
use mercer_math::special::{
    binomial_term, digamma, incomplete_beta, lower_gamma, poisson_term, upper_gamma, upper_incomplete_beta,
};
use mercer_math::{Mat, Rng};

/// A distribution function of whole numbers from 0 on, which is `below` below them.
fn within(x: f64, below: f64, of: impl Fn(f64) -> f64) -> f64 {
    match x {
        _ if x < 0.0 => below,
        f64::INFINITY => 1.0 - below,
        _ => of(x.floor()),
    }
}

law! {
    /// Poisson's law of rare events.
    Poisson ("poisson", discrete: true, Closed, holds: |x| whole(x, 0.0), guess: |_, sample| vec![sample.mean(|x| x)]) {
        /// The mean number of events.
        rate: Positive = f64::NAN,
    }
}

impl Univariate for Poisson {
    law!(parameters Poisson: rate);

    fn log_density(&self, x: f64) -> f64 {
        match whole(x, 0.0) {
            true => poisson_term(x, self.rate),
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
        within(x, 0.0, |k| upper_gamma(k + 1.0, self.rate))
    }
    fn survival(&self, x: f64) -> f64 {
        within(x, 1.0, |k| lower_gamma(k + 1.0, self.rate))
    }
    fn quantile(&self, p: f64) -> f64 {
        whole_quantile(self, Tail::Lower(p))
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        of_falling(order, |k| self.rate.powi(k as i32))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        poisson(rng, self.rate)
    }
    fn mean(&self) -> f64 {
        self.rate
    }
    fn variance(&self) -> f64 {
        self.rate
    }
    fn entropy(&self) -> f64 {
        entropy_by_sums(self)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        vec![x / self.rate - 1.0]
    }
    fn information(&self) -> Option<Mat> {
        one(1.0 / self.rate)
    }
}

law! {
    /// The negative binomial law: how many trials fail before r of them succeed.
    NegativeBinomial ("negative_binomial", discrete: true, Iterated, holds: |x| whole(x, 0.0), guess: |_, sample| {
        let (mean, variance) = sample.moments();
        let r = if variance > mean { mean * mean / (variance - mean) } else { 1e3 * mean.max(1e-3) };
        vec![r, r / (r + mean)]
    }) {
        /// The number r of successes, which need not be whole.
        r: Positive = f64::NAN,
        /// The probability p of success, above zero.
        p: Chance = f64::NAN,
    }
}

impl Univariate for NegativeBinomial {
    law!(parameters NegativeBinomial: r, p);

    fn log_density(&self, x: f64) -> f64 {
        match whole(x, 0.0) {
            true => binomial_term(x, x + self.r, 1.0 - self.p, self.p) + (self.r / (self.r + x)).ln(),
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
        within(x, 0.0, |k| incomplete_beta(self.r, k + 1.0, self.p))
    }
    fn survival(&self, x: f64) -> f64 {
        within(x, 1.0, |k| upper_incomplete_beta(self.r, k + 1.0, self.p))
    }
    fn quantile(&self, p: f64) -> f64 {
        whole_quantile(self, Tail::Lower(p))
    }
    fn support(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn moment(&self, order: u32) -> f64 {
        let odds = (1.0 - self.p) / self.p;
        of_falling(order, |k| rising(k, |i| (self.r + i) * odds))
    }
    fn draw(&self, rng: &mut Rng) -> f64 {
        if self.p >= 1.0 {
            return 0.0;
        }
        let rate = (log_gamma(rng, self.r) + ((1.0 - self.p) / self.p).ln()).exp();
        poisson(rng, rate)
    }
    fn mean(&self) -> f64 {
        self.r * (1.0 - self.p) / self.p
    }
    fn variance(&self) -> f64 {
        self.mean() / self.p
    }
    fn entropy(&self) -> f64 {
        entropy_by_sums(self)
    }
    fn score(&self, x: f64) -> Vec<f64> {
        let p = inner_share(self.p);
        vec![digamma(x + self.r) - digamma(self.r) + p.ln(), self.r / p - x / (1.0 - p)]
    }
}
