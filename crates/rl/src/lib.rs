//! Reinforcement learning: planning in Markov decision processes, and bandits.

pub mod bandits;
mod planning;
mod processes;

pub use planning::{
    AverageMethod, AverageReward, AverageRewardModel, DiscountParams, FiniteHorizon, FiniteHorizonModel,
    LinearProgramming, LinearProgrammingModel, Plan, Policy, PolicyEvaluation, PolicyIteration, PolicyValues,
    SweepOrder, ValueIteration, average_values, discounted_values, exact_values, improve,
};
pub use processes::{PROCESSES, process};

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
        ]
    }
}
