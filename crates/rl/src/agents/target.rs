//! A policy that is given, to be judged.

use super::episodes::Behaviour;
use super::values::allowed;
use mercer_core::{Environment, Error, ParamGroup, Result};
use mercer_math::{Mat, Rng, by_weight, running_sums};

/// The policy that is judged.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct TargetParams {
    /// The action in each state, by number; none means any action with the same probability. An end has any number.
    #[param(default = None)]
    pub policy: Option<Vec<i64>>,
    /// The probability of a random action in place of the policy's.
    #[param(default = 0.0, range = "[0, 1]")]
    pub epsilon: f64,
    /// Who acts.
    #[param(default = Behaviour::Policy)]
    pub behaviour: Behaviour,
}

/// The probabilities of actions, the same everywhere or by state.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    shares: Mat,
    /// Running sums of each row.
    sums: Vec<Vec<f64>>,
}

impl Target {
    pub(super) fn new(learner: &str, params: &TargetParams, environment: &Environment) -> Result<Self> {
        let (n_actions, count) = (environment.n_actions(), environment.observations().count());
        let there = allowed(environment);
        let n = match (&params.policy, count) {
            (Some(policy), Some(n)) if policy.len() != n => {
                return Err(Error::shape(format!("actions of `policy` of {learner}"), n, policy.len()));
            }
            (Some(_), None) => {
                let expected = "none: observations of this environment cannot be counted";
                return Err(Error::param(learner, "policy", expected, "a list"));
            }
            (None, _) if there.is_empty() => 1,
            (_, n) => n.unwrap_or(1),
        };
        let mut shares = Mat::zeros(n, n_actions);
        for s in 0..n {
            let may = |a: usize| there.is_empty() || there[s * n_actions + a];
            let many = (0..n_actions).filter(|a| may(*a)).count();
            let epsilon = if params.policy.is_some() { params.epsilon } else { 1.0 };
            for a in (0..n_actions).filter(|a| may(*a)) {
                shares[(s, a)] = epsilon / many as f64;
            }
            let Some(policy) = params.policy.as_ref().filter(|_| many > 0) else { continue };
            let own = usize::try_from(policy[s]).ok().filter(|a| *a < n_actions && may(*a));
            let own = own.ok_or_else(|| {
                let expected = format!("actions that are there (state {s})");
                Error::param(learner, "policy", expected, policy[s])
            })?;
            shares[(s, own)] += 1.0 - epsilon;
        }
        let row = |s| running_sums((0..n_actions).map(|a| shares[(s, a)]).collect::<Vec<_>>());
        let sums = (0..n).map(row).collect();
        Ok(Self { shares, sums })
    }

    fn row(&self, place: Option<usize>) -> usize {
        if self.sums.len() == 1 { 0 } else { place.unwrap_or(0) }
    }

    pub(super) fn draw(&self, place: Option<usize>, rng: &mut Rng) -> usize {
        by_weight(rng, &self.sums[self.row(place)])
    }

    /// The probability of an action.
    pub(super) fn share(&self, place: Option<usize>, action: usize) -> f64 {
        self.shares[(self.row(place), action)]
    }
}
