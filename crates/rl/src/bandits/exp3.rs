//! EXP3: arms of an adversary, who may have written down any rewards beforehand.
//!
//! # Objective
//! $$ \min\ \max_a \sum_{t=1}^T x_{t,a} - \mathbb E\Bigl[\sum_{t=1}^T x_{t,a_t}\Bigr] $$
//!
//! # Algorithm
//! Arms are drawn by $P(k) = (1 - \gamma) w_k / \sum_i w_i + \gamma / K$; the weight of the drawn arm is multiplied by
//! $e^{\gamma \hat x / K}$, where $\hat x = x / P(k)$ is an estimate of its reward without bias.
//!
//! # Complexity
//! O(arms) a round.
//!
//! # Example
//! ```
//! use mercer_core::Session;
//! use mercer_math::Mat;
//! use mercer_rl::bandits::{Arms, EXP3, simulate};
//! let rewards = Mat::from_fn(1000, 2, |t, arm| f64::from((t < 300) == (arm == 0)));
//! let curves = simulate(&EXP3::default(), &Arms::Table { rewards }, 1000, 50, &Session::new(1))?;
//! let bound = &curves.bounds.exp3.as_ref().unwrap()[999];
//! assert!(curves.regret[999] < *bound);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Weights are kept as logarithms, so that no number of rounds overflows them.
//!
//! # References
//! - P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire. The nonstochastic multiarmed bandit problem. SIAM J. Comput. 32(1),
//!   2002. doi:10.1137/S0097539701398375

use super::greedy::draw;
use super::{Game, Player, Strategy, knows};
use mercer_core::{Params, Result};
use mercer_math::{Rng, softmax_in_place};

/// Arms drawn by weights that grow with rewards over their probabilities.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "exp3", canon = "R1", task = Planning)]
pub struct EXP3 {
    /// The share of exploration, and the rate of learning; none is that of the theorem for the rounds to be played.
    #[param(default = None, range = "(0, 1]")]
    pub gamma: Option<f64>,
}

impl Strategy for EXP3 {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        let (k, t) = (game.arms as f64, game.steps as f64);
        let gamma =
            self.gamma.unwrap_or_else(|| (k * k.ln() / ((std::f64::consts::E - 1.0) * t)).sqrt().min(1.0));
        Ok(Box::new(Weighted { gamma, logs: vec![0.0; game.arms], shares: vec![0.0; game.arms] }))
    }

    fn needs_unit_rewards(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Weighted {
    gamma: f64,
    /// The logarithms of the weights.
    logs: Vec<f64>,
    shares: Vec<f64>,
}

impl Weighted {
    fn share(&mut self) {
        let even = self.gamma / self.logs.len() as f64;
        self.shares.copy_from_slice(&self.logs);
        softmax_in_place(&mut self.shares);
        self.shares.iter_mut().for_each(|p| *p = (1.0 - self.gamma) * *p + even);
    }
}

impl Player for Weighted {
    fn choose(&mut self, _: &[f64], rng: &mut Rng) -> usize {
        self.share();
        draw(&self.shares, rng)
    }

    fn update(&mut self, _: &[f64], arm: usize, reward: f64) {
        self.share();
        self.logs[arm] += self.gamma * reward / (self.shares[arm] * self.logs.len() as f64);
    }

    fn worth(&self) -> Vec<f64> {
        self.logs.clone()
    }

    knows!([logs], []);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two arms and γ = 1/2, by hand: P = 1/2 each, a reward of 1 adds 1/2 · 2 / 2 to the logarithm.
    #[test]
    fn weights_by_hand() {
        let mut player = Weighted { gamma: 0.5, logs: vec![0.0; 2], shares: vec![0.0; 2] };
        player.update(&[], 0, 1.0);
        assert_eq!(player.logs, [0.5, 0.0]);
        player.share();
        let e = 0.5f64.exp();
        assert!((player.shares[0] - (0.5 * e / (e + 1.0) + 0.25)).abs() < 1e-15);
    }
}
