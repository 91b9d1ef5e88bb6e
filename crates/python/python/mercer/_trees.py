"""Trees to read: as text, rules, JSON and drawings, and which way rows take through them."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._base import Estimator
from mercer._bunch import Bunch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any


def _model(estimator):
    if not isinstance(estimator, Estimator):
        raise TypeError(f"{type(estimator).__name__} is no estimator of Mercer's; sklearn.tree shows scikit-learn's trees")
    return estimator._model


def _names(feature_names):
    return None if feature_names is None else [str(name) for name in feature_names]


def _tree(tree):
    if not isinstance(tree, numbers.Integral) or isinstance(tree, bool) or tree < 0:
        raise ValueError(f"`tree` must be the place of a tree, counted from 0, got {tree!r}")
    return int(tree)


def export_text(decision_tree: Any, *, tree: int = 0, feature_names: Any = None) -> str:
    """A tree as indented text.

    Parameters
    ----------
    decision_tree : estimator
        A fitted decision tree, forest, histogram booster, or pipeline that ends in one.
    tree : int, default=0
        Which tree of a forest.
    feature_names : list of str, default=None
        Names in place of those of training, or of x0, x1, …

    Returns
    -------
    str
    """
    return _mercer.tree_text(_model(decision_tree), _tree(tree), _names(feature_names))


def export_rules(decision_tree: Any, *, tree: int = 0, feature_names: Any = None) -> list[str]:
    """A tree as rules, one for each leaf: ``"if a <= 1 and b > 2 then class x [12 rows]"``.

    Parameters
    ----------
    decision_tree : estimator
        A fitted decision tree, forest, histogram booster, or pipeline that ends in one.
    tree : int, default=0
        Which tree of a forest.
    feature_names : list of str, default=None
        Names in place of those of training, or of x0, x1, …

    Returns
    -------
    list of str
    """
    return _mercer.tree_rules(_model(decision_tree), _tree(tree), _names(feature_names))


def export_json(decision_tree: Any, *, tree: int = 0, feature_names: Any = None) -> str:
    """A tree as JSON: ``{"nodes": [...]}``, the root first, each with feature, threshold, branches, value and weight.

    Parameters
    ----------
    decision_tree : estimator
        A fitted decision tree, forest, histogram booster, or pipeline that ends in one.
    tree : int, default=0
        Which tree of a forest.
    feature_names : list of str, default=None
        Names in place of those of training, or of x0, x1, …

    Returns
    -------
    str
    """
    return _mercer.tree_json(_model(decision_tree), _tree(tree), _names(feature_names))


class Drawing:
    """A picture, which notebooks show.

    Attributes
    ----------
    svg : str
        The picture as SVG: it needs no other file, follows the reader's light or dark theme, and prints.
    """

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def __str__(self):
        return self.svg

    def __repr__(self):
        return f"<Drawing: {len(self.svg)} characters of SVG; save(path) writes it>"

    def save(self, path):
        """Write the picture to a file.

        Parameters
        ----------
        path : str or path-like
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def plot_tree(
    decision_tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    tree: int = 0,
    max_depth: int = 6,
    feature_names: Any = None,
    title: str = "",
    path: str | PathLike[str] | None = None,
) -> Drawing:
    """Draw a tree.

    With `X` and `y`, normally the rows of training, each node shows the histogram of the feature that it tests, by
    class, and where it is cut; each leaf shows the target. Without them, nodes show the class shares that they keep.

    Parameters
    ----------
    decision_tree : estimator
        A fitted decision tree, forest, histogram booster, or pipeline that ends in one.
    X, y : rows and their target, default=None
        What the histograms count.
    sample_weight : array, default=None
        Weights of the rows.
    tree : int, default=0
        Which tree of a forest.
    max_depth : int, default=6
        Tests below so many levels are only counted; at most 12.
    feature_names : list of str, default=None
        Names in place of those of training, or of x0, x1, …
    title : str, default=""
        Heading.
    path : str or path-like, default=None
        Where to write the picture, too.

    Returns
    -------
    Drawing
        Shown by notebooks; ``svg`` is its text.
    """
    model, data = _model(decision_tree), None
    if (X is None) != (y is None):
        raise ValueError("give both `X` and `y`, or none of them")
    if not isinstance(max_depth, numbers.Integral) or max_depth < 1:
        raise ValueError(f"`max_depth` must be a whole number of at least 1, got {max_depth!r}")
    if X is not None:
        from mercer._target import prepare_known_target, prepare_weights

        x = decision_tree._prepare(X, "plot_tree")
        weights = None if sample_weight is None else prepare_weights(sample_weight, x)
        data = x, prepare_known_target(decision_tree, y, model, x), weights
    drawing = Drawing(_mercer.draw_tree(model, _tree(tree), _names(feature_names), data, str(title), int(max_depth)))
    if path is not None:
        drawing.save(path)
    return drawing


class TreeMixin:
    """Single decision trees."""

    @property
    def tree_(self):
        """The tree as arrays, as scikit-learn has them."""
        model = self._model
        if self.__dict__.get("_tree", (None,))[0] is not model:
            from mercer._tree_arrays import Tree

            self.__dict__["_tree"] = model, Tree(self)
        return self.__dict__["_tree"][1]

    @property
    def max_features_(self):
        """How many features each split may look at."""
        return max_features(self.max_features, self.n_features_in_)

    def get_depth(self):
        """The number of tests on the longest way to a leaf."""
        return self.tree_.max_depth

    def get_n_leaves(self):
        """The number of leaves."""
        return self.tree_.n_leaves

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """The strengths of `ccp_alpha` at which the tree of these rows gets smaller.

        Returns
        -------
        Bunch
            ``ccp_alphas`` and ``impurities``, the impurity of the leaves at each.
        """
        from mercer._target import prepare_weights

        x, _ = self._prepare_fit(X)
        target, _ = self._prepare_target(y, x)
        weights = None if sample_weight is None else prepare_weights(sample_weight, x)
        params = {**self._core_params(), "ccp_alpha": 0.0}
        alphas, impurities = _mercer.pruning_path(self._mercer_name, params, (x, target, weights), self._seed())
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def apply(self, X):
        """The leaf of every row, by its node.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return _mercer.leaves(self._model, self._prepare(X, "apply"), 0)[:, 0]

    def decision_path(self, X):
        """Which nodes each row comes by.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_nodes)
            1 where a row comes by a node.
        """
        return paths(self, X)[0]


def max_features(given, n_features):
    """How many features `max_features` means."""
    if given is None:
        return n_features
    if isinstance(given, str):
        import math

        return max(1, int(math.sqrt(n_features) if given == "sqrt" else math.log2(n_features)))
    return int(given) if isinstance(given, numbers.Integral) else max(1, int(given * n_features))


def paths(estimator, X):
    """Which nodes of which trees each row comes by, and where each tree begins among the columns."""
    import numpy as np
    from scipy.sparse import csr_matrix

    pointers, indices, starts = _mercer.tree_paths(estimator._model, estimator._prepare(X, "decision_path"), 0)
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, pointers), shape=(len(pointers) - 1, int(starts[-1]))), starts
