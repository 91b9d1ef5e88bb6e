"""What learners with a kernel have in Python: kernels as objects, functions of two points, strings, and kernels that are given."""

from __future__ import annotations

from mercer._kernels import Kernel


def is_function(kernel):
    """Whether a kernel is a function of the user's."""
    return callable(kernel) and not isinstance(kernel, (str, Kernel))


def is_strings(X):
    """Whether points are strings."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], str)
    return getattr(getattr(X, "dtype", None), "kind", None) in ("O", "U") and X.ndim == 1 and X.size > 0 and isinstance(X[0], str)


def points_of(X):
    """Points as a function of the user's takes them: strings and sparse rows as they are, else an array."""
    import numpy as np

    if is_strings(X):
        return list(X)
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)


def gram_of(kernel, X, Y, params=None):
    """The values of a function of the user's for all pairs: of whole arrays, or of two rows at a time."""
    import numpy as np

    params = params or {}
    if hasattr(X, "tocsr") or is_strings(X):
        found = kernel(X, Y, **params)
        return np.asarray(found.toarray() if hasattr(found, "tocsr") else found, dtype=np.float64)
    X, Y = np.asarray(X), np.asarray(Y)
    try:
        found = np.asarray(kernel(X[0], Y[0], **params), dtype=np.float64)
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and found.size == 1:
        return np.array([[float(np.squeeze(kernel(x, y, **params))) for y in Y] for x in X])
    return np.asarray(kernel(X, Y, **params), dtype=np.float64)


def width(points):
    """The number of features; a string has one."""
    return 1 if is_strings(points) else points.shape[-1]


class KernelMixin:
    """Learners whose ``kernel`` is a word, a kernel, a function of the user's, or ``"precomputed"``."""

    _door_meant = frozenset({"kernel_params"})

    def _takes_strings(self, X):
        return is_strings(X) and not is_function(self.kernel)

    def _prepare_fit(self, X):
        if self._takes_strings(X):
            from mercer._data import prepare_strings

            return prepare_strings(self, X), None
        if is_function(self.kernel):
            points = points_of(X)
            gram = gram_of(self.kernel, points, points, getattr(self, "kernel_params", None))
            self.__dict__["_points"] = points
            # Points that are rows are looked at as all rows are, for their names and for values that are not finite.
            names = None if is_strings(X) else super()._prepare_fit(X)[1]
            return gram, names
        self.__dict__.pop("_points", None)
        return super()._prepare_fit(X)

    def _prepare(self, X, method):
        self._model
        if self._takes_strings(X):
            from mercer._data import prepare_strings

            return prepare_strings(self, X)
        points = self.__dict__.get("_points")
        if points is not None:
            X = points_of(X)
            strings = is_strings(X)
            if strings != is_strings(points) or not strings and (X.ndim != 2 or X.shape[1] != points.shape[1]):
                raise ValueError(
                    f"X has {width(X)} features, but {type(self).__name__} is expecting {width(points)} features as input."
                )
            return gram_of(self.kernel, X, points, getattr(self, "kernel_params", None))
        return super()._prepare(X, method)

    def _fit_params(self, X):
        params = super()._fit_params(X)
        if is_function(self.kernel):
            params["kernel"] = "precomputed"
        return params

    @property
    def n_features_in_(self):
        """The number of features of the points."""
        points = self.__dict__.get("_points")
        if points is not None:
            return width(points)
        return self.__getattr__("n_features_in_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
