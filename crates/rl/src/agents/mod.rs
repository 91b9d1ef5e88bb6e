//! Agents that learn by acting, without knowing the process: from whole episodes, from temporal differences, by planning with what
//! they remember, and along the gradient of a policy.

mod actor_critic;
mod basis;
mod contextual_bandit;
mod control;
mod double;
mod double_q_learning;
mod dyna_q;
mod episodes;
mod evaluation;
mod expected_sarsa;
mod experience;
mod gradient;
mod model;
mod monte_carlo_control;
mod monte_carlo_prediction;
mod params;
mod play;
mod prioritized_sweeping;
mod q_learning;
mod reinforce;
mod sarsa;
mod target;
mod td_prediction;
mod traces;
mod values;

pub use actor_critic::ActorCritic;
pub use basis::{FeatureParams, Features};
pub use contextual_bandit::{BanditModel, ContextualBandit, StrategyName};
pub use double_q_learning::DoubleQLearning;
pub use dyna_q::DynaQ;
pub use episodes::{Behaviour, Importance, ReturnParams, Visits};
pub use expected_sarsa::ExpectedSarsa;
pub use model::AgentModel;
pub use monte_carlo_control::MonteCarloControl;
pub use monte_carlo_prediction::MonteCarloPrediction;
pub use params::{BudgetParams, ClimbParams, ExploreParams, FirstParams, RateParams};
pub use play::Play;
pub use prioritized_sweeping::PrioritizedSweeping;
pub use q_learning::QLearning;
pub use reinforce::Reinforce;
pub use sarsa::Sarsa;
pub use target::TargetParams;
pub use td_prediction::TDPrediction;
pub use traces::{ReachParams, Trace, TraceParams};
