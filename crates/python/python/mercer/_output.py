"""What transformers give back: arrays, sparse matrices or frames, as `set_output` asks."""

import sys
import warnings

import numpy as np

from mercer import _frames


def _is_float32(X):
    dtype = getattr(X, "dtype", None)
    if dtype is None:
        dtypes = getattr(X, "dtypes", ())
        return len(dtypes) > 0 and all(str(t).lower() == "float32" for t in dtypes)
    return dtype == np.float32


def plain(rows, X):
    """Rows as an array or a sparse matrix; mixed columns become an array of objects."""
    if isinstance(rows, np.ndarray):
        return rows.astype(np.float32) if _is_float32(X) else rows
    if rows[0] == "csr":
        from scipy.sparse import csr_array, csr_matrix, isspmatrix

        _, indptr, indices, values, shape = rows
        if _is_float32(X):
            values = values.astype(np.float32)
        # The new arrays only for those who use them already; scikit-learn's own transformers do the same.
        make = csr_matrix if not _is_sparse_array(X, isspmatrix) else csr_array
        made = make((values, indices, indptr), shape=shape)
        return made.tocsc() if getattr(X, "format", None) == "csc" else made
    columns = rows[2]
    if all(kind == "number" for _, kind, *_ in columns):
        out = np.column_stack([column[2] for column in columns])
        return out.astype(np.float32) if _is_float32(X) else out
    out = np.empty((rows[1], len(columns)), dtype=object)
    for j, column in enumerate(columns):
        out[:, j] = _objects(column)
    return out


def _is_sparse_array(X, isspmatrix):
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(X) and not isspmatrix(X)


def _objects(column):
    _, kind, values, *levels = column
    if kind == "number":
        return values.astype(object)
    if kind == "level":
        texts = np.asarray([*levels[0], None], dtype=object)
        return texts[np.minimum(values, len(levels[0]))]
    if kind == "truth":
        return np.asarray([False, True, None], dtype=object)[values]
    if kind == "time":
        return values.view("datetime64[us]").astype(object)
    return np.asarray(values, dtype=object)


def container_of(estimator):
    """What `set_output` asks for: of this estimator, or of scikit-learn's configuration."""
    config = getattr(estimator, "_sklearn_output_config", {})
    if "transform" in config:
        return config["transform"]
    sklearn = sys.modules.get("sklearn")
    if sklearn is not None:
        return sklearn.get_config().get("transform_output", "default")
    return "default"


def transformed(estimator, rows, X, dtype=None):
    """The result of `transform`, of a given type where one is given."""
    container = container_of(estimator)
    if dtype is not None:
        rows = _of_type(rows, np.dtype(dtype))
        X = None if container == "default" else X
    if container == "default":
        return plain(rows, X)
    if not isinstance(rows, np.ndarray) and rows[0] == "csr":
        raise ValueError(
            f"{container.capitalize()} output does not support sparse data. Set sparse_output=False to output dense "
            f"{container} DataFrames, or disable it via `.set_output(transform='default')`."
        )
    names = list(estimator.get_feature_names_out())
    return frame(container, names, columns_of(rows, X, names), X)


def _of_type(rows, dtype):
    """Numbers as another type; where they are that already, they are not copied."""
    if isinstance(rows, np.ndarray):
        return rows.astype(dtype, copy=False)
    if rows[0] == "csr":
        return (*rows[:3], rows[3].astype(dtype, copy=False), rows[4])
    return rows


def columns_of(rows, X, names):
    """The columns of a result, each an array or a pair of codes and levels."""
    if isinstance(rows, np.ndarray):
        out = rows.astype(np.float32) if _is_float32(X) else rows
        return [out[:, j] for j in range(out.shape[1])]
    return [(column[2], column[3]) if column[1] == "level" else _plain_column(column) for column in rows[2]]


def _plain_column(column):
    if column[1] == "number":
        return column[2]
    if column[1] == "time":
        return column[2].view("datetime64[us]")
    if column[1] == "truth" and not (column[2] > 1).any():
        return column[2].astype(bool)
    return _objects(column)


def frame(container, names, columns, X):
    """A data frame of the columns; rows keep the index of the input."""
    if container == "pandas":
        import pandas as pd

        def series(column):
            if isinstance(column, tuple):
                codes = np.where(column[0] == _frames.MISSING_CODE, -1, column[0].astype(np.int64))
                return pd.Categorical.from_codes(codes, categories=column[1])
            return column

        index = X.index if isinstance(X, pd.DataFrame) else None
        made = pd.DataFrame({j: series(column) for j, column in enumerate(columns)}, index=index)
        made.columns = names
        return made
    import polars as pl

    def series_of(column):
        if isinstance(column, tuple):
            texts = np.asarray([*column[1], None], dtype=object)
            values = texts[np.minimum(column[0], len(column[1]))].tolist()
            return pl.Series(values, dtype=pl.String).cast(pl.Categorical)
        return column if column.dtype.kind != "O" else column.tolist()

    return pl.DataFrame({name: series_of(column) for name, column in zip(names, columns)})


