//! What an agent remembers of the environment, and planning with it: Dyna and prioritised sweeping.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::values::{Values, choose};
use mercer_core::Result;
use mercer_math::{Rng, below};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Where an action led, how often, and the mean reward on the way.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// The next place; none where the episode ended.
    next: Option<u32>,
    count: u32,
    reward: f64,
}

/// All that was seen, by place and action.
#[derive(Debug)]
struct Experience {
    n_actions: usize,
    outcomes: Vec<Vec<Outcome>>,
    counts: Vec<u32>,
    /// The pairs that were met, in the order of their first meeting, and when each was met last.
    met: Vec<u32>,
    last: Vec<u64>,
    /// The pairs that led to each place.
    before: Vec<Vec<u32>>,
}

impl Experience {
    fn new(n_states: usize, n_actions: usize) -> Self {
        let n = n_states * n_actions;
        Self {
            n_actions,
            outcomes: vec![Vec::new(); n],
            counts: vec![0; n],
            met: Vec::new(),
            last: vec![0; n],
            before: vec![Vec::new(); n_states],
        }
    }

    fn add(&mut self, pair: usize, reward: f64, next: Option<u32>, now: u64) {
        if self.counts[pair] == 0 {
            self.met.push(pair as u32);
        }
        self.counts[pair] += 1;
        self.last[pair] = now;
        let seen = &mut self.outcomes[pair];
        match seen.iter_mut().find(|o| o.next == next) {
            Some(outcome) => {
                outcome.count += 1;
                outcome.reward += (reward - outcome.reward) / f64::from(outcome.count);
            }
            None => {
                seen.push(Outcome { next, count: 1, reward });
                if let Some(next) = next {
                    self.before[next as usize].push(pair as u32);
                }
            }
        }
    }

    /// An outcome of a pair that was met, as often as it was seen.
    fn draw(&self, pair: usize, rng: &mut Rng) -> Outcome {
        let seen = &self.outcomes[pair];
        if seen.len() == 1 {
            return seen[0];
        }
        let mut at = below(rng, self.counts[pair] as usize) as u32;
        for outcome in seen {
            match at.checked_sub(outcome.count) {
                Some(rest) => at = rest,
                None => return *outcome,
            }
        }
        seen[seen.len() - 1]
    }
}

/// How an agent plans between its steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Planning {
    /// Steps from pairs drawn evenly from those met, with a bonus by the root of the time since.
    Drawn { bonus: f64 },
    /// Full backups where values would move most, above a threshold.
    Swept { threshold: f64 },
}

/// A pair whose value would move by so much.
#[derive(Debug, PartialEq)]
struct Urgent(f64, u32);

impl Eq for Urgent {}
impl PartialOrd for Urgent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Urgent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

/// An agent with a table that remembers and plans.
#[derive(Debug)]
pub(crate) struct Planner {
    pub values: Values,
    discount: f64,
    planning: Planning,
    planning_steps: usize,
    experience: Experience,
    queue: BinaryHeap<Urgent>,
    now: u64,
    sight: Sight,
    next: Sight,
    action: usize,
    q: Vec<f64>,
}

impl Planner {
    pub(super) fn new(values: Values, discount: f64, planning: Planning, planning_steps: usize) -> Self {
        let n_actions = values.n_actions;
        let experience = Experience::new(values.basis.n_features(), n_actions);
        Self {
            values,
            discount,
            planning,
            planning_steps,
            experience,
            queue: BinaryHeap::new(),
            now: 0,
            sight: Sight::default(),
            next: Sight::default(),
            action: 0,
            q: vec![0.0; n_actions],
        }
    }

    /// The value of the best action in a place that may be the end.
    fn worth(&self, place: Option<u32>) -> f64 {
        place.map_or(0.0, |place| self.values.best_at(place as usize))
    }

    /// By how much a full backup of a pair would move its value, and where to.
    fn error(&self, pair: usize) -> (f64, f64) {
        let total = f64::from(self.experience.counts[pair].max(1));
        let part = |o: &Outcome| f64::from(o.count) / total * (o.reward + self.discount * self.worth(o.next));
        let value: f64 = self.experience.outcomes[pair].iter().map(part).sum();
        ((value - self.values.weights[pair]).abs(), value)
    }

    fn plan(&mut self, rng: &mut Rng) {
        match self.planning {
            Planning::Drawn { bonus } => {
                for _ in 0..self.planning_steps {
                    let pair = self.experience.met[below(rng, self.experience.met.len())] as usize;
                    let outcome = self.experience.draw(pair, rng);
                    let waited = (self.now - self.experience.last[pair]) as f64;
                    let target =
                        outcome.reward + bonus * waited.sqrt() + self.discount * self.worth(outcome.next);
                    self.values.weights[pair] +=
                        self.values.rate(pair) * (target - self.values.weights[pair]);
                }
            }
            Planning::Swept { threshold } => {
                for _ in 0..self.planning_steps {
                    let Some(Urgent(_, pair)) = self.queue.pop() else { break };
                    let (_, value) = self.error(pair as usize);
                    self.values.weights[pair as usize] = value;
                    let place = pair as usize / self.experience.n_actions;
                    for k in 0..self.experience.before[place].len() {
                        self.press(self.experience.before[place][k] as usize, threshold);
                    }
                }
            }
        }
    }

    /// Puts a pair into the queue where its value would move by more than the threshold.
    fn press(&mut self, pair: usize, threshold: f64) {
        let (moves, _) = self.error(pair);
        if moves > threshold {
            self.queue.push(Urgent(moves, pair as u32));
        }
        // Pairs may stand there more than once; those that are done cost a backup that moves nothing.
        if self.queue.len() > 4 * self.values.weights.len() + 1024 {
            let mut kept = std::mem::take(&mut self.queue).into_sorted_vec();
            kept.reverse();
            let mut seen = vec![false; self.values.weights.len()];
            kept.retain(|urgent| !std::mem::replace(&mut seen[urgent.1 as usize], true));
            self.queue = kept.into();
        }
    }
}

impl Agent for Planner {
    fn start(&mut self, observation: &[f64], explore: Explore, rng: &mut Rng) -> Result<usize> {
        self.values.see(observation, &mut self.sight)?;
        self.values.all(&self.sight, &mut self.q);
        self.action = choose(&self.q, explore, rng);
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
        self.now += 1;
        let next = if terminated {
            None
        } else {
            self.values.see(observation, &mut self.next)?;
            Some(self.next.index[0])
        };
        let pair = self.values.at(self.sight.index[0], self.action);
        self.experience.add(pair, reward, next, self.now);
        match self.planning {
            Planning::Drawn { .. } => {
                let error = reward + self.discount * self.worth(next) - self.values.weights[pair];
                self.values.learn(&self.sight, self.action, error);
            }
            Planning::Swept { threshold } => self.press(pair, threshold),
        }
        self.plan(rng);
        if terminated {
            return Ok(0);
        }
        self.values.all(&self.next, &mut self.q);
        std::mem::swap(&mut self.sight, &mut self.next);
        self.action = choose(&self.q, explore, rng);
        Ok(self.action)
    }

    fn finish(&mut self, _: bool, _: &mut Rng) -> Result<()> {
        Ok(())
    }
}
