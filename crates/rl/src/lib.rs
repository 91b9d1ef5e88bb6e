//! Reinforcement learning: planning in Markov decision processes.

mod gridworld;
mod value_iteration;

pub use gridworld::{PROCESSES, process};
pub use value_iteration::{ValueIteration, ValueIterationModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub fn learners() -> &'static [Entry] {
    const { &[Entry::of::<ValueIteration>()] }
}
