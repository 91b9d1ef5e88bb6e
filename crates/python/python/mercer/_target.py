"""Targets and weights for the compiled part. Classes keep their type: predictions come back in the dtype of `y`."""

import sys
import warnings

import numpy as np

from mercer._exceptions import data_conversion_warning, undefined_metric_warning
from mercer._frames import is_missing


def n_rows(x):
    """The number of rows of prepared data."""
    if isinstance(x, np.ndarray):
        return x.shape[0]
    return {"matrix": lambda: x[1].shape[0], "table": lambda: x[1], "csr": lambda: len(x[1]) - 1, "series": lambda: len(x[1]) - 1}.get(
        x[0], lambda: len(x[1])
    )()


def _check_length(what, got, x):
    if got != n_rows(x):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n_rows(x)}, {got}] ({what})")


def _name(y):
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _as_array(y):
    """`y` as an array of one or two dimensions."""
    scipy = sys.modules.get("scipy.sparse")
    if scipy is not None and scipy.issparse(y):
        raise TypeError("Sparse data was passed for y, but dense data is required. Use '.toarray()' to convert it.")
    if hasattr(y, "to_numpy"):
        dtype = getattr(y, "dtype", None)
        if dtype is not None and not isinstance(dtype, np.dtype) and hasattr(dtype, "categories"):
            return np.asarray(y)
        # Arrow's own `to_numpy` refuses what it cannot show without a copy, such as text.
        y = np.asarray(y) if type(y).__module__.startswith("pyarrow") else y.to_numpy()
    array = np.asarray(y)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim == 0 or array.ndim > 2:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def _column_or_1d(y, warn=True):
    if y.ndim == 2:
        if y.shape[1] != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        if warn:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples, ), for example using ravel().",
                data_conversion_warning(),
                stacklevel=7,
            )
    return y.ravel()


def prepare_target(estimator, y, x):
    """The target for `fit`, and the dtype of its classes."""
    owner = type(estimator).__name__
    if y is None:
        raise ValueError(
            f"This {owner} estimator requires y to be passed, but the target y is None. Should be a 1d array."
        )
    array = _as_array(y)
    _check_length("y", len(array), x)
    if estimator._mercer_task == "Classification":
        if array.ndim == 2 and array.shape[1] > 1 and "multi_output" in estimator._mercer_can:
            columns = [_encode(owner, array[:, k]) for k in range(array.shape[1])]
            target = "many", [codes for codes, _ in columns], [classes.tolist() for _, classes in columns]
            return target, _dtype_name(columns[0][1])
        array = _column_or_1d(array)
        codes, classes = _encode(owner, array)
        if "binary" in estimator._mercer_can and len(classes) != 2:
            count = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
            raise ValueError(f"Only binary classification is supported by {owner}. The target has {count}.")
        return ("classes", codes, classes.tolist(), _name(y)), _dtype_name(classes)
    return _numbers(estimator, array, _name(y)), None


def is_classes(array):
    """Whether a target is classes rather than numbers: whatever is no number, and whole numbers of few values."""
    if array.dtype.kind in "OUSb":
        return True
    if array.dtype.kind in "iu":
        return True
    return bool(array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all())


def prepare_any_target(estimator, y, x):
    """The target of a transformer that learns from one: classes where it looks like some, else numbers."""
    if y is None:
        owner = type(estimator).__name__
        raise ValueError(
            f"This {owner} estimator requires y to be passed, but the target y is None. Should be a 1d array."
        )
    array = _as_array(y)
    _check_length("y", len(array), x)
    if array.ndim == 1 or array.shape[1] == 1:
        array = _column_or_1d(array)
        if is_classes(array):
            codes, classes = _encode(type(estimator).__name__, array)
            return ("classes", codes, classes.tolist(), _name(y)), _dtype_name(classes)
    return _numbers(estimator, array, _name(y)), None


def prepare_numbers_or_classes(estimator, y, x):
    """The target of an encoder, the dtype of its classes, and what it is: binary, multiclass or continuous, as scikit-learn
    tells them apart where `target_type` does not say."""
    if y is None:
        return *prepare_any_target(estimator, y, x), None
    array, wanted = _as_array(y), estimator.target_type
    _check_length("y", len(array), x)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    array = array.ravel()
    kind = wanted
    if wanted == "auto":
        kind = ("binary" if len(np.unique(array)) <= 2 else "multiclass") if is_classes(array) else "continuous"
    if kind == "continuous":
        return _numbers(estimator, array, _name(y)), None, kind
    codes, classes = _encode(type(estimator).__name__, array)
    if kind == "binary" and len(classes) > 2:
        raise ValueError(f"The target type is 'binary', but y has {len(classes)} classes")
    return ("classes", codes, classes.tolist(), _name(y)), _dtype_name(classes), kind


