//! Temporal differences: what states are worth under a given policy, each learnt from the value of the next.
//!
//! # Objective
//! $$ V(s) \leftarrow V(s) + \alpha\,\bigl(r + \gamma V(s') - V(s)\bigr) $$
//!
//! # Algorithm
//! TD(0), $n$ steps, or TD(λ) with accumulating, replacing or dutch traces (the last is true online TD(λ)); values are a table or sums of
//! features, along whose gradient they move. Where another policy acts (`behaviour=uniform`), each step is weighted by
//! $\rho = \pi(a \mid s) / b(a \mid s)$, $n$ steps by the product of theirs, and traces are $e \leftarrow \rho\,(\gamma\lambda e + x)$
//! (Sutton and Barto, sections 7.3 and 12.9).
//!
//! # Complexity
//! Time O(features) a step, with traces O(features that carry one); memory O(features).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{TDPrediction, environment};
//! let walk = Dataset::new(environment("random-walk")?);
//! let model = TDPrediction::default().discount(1.0).alpha(0.02).fit(&walk)?;
//! let middle = model.predict(&mercer_math::Mat::from_rows(&[[3.0]]).unwrap())?;
//! assert!((middle.numbers()?[0] - 0.5).abs() < 0.1); // Example 6.2 of Sutton and Barto: 3/6.
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! With a constant rate values keep swinging about the truth; `alpha_power=1` averages. Traces below 1e-12 are dropped. Off the policy and
//! with features values may diverge; that is an error.
//!
//! # References
//! - R. S. Sutton. Learning to predict by the methods of temporal differences. Machine Learning 3, 1988. doi:10.1007/BF00115009
//! - H. van Seijen, R. S. Sutton. True online TD(λ). ICML, 2014.
//! - D. Precup, R. S. Sutton, S. Singh. Eligibility traces for off-policy policy evaluation. ICML, 2000.
//! - R. S. Sutton, A. G. Barto. Reinforcement Learning: An Introduction, second edition. MIT Press, 2018.

use super::basis::{FeatureParams, Features};
use super::episodes::Behaviour;
use super::evaluation::Judge;
use super::model::{Acts, AgentModel, learn};
use super::params::{BudgetParams, ExploreParams, FirstParams, RateParams};
use super::target::{Target, TargetParams};
use super::traces::{Differences, ReachParams, Trace, TraceParams, refuse_both};
use super::values::Values;
use mercer_core::{Dataset, Error, Learn, Params, Result, Session};

/// Temporal differences: what states are worth under a given policy, each learnt from the value of the next.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "td td-prediction",
    canon = "R3",
    task = Planning,
    learns_from = Environment,
    asked_about = Rows,
    python = "rl",
    tried = "steps=3000",
    session = "random_state verbose",
    can = "random",
    references = "Sutton. Learning to predict by the methods of temporal differences. Machine Learning 3, 1988."
)]
pub struct TDPrediction {
    /// How long to act.
    #[param(flatten)]
    pub budget: BudgetParams,
    /// The policy that is judged.
    #[param(flatten)]
    pub target: TargetParams,
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

impl Learn for TDPrediction {
    type Model = AgentModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let ReachParams { trace, .. } = &self.reach;
        if self.target.behaviour != Behaviour::Policy
            && trace.lambda > 0.0
            && trace.traces != Trace::Accumulating
        {
            let expected = "accumulating where another policy acts";
            return Err(Error::param(
                Self::NAME,
                "traces",
                expected,
                format!("{:?}", trace.traces).to_lowercase(),
            ));
        }
        refuse_both(Self::NAME, &self.reach)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AgentModel> {
        let environment = data.whole_input().environment(Self::NAME)?;
        let values = Values::new(Self::NAME, &self.features, &self.rate, self.first.initial, 1, environment)?;
        let differences = Differences::new(values, self.budget.discount, &self.reach.trace);
        let target = Target::new(Self::NAME, &self.target, environment)?;
        let behaviour = self.target.behaviour.target(Self::NAME, environment)?;
        let agent = Judge::new(differences, target, behaviour, self.reach.n_step);
        let end = |agent: Judge| (agent.differences.values, Acts::Judges);
        learn(agent, environment, &self.budget, |done| ExploreParams::default().at(done), session, end)
    }
}
