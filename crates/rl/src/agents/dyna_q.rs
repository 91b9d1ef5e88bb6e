//! Dyna-Q: Q-learning that remembers what it saw and learns from memories between its steps.
//!
//! # Objective
//! The values of Q-learning, $Q(s, a) \leftarrow Q(s, a) + \alpha\,(r + \gamma \max_{a'} Q(s', a') - Q(s, a))$, from fewer real steps.
//!
//! # Algorithm
//! After each real step, `planning_steps` pairs of state and action that were met are drawn evenly, an outcome of each as often as it was
//! seen, and learnt from as if real. With a `bonus` κ (Dyna-Q+) a memory pays $\kappa\sqrt{\tau}$ more, where $\tau$ is the time since the
//! pair was tried, so that changes of the world are found.
//!
//! # Complexity
//! Time O(planning steps × actions) a step; memory O(states × actions + outcomes seen). Observations must be countable.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{DynaQ, environment};
//! let lake = Dataset::new(environment("frozen-lake:slippery=false")?);
//! let model = DynaQ::default().steps(10_000).planning_steps(20).fit(&lake)?;
//! assert_eq!(model.returns.last(), Some(&1.0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The memory holds every outcome with its count and mean reward, so that chance is kept.
//!
//! # References
//! - R. S. Sutton. Integrated architectures for learning, planning, and reacting based on approximating dynamic programming. ICML, 1990.
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::table;
use super::experience::{Planner, Planning};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Dyna-Q: Q-learning that remembers what it saw and learns from memories between its steps.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "dyna-q dyna",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Sutton. Integrated architectures for learning, planning, and reacting. ICML, 1990."
)]
pub struct DynaQ {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// How to explore.
    #[param(flatten)]
    pub explore: ExploreParams,
    /// How fast to learn.
    #[param(flatten)]
    pub rate: RateParams,
    /// Where values begin.
    #[param(flatten)]
    pub first: FirstParams,
    /// How many memories are learnt from after each step.
    #[param(default = 10, range = "[0, inf)")]
    pub planning_steps: usize,
    /// What waiting pays: this times the root of the steps since a pair was tried.
    #[param(default = 0.0, range = "[0, inf)")]
    pub bonus: f64,
}

impl Learn for DynaQ {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values =
            Values::new(Self::NAME, &table(), &self.rate, self.first.initial, n_actions, environment)?;
        let planning = Planning::Drawn { bonus: self.bonus };
        let agent = Planner::new(values, self.budget.discount, planning, self.planning_steps);
        let end = |agent: Planner| (agent.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
