# Written by `cargo xtask python` from the catalogue; do not edit.
"""KMeans, MiniBatchKMeans, BisectingKMeans, KMedoids, KModes, KPrototypes, AgglomerativeClustering, FeatureAgglomeration, DBSCAN, HDBSCAN, OPTICS, MeanShift, AffinityPropagation, SpectralClustering."""

from __future__ import annotations

from mercer._affinities import (
    affinity_propagation,
    spectral_clustering,
)
from mercer._affinities import AffinityMixin, SpectralMixin
from mercer._base import Estimator
from mercer._clusters import (
    estimate_bandwidth,
    get_bin_seeds,
    k_means,
    kmeans_plusplus,
    mean_shift,
)
from mercer._clusters import BisectingMixin, MeanShiftMixin, MiniBatchMixin, PrototypesMixin
from mercer._count_clusters import (
    choose_k,
    gap_statistic,
    stability,
)
from mercer._density import (
    approximate_predict,
    cluster_optics_dbscan,
    cluster_optics_xi,
    compute_optics_graph,
    dbscan,
)
from mercer._density import ByDensityMixin, HDBSCANMixin, MedoidsMixin, OPTICSMixin
from mercer._hierarchy import (
    cophenetic_distances,
    cut_tree,
    linkage_matrix,
    linkage_tree,
    plot_dendrogram,
    ward_tree,
)
from mercer._hierarchy import AgglomerativeMixin, FeatureAgglomerationMixin
from mercer._mixins import ClusterMixin, InverseMixin, RowsMixin, TransformerMixin
from mercer._reduce import KMeansMixin

