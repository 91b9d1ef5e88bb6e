//! Decision trees.

mod best_first;
mod build;
mod classes;
mod classifier;
mod columns;
mod explain;
mod grow;
mod grown;
mod limits;
mod medians;
mod prune;
mod reals;
mod regressor;
mod response;
mod scan;
mod text;
mod tree;

pub use classifier::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeClassifierModel,
};
pub use limits::{MaxFeatures, MinSamples, Splitter};
pub use prune::PruningPath;
pub use regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel, RegressionCriterion};
pub use tree::{NodeView, SplitView, Test, Tree};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub const LEARNERS: &[Entry] = &[Entry::of::<DecisionTreeClassifier>(), Entry::of::<DecisionTreeRegressor>()];
