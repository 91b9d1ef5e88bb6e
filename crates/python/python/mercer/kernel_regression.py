# Written by `cargo xtask python` from the catalogue; do not edit.
"""NadarayaWatson, LocalLinearRegression, RBFNetworkClassifier, RBFNetworkRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, DecisionMixin, RegressorMixin, RowsMixin

__all__ = [
    "NadarayaWatson",
    "LocalLinearRegression",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class NadarayaWatson(RegressorMixin, RowsMixin, Estimator):
    """Regression by local means (Nadaraya and Watson).

    Parameters
    ----------
    bandwidth : scott | silverman | loo or number in (0, inf), default="loo"
        The bandwidth: a number, one for each feature, the rule of Scott or Silverman, or the best for rows that are left out.
    kernel : gaussian | tophat | epanechnikov | exponential | linear | cosine, default="gaussian"
        The kernel.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Nadaraya. On estimating regression. Theory Probab. Appl. 9(1), 1964.
    - Watson. Smooth regression analysis. Sankhyā A 26(4), 1964.
    """

    _mercer_name = "NadarayaWatson"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "multi_output", "scaled"})

    def __init__(
        self,
        bandwidth: Literal["scott", "silverman", "loo"] | float = "loo",
        *,
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NadarayaWatson:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LocalLinearRegression(RegressorMixin, RowsMixin, Estimator):
    """Regression by local straight lines.

    Parameters
    ----------
    bandwidth : scott | silverman | loo or number in (0, inf), default="loo"
        The bandwidth: a number, one for each feature, the rule of Scott or Silverman, or the best for rows that are left out.
    kernel : gaussian | tophat | epanechnikov | exponential | linear | cosine, default="gaussian"
        The kernel.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Cleveland. Robust locally weighted regression and smoothing scatterplots. JASA 74, 1979.
    - Fan. Design-adaptive nonparametric regression. JASA 87, 1992.
    """

    _mercer_name = "LocalLinearRegression"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "multi_output", "scaled"})

    def __init__(
        self,
        bandwidth: Literal["scott", "silverman", "loo"] | float = "loo",
        *,
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LocalLinearRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class RBFNetworkClassifier(ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Classification by a network of radial basis functions.

    Parameters
    ----------
    n_centers : all or number in [1, inf), default=20
        How many centres there are, at most one for each row.
    width : global | nearest or number in (0, inf), default="global"
        How wide the functions about the centres are.
    kernel : gaussian | tophat | epanechnikov | exponential | linear | cosine, default="gaussian"
        The function.
    normalized : true or false, default=False
        Whether the functions are divided by their sum.
    output : least_squares | targets | gradient, default="least_squares"
        Where the weights come from.
    alpha : number in [0, inf), default=1e-6
        Strength of the ridge.
    max_iter : integer in [1, inf), default=30
        Limit of the passes of k-means.
    gradient_steps : integer in [0, inf), default=200
        Limit of the steps by gradients.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1(2), 1989.
    """

    _mercer_name = "RBFNetworkClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "scaled", "ordered", "random"})

    def __init__(
        self,
        n_centers: Literal["all"] | float = 20,
        *,
        width: Literal["global", "nearest"] | float = "global",
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        normalized: bool = False,
        output: Literal["least_squares", "targets", "gradient"] = "least_squares",
        alpha: float = 1e-6,
        max_iter: int = 30,
        gradient_steps: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.width = width
        self.kernel = kernel
        self.normalized = normalized
        self.output = output
        self.alpha = alpha
        self.max_iter = max_iter
        self.gradient_steps = gradient_steps
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RBFNetworkClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class RBFNetworkRegressor(RegressorMixin, RowsMixin, Estimator):
    """Regression by a network of radial basis functions.

    Parameters
    ----------
    n_centers : all or number in [1, inf), default=20
        How many centres there are, at most one for each row.
    width : global | nearest or number in (0, inf), default="global"
        How wide the functions about the centres are.
    kernel : gaussian | tophat | epanechnikov | exponential | linear | cosine, default="gaussian"
        The function.
    normalized : true or false, default=False
        Whether the functions are divided by their sum.
    output : least_squares | targets | gradient, default="least_squares"
        Where the weights come from.
    alpha : number in [0, inf), default=1e-6
        Strength of the ridge.
    max_iter : integer in [1, inf), default=30
        Limit of the passes of k-means.
    gradient_steps : integer in [0, inf), default=200
        Limit of the steps by gradients.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1(2), 1989.
    - Xu, Krzyżak, Yuille. On radial basis function nets and kernel regression. Neural Networks 7(4), 1994.
    """

    _mercer_name = "RBFNetworkRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"multi_output", "scaled", "ordered", "random"})

    def __init__(
        self,
        n_centers: Literal["all"] | float = 20,
        *,
        width: Literal["global", "nearest"] | float = "global",
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        normalized: bool = False,
        output: Literal["least_squares", "targets", "gradient"] = "least_squares",
        alpha: float = 1e-6,
        max_iter: int = 30,
        gradient_steps: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.width = width
        self.kernel = kernel
        self.normalized = normalized
        self.output = output
        self.alpha = alpha
        self.max_iter = max_iter
        self.gradient_steps = gradient_steps
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RBFNetworkRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y)
