"""What Python wholes of many alike members share: seeds, rows and columns as the members take them."""

from __future__ import annotations

import numbers
from inspect import signature

import numpy as np

from mercer import _frames
from mercer._checks import check_lengths, is_sparse
from mercer._rows import clone

MOST = np.iinfo(np.int32).max


def generator(random_state):
    """NumPy's generator of what scikit-learn calls `random_state`."""
    if random_state is None or random_state is np.random:
        return np.random.mtrand._rand
    if isinstance(random_state, numbers.Integral):
        return np.random.RandomState(random_state)
    if isinstance(random_state, np.random.RandomState):
        return random_state
    raise ValueError(f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance")


def drawn(draws, again, n, size):
    """Places drawn from `n`, again and again or each once, by scikit-learn's ways for few, many and nearly all of them."""
    if again:
        return draws.randint(0, n, size)
    if 0.01 < size / n < 0.99:
        return draws.permutation(n)[:size]
    if size / n < 0.2:
        seen = {}
        while len(seen) < size:
            seen.setdefault(int(draws.randint(n)))
        return np.array(list(seen), dtype=int)
    kept = np.arange(size)
    for i in range(size, n):
        place = draws.randint(0, i + 1)
        if place < size:
            kept[place] = i
    return kept


def seeded(member, random_state):
    """An unfitted copy with seeds of its own, wherever it takes one."""
    made, draws = clone(member), generator(random_state)
    keys = [k for k in sorted(made.get_params(deep=True)) if k == "random_state" or k.endswith("__random_state")]
    if keys:
        made.set_params(**{key: draws.randint(MOST) for key in keys})
    return made


def takes_weights(member):
    """Whether `fit` of a member takes weights of rows; composites whose parts decide say so themselves."""
    asked = getattr(member, "_takes_weights", None)
    if asked is not None:
        return asked()
    return "sample_weight" in signature(member.fit).parameters


class Table:
    """Rows of which columns can be taken, and their names.

    Attributes
    ----------
    names : ndarray or None
        The names of the columns, where all are texts.
    """

    def __init__(self, X, y=None):
        adapter = _frames.adapter(X)
        found = _frames.feature_names(adapter.names) if adapter is not None else None
        self.names = None if found is None else np.asarray(found, dtype=object)
        self.X = np.asarray(X) if not is_sparse(X) else X if X.format in ("csr", "csc") else X.tocsr()
        if self.X.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {self.X.ndim}D array instead:\narray={self.X}.\nReshape your data either using "
                "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
            )
        if y is not None:
            check_lengths(self.X, y)

    def check(self, whole):
        """Rows must have the columns that a fitted whole knows."""
        if self.X.shape[1] != whole.n_features_in_:
            raise ValueError(
                f"X has {self.X.shape[1]} features, but {type(whole.owner).__name__} is expecting {whole.n_features_in_} features "
                "as input."
            )
        return self.X


def classes_of(y):
    """The classes of a target, and the codes of its rows."""
    from mercer._checks import codes, column, type_of_target

    kind = type_of_target(y, "y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects discrete classes on a "
            "regression target with continuous values."
        )
    y = column(y)
    classes = np.unique(y)
    return classes, codes(y, classes).astype(np.int64)
