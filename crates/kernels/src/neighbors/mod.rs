//! Nearest neighbours, and learning from them.

mod index;
mod k_nearest;
mod metric;
mod model;
mod params;
mod radius;
mod search;
mod sparse;
mod vote;

pub(crate) use index::Index;
pub use k_nearest::{KNearestParams, KNeighborsClassifier, KNeighborsRegressor};
pub use metric::{Metric, MetricName, MetricParams, NormKind, Stretch, levenshtein};
pub use model::NeighborsModel;
pub use params::{Algorithm, NeighborParams, NeighborWeights, StretchParams, VoteParams};
pub use radius::{OutlierLabel, RadiusNeighborsClassifier, RadiusNeighborsRegressor, RadiusParams};
pub use search::{NearestNeighbors, NearestNeighborsModel};
pub(crate) use vote::evenly_spaced;
