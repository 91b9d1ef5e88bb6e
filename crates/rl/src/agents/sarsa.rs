//! SARSA: the values of the policy that acts, learnt from what is done next.
//!
//! # Objective
//! $$ Q(s, a) \leftarrow Q(s, a) + \alpha\,\bigl(r + \gamma Q(s', a') - Q(s, a)\bigr) $$
//! with $a'$ the action that is done in $s'$.
//!
//! # Algorithm
//! One step (Rummery and Niranjan), $n$ steps ($G = r_1 + \gamma r_2 + … + \gamma^n Q(s_n, a_n)$), or SARSA(λ) with accumulating,
//! replacing or dutch traces; $Q$ is a table or a sum of features (tiles, cosines, radial functions, the numbers themselves), along
//! whose gradient it moves. Actions are ε-greedy with ties drawn evenly, ε falling along a line where `epsilon_end` is given, or
//! drawn by the exponentials of values.
//!
//! # Complexity
//! Time O(features + actions) a step, with traces O(features that carry one); memory O(features × actions).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{Sarsa, environment};
//! let cliff = Dataset::new(environment("cliff")?);
//! let safe = Sarsa::default().steps(100_000).alpha(0.5).discount(1.0).fit(&cliff)?;
//! // It keeps away from the edge: from above the start on, it does not walk along the cliff.
//! assert!(safe.returns[safe.returns.len() - 100..].iter().sum::<f64>() / 100.0 > -40.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Traces below 1e-12 are dropped. With features and an action that explores, values need not converge, but stay bounded.
//!
//! # References
//! - G. A. Rummery, M. Niranjan. On-line Q-learning using connectionist systems. Cambridge University, 1994.
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.
//! - H. van Seijen, R. S. Sutton. True online TD(λ). ICML, 2014.

use super::basis::{FeatureParams, Features};
use super::control::{Backup, Control};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::traces::{Differences, ReachParams, Trace, TraceParams, refuse_both};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// SARSA: the values of the policy that acts, learnt from what is done next.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "sarsa",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018."
)]
pub struct Sarsa {
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
    /// Over how many steps values are learnt.
    #[param(flatten)]
    pub reach: ReachParams,
    /// What values are sums of.
    #[param(flatten)]
    pub features: FeatureParams,
}

impl Learn for Sarsa {
    type Model = AgentModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        refuse_both(Self::NAME, &self.reach)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values =
            Values::new(Self::NAME, &self.features, &self.rate, self.first.initial, n_actions, environment)?;
        let differences = Differences::new(values, self.budget.discount, &self.reach.trace);
        let agent = Control::new(differences, Backup::Done, self.reach.n_step);
        let end = |agent: Control| (agent.differences.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
