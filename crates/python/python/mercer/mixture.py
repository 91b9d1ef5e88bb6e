# Written by `cargo xtask python` from the catalogue; do not edit.
"""GaussianMixture, BernoulliMixture, StudentMixture."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClusterMixin, ProbaMixin, RowsMixin
from mercer._mixture import GaussianMixtureMixin, MixtureMixin
from mercer._neighbors import DensitiesMixin, SampleMixin

__all__ = [
    "GaussianMixture",
    "BernoulliMixture",
    "StudentMixture",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class GaussianMixture(GaussianMixtureMixin, ClusterMixin, ProbaMixin, DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Gaussian mixtures by expectation maximisation.

    Parameters
    ----------
    n_components : integer in [1, inf), default=1
        Number of components.
    covariance_type : full | tied | diag | spherical, default="full"
        What the covariances of the components share.
    tol : number in [0, inf), default=0.001
        Change of the objective per row at which a run ends.
    reg_covar : number in [0, inf), default=1e-6
        What is added to every variance, so that no component collapses.
    max_iter : integer in [0, inf), default=100
        Iteration limit of a run.
    n_init : integer in [1, inf), default=1
        Number of runs from other first components, of which the best is kept.
    init_params : kmeans | k-means++ | random | random_from_data, default="kmeans"
        How the first components are found.
    weights_init : list of number or none in [0, 1], default=None
        The first weights of the components, summing to 1.
    means_init : list of list of number or none, default=None
        The first means, one list of coordinates for each component.
    precisions_init : list of number or none, default=None
        The first inverse covariances, all numbers by rows: a matrix for each component (full), one matrix (tied), a number
        for each component and feature (diag), or for each component (spherical).
    labels : list of integer or none, default=None
        The component of each training row, −1 where it is not known: rows with a known component keep it.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    verbose_interval : default=10
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
    - Dempster, Laird, Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977.
    - McLachlan, Peel. Finite Mixture Models. Wiley, 2000.
    """

    _mercer_name = "GaussianMixture"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"proba", "density", "sample", "weights", "by_sums", "scaled", "random"})
    _mercer_door = {"warm_start": False, "verbose_interval": 10}

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: Literal["full", "tied", "diag", "spherical"] = "full",
        tol: float = 0.001,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        weights_init: Sequence[float] | None = None,
        means_init: Sequence[Sequence[float]] | None = None,
        precisions_init: Sequence[float] | None = None,
        labels: Sequence[int] | None = None,
        warm_start: Any = False,
        verbose_interval: Any = 10,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.labels = labels
        self.warm_start = warm_start
        self.verbose_interval = verbose_interval
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GaussianMixture:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class BernoulliMixture(MixtureMixin, ClusterMixin, ProbaMixin, DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Mixtures of Bernoulli components by expectation maximisation.

    Parameters
    ----------
    n_components : integer in [1, inf), default=1
        Number of components.
    alpha : number in [0, inf), default=1.0
        Pseudo-counts of yes and of no for each component and feature.
    binarize : number or none, default=0.0
        Values above this are yes; without it values must be in [0, 1].
    tol : number in [0, inf), default=0.001
        Change of the objective per row at which a run ends.
    max_iter : integer in [0, inf), default=100
        Iteration limit of a run.
    n_init : integer in [1, inf), default=1
        Number of runs from other first components, of which the best is kept.
    init_params : kmeans | k-means++ | random | random_from_data, default="kmeans"
        How the first components are found.
    labels : list of integer or none, default=None
        The component of each training row, −1 where it is not known: rows with a known component keep it.
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
    - Dempster, Laird, Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977.
    - Bishop. Pattern Recognition and Machine Learning. Springer, 2006.
    """

    _mercer_name = "BernoulliMixture"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"proba", "density", "sample", "weights", "by_sums", "scaled", "random"})

    def __init__(
        self,
        n_components: int = 1,
        *,
        alpha: float = 1.0,
        binarize: float | None = 0.0,
        tol: float = 0.001,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        labels: Sequence[int] | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.labels = labels
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BernoulliMixture:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class StudentMixture(MixtureMixin, ClusterMixin, ProbaMixin, DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Mixtures of multivariate t distributions.

    Parameters
    ----------
    n_components : integer in [1, inf), default=1
        Number of components.
    covariance_type : full | tied | diag | spherical, default="full"
        What the scale matrices of the components share.
    tol : number in [0, inf), default=0.001
        Change of the objective per row at which a run ends.
    reg_covar : number in [0, inf), default=1e-6
        What is added to the diagonal of every scale matrix, so that no component collapses.
    max_iter : integer in [0, inf), default=100
        Iteration limit of a run.
    n_init : integer in [1, inf), default=1
        Number of runs from other first components, of which the best is kept.
    init_params : kmeans | k-means++ | random | random_from_data, default="kmeans"
        How the first components are found.
    degrees : number or none in (0, inf), default=None
        The degrees of freedom of all components; without it each learns its own.
    labels : list of integer or none, default=None
        The component of each training row, −1 where it is not known: rows with a known component keep it.
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
    - Peel, McLachlan. Robust mixture modelling using the t distribution. Stat. Comput. 10, 2000.
    - Liu, Rubin. ML estimation of the t distribution using EM and its extensions, ECM and ECME. Statistica Sinica 5, 1995.
    """

    _mercer_name = "StudentMixture"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"proba", "density", "sample", "weights", "by_sums", "scaled", "random"})

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: Literal["full", "tied", "diag", "spherical"] = "full",
        tol: float = 0.001,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        degrees: float | None = None,
        labels: Sequence[int] | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.degrees = degrees
        self.labels = labels
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> StudentMixture:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
