"""Targets, predictions, scores and weights as tools take them: what kind a target is, and scikit-learn's words for what is
wrong with it. Every metric, splitter and search asks here."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence

import numpy as np


def is_sparse(values):
    """Whether values are a sparse matrix; SciPy is asked only where it is loaded."""
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(values)


def n_rows(values):
    """The number of rows of whatever has rows."""
    if hasattr(values, "fit") and callable(values.fit):
        raise TypeError(f"Expected sequence or array-like, got {type(values)}")
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) == 0:
        raise TypeError(
            f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `{values!r}` instead."
        )
    if shape is not None and isinstance(shape[0], numbers.Integral):
        return int(shape[0])
    if not hasattr(values, "__len__"):
        if not hasattr(values, "__array__"):
            raise TypeError(f"Expected sequence or array-like, got {type(values)}")
        values = np.asarray(values)
    return len(values)


def check_lengths(*arrays):
    """Arrays must be of equal length."""
    lengths = [n_rows(a) for a in arrays if a is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def plain(values):
    """Values as a NumPy array, whatever their kind; ragged sequences become objects, nullable columns numbers."""
    if isinstance(values, np.ndarray) and type(values) is np.ndarray:
        array = values
    else:
        inner = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
        try:
            array = values.to_numpy(dtype=inner) if inner is not None and not values.isna().any() else np.asarray(values)
        except ValueError:
            array = np.empty(len(values), dtype=object)
            array[:] = list(values)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    return array


def check_finite(array, name=""):
    """Numbers must be finite."""
    if array.dtype.kind == "f" and not np.isfinite(array).all() or array.dtype.kind == "O" and _is_missing(array):
        what = "NaN" if array.dtype.kind == "O" or np.isnan(array).any() else f"infinity or a value too large for {array.dtype!r}"
        raise ValueError(f"Input {name + ' ' if name else ''}contains {what}.")


def _is_missing(array):
    return any(isinstance(v, float) and v != v for v in array.flat)


def check_numbers(values, name="", *, ndim=(1, 2), finite=True, least=1, dtype=np.float64):
    """Values as finite numbers, of one or two dimensions."""
    if is_sparse(values):
        raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
    array = plain(values)
    if array.ndim not in ndim:
        if array.ndim < min(ndim):
            kind = "scalar" if array.ndim == 0 else f"{array.ndim}D"
            raise ValueError(
                f"Expected {min(ndim)}D array, got {kind} array instead:\narray={array}.\nReshape your data either using "
                "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
            )
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= {max(ndim)} is required.")
    if array.dtype.kind in "US":
        raise ValueError(f"dtype='numeric' is not compatible with arrays of bytes/strings: {array!r}")
    if dtype is not None and array.dtype.kind != "f":
        array = array.astype(dtype)
    if finite:
        check_finite(array, name)
    if array.shape[0] < least:
        found = f"Found array with {array.shape[0]} sample(s) (shape={array.shape})"
        raise ValueError(f"{found} while a minimum of {least} is required.")
    return array


def column(values, name="y"):
    """Values of one dimension; a column vector is one."""
    if is_sparse(values):
        raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
    array = plain(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def check_weights(sample_weight, n, *, dtype=np.float64):
    """Weights as an array; None stays None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Number):
        weights = np.full(n, sample_weight, dtype=np.float64)
    else:
        weights = plain(sample_weight)
        if weights.dtype.kind in "OUS" or (dtype is not None and weights.dtype.kind != "f"):
            weights = weights.astype(np.float64)
    check_finite(weights, "sample_weight")
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected either a scalar value or a 1D "
            f"array of length {n}."
        )
    if len(weights) != n:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if n and not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return np.ascontiguousarray(weights)


# What kind a target is


def _is_indicator(array):
    """Whether an array of two dimensions has columns of zeros and one other whole number."""
    if array.ndim != 2 or array.shape[1] < 2:
        return False
    data = array.data if is_sparse(array) else array
    if array.dtype.kind not in "biuf":
        return False
    known = np.unique(data)
    if is_sparse(array):
        few = len(known) < 2 or len(known) == 2 and 0 in known
    else:
        few = len(known) < 3
    with np.errstate(invalid="ignore"):
        return few and (array.dtype.kind != "f" or bool(np.all(known.astype(np.int64) == known)))


