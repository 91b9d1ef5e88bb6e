//! Two tables that judge each other's choices.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::values::{Values, choose};
use crate::pick::any_best;
use mercer_core::Result;
use mercer_math::{Rng, below};

/// Double learning: one set of values chooses the best action, the other one says what it is worth.
#[derive(Debug)]
pub(crate) struct Double {
    pub both: [Values; 2],
    discount: f64,
    sight: Sight,
    next: Sight,
    action: usize,
    q: [Vec<f64>; 2],
    sum: Vec<f64>,
}

impl Double {
    pub(super) fn new(values: Values, discount: f64) -> Self {
        let q = vec![0.0; values.n_actions];
        let (sight, next) = (Sight::default(), Sight::default());
        Self {
            both: [values.clone(), values],
            discount,
            sight,
            next,
            action: 0,
            q: [q.clone(), q.clone()],
            sum: q,
        }
    }

    /// The mean of both.
    pub(super) fn mean(self) -> Values {
        let [mut first, second] = self.both;
        first.weights.iter_mut().zip(&second.weights).for_each(|(a, b)| *a = 0.5 * (*a + b));
        first
    }

    fn look(&mut self) {
        for (values, q) in self.both.iter().zip(&mut self.q) {
            values.all(&self.next, q);
        }
        self.sum.iter_mut().enumerate().for_each(|(a, sum)| *sum = self.q[0][a] + self.q[1][a]);
    }
}

impl Agent for Double {
    fn start(&mut self, observation: &[f64], explore: Explore, rng: &mut Rng) -> Result<usize> {
        self.both[0].see(observation, &mut self.next)?;
        self.look();
        self.action = choose(&self.sum, explore, rng);
        std::mem::swap(&mut self.sight, &mut self.next);
        Ok(self.action)
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        explore: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        let (mut next, mut worth) = (0, 0.0);
        let learns = below(rng, 2);
        if !terminated {
            self.both[0].see(observation, &mut self.next)?;
            self.look();
            worth = self.q[1 - learns][any_best(&self.q[learns], rng)];
            next = choose(&self.sum, explore, rng);
        }
        let own = &mut self.both[learns];
        let error = reward + self.discount * worth - own.of(&self.sight, self.action);
        own.learn(&self.sight, self.action, error);
        std::mem::swap(&mut self.sight, &mut self.next);
        self.action = next;
        Ok(next)
    }

    fn finish(&mut self, _: bool, _: &mut Rng) -> Result<()> {
        Ok(())
    }
}
