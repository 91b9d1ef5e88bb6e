"""What clusterers have beyond `fit`, as scikit-learn has it."""

import numbers
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


class BisectingMixin(KMeansMixin):
    """Clusters that are parted in two."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if not isinstance(self.init, str):
            raise ValueError(
                f"The 'init' parameter of {type(self).__name__} must be a str among {{'k-means++', 'random'}}. Got {self.init!r} "
                "instead: partings begin anew for each cluster, so that no centres can be given for all of them."
            )
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _tell_duplicates(self):
        """Empty clusters are told of by the certificate, as scikit-learn tells of none here."""


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


def kmeans_plusplus(X, n_clusters, *, sample_weight=None, x_squared_norms=None, random_state=None, n_local_trials=None):
    """Rows far from each other, at which k-means begins.

    Parameters
    ----------
    X : rows
    n_clusters : int
    sample_weight : array-like of shape (n_samples,), default=None
        How much rows count for the inertia that is lowered; rows of weight 0 are never taken.
    x_squared_norms : array-like of shape (n_samples,), default=None
        Accepted for scikit-learn's sake.
    random_state : int, RandomState instance or None, default=None
    n_local_trials : int, default=None
        Rows that are drawn for each of the others, of which the one is kept that lowers the inertia the most; 2 + log(n_clusters) of
        them where it is not given.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    indices : ndarray of shape (n_clusters,)
        Where these rows stand first.
    """
    from mercer._base import seed_of
    from mercer._target import prepare_weights
    from mercer.cluster import KMeans

    shape = getattr(X, "shape", None) or np.shape(X)
    if x_squared_norms is not None and len(x_squared_norms) != shape[0]:
        raise ValueError(
            f"The length of x_squared_norms {len(x_squared_norms)} should be equal to the length of n_samples {shape[0]}."
        )
    for name, value in (("n_clusters", n_clusters), ("n_local_trials", n_local_trials)):
        if value is not None and (not isinstance(value, numbers.Integral) or value < 1):
            raise ValueError(f"The {name!r} parameter of kmeans_plusplus must be an int in the range [1, inf). Got {value!r} instead.")
    if shape[0] < n_clusters:
        raise ValueError(f"n_samples={shape[0]} should be >= n_clusters={n_clusters}.")
    x, _ = KMeans()._prepare_fit(X)
    weights = None if sample_weight is None else prepare_weights(sample_weight, x)
    trials = None if n_local_trials is None else int(n_local_trials)
    centres, indices = _mercer.kmeans_plusplus(x, weights, (int(n_clusters), trials), seed_of(random_state))
    kind = getattr(X, "dtype", None)
    return (centres.astype(kind) if getattr(kind, "kind", None) == "f" else centres), indices


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
