"""Clusterers of the rows that they learn from: metrics of all kinds, rows that are not finite, and functions, as scikit-learn
has it."""

import warnings

from mercer import _mercer
from mercer._lazy import Lazy
from mercer._neighbors import _distances, _is_own

np = Lazy("numpy")
_data = Lazy("mercer._data")

# What scikit-learn's trees take; here trees serve norms, and all other metrics look at every row.
_KD_TREE = frozenset("euclidean l2 minkowski p manhattan cityblock l1 chebyshev infinity".split())
_BALL_TREE = _KD_TREE | frozenset(
    "seuclidean mahalanobis hamming canberra braycurtis jaccard dice rogerstanimoto russellrao sokalmichener sokalsneath "
    "haversine pyfunc".split()
)
_BOOLEAN = frozenset("dice jaccard rogerstanimoto russellrao sokalsneath yule".split())
# Metrics that depend on more than two rows.
_FITTED = frozenset({"seuclidean", "mahalanobis", "nan_euclidean"})
_NORMS = {1: "manhattan", 2: "euclidean", float("inf"): "chebyshev"}
# The labels of rows with infinite values, and of those with missing ones.
_INFINITE, _MISSING = -2, -3


def _dense(X):
    """Rows as a metric sees them that is no part of the compiled whole."""
    return X.toarray() if _data.is_sparse(X) else np.asarray(X, dtype=float)


