# Written by `cargo xtask python` from the catalogue; do not edit.
"""VarianceThreshold, SelectKBest, SelectPercentile, SelectFpr, SelectFdr, SelectFwe, RFE, RFECV, SelectFromModel, SequentialFeatureSelector, BestSubset."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import WrapperMixin
from mercer._mixins import InverseMixin, RowsMixin, SelectorMixin, TransformerMixin
from mercer._select import EliminationCVMixin, EliminationMixin, FdrMixin, FprMixin, FromModelMixin, FweMixin, KBestMixin, PercentileMixin, SequentialMixin

__all__ = [
    "VarianceThreshold",
    "SelectKBest",
    "SelectPercentile",
    "SelectFpr",
    "SelectFdr",
    "SelectFwe",
    "RFE",
    "RFECV",
    "SelectFromModel",
    "SequentialFeatureSelector",
    "BestSubset",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class VarianceThreshold(SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection by variance: leaves out features that hardly change.

    Parameters
    ----------
    threshold : number in [0, inf), default=0.0
        Features with no more variance than this are left out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Pedregosa et al. Scikit-learn. JMLR 12, 2011.
    """

    _mercer_name = "VarianceThreshold"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing"})

    def __init__(
        self,
        threshold: float = 0.0,
    ) -> None:
        self.threshold = threshold

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> VarianceThreshold:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class SelectKBest(KBestMixin, SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection of the k features of highest score.

    Parameters
    ----------
    score_func : f_classif | f_regression | chi2 | mutual_info_classif | mutual_info_regression | r_regression, default="f_classif"
        How a feature is scored against the target.
    k : all or number in [0, inf), default=10
        The number of features to keep, or all.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Kraskov, Stögbauer, Grassberger. Estimating mutual information. Phys. Rev. E 69, 2004.
    """

    _mercer_name = "SelectKBest"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "supervised"})

    def __init__(
        self,
        score_func: Literal["f_classif", "f_regression", "chi2", "mutual_info_classif", "mutual_info_regression", "r_regression"] = "f_classif",
        *,
        k: Literal["all"] | float = 10,
    ) -> None:
        self.score_func = score_func
        self.k = k

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectKBest:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SelectPercentile(PercentileMixin, SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection of a percentage of the features, those of highest score.

    Parameters
    ----------
    score_func : f_classif | f_regression | chi2 | mutual_info_classif | mutual_info_regression | r_regression, default="f_classif"
        How a feature is scored against the target.
    percentile : number in [0, 100], default=10.0
        The percentage of the features to keep.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Kraskov, Stögbauer, Grassberger. Estimating mutual information. Phys. Rev. E 69, 2004.
    """

    _mercer_name = "SelectPercentile"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "supervised"})

    def __init__(
        self,
        score_func: Literal["f_classif", "f_regression", "chi2", "mutual_info_classif", "mutual_info_regression", "r_regression"] = "f_classif",
        *,
        percentile: float = 10.0,
    ) -> None:
        self.score_func = score_func
        self.percentile = percentile

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectPercentile:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SelectFpr(FprMixin, SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection by a test of each feature: keeps those with a p-value below alpha.

    Parameters
    ----------
    score_func : f_classif | f_regression | chi2 | mutual_info_classif | mutual_info_regression | r_regression, default="f_classif"
        How a feature is scored against the target: one of the tests.
    alpha : number in [0, 1], default=0.05
        The chance that a feature of no use is kept.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.
    """

    _mercer_name = "SelectFpr"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "supervised"})

    def __init__(
        self,
        score_func: Literal["f_classif", "f_regression", "chi2", "mutual_info_classif", "mutual_info_regression", "r_regression"] = "f_classif",
        *,
        alpha: float = 0.05,
    ) -> None:
        self.score_func = score_func
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectFpr:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SelectFdr(FdrMixin, SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection by tests at a false discovery rate: of the features kept, a share of at most alpha is expected to be of no use.

    Parameters
    ----------
    score_func : f_classif | f_regression | chi2 | mutual_info_classif | mutual_info_regression | r_regression, default="f_classif"
        How a feature is scored against the target: one of the tests.
    alpha : number in [0, 1], default=0.05
        The expected share of features of no use among those kept.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.
    """

    _mercer_name = "SelectFdr"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "supervised"})

    def __init__(
        self,
        score_func: Literal["f_classif", "f_regression", "chi2", "mutual_info_classif", "mutual_info_regression", "r_regression"] = "f_classif",
        *,
        alpha: float = 0.05,
    ) -> None:
        self.score_func = score_func
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectFdr:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SelectFwe(FweMixin, SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection by tests at a family-wise error: the chance that any feature of no use is kept is at most alpha.

    Parameters
    ----------
    score_func : f_classif | f_regression | chi2 | mutual_info_classif | mutual_info_regression | r_regression, default="f_classif"
        How a feature is scored against the target: one of the tests.
    alpha : number in [0, 1], default=0.05
        The chance that any feature of no use is kept.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.
    """

    _mercer_name = "SelectFwe"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "supervised"})

    def __init__(
        self,
        score_func: Literal["f_classif", "f_regression", "chi2", "mutual_info_classif", "mutual_info_regression", "r_regression"] = "f_classif",
        *,
        alpha: float = 0.05,
    ) -> None:
        self.score_func = score_func
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectFwe:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class RFE(EliminationMixin, SelectorMixin, WrapperMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Recursive feature elimination: the least important features of a learner go, round by round.

    Parameters
    ----------
    estimator : learner or none, default=None
        A learner with coefficients or importances; none means logistic regression for classes, ridge for numbers.
    n_features_to_select : auto or number or none in [0, inf), default=None
        The number or share of features to keep; none means half.
    step : number in (0, inf), default=1
        How many features go in a round, or which share of all.
    importance_getter : default='auto'
        Where importances are read: 'auto', the path of an attribute, or a function of the model.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Guyon et al. Gene selection for cancer classification using support vector machines. Machine Learning 46, 2002.
    """

    _mercer_name = "RFE"
    _mercer_task = "Transformation"
    _mercer_declared = frozenset({"transform", "inverse", "supervised", "scaled"})
    _mercer_door = {"importance_getter": 'auto'}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_features_to_select: Literal["auto"] | float | None = None,
        step: float = 1,
        importance_getter: Any = 'auto',
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.importance_getter = importance_getter
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> RFE:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class RFECV(EliminationCVMixin, SelectorMixin, WrapperMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Recursive feature elimination with the number of features chosen by cross-validation.

    Parameters
    ----------
    estimator : learner or none, default=None
        A learner with coefficients or importances; none means logistic regression for classes, ridge for numbers.
    step : number in (0, inf), default=1
        How many features go in a round, or which share of all.
    min_features_to_select : integer in [1, inf), default=1
        The least number of features.
    cv : integer in [2, inf), default=5
        Number of folds.
    scoring : text or none, default=None
        The metric by name; none means accuracy for classes and R² for numbers.
    importance_getter : default='auto'
        Where importances are read: 'auto', the path of an attribute, or a function of the model.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Guyon et al. Gene selection for cancer classification using support vector machines. Machine Learning 46, 2002.
    """

    _mercer_name = "RFECV"
    _mercer_task = "Transformation"
    _mercer_declared = frozenset({"transform", "inverse", "supervised", "scaled", "counts_rows", "ordered"})
    _mercer_door = {"importance_getter": 'auto'}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        step: float = 1,
        min_features_to_select: int = 1,
        cv: int = 5,
        scoring: str | None = None,
        importance_getter: Any = 'auto',
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.min_features_to_select = min_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.importance_getter = importance_getter
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> RFECV:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SelectFromModel(FromModelMixin, SelectorMixin, WrapperMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Selection from a model: keeps the features to which a learner gives weight.

    Parameters
    ----------
    estimator : learner or none, default=None
        A learner with coefficients or importances; none means the lasso for numbers, and logistic
        regression with an L1 penalty for classes.
    threshold : mean | median or number or none, default=None
        The least importance that is kept: a number, mean, median or a multiple such as 1.25*mean.
    norm_order : number in (0, inf], default=1.0
        The order of the norm of several coefficients of a feature.
    max_features : integer or none in [0, inf), default=None
        The most features to keep.
    prefit : default=False
        Whether the estimator is fitted already.
    importance_getter : default='auto'
        Where importances are read: 'auto', the path of an attribute, or a function of the model.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996.
    """

    _mercer_name = "SelectFromModel"
    _mercer_task = "Transformation"
    _mercer_declared = frozenset({"transform", "inverse", "supervised", "scaled"})
    _mercer_door = {"prefit": False, "importance_getter": 'auto'}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        threshold: Literal["mean", "median"] | float | None = None,
        norm_order: float = 1.0,
        max_features: int | None = None,
        prefit: Any = False,
        importance_getter: Any = 'auto',
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.norm_order = norm_order
        self.max_features = max_features
        self.prefit = prefit
        self.importance_getter = importance_getter

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SelectFromModel:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class SequentialFeatureSelector(SequentialMixin, SelectorMixin, WrapperMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Sequential selection: features one at a time, by the score of a learner over folds.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner; none means logistic regression for classes, ridge for numbers.
    n_features_to_select : auto or number in (0, inf), default="auto"
        The number or share of features to keep; auto is half, or as many as the tolerance says.
    tol : number or none in (-inf, inf), default=None
        With auto, the least improvement of the score that counts.
    direction : forward | backward, default="forward"
        Whether features are added or taken out.
    scoring : text or none, default=None
        The metric by name; none means accuracy for classes and R² for numbers.
    cv : integer in [2, inf), default=5
        Number of folds.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ferri et al. Comparative study of techniques for large-scale feature selection. 1994.
    """

    _mercer_name = "SequentialFeatureSelector"
    _mercer_task = "Transformation"
    _mercer_declared = frozenset({"transform", "inverse", "supervised", "scaled", "counts_rows", "ordered"})

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_features_to_select: Literal["auto"] | float = "auto",
        tol: float | None = None,
        direction: Literal["forward", "backward"] = "forward",
        scoring: str | None = None,
        cv: int = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.direction = direction
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SequentialFeatureSelector:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class BestSubset(SelectorMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Best subset: the features of the best least squares, by exact search (L0).

    Parameters
    ----------
    criterion : k | bic | aic | cp, default="bic"
        What the subset is best by: the residual sum of `k` features, or a criterion that prices them.
    k : integer or none in [1, inf), default=None
        The number of features, for the criterion `k`; none means half.
    fit_intercept : true or false, default=True
        Whether the least squares have an intercept.
    max_iter : integer in [1, inf), default=20000000
        Most sets that are looked at; beyond, the best so far.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Furnival, Wilson. Regressions by leaps and bounds. Technometrics 16(4), 1974.
    """

    _mercer_name = "BestSubset"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "supervised"})

    def __init__(
        self,
        criterion: Literal["k", "bic", "aic", "cp"] = "bic",
        *,
        k: int | None = None,
        fit_intercept: bool = True,
        max_iter: int = 20000000,
    ) -> None:
        self.criterion = criterion
        self.k = k
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> BestSubset:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)
