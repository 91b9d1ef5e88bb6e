# Written by `cargo xtask python` from the catalogue; do not edit.
"""CalibratedClassifierCV."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import WrapperMixin
from mercer._mixins import ClassifierMixin, ProbaMixin, RowsMixin

__all__ = [
    "CalibratedClassifierCV",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class CalibratedClassifierCV(WrapperMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Calibration: any classifier with probabilities fitted on rows that it did not see.

    Parameters
    ----------
    estimator : learner or none, default=None
        The classifier; none means logistic regression.
    method : sigmoid | isotonic | temperature, default="sigmoid"
        The map from scores to probabilities.
    cv : integer in [2, inf), default=5
        Number of folds.
    ensemble : true or false, default=True
        Whether to average a calibrated classifier for each fold, instead of calibrating one on all rows.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Platt. Probabilistic outputs for support vector machines. 1999.; Guo et al. On calibration of modern neural networks. ICML 2017.
    """

    _mercer_name = "CalibratedClassifierCV"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "weights", "sparse", "counts_rows", "ordered"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        method: Literal["sigmoid", "isotonic", "temperature"] = "sigmoid",
        cv: int = 5,
        ensemble: bool = True,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedClassifierCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
