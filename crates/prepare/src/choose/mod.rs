//! Feature selection: by variance, by a score of each feature, by what a learner makes of them, by search.

mod base;
mod best_subset;
mod from_model;
mod information;
mod leaps;
mod rfe;
mod scores;
mod selection;
mod sequential;
mod univariate;
mod variance;

pub use best_subset::{BestSubset, SubsetCriterion};
pub use from_model::{SelectFromModel, Threshold};
pub use rfe::{EliminationParams, Rfe, Rfecv};
pub use scores::ScoreFunction;
pub use selection::SelectionModel;
pub use sequential::{Direction, HowMany, ScoringParams, SequentialFeatureSelector};
pub use univariate::{KBest, SelectFdr, SelectFpr, SelectFwe, SelectKBest, SelectPercentile, TestParams};
pub use variance::VarianceThreshold;
