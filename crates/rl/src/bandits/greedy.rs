//! Strategies that know the mean reward of each arm so far: exploration alone, exploitation alone, and ways between.
//!
//! # Objective
//! $$ \max\ \mathbb E\Bigl[\sum_{t=1}^T r_t\Bigr],\qquad r_t \sim \text{the law of the arm chosen in round } t $$
//!
//! # Algorithm
//! Means are kept by $Q \leftarrow Q + (v - Q)/n$. `Explore` tries the arms in turn; `Exploit` takes the one of
//! greatest mean; `EpsilonGreedy` tries one at random with probability ε, else the greatest; `Softmax` draws by
//! $P(k) \propto e^{Q(k)/\tau}$; `Gradient` keeps preferences H in place of means, draws by $P(k) \propto e^{H(k)}$ and moves H
//! along the gradient of the expected reward, less a baseline. Of equal means one is taken at random.
//!
//! # Complexity
//! O(arms) a round.
//!
//! # Example
//! ```
//! use mercer_rl::bandits::{EpsilonGreedy, Game, Strategy};
//! use mercer_math::rng_for;
//! let mut player = EpsilonGreedy::default().epsilon(0.0).player(&Game { arms: 2, features: 0, steps: 9 })?;
//! player.update(&[], 1, 0.7);
//! assert_eq!(player.choose(&[], &mut rng_for(0, 0)), 1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The largest exponent is subtracted before an exponential is taken, so that no temperature overflows.
//!
//! # References
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, chapter 2. MIT Press, 2018.
//! - R. J. Williams. Simple statistical gradient-following algorithms for connectionist reinforcement learning. Machine Learning
//!   8, 1992. doi:10.1007/BF00992696

use super::{Averages, Game, Player, Strategy, knows};
use crate::pick::{any_best, by_softmax};
use mercer_core::{Params, Result};
use mercer_math::{Rng, below, softmax_in_place, uniform};

/// Every arm in turn, whatever it pays.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "explore", canon = "R1", task = Planning)]
pub struct Explore {}

/// The arm of greatest mean so far, always.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "exploit", canon = "R1", task = Planning)]
pub struct Exploit {}

/// An arm at random with a small probability, else that of greatest mean.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "epsilon-greedy", canon = "R1", task = Planning)]
pub struct EpsilonGreedy {
    /// The probability of an arm at random.
    #[param(default = 0.1, range = "[0, 1]")]
    pub epsilon: f64,
    /// How fast that falls: in round t it is divided by 1 + decay · t.
    #[param(default = 0.0, range = "[0, inf)")]
    pub decay: f64,
    /// The value of an arm that was never tried; a high one makes a greedy strategy try all.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub start: f64,
    /// The weight of the last reward in the value of its arm; none is the mean of all rewards, which forgets `start` at the
    /// first of them.
    #[param(default = None, range = "(0, 1]")]
    pub step: Option<f64>,
}

/// Arms drawn by the exponentials of their means.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "softmax boltzmann", canon = "R1", task = Planning)]
pub struct Softmax {
    /// What means are divided by: little is exploitation alone, much is exploration alone.
    #[param(default = 0.1, range = "(0, inf)")]
    pub temperature: f64,
    /// The mean of an arm that was never tried.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub start: f64,
}

/// Arms drawn by the exponentials of preferences, which climb the gradient of the expected reward.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "gradient", canon = "R1", task = Planning)]
pub struct Gradient {
    /// The length of a step.
    #[param(default = 0.1, range = "(0, inf)")]
    pub step: f64,
    /// Whether a reward counts by what it is above the mean of those before it.
    #[param(default = true)]
    pub baseline: bool,
}

impl Strategy for Explore {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        Ok(Box::new(InTurn { known: Averages::new(game.arms, 0.0), last: -1.0 }))
    }
}

#[derive(Debug)]
struct InTurn {
    known: Averages,
    /// The arm before, a number as all that is known; -1 in the beginning.
    last: f64,
}

impl Player for InTurn {
    fn choose(&mut self, _: &[f64], _: &mut Rng) -> usize {
        (self.last + 1.0) as usize % self.known.means.len()
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.known.add(arm, reward);
        self.last = arm as f64;
    }

