"""Hierarchies of mergers, and clusters from them, as scikit-learn has it."""

import warnings

from mercer import _mercer
from mercer._density import TransductiveMixin
from mercer._lazy import Lazy

np = Lazy("numpy")
_data = Lazy("mercer._data")


def _connected(connectivity, X, n):
    """The pairs of `n` rows or features that are connected, from a matrix of all pairs, a function that makes it, or pairs."""
    given = connectivity(X) if callable(connectivity) else connectivity
    if given is None:
        return None
    given = given.tocoo() if _data.is_sparse(given) else np.asarray(given)
    if not _data.is_sparse(given) and given.ndim == 2 and given.shape[1] == 2 and n != 2:
        return given.astype(float).tolist()
    if given.shape != (n, n):
        shape = getattr(X, "shape", None) or np.shape(X)
        raise ValueError(f"Wrong shape for connectivity matrix: {given.shape} when X is {tuple(shape)}")
    return np.column_stack(given.nonzero()).astype(float).tolist()


class MergersMixin:
    """What is said of a tree of mergers, of rows or of features."""

    def _depends_on_rows(self):
        return self.connectivity is not None or super()._depends_on_rows()

    def _core_params(self):
        # Which rows are connected is said with the rows.
        return {**super()._core_params(), "connectivity": None}

    def _fit_params(self, X):
        return {**super()._fit_params(X), "connectivity": self.__dict__.get("_pairs")}

    def _check_cut(self):
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set.")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(
                f"{self.metric} was provided as metric. Ward can only work with euclidean distances (i.e. 'euclidean' and 'l2')."
            )

    def _along(self, pairs, learn):
        """What is learnt along connections; parts that nothing connects are told of."""
        self.__dict__["_pairs"] = pairs
        try:
            made = learn()
        finally:
            del self.__dict__["_pairs"]
        parts = int(self._model.attributes()["n_connected_components_"])
        if parts > 1:
            message = (
                f"the number of connected components of the connectivity matrix is {parts} > 1. Completing it to avoid "
                "stopping the tree early."
            )
            warnings.warn(message, UserWarning, stacklevel=6)
        return made

    def _made(self, n):
        """How many mergers are told of, of a tree of `n` rows."""
        full = self.compute_full_tree
        if self.connectivity is None or self.n_clusters is None:
            full = True
        elif full == "auto":
            full = self.n_clusters < max(100, 0.02 * n)
        return n - 1 if full else n - self.n_clusters

    def __getattr__(self, name):
        value = super().__getattr__(name)
        return value[: self._made(len(value) + 1)] if name in ("children_", "distances_") else value


