# Written by `cargo xtask python` from the catalogue; do not edit.
"""TunedThresholdClassifierCV, FixedThresholdClassifier."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._grids import (
    ParameterGrid,
    ParameterSampler,
)
from mercer._halving import (
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
)
from mercer._members import WrapperMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RowsMixin
from mercer._nested import (
    bias_variance,
    nested_cross_validate,
)
from mercer._search import (
    BaseSearchCV,
    GridSearchCV,
    RandomizedSearchCV,
)
from mercer._shuffled import (
    BootstrapSplit,
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
    train_test_split,
)
from mercer._spaces import (
    HyperbandSearchCV,
    TPESearchCV,
)
from mercer._splits import (
    BaseCrossValidator,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)
from mercer._validate import (
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

__all__ = [
    "TunedThresholdClassifierCV",
    "FixedThresholdClassifier",
    "ParameterGrid",
    "ParameterSampler",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "bias_variance",
    "nested_cross_validate",
    "BaseSearchCV",
    "GridSearchCV",
    "RandomizedSearchCV",
    "BootstrapSplit",
    "GroupShuffleSplit",
    "ShuffleSplit",
    "StratifiedShuffleSplit",
    "train_test_split",
    "HyperbandSearchCV",
    "TPESearchCV",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "learning_curve",
    "permutation_test_score",
    "validation_curve",
    "BaseCrossValidator",
    "GroupKFold",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "TimeSeriesSplit",
    "check_cv",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class TunedThresholdClassifierCV(WrapperMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """A classifier of two classes whose threshold is tuned on rows that it did not see.

    Parameters
    ----------
    estimator : learner or none, default=None
        The classifier; none means logistic regression.
    scoring : text, default="balanced_accuracy"
        The metric of predicted classes that decides; not used when costs are given.
    costs : list of number or none, default=None
        The costs of a true negative, a false positive, a false negative and a true positive.
    thresholds : integer in [1, 1000000], default=100
        The most thresholds that are tried.
    cv : integer in [2, inf), default=5
        Number of folds.
    response_method : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    refit : default=True
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    store_cv_results : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Elkan. The foundations of cost-sensitive learning. IJCAI 2001.
    """

    _mercer_name = "TunedThresholdClassifierCV"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "decision", "weights", "sparse", "binary", "thresholded", "counts_rows", "ordered"})
    _mercer_door = {"response_method": 'auto', "refit": True, "store_cv_results": False}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        scoring: str = "balanced_accuracy",
        costs: Sequence[float] | None = None,
        thresholds: int = 100,
        cv: int = 5,
        response_method: Any = 'auto',
        refit: Any = True,
        store_cv_results: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.costs = costs
        self.thresholds = thresholds
        self.cv = cv
        self.response_method = response_method
        self.refit = refit
        self.store_cv_results = store_cv_results
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TunedThresholdClassifierCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class FixedThresholdClassifier(WrapperMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """A classifier of two classes with a threshold given by hand.

    Parameters
    ----------
    estimator : learner or none, default=None
        The classifier; none means logistic regression.
    threshold : number in (-inf, inf), default=0.5
        The score from which the second class is named.
    pos_label : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    response_method : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Elkan. The foundations of cost-sensitive learning. IJCAI 2001.
    """

    _mercer_name = "FixedThresholdClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "decision", "weights", "sparse", "binary", "thresholded", "counts_rows", "ordered"})
    _mercer_door = {"pos_label": None, "response_method": 'auto'}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        threshold: float = 0.5,
        pos_label: Any = None,
        response_method: Any = 'auto',
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.pos_label = pos_label
        self.response_method = response_method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FixedThresholdClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
