//! Assessment: answers of a model, cross validation, comparison on the same folds, and the baselines that
//! everything is compared with.

mod answers;
mod baseline;
mod compare;
mod importance;

pub use answers::Answers;
pub use baseline::{
    ClassStrategy, DummyClassifier, DummyClassifierModel, DummyRegressor, DummyRegressorModel, NumberStrategy,
};
pub use compare::{Candidate, Comparison, Contender, Fold, compare, cross_validate, folds};
pub use importance::{Importance, permutation_importance};

use mercer_core::catalogue::Entry;

/// The learners of this room.
pub const LEARNERS: &[Entry] = &[Entry::of::<DummyClassifier>(), Entry::of::<DummyRegressor>()];