class AgglomerativeMixin(MergersMixin, TransductiveMixin):
    """Trees of mergers of rows."""

    _door_meant = frozenset({"metric_params", "compute_full_tree", "compute_distances"})

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_cut()
        shape = getattr(X, "shape", None) or np.shape(X)
        if self._is_pairwise() and len(shape) == 2 and shape[0] != shape[1]:
            raise ValueError(f"Distance matrix should be square, got matrix of shape {tuple(shape)}")
        learn = super()._learn
        return self._along(_connected(self.connectivity, X, shape[0]), lambda: learn(fit, X, y, sample_weight, **extra))

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from."""
        return super().predict(X)


class FeatureAgglomerationMixin(MergersMixin):
    """Trees of mergers of features."""

    _door_meant = frozenset({"compute_full_tree", "compute_distances"})

    def _core_params(self):
        params = super()._core_params()
        if callable(params["pooling_func"]):
            # numpy's amax and amin are its max and min.
            name = getattr(self.pooling_func, "__name__", "").removeprefix("a")
            if name not in ("mean", "median", "min", "max"):
                raise ValueError(f"`pooling_func` must be numpy's mean, median, min or max, or one of these names, got {self.pooling_func!r}")
            params["pooling_func"] = name
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_cut()
        learn, pairs = super()._learn, None
        if self.connectivity is not None:
            features = (X if hasattr(X, "T") else np.asarray(X)).T
            pairs = _connected(self.connectivity, features, features.shape[0])
        return self._along(pairs, lambda: learn(fit, X, y, sample_weight, **extra))


def linkage_tree(X, connectivity=None, n_clusters=None, linkage="complete", affinity="euclidean", return_distance=False):
    """The mergers of a hierarchy by complete, average or single linkage.

    Parameters
    ----------
    X : rows
    connectivity : sparse matrix or array of shape (n_samples, n_samples), default=None
        Which rows are connected; all are where it is not given.
    n_clusters : int, default=None
        With connectivity, mergers end at so many clusters.
    linkage : {"complete", "average", "single"}, default="complete"
    affinity : str or callable, default="euclidean"
        The metric, or a function of the rows that gives the distances of all pairs.
    return_distance : bool, default=False

    Returns
    -------
    children : ndarray of shape (n_mergers, 2)
    n_connected_components : int
    n_leaves : int
    parents : ndarray or None
        The merger of each node; None without connectivity.
    distances : ndarray of shape (n_mergers,)
        The heights, with `return_distance`.
    """
    if linkage not in ("complete", "average", "single"):
        raise ValueError(f"Unknown linkage option, linkage should be one of complete, average and single, but {linkage!r} was given")
    X = np.asarray(X)
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    if isinstance(affinity, str) and affinity == "cosine" and not X.any(axis=1).all():
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors")
    if callable(affinity):
        X, affinity = affinity(X), "precomputed"
    return _tree(X, connectivity, n_clusters, linkage, affinity, return_distance)


def ward_tree(X, *, connectivity=None, n_clusters=None, return_distance=False):
    """The mergers of a hierarchy by Ward's linkage.

    Parameters and what is returned are those of `linkage_tree`.

    Returns
    -------
    children, n_connected_components, n_leaves, parents, and with `return_distance` distances
    """
    X = np.asarray(X)
    return _tree(X.reshape(-1, 1) if X.ndim == 1 else X, connectivity, n_clusters, "ward", "euclidean", return_distance)


def _tree(X, connectivity, n_clusters, linkage, metric, return_distance):
    from mercer.cluster import AgglomerativeClustering

    n = len(X)
    if connectivity is None and n_clusters is not None:
        message = (
            "Partial build of the tree is implemented only for structured clustering (i.e. with explicit connectivity). The "
            "algorithm will build the full tree and only retain the lower branches required for the specified number of clusters"
        )
        warnings.warn(message, UserWarning, stacklevel=3)
    elif n_clusters is not None and n_clusters > n:
        raise ValueError(f"Cannot provide more clusters than samples. {n_clusters} n_clusters was asked, and there are {n} samples.")
    made = AgglomerativeClustering(n_clusters=1, metric=metric, linkage=linkage, connectivity=connectivity).fit(X)
    mergers = n - 1 if n_clusters is None or connectivity is None else n - n_clusters
    children, parents = made.children_[:mergers], None
    if connectivity is not None:
        parents = np.arange(n + mergers)
        parents[children] = n + np.arange(mergers)[:, None]
    found = children, int(made.n_connected_components_), n, parents
    return (*found, made.distances_[:mergers]) if return_distance else found


def plot_dendrogram(estimator, *, max_leaves=40, labels=None, title="", path=None):
    """Draw the last mergers of a hierarchy.

    Parameters
    ----------
    estimator : AgglomerativeClustering or HDBSCAN
        A fitted one.
    max_leaves : int, default=40
        The mergers below so many groups are only counted; at most 200.
    labels : list of str, default=None
        A name for each row learnt from.
    title : str, default=""
        Heading.
    path : str or path-like, default=None
        Where to write the picture, too.

    Returns
    -------
    Drawing
        Shown by notebooks; ``svg`` is its text.
    """
    from mercer._trees import Drawing

    if not 2 <= max_leaves <= 200:
        raise ValueError(f"`max_leaves` must be in [2, 200], got {max_leaves!r}")
    found, cut = estimator._model.attributes(), None
    mergers, heights = _mergers(estimator, "plot_dendrogram")
    if "n_clusters_" in found:
        made = len(heights) - int(found["n_clusters_"])
        ends = [heights[i] for i in (made, made + 1) if 0 <= i < len(heights)]
        cut = float(np.mean(ends)) if ends else None
    pairs = [tuple(pair) for pair in np.asarray(mergers, dtype=int).tolist()]
    names = None if labels is None else [str(one) for one in labels]
    if names is not None and len(names) != len(pairs) + 1:
        raise ValueError(f"`labels` wants {len(pairs) + 1} names, one for each row, got {len(names)}")
    svg = _mercer.draw_dendrogram(pairs, np.asarray(heights, dtype=float).tolist(), cut, names, int(max_leaves), str(title))
    drawing = Drawing(svg)
    if path is not None:
        drawing.save(path)
    return drawing


def _mergers(estimator, what):
    """The two groups of each merger, and its height."""
    found = estimator._model.attributes() if hasattr(estimator, "_model") else {}
    if "children_" in found:
        return found["children_"].astype(int), found["distances_"]
    if "linkage_" in found:
        return found["linkage_"][:, :2].astype(int), found["linkage_"][:, 2]
    raise TypeError(f"{what} takes a fitted hierarchy, got a {type(estimator).__name__}")


def linkage_matrix(estimator):
    """The mergers of a hierarchy as the functions of scipy.cluster.hierarchy take them: fcluster, dendrogram, optimal_leaf_ordering.

    Parameters
    ----------
    estimator : AgglomerativeClustering or HDBSCAN
        A fitted one.

    Returns
    -------
    ndarray of shape (n_samples - 1, 4)
        The two groups of each merger, the lower number first, its height and its rows.
    """
    pairs, heights = _mergers(estimator, "linkage_matrix")
    n = len(pairs) + 1
    sizes = np.ones(2 * n - 1)
    for i, (left, right) in enumerate(pairs):
        sizes[n + i] = sizes[left] + sizes[right]
    return np.column_stack([np.sort(pairs, axis=1), heights, sizes[n:]])


def _groups(pairs, made):
    """For each row the number of the group that it is in where only the mergers in `made` are made."""
    n = len(pairs) + 1
    group = np.arange(2 * n - 1)
    # From the last merger to the first: what is merged belongs to whom its merger belongs to.
    for i in np.flatnonzero(made)[::-1]:
        group[pairs[i]] = group[n + i]
    return group[:n]


def cut_tree(estimator, *, n_clusters=None, height=None):
    """The clusters of a hierarchy at another cut, without learning it anew.

    Parameters
    ----------
    estimator : AgglomerativeClustering or HDBSCAN
        A fitted one.
    n_clusters : int, default=None
        The last mergers are undone until there are so many.
    height : float, default=None
        Mergers above this height are undone, in place of `n_clusters`.

    Returns
    -------
    ndarray of shape (n_samples,)
        The cluster of each row, numbered by their first rows.
    """
    pairs, heights = _mergers(estimator, "cut_tree")
    n = len(pairs) + 1
    if (n_clusters is None) == (height is None):
        raise ValueError("Exactly one of n_clusters and height has to be given.")
    if n_clusters is not None and not 1 <= n_clusters <= n:
        raise ValueError(f"`n_clusters` must be in [1, {n}], got {n_clusters!r}")
    # Where connections let heights fall, a merger stands only on mergers that are made.
    highest = np.array(heights, dtype=float)
    for i, (left, right) in enumerate(pairs):
        highest[i] = max([highest[i], *(highest[end - n] for end in (left, right) if end >= n)])
    made = np.arange(n - 1) < n - n_clusters if n_clusters is not None else highest <= height
    _, first, label = np.unique(_groups(pairs, made), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label]


def cophenetic_distances(estimator):
    """For each pair of rows the height at which they come together, in the order of scipy.spatial.distance.pdist.

    Parameters
    ----------
    estimator : AgglomerativeClustering or HDBSCAN
        A fitted one.

    Returns
    -------
    ndarray of shape (n_samples * (n_samples - 1) / 2,)
    """
    pairs, heights = _mergers(estimator, "cophenetic_distances")
    n = len(pairs) + 1
    out, members = np.zeros((n, n)), [np.array([i]) for i in range(n)]
    for (left, right), height in zip(pairs, heights):
        a, b = members[left], members[right]
        out[np.ix_(a, b)] = out[np.ix_(b, a)] = height
        members.append(np.concatenate([a, b]))
        members[left] = members[right] = None
    return out[np.triu_indices(n, 1)]
