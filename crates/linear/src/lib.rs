//! Linear models.

mod linear_model;
mod ridge;

pub use linear_model::LinearRegressionModel;
pub use ridge::{Ridge, RidgeSolver};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub const LEARNERS: &[Entry] = &[Entry::of::<Ridge>()];
