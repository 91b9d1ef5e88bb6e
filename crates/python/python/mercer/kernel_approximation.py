# Written by `cargo xtask python` from the catalogue; do not edit.
"""MercerMap, Nystroem, RBFSampler."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._kernel_learners import KernelMixin, NystroemMixin
from mercer._mixins import RowsMixin, TransformerMixin

__all__ = [
    "MercerMap",
    "Nystroem",
    "RBFSampler",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class MercerMap(KernelMixin, TransformerMixin, RowsMixin, Estimator):
    """Mercer's map: coordinates whose products are the kernel.

    Parameters
    ----------
    n_components : integer or none in [1, inf), default=None
        How many coordinates to keep; none means all whose eigenvalue is not zero.
    kernel : kernel, default="linear"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)`.
    gamma : number or none in [0, inf), default=None
        The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    coef0 : number in (-inf, inf), default=1.0
        The constant inside of the kernels polynomial and sigmoid.
    kernel_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Mercer. Functions of positive and negative type. Phil. Trans. Roy. Soc. A 209, 1909.
    """

    _mercer_name = "MercerMap"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "sparse", "scaled", "counts_rows"})
    _mercer_door = {"kernel_params": None}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3.0,
        coef0: float = 1.0,
        kernel_params: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    def fit(self, X: Any, y: Any = None) -> MercerMap:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class Nystroem(NystroemMixin, TransformerMixin, RowsMixin, Estimator):
    """Nyström's approximation: features from the kernel with some of the points.

    Parameters
    ----------
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel.
    gamma : number or none in [0, inf), default=None
        The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    coef0 : number or none in (-inf, inf), default=None
        The constant inside of the kernels polynomial and sigmoid; none means 1.
    degree : number or none in [0, inf), default=None
        The degree of a polynomial kernel; none means 3.
    n_components : integer in [1, inf), default=100
        How many points are drawn.
    kernel_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Williams, Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000.
    """

    _mercer_name = "Nystroem"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "sparse", "scaled", "counts_rows", "ordered", "random"})
    _mercer_door = {"kernel_params": None}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        n_components: int = 100,
        kernel_params: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_components = n_components
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Nystroem:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class RBFSampler(TransformerMixin, RowsMixin, Estimator):
    """Random Fourier features of the RBF kernel.

    Parameters
    ----------
    gamma : scale or number in [0, inf), default=1.0
        The coefficient γ of the kernel exp(−γ‖x − y‖²); `scale` is 1 / (features · variance).
    n_components : integer in [1, inf), default=100
        How many features are drawn.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rahimi, Recht. Random features for large-scale kernel machines. NIPS 2007.
    """

    _mercer_name = "RBFSampler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "sparse", "scaled", "random"})

    def __init__(
        self,
        gamma: Literal["scale"] | float = 1.0,
        *,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> RBFSampler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)
