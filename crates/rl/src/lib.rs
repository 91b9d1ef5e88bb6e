//! Reinforcement learning: planning in Markov decision processes, bandits, environments, and agents that learn by acting.

mod agents;
pub mod bandits;
mod environments;
mod options;
mod pick;
mod planning;
mod processes;
mod runs;

pub use agents::*;
pub use environments::{environment, environments};
pub use planning::{
    AverageMethod, AverageReward, AverageRewardModel, DiscountParams, FiniteHorizon, FiniteHorizonModel,
    LinearProgramming, LinearProgrammingModel, Plan, Policy, PolicyEvaluation, PolicyIteration, PolicyValues,
    SweepOrder, ValueIteration, average_values, discounted_values, exact_values, improve,
};
pub use processes::{PROCESSES, process};
pub use runs::{
    CurvePoint, Judged, Moment, Played, Trials, interquartile_mean, judge, judge_random, play, replay,
    world_of,
};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<ValueIteration>(),
            Entry::of::<PolicyIteration>(),
            Entry::of::<FiniteHorizon>(),
            Entry::of::<AverageReward>(),
            Entry::of::<LinearProgramming>(),
            Entry::of::<MonteCarloPrediction>(),
            Entry::of::<MonteCarloControl>(),
            Entry::of::<TDPrediction>(),
            Entry::of::<Sarsa>(),
            Entry::of::<ExpectedSarsa>(),
            Entry::of::<QLearning>(),
            Entry::of::<DoubleQLearning>(),
            Entry::of::<DynaQ>(),
            Entry::of::<PrioritizedSweeping>(),
            Entry::of::<Reinforce>(),
            Entry::of::<ActorCritic>(),
            Entry::of::<ContextualBandit>(),
        ]
    }
}
