"""What estimators have that find neighbours, give densities or draw rows, as scikit-learn has it."""

from mercer import _mercer
from mercer._base import seed_of, threads_of
from mercer._lazy import Lazy

np = Lazy("numpy")


def _checked_count(estimator, k, own):
    """How many neighbours are asked for, refused in scikit-learn's words."""
    if k is None:
        k = getattr(estimator, "n_neighbors", min(5, estimator.n_samples_fit_ - own))
    elif isinstance(k, (bool, float)) or not hasattr(k, "__index__"):
        raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
    elif k <= 0:
        raise ValueError(f"Expected n_neighbors > 0. Got {k}")
    n = estimator.n_samples_fit_
    if k > n - own:
        name = "n_neighbors < n_samples_fit" if own else "n_neighbors <= n_samples_fit"
        raise ValueError(f"Expected {name}, but n_neighbors = {k}, n_samples_fit = {n}")
    return int(k)


def _is_own(metric):
    """Whether a metric is the user's: a function of two rows, or an object with ``pairwise``."""
    return callable(metric) or hasattr(metric, "pairwise")


def _rows(X):
    """Rows as a metric of the user's sees them."""
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=float)


def _distances(a, b, metric, params):
    """The distances of all pairs by a metric of the user's."""
    if hasattr(metric, "pairwise"):
        return metric.pairwise(a, b)
    params, (n, m) = params or {}, (a.shape[0], b.shape[0])
    sparse = hasattr(a, "tocsr")
    left, right = [a[[i]] if sparse else a[i] for i in range(n)], [b[[j]] if sparse else b[j] for j in range(m)]
    return np.array([[metric(x, y, **params) for y in right] for x in left], dtype=float).reshape(n, m)


