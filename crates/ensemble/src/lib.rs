//! Ensembles of any learners: voting, stacking, bagging, AdaBoost, gradient boosting, many classes by learners of two.
//!
//! The members are reached through the object-safe contract alone; a default base learner is a name that the catalogue
//! knows.

mod ada;
mod ada_proof;
mod ada_regressor;
mod bagging;
mod base;
mod explain;
mod gradient;
mod gradient_classifier;
mod gradient_regressor;
mod line;
mod multiclass;
mod stacking;
mod stages;
mod voting;

pub use ada::{AdaBoostClassifier, AdaBoostModel, AdaVersion, Reweighting};
pub use ada_regressor::{AdaBoostRegressor, AdaBoostRegressorModel, RelativeLoss};
pub use bagging::{BaggingClassifier, BaggingModel, BaggingParams, BaggingRegressor};
pub use gradient::{GradientBoostingParams, LineSearch};
pub use gradient_classifier::GradientBoostingClassifier;
pub use gradient_regressor::GradientBoostingRegressor;
pub use multiclass::{
    MulticlassModel, OneVsOneClassifier, OneVsRestClassifier, OneVsRestModel, OutputCodeClassifier,
};
pub use stacking::{StackMethod, StackingClassifier, StackingModel, StackingParams, StackingRegressor};
pub use stages::StagesModel;
pub use voting::{Voting, VotingClassifier, VotingModel, VotingParams, VotingRegressor};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<AdaBoostClassifier>(),
            Entry::of::<AdaBoostRegressor>(),
            Entry::of::<BaggingClassifier>(),
            Entry::of::<BaggingRegressor>(),
            Entry::of::<GradientBoostingClassifier>(),
            Entry::of::<GradientBoostingRegressor>(),
            Entry::of::<OneVsOneClassifier>(),
            Entry::of::<OneVsRestClassifier>(),
            Entry::of::<OutputCodeClassifier>(),
            Entry::of::<StackingClassifier>(),
            Entry::of::<StackingRegressor>(),
            Entry::of::<VotingClassifier>(),
            Entry::of::<VotingRegressor>(),
        ]
    }
}
