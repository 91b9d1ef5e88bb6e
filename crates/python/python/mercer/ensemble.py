# Written by `cargo xtask python` from the catalogue; do not edit.
"""RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor, IsolationForest, HistGradientBoostingClassifier, HistGradientBoostingRegressor, AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor, GradientBoostingClassifier, GradientBoostingRegressor, StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._boosters import CategoricalMixin
from mercer._ensembles import EnsembleMixin, ForestMixin, StagesMixin
from mercer._members import MembersMixin, WrapperMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, LossMixin, OutlierMixin, ProbaMixin, RegressorMixin, RowsMixin

__all__ = [
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "IsolationForest",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
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


class RandomForestClassifier(ForestMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Random forest for classes.

    Parameters
    ----------
    n_estimators : integer in [1, 1e6], default=100
        Number of trees.
    criterion : gini | entropy | log_loss | error, default="gini"
        How impure a node is.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default="sqrt"
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of a tree, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    bootstrap : true or false, default=True
        Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    oob_score : true or false, default=False
        Whether the predictions for training rows of the trees grown without them are kept.
    class_weight : balanced | balanced_subsample or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    max_samples : number or none, default=None
        Rows that a bag draws; fractions, which may be above 1, are shares of all weight, none is as many as there are rows.
    max_bins : integer or none in [2, 255], default=255
        Most bins of a feature, between which splits are looked for; none looks between all values.
    features_per : split | tree, default="split"
        Whether the features are drawn for each split or once for each tree.
    monotonic_cst : list of integer or none, default=None
        Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,
        or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324
    """

    _mercer_name = "RandomForestClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "explain", "trees", "members", "weights", "sparse", "missing", "categorical", "multi_output", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        class_weight: Literal["balanced", "balanced_subsample"] | None = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        max_bins: int | None = 255,
        features_per: Literal["split", "tree"] = "split",
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        warm_start: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.features_per = features_per
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomForestClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class RandomForestRegressor(ForestMixin, RegressorMixin, RowsMixin, Estimator):
    """Random forest for numbers.

    Parameters
    ----------
    n_estimators : integer in [1, 1e6], default=100
        Number of trees.
    criterion : squared_error | friedman_mse | absolute_error | poisson, default="squared_error"
        The loss that splits decrease.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default=1.0
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of a tree, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    bootstrap : true or false, default=True
        Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    oob_score : true or false, default=False
        Whether the predictions for training rows of the trees grown without them are kept.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    max_samples : number or none, default=None
        Rows that a bag draws; fractions, which may be above 1, are shares of all weight, none is as many as there are rows.
    max_bins : integer or none in [2, 255], default=255
        Most bins of a feature, between which splits are looked for; none looks between all values.
    features_per : split | tree, default="split"
        Whether the features are drawn for each split or once for each tree.
    quantiles : true or false, default=False
        Whether the training targets of each leaf are kept, which give quantiles and prediction intervals.
    monotonic_cst : list of integer or none, default=None
        Whether the prediction must rise (1) or fall (-1) with a column: signs by place, or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Breiman. Random forests. Machine Learning 45, 2001. doi:10.1023/A:1010933404324
    """

    _mercer_name = "RandomForestRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "trees", "members", "weights", "sparse", "missing", "categorical", "multi_output", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["squared_error", "friedman_mse", "absolute_error", "poisson"] = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        max_bins: int | None = 255,
        features_per: Literal["split", "tree"] = "split",
        quantiles: bool = False,
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        warm_start: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.features_per = features_per
        self.quantiles = quantiles
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomForestRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ExtraTreesClassifier(ForestMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Extremely randomised trees for classes.

    Parameters
    ----------
    n_estimators : integer in [1, 1e6], default=100
        Number of trees.
    criterion : gini | entropy | log_loss | error, default="gini"
        How impure a node is.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default="sqrt"
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of a tree, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    bootstrap : true or false, default=False
        Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    oob_score : true or false, default=False
        Whether the predictions for training rows of the trees grown without them are kept.
    class_weight : balanced | balanced_subsample or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    max_samples : number or none, default=None
        Rows that a bag draws; fractions, which may be above 1, are shares of all weight, none is as many as there are rows.
    max_bins : integer or none in [2, 255], default=255
        Most bins of a feature, between which splits are looked for; none looks between all values.
    features_per : split | tree, default="split"
        Whether the features are drawn for each split or once for each tree.
    monotonic_cst : list of integer or none, default=None
        Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,
        or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1
    """

    _mercer_name = "ExtraTreesClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "explain", "trees", "members", "weights", "sparse", "missing", "categorical", "multi_output", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: bool = False,
        class_weight: Literal["balanced", "balanced_subsample"] | None = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        max_bins: int | None = 255,
        features_per: Literal["split", "tree"] = "split",
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        warm_start: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.features_per = features_per
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ExtraTreesClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ExtraTreesRegressor(ForestMixin, RegressorMixin, RowsMixin, Estimator):
    """Extremely randomised trees for numbers.

    Parameters
    ----------
    n_estimators : integer in [1, 1e6], default=100
        Number of trees.
    criterion : squared_error | friedman_mse | absolute_error | poisson, default="squared_error"
        The loss that splits decrease.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default=1.0
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of a tree, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    bootstrap : true or false, default=False
        Whether each tree is grown on a bag of rows, drawn with replacement; else on all.
    oob_score : true or false, default=False
        Whether the predictions for training rows of the trees grown without them are kept.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    max_samples : number or none, default=None
        Rows that a bag draws; fractions, which may be above 1, are shares of all weight, none is as many as there are rows.
    max_bins : integer or none in [2, 255], default=255
        Most bins of a feature, between which splits are looked for; none looks between all values.
    features_per : split | tree, default="split"
        Whether the features are drawn for each split or once for each tree.
    quantiles : true or false, default=False
        Whether the training targets of each leaf are kept, which give quantiles and prediction intervals.
    monotonic_cst : list of integer or none, default=None
        Whether the prediction must rise (1) or fall (-1) with a column: signs by place, or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006. doi:10.1007/s10994-006-6226-1
    """

    _mercer_name = "ExtraTreesRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "trees", "members", "weights", "sparse", "missing", "categorical", "multi_output", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["squared_error", "friedman_mse", "absolute_error", "poisson"] = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        max_bins: int | None = 255,
        features_per: Literal["split", "tree"] = "split",
        quantiles: bool = False,
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        warm_start: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.features_per = features_per
        self.quantiles = quantiles
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ExtraTreesRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class IsolationForest(ForestMixin, OutlierMixin, DecisionMixin, RowsMixin, Estimator):
    """Isolation forest: outliers are the rows that random cuts set apart soon.

    Parameters
    ----------
    n_estimators : integer in [1, 1e6], default=100
        Number of trees.
    max_samples : auto or number, default="auto"
        Rows that each tree draws; auto is 256.
    contamination : auto or number, default="auto"
        Share of outliers in the training rows; auto cuts scores at -0.5.
    max_features : sqrt | log2 or number, default=1.0
        How many features each tree uses.
    bootstrap : true or false, default=False
        Whether rows are drawn with replacement.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    - Liu, Ting, Zhou. Isolation forest. ICDM, 2008. doi:10.1109/ICDM.2008.17
    """

    _mercer_name = "IsolationForest"
    _mercer_task = "Outliers"
    _mercer_can = frozenset({"decision", "trees", "sparse", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_samples: Literal["auto"] | float = "auto",
        contamination: Literal["auto"] | float = "auto",
        max_features: Literal["sqrt", "log2"] | float = 1.0,
        bootstrap: bool = False,
        warm_start: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> IsolationForest:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class HistGradientBoostingClassifier(CategoricalMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Gradient boosting on histograms, for classes.

    Parameters
    ----------
    loss : log_loss, default="log_loss"
        The loss.
    learning_rate : number in (0, inf), default=0.1
        What each tree's leaves are multiplied by.
    max_iter : integer in [1, inf), default=100
        Rounds of boosting.
    max_leaf_nodes : integer or none in [2, inf), default=31
        Most leaves of a tree, grown best first; none is without limit.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_leaf : integer in [1, inf), default=20
        Least rows of a leaf.
    l2_regularization : number in [0, inf), default=0.0
        Strength of the L2 penalty on leaves.
    max_features : number in (0, 1], default=1.0
        The share of features looked at for each split.
    max_bins : integer in [2, 255], default=255
        Most bins of a column, without that of missing values.
    categorical : auto | partition | target, default="auto"
        How columns of levels are split.
    monotonic_cst : list of integer or none, default=None
        Whether the probability of the second class must rise (1) or fall (-1) with a column.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    early_stopping : auto or number, default="auto"
        Whether to stop before the last round.
    scoring : text or none, default="loss"
        What early stopping watches: loss, or a metric by name; none is the accuracy or R².
    validation_fraction : number or none, default=0.1
        The rows set aside for early stopping, fractions being shares of all; none watches the training rows.
    n_iter_no_change : integer in [1, inf), default=10
        Rounds without improvement before stopping.
    tol : number in [0, inf), default=1e-7
        The least improvement of the loss that counts.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    categorical_features : default='from_dtype'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.
    - Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
    """

    _mercer_name = "HistGradientBoostingClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "explain", "trees", "weights", "sparse", "missing", "categorical", "counts_rows", "ordered"})
    _mercer_door = {"categorical_features": 'from_dtype', "warm_start": False}

    def __init__(
        self,
        loss: Literal["log_loss"] = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical: Literal["auto", "partition", "target"] = "auto",
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        early_stopping: Literal["auto"] | float = "auto",
        scoring: str | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        class_weight: Literal["balanced"] | None = None,
        categorical_features: Any = 'from_dtype',
        warm_start: Any = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical = categorical
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HistGradientBoostingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class HistGradientBoostingRegressor(CategoricalMixin, RegressorMixin, RowsMixin, Estimator):
    """Gradient boosting on histograms, for numbers.

    Parameters
    ----------
    loss : squared_error | absolute_error | gamma | poisson | quantile, default="squared_error"
        The loss.
    quantile : number or none in [0, 1], default=None
        The quantile of the pinball loss.
    learning_rate : number in (0, inf), default=0.1
        What each tree's leaves are multiplied by.
    max_iter : integer in [1, inf), default=100
        Rounds of boosting.
    max_leaf_nodes : integer or none in [2, inf), default=31
        Most leaves of a tree, grown best first; none is without limit.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_leaf : integer in [1, inf), default=20
        Least rows of a leaf.
    l2_regularization : number in [0, inf), default=0.0
        Strength of the L2 penalty on leaves.
    max_features : number in (0, 1], default=1.0
        The share of features looked at for each split.
    max_bins : integer in [2, 255], default=255
        Most bins of a column, without that of missing values.
    categorical : auto | partition | target, default="auto"
        How columns of levels are split.
    monotonic_cst : list of integer or none, default=None
        Whether the prediction must rise (1) or fall (-1) with a column.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    early_stopping : auto or number, default="auto"
        Whether to stop before the last round.
    scoring : text or none, default="loss"
        What early stopping watches: loss, or a metric by name; none is the accuracy or R².
    validation_fraction : number or none, default=0.1
        The rows set aside for early stopping, fractions being shares of all; none watches the training rows.
    n_iter_no_change : integer in [1, inf), default=10
        Rounds without improvement before stopping.
    tol : number in [0, inf), default=1e-7
        The least improvement of the loss that counts.
    categorical_features : default='from_dtype'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.
    - Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
    """

    _mercer_name = "HistGradientBoostingRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "trees", "weights", "sparse", "missing", "categorical", "multi_output", "counts_rows", "ordered"})
    _mercer_door = {"categorical_features": 'from_dtype', "warm_start": False}

    def __init__(
        self,
        loss: Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"] = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical: Literal["auto", "partition", "target"] = "auto",
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        early_stopping: Literal["auto"] | float = "auto",
        scoring: str | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        categorical_features: Any = 'from_dtype',
        warm_start: Any = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical = categorical
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HistGradientBoostingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class AdaBoostClassifier(WrapperMixin, ClassifierMixin, EnsembleMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
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
    _mercer_declared = frozenset({"proba", "decision", "explain", "members", "weights"})

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


class AdaBoostRegressor(WrapperMixin, RegressorMixin, EnsembleMixin, RowsMixin, Estimator):
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
    _mercer_declared = frozenset({"members", "weights", "counts_rows", "ordered", "random"})

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


class BaggingClassifier(WrapperMixin, ClassifierMixin, EnsembleMixin, ProbaMixin, RowsMixin, Estimator):
    """Bagging: many copies of one classifier, each on rows drawn anew, decide together.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner; none means a decision tree.
    n_estimators : integer in [1, inf), default=10
        Number of members.
    max_samples : number, default=1.0
        Rows drawn for each: a count, or a share of all.
    max_features : number, default=1.0
        Features drawn for each: a count, or a share of all.
    bootstrap : true or false, default=True
        Whether rows are drawn with replacement.
    oob_score : true or false, default=False
        Whether to estimate the score from the rows out of each bag.
    bootstrap_features : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    _mercer_declared = frozenset({"proba", "explain", "members", "weights", "counts_rows", "ordered", "random"})
    _mercer_door = {"bootstrap_features": False, "warm_start": False}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        bootstrap_features: Any = False,
        warm_start: Any = False,
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
        self.bootstrap_features = bootstrap_features
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaggingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class BaggingRegressor(WrapperMixin, RegressorMixin, EnsembleMixin, RowsMixin, Estimator):
    """Bagging: the mean of many copies of one regressor, each on rows drawn anew.

    Parameters
    ----------
    estimator : learner or none, default=None
        The learner; none means a decision tree.
    n_estimators : integer in [1, inf), default=10
        Number of members.
    max_samples : number, default=1.0
        Rows drawn for each: a count, or a share of all.
    max_features : number, default=1.0
        Features drawn for each: a count, or a share of all.
    bootstrap : true or false, default=True
        Whether rows are drawn with replacement.
    oob_score : true or false, default=False
        Whether to estimate the score from the rows out of each bag.
    bootstrap_features : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    _mercer_declared = frozenset({"explain", "members", "weights", "counts_rows", "ordered", "random"})
    _mercer_door = {"bootstrap_features": False, "warm_start": False}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        bootstrap_features: Any = False,
        warm_start: Any = False,
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
        self.bootstrap_features = bootstrap_features
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaggingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GradientBoostingClassifier(StagesMixin, WrapperMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
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
        Depth of the trees; of no meaning with an `estimator`, as are the other limits of trees.
    min_samples_split : number, default=2
        Least rows of a node of the trees that is split, or the share of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least share of all weight in a leaf of the trees.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity by a split of the trees, times the node's share of the weight.
    max_features : sqrt | log2 or number or none, default=None
        How many features the trees look at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of the trees, which are then grown best first; none is without limit.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    estimator : learner or none, default=None
        The weak learner, a regressor; none means a tree.
    line_search : newton | leaf | global, default="newton"
        How far each leaf is followed: one step of Newton, the step of least loss, or that of all rows together.
    n_iter_no_change : integer or none in [1, inf), default=None
        Rounds without progress on validation rows before training ends; none never ends early.
    validation_fraction : number in (0, 1), default=0.1
        Share of the rows set aside for that, unless the data bring validation rows.
    tol : number in [0, inf), default=0.0001
        Least progress.
    criterion : default='deprecated'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    init : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    _mercer_declared = frozenset({"proba", "decision", "explain", "members", "weights"})
    _mercer_door = {"criterion": 'deprecated', "init": None, "warm_start": False}

    def __init__(
        self,
        loss: str = "logistic",
        *,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        max_depth: int | None = 3,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = None,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        estimator: Any | None = None,
        line_search: Literal["newton", "leaf", "global"] = "newton",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0001,
        criterion: Any = 'deprecated',
        init: Any = None,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.ccp_alpha = ccp_alpha
        self.estimator = estimator
        self.line_search = line_search
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.criterion = criterion
        self.init = init
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GradientBoostingRegressor(LossMixin, StagesMixin, WrapperMixin, RegressorMixin, RowsMixin, Estimator):
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
        Depth of the trees; of no meaning with an `estimator`, as are the other limits of trees.
    min_samples_split : number, default=2
        Least rows of a node of the trees that is split, or the share of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least share of all weight in a leaf of the trees.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity by a split of the trees, times the node's share of the weight.
    max_features : sqrt | log2 or number or none, default=None
        How many features the trees look at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves of the trees, which are then grown best first; none is without limit.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    estimator : learner or none, default=None
        The weak learner, a regressor; none means a tree.
    line_search : newton | leaf | global, default="newton"
        How far each leaf is followed: one step of Newton, the step of least loss, or that of all rows together.
    n_iter_no_change : integer or none in [1, inf), default=None
        Rounds without progress on validation rows before training ends; none never ends early.
    validation_fraction : number in (0, 1), default=0.1
        Share of the rows set aside for that, unless the data bring validation rows.
    tol : number in [0, inf), default=0.0001
        Least progress.
    criterion : default='deprecated'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    init : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    alpha : default=0.9
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    _mercer_declared = frozenset({"explain", "members", "weights"})
    _mercer_door = {"criterion": 'deprecated', "init": None, "alpha": 0.9, "warm_start": False}

    def __init__(
        self,
        loss: str = "squared",
        *,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        max_depth: int | None = 3,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = None,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        estimator: Any | None = None,
        line_search: Literal["newton", "leaf", "global"] = "newton",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0001,
        criterion: Any = 'deprecated',
        init: Any = None,
        alpha: Any = 0.9,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.ccp_alpha = ccp_alpha
        self.estimator = estimator
        self.line_search = line_search
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.criterion = criterion
        self.init = init
        self.alpha = alpha
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class StackingClassifier(MembersMixin, ClassifierMixin, EnsembleMixin, ProbaMixin, RowsMixin, Estimator):
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
    _mercer_declared = frozenset({"proba", "members", "weights", "counts_rows", "ordered"})

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


class StackingRegressor(MembersMixin, RegressorMixin, EnsembleMixin, RowsMixin, Estimator):
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
    _mercer_declared = frozenset({"members", "weights", "counts_rows", "ordered"})

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


class VotingClassifier(MembersMixin, ClassifierMixin, EnsembleMixin, ProbaMixin, RowsMixin, Estimator):
    """Voting: the class that most members predict, or that is most probable to them on average.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members by name.
    voting : hard | soft, default="hard"
        Whether classes or probabilities are counted.
    weights : list of number or none in [0, inf), default=None
        The weight of each member; none means equal ones.
    flatten_transform : default=True
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
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
    _mercer_declared = frozenset({"proba", "explain", "members", "weights"})
    _mercer_door = {"flatten_transform": True}

    def __init__(
        self,
        estimators: Any,
        *,
        voting: Literal["hard", "soft"] = "hard",
        weights: Sequence[float] | None = None,
        flatten_transform: Any = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.flatten_transform = flatten_transform
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotingClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class VotingRegressor(MembersMixin, RegressorMixin, EnsembleMixin, RowsMixin, Estimator):
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
    _mercer_declared = frozenset({"explain", "members", "weights"})

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
