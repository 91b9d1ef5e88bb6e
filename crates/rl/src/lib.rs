//! Reinforcement learning: planning in Markov decision processes.

mod gridworld;
mod value_iteration;

pub use gridworld::{PROCESSES, process};
pub use value_iteration::{ValueIteration, ValueIterationModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const { &[Entry::of::<ValueIteration>()] }
}
