# Written by `cargo xtask python` from the catalogue; do not edit.
"""OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._ensembles import EnsembleMixin
from mercer._members import WrapperMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RowsMixin
from mercer._multiclass import MulticlassMixin, OneVsOneMixin, OneVsRestMixin

__all__ = [
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class OneVsOneClassifier(OneVsOneMixin, WrapperMixin, ClassifierMixin, EnsembleMixin, DecisionMixin, RowsMixin, Estimator):
    """One against one: a model for each pair of classes, which vote.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner of the two classes of a pair, or a regressor of 0 and 1; none means logistic regression.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hastie, Tibshirani. Classification by pairwise coupling. Annals of Statistics 26(2), 1998.
    """

    _mercer_name = "OneVsOneClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"decision", "members", "weights"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneVsOneClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class OneVsRestClassifier(OneVsRestMixin, WrapperMixin, ClassifierMixin, EnsembleMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """One against the rest: a model for each class, of whether it is this one.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner of two classes, or a regressor of 0 and 1; none means logistic regression.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rifkin, Klautau. In defense of one-vs-all classification. JMLR 5, 2004.
    """

    _mercer_name = "OneVsRestClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "decision", "members", "weights", "multi_output", "thresholded"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneVsRestClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class OutputCodeClassifier(MulticlassMixin, WrapperMixin, ClassifierMixin, EnsembleMixin, RowsMixin, Estimator):
    """Output codes: a model for each bit of the words of the classes.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner of each bit, a classifier or a regressor of 0 and 1; none means logistic regression.
    code_size : number in (0, inf), default=1.5
        Bits of a word for each class.
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
    - Dietterich, Bakiri. Solving multiclass learning problems via error-correcting output codes. JAIR 2, 1995.
    """

    _mercer_name = "OutputCodeClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"members", "weights", "random"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        code_size: float = 1.5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code_size = code_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OutputCodeClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
