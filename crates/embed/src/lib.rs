//! Reduction and embedding.

mod pca;
mod pca_centred;
#[cfg(test)]
mod pca_tests;

pub use pca::{Pca, PcaComponents, PcaModel, PcaSolver};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub fn learners() -> &'static [Entry] {
    const { &[Entry::of::<Pca>()] }
}
