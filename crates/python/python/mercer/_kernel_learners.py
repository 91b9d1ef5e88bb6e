"""What learners with a kernel have in Python: kernels as objects, functions of two points, strings, and kernels that are given."""

from __future__ import annotations

from mercer._kernels import Kernel


def is_function(kernel):
    """Whether a kernel is a function of the user's."""
    return callable(kernel) and not isinstance(kernel, (str, Kernel))


def gram_of(kernel, X, Y, params=None):
    """The values of a function of the user's for all pairs: of whole arrays, or of two rows at a time."""
    import numpy as np

    params = params or {}
    X, Y = np.asarray(X), np.asarray(Y)
    try:
        found = np.asarray(kernel(X[0], Y[0], **params), dtype=np.float64)
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and found.size == 1:
        return np.array([[float(np.squeeze(kernel(x, y, **params))) for y in Y] for x in X])
    return np.asarray(kernel(X, Y, **params), dtype=np.float64)


class KernelMixin:
    """Learners whose ``kernel`` is a word, a kernel, a function of the user's, or ``"precomputed"``."""

    _door_meant = frozenset({"kernel_params"})

    def _takes_strings(self, X):
        if isinstance(X, (list, tuple)):
            return len(X) > 0 and isinstance(X[0], str)
        return getattr(getattr(X, "dtype", None), "kind", None) in ("O", "U") and X.ndim == 1 and X.size > 0 and isinstance(X[0], str)

    def _prepare_fit(self, X):
        if self._takes_strings(X):
            from mercer._data import prepare_strings

            return prepare_strings(self, X), None
        if is_function(self.kernel):
            import numpy as np

            points = np.asarray(X, dtype=np.float64)
            gram = gram_of(self.kernel, points, points, getattr(self, "kernel_params", None))
            self.__dict__["_points"] = points
            # The points are looked at as all rows are, for their names and for values that are not finite.
            _, names = super()._prepare_fit(X)
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
            import numpy as np

            X = np.asarray(X, dtype=np.float64)
            if X.ndim != 2 or X.shape[1] != points.shape[1]:
                raise ValueError(
                    f"X has {X.shape[-1]} features, but {type(self).__name__} is expecting {points.shape[1]} features as input."
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
            return points.shape[1]
        return self.__getattr__("n_features_in_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
