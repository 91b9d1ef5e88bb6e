//! Linear bandits: what an arm pays depends on a context.
//!
//! # Objective
//! $$ \min\ \mathbb E\Bigl[\sum_{t=1}^T \max_a x_t^\top\theta_a - x_t^\top\theta_{a_t}\Bigr] $$
//!
//! # Algorithm
//! Each arm has a ridge regression of its rewards on contexts: $A = \lambda I + \sum x x^\top$, $\hat\theta = A^{-1} \sum r x$.
//! `LinUCB` takes the arm of greatest $x^\top\hat\theta + \alpha \sqrt{x^\top A^{-1} x}$; `LinearThompsonSampling` draws
//! $\theta \sim N(\hat\theta, v^2 A^{-1})$ for each arm and takes the one of greatest $x^\top\theta$.
//!
//! # Complexity
//! O(arms · features²) a round.
//!
//! # Example
//! ```
//! use mercer_core::Session;
//! use mercer_math::Mat;
//! use mercer_rl::bandits::{Arms, LinUCB, simulate};
//! let arms = Arms::Linear { weights: Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap(), deviation: 0.1 };
//! let curves = simulate(&LinUCB::default(), &arms, 300, 20, &Session::new(1))?;
//! assert!(curves.best[299] > 0.9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A is kept as its triangular factor, which rotations bring up to date: nothing is inverted, and no error builds up.
//!
//! # References
//! - L. Li, W. Chu, J. Langford, R. E. Schapire. A contextual-bandit approach to personalized news article recommendation. WWW,
//!   2010. doi:10.1145/1772690.1772758
//! - S. Agrawal, N. Goyal. Thompson sampling for contextual bandits with linear payoffs. ICML, 2013. arXiv:1209.3352

use super::factor::Factor;
use super::thompson::drawn_best;
use super::{Game, Player, Strategy, refuse_without_context};
use crate::pick::best_by;
use mercer_core::{Params, Result};
use mercer_math::{Rng, dot, normal};

/// The linear prediction and a width of what is not known of it.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "lin-ucb", canon = "R1", task = Planning)]
pub struct LinUCB {
    /// How many standard deviations are added.
    #[param(default = 1.0, range = "[0, inf)")]
    pub alpha: f64,
    /// The penalty of the regression of each arm.
    #[param(default = 1.0, range = "(0, inf)")]
    pub ridge: f64,
}

/// Thompson's sampling of the weights of linear arms.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "linear-thompson", canon = "R1", task = Planning)]
pub struct LinearThompsonSampling {
    /// The standard deviation of rewards around their line.
    #[param(default = 1.0, range = "(0, inf)")]
    pub deviation: f64,
    /// What is believed of the weights before the first reward: their precision, in units of that of rewards.
    #[param(default = 1.0, range = "(0, inf)")]
    pub precision: f64,
}

/// The regression of an arm.
#[derive(Clone, Debug)]
struct Line {
    factor: Factor,
    /// Σ r x.
    sums: Vec<f64>,
    weights: Vec<f64>,
}

impl Line {
    fn new(dim: usize, ridge: f64) -> Self {
        Self { factor: Factor::new(dim, ridge), sums: vec![0.0; dim], weights: vec![0.0; dim] }
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.factor.add(x);
        self.sums.iter_mut().zip(x).for_each(|(s, x)| *s += reward * x);
        self.weights.copy_from_slice(&self.sums);
        self.factor.forward(&mut self.weights);
        self.factor.backward(&mut self.weights);
    }
}

/// The weights of all arms.
fn weights(lines: &[Line]) -> Vec<f64> {
    lines.iter().flat_map(|line| line.weights.iter().copied()).collect()
}

fn known(lines: &[Line]) -> Vec<&[f64]> {
    lines.iter().flat_map(|line| [line.factor.numbers(), &line.sums, &line.weights]).collect()
}

fn known_mut(lines: &mut [Line]) -> Vec<&mut [f64]> {
    lines
        .iter_mut()
        .flat_map(|Line { factor, sums, weights }| [factor.numbers_mut(), &mut sums[..], &mut weights[..]])
        .collect()
}

impl Strategy for LinUCB {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        refuse_without_context(Self::NAME, game)?;
        let lines = vec![Line::new(game.features, self.ridge); game.arms];
        Ok(Box::new(Widths { alpha: self.alpha, lines, held: vec![0.0; game.features] }))
    }

    fn needs_context(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Widths {
    alpha: f64,
    lines: Vec<Line>,
    held: Vec<f64>,
}

impl Player for Widths {
    fn choose(&mut self, context: &[f64], rng: &mut Rng) -> usize {
        best_by(self.lines.len(), rng, |arm| {
            let line = &self.lines[arm];
            // xᵀ A⁻¹ x is the square of R⁻ᵀ x.
            self.held.copy_from_slice(context);
            line.factor.forward(&mut self.held);
            dot(&line.weights, context) + self.alpha * dot(&self.held, &self.held).sqrt()
        })
    }

    fn update(&mut self, context: &[f64], arm: usize, reward: f64) {
        self.lines[arm].learn(context, reward);
    }

    fn worth(&self) -> Vec<f64> {
        weights(&self.lines)
    }

    fn known(&self) -> Vec<&[f64]> {
        known(&self.lines)
    }

    fn known_mut(&mut self) -> Vec<&mut [f64]> {
        known_mut(&mut self.lines)
    }
}

impl Strategy for LinearThompsonSampling {
    fn player(&self, game: &Game) -> Result<Box<dyn Player>> {
        refuse_without_context(Self::NAME, game)?;
        let lines = vec![Line::new(game.features, self.precision); game.arms];
        Ok(Box::new(Sampled { deviation: self.deviation, lines, held: vec![0.0; game.features] }))
    }

    fn needs_context(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Sampled {
    deviation: f64,
    lines: Vec<Line>,
    held: Vec<f64>,
}

impl Player for Sampled {
    fn choose(&mut self, context: &[f64], rng: &mut Rng) -> usize {
        drawn_best(self.lines.len(), |arm| {
            let line = &self.lines[arm];
            // R⁻¹ z has the covariance A⁻¹.
            self.held.iter_mut().for_each(|z| *z = normal(rng));
            line.factor.backward(&mut self.held);
            dot(&line.weights, context) + self.deviation * dot(&self.held, context)
        })
    }

    fn update(&mut self, context: &[f64], arm: usize, reward: f64) {
        self.lines[arm].learn(context, reward);
    }

    fn worth(&self) -> Vec<f64> {
        weights(&self.lines)
    }

    fn known(&self) -> Vec<&[f64]> {
        known(&self.lines)
    }

    fn known_mut(&mut self) -> Vec<&mut [f64]> {
        known_mut(&mut self.lines)
    }
}
