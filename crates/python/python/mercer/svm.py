# Written by `cargo xtask python` from the catalogue; do not edit.
"""LinearSVC, LinearSVR."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._logistic import (
    l1_min_c,
)
from mercer._logistic import MachineMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, RegressorMixin, RowsMixin

__all__ = [
    "LinearSVC",
    "LinearSVR",
    "l1_min_c",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class LinearSVC(MachineMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Linear support vector classification, for two classes or more.

    Parameters
    ----------
    penalty : l1 | l2, default="l2"
        The penalty.
    loss : hinge | squared_hinge, default="squared_hinge"
        What a row within the margin costs.
    C : number in (0, inf), default=1.0
        Weight of the loss against the penalty: smaller is simpler.
    tol : number in (0, inf), default=0.0001
        Where the solver stops.
    fit_intercept : true or false, default=True
        Whether to fit an intercept.
    intercept_scaling : number in (0, inf), default=1.0
        The constant that stands behind the features of each row; the larger, the less the intercept is penalised.
    dual : auto | true | false, default="auto"
        Whether the dual problem is solved; auto does where there are more features than rows, if the problem has both forms.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows or coefficients, or Newton steps.
    multi_class : ovr | crammer_singer, default="ovr"
        How more than two classes are taken.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hsieh, Chang, Lin, Keerthi, Sundararajan. A dual coordinate descent method for large-scale linear SVM. ICML 2008.
    - Fan, Chang, Hsieh, Wang, Lin. LIBLINEAR. JMLR 9, 2008.
    """

    _mercer_name = "LinearSVC"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled"})

    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
        *,
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        C: float = 1.0,
        tol: float = 0.0001,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Literal["auto", "true", "false"] = "auto",
        max_iter: int = 1000,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        class_weight: Literal["balanced"] | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.max_iter = max_iter
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LinearSVR(MachineMixin, RegressorMixin, RowsMixin, Estimator):
    """Linear support vector regression.

    Parameters
    ----------
    epsilon : number in [0, inf), default=0.0
        Half the width of the tube in which errors are free.
    loss : epsilon_insensitive | squared_epsilon_insensitive, default="epsilon_insensitive"
        What a row beyond the tube costs.
    C : number in (0, inf), default=1.0
        Weight of the loss against the penalty: smaller is simpler.
    tol : number in (0, inf), default=0.0001
        Where the solver stops.
    fit_intercept : true or false, default=True
        Whether to fit an intercept.
    intercept_scaling : number in (0, inf), default=1.0
        The constant that stands behind the features of each row; the larger, the less the intercept is penalised.
    dual : auto | true | false, default="auto"
        Whether the dual problem is solved; auto does where there are more features than rows, if the problem has both forms.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows or coefficients, or Newton steps.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ho, Lin. Large-scale linear support vector regression. JMLR 13, 2012.
    """

    _mercer_name = "LinearSVR"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "scaled"})

    def __init__(
        self,
        epsilon: float = 0.0,
        *,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        C: float = 1.0,
        tol: float = 0.0001,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Literal["auto", "true", "false"] = "auto",
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