    fn worth(&self) -> Vec<f64> {
        self.known.means.clone()
    }

    knows!([known.counts, known.means], [known.rounds, last]);
}

impl Strategy for Exploit {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        EpsilonGreedy::default().epsilon(0.0).player(game)
    }
}

impl Strategy for EpsilonGreedy {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        let known = Averages::new(game.arms, self.start);
        Ok(Box::new(Greedy { settings: self.clone(), known, top: 0, others: f64::INFINITY }))
    }
}

#[derive(Debug)]
struct Greedy {
    settings: EpsilonGreedy,
    known: Averages,
    /// The arm that was the best one when all were looked at last.
    top: usize,
    /// No other arm has a greater mean: while that of `top` is above, nobody has to be looked at.
    others: f64,
}

impl Greedy {
    /// The arm of greatest mean; of equals, one at random.
    #[inline(always)]
    fn greedy(&mut self, rng: &mut Rng) -> usize {
        if self.known.means[self.top] <= self.others {
            self.look(rng);
        }
        self.top
    }

    /// Looks at all arms.
    #[cold]
    fn look(&mut self, rng: &mut Rng) {
        self.top = any_best(&self.known.means, rng);
        let others = self.known.means.iter().enumerate().filter(|(arm, _)| *arm != self.top);
        self.others = others.map(|(_, mean)| *mean).fold(f64::NEG_INFINITY, f64::max);
    }
}

impl Player for Greedy {
    #[inline(always)]
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        let EpsilonGreedy { epsilon, decay, .. } = self.settings;
        // A division costs as much as the rest of this line, and few strategies decay.
        let share = if decay > 0.0 { epsilon / (1.0 + decay * self.known.rounds) } else { epsilon };
        let explores = epsilon > 0.0 && uniform(rng) < share;
        if explores { below(rng, self.known.means.len()) } else { self.greedy(rng) }
    }

    #[inline(always)]
    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        match self.settings.step {
            None => self.known.add(arm, reward),
            Some(step) => {
                self.known.rounds += 1.0;
                self.known.means[arm] += step * (reward - self.known.means[arm]);
            }
        }
        if arm != self.top {
            self.others = self.others.max(self.known.means[arm]);
        }
    }

    fn worth(&self) -> Vec<f64> {
        self.known.means.clone()
    }

    knows!([known.counts, known.means], [known.rounds]);

    fn recalled(&mut self) {
        self.others = f64::INFINITY;
    }
}

impl Strategy for Softmax {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        let known = Averages::new(game.arms, self.start);
        Ok(Box::new(Boltzmann { temperature: self.temperature, known }))
    }
}

#[derive(Debug)]
struct Boltzmann {
    temperature: f64,
    known: Averages,
}

impl Player for Boltzmann {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        by_softmax(&self.known.means, self.temperature, rng)
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.known.add(arm, reward);
    }

    fn worth(&self) -> Vec<f64> {
        self.known.means.clone()
    }

    knows!([known.counts, known.means], [known.rounds]);
}

impl Strategy for Gradient {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        let zero = || vec![0.0; game.arms];
        Ok(Box::new(Climber {
            settings: self.clone(),
            preferences: zero(),
            shares: zero(),
            mean: 0.0,
            rounds: 0.0,
        }))
    }
}

#[derive(Debug)]
struct Climber {
    settings: Gradient,
    preferences: Vec<f64>,
    shares: Vec<f64>,
    /// The mean reward so far.
    mean: f64,
    rounds: f64,
}

impl Climber {
    fn share(&mut self) {
        self.shares.copy_from_slice(&self.preferences);
        softmax_in_place(&mut self.shares);
    }
}

impl Player for Climber {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        self.share();
        draw(&self.shares, rng)
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.share();
        let above = if self.settings.baseline { reward - self.mean } else { reward };
        // ∂ log P(arm) / ∂ H(k) is [k = arm] − P(k).
        for (k, (preference, share)) in self.preferences.iter_mut().zip(&self.shares).enumerate() {
            *preference += self.settings.step * above * (f64::from(k == arm) - share);
        }
        self.rounds += 1.0;
        self.mean += (reward - self.mean) / self.rounds;
    }

    fn worth(&self) -> Vec<f64> {
        self.preferences.clone()
    }

    knows!([preferences], [mean, rounds]);
}

