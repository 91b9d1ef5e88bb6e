//! Monte Carlo control: the values of actions as averages of the returns that followed them.
//!
//! # Objective
//! $$ Q(s, a) = \text{average of } G = r_1 + \gamma r_2 + \gamma^2 r_3 + … \text{ after } (s, a) $$
//!
//! # Algorithm
//! On the policy: averages over first or every visits, for the best policy among those that explore. Off the policy: the greedy policy is
//! learnt while one that explores acts; returns are weighted by how much likelier the greedy policy would have made what was done
//! after, back to the last action that it would not have done (Sutton and Barto, sections 5.4 and 5.7), by weighted averages; or by plain
//! ones, which count everything before that action as nothing.
//!
//! # Complexity
//! Time O(1) a step; memory O(states × actions + longest episode). Observations must be countable.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{MonteCarloControl, environment};
//! let cards = Dataset::new(environment("blackjack")?);
//! let model = MonteCarloControl::default().steps(400_000).discount(1.0).fit(&cards)?;
//! let won: f64 = model.returns[model.returns.len() - 50_000..].iter().sum::<f64>() / 50_000.0;
//! assert!(won > -0.12); // What exploring costs is in it; never exploring, one loses about 0.05 a game.
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! An episode that is cut off teaches as if it had ended there, and is learnt from in the end of the budget, too. Off the policy, begin with
//! values (`initial`) below what can be earned: a greedy action that never ends an episode weighs every return before it with nothing.
//!
//! # References
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018. Chapter 5.

use super::basis::table;
use super::episodes::{Aim, Episodes, Importance, ReturnParams, Visits};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Monte Carlo control: the values of actions as averages of the returns that followed them.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "monte-carlo mc",
    canon = "R3",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018."
)]
pub struct MonteCarloControl {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// How to explore.
    #[param(flatten)]
    pub explore: ExploreParams,
    /// Where values begin.
    #[param(flatten)]
    pub first: FirstParams,
    /// How returns become values.
    #[param(flatten)]
    pub returns: ReturnParams,
    /// Learn the greedy policy while the one that explores acts.
    #[param(default = false)]
    pub off_policy: bool,
}

impl Learn for MonteCarloControl {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let rate = RateParams::default();
        let values = Values::new(Self::NAME, &table(), &rate, self.first.initial, n_actions, environment)?;
        let aim = if self.off_policy { Aim::OffPolicy(self.returns.importance) } else { Aim::OnPolicy };
        let agent = Episodes::new(values, n_actions, self.budget.discount, &self.returns, aim);
        let end = |agent: Episodes| (agent.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
