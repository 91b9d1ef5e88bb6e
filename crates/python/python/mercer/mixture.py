# Written by `cargo xtask python` from the catalogue; do not edit.
"""GaussianMixture, BernoulliMixture, StudentMixture, BayesianGaussianMixture, DirichletProcessMixture."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._dirichlet import (
    crp,
    crp_log_probability,
    dirichlet_marginals,
    expected_tables,
    polya_urn,
    stick_breaking,
    table_probabilities,
)
from mercer._mixins import ClusterMixin, ProbaMixin, RowsMixin
from mercer._mixture import BayesianMixtureMixin, DirichletMixtureMixin, GaussianMixtureMixin, MixtureMixin
from mercer._neighbors import DensitiesMixin, SampleMixin

__all__ = [
    "GaussianMixture",
    "BernoulliMixture",
    "StudentMixture",
    "BayesianGaussianMixture",
    "DirichletProcessMixture",
    "crp",
    "crp_log_probability",
    "dirichlet_marginals",
    "expected_tables",
    "polya_urn",
    "stick_breaking",
    "table_probabilities",
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
        Change of the objective at which a run ends.
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
        Change of the objective at which a run ends.
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
        What the covariances of the components share.
    tol : number in [0, inf), default=0.001
        Change of the objective at which a run ends.
    reg_covar : number in [0, inf), default=1e-6
        What is added to every variance, so that no component collapses.
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


class BayesianGaussianMixture(BayesianMixtureMixin, ClusterMixin, ProbaMixin, DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Gaussian mixtures by variational inference.

    Parameters
    ----------
    n_components : integer in [1, inf), default=1
        Number of components.
    covariance_type : full | tied | diag | spherical, default="full"
        What the covariances of the components share.
    tol : number in [0, inf), default=0.001
        Change of the objective at which a run ends.
    reg_covar : number in [0, inf), default=1e-6
        What is added to every variance, so that no component collapses.
    max_iter : integer in [0, inf), default=100
        Iteration limit of a run.
    n_init : integer in [1, inf), default=1
        Number of runs from other first components, of which the best is kept.
    init_params : kmeans | k-means++ | random | random_from_data, default="kmeans"
        How the first components are found.
    weight_concentration_prior_type : dirichlet_process | dirichlet_distribution, default="dirichlet_process"
        The prior of the weights.
    weight_concentration_prior : number or none in (0, inf), default=None
        How evenly the prior spreads weights; without it one over the number of components.
    mean_precision_prior : number or none in (0, inf), default=None
        How many rows the prior of the means is worth; without it 1.
    mean_prior : list of number or none, default=None
        The prior of the means; without it the mean of the rows.
    degrees_of_freedom_prior : number or none in (0, inf), default=None
        The prior degrees of freedom of the covariances, more than features − 1; without it the number of features.
    covariance_prior : list of number or none, default=None
        The prior of the covariances, all numbers by rows: a matrix (full, tied), a number for each feature (diag), one number
        (spherical); without it that of the rows.
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
    - Blei, Jordan. Variational inference for Dirichlet process mixtures. Bayesian Analysis 1(1), 2006.
    - Bishop. Pattern Recognition and Machine Learning. Springer, 2006.
    """

    _mercer_name = "BayesianGaussianMixture"
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
        weight_concentration_prior_type: Literal["dirichlet_process", "dirichlet_distribution"] = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: Sequence[float] | None = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: Sequence[float] | None = None,
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
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.labels = labels
        self.warm_start = warm_start
        self.verbose_interval = verbose_interval
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BayesianGaussianMixture:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class DirichletProcessMixture(DirichletMixtureMixin, ClusterMixin, ProbaMixin, DensitiesMixin, SampleMixin, RowsMixin, Estimator):
    """Dirichlet process mixtures of Gaussians by collapsed Gibbs sampling.

    Parameters
    ----------
    alpha : number or none in (0, inf), default=None
        The concentration; without it, it is learnt.
    alpha_shape : number in (0, inf), default=1.0
        The shape of the concentration's Gamma prior.
    alpha_rate : number in (0, inf), default=1.0
        The rate of the concentration's Gamma prior.
    mean_precision : number in (0, inf), default=0.01
        How many rows the prior mean of a cluster is worth.
    mean : list of number or none, default=None
        The prior mean of a cluster; without it the mean of the rows.
    degrees : number or none in (0, inf), default=None
        The prior degrees of freedom of a cluster's covariance, more than features + 1; without it features + 2.
    covariance : list of number or none, default=None
        The prior mean of a cluster's covariance, by rows; without it `spread` times the variances of the rows.
    spread : number in (0, inf), default=0.1
        The variance of a cluster relative to that of all rows, before they are seen.
    n_sweeps : integer in [1, inf), default=500
        Sweeps of each chain that are kept.
    burn_in : integer in [0, inf), default=200
        Sweeps of each chain before those.
    n_chains : integer in [1, 1000], default=2
        Chains.
    n_states : integer in [1, inf), default=25
        States of each chain that densities are averaged over.
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
    - Neal. Markov chain sampling methods for Dirichlet process mixture models. J. Comput. Graph. Stat. 9(2), 2000.
    - Escobar, West. Bayesian density estimation and inference using mixtures. JASA 90(430), 1995.
    - Dahl. Model-based clustering for expression data via a Dirichlet process mixture model. 2006.
    """

    _mercer_name = "DirichletProcessMixture"
    _mercer_task = "Clustering"
    _mercer_can = frozenset({"proba", "density", "sample", "ordered", "random"})

    def __init__(
        self,
        alpha: float | None = None,
        *,
        alpha_shape: float = 1.0,
        alpha_rate: float = 1.0,
        mean_precision: float = 0.01,
        mean: Sequence[float] | None = None,
        degrees: float | None = None,
        covariance: Sequence[float] | None = None,
        spread: float = 0.1,
        n_sweeps: int = 500,
        burn_in: int = 200,
        n_chains: int = 2,
        n_states: int = 25,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.alpha_shape = alpha_shape
        self.alpha_rate = alpha_rate
        self.mean_precision = mean_precision
        self.mean = mean
        self.degrees = degrees
        self.covariance = covariance
        self.spread = spread
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.n_chains = n_chains
        self.n_states = n_states
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> DirichletProcessMixture:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)