def type_of_target(y, input_name=""):
    """The kind of a target, in scikit-learn's words: "binary", "multiclass", "continuous", "multilabel-indicator", …"""
    return kind_and_labels(y, input_name)[0]


def kind_and_labels(y, input_name=""):
    """The kind of a target, and its labels where it is classes, so that whoever needs both sorts once."""
    arraylike = isinstance(y, Sequence) or is_sparse(y) or hasattr(y, "__array__")
    if not arraylike or isinstance(y, str):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {y!r}")
    if type(y).__name__ in ("SparseSeries", "SparseArray"):
        raise ValueError("y cannot be class 'SparseSeries' or 'SparseArray'")
    if is_sparse(y) and y.format in ("dok", "lil"):
        y = y.tocsr()
    array = y if is_sparse(y) else plain(y)
    if _is_indicator(array):
        return "multilabel-indicator", None
    if not is_sparse(array) and array.ndim and len(array):
        first = array[0]
        if isinstance(first, bytes):
            raise TypeError(
                "Support for labels represented as bytes is not supported. Convert the labels to a string or integer format."
            )
        if not hasattr(first, "__array__") and isinstance(first, Sequence) and not isinstance(first, str):
            raise ValueError(
                "You appear to be using a legacy multi-label data representation. Sequence of sequences are no longer "
                "supported; use a binary array or sparse matrix instead - the MultiLabelBinarizer transformer can convert to "
                "this format."
            )
    if array.ndim not in (1, 2):
        return "unknown", None
    if not min(array.shape):
        return "binary" if array.ndim == 1 else "unknown", None
    if not is_sparse(array) and array.dtype == object and not isinstance(array.flat[0], str):
        return "unknown", None
    suffix = "-multioutput" if array.ndim == 2 and array.shape[1] > 1 else ""
    data = array.data if is_sparse(array) else array
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = np.all(data.astype(np.int64) == data)
        if not whole:
            check_finite(data, input_name)
            return "continuous" + suffix, None
    if suffix:
        return "multiclass" + suffix, None
    labels = unique(data)
    return "multiclass" if len(labels) > 2 else "binary", labels


def unique(array):
    """The sorted values of an array; of objects that cannot be sorted as they come."""
    try:
        return np.unique(array)
    except TypeError:
        return np.asarray(list(dict.fromkeys(array.ravel().tolist())), dtype=object)


def unique_labels(*each):
    """The sorted labels of several lists of labels; texts and numbers do not mix."""
    texts = {isinstance(label, str) for labels in each for label in labels.tolist()}
    if len(texts) > 1:
        listed = " and ".join(str(labels) for labels in each)
        raise ValueError(f"Mix of label input types (string and number); Got {listed}.")
    together = each[0] if len(each) == 1 else np.concatenate(each)
    return np.unique(together)


def check_pos_label(pos_label, y_true):
    """The positive label: 1 where the labels leave no doubt."""
    if pos_label is not None:
        return pos_label
    known = unique(y_true)
    if known.dtype.kind in "OUS" or known.tolist() not in ([0, 1], [-1, 1], [0], [-1], [1]):
        listed = ", ".join(repr(label) for label in known.tolist())
        raise ValueError(
            f"y_true takes value in {{{listed}}} and pos_label is not specified: either make y_true take value in {{0, 1}} or "
            "{-1, 1} or pass pos_label explicitly."
        )
    return 1


def codes(y, labels, what="y"):
    """Codes of a target in sorted labels; a label that is not among them is an error."""
    if len(labels) and y.dtype.kind in "iu" and labels.dtype.kind in "iu" and labels[0] == 0 and labels[-1] == len(labels) - 1:
        if len(y) == 0 or 0 <= y.min() and y.max() < len(labels):
            return np.ascontiguousarray(y, dtype=np.uint32)
    found = np.minimum(np.searchsorted(labels, y), max(len(labels) - 1, 0))
    if len(y) and (len(labels) == 0 or not np.array_equal(labels[found], y)):
        unknown = y if len(labels) == 0 else y[labels[found] != y]
        raise ValueError(f"{what} contains labels that are not among the known ones: {unique(unknown).tolist()}")
    return np.ascontiguousarray(found, dtype=np.uint32)


def one_of(name, value, known):
    """A parameter that is one of some words."""
    if not (value is None or isinstance(value, (str, bool))) or value not in known:
        raise ValueError(f"The {name!r} parameter must be one of {list(known)}. Got {value!r} instead.")
    return value
