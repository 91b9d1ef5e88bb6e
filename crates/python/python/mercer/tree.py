# Written by `cargo xtask python` from the catalogue; do not edit.
"""DecisionTreeClassifier, DecisionTreeRegressor."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, ProbaMixin, RegressorMixin, RowsMixin

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class DecisionTreeClassifier(ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Decision tree for classes: CART with exact splits.

    Parameters
    ----------
    criterion : gini | entropy | log_loss, default="gini"
        How impure a node is.
    splitter : best | random, default="best"
        Whether the best or a random threshold of each feature is taken.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split :  or number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf :  or number, default=1
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
        How classes are weighted; none leaves them as they are.
    ccp_alpha : number in [0, inf), default=0.0
        Strength of cost-complexity pruning.
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
    _mercer_can = frozenset({"proba", "weights", "missing", "categorical"})

    def __init__(
        self,
        criterion: Literal["gini", "entropy", "log_loss"] = "gini",
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
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class DecisionTreeRegressor(RegressorMixin, RowsMixin, Estimator):
    """Decision tree for numbers: CART with exact splits.

    Parameters
    ----------
    criterion : squared_error | absolute_error | poisson, default="squared_error"
        The loss that splits decrease.
    splitter : best | random, default="best"
        Whether the best or a random threshold of each feature is taken.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_samples_split :  or number, default=2
        Least rows of a node that is split; fractions are shares of all rows.
    min_samples_leaf :  or number, default=1
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
    _mercer_can = frozenset({"weights", "missing", "categorical", "multi_output"})

    def __init__(
        self,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
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
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
