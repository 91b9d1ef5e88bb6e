# Written by `cargo xtask python` from the catalogue; do not edit.
"""CalibratedClassifierCV, ConformalRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import WrapperMixin
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin

__all__ = [
    "CalibratedClassifierCV",
    "ConformalRegressor",
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
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Platt. Probabilistic outputs for support vector machines. 1999.
    - Guo et al. On calibration of modern neural networks. ICML 2017.
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
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedClassifierCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ConformalRegressor(WrapperMixin, RegressorMixin, RowsMixin, Estimator):
    """Conformal prediction: intervals around any regressor that hold as many answers as they promise.

    Parameters
    ----------
    estimator : learner or none, default=None
        The regressor; none means ridge regression.
    method : split | cv_plus | jackknife_plus, default="split"
        Which rows calibrate.
    conformity : absolute | quantile, default="absolute"
        What intervals are made around.
    coverage : number in (0, 1), default=0.9
        The share of answers that the certificate is about; intervals can be asked for at any other.
    calibration_size : number in (0, 1), default=0.25
        Share of the rows that calibrate, of method split.
    cv : integer in [2, inf), default=5
        Number of folds, of method cv_plus.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Romano, Patterson, Candès. Conformalized quantile regression. NeurIPS, 2019.
    - Barber et al. Predictive inference with the jackknife+. Ann. Statist. 49(1), 2021. doi:10.1214/20-AOS1965
    """

    _mercer_name = "ConformalRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"intervals", "weights", "sparse", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        method: Literal["split", "cv_plus", "jackknife_plus"] = "split",
        conformity: Literal["absolute", "quantile"] = "absolute",
        coverage: float = 0.9,
        calibration_size: float = 0.25,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.conformity = conformity
        self.coverage = coverage
        self.calibration_size = calibration_size
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConformalRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
