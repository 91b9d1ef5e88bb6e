//! Upper confidence bounds: each arm counts for the best that its rewards leave possible.
//!
//! # Objective
//! $$ \min\ \mathbb E\Bigl[\sum_{t=1}^T (\mu^* - \mu_{a_t})\Bigr] $$
//!
//! # Algorithm
//! Every arm once, then the arm of greatest index, where arm i has mean $Q_i$ over $n_i$ tries and t rounds are played: `UCB1`
//! $Q_i + \sqrt{c \ln t / n_i}$ with c = 2; `UCBV` $Q_i + \sqrt{2 V_i \ln t / n_i} + 3 b \ln t / n_i$ with the variance
//! $V_i$; `KLUCB` the largest q with $n_i\, \mathrm{kl}(Q_i, q) \le \ln t + c \ln\ln t$. Of equal indices one is taken at random.
//!
//! # Complexity
//! O(arms) a round.
//!
//! # Example
//! ```
//! use mercer_rl::bandits::{kl_bernoulli, kl_index};
//! let q = kl_index(0.3, 0.2);
//! assert!((kl_bernoulli(0.3, q) - 0.2).abs() < 1e-12 && q > 0.3);
//! ```
//!
//! # Numerics
//! The index of KL-UCB is found by Newton's method from above, where the divergence is convex: it comes down to the root and
//! never passes it.
//!
//! # References
//! - P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time analysis of the multiarmed bandit problem. Machine Learning 47, 2002.
//!   doi:10.1023/A:1013689704352
//! - J.-Y. Audibert, R. Munos, C. Szepesvári. Exploration–exploitation tradeoff using variance estimates in multi-armed bandits.
//!   Theor. Comput. Sci. 410, 2009. doi:10.1016/j.tcs.2009.01.016
//! - A. Garivier, O. Cappé. The KL-UCB algorithm for bounded stochastic bandits and beyond. COLT, 2011. arXiv:1102.2490

use super::{Averages, Game, Player, Strategy, knows};
use crate::pick::best_by;
use mercer_core::{Params, Result};
use mercer_math::Rng;

/// The mean and a width that falls with the tries of an arm.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "ucb1 ucb", canon = "R1", task = Planning)]
pub struct UCB1 {
    /// The factor of the logarithm under the root: 2 is that of the theorem, for rewards in [0, 1].
    #[param(default = 2.0, range = "(0, inf)")]
    pub scale: f64,
}

/// The mean and a width that knows the variance of an arm.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "ucb-v", canon = "R1", task = Planning)]
pub struct UCBV {
    /// The range of rewards.
    #[param(default = 1.0, range = "(0, inf)")]
    pub range: f64,
    /// How much exploration there is: 1 is that of the theorem.
    #[param(default = 1.0, range = "(0, inf)")]
    pub exploration: f64,
}

/// The greatest mean that the rewards of an arm leave possible, by their divergence.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "kl-ucb", canon = "R1", task = Planning)]
pub struct KLUCB {
    /// The factor of the logarithm of the logarithm: 3 is that of the theorem, 0 does better.
    #[param(default = 0.0, range = "[0, inf)")]
    pub extra: f64,
}

/// kl(p, q), the divergence of two Bernoulli laws.
pub fn kl_bernoulli(p: f64, q: f64) -> f64 {
    let off = q - p;
    // By the distance of the two, since their logarithms are nearly equal where they are.
    let term = |p: f64, off: f64| if p == 0.0 { 0.0 } else { -p * (off / p).ln_1p() };
    term(p, off) + term(1.0 - p, -off)
}

/// The largest q in [p, 1] with kl(p, q) ≤ `divergence`; p is taken into [0, 1] first.
pub fn kl_index(p: f64, divergence: f64) -> f64 {
    let p = p.clamp(0.0, 1.0);
    if p == 1.0 || divergence <= 0.0 {
        return p;
    }
    if p == 0.0 {
        return -(-divergence).exp_m1();
    }
    // Two bounds from above: Pinsker's inequality, and kl ≥ −H(p) − (1 − p) ln (1 − q) with the entropy H.
    let entropy = -p * p.ln() - (1.0 - p) * (-p).ln_1p();
    let far = -(-(divergence + entropy) / (1.0 - p)).exp_m1();
    let mut q = far.min(p + (0.5 * divergence).sqrt());
    for _ in 0..60 {
        let slope = (q - p) / (q * (1.0 - q));
        let next = q - (kl_bernoulli(p, q) - divergence) / slope;
        // Near 1 the slope is infinite, and below the root there is only rounding.
        if !(next < q && next > p) {
            break;
        }
        q = next;
    }
    q
}

