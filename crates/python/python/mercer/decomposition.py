# Written by `cargo xtask python` from the catalogue; do not edit.
"""KernelPCA, PCA."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._kernel_learners import ComponentsMixin
from mercer._mixins import InverseMixin, RowsMixin, TransformerMixin
from mercer._reduce import PCAMixin

__all__ = [
    "KernelPCA",
    "PCA",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KernelPCA(ComponentsMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Kernel principal component analysis: the directions of largest variance in the feature space of a kernel.

    Parameters
    ----------
    n_components : integer or none in [1, inf), default=None
        How many components to keep; none means all whose variance is not zero.
    kernel : kernel, default="linear"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)`.
    gamma : number or none in [0, inf), default=None
        The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    coef0 : number in (-inf, inf), default=1.0
        The constant inside of the kernels polynomial and sigmoid.
    alpha : number in [0, inf), default=1.0
        The penalty of the regression that learns pre-images.
    fit_inverse_transform : true or false, default=False
        Whether to learn the way back from coordinates to points.
    eigen_solver : auto | dense | arpack | randomized, default="auto"
        How the eigenvectors are found.
    remove_zero_eig : true or false, default=False
        Whether components of variance zero are left out, also where a number of components is given.
    kernel_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    tol : default=0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    max_iter : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    iterated_power : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Schölkopf, Smola, Müller. Nonlinear component analysis as a kernel eigenvalue problem. Neural Computation 10(5), 1998.
    """

    _mercer_name = "KernelPCA"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "sparse", "scaled", "counts_rows"})
    _mercer_door = {"kernel_params": None, "tol": 0, "max_iter": None, "iterated_power": 'auto', "copy_X": True}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3.0,
        coef0: float = 1.0,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        remove_zero_eig: bool = False,
        kernel_params: Any = None,
        tol: Any = 0,
        max_iter: Any = None,
        iterated_power: Any = 'auto',
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.remove_zero_eig = remove_zero_eig
        self.kernel_params = kernel_params
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class PCA(PCAMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Principal component analysis: the directions of largest variance.

    Parameters
    ----------
    n_components : all | mle or number, default="all"
        How many components to keep: all, a number, or the share of variance to explain.
    whiten : true or false, default=False
        Whether to scale the coordinates to variance 1.
    svd_solver : auto | full | covariance_eigh | arpack | randomized, default="auto"
        How the components are found.
    iterated_power : auto or number in [0, 100], default="auto"
        Power iterations of the randomised solver.
    n_oversamples : integer in [1, 1000], default=10
        Extra directions of the randomised solver.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    tol : default=0.0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    power_iteration_normalizer : default='auto'
        Accepted for scikit-learn's sake; QR is always used.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Jolliffe. Principal Component Analysis. Springer, 2002.
    - Halko, Martinsson, Tropp. Finding structure with randomness. SIAM Review 53(2), 2011.
    """

    _mercer_name = "PCA"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"copy": True, "tol": 0.0, "power_iteration_normalizer": 'auto'}

    def __init__(
        self,
        n_components: Literal["all", "mle"] | float = "all",
        *,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = "auto",
        iterated_power: Literal["auto"] | float = "auto",
        n_oversamples: int = 10,
        copy: Any = True,
        tol: Any = 0.0,
        power_iteration_normalizer: Any = 'auto',
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.copy = copy
        self.tol = tol
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PCA:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
