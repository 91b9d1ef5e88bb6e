"""What estimators have that find neighbours, give densities or draw rows, as scikit-learn has it."""

from mercer import _mercer
from mercer._base import seed_of, threads_of
from mercer._lazy import Lazy

np = Lazy("numpy")


def _checked_count(estimator, k, own):
    """How many neighbours are asked for, refused in scikit-learn's words."""
    if k is None:
        k = estimator.n_neighbors
    elif isinstance(k, (bool, float)) or not hasattr(k, "__index__"):
        raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
    elif k <= 0:
        raise ValueError(f"Expected n_neighbors > 0. Got {k}")
    n = estimator.n_samples_fit_
    if k > n - own:
        name = "n_neighbors < n_samples_fit" if own else "n_neighbors <= n_samples_fit"
        raise ValueError(f"Expected {name}, but n_neighbors = {k}, n_samples_fit = {n}")
    return int(k)


def _distances(a, b, metric, params):
    """The distances of all pairs by a function of the user's."""
    params = params or {}
    return np.array([[metric(x, y, **params) for y in b] for x in a], dtype=float).reshape(len(a), len(b))


class NeighboursMixin:
    """Models that find neighbours among the rows that they learnt from."""

    @property
    def effective_metric_params_(self):
        """What the metric takes beyond its name."""
        self._model
        params = dict(self.metric_params or {})
        if self.metric == "minkowski" and self.effective_metric_ == "minkowski":
            params.setdefault("p", self.p)
        return params

    def _core_params(self):
        params = super()._core_params()
        if callable(params.get("metric")):
            # A function of the user's is asked here; the compiled part sees the distances.
            params.update(metric="precomputed", metric_params=None, algorithm="brute")
        return params

    def _prepare_fit(self, X, **extra):
        if not callable(self.metric):
            return super()._prepare_fit(X, **extra)
        rows = np.asarray(X, dtype=float)
        self.__dict__["_metric_rows"] = rows
        return super()._prepare_fit(_distances(rows, rows, self.metric, self.metric_params))

    def _prepare(self, X, method):
        if callable(self.metric):
            X = _distances(np.asarray(X, dtype=float), self._metric_rows, self.metric, self.metric_params)
        return super()._prepare(X, method)

    def _found(self, X, within, k=None, radius=None):
        model = self._model
        rows = None if X is None else self._prepare(X, "kneighbors")
        return _mercer.neighbours(model, rows, within, k, radius, threads_of(getattr(self, "n_jobs", None)))

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest of the rows learnt from.

        Parameters
        ----------
        X : rows or None
            None asks about the rows learnt from, of which none is its own neighbour.
        n_neighbors : int or None
            None is what the constructor was told.
        return_distance : bool, default=True

        Returns
        -------
        distances, indices : arrays of shape (n_queries, n_neighbors), the nearest first; or indices alone
        """
        self._model
        k = _checked_count(self, n_neighbors, X is None)
        _, indices, distances = self._found(X, False, k)
        shape = (-1, k)
        return (distances.reshape(shape), indices.reshape(shape)) if return_distance else indices.reshape(shape)

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """The rows learnt from within a radius, the nearest first.

        Parameters
        ----------
        X : rows or None
            None asks about the rows learnt from, of which none is its own neighbour.
        radius : float or None
            None is what the constructor was told.
        return_distance, sort_results : bool
            Results are always sorted.

        Returns
        -------
        distances, indices : arrays of arrays, or indices alone
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        starts, indices, distances = self._found(X, True, radius=None if radius is None else float(radius))

        def split(values):
            parts = np.empty(len(starts) - 1, dtype=object)
            for i in range(len(parts)):
                parts[i] = values[starts[i] : starts[i + 1]]
            return parts

        return (split(distances), split(indices)) if return_distance else split(indices)

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """A sparse matrix of the nearest rows: ones, or with ``mode="distance"`` distances."""
        self._model
        k = _checked_count(self, n_neighbors, X is None)
        return self._graph(self._found(X, False, k), mode)

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """A sparse matrix of the rows within a radius: ones, or with ``mode="distance"`` distances."""
        return self._graph(self._found(X, True, radius=None if radius is None else float(radius)), mode)

    def _graph(self, found, mode):
        from scipy.sparse import csr_array, csr_matrix

        if mode not in ("connectivity", "distance"):
            raise ValueError(
                f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead'
            )
        starts, indices, distances = found
        values = np.ones(len(indices)) if mode == "connectivity" else distances
        shape = (len(starts) - 1, self.n_samples_fit_)
        kind = csr_matrix if csr_matrix is not None else csr_array
        return kind((values, indices, starts), shape=shape)


class VotesMixin:
    """Learners whose neighbours may be weighed by a function of the user's."""

    def _core_params(self):
        params = super()._core_params()
        if callable(params["weights"]) or params["weights"] is None:
            params["weights"] = "uniform"
        return params

    def _fit(self, X, y=None, sample_weight=None, **extra):
        super()._fit(X, y, sample_weight, **extra)
        self.__dict__["_votes"] = np.asarray(y) if callable(self.weights) else None
        return self

    def _weighed(self, X):
        """The neighbours of each row with their weights."""
        if hasattr(self, "n_neighbors"):
            distances, indices = self.kneighbors(X)
            return list(zip(indices, self.weights(distances)))
        distances, indices = self.radius_neighbors(X)
        return list(zip(indices, self.weights(distances)))

    def predict(self, X):
        """Predict for new data.

        Returns
        -------
        ndarray
        """
        if not callable(self.weights):
            return super().predict(X)
        if self._mercer_task == "Regression":
            y = self._votes.astype(float)
            return np.array([np.average(y[near], axis=0, weights=w) if len(near) else np.full(y.shape[1:], np.nan) for near, w in self._weighed(X)])
        shares = self.predict_proba(X)
        if isinstance(shares, list):
            return np.column_stack([c[s.argmax(axis=1)] for c, s in zip(self.classes_, shares)])
        return self.classes_[shares.argmax(axis=1)]

    @property
    def predict_proba(self):
        """Class probabilities, in the order of ``classes_``."""
        if self._mercer_task == "Regression":
            raise AttributeError(f"{type(self).__name__} has no classes, and no probabilities of them")
        return self._shares

    def _shares(self, X):
        """Class probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or for several targets a list of them
        """
        if not callable(self.weights):
            return super().predict_proba(X)
        near = self._weighed(X)

        def shares(y, classes):
            out = np.array([[w[y[i] == c].sum() for c in classes] for i, w in near], dtype=float)
            total = out.sum(axis=1, keepdims=True)
            return out / np.where(total == 0, 1, total)

        if isinstance(self.classes_, list):
            return [shares(self._votes[:, k], classes) for k, classes in enumerate(self.classes_)]
        return shares(self._votes.ravel(), self.classes_)


class DensitiesMixin:
    """Models of the density of rows."""

    def score_samples(self, X):
        """The logarithm of the density at each row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        model = self._model
        return _mercer.log_densities(model, self._prepare(X, "score_samples"))

    def score(self, X, y=None):
        """The logarithm of the likelihood of all rows together."""
        return float(np.sum(self.score_samples(X)))


class SampleMixin:
    """Models that rows are drawn from."""

    def sample(self, n_samples=1, random_state=None):
        """Draw rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return _mercer.sample(self._model, int(n_samples), seed_of(random_state))
