//! REINFORCE: a policy that climbs the gradient of what whole episodes earned.
//!
//! # Objective
//! $$ \max_\theta\ \mathbb E_{\pi_\theta}\Bigl[\sum_t \gamma^t r_{t+1}\Bigr], \qquad
//! \pi_\theta(a \mid s) \propto e^{\theta_a \cdot x(s)} $$
//!
//! # Algorithm
//! After each episode $\theta \leftarrow \theta + \alpha\gamma^t (G_t - b(s_t)) \nabla \log \pi(a_t \mid s_t)$ for all its steps (Williams);
//! the baseline $b$ is a value of the state that follows $G_t$, or zero. Where an episode is cut off, $G_t$ goes on with that value.
//!
//! # Complexity
//! Time O(features × actions) a step; memory O(features × actions + longest episode).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{Reinforce, environment};
//! let pole = Dataset::new(environment("cart-pole")?);
//! let model = Reinforce::default().steps(60_000).fit(&pole)?;
//! let (early, late) = (&model.returns[..50], &model.returns[model.returns.len() - 50..]);
//! assert!(late.iter().sum::<f64>() > 2.0 * early.iter().sum::<f64>());
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Preferences stay finite as long as steps times returns do; an error says when they do not.
//!
//! # References
//! - R. J. Williams. Simple statistical gradient-following algorithms for connectionist reinforcement learning. Machine Learning 8, 1992.
//!   doi:10.1007/BF00992696
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018. Chapter 13.

use super::basis::{FeatureParams, Features};
use super::gradient::Whole;
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ClimbParams, ExploreParams, RateParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// REINFORCE: a policy that climbs the gradient of what whole episodes earned.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "reinforce",
    canon = "R4",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random policy",
    references = "Williams. Simple statistical gradient-following algorithms. Machine Learning 8, 1992."
)]
pub struct Reinforce {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// How fast to climb.
    #[param(flatten)]
    pub climb: ClimbParams,
    /// Whether values of states are learnt and taken off the returns.
    #[param(default = true)]
    pub baseline: bool,
    /// The rate of those values.
    #[param(default = 0.1, range = "(0, 1]", search = "log 1e-3..1")]
    pub alpha_baseline: f64,
    /// What values are sums of.
    #[param(flatten)]
    pub features: FeatureParams,
}

impl Learn for Reinforce {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let n_actions = environment.n_actions();
        let rate = |alpha| RateParams { alpha, ..RateParams::default() };
        let preferences =
            Values::new(Self::NAME, &self.features, &rate(self.climb.alpha), 0.0, n_actions, environment)?;
        let baseline = match self.baseline {
            true => Some(Values::new(
                Self::NAME,
                &self.features,
                &rate(self.alpha_baseline),
                0.0,
                1,
                environment,
            )?),
            false => None,
        };
        let agent = Whole::new(preferences, baseline, self.budget.discount);
        let end = |agent: Whole| (agent.preferences, Acts::BySoftmax);
        learn(agent, environment, &self.budget, |done| ExploreParams::default().at(done), session, end)
    }
}
