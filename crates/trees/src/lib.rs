//! Decision trees, forests and boosted trees.

mod best_first;
mod bins;
mod boost;
mod build;
mod c45;
mod classes;
mod classifier;
mod columns;
mod constraints;
mod dictionaries;
mod explain;
mod forest;
mod grove;
mod grow;
mod grown;
mod held;
mod id3;
mod limits;
mod many_classes;
mod medians;
mod model_tree;
mod multiway;
mod outline;
mod picture;
mod prune;
mod read;
mod reals;
mod regressor;
mod response;
mod scan;
mod tree;

pub use boost::{
    BoostedTrees, Booster, BoosterObjective, Boosting, Categorical, EarlyStopping, Growth,
    HistGradientBoostingClassifier, HistGradientBoostingRegressor, HistLoss, HistRegressionLoss, Loss,
    Objective,
};
pub use c45::{C45, Rule, RuleSet};
pub use classifier::{
    ClassWeight, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeClassifierModel,
};
pub use constraints::{Interactions, Monotonic};
pub use forest::{
    Contamination, ExtraTreesClassifier, ExtraTreesRegressor, FeaturesPer, ForestClassWeight,
    ForestClassifierModel, ForestRegressorModel, IsolationForest, IsolationForestModel, IsolationSamples,
    MaxSamples, RandomForestClassifier, RandomForestRegressor, Spread,
};
pub use grove::Grove;
pub use id3::Id3;
pub use limits::{MaxFeatures, MinSamples, Splitter};
pub use mercer_core::{Outline, OutlineBranch, OutlineNode};
pub use model_tree::{ModelTree, ModelTreeModel, Terms};
pub use multiway::{MultiwayTree, MultiwayTreeModel};
pub use picture::{Picture, PictureBranch, PictureNode};
pub use prune::PruningPath;
pub use read::{paths, proximity};
pub use regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel, RegressionCriterion};
pub use tree::{NodeView, SplitView, Test, Tree};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<DecisionTreeClassifier>(),
            Entry::of::<DecisionTreeRegressor>(),
            Entry::of::<Id3>(),
            Entry::of::<C45>(),
            Entry::of::<ModelTree>(),
            Entry::of::<RandomForestClassifier>(),
            Entry::of::<RandomForestRegressor>(),
            Entry::of::<ExtraTreesClassifier>(),
            Entry::of::<ExtraTreesRegressor>(),
            Entry::of::<IsolationForest>(),
            Entry::of::<HistGradientBoostingClassifier>(),
            Entry::of::<HistGradientBoostingRegressor>(),
            Entry::of::<Booster>(),
        ]
    }
}
