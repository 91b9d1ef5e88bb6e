# Written by `cargo xtask python` from the catalogue; do not edit.
"""KernelRidge."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._kernel_learners import KernelMixin
from mercer._mixins import RegressorMixin, RowsMixin

__all__ = [
    "KernelRidge",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KernelRidge(KernelMixin, RegressorMixin, RowsMixin, Estimator):
    """Kernel ridge regression: least squares in the feature space of a kernel.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty, or a list with one for each target.
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
    - Saunders, Gammerman, Vovk. Ridge regression learning algorithm in dual variables. ICML 1998.
    """

    _mercer_name = "KernelRidge"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "multi_output", "scaled"})
    _mercer_door = {"kernel_params": None}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3.0,
        coef0: float = 1.0,
        kernel_params: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
