//! Decision trees, forests and boosted trees.
//!
//! - `cart`: trees with exact splits (CART, M5 model trees).
//! - `forest`: random forests, extremely randomised trees, isolation forest, and trees grown from histograms.
//! - `boost`: gradient boosting on histograms of gradients.
//! - `multiway`: trees with a branch a level (ID3, C4.5 with its rules).
//! - `packed`: the trees of a fitted ensemble in flat arrays, and the walk of many rows through them.
//!
//! What they share: `sorted_columns` (for exact splits) and `bins` (for histograms), `limits` and `constraints` of
//! growth, `grown` (the nodes of a tree under way), `class_labels`, `explain` (exact Shapley values), `read` (outlines,
//! paths, pictures).

mod bins;
mod boost;
mod cart;
mod class_labels;
mod constraints;
mod explain;
mod forest;
mod grown;
mod limits;
mod multiway;
mod packed;
mod read;
mod sorted_columns;

pub use boost::{
    BoostParams, BoostedTrees, Booster, BoosterObjective, Boosting, Categorical, EarlyStopping,
    EarlyStoppingParams, Growth, HistBoostParams, HistGradientBoostingClassifier,
    HistGradientBoostingRegressor, HistLoss, HistRegressionLoss, Loss, Objective,
};
pub use cart::{
    CartParams, ClassificationCriterion, DecisionTreeClassifier, DecisionTreeClassifierModel,
    DecisionTreeRegressor, DecisionTreeRegressorModel, ModelTree, ModelTreeModel, NodeView, PruningPath,
    RegressionCriterion, SplitView, Terms, Test, Tree,
};
pub use constraints::{Interactions, Member, Monotonic};
pub use forest::{
    Contamination, EnsembleVariance, ExtraTreesClassifier, ExtraTreesRegressor, FeaturesPer,
    ForestClassWeight, ForestClassifierModel, ForestClassifierParams, ForestParams, ForestRegressorModel,
    ForestRegressorParams, IsolationForest, IsolationForestModel, IsolationSamples, RandomForestClassifier,
    RandomForestRegressor,
};
pub use limits::{MaxFeatures, Splitter, Ties, TreeParams};
pub use mercer_core::ClassWeight;
pub use multiway::{C45, Id3, MultiwayTree, MultiwayTreeModel, Rule, RuleSet};
pub use packed::PackedTrees;
pub use read::{Outline, Picture, PictureBranch, PictureNode, TreesView, paths, proximity};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
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