class TransductiveMixin:
    """Clusterers of the rows that they learn from; a new row has the cluster of the nearest of those.

    Metrics that the compiled part does not know by name, functions among them, are measured here: the compiled part then sees
    the distances of all pairs."""

    _door_meant = frozenset({"metric_params"})

    def _is_pairwise(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _depends_on_rows(self):
        return self._measures()

    def _mercer_spec(self):
        if self._depends_on_rows():
            raise TypeError(f"{type(self).__name__} as it is set works alone, not inside of a compiled whole: {self!r}")
        return super()._mercer_spec()

    def _given(self):
        return dict(getattr(self, "metric_params", None) or {})

    def _measures(self):
        """Whether distances are measured here."""
        given = self._given()
        if self.metric == "minkowski" and (hasattr(self, "p") or given.get("p", 2) in _NORMS):
            given.pop("p", None)
        return _is_own(self.metric) or self.metric in _FITTED or bool(given)

    def _core_params(self):
        params, given = super()._core_params(), self._given()
        if self._measures():
            return {**params, "metric": "precomputed"}
        if "p" in given and "p" in params:
            params["p"] = given["p"]
        elif "p" in given:
            params["metric"] = _NORMS[given["p"]]
        return params

    def _far(self, a, b):
        """The distances of all pairs of rows of `a` and of `b`, those learnt from."""
        if _is_own(self.metric):
            return _distances(a, b, self.metric, self._given())
        from mercer.neighbors import NearestNeighbors

        given = self._given()
        p = given.pop("p", getattr(self, "p", None))
        found = NearestNeighbors(n_neighbors=len(b), metric=self.metric, p=2 if p is None else p, metric_params=given or None)
        distances, which = found.fit(b).kneighbors(a)
        out = np.empty_like(distances)
        np.put_along_axis(out, which, distances, axis=1)
        return out

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        rows = None
        if getattr(self, "p", None) is not None and "p" in self._given():
            message = "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored."
            warnings.warn(message, SyntaxWarning, stacklevel=5)
        if self._measures():
            rows = _dense(X)
            if rows.ndim != 2:
                _data.refuse_dimensions(self, rows)
            _data.check_columns(self, rows.shape)
            X = self._far(rows, rows)
        elif self._is_pairwise() and _data.is_sparse(X):
            X = self._graph(X)
        before = self.__dict__.pop("_measured", None)
        try:
            made = super()._learn(fit, X, y, sample_weight, **extra)
        except BaseException:
            self.__dict__["_measured"] = before
            raise
        self.__dict__["_measured"] = rows
        return made

    def _graph(self, X):
        """Distances of which most are left out, and are infinite; each row is near itself."""
        from scipy.sparse import csr_array

        given = X.tocoo()
        apart, own = given.row != given.col, np.arange(min(X.shape))
        rows, columns = np.append(given.row[apart], own), np.append(given.col[apart], own)
        return csr_array((np.append(given.data[apart], X.diagonal()), (rows, columns)), shape=X.shape)

    def _prepare(self, X, method):
        self._model
        if self.__dict__.get("_measured") is None:
            return super()._prepare(X, method)
        rows = _dense(X)
        if rows.ndim != 2:
            _data.refuse_dimensions(self, rows)
        width = self._measured.shape[1]
        if rows.shape[1] != width:
            raise ValueError(f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting {width} features as input")
        return super()._prepare(self._far(rows, self._measured), method)

    def __getattr__(self, name):
        rows = self.__dict__.get("_measured")
        if rows is not None and name == "n_features_in_":
            return rows.shape[1]
        if rows is not None and name == "components_":
            return rows[self.core_sample_indices_]
        return super().__getattr__(name)

    def save(self, path):
        """Write the fitted model to a file; a metric that only Python knows cannot be saved, and is refused."""
        if self.__dict__.get("_measured") is not None:
            raise NotImplementedError(
                f"`metric={self.metric!r}` of {type(self).__name__} is measured in Python, which no model file can hold; pickle "
                "the estimator instead"
            )
        return super().save(path)

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from, for DBSCAN of the nearest core within `eps` (else -1)."""
        if self.__dict__.get("_measured") is not None:
            return self._model.predict(self._prepare(X, "predict"))
        return super().predict(X)


class ByDensityMixin(TransductiveMixin):
    """Clusterers by density."""


class MedoidsMixin(TransductiveMixin):
    """Clusters about rows."""

    def predict(self, X):
        """The cluster of the nearest medoid."""
        return super().predict(X)


class HDBSCANMixin:
    """What surrounds the tree: metrics by algorithm, rows that are not finite, distances that are given, cuts."""

    _door_meant = frozenset({"metric_params", "copy"})

    def _core_params(self):
        params = super()._core_params()
        return {**params, "store_centers": None} if self._measures() else params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        sparse = _data.is_sparse(X)
        if self._is_pairwise() and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        for algorithm, name, known in (("kd_tree", "KDTree", _KD_TREE), ("ball_tree", "BallTree", _BALL_TREE)):
            if self.algorithm == algorithm and (callable(self.metric) or self.metric not in known):
                raise ValueError(
                    f"{self.metric} is not a valid metric for a {name}-based algorithm. Please select a different metric."
                )
            if self.algorithm == algorithm and sparse:
                raise ValueError("Sparse data matrices only support algorithm `brute`.")
        odd = None
        if self._is_pairwise():
            X = X if sparse else self._given_distances(X)
        else:
            X, odd = self._finite(X)
        shape = getattr(X, "shape", None) or np.shape(X)
        near = self.min_cluster_size if self.min_samples is None else self.min_samples
        if len(shape) == 2 and isinstance(near, int) and near > shape[0] > 1:
            raise ValueError(f"min_samples ({near}) must be at most the number of samples in X ({shape[0]})")
        if self._is_pairwise() and sparse:
            self._check_graph(X, near)
        made = super()._learn(fit, X, y, sample_weight, **extra)
        self.__dict__["_odd"] = odd
        return made

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Rows that are not finite have labels of their own.
        tags.input_tags.allow_nan = not self._is_pairwise()
        return tags

    def _graph(self, X):
        # A row's distance to itself counts among its nearest only where it is given.
        return X

    def _given_distances(self, X):
        """Distances of all pairs, refused in scikit-learn's words; infinite ones are left out of a sparse matrix."""
        far = np.asarray(X, dtype=float)
        expected = "The precomputed distance matrix is expected to be symmetric, however"
        asked = "Please verify that the distance matrix was constructed correctly."
        if np.isnan(far).any():
            raise ValueError("np.nan values found in precomputed-dense")
        if far.ndim != 2 or far.shape[0] != far.shape[1]:
            raise ValueError(f"{expected} it has shape {far.shape}. {asked}")
        if not np.allclose(far, far.T, rtol=1e-7, atol=1e-9):
            raise ValueError(f"{expected} its values appear to be asymmetric. {asked}")
        if np.isfinite(far).all():
            return X
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(np.isfinite(far))
        return csr_array((far[rows, columns], (rows, columns)), shape=far.shape)

    def _check_graph(self, X, near):
        """Distances of which most are left out must join all rows, and give each a core distance."""
        from scipy.sparse.csgraph import connected_components

        X = X.tocsr()
        if (np.diff(X.indptr) < near).any():
            raise ValueError(
                f"There exists points with fewer than {near} neighbors. Ensure your distance matrix has non-zero values for at "
                f"least `min_sample`={near} neighbors for each points (i.e. K-nn graph)."
            )
        parts = connected_components(X, directed=False, return_labels=False)
        if parts > 1:
            raise ValueError(
                f"Sparse mutual reachability matrix has {parts} connected components. HDBSCAN cannot be performed on a "
                "disconnected graph. Ensure that the sparse distance matrix has only one connected component."
            )

    def _finite(self, X):
        """The rows without missing and infinite values, and for all rows the label that those with them have; none where there
        are none."""
        rows = X.tocsr() if _data.is_sparse(X) else np.asarray(X)
        values = rows.data if _data.is_sparse(X) else rows
        if rows.ndim != 2 or values.dtype.kind != "f" or np.isfinite(values).all():
            return X, None
        if _data.is_sparse(X):
            owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
            missing, infinite = (np.bincount(owner, weights=f(values), minlength=rows.shape[0]) > 0 for f in (np.isnan, np.isinf))
        else:
            missing, infinite = np.isnan(rows).any(axis=1), np.isinf(rows).any(axis=1)
        odd = np.where(missing, _MISSING, np.where(infinite, _INFINITE, 0))
        kept = np.flatnonzero(odd == 0)
        return (X.iloc[kept] if hasattr(X, "iloc") else rows[kept]), odd

    def _spread(self, values, infinite, missing):
        """Values of the rows learnt from, with those of the others between them."""
        odd = self.__dict__.get("_odd")
        if odd is None:
            return values
        out = np.where(odd == _MISSING, missing, infinite).astype(values.dtype)
        out[odd == 0] = values
        return out

    def __getattr__(self, name):
        if name == "linkage_" and self.__dict__.get("_odd") is not None:
            return self._linkage(super().__getattr__(name))
        if name in ("centroids_", "medoids_") and self.__dict__.get("_measured") is not None:
            return self._center(name)
        value = super().__getattr__(name)
        if name == "labels_":
            return self._spread(value, _INFINITE, _MISSING)
        if name == "outlier_scores_":
            return self._spread(value, 1.0, np.nan)
        if name == "condensed_tree_" and self.__dict__.get("_odd") is not None:
            kept, n = np.flatnonzero(self._odd == 0), len(self._odd)
            ends = value[:, :2].astype(int)
            own = np.where(ends < len(kept), kept[np.minimum(ends, len(kept) - 1)], ends - len(kept) + n)
            return np.column_stack([own, value[:, 2:]])
        return self._spread(value, 0.0, np.nan) if name == "probabilities_" else value

    def _linkage(self, tree):
        """The tree of all rows: those that are not finite join it at last, at an infinite height."""
        odd = self._odd
        kept, others, n = np.flatnonzero(odd == 0), np.flatnonzero(odd), len(odd)
        inner = len(kept)
        below, ends = tree.copy(), tree[:, :2].astype(int)
        below[:, :2] = np.where(ends < inner, kept[np.minimum(ends, inner - 1)], ends - inner + n)
        top = np.arange(len(others))
        above = np.column_stack([others, n + inner - 2 + top, np.full(len(others), np.inf), inner + 1 + top])
        return np.vstack([below, above])

    def _center(self, name):
        """Centres under a metric that is measured here."""
        wanted = {"centroids_": ("centroid", "both"), "medoids_": ("medoid", "both")}[name]
        if self.store_centers not in wanted:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found, rows = self._model.attributes(), self._measured
        labels, strengths = found["labels_"], found["probabilities_"]
        out = np.empty((labels.max(initial=-1) + 1, rows.shape[1]))
        for c in range(len(out)):
            own, weights = rows[labels == c], strengths[labels == c]
            if name == "centroids_":
                out[c] = np.average(own, weights=weights, axis=0)
            else:
                out[c] = own[np.argmin(self._far(own, own) @ weights)]
        return out

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from; -2 for rows with infinite values, -3 for those with missing
        ones."""
        self._model
        finite, odd = (X, None) if self._is_pairwise() else self._finite(X)
        if odd is None:
            return super().predict(X)
        labels = odd.astype(np.int64)
        if (odd == 0).any():
            labels[odd == 0] = super().predict(finite)
        return labels

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """The clusters of the tree cut at a distance, as DBSCAN has them without rows at borders.

        Parameters
        ----------
        cut_distance : float
            Mergers of at least this height are undone.
        min_cluster_size : int, default=5
            Rows of smaller clusters are noise.

        Returns
        -------
        ndarray of shape (n_samples,)
            The cluster of each row, -1 for noise, -2 for rows with infinite values, -3 for those with missing ones.
        """
        tree = self._model.attributes()["linkage_"]
        n = len(tree) + 1
        group = np.arange(2 * n - 1)
        # From the last merger to the first: what is merged below the cut belongs to whom its merger belongs to.
        for i in range(len(tree) - 1, -1, -1):
            left, right = tree[i, :2].astype(int)
            if tree[i, 2] < cut_distance:
                group[left] = group[right] = group[n + i]
        groups, labels, sizes = np.unique(group[:n], return_inverse=True, return_counts=True)
        first = np.full(len(groups), n)
        np.minimum.at(first, labels, np.arange(n))
        large = np.flatnonzero(sizes >= min_cluster_size)
        number = np.full(len(groups), -1)
        number[large[np.argsort(first[large])]] = np.arange(len(large))
        return self._spread(number[labels], _INFINITE, _MISSING)


def approximate_predict(clusterer, points):
    """The clusters of new rows by the tree of a fitted HDBSCAN, which is not changed by them.

    Where `predict` gives every row the cluster of the nearest row, this says which rows are noise, as the package hdbscan does.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted one.
    points : rows

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        The cluster of each row; -1 is noise, -2 for rows with infinite values, -3 for those with missing ones.
    strengths : ndarray of shape (n_samples,)
        How strongly each row belongs to its cluster.
    """
    if not isinstance(clusterer, HDBSCANMixin):
        raise TypeError(f"approximate_predict takes a fitted HDBSCAN, got a {type(clusterer).__name__}")
    clusterer._model
    finite, odd = (points, None) if clusterer._is_pairwise() else clusterer._finite(points)
    if odd is None:
        return _mercer.approximate_predict(clusterer._model, clusterer._prepare(points, "approximate_predict"))
    labels, strengths = odd.astype(np.int64), np.where(odd == _MISSING, np.nan, 0.0)
    if (odd == 0).any():
        found = _mercer.approximate_predict(clusterer._model, clusterer._prepare(finite, "approximate_predict"))
        labels[odd == 0], strengths[odd == 0] = found
    return labels, strengths


class OPTICSMixin:
    """Orders of rows."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        n = (getattr(X, "shape", None) or np.shape(X))[0]
        for name in ("min_samples", "min_cluster_size"):
            size = getattr(self, name)
            if isinstance(size, (int, float)) and size > max(n, 1):
                raise ValueError(f"{name} must be no greater than the number of samples ({n}). Got {size}")
        if self.cluster_method == "dbscan" and self.eps is not None and self.eps > self.max_eps:
            raise ValueError(f"Specify an epsilon smaller than {self.max_eps}. Got {self.eps}.")
        kind = getattr(X, "dtype", None)
        if self.metric in _BOOLEAN and kind is not None and kind != bool:
            from mercer._exceptions import data_conversion_warning

            message = (
                f"Data will be converted to boolean for metric {self.metric}, to avoid this warning, you may convert the data "
                "prior to calling fit."
            )
            warnings.warn(message, data_conversion_warning(), stacklevel=5)
        made = super()._learn(fit, X, y, sample_weight, **extra)
        if np.isinf(self._model.attributes()["reachability_"]).all():
            warnings.warn(
                "All reachability values are inf. Set a larger max_eps or all data will be considered outliers.",
                UserWarning,
                stacklevel=5,
            )
        return made


def dbscan(
    X, eps=0.5, *, min_samples=5, metric="minkowski", metric_params=None, algorithm="auto", leaf_size=30, p=2,
    sample_weight=None, n_jobs=None,
):
    """The cores and the clusters of DBSCAN.

    Returns
    -------
    core_samples, labels : ndarrays
    """
    from mercer.cluster import DBSCAN

    model = DBSCAN(
        eps=eps, min_samples=min_samples, metric=metric, metric_params=metric_params, algorithm=algorithm, leaf_size=leaf_size,
        p=p, n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


def cluster_optics_dbscan(*, reachability, core_distances, ordering, eps):
    """The clusters of DBSCAN at a distance, from what OPTICS found.

    Parameters
    ----------
    reachability, core_distances : arrays of shape (n_samples,)
        By row.
    ordering : array of shape (n_samples,)
        The rows in their order.
    eps : float

    Returns
    -------
    ndarray of shape (n_samples,)
        The cluster of each row; -1 is noise.
    """
    far, near = np.asarray(reachability) > eps, np.asarray(core_distances) <= eps
    labels = np.empty(len(far), dtype=int)
    labels[ordering] = np.cumsum((far & near)[ordering]) - 1
    labels[far & ~near] = -1
    return labels


def cluster_optics_xi(
    *, reachability, predecessor, ordering, min_samples, min_cluster_size=None, xi=0.05, predecessor_correction=True,
):
    """The clusters that are valleys with steep sides, from what OPTICS found.

    Parameters
    ----------
    reachability, predecessor : arrays of shape (n_samples,)
        By row; the predecessor of rows that nothing reached is -1.
    ordering : array of shape (n_samples,)
        The rows in their order.
    min_samples, min_cluster_size : int or float in (0, 1]
        Numbers of rows, or shares of them; `min_samples` is the smallest cluster where nothing else is said.
    xi : float in [0, 1), default=0.05
    predecessor_correction : bool, default=True

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        The cluster of each row; -1 is noise.
    clusters : ndarray of shape (n_clusters, 2)
        The first and the last place of each valley.
    """
    n = len(reachability)
    sizes = [min_samples, min_samples if min_cluster_size is None else min_cluster_size]
    for name, size in zip(("min_samples", "min_cluster_size"), sizes):
        if size > n or size <= 0:
            raise ValueError(f"{name} must be no greater than the number of samples ({n}), and above 0. Got {size}")
    few, smallest = (max(2, int(size * n)) if size <= 1 else int(size) for size in sizes)
    before = [None if row < 0 else int(row) for row in predecessor]
    order = [int(row) for row in ordering], [float(far) for far in reachability], before
    labels, ends = _mercer.optics_valleys(order, float(xi), (few, smallest), bool(predecessor_correction))
    return np.asarray(labels, dtype=int), np.asarray(ends, dtype=int).reshape(-1, 2)


def compute_optics_graph(X, *, min_samples, max_eps, metric, p, metric_params, algorithm, leaf_size, n_jobs):
    """The order of OPTICS.

    Parameters are those of `OPTICS`.

    Returns
    -------
    ordering, core_distances, reachability, predecessor : ndarrays of shape (n_samples,)
    """
    from mercer.cluster import OPTICS

    model = OPTICS(
        min_samples=min_samples, max_eps=max_eps, metric=metric, p=p, metric_params=metric_params, algorithm=algorithm,
        leaf_size=leaf_size, n_jobs=n_jobs,
    ).fit(X)
    return model.ordering_, model.core_distances_, model.reachability_, model.predecessor_
