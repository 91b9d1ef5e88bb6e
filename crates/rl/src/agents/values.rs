//! Values of actions as sums of weights: the part of agents that all share.

use super::basis::{Basis, FeatureParams, Sight};
use super::params::RateParams;
use super::play::Explore;
use crate::pick::{any_best, by_softmax};
use mercer_core::{Environment, Error, Result};
use mercer_math::{Rng, below, uniform};

/// Weights by feature, and of each feature by action.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub learner: &'static str,
    pub basis: Basis,
    pub n_actions: usize,
    pub weights: Vec<f64>,
    /// The rate of each feature, the same for all actions.
    rates: Vec<f64>,
    /// How often each weight was moved, where rates fall.
    visits: Vec<u32>,
    power: f64,
    /// Which actions are there, by place; empty where all are.
    allowed: Vec<bool>,
}

impl Values {
    pub(super) fn new(
        learner: &'static str,
        features: &FeatureParams,
        rate: &RateParams,
        initial: f64,
        n_actions: usize,
        environment: &Environment,
    ) -> Result<Self> {
        let basis = Basis::new(learner, features, environment)?;
        let weights = basis.flat(initial, n_actions);
        let rates = basis.scales().iter().map(|scale| scale * rate.alpha / basis.share()).collect();
        let visits = if rate.alpha_power > 0.0 { vec![0; weights.len()] } else { Vec::new() };
        let whole = n_actions == environment.n_actions();
        let allowed = if whole { allowed(environment) } else { Vec::new() };
        Ok(Self { learner, basis, n_actions, weights, rates, visits, power: rate.alpha_power, allowed })
    }

    pub(super) fn see(&self, observation: &[f64], sight: &mut Sight) -> Result<()> {
        self.basis.see(self.learner, observation, sight)
    }

    /// The value of an action.
    #[inline]
    pub(super) fn of(&self, sight: &Sight, action: usize) -> f64 {
        let parts = sight.index.iter().zip(&sight.value);
        parts.map(|(f, v)| v * self.weights[*f as usize * self.n_actions + action]).sum()
    }

    /// The values of all actions; minus infinity where one is not there.
    #[inline]
    pub(super) fn all(&self, sight: &Sight, out: &mut [f64]) {
        out.fill(0.0);
        for (f, v) in sight.index.iter().zip(&sight.value) {
            let at = *f as usize * self.n_actions;
            for (o, w) in out.iter_mut().zip(&self.weights[at..at + self.n_actions]) {
                *o += v * w;
            }
        }
        if let (false, Some(place)) = (self.allowed.is_empty(), sight.place) {
            let own = &self.allowed[place * self.n_actions..][..self.n_actions];
            out.iter_mut().zip(own).filter(|(_, there)| !**there).for_each(|(o, _)| *o = f64::NEG_INFINITY);
        }
    }

