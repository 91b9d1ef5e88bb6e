//! Reinforcement learning: planning in Markov decision processes, environments, and agents that learn by acting.

mod agents;
mod environments;
mod gridworld;
mod runs;
mod value_iteration;

pub use agents::*;
pub use environments::{environment, environments};
pub use gridworld::{PROCESSES, process};
pub use runs::{
    CurvePoint, Moment, Played, Trials, chart_of, interquartile_mean, judge, judge_random, play, replay,
    world_of,
};
pub use value_iteration::{ValueIteration, ValueIterationModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<ValueIteration>(),
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
        ]
    }
}
