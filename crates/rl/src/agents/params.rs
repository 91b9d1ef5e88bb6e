//! Parameters that agents share.

use super::play::Explore;
use mercer_core::ParamGroup;

/// How long an agent acts.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct BudgetParams {
    /// How many steps to act.
    #[param(default = 100_000, range = "[1, inf)")]
    pub steps: usize,
    /// How many episodes to act at most; none means as many as the steps allow.
    #[param(default = None, range = "[1, inf)")]
    pub episodes: Option<usize>,
    /// The discount of later rewards.
    #[param(default = 0.99, range = "[0, 1]", search = "linear 0.8..1")]
    pub discount: f64,
}

/// How an agent explores.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ExploreParams {
    /// The probability of a random action in the beginning.
    #[param(default = 0.1, range = "[0, 1]", search = "linear 0..0.5")]
    pub epsilon: f64,
    /// The probability in the end; none means as in the beginning.
    #[param(default = None, range = "[0, 1]")]
    pub epsilon_end: Option<f64>,
    /// The share of the steps in which it falls.
    #[param(default = 0.5, range = "(0, 1]")]
    pub epsilon_share: f64,
    /// Draws actions by the exponentials of their values over this temperature instead; none means not.
    #[param(default = None, range = "(0, inf)")]
    pub temperature: Option<f64>,
}

impl ExploreParams {
    /// How to explore when so large a share of the steps is done.
    pub(crate) fn at(&self, done: f64) -> Explore {
        let end = self.epsilon_end.unwrap_or(self.epsilon);
        let way = (done / self.epsilon_share).min(1.0);
        Explore { epsilon: self.epsilon + way * (end - self.epsilon), temperature: self.temperature }
    }
}

/// How fast values follow what is seen.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct RateParams {
    /// The share of an error that one step takes away.
    #[param(default = 0.1, range = "(0, 1]", search = "log 0.01..1")]
    pub alpha: f64,
    /// Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    #[param(default = 0.0, range = "[0, 1]")]
    pub alpha_power: f64,
}

/// Where values begin.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct FirstParams {
    /// The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub initial: f64,
}

/// How fast a policy climbs.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ClimbParams {
    /// The rate of the policy.
    #[param(default = 0.1, range = "(0, inf)", search = "log 1e-4..1")]
    pub alpha: f64,
}
