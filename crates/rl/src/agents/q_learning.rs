//! Q-learning: the values of the best policy, learnt while another one explores.
//!
//! # Objective
//! $$ Q(s, a) \leftarrow Q(s, a) + \alpha\,\bigl(r + \gamma \max_{a'} Q(s', a') - Q(s, a)\bigr) $$
//!
//! # Algorithm
//! One step (Watkins), or Watkins's Q(λ): traces reach back to the last action that was not the best one, since what follows such an
//! action says nothing of the best policy. Values are a table or sums of features; exploration is that of SARSA.
//!
//! # Complexity
//! Time O(features + actions) a step; memory O(features × actions).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{QLearning, environment};
//! let lake = Dataset::new(environment("frozen-lake:slippery=false")?);
//! let model = QLearning::default().steps(50_000).fit(&lake)?;
//! assert_eq!(model.returns.last(), Some(&1.0));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A table converges with probability 1 where every pair is met for ever and rates fall (`alpha_power` in (½, 1]). Off the policy and
//! with features values may diverge; that is an error.
//!
//! # References
//! - C. J. C. H. Watkins, P. Dayan. Q-learning. Machine Learning 8, 1992. doi:10.1007/BF00992698
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::{FeatureParams, Features};
use super::control::{Backup, Control};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::traces::{Differences, Trace, TraceParams, refuse_dutch};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Q-learning: the values of the best policy, learnt while another one explores.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "q-learning q",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Watkins, Dayan. Q-learning. Machine Learning 8, 1992."
)]
pub struct QLearning {
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
    /// How far errors reach back.
    #[param(flatten)]
    pub trace: TraceParams,
    /// What values are sums of.
    #[param(flatten)]
    pub features: FeatureParams,
}

impl Learn for QLearning {
    type Model = AgentModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        refuse_dutch(Self::NAME, &self.trace, "where the best action is backed up")
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values =
            Values::new(Self::NAME, &self.features, &self.rate, self.first.initial, n_actions, environment)?;
        let differences = Differences::new(values, self.budget.discount, &self.trace);
        let agent = Control::new(differences, Backup::Best, 1);
        let end = |agent: Control| (agent.differences.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
