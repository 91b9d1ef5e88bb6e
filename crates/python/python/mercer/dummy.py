# Written by `cargo xtask python` from the catalogue; do not edit.
"""DummyClassifier, DummyRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._dummy import DummyMixin
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin

__all__ = [
    "DummyClassifier",
    "DummyRegressor",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class DummyClassifier(DummyMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """A baseline for classes: their shares in training.

    Parameters
    ----------
    strategy : prior | most_frequent | stratified | uniform | constant, default="prior"
        How it answers; what is drawn depends on the seed of training and on the place of the row.
    constant : list of text or none, default=None
        The answer of the strategy `constant`, one class for each target.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009.
    """

    _mercer_name = "DummyClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "weights", "sparse", "missing", "categorical", "text", "times", "multi_output", "blind"})

    def __init__(
        self,
        strategy: Literal["prior", "most_frequent", "stratified", "uniform", "constant"] = "prior",
        *,
        constant: Sequence[str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.strategy = strategy
        self.constant = constant
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DummyClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class DummyRegressor(DummyMixin, RegressorMixin, RowsMixin, Estimator):
    """A baseline for numbers: their mean or median in training.

    Parameters
    ----------
    strategy : mean | median | quantile | constant, default="mean"
        How it answers.
    constant : list of number or none, default=None
        The answer of the strategy `constant`, one number for each target.
    quantile : number or none in [0, 1], default=None
        The quantile that the strategy `quantile` answers with.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009.
    """

    _mercer_name = "DummyRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "missing", "categorical", "text", "times", "multi_output", "blind"})

    def __init__(
        self,
        strategy: Literal["mean", "median", "quantile", "constant"] = "mean",
        *,
        constant: Sequence[float] | None = None,
        quantile: float | None = None,
    ) -> None:
        self.strategy = strategy
        self.constant = constant
        self.quantile = quantile

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DummyRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
