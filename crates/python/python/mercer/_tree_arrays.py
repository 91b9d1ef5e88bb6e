"""A fitted tree as arrays, one entry a node: what scikit-learn's users know as `tree_`."""

import numpy as np

from mercer import _mercer


class Tree:
    """The nodes of a decision tree as arrays. Node 0 is the root; a node comes before its children.

    Attributes
    ----------
    node_count, max_depth, n_leaves, n_features, n_outputs, max_n_classes : int
    n_classes : ndarray of shape (n_outputs,)
    children_left, children_right : ndarray of shape (node_count,)
        Nodes, or -1 for a leaf.
    feature : ndarray of shape (node_count,)
        The feature that is tested, or -2 for a leaf.
    threshold : ndarray of shape (node_count,)
        Rows with at most this value go left; -2 for a leaf, NaN where a set of levels goes left.
    impurity, weighted_n_node_samples : ndarray of shape (node_count,)
    n_node_samples : ndarray of shape (node_count,)
    missing_go_to_left : ndarray of shape (node_count,)
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Shares of classes, or means and medians.
    """

    def __init__(self, estimator):
        self._estimator = estimator
        arrays = _mercer.tree_arrays(estimator._model, 0)
        value = arrays.pop("value")
        for name, array in arrays.items():
            setattr(self, name, array)
        self.missing_go_to_left = self.missing_go_to_left.astype(np.uint8)
        classes = getattr(estimator, "n_classes_", None)
        if classes is None:
            self.n_classes = np.ones(value.shape[1], dtype=np.int64)
        else:
            self.n_classes = np.atleast_1d(np.asarray(classes, dtype=np.int64))
        self.n_outputs, self.max_n_classes = len(self.n_classes), int(self.n_classes.max(initial=1))
        self.value = np.zeros((len(value), self.n_outputs, self.max_n_classes))
        for output, stop in enumerate(np.cumsum(self.n_classes)):
            width = self.n_classes[output]
            self.value[:, output, :width] = value[:, stop - width : stop]
        self.node_count, self.n_features = len(value), estimator.n_features_in_
        self.capacity, self.max_depth = self.node_count, int(self._depths().max(initial=1) - 1)
        self.n_leaves = int((self.children_left < 0).sum())

    def _depths(self):
        depths = np.ones(self.node_count, dtype=np.int64)
        for node in np.flatnonzero(self.children_left >= 0):
            depths[[self.children_left[node], self.children_right[node]]] = depths[node] + 1
        return depths

    def compute_node_depths(self):
        """How deep each node is; the root is 1."""
        return self._depths()

    def compute_feature_importances(self, normalize=True):
        """The decrease of impurity that each feature brought."""
        importances = np.zeros(self.n_features)
        inner = np.flatnonzero(self.children_left >= 0)
        part = self.weighted_n_node_samples * self.impurity
        decrease = part[inner] - part[self.children_left[inner]] - part[self.children_right[inner]]
        np.add.at(importances, self.feature[inner], decrease)
        importances /= self.weighted_n_node_samples[0]
        total = importances.sum()
        return importances / total if normalize and total > 0.0 else importances

    def apply(self, X):
        """The leaf of each row."""
        return self._estimator.apply(X)

    def decision_path(self, X):
        """Which nodes each row comes by, a sparse matrix."""
        return self._estimator.decision_path(X)

    def predict(self, X):
        """The `value` of each row's leaf."""
        return self.value.take(self.apply(X), axis=0)