/// The indices of a strategy.
trait Index: std::fmt::Debug + Send {
    /// The index of an arm, where `log` is that of the rounds so far.
    fn of(&self, mean: f64, tries: f64, variance: f64, log: f64) -> f64;
}

impl Index for UCB1 {
    #[inline]
    fn of(&self, mean: f64, tries: f64, _: f64, log: f64) -> f64 {
        mean + (self.scale * log / tries).sqrt()
    }
}

impl Index for UCBV {
    #[inline]
    fn of(&self, mean: f64, tries: f64, variance: f64, log: f64) -> f64 {
        let rate = self.exploration * log / tries;
        mean + (2.0 * variance * rate).sqrt() + 3.0 * self.range * rate
    }
}

impl Index for KLUCB {
    #[inline]
    fn of(&self, mean: f64, tries: f64, _: f64, log: f64) -> f64 {
        kl_index(mean, (log + self.extra * log.max(1.0).ln()) / tries)
    }
}

#[derive(Debug)]
struct Optimist<I> {
    index: I,
    known: Averages,
    /// The squares of distances from the mean of each arm.
    squares: Vec<f64>,
}

impl<I: Index> Player for Optimist<I> {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        if let Some(arm) = self.known.untried() {
            return arm;
        }
        let Averages { counts, means, rounds } = &self.known;
        let log = rounds.ln();
        best_by(means.len(), rng, |arm| {
            self.index.of(means[arm], counts[arm], self.squares[arm] / counts[arm], log)
        })
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        let before = reward - self.known.means[arm];
        self.known.add(arm, reward);
        self.squares[arm] += before * (reward - self.known.means[arm]);
    }

    fn worth(&self) -> Vec<f64> {
        self.known.means.clone()
    }

    knows!([known.counts, known.means, squares], [known.rounds]);
}

fn optimist<I: Index + 'static>(index: I, game: &Game) -> Result<Box<dyn Player>> {
    Ok(Box::new(Optimist { index, known: Averages::new(game.arms, 0.0), squares: vec![0.0; game.arms] }))
}

impl Strategy for UCB1 {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        optimist(self.clone(), game)
    }
}

impl Strategy for UCBV {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        optimist(self.clone(), game)
    }
}

impl Strategy for KLUCB {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        optimist(self.clone(), game)
    }

    fn needs_unit_rewards(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::rng_for;

    /// The index solves its equation to 1e-12, wherever the mean and the divergence lie.
    #[test]
    fn the_index_solves_its_equation() {
        for i in 0..=50 {
            let p = f64::from(i) / 50.0;
            for divergence in [1e-12, 1e-6, 0.001, 0.1, 0.7, 3.0, 20.0] {
                let q = kl_index(p, divergence);
                assert!((p..=1.0).contains(&q), "{p} {divergence} {q}");
                // As a distance of q: the divergence divided by its slope there.
                let slope = ((q - p) / (q * (1.0 - q)).max(f64::MIN_POSITIVE)).max(1e-6);
                let off = (kl_bernoulli(p, q) - divergence).abs() / slope;
                assert!(p == 1.0 || q == 1.0 || off < 1e-12, "{p} {divergence} {q} {off}");
            }
        }
    }

    /// After two rounds of two arms, by hand: Q = (1, 0), n = (1, 1), ln t = ln 2.
    #[test]
    fn indices_by_hand() {
        let log = 2f64.ln();
        assert_eq!(UCB1::default().of(1.0, 1.0, 0.0, log), 1.0 + (2.0 * log).sqrt());
        assert_eq!(UCBV::default().of(0.5, 4.0, 0.25, log), 0.5 + (0.5 * log / 4.0).sqrt() + 3.0 * log / 4.0);
        assert_eq!(KLUCB::default().of(0.0, 1.0, 0.0, log), 0.5);
        let mut player = UCB1::default().player(&Game { arms: 2, features: 0, steps: 9 }).unwrap();
        let mut rng = rng_for(0, 0);
        for (expected, reward) in [(0, 1.0), (1, 0.0), (0, 1.0)] {
            let arm = player.choose(&[], &mut rng);
            assert_eq!(arm, expected);
            player.update(&[], arm, reward);
        }
    }
}