def _weigh(weights, distances):
    """What each neighbour counts, by its distance."""
    if callable(weights):
        return weights(distances)
    if weights in (None, "uniform"):
        return np.ones_like(distances)
    with np.errstate(divide="ignore"):
        out = 1.0 / distances
    same = np.isinf(out)
    return np.where(same.any(axis=-1, keepdims=True), same, out).astype(float)


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
        if _is_own(params.get("metric")):
            # A function of the user's is asked here; the compiled part sees the distances.
            params.update(metric="precomputed", metric_params=None, algorithm="brute")
        return params

    def _prepare_fit(self, X, **extra):
        if type(X).__name__ in ("KDTree", "BallTree") and hasattr(X, "data"):
            X = np.asarray(X.data)
        if self.metric == "minkowski" and "p" in (self.metric_params or {}):
            import warnings

            message = "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored."
            warnings.warn(message, SyntaxWarning, stacklevel=5)
        if not _is_own(self.metric):
            return super()._prepare_fit(X, **extra)
        rows = _rows(X)
        self.__dict__["_metric_rows"] = rows
        return super()._prepare_fit(_distances(rows, rows, self.metric, self.metric_params))

    def _prepare(self, X, method):
        if _is_own(self.metric):
            X = _distances(_rows(X), self._metric_rows, self.metric, self.metric_params)
        return super()._prepare(X, method)

    def save(self, path):
        """Write the fitted model to a file; what only Python knows of it cannot be saved, and is refused."""
        for name in ("metric", "weights"):
            if _is_own(getattr(self, name, None)):
                raise NotImplementedError(f"`{name}` is a function of yours, which no model file can hold; pickle the estimator instead")
        if self.__dict__.get("_outlier") is not None:
            raise NotImplementedError("`outlier_label` is no class of the target, which no model file can hold; pickle the estimator instead")
        return super().save(path)

    def _is_pairwise(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

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
        """The rows learnt from within a radius.

        Parameters
        ----------
        X : rows or None
            None asks about the rows learnt from, of which none is its own neighbour.
        radius : float, array with one for each row, or None
            None is what the constructor was told.
        return_distance : bool, default=True
        sort_results : bool, default=False
            Whether the nearest come first; else they stand in the order of the rows learnt from.

        Returns
        -------
        distances, indices : arrays of arrays, or indices alone
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        starts, indices, distances = self._within(X, radius)
        parts = [slice(starts[i], starts[i + 1]) for i in range(len(starts) - 1)]
        if not sort_results:
            order = [part.start + np.argsort(indices[part], kind="stable") for part in parts]
            order = np.concatenate(order) if order else np.zeros(0, dtype=int)
            indices, distances = indices[order], distances[order]

        def split(values):
            out = np.empty(len(parts), dtype=object)
            for i, part in enumerate(parts):
                out[i] = values[part]
            return out

        return (split(distances), split(indices)) if return_distance else split(indices)

    def _within(self, X, radius):
        """Starts, indices and distances of the rows within a radius, or within one for each row."""
        if radius is None or np.ndim(radius) == 0:
            return self._found(X, True, radius=None if radius is None else float(radius))
        radius = np.asarray(radius, dtype=float)
        starts, indices, distances = self._found(X, True, radius=float(radius.max(initial=0.0)))
        if len(radius) != len(starts) - 1:
            raise ValueError(f"radius: {len(starts) - 1} are needed, one for each row, got {len(radius)}")
        keep = distances <= np.repeat(radius, np.diff(starts))
        before = np.concatenate([[0], np.cumsum(keep)])
        return before[starts], indices[keep], distances[keep]

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """A sparse matrix of the nearest rows: ones, or with ``mode="distance"`` distances."""
        self._model
        k = _checked_count(self, n_neighbors, X is None)
        return self._graph(self._found(X, False, k), mode)

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """A sparse matrix of the rows within a radius: ones, or with ``mode="distance"`` distances."""
        return self._graph(self._within(X, radius), mode)

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
        if self.__dict__.get("_outlier") is not None:
            params["outlier_label"] = "most_frequent"
        return params

    def _fit(self, X, y=None, sample_weight=None, **extra):
        if hasattr(self, "outlier_label"):
            self.__dict__["_outlier"] = self._foreign_outlier(y)
        super()._fit(X, y, sample_weight, **extra)
        self.__dict__["_votes"] = np.asarray(y)
        return self

    def _foreign_outlier(self, y):
        """The labels of rows without neighbours, where one of them is no class; refused in scikit-learn's words."""
        label = self.outlier_label
        if label is None or isinstance(label, str) and label == "most_frequent":
            return None
        y = np.asarray(y)
        classes = [np.unique(column) for column in (y.T if y.ndim == 2 else [y.ravel()])]
        many = not isinstance(label, str) and np.ndim(label) > 0
        if many and len(label) != len(classes):
            raise ValueError(f"The length of outlier_label: {label} is inconsistent with the output length: {len(classes)}")
        labels = list(label) if many else [label] * len(classes)
        for known, one in zip(classes, labels):
            if np.ndim(one) > 0 and not isinstance(one, str):
                raise TypeError(f"The outlier_label of classes {known} is supposed to be a scalar, got {one}.")
            if np.append(known, one).dtype != known.dtype:
                raise TypeError(f"The dtype of outlier_label {one} is inconsistent with classes {known} in y.")
        return None if all(one in known for known, one in zip(classes, labels)) else labels

    @property
    def outlier_label_(self):
        """The class of rows without neighbours for each target, or None."""
        self._model
        if not hasattr(self, "outlier_label"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'outlier_label_'")
        if self.outlier_label is None or self.__dict__.get("_outlier") is not None:
            return self.__dict__.get("_outlier")
        columns = self._votes.T if self._votes.ndim == 2 else [self._votes.ravel()]
        if isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent":
            return [values[counts.argmax()] for values, counts in (np.unique(c, return_counts=True) for c in columns)]
        many = not isinstance(self.outlier_label, str) and np.ndim(self.outlier_label) > 0
        return list(self.outlier_label) if many else [self.outlier_label] * len(columns)

    def _in_python(self, X):
        """Whether votes are counted here: by weights of the user's, for the rows learnt from, or with a label that is no class."""
        return X is None or callable(self.weights) or self.__dict__.get("_outlier") is not None

    def _weighed(self, X):
        """The neighbours of each row with their weights."""
        if hasattr(self, "n_neighbors"):
            distances, indices = self.kneighbors(X)
            weights = np.asarray(_weigh(self.weights, distances), dtype=float)
        else:
            distances, indices = self.radius_neighbors(X)
            own = self.weights(distances) if callable(self.weights) else [_weigh(self.weights, d) for d in distances]
            weights = [np.asarray(w, dtype=float) for w in own]
        return list(zip(indices, weights))

    def predict(self, X):
        """Predict for new data; ``None`` predicts each row learnt from by the others.

        Returns
        -------
        ndarray
        """
        self._model
        if self._mercer_task == "Regression":
            return self._means(X)
        if not self._in_python(X):
            return super().predict(X)
        shares = self._shares(X)
        several = isinstance(self.classes_, list)
        outlier = self.outlier_label_ if hasattr(self, "outlier_label") else None

        def chosen(k, classes, share):
            out = classes[share.argmax(axis=1)]
            if outlier is not None:
                out[~share.any(axis=1)] = outlier[k]
            return out

        if several:
            return np.column_stack([chosen(k, c, s) for k, (c, s) in enumerate(zip(self.classes_, shares))])
        return chosen(0, self.classes_, shares)

    def score(self, X, y, sample_weight=None):
        """The accuracy, or R², of predictions; with ``X=None`` each row learnt from is predicted by the others."""
        if X is not None:
            return super().score(X, y, sample_weight)
        from mercer.metrics import accuracy_score, r2_score

        measure = r2_score if self._mercer_task == "Regression" else accuracy_score
        return measure(y, self.predict(None), sample_weight=sample_weight)

    def _means(self, X):
        if self._in_python(X):
            y = self._votes.astype(float)
            none = np.full(y.shape[1:], np.nan)
            out = np.array([np.average(y[near], axis=0, weights=w) if len(near) else none for near, w in self._weighed(X)])
        else:
            out = super().predict(X)
        if not hasattr(self, "n_neighbors") and np.isnan(out).any():
            import warnings

            message = "One or more samples have no neighbors within specified radius; predicting NaN."
            warnings.warn(message, UserWarning, stacklevel=3)
        return out

    @property
    def predict_proba(self):
        """Class probabilities, in the order of ``classes_``."""
        if self._mercer_task == "Regression":
            raise AttributeError(f"{type(self).__name__} has no classes, and no probabilities of them")
        return self._shares

    def _shares(self, X):
        """Class probabilities, in the order of ``classes_``; ``None`` asks about each row learnt from by the others.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or for several targets a list of them
        """
        self._model
        if not self._in_python(X):
            return super().predict_proba(X)
        shares = self._count(X)
        outlier = self.outlier_label_ if hasattr(self, "outlier_label") else None
        if outlier is not None:
            several = isinstance(self.classes_, list)
            for label, classes, share in zip(outlier, *((self.classes_, shares) if several else ([self.classes_], [shares]))):
                alone = ~share.any(axis=1)
                share[np.ix_(alone, classes == label)] = 1.0
                if alone.any() and label not in classes:
                    import warnings

                    message = f"Outlier label {label} is not in training classes. All class probabilities of outliers will be assigned with 0."
                    warnings.warn(message, UserWarning, stacklevel=3)
        return shares

    def _count(self, X):
        """The share of each class among the neighbours; zeros where there are none."""
        near = self._weighed(X)
        alone = [i for i, (found, _) in enumerate(near) if len(found) == 0]
        if alone and getattr(self, "outlier_label", None) is None:
            raise ValueError(
                f"No neighbors found for test samples {np.array(alone)!r}, you can try using larger radius, giving a label "
                "for outliers, or considering removing them from your dataset."
            )

        def shares(y, classes):
            out = np.array([[w[y[i] == c].sum() for c in classes] for i, w in near], dtype=float).reshape(-1, len(classes))
            total = out.sum(axis=1, keepdims=True)
            if any(total[i] == 0 and len(found) for i, (found, _) in enumerate(near)):
                raise ValueError(
                    "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
                    "are using a user-defined function."
                )
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
        try:
            return _mercer.sample(self._model, int(n_samples), seed_of(random_state))
        except TypeError as error:
            raise NotImplementedError(str(error)) from None
