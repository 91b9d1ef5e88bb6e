"""From what users have (arrays, lists, sparse matrices, frames) to what the compiled part reads, without a copy where
the layout allows. Messages follow scikit-learn's wording where its tools look at them."""

import sys

import numpy as np

from mercer import _frames

MISSING_CODE = 2**32 - 1


def names_array(names):
    """Feature names as scikit-learn keeps them."""
    return np.asarray(names, dtype=object)


def is_sparse(X):
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(X)


def prepare_rows(estimator, X, fitting):
    """Rows for the compiled part, and the names of their columns.

    Returns
    -------
    prepared : ndarray or tuple
        See ``data.rs``.
    names : ndarray of str or None
    """
    frame = _frames.adapter(X)
    names = _frames.feature_names(frame.names) if frame is not None else None
    if not fitting:
        check_names(estimator, names)
    if frame is not None:
        prepared, shape = _frame(estimator, frame, names, fitting)
    elif is_sparse(X):
        prepared, shape = _sparse(estimator, X)
    else:
        prepared, shape = _array(estimator, X)
    check_columns(estimator, shape)
    if not fitting:
        check_width(estimator, shape[1])
    if fitting:
        wanted = estimator._levels_wanted(X)
    else:
        wanted = estimator._model.categorical if estimator._model.has_categories else None
    if wanted is not None:
        prepared = _frames.with_levels(prepared, wanted, fitting)
    return prepared, names


def prepare_plain(estimator, X):
    """Rows that are not those of training: only numbers are needed."""
    if is_sparse(X):
        prepared, shape = csr(X)
    else:
        frame = _frames.adapter(X)
        X = frame.matrix() if frame is not None and frame.numeric else np.asarray(X)
        prepared = _numbers(estimator, X)
        shape = prepared.shape
    check_columns(estimator, shape)
    return prepared


# Arrays


def _array(estimator, X):
    refuse_series(X)
    array = X if isinstance(X, np.ndarray) else _as_array(X)
    if array.ndim == 2 and array.dtype.kind in "OUS":
        table = _object_table(estimator, array)
        if table is not None:
            return table, array.shape
    prepared = _numbers(estimator, array)
    return prepared, prepared.shape


def _as_array(X):
    if isinstance(X, (str, bytes, dict)) or callable(X):
        raise TypeError(f"expected rows of features, got a {type(X).__name__}")
    array = np.asarray(X)
    # Texts beside numbers would all become texts.
    return np.asarray(X, dtype=object) if array.dtype.kind == "U" else array


def _numbers(estimator, array):
    """The array as a float64 matrix; itself where it is one already."""
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim != 2:
        refuse_dimensions(estimator, array)
    if array.dtype.kind in "US":
        owner = type(estimator).__name__
        raise ValueError(f"{owner} takes numbers, and could not convert string to float: {array.flat[0]!r}")
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        raise TypeError(f"{type(estimator).__name__} takes numbers, not dates or times; convert them first")
    if array.dtype != np.float64 or not array.flags.aligned or min(array.strides, default=0) < 0:
        try:
            array = np.array(array, dtype=np.float64, order="K", copy=True)
        except TypeError as error:
            raise TypeError(f"{error}: every argument must be a string or a number") from error
        if min(array.strides, default=0) < 0:
            array = np.ascontiguousarray(array)
    return array


def refuse_dimensions(estimator, array):
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}. {type(estimator).__name__} expected <= 2.")
    kind = "scalar array" if array.ndim == 0 else "1D array"
    raise ValueError(
        f"Expected 2D array, got {kind} instead:\narray={array}.\nReshape your data either using array.reshape(-1, 1) "
        "if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
    )


def check_columns(estimator, shape):
    """There must be rows, and features."""
    for size, what in zip(shape, ("sample(s)", "feature(s)")):
        if size == 0:
            owner = type(estimator).__name__
            raise ValueError(
                f"Found array with 0 {what} (shape={tuple(shape)}) while a minimum of 1 is required by {owner}."
            )


def check_width(estimator, width):
    """New rows must be as wide as those of training."""
    wanted = estimator._model.n_features
    if width != wanted:
        owner = type(estimator).__name__
        raise ValueError(f"X has {width} features, but {owner} is expecting {wanted} features as input")


def refuse_series(X):
    """A single column of pandas or polars is no table."""
    kind = type(X)
    if kind.__name__ == "Series" and kind.__module__.split(".")[0] in ("pandas", "polars"):
        raise ValueError(
            "Expected a 2-dimensional container but got "
            f"{kind} instead. Pass a DataFrame containing a single row (i.e. single sample) or a single column "
            "(i.e. single feature) instead."
        )


def _object_table(estimator, array):
    """Columns of mixed objects, for learners that take categories; None where they are all numbers."""
    known = estimator.fitted and estimator._model.has_categories
    if not known and array.dtype.kind == "O":
        # Texts are levels even where they read as numbers, for learners that take levels.
        texts = "categorical" in estimator._mercer_can and any(isinstance(v, str) for v in array.flat)
        try:
            if not texts:
                array.astype(np.float64)
                return None
        except (TypeError, ValueError):
            pass
    if "categorical" not in estimator._mercer_can:
        return None
    columns = [_frames.object_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    return "table", array.shape[0], columns


# Sparse matrices


def _sparse(estimator, X):
    from mercer._sklearn import capabilities

    if "sparse" not in capabilities(estimator):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a dense numpy array, which "
            f"{type(estimator).__name__} needs."
        )
    return csr(X)


