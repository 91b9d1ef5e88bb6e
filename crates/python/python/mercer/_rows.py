"""Rows of whatever has rows, and unfitted copies of estimators."""

from __future__ import annotations

import numpy as np

from mercer._checks import check_lengths, is_sparse, n_rows


def take(values, rows):
    """Some rows of an array, a frame, a sparse matrix or a list."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "get_columns"):
        return values[np.asarray(rows).tolist()]
    if hasattr(values, "take") and hasattr(values, "schema"):
        return values.take(rows)
    if is_sparse(values):
        return (values if values.format in ("csr", "csc", "lil", "dok") else values.tocsr())[rows]
    if hasattr(values, "shape"):
        return values[rows]
    rows = np.asarray(rows)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    return [values[int(i)] for i in rows]


def indexable(*values):
    """Values whose rows can be taken: iterators become lists, sparse matrices those of rows."""

    def made(value):
        if is_sparse(value):
            return value.tocsr()
        if value is None or hasattr(value, "__getitem__") or hasattr(value, "iloc"):
            return value
        return np.asarray(value)

    values = [made(value) for value in values]
    check_lengths(*values)
    return values


def columns_too(estimator):
    """Whether an estimator's rows are distances or kernels, of which the columns are taken as well."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return False
    return bool(estimator.__sklearn_tags__().input_tags.pairwise)


def split_rows(estimator, X, y, rows, train=None):
    """Rows and target of a part; of kernels, against the rows `train`."""
    if X is not None and columns_too(estimator):
        if not hasattr(X, "shape"):
            raise ValueError("Precomputed kernels or affinity matrices have to be passed as arrays or sparse matrices.")
        if X.shape[0] != X.shape[1]:
            raise ValueError("X should be a square kernel matrix")
        part = X[np.ix_(rows, rows if train is None else train)]
    else:
        part = take(X, rows)
    return part, take(y, rows)


def params_of(X, params, rows=None):
    """Parameters of a call, those with a value for each row cut down to `rows`."""
    made = {}
    for name, value in (params or {}).items():
        per_row = value is not None and not isinstance(value, (str, dict)) and _is_rows(value) and n_rows(value) == n_rows(X)
        value = indexable(value)[0] if per_row else value
        made[name] = take(value, rows) if per_row and rows is not None else value
    return made


def _is_rows(value):
    return hasattr(value, "__len__") or hasattr(value, "shape") and len(value.shape) > 0


def clone(estimator, safe=True):
    """An unfitted copy of an estimator, or of estimators in a list; whatever else there is, is copied."""
    if hasattr(estimator, "__sklearn_clone__") and not isinstance(estimator, type):
        return estimator.__sklearn_clone__()
    if isinstance(estimator, dict):
        return {key: clone(value, safe) for key, value in estimator.items()}
    if isinstance(estimator, (list, tuple, set, frozenset)):
        return type(estimator)([clone(one, safe) for one in estimator])
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        if not safe:
            import copy

            return copy.deepcopy(estimator)
        if isinstance(estimator, type):
            raise TypeError(
                "Cannot clone object. You should provide an instance of scikit-learn estimator instead of a class."
            )
        raise TypeError(
            f"Cannot clone object '{estimator!r}' (type {type(estimator)}): it does not seem to be a scikit-learn estimator as "
            "it does not implement a 'get_params' method."
        )
    params = {name: clone(value, safe=False) for name, value in estimator.get_params(deep=False).items()}
    made = type(estimator)(**params)
    kept = made.get_params(deep=False)
    for name, value in params.items():
        if kept.get(name) is not value:
            raise RuntimeError(
                f"Cannot clone object {estimator}, as the constructor either does not set or modifies parameter {name}"
            )
    return made
