//! Decision trees.

mod best_first;
mod build;
mod c45;
mod classes;
mod classifier;
mod columns;
mod explain;
mod grow;
mod grown;
mod held;
mod id3;
mod limits;
mod medians;
mod model_tree;
mod multiway;
mod outline;
mod picture;
mod prune;
mod reals;
mod regressor;
mod response;
mod scan;
mod tree;

pub use c45::{C45, Rule, RuleSet};
pub use classifier::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeClassifierModel,
};
pub use id3::Id3;
pub use limits::{MaxFeatures, MinSamples, Splitter};
pub use model_tree::{ModelTree, ModelTreeModel, Terms};
pub use multiway::{MultiwayTree, MultiwayTreeModel};
pub use outline::{Outline, OutlineBranch, OutlineNode};
pub use picture::{Picture, PictureBranch, PictureNode};
pub use prune::PruningPath;
pub use regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel, RegressionCriterion};
pub use tree::{NodeView, SplitView, Test, Tree};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub const LEARNERS: &[Entry] = &[
    Entry::of::<C45>(),
    Entry::of::<DecisionTreeClassifier>(),
    Entry::of::<DecisionTreeRegressor>(),
    Entry::of::<Id3>(),
    Entry::of::<ModelTree>(),
];