def csr(X):
    """A sparse matrix for the compiled part, and its shape."""
    if X.ndim != 2:
        raise ValueError("Expected 2D array, got a 1D sparse array instead. Reshape your data.")
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported\n")
    X = X.tocsr()
    if X.shape[1] > 2**31 - 1:
        raise ValueError(f"a sparse matrix has at most {2**31 - 1} columns, got {X.shape[1]}")
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    n = int(indptr[-1]) if len(indptr) else 0
    indices = np.ascontiguousarray(X.indices[:n], dtype=np.int32)
    values = np.ascontiguousarray(X.data[:n], dtype=np.float64)
    return ("csr", indptr, indices, values, X.shape[1], None), X.shape


# Frames


def _frame(estimator, frame, names, fitting):
    """A matrix where the whole frame is numbers, else a table. A model that was trained on categories gets a table."""
    labels = [str(name) for name in frame.names] if names is not None else [f"x{j}" for j in range(len(frame.names))]
    shape = (frame.n_rows, len(frame.names))
    table = not fitting and estimator._model.has_categories
    if frame.numeric and not table:
        matrix = _numbers(estimator, frame.matrix())
        return (matrix if names is None else ("matrix", matrix, labels)), shape
    _frames.check_unique(labels)
    return ("table", frame.n_rows, [frame.column(j, label) for j, label in enumerate(labels)]), shape


def check_names(estimator, names):
    """scikit-learn's checks of feature names, with its words."""
    fitted = getattr(estimator, "feature_names_in_", None)
    owner = type(estimator).__name__
    if names is None and fitted is None:
        return
    if fitted is None or names is None:
        import warnings

        if fitted is None:
            message = f"X has feature names, but {owner} was fitted without feature names"
        else:
            message = f"X does not have valid feature names, but {owner} was fitted with feature names"
        warnings.warn(message, UserWarning, stacklevel=6)
        return
    if len(fitted) == len(names) and np.all(fitted == names):
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    for title, listed in (
        ("Feature names unseen at fit time:\n", unseen),
        ("Feature names seen at fit time, yet now missing:\n", missing),
    ):
        if listed:
            message += title + "".join(f"- {name}\n" for name in listed[:5])
            message += "- ...\n" if len(listed) > 5 else ""
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


# What is no table


def prepare_strings(estimator, X):
    """Strings for the compiled part."""
    if isinstance(X, str):
        raise ValueError("expected a sequence of strings, got a single one; put it in a list")
    if hasattr(X, "to_list"):
        X = X.to_list()
    strings = np.asarray(X, dtype=object).ravel().tolist() if isinstance(X, np.ndarray) else list(X)
    for i, string in enumerate(strings):
        if not isinstance(string, str):
            raise TypeError(f"{type(estimator).__name__} takes strings, got a {type(string).__name__} at {i}")
    if not strings:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return "strings", strings


class _Callables:
    """What the compiled part asks of a density that is written in Python."""

    def __init__(self, function, dim, start, gradient, conditionals):
        self.function, self.dim, self.start = function, int(dim), start
        self.name = getattr(function, "__name__", "log density")
        self.both = gradient is True
        self.gradient = None if self.both else gradient
        self.conditionals = conditionals


def prepare_density(density, dim, start, gradient=None, conditionals=None):
    """A log density: the name of a bundled one, or a callable with its number of dimensions."""
    if isinstance(density, str):
        if gradient is not None or conditionals is not None:
            raise ValueError("a bundled density has its own gradient and conditionals")
        return "density", density
    if not callable(density):
        raise TypeError(f"expected a callable or the name of a density, got a {type(density).__name__}")
    if gradient is not None and gradient is not True and not callable(gradient):
        raise TypeError(f"`gradient` is a callable, or True where the density gives both, got a {type(gradient).__name__}")
    if start is not None:
        start = [float(v) for v in np.asarray(start, dtype=np.float64).ravel()]
        dim = len(start) if dim is None else dim
        if len(start) != dim:
            raise ValueError(f"`start` has {len(start)} coordinates, but `dim` is {dim}")
    if conditionals is not None:
        conditionals = list(conditionals)
        dim = len(conditionals) if dim is None else dim
        if len(conditionals) != dim or not all(map(callable, conditionals)):
            raise ValueError(f"`conditionals` has one callable for each of {dim} coordinates")
    if dim is None:
        raise ValueError("give `dim`, the number of dimensions of the density, or `start`, a point to start from")
    return "callable", _Callables(density, dim, start, gradient, conditionals)


def prepare_process(process):
    """A decision process: an MDP, what one is made of, a path to its JSON file, or the name of a bundled one."""
    from mercer._planning import MDP

    return "mdp", MDP.of(process)._process


def prepare_states(states):
    """States to decide in, by name or by number."""
    array = np.asarray([states] if isinstance(states, str) else states).ravel()
    if array.dtype.kind in "iu":
        return array.astype(np.float64).reshape(-1, 1)
    return "strings", [str(state) for state in array.tolist()]
