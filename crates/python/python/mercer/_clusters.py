"""What clusterers have beyond `fit`, as scikit-learn has it."""

import warnings

from mercer import _mercer
from mercer._boosters import _categories_of
from mercer._lazy import Lazy
from mercer._neighbors import _distances, _is_own
from mercer._reduce import KMeansMixin, SingleMixin

np = Lazy("numpy")
_data = Lazy("mercer._data")


class TransductiveMixin:
    """Clusterers of the rows that they learn from; a new row has the cluster of the nearest of those."""

    _door_meant = frozenset({"metric_params"})

    def _is_pairwise(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _depends_on_rows(self):
        return not isinstance(self.metric, str)

    def _core_params(self):
        params = super()._core_params()
        given = dict(getattr(self, "metric_params", None) or {})
        if _is_own(params["metric"]):
            return {**params, "metric": "precomputed"}
        if "p" in given and "p" in params:
            params["p"] = given.pop("p")
        if given:
            raise ValueError(f"metric_params of {type(self).__name__} has {sorted(given)}: only 'p' is known to metrics by name")
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if _is_own(self.metric):
            self._prepare_fit(X)
            rows = np.asarray(X, dtype=float)
            X = _distances(rows, rows, self.metric, getattr(self, "metric_params", None))
        return super()._learn(fit, X, y, sample_weight, **extra)

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from, for DBSCAN of the nearest core within `eps` (else -1)."""
        return super().predict(X)


class ByDensityMixin(TransductiveMixin):
    """Clusterers by density."""


class HDBSCANMixin:
    """Cuts of the tree."""

    _door_meant = frozenset({"metric_params", "copy"})

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if self.store_centers is not None and self._is_pairwise():
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        return super()._learn(fit, X, y, sample_weight, **extra)

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
            The cluster of each row, -1 for noise.
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
        return number[labels]


class OPTICSMixin:
    """Orders of rows."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        made = super()._learn(fit, X, y, sample_weight, **extra)
        if np.isinf(self._model.attributes()["reachability_"]).all():
            warnings.warn(
                "All reachability values are inf. Set a larger max_eps or all data will be considered outliers.",
                UserWarning,
                stacklevel=5,
            )
        return made


class AgglomerativeMixin(TransductiveMixin):
    """Trees of mergers."""

    _door_meant = frozenset({"compute_full_tree", "compute_distances"})

    def _check_door(self):
        if self.connectivity is not None:
            raise NotImplementedError(f"`connectivity` of {type(self).__name__}: only None is supported")

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set.")
        if self.linkage == "ward" and self.metric != "euclidean":
            raise ValueError(f"{self.metric} was provided as metric. Ward can only work with euclidean distances.")
        return super()._learn(fit, X, y, sample_weight, **extra)

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from."""
        return super().predict(X)


class MiniBatchMixin(KMeansMixin):
    """k-means in batches."""

    def partial_fit(self, X, y=None, sample_weight=None):
        """Move the centres by one batch of rows, or find the first ones.

        Returns
        -------
        self
        """
        from mercer._resume import _go_on

        return _go_on(self, X, None, None, sample_weight)

    def _tell_duplicates(self):
        if self.compute_labels:
            super()._tell_duplicates()


class MedoidsMixin(TransductiveMixin):
    """Clusters about rows."""

    def predict(self, X):
        """The cluster of the nearest medoid."""
        return super().predict(X)


class SpectralMixin:
    """Clusters of graphs."""

    # All solvers find the same vectors.
    _door_meant = frozenset({"eigen_solver", "eigen_tol", "kernel_params"})

    def _is_pairwise(self):
        return isinstance(self.affinity, str) and self.affinity == "precomputed"

    def _depends_on_rows(self):
        return not isinstance(self.affinity, str)

    def _core_params(self):
        params = super()._core_params()
        return {**params, "affinity": "precomputed"} if callable(params["affinity"]) else params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if callable(self.affinity):
            self._prepare_fit(X)
            rows = np.asarray(X, dtype=float)
            X = _distances(rows, rows, self.affinity, self.kernel_params)
        return super()._learn(fit, X, y, sample_weight, **extra)

    def predict(self, X):
        """The cluster of new rows: that of the nearest row learnt from."""
        return super().predict(X)


class PrototypesMixin:
    """Clusters of numbers and categories: which columns hold categories, said in scikit-learn's ways."""

    _door_meant = frozenset({"categorical_features"})

    def _levels_wanted(self, X):
        """Which columns are to be read as categories while learning; None leaves it to their types."""
        return _categories_of(self.categorical_features, X)


class MeanShiftMixin(SingleMixin):
    """Modes of a density."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        try:
            return super()._learn(fit, X, y, sample_weight, **extra)
        except ValueError as error:
            if "of any seed" not in str(error):
                raise
            width = "its estimate" if self.bandwidth is None else f"{self.bandwidth:f}"
            message = f"No point was within bandwidth={width} of any seed. Try a different seeding strategy or increase the bandwidth."
            raise ValueError(message) from error

    def _core_params(self):
        params = super()._core_params()
        return {**params, "seeds": None if params["seeds"] is None else np.asarray(params["seeds"], dtype=float).tolist()}

    def predict(self, X):
        """The cluster of the nearest mode; -1 beyond the bandwidth where not all rows are to have one."""
        return super().predict(X)


class AffinityMixin:
    """Rows that stand for others."""

    def _is_pairwise(self):
        return self.affinity == "precomputed"

    def _core_params(self):
        params = super()._core_params()
        if params["preference"] is not None and np.ndim(params["preference"]) > 0:
            params["preferences"], params["preference"] = np.asarray(params["preference"], dtype=float).tolist(), None
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        shape = getattr(X, "shape", None) or np.shape(X)
        if self.affinity == "precomputed":
            if _data.is_sparse(X):
                raise TypeError("Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
            if len(shape) == 2 and shape[0] != shape[1]:
                raise ValueError(f"The matrix of similarities must be a square array. Got {tuple(shape)} instead.")
        made = super()._learn(fit, X, y, sample_weight, **extra)
        if self._model.attributes()["n_iter_"] == 0:
            message = "All samples have mutually equal similarities. Returning arbitrary cluster center(s)."
            warnings.warn(message, UserWarning, stacklevel=5)
        return made

    def _warn_unless_converged(self, model):
        if len(model.attributes()["cluster_centers_indices_"]) == 0:
            self._warn("Affinity propagation did not converge and this model will not have any cluster centers.")
        elif model.certificate()["shortfall"] is not None:
            self._warn(
                "Affinity propagation did not converge, this model may return degenerate cluster centers and labels."
            )

    def _warn(self, message):
        from mercer._exceptions import convergence_warning

        warnings.warn(message, convergence_warning(), stacklevel=6)

    def predict(self, X):
        """The cluster of the nearest of the rows that stand for others; -1 where there are none."""
        if self.affinity == "precomputed":
            self._prepare(X, "predict")
            raise ValueError("Predict method is not supported when affinity='precomputed'.")
        if len(self._model.attributes()["cluster_centers_indices_"]) == 0:
            self._warn(
                "This model does not have any cluster centers because affinity propagation did not converge. "
                "Labeling every sample as '-1'."
            )
        return super().predict(X)


def estimate_bandwidth(X, *, quantile=0.3, n_samples=None, random_state=0, n_jobs=None):
    """A bandwidth for mean shift: the mean distance of a row to the farthest of its nearest `quantile` of the rows.

    Parameters
    ----------
    X : rows
    quantile : float in [0, 1], default=0.3
    n_samples : int or None, default=None
        So many rows are drawn for it; None takes all.
    random_state : int, RandomState instance or None, default=0
    n_jobs : int, default=None

    Returns
    -------
    float
    """
    from mercer._base import seed_of, threads_of
    from mercer.cluster import MeanShift

    x, _ = MeanShift()._prepare_fit(X)
    session = (seed_of(random_state), threads_of(n_jobs))
    found = _mercer.estimate_bandwidth(x, float(quantile), None if n_samples is None else int(n_samples), session)
    kind = getattr(X, "dtype", None)
    return kind.type(found) if getattr(kind, "kind", None) == "f" else np.float64(found)


def get_bin_seeds(X, bin_size, min_bin_freq=1):
    """The middles of the cells of a grid that hold at least `min_bin_freq` rows; the rows where every one has a cell of its own.

    Returns
    -------
    ndarray of shape (n_seeds, n_features)
    """
    if bin_size == 0:
        return X
    cells, counts = np.unique(np.round(np.asarray(X) / bin_size), axis=0, return_counts=True)
    seeds = cells[counts >= min_bin_freq]
    if len(seeds) == len(X):
        warnings.warn(f"Binning data failed with provided bin_size={bin_size:f}, using data points as seeds.", stacklevel=2)
        return X
    return seeds * bin_size


def mean_shift(
    X, *, bandwidth=None, seeds=None, bin_seeding=False, min_bin_freq=1, cluster_all=True, max_iter=300, n_jobs=None
):
    """Modes and clusters of mean shift.

    Returns
    -------
    cluster_centers, labels : ndarrays
    """
    from mercer.cluster import MeanShift

    model = MeanShift(
        bandwidth=bandwidth, seeds=seeds, bin_seeding=bin_seeding, min_bin_freq=min_bin_freq, cluster_all=cluster_all,
        max_iter=max_iter, n_jobs=n_jobs,
    ).fit(X)
    return model.cluster_centers_, model.labels_


def affinity_propagation(
    S, *, preference=None, convergence_iter=15, max_iter=200, damping=0.5, copy=True, verbose=False, return_n_iter=False,
    random_state=None,
):
    """Rows that stand for others, and clusters, from similarities.

    Returns
    -------
    cluster_centers_indices, labels : ndarrays, and with `return_n_iter` the number of iterations
    """
    from mercer.cluster import AffinityPropagation

    model = AffinityPropagation(
        preference=preference, convergence_iter=convergence_iter, max_iter=max_iter, damping=damping, copy=copy,
        affinity="precomputed", verbose=verbose, random_state=random_state,
    ).fit(S)
    found = model.cluster_centers_indices_, model.labels_
    return (*found, model.n_iter_) if return_n_iter else found


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
    if "children_" in found:
        mergers, heights, k = found["children_"], found["distances_"], int(found["n_clusters_"])
        made = len(heights) - k
        ends = [heights[i] for i in (made, made + 1) if 0 <= i < len(heights)]
        cut = float(np.mean(ends)) if ends else None
    elif "linkage_" in found:
        mergers, heights = found["linkage_"][:, :2], found["linkage_"][:, 2]
    else:
        raise TypeError(f"plot_dendrogram takes a fitted hierarchy, got a {type(estimator).__name__}")
    pairs = [tuple(pair) for pair in np.asarray(mergers, dtype=int).tolist()]
    names = None if labels is None else [str(one) for one in labels]
    if names is not None and len(names) != len(pairs) + 1:
        raise ValueError(f"`labels` wants {len(pairs) + 1} names, one for each row, got {len(names)}")
    svg = _mercer.draw_dendrogram(pairs, np.asarray(heights, dtype=float).tolist(), cut, names, int(max_leaves), str(title))
    drawing = Drawing(svg)
    if path is not None:
        drawing.save(path)
    return drawing
