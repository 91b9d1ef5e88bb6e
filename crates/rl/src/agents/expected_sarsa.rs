//! Expected SARSA: the values of the policy that acts, learnt from what it would do next on average.
//!
//! # Objective
//! $$ Q(s, a) \leftarrow Q(s, a) + \alpha\,\Bigl(r + \gamma \sum_{a'} \pi(a' \mid s') Q(s', a') - Q(s, a)\Bigr) $$
//! with $\pi$ the policy that explores.
//!
//! # Algorithm
//! As SARSA, with the average over the next actions in place of the one that was drawn: the same goal with less variance (van Seijen
//! and others), over one or $n$ steps or with traces.
//!
//! # Complexity
//! Time O(features + actions) a step; memory O(features × actions).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{ExpectedSarsa, environment};
//! let cliff = Dataset::new(environment("cliff")?);
//! let model = ExpectedSarsa::default().alpha(1.0).discount(1.0).fit(&cliff)?;
//! assert!(model.returns[model.returns.len() - 100..].iter().sum::<f64>() / 100.0 > -40.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! With a deterministic environment a rate of 1 is stable, since the average draws nothing.
//!
//! # References
//! - H. van Seijen, H. van Hasselt, S. Whiteson, M. Wiering. A theoretical and empirical analysis of Expected Sarsa. ADPRL, 2009.
//!   doi:10.1109/ADPRL.2009.4927542
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::{FeatureParams, Features};
use super::control::{Backup, Control};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::traces::{Differences, ReachParams, Trace, TraceParams, refuse_both, refuse_dutch};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Expected SARSA: the values of the policy that acts, learnt from what it would do next on average.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "expected-sarsa",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "van Seijen et al. A theoretical and empirical analysis of Expected Sarsa. ADPRL, 2009."
)]
pub struct ExpectedSarsa {
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

impl Learn for ExpectedSarsa {
    type Model = AgentModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        refuse_dutch(Self::NAME, &self.reach.trace, "where averages are backed up")?;
        refuse_both(Self::NAME, &self.reach)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let values =
            Values::new(Self::NAME, &self.features, &self.rate, self.first.initial, n_actions, environment)?;
        let differences = Differences::new(values, self.budget.discount, &self.reach.trace);
        let agent = Control::new(differences, Backup::Average, self.reach.n_step);
        let end = |agent: Control| (agent.differences.values, Acts::Greedily);
        learn(agent, environment, &self.budget, |done| self.explore.at(done), session, end)
    }
}
