//! Assessment: answers of a model, cross validation, comparison on the same folds, search for hyper-parameters,
//! calibration, prediction intervals and thresholds, learning curves, bias and variance, the number of clusters, and the
//! baselines that everything is compared with.

mod base;
mod baseline;
mod bias_variance;
mod calibrate;
mod calibrated;
mod clusters;
mod compare;
mod conformal;
mod curves;
mod dependence;
mod importance;
mod search;
mod threshold;

pub use base::HeldOutParams;
pub use baseline::{
    ClassStrategy, DummyClassifier, DummyClassifierModel, DummyRegressor, DummyRegressorModel, NumberStrategy,
};
pub use bias_variance::{BiasVariance, Truth, bias_variance};
pub use calibrate::{Isotonic, Sigmoid, Temperature};
pub use calibrated::{CalibratedClassifierCV, CalibratedModel, Calibration};
pub use clusters::{
    Gap, GapReference, KChoice, KCriterion, KOptions, Stability, choose_k, count_path, gap_statistic,
    stability,
};
pub use compare::{
    Candidate, Comparison, Contender, Fold, FoldModel, compare, cross_validate, fold_models, folds, splits,
};
pub use conformal::{ConformalMethod, ConformalModel, ConformalRegressor, Conformity};
pub use curves::{CurvePoint, learning_curve, validation_curve};
pub use dependence::{
    Accumulated, Dependence, DependenceOptions, Grid, Response, accumulated_effects, partial_dependence,
};
pub use importance::{Importance, permutation_importance, permutation_importance_against, shuffled};
pub use mercer_measure::Answers;
pub use search::{
    Dimension, Nested, NestedRound, Resource, Setting, Space, Strategy, Trial, Triple, Tuned, Tuning, apply,
    average_settings, nested, triple, tune,
};
pub use threshold::{FixedThresholdClassifier, ThresholdModel, TunedThresholdClassifierCV};

use mercer_core::catalogue::Entry;

/// The learners of this room.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<DummyClassifier>(),
            Entry::of::<DummyRegressor>(),
            Entry::of::<CalibratedClassifierCV>(),
            Entry::of::<TunedThresholdClassifierCV>(),
            Entry::of::<FixedThresholdClassifier>(),
            Entry::of::<ConformalRegressor>(),
        ]
    }
}
