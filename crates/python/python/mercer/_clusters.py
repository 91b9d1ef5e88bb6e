"""What clusterers have beyond `fit`, as scikit-learn has it."""

import warnings

from mercer._boosters import _categories_of
from mercer._lazy import Lazy
from mercer._neighbors import _distances, _is_own
from mercer._reduce import KMeansMixin

np = Lazy("numpy")


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
