//! Thompson's sampling: an arm is chosen with the probability that it is the best.
//!
//! # Objective
//! $$ P(a_t = a) = P(\mu_a = \max_b \mu_b \mid \text{rewards so far}) $$
//!
//! # Algorithm
//! A mean is drawn for each arm from what is believed of it, and the arm of the greatest is taken. `ThompsonSampling`: rewards in
//! [0, 1] and a beta law, which a reward r moves by r towards 1 and by 1 − r towards 0. `GaussianThompsonSampling`: normal rewards of
//! known deviation and a normal belief.
//!
//! # Complexity
//! O(arms) draws a round.
//!
//! # Example
//! ```
//! use mercer_core::Session;
//! use mercer_rl::bandits::{Arms, ThompsonSampling, simulate};
//! let arms = Arms::Bernoulli { means: vec![0.2, 0.8] };
//! let curves = simulate(&ThompsonSampling::default(), &arms, 500, 50, &Session::new(1))?;
//! assert!(curves.best[499] > 0.9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Beta draws are made of logarithms of gamma draws, so that small shapes do not underflow.
//!
//! # References
//! - W. R. Thompson. On the likelihood that one unknown probability exceeds another. Biometrika 25, 1933. doi:10.2307/2332286
//! - S. Agrawal, N. Goyal. Further optimal regret bounds for Thompson sampling. AISTATS, 2013. arXiv:1209.3353

use super::{Averages, Game, Player, Strategy, knows};
use mercer_core::{Params, Result};
use mercer_math::{Rng, normal};
use mercer_stats::draw::beta;

/// Thompson's sampling for rewards in [0, 1].
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "thompson", canon = "R1", task = Planning)]
pub struct ThompsonSampling {
    /// What is believed before the first reward, as if rewards had summed to this.
    #[param(default = 1.0, range = "(0, inf)")]
    pub successes: f64,
    /// The same of what rewards had missed of 1.
    #[param(default = 1.0, range = "(0, inf)")]
    pub failures: f64,
}

/// Thompson's sampling for normal rewards.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "thompson-gaussian", canon = "R1", task = Planning)]
pub struct GaussianThompsonSampling {
    /// The mean that is believed of an arm before its first reward.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub mean: f64,
    /// The standard deviation of that belief.
    #[param(default = 1.0, range = "(0, inf)")]
    pub spread: f64,
    /// The standard deviation of rewards.
    #[param(default = 1.0, range = "(0, inf)")]
    pub deviation: f64,
}

impl Strategy for ThompsonSampling {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        let all = |belief| vec![belief; game.arms];
        Ok(Box::new(Betas { successes: all(self.successes), failures: all(self.failures) }))
    }

    fn needs_unit_rewards(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Betas {
    successes: Vec<f64>,
    failures: Vec<f64>,
}

impl Player for Betas {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        drawn_best(self.successes.len(), |arm| beta(rng, self.successes[arm], self.failures[arm]))
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.successes[arm] += reward;
        self.failures[arm] += 1.0 - reward;
    }

    fn worth(&self) -> Vec<f64> {
        self.successes.iter().zip(&self.failures).map(|(s, f)| s / (s + f)).collect()
    }

    knows!([successes, failures], []);
}

/// The arm of the greatest draw; equal draws do not happen but by rounding.
#[inline]
pub(super) fn drawn_best(arms: usize, mut draw: impl FnMut(usize) -> f64) -> usize {
    let mut most = (f64::NEG_INFINITY, 0);
    for arm in 0..arms {
        let drawn = draw(arm);
        if drawn > most.0 {
            most = (drawn, arm);
        }
    }
    most.1
}

impl Strategy for GaussianThompsonSampling {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        Ok(Box::new(Normals { settings: self.clone(), known: Averages::new(game.arms, 0.0) }))
    }
}

#[derive(Debug)]
struct Normals {
    settings: GaussianThompsonSampling,
    known: Averages,
}

impl Normals {
    /// The mean and the deviation of what is believed of an arm.
    #[inline]
    fn belief(&self, arm: usize) -> (f64, f64) {
        let GaussianThompsonSampling { mean, spread, deviation } = self.settings;
        // Precisions add up.
        let (prior, data) = (1.0 / (spread * spread), self.known.counts[arm] / (deviation * deviation));
        ((prior * mean + data * self.known.means[arm]) / (prior + data), (prior + data).sqrt().recip())
    }
}

impl Player for Normals {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        drawn_best(self.known.means.len(), |arm| {
            let (mean, deviation) = self.belief(arm);
            mean + deviation * normal(rng)
        })
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.known.add(arm, reward);
    }

    fn worth(&self) -> Vec<f64> {
        (0..self.known.means.len()).map(|arm| self.belief(arm).0).collect()
    }

    knows!([known.counts, known.means], [known.rounds]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prior 2 ± 0.5, two rewards of mean 4 with deviation 1: precision 4 + 2, mean (4·2 + 2·4)/6.
    #[test]
    fn normal_beliefs_by_hand() {
        let settings = GaussianThompsonSampling::default().mean(2.0).spread(0.5);
        let mut player = Normals { settings, known: Averages::new(1, 0.0) };
        player.update(&[], 0, 3.0);
        player.update(&[], 0, 5.0);
        let (mean, deviation) = player.belief(0);
        assert!((mean - 16.0 / 6.0).abs() < 1e-15 && (deviation - 6f64.sqrt().recip()).abs() < 1e-15);
    }
}
