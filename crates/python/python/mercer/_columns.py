"""Choosing columns: by name, place, mask, slice, kind or a function of the table."""

from __future__ import annotations

import numbers

import numpy as np

from mercer import _frames
from mercer._checks import is_sparse

KINDS = ("numeric", "categorical", "boolean", "text", "time")


def kind_of_key(key):
    """Of what kind a choice of columns is: "int", "str" or "bool"; None where it is empty."""
    wrong = ValueError(
        "No valid specification of the columns. Only a scalar, list or slice of all integers or all strings, or boolean mask is "
        "allowed"
    )
    if key is None:
        return None
    for kind, types in (("bool", (bool, np.bool_)), ("int", numbers.Integral), ("str", str)):
        if isinstance(key, types):
            return kind
    if isinstance(key, slice):
        key = [end for end in (key.start, key.stop) if end is not None]
    elif hasattr(key, "dtype"):
        kind = {"i": "int", "u": "int", "b": "bool", "O": "str", "U": "str", "S": "str", "T": "str"}.get(key.dtype.kind)
        if kind is None:
            raise wrong
        return kind
    if not isinstance(key, (list, tuple)):
        raise wrong
    kinds = {kind_of_key(one) for one in key}
    if len(kinds) > 1:
        raise wrong
    return kinds.pop() if kinds else None


def is_empty(key):
    """Whether a choice of columns holds none."""
    if getattr(getattr(key, "dtype", None), "kind", None) == "b":
        return not key.any()
    if hasattr(key, "__len__") and not isinstance(key, str):
        masks = len(key) and all(isinstance(one, (bool, np.bool_)) for one in key)
        return len(key) == 0 or bool(masks) and not any(key)
    return False


def is_one(key):
    """Whether a choice is of one column by itself, which comes out one-dimensional."""
    return isinstance(key, (str, numbers.Integral)) and not isinstance(key, bool)


def names_of(X):
    """The names of the columns of a frame; None of anything else."""
    adapter = _frames.adapter(X)
    return None if adapter is None else list(adapter.names)


def places(X, key):
    """The places of the columns that are chosen."""
    n, kind = X.shape[1], kind_of_key(key)
    if kind is None and not isinstance(key, slice):
        return []
    if kind != "str":
        if hasattr(key, "dtype") or isinstance(key, (list, tuple)):
            key = np.asarray(key)
        try:
            return np.atleast_1d(np.arange(n)[key]).tolist()
        except IndexError as error:
            raise ValueError(f"all features must be in [0, {n - 1}] or [-{n}, 0]") from error
    names = names_of(X)
    if names is None:
        raise ValueError("Specifying the columns using strings is only supported for dataframes.")
    if isinstance(key, slice):
        start = 0 if key.start is None else _place(names, key.start, key)
        stop = n if key.stop is None else _place(names, key.stop, key) + 1
        return list(range(n))[start:stop]
    return [_place(names, name, key) for name in ([key] if isinstance(key, str) else list(key))]


def _place(names, name, key):
    if name not in names:
        raise ValueError("A given column is not a column of the dataframe")
    if names.count(name) > 1:
        raise ValueError(f"Selected columns, {key}, are not unique in dataframe")
    return names.index(name)


def of_kind(X, kind):
    """The places of the columns of a frame that are numbers, truths, times, or neither."""
    if _frames.adapter(X) is None or not hasattr(X, "dtypes"):
        raise ValueError(f"columns={kind!r} is a kind of column, which only data frames have")
    if kind == "text":
        raise ValueError("columns='text' is for Mercer's steps alone; name the columns where a step is another's")

    def found(dtype):
        letter = getattr(dtype, "kind", None)
        if letter is not None:
            return {"b": "boolean", "M": "time", "O": "categorical", "U": "categorical"}.get(letter, "numeric")
        if not hasattr(dtype, "is_numeric"):
            return "categorical"
        ways = {"numeric": dtype.is_numeric(), "time": dtype.is_temporal(), "boolean": str(dtype) == "Boolean"}
        return next((name for name, holds in ways.items() if holds), "categorical")

    return [j for j, dtype in enumerate(X.dtypes) if found(dtype) == kind]


def take_columns(X, at, one=False):
    """Some columns by place; with `one` the first, one-dimensional."""
    if hasattr(X, "iloc"):
        return X.iloc[:, at[0]] if one else X.iloc[:, at]
    if hasattr(X, "get_columns"):
        return X.to_series(at[0]) if one else X[:, at]
    if is_sparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        return X[:, [at[0]]] if one else X[:, at]
    if hasattr(X, "schema") and hasattr(X, "select"):
        return X.column(at[0]) if one else X.select(at)
    return X[:, at[0]] if one else X[:, at]
