//! Double Q-learning: two sets of values that judge each other's choices, so that luck is not taken for worth.
//!
//! # Objective
//! $$ Q_1(s, a) \leftarrow Q_1(s, a) + \alpha\,\bigl(r + \gamma Q_2(s', \arg\max_{a'} Q_1(s', a')) - Q_1(s, a)\bigr) $$
//! or the same with the roles changed, each with probability ½.
//!
//! # Algorithm
//! The largest of noisy values is too large on average; here one set chooses the action and the other one values it (van Hasselt). The
//! agent acts on their sum, and the model holds their mean.
//!
//! # Complexity
//! Time O(features + actions) a step; memory O(features × actions), twice.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{DoubleQLearning, environment};
//! let lake = Dataset::new(environment("frozen-lake:slippery=false")?);
//! let model = DoubleQLearning::default().steps(50_000).fit(&lake)?;
//! assert_eq!(model.returns.last(), Some(&1.0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Values are too small rather than too large while both sets are young.
//!
//! # References
//! - H. van Hasselt. Double Q-learning. NIPS, 2010.
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::{FeatureParams, Features};
use super::double::Double;
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Double Q-learning: two sets of values that judge each other's choices, so that luck is not taken for worth.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "double-q-learning double-q",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "van Hasselt. Double Q-learning. NIPS, 2010."
)]
pub struct DoubleQLearning {
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
    /// What values are sums of.
    #[param(flatten)]
    pub features: FeatureParams,
}

impl Learn for DoubleQLearning {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values =
            Values::new(Self::NAME, &self.features, &self.rate, self.first.initial, n_actions, environment)?;
        let agent = Double::new(values, self.budget.discount);
        let end = |agent: Double| (agent.mean(), Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
