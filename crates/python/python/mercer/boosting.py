# Written by `cargo xtask python` from the catalogue; do not edit.
"""Booster."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import TaskMixin
from mercer._mixins import GroupsMixin, RowsMixin

__all__ = [
    "Booster",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class Booster(TaskMixin, GroupsMixin, RowsMixin, Estimator):
    """Gradient boosting with every option of the engine, under LightGBM's names.

    Parameters
    ----------
    objective : regression | regression_l1 | huber | quantile | poisson | gamma | tweedie | binary | multiclass | exponential | lambdarank, default="regression"
        What is learnt.
    boosting : gbdt | dart | goss, default="gbdt"
        How rounds follow each other.
    grow : leaf | depth, default="leaf"
        How a tree grows.
    num_iterations : integer in [1, inf), default=100
        Rounds of boosting.
    learning_rate : number in (0, inf), default=0.1
        What each tree's leaves are multiplied by.
    num_leaves : integer in [2, inf), default=31
        Most leaves of a tree.
    max_depth : integer or none in [1, inf), default=None
        Most splits on the way to a leaf; none is without limit.
    min_data_in_leaf : integer in [1, inf), default=20
        Least rows of a leaf.
    min_sum_hessian_in_leaf : number in [0, inf), default=0.001
        Least hessian of a leaf.
    min_gain_to_split : number in [0, inf), default=0.0
        Least gain of a split.
    lambda_l1 : number in [0, inf), default=0.0
        Strength of the L1 penalty on leaves.
    lambda_l2 : number in [0, inf), default=0.0
        Strength of the L2 penalty on leaves.
    feature_fraction : number in (0, 1], default=1.0
        The share of features that a tree may use.
    feature_fraction_bynode : number in (0, 1], default=1.0
        The share of those that is looked at for each split.
    bagging_fraction : number in (0, 1], default=1.0
        The share of rows in a bag.
    bagging_freq : integer in [0, inf), default=0
        Rounds after which a new bag is drawn; 0 draws none.
    top_rate : number in (0, 1), default=0.2
        The share of rows of large gradients that `goss` keeps.
    other_rate : number in (0, 1), default=0.1
        The share of rows that `goss` draws from the others.
    drop_rate : number in [0, 1], default=0.1
        The chance of a tree to be dropped by `dart`.
    max_drop : integer in [1, inf), default=50
        Most rounds that `dart` drops at once.
    skip_drop : number in [0, 1], default=0.5
        The chance that a round of `dart` drops none.
    max_bin : integer in [2, 255], default=255
        Most bins of a column, without that of missing values.
    enable_bundle : true or false, default=True
        Whether columns that are never away from their most frequent bin together share histograms: the same model, sooner.
    categorical : auto | partition | target, default="auto"
        How columns of levels are split.
    cat_smooth : number in [0, inf), default=10.0
        Added to the hessian of a level before levels are ordered.
    cat_l2 : number in [0, inf), default=10.0
        Added to `lambda_l2` for splits of levels.
    max_cat_to_onehot : integer in [0, inf), default=4
        Columns of at most so many levels are split one level against the others.
    max_cat_threshold : integer in [1, inf), default=8
        Most levels that a split names of a column of more than 32; the others go the other way.
    alpha : number in (0, inf), default=0.9
        Where Huber's loss turns absolute, or the quantile.
    tweedie_variance_power : number in (1, 2), default=1.5
        The power of the Tweedie deviance.
    linear_tree : true or false, default=False
        Whether leaves hold linear functions of the numeric columns split on the way to them.
    linear_lambda : number in [0, inf), default=0.0
        Strength of the L2 penalty on the coefficients of these functions.
    monotone_constraints : list of integer or none, default=None
        Whether the prediction must rise (1) or fall (-1) with a column.
    interaction_constraints : pairwise | no_interactions or none, default=None
        Which columns may meet on a way from the root to a leaf.
    early_stopping_round : integer in [0, inf), default=0
        Rounds without improvement before stopping; 0 never stops.
    validation_fraction : number in (0, 1), default=0.1
        The share of rows set aside for early stopping where the data bring no validation rows.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
    - Rashmi, Gilad-Bachrach. DART: dropouts meet multiple additive regression trees. AISTATS, 2015.
    """

    _mercer_name = "Booster"
    _mercer_declared = frozenset({"explain", "trees", "weights", "sparse", "missing", "categorical", "multi_output", "counts_rows", "ordered"})

    def __init__(
        self,
        objective: Literal["regression", "regression_l1", "huber", "quantile", "poisson", "gamma", "tweedie", "binary", "multiclass", "exponential", "lambdarank"] = "regression",
        *,
        boosting: Literal["gbdt", "dart", "goss"] = "gbdt",
        grow: Literal["leaf", "depth"] = "leaf",
        num_iterations: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        max_depth: int | None = None,
        min_data_in_leaf: int = 20,
        min_sum_hessian_in_leaf: float = 0.001,
        min_gain_to_split: float = 0.0,
        lambda_l1: float = 0.0,
        lambda_l2: float = 0.0,
        feature_fraction: float = 1.0,
        feature_fraction_bynode: float = 1.0,
        bagging_fraction: float = 1.0,
        bagging_freq: int = 0,
        top_rate: float = 0.2,
        other_rate: float = 0.1,
        drop_rate: float = 0.1,
        max_drop: int = 50,
        skip_drop: float = 0.5,
        max_bin: int = 255,
        enable_bundle: bool = True,
        categorical: Literal["auto", "partition", "target"] = "auto",
        cat_smooth: float = 10.0,
        cat_l2: float = 10.0,
        max_cat_to_onehot: int = 4,
        max_cat_threshold: int = 8,
        alpha: float = 0.9,
        tweedie_variance_power: float = 1.5,
        linear_tree: bool = False,
        linear_lambda: float = 0.0,
        monotone_constraints: Sequence[int] | None = None,
        interaction_constraints: Literal["pairwise", "no_interactions"] | None = None,
        early_stopping_round: int = 0,
        validation_fraction: float = 0.1,
    ) -> None:
        self.objective = objective
        self.boosting = boosting
        self.grow = grow
        self.num_iterations = num_iterations
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.max_depth = max_depth
        self.min_data_in_leaf = min_data_in_leaf
        self.min_sum_hessian_in_leaf = min_sum_hessian_in_leaf
        self.min_gain_to_split = min_gain_to_split
        self.lambda_l1 = lambda_l1
        self.lambda_l2 = lambda_l2
        self.feature_fraction = feature_fraction
        self.feature_fraction_bynode = feature_fraction_bynode
        self.bagging_fraction = bagging_fraction
        self.bagging_freq = bagging_freq
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.drop_rate = drop_rate
        self.max_drop = max_drop
        self.skip_drop = skip_drop
        self.max_bin = max_bin
        self.enable_bundle = enable_bundle
        self.categorical = categorical
        self.cat_smooth = cat_smooth
        self.cat_l2 = cat_l2
        self.max_cat_to_onehot = max_cat_to_onehot
        self.max_cat_threshold = max_cat_threshold
        self.alpha = alpha
        self.tweedie_variance_power = tweedie_variance_power
        self.linear_tree = linear_tree
        self.linear_lambda = linear_lambda
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.early_stopping_round = early_stopping_round
        self.validation_fraction = validation_fraction

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Booster:
        """Learn from rows and their targets; rows with the same value of `groups` are one query of a ranking."""
        return self._fit(X, y, sample_weight, groups=groups)
