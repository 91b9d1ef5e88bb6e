//! Prioritised sweeping: a model of what was seen, whose values are backed up where they would move most.
//!
//! # Objective
//! The optimal values of the process as it was seen: $Q(s, a) = \sum_{s'} \hat p(s' \mid s, a)\,(\hat r + \gamma \max_{a'} Q(s', a'))$.
//!
//! # Algorithm
//! Each real step adds to the counts of its pair. Pairs whose full backup would move their value by more than `threshold` wait in a
//! queue; the largest is backed up, and whatever leads to it is looked at again, `planning_steps` times a step (Moore and Atkeson).
//!
//! # Complexity
//! Time O(planning steps × predecessors × outcomes) a step; memory O(states × actions + outcomes seen). Observations must be countable.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{PrioritizedSweeping, environment};
//! let lake = Dataset::new(environment("frozen-lake:slippery=false")?);
//! let model = PrioritizedSweeping::default().steps(5_000).fit(&lake)?;
//! assert_eq!(model.returns.last(), Some(&1.0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Backups are full, so there is no rate; a pair that stands in the queue more than once costs a backup that moves nothing.
//!
//! # References
//! - A. W. Moore, C. G. Atkeson. Prioritized sweeping. Machine Learning 13, 1993. doi:10.1007/BF00993104
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::table;
use super::experience::{Planner, Planning};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Prioritised sweeping: a model of what was seen, whose values are backed up where they would move most.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "prioritized-sweeping sweeping",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Moore, Atkeson. Prioritized sweeping. Machine Learning 13, 1993."
)]
pub struct PrioritizedSweeping {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// How to explore.
    #[param(flatten)]
    pub explore: ExploreParams,
    /// Where values begin.
    #[param(flatten)]
    pub first: FirstParams,
    /// How many backups are made after each step.
    #[param(default = 10, range = "[1, inf)")]
    pub planning_steps: usize,
    /// By how much a backup must move a value to be worth its time.
    #[param(default = 1e-4, range = "(0, inf)")]
    pub threshold: f64,
}

impl Learn for PrioritizedSweeping {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values = Values::new(
            Self::NAME,
            &table(),
            &RateParams::default(),
            self.first.initial,
            n_actions,
            environment,
        )?;
        let planning = Planning::Swept { threshold: self.threshold };
        let agent = Planner::new(values, self.budget.discount, planning, self.planning_steps);
        let end = |agent: Planner| (agent.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
