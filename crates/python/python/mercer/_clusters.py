"""What clusterers have beyond `fit`, as scikit-learn has it."""

import warnings

from mercer import _mercer
from mercer._boosters import _categories_of
from mercer._lazy import Lazy
from mercer._reduce import KMeansMixin, SingleMixin

np = Lazy("numpy")


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


def k_means(
    X, n_clusters, *, sample_weight=None, init="k-means++", n_init="auto", max_iter=300, verbose=False, tol=1e-4,
    random_state=None, copy_x=True, algorithm="lloyd", return_n_iter=False,
):
    """The centres and the clusters of k-means; parameters are those of `KMeans`.

    Returns
    -------
    centroid, label, inertia : ndarray of shape (n_clusters, n_features), ndarray of shape (n_samples,), float
        And with `return_n_iter` the number of iterations.
    """
    from mercer.cluster import KMeans

    model = KMeans(
        n_clusters=n_clusters, init=init, n_init=n_init, max_iter=max_iter, verbose=verbose, tol=tol, random_state=random_state,
        copy_x=copy_x, algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = model.cluster_centers_, model.labels_, model.inertia_
    return (*found, model.n_iter_) if return_n_iter else found


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
