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
    same, X = X is Y, np.asarray(X)
    Y = X if same else np.asarray(Y)
    try:
        found = np.asarray(kernel(X[0], Y[0], **params), dtype=np.float64)
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and found.size == 1:
        # A kernel is symmetric, and may be dear: of the pairs of points with themselves, half are asked about.
        out = np.empty((len(X), len(Y)))
        for i, x in enumerate(X):
            for j in range(i if same else 0, len(Y)):
                out[i, j] = np.squeeze(found if i == j == 0 else kernel(x, Y[j], **params))
                if same:
                    out[j, i] = out[i, j]
        return out
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

    def _is_pairwise(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"


class ComponentsMixin(KernelMixin):
    """What kernel PCA has beside its kernel."""

    @property
    def gamma_(self):
        """The γ of the kernel: as given, else one over the number of features."""
        self._model
        return 1.0 / self.n_features_in_ if self.gamma is None else self.gamma

    def inverse_transform(self, X):
        """The rows that would be transformed into these, by a regression that ``fit_inverse_transform`` learns."""
        if not self.fit_inverse_transform:
            from mercer._base import not_fitted

            raise type(not_fitted(self))(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse transform "
                "is not available."
            )
        return super().inverse_transform(X)


class NystroemMixin(KernelMixin):
    """Nyström's approximation: a function of the user's is asked about the drawn points alone."""

    def _prepare_fit(self, X):
        word = isinstance(self.kernel, str) and self.kernel != "precomputed"
        if not word and any(getattr(self, name) is not None for name in ("gamma", "coef0", "degree")):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
        self.__dict__.pop("_drawn", None)
        if not is_function(self.kernel):
            return super()._prepare_fit(X)
        import numpy as np

        from mercer._base import Estimator

        _, names = super(KernelMixin, self)._prepare_fit(X)
        points = np.asarray(X, dtype=np.float64)
        # Which points are drawn depends on how many there are, and on the seed.
        drawer = type(self)(kernel="linear", n_components=self.n_components, random_state=self._seed())
        drawn = Estimator._fit(drawer, np.arange(len(points), dtype=float)[:, None]).component_indices_
        self.__dict__.update(_drawn=drawn, _points=points[drawn])
        return gram_of(self.kernel, self._points, self._points, self.kernel_params), names

    @property
    def component_indices_(self):
        """The places of the drawn points."""
        own, drawn = self.__getattr__("component_indices_"), self.__dict__.get("_drawn")
        return own if drawn is None else drawn[own]

    @property
    def components_(self):
        """The drawn points."""
        if "_drawn" in self.__dict__:
            return self._points[self.__getattr__("component_indices_")]
        return self.__getattr__("components_")
