# Written by `cargo xtask python` from the catalogue; do not edit.
"""KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier, RadiusNeighborsRegressor, NearestNeighbors, KernelDensity."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin
from mercer._neighbors import DensitiesMixin, NeighboursMixin, SampleMixin, VotesMixin

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "NearestNeighbors",
    "KernelDensity",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KNeighborsClassifier(VotesMixin, ClassifierMixin, ProbaMixin, NeighboursMixin, RowsMixin, Estimator):
    """Classification by the k nearest neighbours.

    Parameters
    ----------
    n_neighbors : integer in [1, inf), default=5
        How many neighbours answer.
    weights : uniform | distance, default="uniform"
        How much neighbours count.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree, which changes the speed alone.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="minkowski"
        What is near to what.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Cover, Hart. Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13(1), 1967.
    - Stone. Consistent nonparametric regression. Ann. Statist. 5(4), 1977.
    """

    _mercer_name = "KNeighborsClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "neighbours", "sparse", "multi_output", "scaled"})

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float = 2.0,
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "minkowski",
        metric_params: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> KNeighborsClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class KNeighborsRegressor(VotesMixin, RegressorMixin, NeighboursMixin, RowsMixin, Estimator):
    """Regression by the k nearest neighbours.

    Parameters
    ----------
    n_neighbors : integer in [1, inf), default=5
        How many neighbours answer.
    weights : uniform | distance, default="uniform"
        How much neighbours count.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree, which changes the speed alone.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="minkowski"
        What is near to what.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Stone. Consistent nonparametric regression. Ann. Statist. 5(4), 1977.
    """

    _mercer_name = "KNeighborsRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"neighbours", "sparse", "multi_output", "scaled"})

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float = 2.0,
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "minkowski",
        metric_params: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> KNeighborsRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class RadiusNeighborsClassifier(VotesMixin, ClassifierMixin, ProbaMixin, NeighboursMixin, RowsMixin, Estimator):
    """Classification by the neighbours within a radius.

    Parameters
    ----------
    radius : number in [0, inf), default=1.0
        How far neighbours answer.
    weights : uniform | distance, default="uniform"
        How much neighbours count.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree, which changes the speed alone.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="minkowski"
        What is near to what.
    outlier_label : text or none, default=None
        The class of rows without neighbours; none refuses them.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Fix, Hodges. Discriminatory analysis: nonparametric discrimination. 1951.
    """

    _mercer_name = "RadiusNeighborsClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "neighbours", "sparse", "multi_output", "scaled"})

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float = 2.0,
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "minkowski",
        outlier_label: str | None = None,
        metric_params: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> RadiusNeighborsClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class RadiusNeighborsRegressor(VotesMixin, RegressorMixin, NeighboursMixin, RowsMixin, Estimator):
    """Regression by the neighbours within a radius.

    Parameters
    ----------
    radius : number in [0, inf), default=1.0
        How far neighbours answer.
    weights : uniform | distance, default="uniform"
        How much neighbours count.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree, which changes the speed alone.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="minkowski"
        What is near to what.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Fix, Hodges. Discriminatory analysis: nonparametric discrimination. 1951.
    """

    _mercer_name = "RadiusNeighborsRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"neighbours", "sparse", "multi_output", "scaled"})

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float = 2.0,
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "minkowski",
        metric_params: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> RadiusNeighborsRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class NearestNeighbors(NeighboursMixin, RowsMixin, Estimator):
    """The nearest neighbours of rows, without a target.

    Parameters
    ----------
    n_neighbors : integer in [1, inf), default=5
        How many neighbours are found, unless a question says otherwise.
    radius : number in [0, inf), default=1.0
        How far neighbours are found, unless a question says otherwise.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree, which changes the speed alone.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="minkowski"
        What is near to what.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric: 1 is Manhattan, 2 Euclidean, inf Chebyshev.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bentley. Multidimensional binary search trees. CACM 18(9), 1975.
    """

    _mercer_name = "NearestNeighbors"
    _mercer_task = "Neighbours"
    _mercer_can = frozenset({"neighbours", "sparse", "scaled"})

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        radius: float = 1.0,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "minkowski",
        p: float = 2.0,
        metric_params: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> NearestNeighbors:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class KernelDensity(DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Kernel density estimation (Parzen windows).

    Parameters
    ----------
    bandwidth : scott | silverman | loo or number in (0, inf), default=1.0
        The bandwidth: a number, the rule of Scott or Silverman, or the best for rows that are left out.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How rows are searched; all ways are one here.
    kernel : gaussian | tophat | epanechnikov | exponential | linear | cosine, default="gaussian"
        The kernel.
    metric : minkowski | euclidean | l2 | manhattan | cityblock | l1 | chebyshev | infinity | seuclidean | mahalanobis | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | nan_euclidean | levenshtein | precomputed | dtw | kernel, default="euclidean"
        What is near to what; densities integrate to 1 for the Euclidean metric.
    atol : number in [0, inf), default=0.0
        How much a density may be wrong, absolutely.
    rtol : number in [0, 1], default=0.0
        How much a density may be wrong, relative to itself.
    breadth_first : true or false, default=True
        Accepted for scikit-learn's sake; the nearest boxes are always opened first.
    leaf_size : integer in [1, inf), default=40
        Rows in a leaf of the tree, which changes the speed alone.
    metric_params : text or none, default=None
        What the metric takes beyond its name: p, w, V or VI; the window or radius of dtw; the kernel of kernel.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Parzen. On estimation of a probability density function and mode. Ann. Math. Statist. 33(3), 1962.
    - Gray, Moore. Nonparametric density estimation: toward computational tractability. SDM 2003.
    """

    _mercer_name = "KernelDensity"
    _mercer_task = "Densities"
    _mercer_can = frozenset({"density", "sample", "weights", "scaled"})

    def __init__(
        self,
        bandwidth: Literal["scott", "silverman", "loo"] | float = 1.0,
        *,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        metric: Literal["minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean", "mahalanobis", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "nan_euclidean", "levenshtein", "precomputed", "dtw", "kernel"] = "euclidean",
        atol: float = 0.0,
        rtol: float = 0.0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: str | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelDensity:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
