"""The levels of columns as scikit-learn has them: sorted, NaN and None last, in the type of the column."""

import sys

import numpy as np

from mercer import _frames
from mercer._data import check_columns, is_sparse, refuse_series


def is_nan(value):
    """Whether a value is NaN; None, NaT and texts are not."""
    return isinstance(value, (float, np.floating)) and value != value


def columns_of(estimator, X):
    """The columns of rows, each an array or a series, with their names (None where they have none)."""
    frame = _frames.adapter(X)
    if frame is not None:
        check_columns(estimator, (frame.n_rows, len(frame.names)))
        return [_values(X, j) for j in range(len(frame.names))], _frames.feature_names(frame.names)
    refuse_series(X)
    if is_sparse(X):
        raise TypeError(
            f"Sparse data was passed, but dense data is required by {type(estimator).__name__}. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    array = np.asarray(X)
    if not hasattr(X, "dtype") and array.dtype.kind == "U":
        array = np.asarray(X, dtype=object)
    if array.ndim != 2:
        from mercer._data import refuse_dimensions

        refuse_dimensions(estimator, array)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"Input X contains infinity or a value too large for dtype({array.dtype.name!r}).")
    check_columns(estimator, array.shape)
    return [array[:, j] for j in range(array.shape[1])], None


def _values(frame, j):
    """A column of a frame as an array, or as a series of pandas where that is faster."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, j]
    column = frame[:, j] if hasattr(frame, "get_column") else frame.column(j)
    if hasattr(column, "to_pylist"):
        return np.asarray(column.to_pylist(), dtype=object) if column.null_count else column.to_numpy()
    if column.null_count():
        return np.asarray(column.to_list(), dtype=object)
    return column.to_numpy() if column.dtype.is_numeric() else np.asarray(column.to_list(), dtype=object)


def factorized(column):
    """Codes into the distinct values of a column, and these values in any order."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(column, pandas.Series):
        return _factorized_series(pandas, column)
    if column.dtype.kind != "O":
        uniques, codes = np.unique(column, return_inverse=True)
        return codes.ravel(), uniques
    place, codes = {}, np.empty(len(column), dtype=np.intp)
    for i, value in enumerate(column.tolist()):
        codes[i] = place.setdefault(np.nan if _is_missing_number(value) else value, len(place))
    uniques = np.empty(len(place), dtype=object)
    uniques[:] = list(place)
    return codes, uniques


def _is_missing_number(value):
    return is_nan(value) or type(value).__name__ in ("NAType", "NaTType")


def _factorized_series(pandas, series):
    codes, uniques = pandas.factorize(series)
    plain = isinstance(series.dtype, np.dtype) and series.dtype.kind != "O"
    if isinstance(series.dtype, pandas.CategoricalDtype):
        uniques = uniques.categories.take(uniques.codes)
    uniques = uniques.to_numpy() if hasattr(uniques, "to_numpy") else np.asarray(uniques)
    codes = np.asarray(codes, dtype=np.intp)
    missing = codes < 0
    if plain and not missing.any():
        return codes, uniques
    if not missing.any():
        return codes, uniques if uniques.dtype.kind in "fiub" else uniques.astype(object)
    nothing = np.fromiter((value is None for value in series[missing]), dtype=bool)
    found = [None] * int(nothing.any()) + [np.nan] * int(not nothing.all())
    codes = codes.copy()
    codes[missing] = len(uniques) + np.where(nothing, 0, len(found) - 1)
    kept = uniques.astype(np.float64) if uniques.dtype.kind in "fiu" and None not in found else uniques.astype(object)
    out = np.empty(len(uniques) + len(found), dtype=kept.dtype)
    out[: len(uniques)], out[len(uniques) :] = kept, found
    return codes, out


def in_order(uniques):
    """Distinct values sorted: None and NaN last."""
    if uniques.dtype.kind != "O":
        return np.sort(uniques)
    values = uniques.tolist()
    missing = [None] * any(v is None for v in values) + [np.nan] * any(is_nan(v) for v in values)
    try:
        present = sorted(v for v in values if v is not None and not is_nan(v))
    except TypeError:
        types = sorted({type(v).__qualname__ for v in values})
        raise TypeError(f"Encoders require their input argument must be uniformly strings or numbers. Got {types}") from None
    out = np.empty(len(values), dtype=object)
    out[:] = present + missing
    return out


def places(uniques, categories):
    """The place of each value among the categories, -1 where it is none of them."""
    index, nan = {}, -1
    for i, category in enumerate(categories.tolist()):
        if is_nan(category):
            nan = i
        else:
            index[category] = i
    return np.asarray([nan if is_nan(v) else index.get(v, -1) for v in uniques.tolist()], dtype=np.int64)


def texts_of(categories):
    """A text for each category, all of them different."""
    texts = []
    for category in categories.tolist():
        text = category if isinstance(category, str) else str(category)
        while text in texts[-3:] or (category is None or is_nan(category)) and text in texts:
            text += "_"
        texts.append(text)
    return texts
