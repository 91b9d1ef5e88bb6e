//! Imputation: values for what is missing.

mod indicator;
mod iterative;
mod knn;
mod parts;
mod simple;

pub use indicator::{IndicatorFeatures, IndicatorSparse, MissingIndicator, MissingIndicatorModel};
pub use iterative::{ImputationOrder, IterativeImputer, IterativeImputerModel};
pub use knn::{KnnImputer, KnnImputerModel, NanMetric, NeighbourWeights};
pub use parts::IndicatorParams;
pub use simple::{ImputeStrategy, SimpleImputer, SimpleImputerModel};
