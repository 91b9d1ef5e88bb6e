//! Bayesian computation: sampling.

mod densities;
mod diagnostics;
mod metropolis;

pub use densities::{DENSITIES, density};
pub use diagnostics::{effective_sample_size, split_r_hat};
pub use metropolis::{Metropolis, MetropolisModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const { &[Entry::of::<Metropolis>()] }
}
