//! What a model does in an environment.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::Input;
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::{Mat, Rng, by_weight, running_sums};

/// A model that acts.
pub trait Policy {
    /// The probability of each action at each row of observations, n rows × actions.
    fn action_probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat>;

    /// The action for one observation, drawn where the policy draws.
    fn act(&self, observation: &[f64], rng: &mut Rng) -> Result<usize> {
        let row = Mat::from_fn(1, observation.len(), |_, j| observation[j]);
        let shares = self.action_probabilities(&Input::from(row), &Session::default())?;
        let row = shares.view().to_mat().into_vec();
        match row.iter().position(|share| *share == 1.0) {
            Some(sure) => Ok(sure),
            None if row.iter().sum::<f64>() > 0.0 => Ok(by_weight(rng, &running_sums(row))),
            None => Err(Error::incapable("this policy", "act where no action is there")),
        }
    }
}

impl Asked<'_> {
    /// The probability of each action at each row of observations.
    pub fn action_probabilities(&self) -> Result<Mat> {
        self.need("policy", |can| can.policy)?.action_probabilities(self.input(), self.session())
    }
}

impl dyn Model + '_ {
    /// What the model does in an environment.
    pub fn policy(&self) -> Result<&dyn Policy> {
        self.abilities().policy.ok_or_else(|| super::lacks(self, "policy"))
    }
}

impl Policy for NestedModel {
    fn action_probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.0.on(input, session)?.action_probabilities()
    }
}