def input_names(estimator, input_features=None):
    """The names of the columns that went in: those of training, those given, or x0, x1, …"""
    model = estimator._model
    fitted = getattr(estimator, "feature_names_in_", None)
    if input_features is None:
        return fitted if fitted is not None else np.asarray([f"x{j}" for j in range(model.n_features)], dtype=object)
    given = np.asarray(input_features, dtype=object)
    if fitted is not None and not np.array_equal(fitted, given):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(given) != model.n_features:
        raise ValueError(
            f"input_features should have length equal to number of features ({model.n_features}), got {len(given)}"
        )
    return given


def names_out(estimator, input_features=None):
    """The names of the columns that come out, made of the names that went in."""
    given = input_names(estimator, input_features)
    out = estimator._model.names_out()
    if getattr(estimator, "feature_names_in_", None) is None:
        out = [_renamed(name, given) for name in out]
    return np.asarray(out, dtype=object)


def _renamed(name, given):
    """`x3` and `x3_level` with the given name in place of `x3`."""
    head, mark, tail = name.partition("_")
    if head[:1] == "x" and head[1:].isdigit() and int(head[1:]) < len(given):
        return f"{given[int(head[1:])]}{mark}{tail}"
    return name


def selected(estimator, X, mask):
    """Some columns of rows, as `set_output` asks."""
    from mercer._data import check_columns, check_names, check_width, is_sparse, refuse_dimensions, refuse_series

    adapter = _frames.adapter(X)
    names = _frames.feature_names(adapter.names) if adapter is not None else None
    container = container_of(estimator)
    if adapter is None and not is_sparse(X):
        refuse_series(X)
        X = np.asarray(X)
        if X.ndim != 2:
            refuse_dimensions(estimator, X)
    shape = (adapter.n_rows, len(adapter.names)) if adapter is not None else X.shape
    check_columns(estimator, shape)
    if estimator.fitted:
        check_names(estimator, names)
        check_width(estimator, shape[1])
    elif shape[1] != len(mask):
        raise ValueError(f"X has {shape[1]} features, but the selection is of {len(mask)}")
    if not mask.any():
        warnings.warn(
            "No features were selected: either the data is too noisy or the selection test too strict.",
            UserWarning,
            stacklevel=4,
        )
    kept = np.flatnonzero(mask)
    if container == "pandas" and hasattr(X, "iloc"):
        return X.iloc[:, kept].copy()
    table = X.to_numpy() if hasattr(X, "to_numpy") else adapter.matrix() if adapter is not None else X
    _refuse_missing(estimator, table)
    table = table.tocsr()[:, kept] if is_sparse(table) else table[:, kept]
    if container == "default":
        return table
    columns = [table[:, j] for j in range(table.shape[1])]
    return frame(container, list(estimator.get_feature_names_out()), columns, X)


def _refuse_missing(estimator, table):
    from mercer._data import is_sparse
    from mercer._sklearn import capabilities

    values = table.data if is_sparse(table) else table
    if values.dtype.kind != "f" or np.isfinite(values).all() or "missing" in capabilities(estimator):
        return
    inner = getattr(estimator, "estimator", None)
    if inner is not None and not hasattr(inner, "_mercer_spec"):
        return
    what = "NaN" if np.isnan(values).any() else f"infinity or a value too large for dtype({values.dtype.name!r})"
    raise ValueError(f"Input X contains {what}.")


def unselected(X, mask):
    """Rows with zeros in place of the columns that were left out."""
    from mercer._data import is_sparse

    if is_sparse(X):
        X = X.tocsc()
        widths = np.zeros(len(mask), dtype=X.indptr.dtype)
        if X.shape[1] != mask.sum():
            raise ValueError("X has a different shape than during fitting.")
        widths[mask] = np.diff(X.indptr)
        indptr = np.concatenate([[0], np.cumsum(widths)])
        return type(X)((X.data, X.indices, indptr), shape=(X.shape[0], len(mask)))
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    if X.shape[1] != mask.sum():
        raise ValueError("X has a different shape than during fitting.")
    out = np.zeros((X.shape[0], len(mask)), dtype=X.dtype)
    out[:, mask] = X
    return out


def inverted(rows, X):
    """The result of `inverse_transform`."""
    return plain(rows, X)
