# Written by `cargo xtask python` from the catalogue; do not edit.
"""KMeans."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClusterMixin, RowsMixin, TransformerMixin
from mercer._reduce import KMeansMixin

__all__ = [
    "KMeans",
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
