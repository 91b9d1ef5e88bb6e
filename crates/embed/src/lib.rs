//! Reduction and embedding.

mod pca;
mod pca_centred;
mod pca_rank;
#[cfg(test)]
mod pca_tests;

pub use pca::{Pca, PcaComponents, PcaModel, PcaSolver, PowerIterations};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const { &[Entry::of::<Pca>()] }
}
