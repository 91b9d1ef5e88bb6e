"""Strings, series and graphs as points: what users have becomes what the compiled part reads, and kernels of them are objects."""

from __future__ import annotations

from mercer import _mercer
from mercer._kernels import GenericKernelMixin, Kernel
from mercer._lazy import Lazy

np = Lazy("numpy")


def series(X):
    """Series for the compiled part.

    Parameters
    ----------
    X : array of shape (n, length) or (n, length, coordinates), or a sequence of arrays of shape (length,) or (length, coordinates)
        Points at the end that are NaN in all coordinates are padding, and left out.
    """
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    parts = [_points_of(i, x) for i, x in enumerate(X)]
    if not parts:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(f"series have the same number of coordinates, got {sorted(widths)}")
    starts = np.cumsum([0] + [part.size for part in parts], dtype=np.int64)
    return "series", starts, np.concatenate([part.ravel() for part in parts]), widths.pop()


def _points_of(i, x):
    """One series as an array of its points."""
    try:
        x = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"series {i} is no array of numbers: {error}") from error
    if x.ndim == 1:
        x = x.reshape(-1, 1)
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError(f"series {i} has shape {x.shape}; series are arrays of shape (length,) or (length, coordinates)")
    there = ~np.isnan(x).all(axis=1)
    x = x[: len(there) - int(there[::-1].argmax())] if there.any() else x[:0]
    if len(x) == 0:
        raise ValueError(f"series {i} has no points")
    return np.ascontiguousarray(x)


def prepared(X, kind):
    """Data that are no rows for the compiled part, or None where they are rows; `kind` is what the kernel or metric takes, where it is
    known.
    """
    if kind == "series":
        return series(X)
    if isinstance(X, (list, tuple)) or getattr(getattr(X, "dtype", None), "kind", None) in ("O", "U") and X.ndim == 1:
        first = X[0] if len(X) > 0 else None
        if hasattr(first, "_mercer_graph"):
            return "graphs", [_graph(i, g) for i, g in enumerate(X)]
        if isinstance(first, str) and kind == "strings":
            return "strings", [str(s) for s in X]
    return None


def _graph(i, graph):
    if not hasattr(graph, "_mercer_graph"):
        raise TypeError(f"expected graphs alone, got a {type(graph).__name__} at {i}")
    return graph._mercer_graph()


def kind_of(estimator):
    """The kind of data that an estimator's kernel or metric takes, or None."""
    kernel, metric = getattr(estimator, "kernel", None), getattr(estimator, "metric", None)
    if isinstance(metric, str):
        if metric in ("dtw", "levenshtein"):
            return "series" if metric == "dtw" else "strings"
        kernel = (getattr(estimator, "metric_params", None) or {}).get("kernel") if metric == "kernel" else kernel
    if isinstance(kernel, Kernel):
        kernel = kernel._mercer_kernel()
    return _mercer.kernel_kind(kernel) if isinstance(kernel, str) else None


class StructureKernel(GenericKernelMixin, Kernel):
    """A kernel of strings, series or graphs.

    It is a kernel as others: learners take it, and it can be added and multiplied. ``fit_transform`` and ``transform`` give matrices of its
    values, as GraKeL's kernels do.
    """

    _kind = ""
    normalize = False

    def _grammar(self):
        raise NotImplementedError

    def _mercer_kernel(self):
        return f"normalised({self._grammar()})" if self.normalize else self._grammar()

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return False

    def _data(self, X):
        found = prepared(X, self._kind)
        if found is None:
            raise TypeError(f"{type(self).__name__} takes {self._kind}")
        return found

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values for all pairs, and their derivatives by the logarithms of the hyper-parameters, of which there are none."""
        if eval_gradient and Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        values = _mercer.kernel_matrix(self._mercer_kernel(), self._data(X), None if Y is None else self._data(Y))
        return (values, np.empty((*values.shape, 0))) if eval_gradient else values

    def single(self, X, Y=None):
        """The values for all pairs, rounded to single precision as they are computed: half the memory."""
        return _mercer.kernel_matrix(self._mercer_kernel(), self._data(X), None if Y is None else self._data(Y), True)

    def diag(self, X):
        """The value of each point with itself."""
        return _mercer.kernel_diagonal(self._mercer_kernel(), self._data(X))

    def fit(self, X, y=None):
        """Keep the points that others are compared with.

        Returns
        -------
        self
        """
        self._data(X)
        self._fitted = list(X)
        return self

    def transform(self, X):
        """The values of the kernel for new points with those kept.

        Returns
        -------
        ndarray of shape (n_new, n_kept)
        """
        if not hasattr(self, "_fitted"):
            from mercer._exceptions import not_fitted

            raise not_fitted(self)
        return self(X, self._fitted)

    def fit_transform(self, X, y=None):
        """Keep the points, and give the values of the kernel for all pairs.

        Returns
        -------
        ndarray of shape (n, n)
        """
        self.fit(X)
        return self(X)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"


def truth(value):
    """A truth value in the text grammar."""
    return "true" if value else "false"
