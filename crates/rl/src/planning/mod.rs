//! Planning: the best policy of a decision process that is known.

mod average_reward;
mod awake;
mod chain;
mod components;
mod eliminate;
mod evaluate;
mod finite_horizon;
mod flat;
mod gains;
mod linear_programming;
mod plan;
mod policy_iteration;
mod prioritised;
mod value_iteration;

pub use average_reward::{AverageMethod, AverageReward, AverageRewardModel};
pub use evaluate::{Policy, PolicyValues, average_values, discounted_values, exact_values, improve};
pub use finite_horizon::{FiniteHorizon, FiniteHorizonModel};
pub use linear_programming::{LinearProgramming, LinearProgrammingModel};
pub use plan::Plan;
pub use policy_iteration::{PolicyEvaluation, PolicyIteration};
pub use value_iteration::{SweepOrder, ValueIteration};

use mercer_core::{Mdp, ParamGroup};

/// How later rewards count.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct DiscountParams {
    /// The discount of later rewards; none means the process's own, or 0.99.
    #[param(default = None, range = "[0, 1]")]
    pub discount: Option<f64>,
}

impl DiscountParams {
    /// The discount of a learner: its own, else that of the process, else 0.99.
    fn of(&self, mdp: &Mdp) -> f64 {
        self.discount.or(mdp.discount()).unwrap_or(0.99)
    }
}