    /// The value of the best action at a place of a table.
    #[inline]
    pub(super) fn best_at(&self, place: usize) -> f64 {
        let own = place * self.n_actions..(place + 1) * self.n_actions;
        let there = |a: &usize| self.allowed.get(*a).is_none_or(|there| *there);
        own.filter(there).map(|a| self.weights[a]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The first action of the greatest value at a place of a table.
    pub(super) fn first_best_at(&self, place: usize) -> usize {
        let best = self.best_at(place);
        let from = place * self.n_actions;
        let is_best = |a: &usize| {
            self.weights[from + a] == best && self.allowed.get(from + a).is_none_or(|there| *there)
        };
        (0..self.n_actions).find(is_best).unwrap_or(0)
    }

    /// The place of a weight.
    #[inline]
    pub(super) fn at(&self, feature: u32, action: usize) -> usize {
        feature as usize * self.n_actions + action
    }

    /// The rate at which a weight moves, which falls with its visits where that is asked for.
    #[inline]
    pub(super) fn rate(&self, at: usize) -> f64 {
        let rate = self.rates[at / self.n_actions];
        if self.power == 0.0 { rate } else { rate * f64::from(self.visits[at].max(1)).powf(-self.power) }
    }

    /// Counts a visit of what is seen, where rates fall.
    #[inline]
    pub(super) fn visit(&mut self, sight: &Sight, action: usize) {
        if self.power > 0.0 {
            for f in &sight.index {
                let visits = &mut self.visits[*f as usize * self.n_actions + action];
                *visits = visits.saturating_add(1);
            }
        }
    }

    /// Moves the value of an action by a share of an error.
    #[inline]
    pub(super) fn learn(&mut self, sight: &Sight, action: usize, error: f64) {
        self.visit(sight, action);
        for (f, v) in sight.index.iter().zip(&sight.value) {
            let at = self.at(*f, action);
            let rate = self.rate(at);
            self.weights[at] += rate * error * v;
        }
    }

    /// Refuses values that grew beyond all numbers.
    pub(super) fn refuse_not_finite(&self) -> Result<()> {
        match self.weights.iter().all(|w| w.is_finite()) {
            true => Ok(()),
            false => Err(Error::numeric(
                self.learner,
                "values grew beyond all numbers: `alpha` or `discount` is too large",
            )),
        }
    }
}

/// Which actions are there, by place and action; empty where all are everywhere or states cannot be counted.
pub(crate) fn allowed(environment: &Environment) -> Vec<bool> {
    let n_actions = environment.n_actions();
    let Some(n) = environment.observations().count() else { return Vec::new() };
    let all = || (0..n).flat_map(|s| (0..n_actions).map(move |a| environment.allows(s, a)));
    // States without any action are ends: what is done there does not matter.
    let ends = |s: usize| (0..n_actions).all(|a| !environment.allows(s, a));
    let any_missing = (0..n).any(|s| !ends(s) && (0..n_actions).any(|a| !environment.allows(s, a)));
    if any_missing { all().collect() } else { Vec::new() }
}

/// The largest of some values, the first of equals; rounding does not choose between them.
pub(crate) fn first_best(values: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (a, value) in values.iter().enumerate().filter(|(_, v)| **v > f64::NEG_INFINITY) {
        if best.is_none_or(|b| *value > values[b] + 1e-12 * (1.0 + values[b].abs())) {
            best = Some(a);
        }
    }
    best
}

/// An action for these values.
#[inline]
pub(crate) fn choose(values: &[f64], explore: Explore, rng: &mut Rng) -> usize {
    if let Some(temperature) = explore.temperature {
        return by_softmax(values, temperature, rng);
    }
    if explore.epsilon > 0.0 && uniform(rng) < explore.epsilon {
        return any(values, rng);
    }
    any_best(values, rng)
}

/// Any action that is there.
fn any(values: &[f64], rng: &mut Rng) -> usize {
    loop {
        let action = below(rng, values.len());
        if values[action] > f64::NEG_INFINITY || values.iter().all(|v| *v == f64::NEG_INFINITY) {
            return action;
        }
    }
}

/// The probability of each action under exploration, where the greedy one is any of the best.
pub(crate) fn shares(values: &[f64], explore: Explore, out: &mut [f64]) {
    let most = values.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let there = values.iter().filter(|v| **v > f64::NEG_INFINITY).count().max(1) as f64;
    match explore.temperature {
        Some(temperature) => {
            out.iter_mut().zip(values).for_each(|(o, v)| *o = ((v - most) / temperature).exp());
            let total: f64 = out.iter().sum();
            out.iter_mut().for_each(|o| *o /= total);
        }
        None => {
            let best = values.iter().filter(|v| **v == most).count().max(1) as f64;
            for (o, v) in out.iter_mut().zip(values) {
                let random = if *v > f64::NEG_INFINITY { explore.epsilon / there } else { 0.0 };
                *o = random + if *v == most { (1.0 - explore.epsilon) / best } else { 0.0 };
            }
        }
    }
}
