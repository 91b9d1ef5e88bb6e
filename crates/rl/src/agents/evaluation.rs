//! The values of states under a policy that is given, by temporal differences.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::target::Target;
use super::traces::Differences;
use mercer_core::Result;
use mercer_math::Rng;
use std::collections::VecDeque;

/// An agent that follows a policy and learns what its states are worth. Values have one action: to go on.
#[derive(Debug)]
pub(crate) struct Judge {
    pub differences: Differences,
    target: Target,
    n_step: usize,
    waiting: VecDeque<(Sight, f64)>,
    sight: Sight,
    next: Sight,
    last: f64,
}

impl Judge {
    pub(super) fn new(differences: Differences, target: Target, n_step: usize) -> Self {
        let (sight, next) = (Sight::default(), Sight::default());
        Self { differences, target, n_step, waiting: VecDeque::new(), sight, next, last: 0.0 }
    }

    fn settle(&mut self, after: f64) {
        let discount = self.differences.discount;
        let gain = self.waiting.iter().rev().fold(after, |gain, (_, reward)| reward + discount * gain);
        if let Some((sight, _)) = self.waiting.pop_front() {
            let error = gain - self.differences.values.of(&sight, 0);
            self.differences.values.learn(&sight, 0, error);
        }
    }
}

impl Agent for Judge {
    fn start(&mut self, observation: &[f64], _: Explore, rng: &mut Rng) -> Result<usize> {
        self.differences.cut();
        self.waiting.clear();
        self.differences.values.see(observation, &mut self.sight)?;
        Ok(self.target.draw(self.sight.place, rng))
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        _: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        self.last = 0.0;
        if !terminated {
            self.differences.values.see(observation, &mut self.next)?;
            self.last = self.differences.values.of(&self.next, 0);
        }
        if self.n_step == 1 {
            self.differences.learn(&self.sight, 0, reward, self.last);
        } else {
            self.waiting.push_back((std::mem::take(&mut self.sight), reward));
            if self.waiting.len() == self.n_step {
                self.settle(self.last);
            }
        }
        std::mem::swap(&mut self.sight, &mut self.next);
        Ok(if terminated { 0 } else { self.target.draw(self.sight.place, rng) })
    }

    fn finish(&mut self, terminated: bool, _: &mut Rng) -> Result<()> {
        let after = if terminated { 0.0 } else { self.last };
        while !self.waiting.is_empty() {
            self.settle(after);
        }
        Ok(())
    }
}