def _numbers(estimator, array, name):
    if array.ndim == 2 and "multi_output" not in estimator._mercer_can:
        array = _column_or_1d(array)
    if array.dtype.kind not in "fiub":
        array = array.astype(np.float64)
    bad = ~np.isfinite(array) if array.dtype.kind == "f" else None
    if bad is not None and bad.any():
        what = "NaN" if np.isnan(array).any() else f"infinity or a value too large for dtype({array.dtype.name!r})"
        raise ValueError(f"Input y contains {what}.")
    columns = [array] if array.ndim == 1 else [array[:, k] for k in range(array.shape[1])]
    return "numbers", [np.ascontiguousarray(column, dtype=np.float64) for column in columns], name


def _dtype_name(classes):
    return classes.dtype.str


def _encode(owner, y):
    """Codes into the sorted classes."""
    if y.dtype.kind == "f":
        if np.isnan(y).any():
            raise ValueError("Input y contains NaN.")
        if not np.isfinite(y).all():
            raise ValueError(f"Input y contains infinity or a value too large for dtype({y.dtype.name!r}).")
        if (y != np.floor(y)).any():
            raise ValueError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
                "classes on a regression target with continuous values."
            )
    elif y.dtype.kind == "O":
        if any(is_missing(value) for value in y):
            raise ValueError("Input y contains NaN or None.")
        if len({isinstance(value, str) for value in y}) > 1:
            raise TypeError("y mixes text and numbers; give classes of one type")
    elif y.dtype.kind not in "iubUS":
        raise ValueError(f"Unknown label type: {y.dtype} is no type of classes for {owner}")
    if len(y) == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if y.dtype.kind == "S":
        raise TypeError("Support for labels represented as bytes is not supported; decode them to text first.")
    if y.dtype.kind == "u" and int(y.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"y has the label {int(y.max())}, beyond 2**63 - 1; give such labels as text")
    if y.dtype.kind in "iu":
        quick = _encode_small_integers(y)
        if quick is not None:
            return quick
    classes, codes = np.unique(y, return_inverse=True)
    return np.ascontiguousarray(codes.ravel(), dtype=np.uint32), classes


def _encode_small_integers(y):
    """Counting instead of sorting, where the classes span a small range."""
    low, high = int(y.min()), int(y.max())
    if high - low >= 1 << 16:
        return None
    shifted = (y.astype(np.int64) - low) if y.dtype.kind == "i" else (y - y.dtype.type(low)).astype(np.int64)
    seen = np.bincount(shifted) > 0
    place = (np.cumsum(seen) - 1).astype(np.uint32)
    return place[shifted], (np.flatnonzero(seen) + low).astype(y.dtype)


def prepare_known_target(estimator, y, model, x):
    """A target in the codes of a fitted model; classes that it does not know are an error."""
    array = _as_array(y)
    _check_length("y", len(array), x)
    if estimator._mercer_task != "Classification":
        return _numbers(estimator, array, _name(y))
    if model.n_targets > 1:
        if array.ndim != 2 or array.shape[1] != model.n_targets:
            raise ValueError(f"y has shape {array.shape}, but the model has {model.n_targets} targets")
        labels = [classes.tolist() for classes in model.classes]
        return "many", [_known_codes(array[:, k], own) for k, own in enumerate(labels)], labels
    return "classes", _known_codes(array, model.labels), model.labels, _name(y)


def _known_codes(array, labels):
    place = {label: code for code, label in enumerate(labels)}
    values = array.ravel().tolist()
    unknown = [value for value in values if value not in place]
    if unknown:
        raise ValueError(f"y has the class {unknown[0]!r}, which was not seen in training")
    return np.asarray([place[v] for v in values], dtype=np.uint32)


def prepare_weights(sample_weight, x):
    """Weights, one a row; a single number means the same for all."""
    if isinstance(sample_weight, (int, float)):
        return np.full(n_rows(x), float(sample_weight))
    array = np.asarray(sample_weight)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported for sample_weight")
    if array.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {array.ndim}D array.")
    if len(array) != n_rows(x):
        raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n_rows(x),)}!")
    weights = np.ascontiguousarray(array, dtype=np.float64)
    if len(weights) and not weights.any():
        raise ValueError("every sample weight is zero")
    return weights
