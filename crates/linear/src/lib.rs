//! Linear models.

mod centred;
mod class_weights;
mod coordinate_descent;
mod lasso;
mod linear_model;
mod linear_scores;
mod logistic;
mod logistic_curvature;
mod logistic_loss;
mod logistic_model;
mod logistic_state;
mod margins;
mod points;
mod ridge;
mod sgd;

pub use class_weights::ClassWeightParams;
pub use lasso::{CoordinateDescentParams, ElasticNet, ElasticNetModel, Lasso, Visit};
pub use linear_model::LinearRegressionModel;
pub use logistic::{LogisticPenalty, LogisticRegression, LogisticSolver};
pub use logistic_loss::{LogisticLocal, LogisticSums};
pub use logistic_model::LogisticModel;
pub use logistic_state::LogisticState;
pub use margins::{
    Dual, LinearSVC, LinearSVR, LinearSvmModel, MultiClass, SvcLoss, SvcPenalty, SvmParams, SvrLoss,
};
pub use ridge::{Ridge, RidgeSolver};

pub use sgd::{
    Average, LearningRate, Perceptron, SGDClassifier, SGDRegressor, SgdLoss, SgdModel, SgdParams, SgdPenalty,
    SgdStepParams,
};

pub use mercer_core::ClassWeight;

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<Ridge>(),
            Entry::of::<Lasso>(),
            Entry::of::<ElasticNet>(),
            Entry::of::<LogisticRegression>(),
            Entry::of::<LinearSVC>(),
            Entry::of::<LinearSVR>(),
            Entry::of::<Perceptron>(),
            Entry::of::<SGDClassifier>(),
            Entry::of::<SGDRegressor>(),
        ]
    }
}
