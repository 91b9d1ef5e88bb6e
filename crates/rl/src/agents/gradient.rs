//! Policies that follow the gradient of what they earn: preferences of actions are sums of features, actions are drawn by their
//! exponentials.

use super::basis::Sight;
use super::play::{Agent, Explore};
use super::values::{Values, shares};
use crate::pick::by_softmax;
use mercer_core::Result;
use mercer_math::Rng;

/// Actions are drawn by the exponentials of their preferences.
const SOFTMAX: Explore = Explore { epsilon: 0.0, temperature: Some(1.0) };

/// Moves the preferences of all actions along the gradient of the logarithm of the probability of one.
fn climb(preferences: &mut Values, sight: &Sight, action: usize, shares: &[f64], step: f64) {
    for (b, share) in shares.iter().enumerate() {
        let slope = f64::from(u8::from(b == action)) - share;
        if slope != 0.0 {
            preferences.learn(sight, b, step * slope);
        }
    }
}

/// One step of an episode.
#[derive(Debug, Default)]
struct Moment {
    sight: Sight,
    action: usize,
    reward: f64,
}

/// REINFORCE: whole episodes, with the values of states as a baseline where wanted.
#[derive(Debug)]
pub(crate) struct Whole {
    pub preferences: Values,
    pub baseline: Option<Values>,
    discount: f64,
    episode: Vec<Moment>,
    sight: Sight,
    action: usize,
    q: Vec<f64>,
    shares: Vec<f64>,
}

impl Whole {
    pub(super) fn new(preferences: Values, baseline: Option<Values>, discount: f64) -> Self {
        let q = vec![0.0; preferences.n_actions];
        let (episode, sight) = (Vec::new(), Sight::default());
        Self { preferences, baseline, discount, episode, sight, action: 0, shares: q.clone(), q }
    }

    fn decide(&mut self, observation: &[f64], rng: &mut Rng) -> Result<usize> {
        self.preferences.see(observation, &mut self.sight)?;
        self.preferences.all(&self.sight, &mut self.q);
        self.action = by_softmax(&self.q, 1.0, rng);
        Ok(self.action)
    }
}

impl Agent for Whole {
    fn start(&mut self, observation: &[f64], _: Explore, rng: &mut Rng) -> Result<usize> {
        self.episode.clear();
        self.decide(observation, rng)
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        _: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        self.episode.push(Moment { sight: self.sight.clone(), action: self.action, reward });
        if terminated { Ok(0) } else { self.decide(observation, rng) }
    }

    fn finish(&mut self, terminated: bool, _: &mut Rng) -> Result<()> {
        let mut gains = vec![0.0; self.episode.len()];
        // What an episode that is cut off would have earned is what its last state is worth, where that is known.
        let mut gain = match &self.baseline {
            Some(baseline) if !terminated => baseline.of(&self.sight, 0),
            _ => 0.0,
        };
        for (slot, moment) in gains.iter_mut().zip(&self.episode).rev() {
            gain = moment.reward + self.discount * gain;
            *slot = gain;
        }
        let mut weight = 1.0;
        for (moment, gain) in self.episode.iter().zip(gains) {
            let mut advantage = gain;
            if let Some(baseline) = &mut self.baseline {
                advantage -= baseline.of(&moment.sight, 0);
                baseline.learn(&moment.sight, 0, advantage);
            }
            self.preferences.all(&moment.sight, &mut self.q);
            shares(&self.q, SOFTMAX, &mut self.shares);
            climb(&mut self.preferences, &moment.sight, moment.action, &self.shares, weight * advantage);
            weight *= self.discount;
        }
        Ok(())
    }
}

/// Actor and critic: each step is judged by the values of states, with traces for both.
#[derive(Debug)]
pub(crate) struct Stepwise {
    pub preferences: Values,
    pub critic: Values,
    discount: f64,
    lambda: f64,
    /// Traces of preferences and of values; empty without traces.
    actor_trace: Vec<f64>,
    critic_trace: Vec<f64>,
    weight: f64,
    sight: Sight,
    next: Sight,
    action: usize,
    q: Vec<f64>,
    shares: Vec<f64>,
}

impl Stepwise {
    pub(super) fn new(preferences: Values, critic: Values, discount: f64, lambda: f64) -> Self {
        let (q, traced) = (vec![0.0; preferences.n_actions], lambda > 0.0);
        let trace = |values: &Values| if traced { vec![0.0; values.weights.len()] } else { Vec::new() };
        Self {
            actor_trace: trace(&preferences),
            critic_trace: trace(&critic),
            preferences,
            critic,
            discount,
            lambda,
            weight: 1.0,
            sight: Sight::default(),
            next: Sight::default(),
            action: 0,
            shares: q.clone(),
            q,
        }
    }

    fn decide(&mut self, rng: &mut Rng) {
        self.preferences.all(&self.sight, &mut self.q);
        self.action = by_softmax(&self.q, 1.0, rng);
        shares(&self.q, SOFTMAX, &mut self.shares);
    }

    /// One step along both traces.
    fn follow(&mut self, error: f64) {
        let fading = self.discount * self.lambda;
        self.critic_trace.iter_mut().chain(&mut self.actor_trace).for_each(|e| *e *= fading);
        for (f, v) in self.sight.index.iter().zip(&self.sight.value) {
            self.critic_trace[*f as usize] += v;
            for (b, share) in self.shares.iter().enumerate() {
                let slope = f64::from(u8::from(b == self.action)) - share;
                self.actor_trace[self.preferences.at(*f, b)] += self.weight * slope * v;
            }
        }
        for (values, trace) in
            [(&mut self.critic, &self.critic_trace), (&mut self.preferences, &self.actor_trace)]
        {
            for (at, e) in trace.iter().enumerate().filter(|(_, e)| **e != 0.0) {
                values.weights[at] += values.rate(at) * error * e;
            }
        }
    }
}

impl Agent for Stepwise {
    fn start(&mut self, observation: &[f64], _: Explore, rng: &mut Rng) -> Result<usize> {
        self.weight = 1.0;
        self.actor_trace.fill(0.0);
        self.critic_trace.fill(0.0);
        self.preferences.see(observation, &mut self.sight)?;
        self.decide(rng);
        Ok(self.action)
    }

    fn step(
        &mut self,
        reward: f64,
        observation: &[f64],
        terminated: bool,
        _: Explore,
        rng: &mut Rng,
    ) -> Result<usize> {
        let mut worth = 0.0;
        if !terminated {
            self.preferences.see(observation, &mut self.next)?;
            worth = self.critic.of(&self.next, 0);
        }
        let error = reward + self.discount * worth - self.critic.of(&self.sight, 0);
        if self.lambda > 0.0 {
            self.follow(error);
        } else {
            self.critic.learn(&self.sight, 0, error);
            climb(&mut self.preferences, &self.sight, self.action, &self.shares, self.weight * error);
        }
        self.weight *= self.discount;
        if terminated {
            return Ok(0);
        }
        std::mem::swap(&mut self.sight, &mut self.next);
        self.decide(rng);
        Ok(self.action)
    }

    fn finish(&mut self, _: bool, _: &mut Rng) -> Result<()> {
        Ok(())
    }
}
