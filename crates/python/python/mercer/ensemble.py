# Written by `cargo xtask python` from the catalogue; do not edit.
"""AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor, GradientBoostingClassifier, GradientBoostingRegressor, StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import MembersMixin, WrapperMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RegressorMixin, RowsMixin

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class AdaBoostClassifier(WrapperMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """AdaBoost: weak classifiers, each trained on what the others get wrong.

    Parameters
    ----------
    estimator : learner or none, default=None
        The weak learner; none means a tree of one split.
    n_estimators : integer in [1, inf), default=50
        Most members.
    learning_rate : number in (0, inf), default=1.0
        Factor of every α.
    version : wrong | both, default="wrong"
        Whether mistakes alone are reweighted, or both sides; predictions are the same.
    by : weights | resampling, default="weights"
        How weights reach the learner.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Freund, Schapire. A decision-theoretic generalization of on-line learning. J. Comput. Syst. Sci. 55(1), 1997.
    """

    _mercer_name = "AdaBoostClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "decision", "weights"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        version: Literal["wrong", "both"] = "wrong",
        by: Literal["weights", "resampling"] = "weights",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.version = version
        self.by = by
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class AdaBoostRegressor(WrapperMixin, RegressorMixin, RowsMixin, Estimator):
    """AdaBoost.R2: the weighted median of regressors, each trained on what the others miss most.

    Parameters
    ----------
    estimator : learner or none, default=None
        The weak learner; none means a tree of depth 3.
    n_estimators : integer in [1, inf), default=50
        Most members.
    learning_rate : number in (0, inf), default=1.0
        Exponent of every β.
    loss : linear | square | exponential, default="linear"
        How losses grow with the error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Drucker. Improving regressors using boosting techniques. ICML 1997.
    """

    _mercer_name = "AdaBoostRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"weights", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: Literal["linear", "square", "exponential"] = "linear",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class BaggingClassifier(WrapperMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Bagging: many copies of one classifier, each on rows drawn anew, decide together.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner; none means a decision tree.
    n_estimators : integer in [1, inf), default=10
        Number of members.
    max_samples :  or number, default=1.0
        Rows drawn for each: a count, or a share of all.
    max_features :  or number, default=1.0
        Features drawn for each: a count, or a share of all.
    bootstrap : true or false, default=True
        Whether rows are drawn with replacement.
    oob_score : true or false, default=False
        Whether to estimate the score from the rows out of each bag.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
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
    - Breiman. Bagging predictors. Machine Learning 24, 1996.
    """

    _mercer_name = "BaggingClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "weights", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaggingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class BaggingRegressor(WrapperMixin, RegressorMixin, RowsMixin, Estimator):
    """Bagging: the mean of many copies of one regressor, each on rows drawn anew.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner; none means a decision tree.
    n_estimators : integer in [1, inf), default=10
        Number of members.
    max_samples :  or number, default=1.0
        Rows drawn for each: a count, or a share of all.
    max_features :  or number, default=1.0
        Features drawn for each: a count, or a share of all.
    bootstrap : true or false, default=True
        Whether rows are drawn with replacement.
    oob_score : true or false, default=False
        Whether to estimate the score from the rows out of each bag.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
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
    - Breiman. Bagging predictors. Machine Learning 24, 1996.
    """

    _mercer_name = "BaggingRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"weights", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaggingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GradientBoostingClassifier(WrapperMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Gradient boosting: regressors, each fitted to the gradient of the loss of classes that the others leave.

    Parameters
    ----------
    loss : text, default="logistic"
        The loss: log_loss, exponential or another of the margin; log_loss alone for more than two classes.
    learning_rate : number in (0, inf), default=0.1
        Factor of every step.
    n_estimators : integer in [1, inf), default=100
        Most rounds.
    subsample : number in (0, 1], default=1.0
        Share of the rows, drawn anew in each round, that a weak learner sees.
    max_depth : integer or none in [1, inf), default=3
        Depth of the trees; of no meaning with an `estimator`.
    min_samples_leaf : integer in [1, inf), default=1
        Least rows of a leaf; of no meaning with an `estimator`.
    estimator : learner or none, default=None
        The weak learner, a regressor; none means a tree.
    line_search : leaf | global, default="leaf"
        Whether there is one step for each leaf or one for all rows.
    n_iter_no_change : integer or none in [1, inf), default=None
        Rounds without progress on validation rows before training ends; none never ends early.
    validation_fraction : number in (0, 1), default=0.1
        Share of the rows set aside for that, unless the data bring validation rows.
    tol : number in [0, inf), default=0.0001
        Least progress.
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
    - Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001.
    """

    _mercer_name = "GradientBoostingClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "decision", "weights"})

    def __init__(
        self,
        loss: str = "logistic",
        *,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        max_depth: int | None = 3,
        min_samples_leaf: int = 1,
        estimator: Any | None = None,
        line_search: Literal["leaf", "global"] = "leaf",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0001,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.estimator = estimator
        self.line_search = line_search
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GradientBoostingRegressor(WrapperMixin, RegressorMixin, RowsMixin, Estimator):
    """Gradient boosting: regressors, each fitted to the gradient of the loss that the others leave.

    Parameters
    ----------
    loss : text, default="squared"
        The loss: squared_error, absolute_error, huber(delta=1.35), quantile(alpha=0.9) or another of a residual.
    learning_rate : number in (0, inf), default=0.1
        Factor of every step.
    n_estimators : integer in [1, inf), default=100
        Most rounds.
    subsample : number in (0, 1], default=1.0
        Share of the rows, drawn anew in each round, that a weak learner sees.
    max_depth : integer or none in [1, inf), default=3
        Depth of the trees; of no meaning with an `estimator`.
    min_samples_leaf : integer in [1, inf), default=1
        Least rows of a leaf; of no meaning with an `estimator`.
    estimator : learner or none, default=None
        The weak learner, a regressor; none means a tree.
    line_search : leaf | global, default="leaf"
        Whether there is one step for each leaf or one for all rows.
    n_iter_no_change : integer or none in [1, inf), default=None
        Rounds without progress on validation rows before training ends; none never ends early.
    validation_fraction : number in (0, 1), default=0.1
        Share of the rows set aside for that, unless the data bring validation rows.
    tol : number in [0, inf), default=0.0001
        Least progress.
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
    - Friedman. Greedy function approximation: a gradient boosting machine. Ann. Statist. 29(5), 2001.
    """

    _mercer_name = "GradientBoostingRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"weights"})

    def __init__(
        self,
        loss: str = "squared",
        *,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        max_depth: int | None = 3,
        min_samples_leaf: int = 1,
        estimator: Any | None = None,
        line_search: Literal["leaf", "global"] = "leaf",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0001,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.estimator = estimator
        self.line_search = line_search
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class StackingClassifier(MembersMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Stacking: a classifier on the out-of-fold predictions of other classifiers.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members by name.
    final_estimator : learner or none, default=None
        The learner that combines them; none means logistic regression.
    cv : integer in [2, inf), default=5
        Number of folds.
    stack_method : auto | predict_proba | decision_function | predict, default="auto"
        What the members say.
    passthrough : true or false, default=False
        Whether the final learner sees the features, too.
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
    - Wolpert. Stacked generalization. Neural Networks 5(2), 1992.
    """

    _mercer_name = "StackingClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "weights", "counts_rows", "ordered"})

    def __init__(
        self,
        estimators: Any,
        *,
        final_estimator: Any | None = None,
        cv: int = 5,
        stack_method: Literal["auto", "predict_proba", "decision_function", "predict"] = "auto",
        passthrough: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StackingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class StackingRegressor(MembersMixin, RegressorMixin, RowsMixin, Estimator):
    """Stacking: a regressor on the out-of-fold predictions of other regressors.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members by name.
    final_estimator : learner or none, default=None
        The learner that combines them; none means ridge regression.
    cv : integer in [2, inf), default=5
        Number of folds.
    passthrough : true or false, default=False
        Whether the final learner sees the features, too.
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
    - Breiman. Stacked regressions. Machine Learning 24, 1996.
    """

    _mercer_name = "StackingRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"weights", "counts_rows", "ordered"})

    def __init__(
        self,
        estimators: Any,
        *,
        final_estimator: Any | None = None,
        cv: int = 5,
        passthrough: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StackingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class VotingClassifier(MembersMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Voting: the class that most members predict, or that is most probable to them on average.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members by name.
    voting : hard | soft, default="hard"
        Whether classes or probabilities are counted.
    weights : list of number or none in [0, inf), default=None
        The weight of each member; none means equal ones.
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
    - Kuncheva. Combining Pattern Classifiers. Wiley, 2004.
    """

    _mercer_name = "VotingClassifier"
    _mercer_task = "Classification"
    _mercer_declared = frozenset({"proba", "weights"})

    def __init__(
        self,
        estimators: Any,
        *,
        voting: Literal["hard", "soft"] = "hard",
        weights: Sequence[float] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class VotingRegressor(MembersMixin, RegressorMixin, RowsMixin, Estimator):
    """Averaging: the mean of what the members predict.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members by name.
    weights : list of number or none in [0, inf), default=None
        The weight of each member; none means equal ones.
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
    - Kuncheva. Combining Pattern Classifiers. Wiley, 2004.
    """

    _mercer_name = "VotingRegressor"
    _mercer_task = "Regression"
    _mercer_declared = frozenset({"weights"})

    def __init__(
        self,
        estimators: Any,
        *,
        weights: Sequence[float] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
