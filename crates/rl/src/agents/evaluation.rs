//! The values of states under a policy that is given, by temporal differences.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::target::Target;
use super::traces::Differences;
use mercer_core::Result;
use mercer_math::Rng;
use std::collections::VecDeque;

/// A step that waits for what follows it.
#[derive(Debug)]
struct Waiting {
    sight: Sight,
    reward: f64,
    ratio: f64,
}

/// An agent that learns what states are worth under a policy, which acts itself or is judged while another one acts. Values have one
/// action: to go on.
#[derive(Debug)]
pub(crate) struct Judge {
    pub differences: Differences,
    target: Target,
    /// Who acts in its place.
    behaviour: Option<Target>,
    n_step: usize,
    waiting: VecDeque<Waiting>,
    sight: Sight,
    next: Sight,
    /// How much likelier the policy does what is done now than who acts.
    ratio: f64,
    last: f64,
}

impl Judge {
    pub(super) fn new(
        differences: Differences,
        target: Target,
        behaviour: Option<Target>,
        n_step: usize,
    ) -> Self {
        let (sight, next, waiting) = (Sight::default(), Sight::default(), VecDeque::new());
        Self { differences, target, behaviour, n_step, waiting, sight, next, ratio: 1.0, last: 0.0 }
    }

    /// What is done now.
    fn decide(&mut self, rng: &mut Rng) -> usize {
        let place = self.sight.place;
        let Some(behaviour) = &self.behaviour else { return self.target.draw(place, rng) };
        let action = behaviour.draw(place, rng);
        self.ratio = self.target.share(place, action) / behaviour.share(place, action);
        action
    }

    /// Learns the oldest step that waits, weighted by how much likelier the policy does all that was done (Sutton and Barto,
    /// section 7.3).
    fn settle(&mut self, after: f64) {
        let discount = self.differences.discount;
        let gain = self.waiting.iter().rev().fold(after, |gain, step| step.reward + discount * gain);
        let ratio: f64 = self.waiting.iter().map(|step| step.ratio).product();
        if let Some(oldest) = self.waiting.pop_front() {
            let error = gain - self.differences.values.of(&oldest.sight, 0);
            self.differences.values.learn(&oldest.sight, 0, ratio * error);
        }
    }
}

impl Agent for Judge {
    fn start(&mut self, observation: &[f64], _: Explore, rng: &mut Rng) -> Result<usize> {
        self.differences.cut();
        self.waiting.clear();
        self.differences.values.see(observation, &mut self.sight)?;
        Ok(self.decide(rng))
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
            self.differences.learn_weighted(&self.sight, 0, reward, self.last, self.ratio);
        } else {
            let sight = std::mem::take(&mut self.sight);
            self.waiting.push_back(Waiting { sight, reward, ratio: self.ratio });
            if self.waiting.len() == self.n_step {
                self.settle(self.last);
            }
        }
        std::mem::swap(&mut self.sight, &mut self.next);
        Ok(if terminated { 0 } else { self.decide(rng) })
    }

    fn finish(&mut self, terminated: bool, _: &mut Rng) -> Result<()> {
        let after = if terminated { 0.0 } else { self.last };
        while !self.waiting.is_empty() {
            self.settle(after);
        }
        Ok(())
    }
}