/// An arm by its probability.
pub(super) fn draw(shares: &[f64], rng: &mut Rng) -> usize {
    let mut left = uniform(rng);
    for (arm, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return arm;
        }
    }
    // Rounding may leave a crumb, which belongs to the last arm that has a probability.
    shares.iter().rposition(|share| *share > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::rng_for;

    const GAME: Game = Game { arms: 3, features: 0, steps: 100 };

    /// Algorithm 8 with its reward: means are those of the rewards, and draws follow equation 12.1.
    #[test]
    fn softmax_draws_by_the_means_of_rewards() {
        let mut player = Softmax::default().temperature(0.5).player(&GAME).unwrap();
        for (arm, reward) in [(0, 1.0), (0, 2.0), (1, 1.0), (2, 0.5), (2, 1.5), (2, 0.1)] {
            player.update(&[], arm, reward);
        }
        let weights = [1.5f64, 1.0, 0.7].map(|q| (q / 0.5).exp());
        let total: f64 = weights.iter().sum();
        let (mut counts, mut rng, n) = ([0.0; 3], rng_for(3, 0), 100_000);
        (0..n).for_each(|_| counts[player.choose(&[], &mut rng)] += 1.0);
        // Chi-square with 2 degrees of freedom; 18.4 is passed with probability 1e-4, and the seed is fixed.
        let expected = weights.map(|w| w / total * f64::from(n));
        let chi2: f64 = counts.iter().zip(expected).map(|(c, e)| (c - e) * (c - e) / e).sum();
        assert!(chi2 < 18.4, "{chi2}");
    }

    #[test]
    fn explorers_share_evenly_and_optimists_try_all() {
        let (mut rng, mut counts) = (rng_for(1, 0), [0; 3]);
        let mut turns = Explore::default().player(&GAME).unwrap();
        for _ in 0..30 {
            let arm = turns.choose(&[], &mut rng);
            turns.update(&[], arm, arm as f64);
            counts[arm] += 1;
        }
        assert_eq!(counts, [10, 10, 10]);
        let mut optimist =
            EpsilonGreedy::default().epsilon(0.0).start(5.0).step(Some(0.1)).player(&GAME).unwrap();
        let mut tried = std::collections::BTreeSet::new();
        for _ in 0..3 {
            let arm = optimist.choose(&[], &mut rng);
            optimist.update(&[], arm, 0.0);
            tried.insert(arm);
        }
        assert_eq!(tried.len(), 3);
    }

    /// One step of the gradient by hand: without a baseline before the first reward, H moves by 0.1 · 2 · ([k = arm] − 1/3).
    #[test]
    fn preferences_climb_by_hand() {
        let mut climber = Climber {
            settings: Gradient::default(),
            preferences: vec![0.0; 3],
            shares: vec![0.0; 3],
            mean: 0.0,
            rounds: 0.0,
        };
        climber.update(&[], 1, 2.0);
        let expected = [-0.2 / 3.0, 0.4 / 3.0, -0.2 / 3.0];
        assert!(climber.preferences.iter().zip(expected).all(|(h, e)| (h - e).abs() < 1e-15));
        // The same reward again is no better than the mean.
        climber.update(&[], 1, 2.0);
        assert!(climber.preferences.iter().zip(expected).all(|(h, e)| (h - e).abs() < 1e-15));
    }

    /// Rates that fall: after 900 rounds with decay 0.1, ε is 0.5 / 91.
    #[test]
    fn exploration_decays() {
        let mut player = EpsilonGreedy::default().epsilon(0.5).decay(0.1).player(&GAME).unwrap();
        (0..900).for_each(|_| player.update(&[], 0, 1.0));
        let mut rng = rng_for(2, 0);
        let other = (0..100_000).filter(|_| player.choose(&[], &mut rng) != 0).count() as f64;
        // 100000 · 0.5 / 91 · 2/3 = 366, with a standard deviation of 19: four of them pass once in 1e4.
        assert!((other - 366.3).abs() < 76.0, "{other}");
    }
}
