//! Monte Carlo prediction: what states are worth under a given policy, as averages of returns.
//!
//! # Objective
//! $$ V(s) = \text{average of } G = r_1 + \gamma r_2 + \gamma^2 r_3 + … \text{ after } s $$
//!
//! # Algorithm
//! First or every visits. Where another policy acts (`behaviour=uniform`), returns are weighted by
//! $\rho = \prod_t \pi(a_t \mid s_t) / b(a_t \mid s_t)$: plain averages are unbiased, weighted ones have less variance (Sutton and Barto,
//! section 5.5).
//!
//! # Complexity
//! Time O(1) a step; memory O(states + longest episode). Observations must be countable.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{MonteCarloPrediction, environment};
//! let walk = Dataset::new(environment("random-walk")?);
//! let model = MonteCarloPrediction::default().discount(1.0).fit(&walk)?;
//! let middle = model.predict(&mercer_math::Mat::from_rows(&[[3.0]]).unwrap())?;
//! assert!((middle.numbers()?[0] - 0.5).abs() < 0.05); // Example 6.2 of Sutton and Barto: 3/6.
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Plain averages off the policy may have infinite variance. An episode that is cut off teaches as if it had ended there, and is learnt from
//! in the end of the budget, too: where none ends on its own, take `TDPrediction`.
//!
//! # References
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018. Chapter 5.

use super::basis::table;
use super::episodes::{Aim, Behaviour, Episodes, Importance, ReturnParams, Visits};
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, RateParams};
use super::target::{Target, TargetParams};
use super::values::Values;
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Monte Carlo prediction: what states are worth under a given policy, as averages of returns.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "monte-carlo-prediction mc-prediction",
    canon = "R3",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random",
    references = "Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018."
)]
pub struct MonteCarloPrediction {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// The policy that is judged.
    #[param(flatten)]
    pub target: TargetParams,
    /// How returns become values.
    #[param(flatten)]
    pub returns: ReturnParams,
}

impl Learn for MonteCarloPrediction {
    type Model = AgentModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let values = Values::new(Self::NAME, &table(), &RateParams::default(), 0.0, 1, environment)?;
        let target = Target::new(Self::NAME, &self.target, environment)?;
        let behaviour = self.target.behaviour.target(Self::NAME, environment)?;
        let aim = Aim::Judge { target, behaviour, importance: self.returns.importance };
        let n_actions = environment.n_actions();
        let agent = Episodes::new(values, n_actions, self.budget.discount, &self.returns, aim);
        let end = |agent: Episodes| (agent.values, Acts::Judges);
        learn(agent, environment, &self.budget, |done| ExploreParams::default().at(done), session, end)
    }
}