__all__ = [
    "KMeans",
    "MiniBatchKMeans",
    "BisectingKMeans",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "AgglomerativeClustering",
    "FeatureAgglomeration",
    "DBSCAN",
    "HDBSCAN",
    "OPTICS",
    "MeanShift",
    "AffinityPropagation",
    "SpectralClustering",
    "affinity_propagation",
    "spectral_clustering",
    "estimate_bandwidth",
    "get_bin_seeds",
    "k_means",
    "kmeans_plusplus",
    "mean_shift",
    "approximate_predict",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "cophenetic_distances",
    "cut_tree",
    "linkage_matrix",
    "linkage_tree",
    "plot_dendrogram",
    "ward_tree",
    "choose_k",
    "gap_statistic",
    "stability",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KMeans(KMeansMixin, ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """K-means clustering: centres that are the means of the rows nearest to them.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of clusters.
    init : k-means++ | random, default="k-means++"
        How the first centres are found.
    n_init : auto or number in [1, inf), default="auto"
        Number of runs from other first centres, of which the best is kept.
    max_iter : integer in [1, inf), default=300
        Iteration limit of a run.
    tol : number in [0, inf), default=0.0001
        Sum of squared moves of the centres, relative to the mean variance of the features, at which a run ends.
    centres : list of list of number or none, default=None
        The first centres, one list of coordinates for each, in place of `init`.
    algorithm : auto | lloyd | elkan | hamerly, default="auto"
        How the nearest centres are found.
    copy_x : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Lloyd. Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982.
    - Arthur, Vassilvitskii. k-means++: the advantages of careful seeding. SODA 2007.
    - Hamerly. Making k-means even faster. SDM 2010.
    """

    _mercer_name = "KMeans"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "sparse", "by_sums", "scaled", "random"})
    _mercer_door = {"copy_x": True}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] = "k-means++",
        n_init: Literal["auto"] | float = "auto",
        max_iter: int = 300,
        tol: float = 0.0001,
        centres: Sequence[Sequence[float]] | None = None,
        algorithm: Literal["auto", "lloyd", "elkan", "hamerly"] = "auto",
        copy_x: Any = True,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.centres = centres
        self.algorithm = algorithm
        self.copy_x = copy_x
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class MiniBatchKMeans(MiniBatchMixin, ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """Centres that move with small random batches of rows.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of clusters, whose centres the batches move.
    init : k-means++ | random, default="k-means++"
        How the first centres are found, among `init_size` rows.
    max_iter : integer in [1, inf), default=100
        Times that all rows are looked at, at most, on average.
    batch_size : integer in [1, inf), default=1024
        Rows of a batch.
    compute_labels : true or false, default=True
        Whether the rows learnt from are labelled, and the inertia of all of them computed.
    tol : number in [0, inf), default=0.0
        Sum of squared moves of the centres, relative to the mean variance of the features, at which batches end; 0 for never.
    max_no_improvement : integer or none in [0, inf), default=10
        Batches without a fall of the smoothed inertia after which they end; none for never.
    init_size : integer or none in [1, inf), default=None
        Rows among which first centres are found; three batches where it is not given.
    n_init : auto or number in [1, inf), default="auto"
        Number of starts from other rows, of which the best is kept: once for k-means++, three times for random rows.
    reassignment_ratio : number in [0, inf), default=0.01
        Centres with less than this share of the rows of the largest are moved.
    centres : list of list of number or none, default=None
        The first centres, one list of coordinates for each, in place of `init`; batches move them on.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sculley. Web-scale k-means clustering. WWW 2010.
    """

    _mercer_name = "MiniBatchKMeans"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "sparse", "scaled", "resumes", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        compute_labels: bool = True,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Literal["auto"] | float = "auto",
        reassignment_ratio: float = 0.01,
        centres: Sequence[Sequence[float]] | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.compute_labels = compute_labels
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio
        self.centres = centres
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MiniBatchKMeans:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class BisectingKMeans(BisectingMixin, ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """Clusters that are parted in two, one after the other.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of clusters, one less than which partings are made.
    init : k-means++ | random, default="random"
        How the first two centres of a parting are found.
    n_init : integer in [1, inf), default=1
        Runs of a parting from other first centres, of which the best is kept.
    max_iter : integer in [1, inf), default=300
        Iteration limit of a run of a parting.
    tol : number in [0, inf), default=0.0001
        Sum of squared moves of the two centres, relative to the mean variance of the cluster's features, at which a run ends.
    algorithm : auto | lloyd | elkan | hamerly, default="auto"
        How the nearer centres are found.
    bisecting_strategy : biggest_inertia | largest_cluster, default="biggest_inertia"
        Which cluster is parted next.
    copy_x : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Steinbach, Karypis, Kumar. A comparison of document clustering techniques. KDD workshop on text mining 2000.
    """

    _mercer_name = "BisectingKMeans"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "sparse", "scaled", "random"})
    _mercer_door = {"copy_x": True}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] = "random",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 0.0001,
        algorithm: Literal["auto", "lloyd", "elkan", "hamerly"] = "auto",
        bisecting_strategy: Literal["biggest_inertia", "largest_cluster"] = "biggest_inertia",
        copy_x: Any = True,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.algorithm = algorithm
        self.bisecting_strategy = bisecting_strategy
        self.copy_x = copy_x
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BisectingKMeans:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class KMedoids(MedoidsMixin, ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """Rows to which all others are near, under any distance.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of medoids, and so of clusters.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="euclidean"
        The distance of a row from its medoid.
    init : k-medoids++ | random | build, default="k-medoids++"
        How the first medoids are found.
    max_iter : integer in [1, inf), default=300
        Rounds over all rows, at most.
    p : number in (0, inf], default=2.0
        The exponent of the Minkowski metric.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Kaufman, Rousseeuw. Finding groups in data. Wiley 1990.
    - Schubert, Rousseeuw. Fast and eager k-medoids clustering. Inf. Syst. 101, 2021.
    """

    _mercer_name = "KMedoids"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "scaled", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "euclidean",
        init: Literal["k-medoids++", "random", "build"] = "k-medoids++",
        max_iter: int = 300,
        p: float = 2.0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.p = p
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMedoids:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class KModes(ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """Clusters of rows of categories about their modes.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of prototypes, and so of clusters.
    init : k-means++ | cao | huang | random, default="cao"
        How the first modes are found.
    n_init : integer in [1, inf), default=10
        Number of runs from other first prototypes, of which the best is kept; one where nothing is drawn.
    max_iter : integer in [1, inf), default=100
        Rounds over all rows of a run, at most.
    first : list of integer or none, default=None
        The rows that are the first prototypes, in place of `init`.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2, 1998.
    - Cao, Liang, Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009.
    """

    _mercer_name = "KModes"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "ordered", "random"})

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "cao", "huang", "random"] = "cao",
        n_init: int = 10,
        max_iter: int = 100,
        first: Sequence[int] | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.first = first
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KModes:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class KPrototypes(PrototypesMixin, ClusterMixin, TransformerMixin, RowsMixin, Estimator):
    """Clusters of rows of numbers and categories about means and modes.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of prototypes, and so of clusters.
    gamma : number or none in [0, inf), default=None
        What a differing category costs, in squared units of the numbers; none for half the mean standard deviation of the numbers.
    init : k-means++ | cao | huang | random, default="k-means++"
        How the first prototypes are found.
    n_init : integer in [1, inf), default=10
        Number of runs from other first prototypes, of which the best is kept; one where nothing is drawn.
    max_iter : integer in [1, inf), default=100
        Rounds over all rows of a run, at most.
    first : list of integer or none, default=None
        The rows that are the first prototypes, in place of `init`.
    categorical_features : default='from_dtype'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2, 1998.
    - Cao, Liang, Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009.
    """

    _mercer_name = "KPrototypes"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"transform", "weights", "categorical", "scaled", "ordered", "random"})
    _mercer_door = {"categorical_features": 'from_dtype'}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: float | None = None,
        init: Literal["k-means++", "cao", "huang", "random"] = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        first: Sequence[int] | None = None,
        categorical_features: Any = 'from_dtype',
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.first = first
        self.categorical_features = categorical_features
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KPrototypes:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class AgglomerativeClustering(AgglomerativeMixin, ClusterMixin, RowsMixin, Estimator):
    """Rows that are merged one pair of clusters after the other, the nearest first.

    Parameters
    ----------
    n_clusters : integer or none in [1, inf), default=2
        Number of clusters; none where `distance_threshold` decides.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="euclidean"
        The distance that mergers begin with; Ward's linkage takes the Euclidean one alone.
    connectivity : list of list of number or none, default=None
        Pairs of rows that are connected: clusters merge only along them. All may merge where they are not given.
    linkage : ward | complete | average | single, default="ward"
        How far apart two clusters are.
    distance_threshold : number or none in [0, inf), default=None
        Mergers of at least this height are not made, in place of `n_clusters`.
    memory : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    compute_full_tree : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    compute_distances : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ward. Hierarchical grouping to optimize an objective function. JASA 58, 1963.
    - Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983.
    - Müllner. Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011.
    """

    _mercer_name = "AgglomerativeClustering"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"scaled", "ordered"})
    _mercer_door = {"memory": None, "compute_full_tree": 'auto', "compute_distances": False}

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "euclidean",
        connectivity: Sequence[Sequence[float]] | None = None,
        linkage: Literal["ward", "complete", "average", "single"] = "ward",
        distance_threshold: float | None = None,
        memory: Any = None,
        compute_full_tree: Any = 'auto',
        compute_distances: Any = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.connectivity = connectivity
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.memory = memory
        self.compute_full_tree = compute_full_tree
        self.compute_distances = compute_distances

    def fit(self, X: Any, y: Any = None) -> AgglomerativeClustering:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class FeatureAgglomeration(FeatureAgglomerationMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Features that are alike become one.

    Parameters
    ----------
    n_clusters : integer or none in [1, inf), default=2
        Number of groups of features; none where `distance_threshold` decides.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="euclidean"
        The distance of two features over the rows; Ward's linkage takes the Euclidean one alone.
    connectivity : list of list of number or none, default=None
        Pairs of features that are connected, as those of pixels side by side: groups merge only along them. All may merge where they
        are not given.
    linkage : ward | complete | average | single, default="ward"
        How far apart two groups are.
    pooling_func : mean | median | min | max, default="mean"
        What a row's values in a group become.
    distance_threshold : number or none in [0, inf), default=None
        Groups that are at least so far apart are not merged, in place of `n_clusters`.
    memory : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    compute_full_tree : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    compute_distances : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983.
    """

    _mercer_name = "FeatureAgglomeration"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "scaled", "counts_rows"})
    _mercer_door = {"memory": None, "compute_full_tree": 'auto', "compute_distances": False}

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "euclidean",
        connectivity: Sequence[Sequence[float]] | None = None,
        linkage: Literal["ward", "complete", "average", "single"] = "ward",
        pooling_func: Literal["mean", "median", "min", "max"] = "mean",
        distance_threshold: float | None = None,
        memory: Any = None,
        compute_full_tree: Any = 'auto',
        compute_distances: Any = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.connectivity = connectivity
        self.linkage = linkage
        self.pooling_func = pooling_func
        self.distance_threshold = distance_threshold
        self.memory = memory
        self.compute_full_tree = compute_full_tree
        self.compute_distances = compute_distances

    def fit(self, X: Any, y: Any = None) -> FeatureAgglomeration:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class DBSCAN(ByDensityMixin, ClusterMixin, RowsMixin, Estimator):
    """Clusters of rows that are dense and connected, and noise.

    Parameters
    ----------
    eps : number in (0, inf), default=0.5
        The distance up to which rows are neighbours.
    min_samples : integer in [1, inf), default=5
        The weight of the neighbours, the row included, that makes a row a core.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="euclidean"
        What is near to what.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree that is searched, which changes the speed alone.
    p : number or none in (0, inf], default=None
        The exponent of the Minkowski metric; 2 where it is not given.
    metric_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ester, Kriegel, Sander, Xu. A density-based algorithm for discovering clusters. KDD 1996.
    """

    _mercer_name = "DBSCAN"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"weights", "sparse", "scaled", "ordered"})
    _mercer_door = {"metric_params": None}

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "euclidean",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        metric_params: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DBSCAN:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class HDBSCAN(HDBSCANMixin, ByDensityMixin, ClusterMixin, RowsMixin, Estimator):
    """The clusters of all densities at once that are the most stable.

    Parameters
    ----------
    min_cluster_size : integer in [2, inf), default=5
        Rows of the smallest cluster.
    min_samples : integer or none in [1, inf), default=None
        The neighbour, the row itself included, whose distance is the core distance; `min_cluster_size` where it is not given.
    cluster_selection_epsilon : number in [0, inf), default=0.0
        Clusters that part at a distance below this stay together.
    max_cluster_size : integer or none in [1, inf), default=None
        Rows of the largest cluster that is chosen by stability.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="euclidean"
        What is near to what.
    alpha : number in (0, inf), default=1.0
        Distances are divided by this one.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=40
        Rows in a leaf of the tree that is searched, which changes the speed alone.
    cluster_selection_method : eom | leaf, default="eom"
        Which clusters of the tree are chosen.
    allow_single_cluster : true or false, default=False
        Whether all rows may be one cluster.
    store_centers : centroid | medoid | both or none, default=None
        Which centres are stored.
    metric_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy : default='warn'
        Accepted for scikit-learn's sake; what is given is never written to.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Campello, Moulavi, Sander. Density-based clustering based on hierarchical density estimates. PAKDD 2013.
    - McInnes, Healy. Accelerated hierarchical density based clustering. ICDMW 2017.
    """

    _mercer_name = "HDBSCAN"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"sparse", "scaled", "ordered"})
    _mercer_door = {"metric_params": None, "copy": 'warn'}

    def __init__(
        self,
        min_cluster_size: int = 5,
        *,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "euclidean",
        alpha: float = 1.0,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 40,
        cluster_selection_method: Literal["eom", "leaf"] = "eom",
        allow_single_cluster: bool = False,
        store_centers: Literal["centroid", "medoid", "both"] | None = None,
        metric_params: Any = None,
        copy: Any = 'warn',
        n_jobs: int | None = None,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.metric_params = metric_params
        self.copy = copy
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> HDBSCAN:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class OPTICS(OPTICSMixin, ByDensityMixin, ClusterMixin, RowsMixin, Estimator):
    """An order of the rows in which dense clusters are valleys of the reachability.

    Parameters
    ----------
    min_samples : number in (0, inf), default=5
        The neighbour, the row itself included, whose distance is the core distance: a number above 1, or a share of the rows.
    max_eps : number in [0, inf], default=float("inf")
        How far rows reach.
    metric : euclidean | l2 | minkowski | manhattan | cityblock | l1 | chebyshev | infinity | sqeuclidean | cosine | correlation | haversine | hamming | canberra | braycurtis | jaccard | dice | rogerstanimoto | russellrao | sokalsneath | yule | precomputed, default="minkowski"
        What is near to what.
    p : number in [1, inf], default=2.0
        The exponent of the Minkowski metric.
    cluster_method : xi | dbscan, default="xi"
        How clusters are taken from the order.
    eps : number or none in [0, inf), default=None
        The distance at which clusters are cut by `dbscan`; `max_eps` where it is not given.
    xi : number in [0, 1], default=0.05
        How steep the sides of a valley are: the share by which the reachability changes from one row to the next.
    predecessor_correction : true or false, default=True
        Whether a valley ends with rows that were reached from within it.
    min_cluster_size : number or none in (0, inf), default=None
        Rows of the smallest cluster by `xi`, a number above 1 or a share; `min_samples` where it is not given.
    algorithm : auto | ball_tree | kd_tree | brute, default="auto"
        How neighbours are searched; all ways find the same ones.
    leaf_size : integer in [1, inf), default=30
        Rows in a leaf of the tree that is searched, which changes the speed alone.
    metric_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    memory : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ankerst, Breunig, Kriegel, Sander. OPTICS: ordering points to identify the clustering structure. SIGMOD 1999.
    """

    _mercer_name = "OPTICS"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"sparse", "scaled", "ordered"})
    _mercer_door = {"metric_params": None, "memory": None}

    def __init__(
        self,
        min_samples: float = 5,
        *,
        max_eps: float = float("inf"),
        metric: Literal["euclidean", "l2", "minkowski", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "sqeuclidean", "cosine", "correlation", "haversine", "hamming", "canberra", "braycurtis", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "precomputed"] = "minkowski",
        p: float = 2.0,
        cluster_method: Literal["xi", "dbscan"] = "xi",
        eps: float | None = None,
        xi: float = 0.05,
        predecessor_correction: bool = True,
        min_cluster_size: float | None = None,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: int = 30,
        metric_params: Any = None,
        memory: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_samples = min_samples
        self.max_eps = max_eps
        self.metric = metric
        self.p = p
        self.cluster_method = cluster_method
        self.eps = eps
        self.xi = xi
        self.predecessor_correction = predecessor_correction
        self.min_cluster_size = min_cluster_size
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.memory = memory
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> OPTICS:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class MeanShift(MeanShiftMixin, ClusterMixin, RowsMixin, Estimator):
    """Clusters about the modes of a density, which are climbed by steps to local means.

    Parameters
    ----------
    bandwidth : number or none in (0, inf), default=None
        How far rows count for a local mean; none for an estimate from the rows.
    seeds : list of list of number or none, default=None
        Where steps begin, one list of coordinates for each, in place of the rows.
    bin_seeding : true or false, default=False
        Whether steps begin at the filled cells of a grid, which are fewer than the rows.
    min_bin_freq : integer in [1, inf), default=1
        Rows that make a cell a beginning.
    cluster_all : true or false, default=True
        Whether rows farther from all modes than the bandwidth belong to the nearest one, too; else they are noise.
    max_iter : integer in [0, inf), default=300
        Steps of a seed, at most.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Fukunaga, Hostetler. The estimation of the gradient of a density function. IEEE Trans. Inf. Theory 21(1), 1975.
    - Comaniciu, Meer. Mean shift: a robust approach toward feature space analysis. IEEE TPAMI 24(5), 2002.
    """

    _mercer_name = "MeanShift"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"scaled"})

    def __init__(
        self,
        bandwidth: float | None = None,
        *,
        seeds: Sequence[Sequence[float]] | None = None,
        bin_seeding: bool = False,
        min_bin_freq: int = 1,
        cluster_all: bool = True,
        max_iter: int = 300,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.seeds = seeds
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.cluster_all = cluster_all
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> MeanShift:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class AffinityPropagation(AffinityMixin, ClusterMixin, RowsMixin, Estimator):
    """Rows that stand for others, found by messages between all pairs.

    Parameters
    ----------
    damping : number in [0.5, 1), default=0.5
        The share of a message that stays.
    max_iter : integer in [1, inf), default=200
        Iterations, at most.
    convergence_iter : integer in [1, inf), default=15
        Iterations without another row standing for others, after which all is said.
    preference : number or none, default=None
        How much each row wants to stand for others: the larger, the more clusters. The median of the similarities where it is not given.
    preferences : list of number or none, default=None
        How much each row wants to stand for others, one number for each, in place of `preference`.
    affinity : euclidean | precomputed, default="euclidean"
        What is alike.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Frey, Dueck. Clustering by passing messages between data points. Science 315, 2007.
    """

    _mercer_name = "AffinityPropagation"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"sparse", "scaled", "ordered", "random"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        damping: float = 0.5,
        *,
        max_iter: int = 200,
        convergence_iter: int = 15,
        preference: float | None = None,
        preferences: Sequence[float] | None = None,
        affinity: Literal["euclidean", "precomputed"] = "euclidean",
        copy: Any = True,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.damping = damping
        self.max_iter = max_iter
        self.convergence_iter = convergence_iter
        self.preference = preference
        self.preferences = preferences
        self.affinity = affinity
        self.copy = copy
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> AffinityPropagation:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class SpectralClustering(SpectralMixin, ClusterMixin, RowsMixin, Estimator):
    """Clusters of a graph of affinities, by the leading vectors of its normalised matrix.

    Parameters
    ----------
    n_clusters : integer in [1, inf), default=8
        Number of clusters, and of eigenvectors where `n_components` says nothing.
    n_components : integer or none in [1, inf), default=None
        Number of eigenvectors; `n_clusters` where it is not given.
    n_init : integer in [1, inf), default=10
        Runs of k-means, of which the best is kept.
    gamma : number in [0, inf), default=1.0
        How fast affinity falls with the squared distance.
    affinity : rbf | nearest_neighbors | precomputed, default="rbf"
        What is near.
    n_neighbors : integer in [1, inf), default=10
        Neighbours of each row, itself included, for `nearest_neighbors`.
    assign_labels : kmeans | discretize | cluster_qr, default="kmeans"
        How rows are parted by their coordinates.
    eigen_solver : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    eigen_tol : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    degree : default=3
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    coef0 : default=1
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    kernel_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Shi, Malik. Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000.
    - Yu, Shi. Multiclass spectral clustering. ICCV 2003.
    - Damle, Minden, Ying. Simple, direct and efficient multi-way spectral clustering. Inf. Inference 8(1), 2019.
    """

    _mercer_name = "SpectralClustering"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"scaled", "ordered", "random"})
    _mercer_door = {"eigen_solver": None, "eigen_tol": 'auto', "degree": 3, "coef0": 1, "kernel_params": None}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_components: int | None = None,
        n_init: int = 10,
        gamma: float = 1.0,
        affinity: Literal["rbf", "nearest_neighbors", "precomputed"] = "rbf",
        n_neighbors: int = 10,
        assign_labels: Literal["kmeans", "discretize", "cluster_qr"] = "kmeans",
        eigen_solver: Any = None,
        eigen_tol: Any = 'auto',
        degree: Any = 3,
        coef0: Any = 1,
        kernel_params: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.assign_labels = assign_labels
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)
