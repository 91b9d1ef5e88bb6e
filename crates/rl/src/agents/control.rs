//! Agents that learn the values of actions by temporal differences: one engine, which backs up what is done next, what would be
//! done on average, or the best.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::traces::Differences;
use super::values::{choose, shares};
use mercer_core::Result;
use mercer_math::Rng;
use std::collections::VecDeque;

/// The value of the next observation that a step is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backup {
    /// Of the action that is done next.
    Done,
    /// The average over what might be done next.
    Average,
    /// Of the best action.
    Best,
}

/// A step that waits for what follows it.
#[derive(Debug)]
struct Waiting {
    sight: Sight,
    action: usize,
    reward: f64,
}

/// The engine.
#[derive(Debug)]
pub(crate) struct Control {
    pub differences: Differences,
    backup: Backup,
    n_step: usize,
    waiting: VecDeque<Waiting>,
    sight: Sight,
    next: Sight,
    action: usize,
    q: Vec<f64>,
    shares: Vec<f64>,
    /// What the last observation was worth, for steps that wait when an episode is cut off.
    last: f64,
}

impl Control {
    pub(super) fn new(differences: Differences, backup: Backup, n_step: usize) -> Self {
        let n = differences.values.n_actions;
        Self {
            differences,
            backup,
            n_step,
            waiting: VecDeque::new(),
            sight: Sight::default(),
            next: Sight::default(),
            action: 0,
            q: vec![0.0; n],
            shares: vec![0.0; n],
            last: 0.0,
        }
    }

    /// The value of the next observation, of which `q` holds those of its actions.
    #[inline]
    fn foresee(&mut self, action: usize, explore: Explore) -> f64 {
        match self.backup {
            Backup::Done => self.q[action],
            Backup::Best => self.q.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v)),
            Backup::Average => {
                shares(&self.q, explore, &mut self.shares);
                let parts = self.q.iter().zip(&self.shares).filter(|(_, share)| **share > 0.0);
                parts.map(|(v, share)| v * share).sum()
            }
        }
    }

    /// Learns the oldest step that waits from the rewards of all and the value after them, and hands back what it saw, whose
    /// memory is used again.
    fn settle(&mut self, after: f64) -> Sight {
        let discount = self.differences.discount;
        let gain = self.waiting.iter().rev().fold(after, |gain, step| step.reward + discount * gain);
        let Some(oldest) = self.waiting.pop_front() else { return Sight::default() };
        let error = gain - self.differences.values.of(&oldest.sight, oldest.action);
        self.differences.values.learn(&oldest.sight, oldest.action, error);
        oldest.sight
    }
}

impl Agent for Control {
    fn start(&mut self, observation: &[f64], explore: Explore, rng: &mut Rng) -> Result<usize> {
        self.differences.cut();
        self.waiting.clear();
        self.differences.values.see(observation, &mut self.sight)?;
        self.differences.values.all(&self.sight, &mut self.q);
        self.action = choose(&self.q, explore, rng);
        Ok(self.action)
    }

    #[inline]
    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        explore: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        let (mut next, mut worth) = (0, 0.0);
        if !terminated {
            self.differences.values.see(observation, &mut self.next)?;
            self.differences.values.all(&self.next, &mut self.q);
            next = choose(&self.q, explore, rng);
            worth = self.foresee(next, explore);
        }
        self.last = worth;
        if self.n_step == 1 {
            self.differences.learn(&self.sight, self.action, reward, worth);
            if self.backup == Backup::Best && !terminated && self.q[next] < worth {
                // What follows an action that is not the best one says nothing of the best policy (Watkins, 1989).
                self.differences.cut();
            }
        } else {
            let sight = std::mem::take(&mut self.sight);
            self.waiting.push_back(Waiting { sight, action: self.action, reward });
            if self.waiting.len() == self.n_step {
                self.sight = self.settle(worth);
            }
        }
        std::mem::swap(&mut self.sight, &mut self.next);
        self.action = next;
        Ok(next)
    }

    fn finish(&mut self, terminated: bool, _: &mut Rng) -> Result<()> {
        let after = if terminated { 0.0 } else { self.last };
        while !self.waiting.is_empty() {
            self.settle(after);
        }
        Ok(())
    }
}
