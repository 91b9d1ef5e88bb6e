//! What learners from neighbours share: how neighbours are searched, and how much each says.

use super::metric::{MetricName, MetricParams};
use mercer_core::{Capabilities, Choice, Kinds, ParamGroup};
use serde::{Deserialize, Serialize};

/// How neighbours are searched; all ways find the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Algorithm {
    /// A tree where there are few features, else brute force.
    Auto,
    /// A k-d tree for norms; every row for other metrics.
    BallTree,
    /// A k-d tree.
    KdTree,
    /// Every row.
    Brute,
}

/// How much neighbours count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum NeighborWeights {
    /// All the same.
    Uniform,
    /// By the inverse of their distance; those at distance 0 alone, where there are any.
    Distance,
}

/// How much neighbours count.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct VoteParams {
    /// How much neighbours count.
    #[param(default = NeighborWeights::Uniform, search = "among uniform|distance")]
    pub weights: NeighborWeights,
}

/// What a metric takes.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct StretchParams {
    /// What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    #[param(default = None)]
    pub metric_params: Option<MetricParams>,
}

/// How neighbours are searched.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct NeighborParams {
    /// How neighbours are searched; all ways find the same ones.
    #[param(default = Algorithm::Auto)]
    pub algorithm: Algorithm,
    /// Rows in a leaf of the tree, which changes the speed alone.
    #[param(default = 30, range = "[1, inf)")]
    pub leaf_size: usize,
    /// The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    #[param(default = 2.0, range = "(0, inf]", search = "among 1|2")]
    pub p: f64,
    /// What is near to what.
    #[param(default = MetricName::Minkowski)]
    pub metric: MetricName,
    /// What the metric takes.
    #[param(flatten)]
    pub stretch: StretchParams,
}

impl NeighborParams {
    /// What is declared, as far as the metric goes: the scale of the features says nothing to some, and few take sparse
    /// rows or missing values.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let params = self.stretch.metric_params.as_ref();
        let moved = params.is_some() || !self.metric.is_scale_free();
        Capabilities {
            scaled: declared.scaled && moved,
            sparse: declared.sparse && self.metric.takes_sparse(params),
            missing: self.metric == MetricName::NanEuclidean,
            ..declared
        }
    }

    /// The kinds of data that the metric measures.
    pub(crate) fn kinds(&self) -> Kinds {
        let kind = self.metric.data_kind(self.stretch.metric_params.as_ref());
        Kinds { learns_from: kind, asked_about: kind }
    }
}
