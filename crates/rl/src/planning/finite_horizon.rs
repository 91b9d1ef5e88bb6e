//! Planning for a number of steps: what is best depends on how many are left.
//!
//! # Objective
//! $$ V_t(x) = \max_a \sum_{x'} P(x' \mid x, a)\,\bigl(R(x, a, x') + \gamma V_{t-1}(x')\bigr),\qquad V_0 = 0 $$
//! or, for the mean reward of a step,
//! $V_t(x) = \max_a \sum_{x'} P(x' \mid x, a)\,\bigl(\tfrac1t R(x, a, x') + \tfrac{t-1}t V_{t-1}(x')\bigr)$.
//!
//! # Algorithm
//! Backward induction: from the values with t − 1 steps left to those with t. The policy depends on the steps that are left; no
//! policy that does not can be best in general, so improvement by a stationary greedy policy does not hold here. `predict` gives
//! the action with the whole horizon ahead, `policy_by_steps_` those with fewer steps left.
//!
//! # Complexity
//! Time O(horizon · transitions), memory O(horizon · states).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{FiniteHorizon, process};
//! let plan = FiniteHorizon::default().horizon(3).fit(&Dataset::new(process("chain")?))?;
//! // With one step left the sure little is best, with three from the end the large reward.
//! assert_eq!((plan.policy_at(1)?[0], plan.policy_at(3)?[4]), (1, 0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! No iteration has to converge: values are exact to rounding for any discount.
//!
//! # References
//! - R. Bellman. Dynamic Programming. Princeton University Press, 1957.
//! - M. L. Puterman. Markov Decision Processes, chapter 4. Wiley, 1994. doi:10.1002/9780470316887

use super::evaluate::finite;
use super::flat::{Change, Flat, NONE, sup};
use super::plan::{decide, fits, policy_attributes, same_process, signed};
use mercer_core::{
    Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Learn, Params, Prediction, Result,
    Schema, Session, Termination,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Planning for a number of steps: what is best depends on how many are left.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "finite-horizon",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    mixins = "HorizonMixin",
    tried = "| average=true",
    references = "Bellman. Dynamic Programming. Princeton University Press, 1957."
)]
pub struct FiniteHorizon {
    /// The number of steps.
    #[param(default = 10, range = "[1, inf)")]
    pub horizon: usize,
    /// The discount of later rewards; none means the process's own, or 1.
    #[param(default = None, range = "[0, 1]")]
    pub discount: Option<f64>,
    /// Whether a policy is worth the mean reward of a step, without a discount, rather than the sum of rewards.
    #[param(default = false)]
    pub average: bool,
}

/// Values and policies for every number of steps left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FiniteHorizonModel {
    /// The value of each state with 0, 1, … steps left, one after the other.
    pub values: Vec<f64>,
    /// The best action in each state with 1, 2, … steps left; the number of actions stands for "none".
    pub policy: Vec<u32>,
    /// The names of the states.
    pub states: Arc<[String]>,
    /// The names of the actions.
    pub actions: Arc<[String]>,
    /// The number of steps planned for.
    pub horizon: u64,
    recursion: Recursion,
    certificate: Certificate,
}

/// From the values with t − 1 steps left to those with t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Recursion {
    discount: f64,
    average: bool,
}

impl Recursion {
    /// The value of a pair with `t` steps left.
    #[inline]
    fn value(self, flat: &Flat, pair: usize, t: usize, values: &[f64]) -> f64 {
        match self.average {
            true => (flat.reward(pair) + (t - 1) as f64 * flat.expected(pair, values)) / t as f64,
            false => flat.value(pair, self.discount, values),
        }
    }
}

const RESIDUAL: &str = "recursion residual";

/// Values that a plan may hold: two gigabytes of them.
const LARGEST: usize = 1 << 28;

impl Learn for FiniteHorizon {
    type Model = FiniteHorizonModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match self.discount.filter(|discount| self.average && *discount != 1.0) {
            Some(discount) => {
                Err(Error::param(Self::NAME, "discount", "1 or none with average=true", discount))
            }
            None => Ok(()),
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<FiniteHorizonModel> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let flat = Flat::new(mdp);
        let n = flat.n_states();
        if self.horizon.saturating_add(1).saturating_mul(n) > LARGEST {
            let most = format!("at most {} with {n} states", LARGEST / n - 1);
            return Err(Error::param(Self::NAME, "horizon", most, self.horizon));
        }
        let discount = if self.average { 1.0 } else { self.discount.or(mdp.discount()).unwrap_or(1.0) };
        let recursion = Recursion { discount, average: self.average };
        let (mut values, mut policy) = (vec![0.0; n], Vec::new());
        let (mut termination, mut horizon) = (Termination::Exact, 0);
        for t in 1..=self.horizon {
            let known = &values[(t - 1) * n..];
            let pairs = flat.greedy_by(|pair| recursion.value(&flat, pair, t, known), None);
            let value = |&pair: &u32| {
                if pair == NONE { 0.0 } else { recursion.value(&flat, pair as usize, t, known) }
            };
            let next: Vec<f64> = pairs.iter().map(value).collect();
            finite(Self::NAME, mdp.states(), &next)?;
            values.extend(next);
            policy.extend(flat.actions(&pairs));
            horizon = t as u64;
            let asked = session.step("step", horizon, Some(self.horizon as u64), None);
            if let Some(why) = asked.filter(|_| t < self.horizon) {
                termination = why;
                break;
            }
        }
        let mut model = FiniteHorizonModel {
            values,
            policy,
            states: mdp.shared_states(),
            actions: mdp.shared_actions(),
            horizon,
            recursion,
            certificate: Certificate::new(termination),
        };
        let meaning =
            "largest distance of a value from that of the best action, and of the policy's, one step before";
        let evidence =
            Evidence::residual(RESIDUAL, model.residual(&flat), meaning).on_scale(sup(&model.values));
        model.certificate = model.certificate.with_iterations(horizon).with_evidence(evidence);
        Ok(model)
    }
}

