# Written by `cargo xtask python` from the catalogue; do not edit.
"""GaussianProcessClassifier, GaussianProcessRegressor, SparseGaussianProcessRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._gaussian_process import GaussianProcessClassifierMixin, GaussianProcessMixin
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin, SpreadMixin

__all__ = [
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "SparseGaussianProcessRegressor",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class GaussianProcessClassifier(GaussianProcessClassifierMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Gaussian process classification.

    Parameters
    ----------
    kernel : kernel or none, default=None
        The kernel, such as `2*rbf(length_scale=1)`; none is `1.0*rbf(1.0)` with hyper-parameters that stay.
    optimizer : fmin_l_bfgs_b or none, default="fmin_l_bfgs_b"
        What moves the kernel's hyper-parameters to the maximum of the marginal likelihood; none leaves them as they are.
    n_restarts_optimizer : integer in [0, inf), default=0
        How many times the search begins again from hyper-parameters drawn within their bounds.
    max_iter_predict : integer in [1, inf), default=100
        Most steps of Newton's method for a mode.
    warm_start : true or false, default=False
        Whether the search for a mode begins at the mode of the hyper-parameters before.
    multi_class : one_vs_rest | one_vs_one, default="one_vs_rest"
        How several classes are told apart: each against the rest, or each pair.
    copy_X_train : default=True
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
    - Williams, Barber. Bayesian classification with Gaussian processes. IEEE TPAMI 20(12), 1998.
    """

    _mercer_name = "GaussianProcessClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "scaled"})
    _mercer_door = {"copy_X_train": True}

    def __init__(
        self,
        kernel: Any | None = None,
        *,
        optimizer: Literal["fmin_l_bfgs_b"] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        multi_class: Literal["one_vs_rest", "one_vs_one"] = "one_vs_rest",
        copy_X_train: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.multi_class = multi_class
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> GaussianProcessClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class GaussianProcessRegressor(GaussianProcessMixin, SpreadMixin, RegressorMixin, RowsMixin, Estimator):
    """Gaussian process regression.

    Parameters
    ----------
    kernel : kernel or none, default=None
        The kernel, such as `2*rbf(length_scale=1)+white(0.1)`; none is `1.0*rbf(1.0)`.
    alpha : number in [0, inf), default=1e-10
        What is added to the diagonal of the Gram matrix: the variance of the noise of all rows, or a list with that of each.
    optimizer : fmin_l_bfgs_b or none, default="fmin_l_bfgs_b"
        What moves the kernel's hyper-parameters to the maximum of the marginal likelihood; none leaves them as they are.
    n_restarts_optimizer : integer in [0, inf), default=0
        How many times the search begins again from hyper-parameters drawn within their bounds.
    normalize_y : true or false, default=False
        Whether targets are brought to mean 0 and variance 1 first.
    n_targets : integer or none in [1, inf), default=None
        How many targets there must be; none is any number.
    mean : zero | constant | linear, default="zero"
        The mean before data: zero, an unknown constant, or an unknown linear function.
    copy_X_train : default=True
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press, 2006.
    """

    _mercer_name = "GaussianProcessRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"intervals", "quantiles", "spread", "multi_output", "scaled"})
    _mercer_door = {"copy_X_train": True}

    def __init__(
        self,
        kernel: Any | None = None,
        *,
        alpha: float = 1e-10,
        optimizer: Literal["fmin_l_bfgs_b"] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        n_targets: int | None = None,
        mean: Literal["zero", "constant", "linear"] = "zero",
        copy_X_train: Any = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.n_targets = n_targets
        self.mean = mean
        self.copy_X_train = copy_X_train
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class SparseGaussianProcessRegressor(SpreadMixin, RegressorMixin, RowsMixin, Estimator):
    """Gaussian process regression through inducing points.

    Parameters
    ----------
    kernel : kernel or none, default=None
        The kernel; a white kernel that is added to it is the noise. None is `1.0*rbf(1.0)+white(1.0)`.
    n_inducing : integer in [1, inf), default=200
        How many inducing points there are; as many as rows is the exact process.
    method : vfe | fitc, default="vfe"
        What inducing points approximate: the posterior (vfe) or the prior (fitc).
    inducing : spread | random, default="spread"
        How inducing points are chosen among the rows.
    optimizer : fmin_l_bfgs_b or none, default="fmin_l_bfgs_b"
        What moves the kernel's hyper-parameters to the maximum of the marginal likelihood; none leaves them as they are.
    n_restarts_optimizer : integer in [0, inf), default=0
        How many times the search begins again from hyper-parameters drawn within their bounds.
    normalize_y : true or false, default=False
        Whether the target is brought to mean 0 and variance 1 first.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Titsias. Variational learning of inducing variables in sparse Gaussian processes. AISTATS, 2009.
    """

    _mercer_name = "SparseGaussianProcessRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"intervals", "quantiles", "spread", "scaled", "ordered", "random"})

    def __init__(
        self,
        kernel: Any | None = None,
        *,
        n_inducing: int = 200,
        method: Literal["vfe", "fitc"] = "vfe",
        inducing: Literal["spread", "random"] = "spread",
        optimizer: Literal["fmin_l_bfgs_b"] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.method = method
        self.inducing = inducing
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> SparseGaussianProcessRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y)
