//! Classification and regression by the k nearest neighbours.
//!
//! # Objective
//! With $N_k(x)$ the $k$ rows nearest to $x$ and weights $w_i = 1$ or $1/d(x, x_i)$,
//! $$ \hat p_c(x) = \frac{\sum_{i \in N_k(x)} w_i [y_i = c]}{\sum_{i \in N_k(x)} w_i}, \qquad
//!    \hat f(x) = \frac{\sum_{i \in N_k(x)} w_i y_i}{\sum_{i \in N_k(x)} w_i}. $$
//!
//! # Algorithm
//! Exact search, by a k-d tree for norms of at most 15 features, else by brute force: products of matrices choose candidates,
//! whose distances are then taken directly. All ways find the same rows; of rows equally far, the first ones. A class of
//! equal share with another is the one that comes first.
//!
//! # Complexity
//! Time O(d n log n) to build a tree and about O(d log n) a query in few features; O(d n) a query by brute force. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::KNeighborsClassifier;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["low", "low", "high", "high"]))?;
//! let model = KNeighborsClassifier::default().n_neighbors(3).fit(&data)?;
//! let new = Mat::from_rows(&[[1.1]]).unwrap();
//! assert_eq!(model.predict(&new)?.columns()[0].text(0), "low");
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Distances are added up feature by feature in one order, whatever the way of searching, so that results do not depend on it.
//! Where there are fewer rows than neighbours are asked for, all rows answer. The certificate leaves out every row, or up to
//! 1000 evenly spaced ones.
//!
//! # References
//! - T. M. Cover, P. E. Hart. Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13(1), 1967. doi:10.1109/TIT.1967.1053964
//! - C. J. Stone. Consistent nonparametric regression. Ann. Statist. 5(4), 1977. doi:10.1214/aos/1176343886
//! - J. L. Bentley. Multidimensional binary search trees. CACM 18(9), 1975. doi:10.1145/361002.361007

use super::index::{Index, Reach};
use super::metric::{MetricName, MetricParams};
use super::model::NeighborsModel;
use super::params::{Algorithm, NeighborParams, NeighborWeights, StretchParams, VoteParams};
use mercer_core::{Capabilities, Dataset, Kinds, Learn, ParamGroup, Params, Result, Session};

/// How many neighbours answer, and how they are found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct KNearestParams {
    /// How many neighbours answer.
    #[param(default = 5, range = "[1, inf)", search = "int 1..50")]
    pub n_neighbors: usize,
    /// How much neighbours count.
    #[param(flatten)]
    pub votes: VoteParams,
    /// How neighbours are searched.
    #[param(flatten)]
    pub neighbors: NeighborParams,
}

/// Classification by the k nearest neighbours.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "knn",
    canon = "E4",
    task = Classification,
    python = "neighbors",
    twin = "KNeighborsRegressor",
    quick = "n_neighbors=15",
    best = "n_neighbors=5,weights=distance | n_neighbors=15,weights=distance | n_neighbors=50,weights=distance",
    tried = "| n_neighbors=3,algorithm=brute | metric=cosine | metric=levenshtein,n_neighbors=1 | metric=dtw,n_neighbors=1",
    session = "n_jobs",
    mixins = "VotesMixin",
    can = "proba neighbours multi_output sparse scaled",
    references = "Cover, Hart. Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13(1), 1967.|Stone. Consistent nonparametric regression. Ann. Statist. 5(4), 1977."
)]
pub struct KNeighborsClassifier {
    /// How many neighbours answer, and how they are found.
    #[param(flatten)]
    pub params: KNearestParams,
}

/// Regression by the k nearest neighbours.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "knn-regressor",
    canon = "E4",
    task = Regression,
    python = "neighbors",
    twin = "KNeighborsClassifier",
    tried = "| n_neighbors=3,p=1 | metric=canberra | metric=nan_euclidean",
    session = "n_jobs",
    mixins = "VotesMixin",
    can = "neighbours multi_output sparse scaled",
    references = "Stone. Consistent nonparametric regression. Ann. Statist. 5(4), 1977."
)]
pub struct KNeighborsRegressor {
    /// How many neighbours answer, and how they are found.
    #[param(flatten)]
    pub params: KNearestParams,
}

impl KNearestParams {
    fn learn(&self, who: &str, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        let index = Index::new(who, &self.neighbors, data)?;
        NeighborsModel::learn(who, index, data, Reach::Count(self.n_neighbors), self.votes.weights, session)
    }
}

impl Learn for KNeighborsClassifier {
    type Model = NeighborsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        self.params.learn(Self::NAME, data, session)
    }
    fn kinds(&self) -> Kinds {
        self.params.neighbors.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.params.neighbors.capabilities(Self::declaration().capabilities)
    }
}

impl Learn for KNeighborsRegressor {
    type Model = NeighborsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        self.params.learn(Self::NAME, data, session)
    }
    fn kinds(&self) -> Kinds {
        self.params.neighbors.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.params.neighbors.capabilities(Self::declaration().capabilities)
    }
}