impl FiniteHorizonModel {
    /// The best action in each state with this many steps left.
    ///
    /// # Errors
    /// No step left, or more than were planned for.
    pub fn policy_at(&self, steps_left: u64) -> Result<&[u32]> {
        if steps_left == 0 || steps_left > self.horizon {
            let expected = format!("in [1, {}]", self.horizon);
            return Err(Error::param(FiniteHorizon::NAME, "steps_left", expected, steps_left));
        }
        let n = self.states.len();
        Ok(&self.policy[(steps_left as usize - 1) * n..][..n])
    }

    /// The largest distance of a value from that of the best action, and from that of the policy's.
    fn residual(&self, flat: &Flat) -> f64 {
        let n = self.states.len();
        let mut change = Change::NOTHING.with(0.0);
        for t in 1..=self.horizon as usize {
            let (known, now) = (&self.values[(t - 1) * n..t * n], &self.values[t * n..(t + 1) * n]);
            for (s, now) in now.iter().enumerate() {
                let value = |pair| self.recursion.value(flat, pair, t, known);
                let best = flat.of(s).map(value).reduce(f64::max).unwrap_or(0.0);
                let done = self.policy[(t - 1) * n + s] as usize;
                let taken = match flat.pair(s, done) {
                    Some(pair) => value(pair),
                    None if flat.of(s).is_empty() => 0.0,
                    None => f64::NEG_INFINITY,
                };
                change = change.with(best - now).with(taken - now);
            }
        }
        change.size()
    }
}

impl Fitted for FiniteHorizonModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        decide(input, &self.states, &self.actions, self.policy_at(self.horizon)?)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let mdp = same_process(data, FiniteHorizon::NAME, &self.states, &self.actions)?;
        Ok(vec![(RESIDUAL.to_owned(), self.residual(&Flat::new(mdp)))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, t) = (self.states.len(), self.horizon as usize);
        let last = &self.policy[(t - 1) * n..];
        let by_steps = "The value of each state with 0, 1, … steps left.";
        let doc = "The best action in each state with 1, 2, … steps left, -1 where there is none.";
        let mut all = vec![
            Attribute::real(
                "values_",
                "The value of each state with all steps left.",
                &[n],
                self.values[t * n..].to_vec(),
            ),
            Attribute::real("values_by_steps_", by_steps, &[t + 1, n], self.values.clone()),
            Attribute::int("policy_by_steps_", doc, &[t, n], signed(&self.policy, self.actions.len())),
        ];
        all.extend(policy_attributes(last, &self.states, &self.actions, self.horizon));
        all
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        let steps = usize::try_from(self.horizon).ok().filter(|t| *t > 0);
        let n = self.states.len();
        let cells = steps.and_then(|t| Some((t.checked_mul(n)?, t.checked_add(1)?.checked_mul(n)?)));
        let ok = cells.is_some_and(|(policy, values)| {
            self.values.len() == values && fits(&self.policy, policy, self.actions.len())
        });
        if ok { Ok(()) } else { Err("values or policies do not fit the states and steps".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::{Fit, Mdp};

    /// One action pays 1 now, the other 3 after a step of nothing: which is best depends on the steps left, as by hand.
    #[test]
    fn the_best_action_depends_on_the_steps_left() {
        let ways = [(0, 0, 0, 1.0, 1.0), (0, 1, 1, 1.0, 0.0), (1, 0, 2, 1.0, 4.0)];
        let mdp = Mdp::numbered(3, 2, &ways, None).unwrap();
        let plan = FiniteHorizon::default().horizon(4).fit(&Dataset::new(mdp.clone())).unwrap();
        let first: Vec<u32> = (1..=4).map(|t| plan.policy_at(t).unwrap()[0]).collect();
        assert_eq!(first, [0, 1, 0, 0]);
        assert_eq!((0..=4).map(|t| plan.values[t * 3]).collect::<Vec<_>>(), [0.0, 1.0, 4.0, 5.0, 6.0]);
        assert!(plan.policy_at(0).is_err() && plan.policy_at(5).is_err());
        let mean = FiniteHorizon::default().horizon(4).average(true).fit(&Dataset::new(mdp)).unwrap();
        assert_eq!((0..=4).map(|t| mean.values[t * 3]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 5.0 / 3.0, 1.5]);
        assert_eq!(mean.policy, plan.policy);
    }

    #[test]
    fn horizons_that_fit_no_memory_are_refused() {
        let mdp = Mdp::numbered(1, 1, &[(0, 0, 0, 1.0, 1.0)], None).unwrap();
        let learner = FiniteHorizon::default().horizon(usize::MAX);
        assert!(learner.fit(&Dataset::new(mdp)).unwrap_err().to_string().contains("horizon"));
        let both = FiniteHorizon::default().average(true).discount(Some(0.5));
        assert!(both.check().unwrap_err().to_string().contains("average=true"));
    }
}
