//! Actor and critic: a policy that climbs a gradient at every step, judged by values that are learnt beside it.
//!
//! # Objective
//! $$ \max_\theta\ \mathbb E_{\pi_\theta}\Bigl[\sum_t \gamma^t r_{t+1}\Bigr], \qquad
//! \pi_\theta(a \mid s) \propto e^{\theta_a \cdot x(s)} $$
//!
//! # Algorithm
//! With $\delta = r + \gamma V(s') - V(s)$, the critic moves by $\alpha_v \delta$ along its traces, and the actor by
//! $\alpha\gamma^t \delta$ along those of $\nabla \log \pi(a \mid s)$ (Sutton and Barto, section 13.5).
//!
//! # Complexity
//! Time O(features × actions) a step, with traces O(all weights); memory O(features × actions).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{ActorCritic, environment};
//! let pole = Dataset::new(environment("cart-pole")?);
//! let model = ActorCritic::default().steps(100_000).fit(&pole)?;
//! let (early, late) = (&model.returns[..50], &model.returns[model.returns.len() - 50..]);
//! assert!(late.iter().sum::<f64>() > 2.0 * early.iter().sum::<f64>());
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Preferences stay finite as long as steps times errors do; an error says when they do not.
//!
//! # References
//! - A. G. Barto, R. S. Sutton, C. W. Anderson. Neuronlike adaptive elements that can solve difficult learning control problems. IEEE
//!   Trans. SMC 13, 1983. doi:10.1109/TSMC.1983.6313077
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018. Chapter 13.

use super::basis::{FeatureParams, Features};
use super::gradient::Stepwise;
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ClimbParams, ExploreParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Actor and critic: a policy that climbs a gradient at every step, judged by values that are learnt beside it.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "actor-critic",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Barto, Sutton, Anderson. Neuronlike adaptive elements that can solve difficult learning control problems. IEEE Trans. SMC 13, 1983."
)]
pub struct ActorCritic {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// How fast to climb.
    #[param(flatten)]
    pub climb: ClimbParams,
    /// The rate of the values.
    #[param(default = 0.2, range = "(0, 1]", search = "log 1e-3..1")]
    pub alpha_critic: f64,
    /// How much of an error reaches the step before.
    #[param(name = "lambda_", default = 0.0, range = "[0, 1]", search = "linear 0..1")]
    pub lambda: f64,
    /// What values are sums of.
    #[param(flatten)]
    pub features: FeatureParams,
}

impl Learn for ActorCritic {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let rate = |alpha| RateParams { alpha, ..RateParams::default() };
        let preferences =
            Values::new(Self::NAME, &self.features, &rate(self.climb.alpha), 0.0, n_actions, environment)?;
        let critic = Values::new(Self::NAME, &self.features, &rate(self.alpha_critic), 0.0, 1, environment)?;
        let agent = Stepwise::new(preferences, critic, self.budget.discount, self.lambda);
        let end = |agent: Stepwise| (agent.preferences, Acts::BySoftmax);
        learn(agent, environment, &self.budget, |done| ExploreParams::default().at(done), session, end)
    }
}
