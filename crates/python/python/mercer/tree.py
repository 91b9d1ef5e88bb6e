# Written by `cargo xtask python` from the catalogue; do not edit.
"""DecisionTreeClassifier, DecisionTreeRegressor, Id3, C45, ModelTree."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin
from mercer._trees import (
    export_json,
    export_rules,
    export_text,
    plot_tree,
)
from mercer._trees import TreeMixin

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Id3",
    "C45",
    "ModelTree",
    "export_json",
    "export_rules",
    "export_text",
    "plot_tree",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class DecisionTreeClassifier(TreeMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Decision tree for classes: CART with exact splits, or splits between bins.

    Parameters
    ----------
    criterion : gini | entropy | log_loss | error, default="gini"
        How impure a node is.
    splitter : best | random, default="best"
        Whether the best or a random threshold of each feature is taken.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default=None
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    min_instances : number in [0, inf), default=0.0
        Tests with a leaf of less weight than this, and no other test below, are removed after growing; 0 removes none.
    reduced_error : true or false, default=False
        Whether subtrees that do not do better than a leaf on the validation rows are removed.
    monotonic_cst : list of integer or none, default=None
        Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,
        or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    max_bins : integer or none in [2, 255], default=None
        Most bins of a feature, between which splits are looked for; none looks between all values.
    ties : first | random, default="first"
        Whether the first of several features with equally good splits is taken, or one at random.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. Wadsworth, 1984.
    """

    _mercer_name = "DecisionTreeClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "explain", "explain_mapped", "trees", "weights", "sparse", "missing", "categorical", "multi_output"})

    def __init__(
        self,
        criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini",
        *,
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Literal["balanced"] | None = None,
        ccp_alpha: float = 0.0,
        min_instances: float = 0.0,
        reduced_error: bool = False,
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        max_bins: int | None = None,
        ties: Literal["first", "random"] = "first",
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.min_instances = min_instances
        self.reduced_error = reduced_error
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.ties = ties
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class DecisionTreeRegressor(TreeMixin, RegressorMixin, RowsMixin, Estimator):
    """Decision tree for numbers: CART with exact splits, or splits between bins.

    Parameters
    ----------
    criterion : squared_error | friedman_mse | absolute_error | poisson, default="squared_error"
        The loss that splits decrease.
    splitter : best | random, default="best"
        Whether the best or a random threshold of each feature is taken.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split : number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf : number, default=1
        Least rows of a leaf; fractions are shares of all rows.
    min_weight_fraction_leaf : number in [0, 0.5], default=0.0
        Least weight of a leaf, as a share of all weight.
    max_features : sqrt | log2 or number or none, default=None
        How many features are looked at for each split; none looks at all.
    max_leaf_nodes : integer or none in [2, inf), default=None
        Most leaves, grown best first; none is without limit.
    min_impurity_decrease : number in [0, inf), default=0.0
        Least decrease of impurity, times the node's share of the weight, of a split.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
    min_instances : number in [0, inf), default=0.0
        Tests with a leaf of less weight than this, and no other test below, are removed after growing; 0 removes none.
    reduced_error : true or false, default=False
        Whether subtrees that do not do better than a leaf on the validation rows are removed.
    monotonic_cst : list of integer or none, default=None
        Whether the prediction must rise (1) or fall (-1) with a column: signs by place, or names with signs.
    interaction_cst : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    max_bins : integer or none in [2, 255], default=None
        Most bins of a feature, between which splits are looked for; none looks between all values.
    ties : first | random, default="first"
        Whether the first of several features with equally good splits is taken, or one at random.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. Wadsworth, 1984.
    """

    _mercer_name = "DecisionTreeRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "explain_mapped", "trees", "weights", "sparse", "missing", "categorical", "multi_output"})

    def __init__(
        self,
        criterion: Literal["squared_error", "friedman_mse", "absolute_error", "poisson"] = "squared_error",
        *,
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Literal["sqrt", "log2"] | float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        min_instances: float = 0.0,
        reduced_error: bool = False,
        monotonic_cst: Sequence[int] | None = None,
        interaction_cst: Literal["pairwise", "no_interactions"] | None = None,
        max_bins: int | None = None,
        ties: Literal["first", "random"] = "first",
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.min_instances = min_instances
        self.reduced_error = reduced_error
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.ties = ties
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class Id3(TreeMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """ID3: a tree on discrete attributes with a branch for each value, chosen by information gain.

    Parameters
    ----------
    epsilon : number in [0, inf), default=0.0
        Least information gain of a split, in bits.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Quinlan. Induction of decision trees. Machine Learning 1, 1986.
    """

    _mercer_name = "Id3"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "trees", "weights", "missing", "categorical"})

    def __init__(
        self,
        epsilon: float = 0.0,
    ) -> None:
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Id3:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class C45(TreeMixin, ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """C4.5: a tree chosen by gain ratio, with thresholds, missing values and error-based pruning.

    Parameters
    ----------
    min_instances : number in (0, inf), default=2.0
        Least weight of at least two branches of a test.
    epsilon : number in [0, inf), default=0.0
        Least gain ratio of a test.
    prune : true or false, default=True
        Whether subtrees are replaced where pessimistic errors say so.
    confidence : number in (0, 1], default=0.25
        Confidence of pessimistic errors; less prunes more.
    raising : true or false, default=True
        Whether pruning may raise the heaviest branch of a subtree in its place.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Quinlan. C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993.
    """

    _mercer_name = "C45"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "trees", "weights", "missing", "categorical"})

    def __init__(
        self,
        min_instances: float = 2.0,
        *,
        epsilon: float = 0.0,
        prune: bool = True,
        confidence: float = 0.25,
        raising: bool = True,
    ) -> None:
        self.min_instances = min_instances
        self.epsilon = epsilon
        self.prune = prune
        self.confidence = confidence
        self.raising = raising

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> C45:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ModelTree(TreeMixin, RegressorMixin, RowsMixin, Estimator):
    """Model tree: a regression tree with linear models in its leaves (M5').

    Parameters
    ----------
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_instances : number in (0, inf), default=2.0
        Least weight of a leaf while growing.
    min_deviation : number in [0, 1], default=0.05
        Nodes that deviate less than this share of the target's standard deviation are not split.
    terms : tested | all, default="tested"
        Which features linear models may use.
    prune : true or false, default=True
        Whether terms and subtrees go where less error is expected without them.
    smoothing_k : number in [0, inf), default=15.0
        How much the models on the way to a leaf count; 0 does not smooth.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Wang, Witten. Inducing model trees for continuous classes. ECML, 1997.
    """

    _mercer_name = "ModelTree"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"trees", "weights", "missing", "categorical"})

    def __init__(
        self,
        max_depth: int | None = None,
        *,
        min_instances: float = 2.0,
        min_deviation: float = 0.05,
        terms: Literal["tested", "all"] = "tested",
        prune: bool = True,
        smoothing_k: float = 15.0,
    ) -> None:
        self.max_depth = max_depth
        self.min_instances = min_instances
        self.min_deviation = min_deviation
        self.terms = terms
        self.prune = prune
        self.smoothing_k = smoothing_k

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ModelTree:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
