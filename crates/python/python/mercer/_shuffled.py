"""Splits that are drawn: scikit-learn's splitters, and the same rows for the same seed."""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from mercer import _mercer
from mercer._base import seed_of
from mercer._checks import n_rows
from mercer._rows import indexable, take
from mercer._splits import BaseCrossValidator, _ByClass, _ByGroup, generator


def sizes_of(n, test_size, train_size, default):
    """Numbers of rows to learn from and to test on, from shares or numbers."""
    if test_size is None and train_size is None:
        test_size = default
    for name, size in (("test_size", test_size), ("train_size", train_size)):
        kind = np.asarray(size).dtype.kind
        if size is not None and kind not in "if":
            raise ValueError(f"Invalid value for {name}: {size}")
        if kind == "i" and not 0 < size < n or kind == "f" and not 0 < size < 1:
            raise ValueError(
                f"{name}={size} should be either positive and smaller than the number of samples {n} or a float in the "
                "(0, 1) range"
            )
    share = lambda size: np.asarray(size).dtype.kind == "f"  # noqa: E731
    if share(test_size) and share(train_size) and train_size + test_size > 1:
        raise ValueError(
            f"The sum of test_size and train_size = {train_size + test_size}, should be in the (0, 1) range. Reduce test_size "
            "and/or train_size."
        )
    n_test = None if test_size is None else ceil(test_size * n) if share(test_size) else int(test_size)
    n_train = None if train_size is None else floor(train_size * n) if share(train_size) else int(train_size)
    n_test = n - n_train if n_test is None else n_test
    n_train = n - n_test if n_train is None else n_train
    if n_train + n_test > n:
        raise ValueError(
            f"The sum of train_size and test_size = {n_train + n_test}, should be smaller than the number of samples {n}. "
            "Reduce test_size and/or train_size."
        )
    if n_train == 0:
        raise ValueError(
            f"With n_samples={n}, test_size={test_size} and train_size={train_size}, the resulting train set will be empty. "
            "Adjust any of the aforementioned parameters."
        )
    return n_train, n_test


class ShuffleSplit(BaseCrossValidator):
    """Random splits, each on its own."""

    _default = 0.1

    def __init__(self, n_splits=10, *, test_size=None, train_size=None, random_state=None):
        self.n_splits, self.test_size, self.train_size, self.random_state = n_splits, test_size, train_size, random_state

    def _pairs(self, X, y, groups):
        yield from self._drawn(n_rows(X))

    def _drawn(self, n):
        n_train, n_test = sizes_of(n, self.test_size, self.train_size, self._default)
        rng = generator(self.random_state)
        for _ in range(self.n_splits):
            rows = rng.permutation(n)
            yield rows[n_test : n_test + n_train], rows[:n_test]


class GroupShuffleSplit(_ByGroup, ShuffleSplit):
    """Random splits of groups."""

    _default = 0.2

    def __init__(self, n_splits=5, *, test_size=None, train_size=None, random_state=None):
        super().__init__(n_splits, test_size=test_size, train_size=train_size, random_state=random_state)

    def _pairs(self, X, y, groups):
        known, found = np.unique(groups, return_inverse=True)
        for train, test in self._drawn(len(known)):
            yield tuple(np.flatnonzero(np.isin(found.ravel(), part)) for part in (train, test))


class StratifiedShuffleSplit(_ByClass, ShuffleSplit):
    """Random splits with the shares of the classes, in both parts."""

    def _pairs(self, X, y, groups):
        n_train, n_test = sizes_of(n_rows(X), self.test_size, self.train_size, self._default)
        if y.ndim == 2:
            y = np.asarray([" ".join(row.astype("str")) for row in y])
        known, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if counts.min() < 2:
            raise ValueError(
                "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for any "
                f"class cannot be less than 2. Classes with too few members are: {known[counts < 2].tolist()}"
            )
        for name, size in (("train_size", n_train), ("test_size", n_test)):
            if size < len(known):
                raise ValueError(f"The {name} = {size} should be greater or equal to the number of classes = {len(known)}")
        rows = [np.flatnonzero(codes.ravel() == k) for k in range(len(known))]
        rng = generator(self.random_state)
        for _ in range(self.n_splits):
            own_train = _allotted(counts, n_train, rng)
            own_test = _allotted(counts - own_train, n_test, rng)
            train, test = [], []
            for own, a, b in zip(rows, own_train, own_test):
                drawn = own[rng.permutation(len(own))]
                train.append(drawn[:a])
                test.append(drawn[a : a + b])
            yield rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))


def _allotted(counts, n, rng):
    """How many of n rows each class gets: its share rounded down, and what is left to the largest remainders, ties drawn."""
    exact = counts / counts.sum() * n
    made = np.floor(exact)
    left = int(n - made.sum())
    remainders = exact - made
    for value in np.unique(remainders)[::-1]:
        if left <= 0:
            break
        at = np.flatnonzero(remainders == value)
        chosen = rng.choice(at, size=min(len(at), left), replace=False)
        made[chosen] += 1
        left -= len(chosen)
    return made.astype(np.int64)


class BootstrapSplit(BaseCrossValidator):
    """Rows drawn with replacement to learn from; those never drawn are tested on."""

    def __init__(self, n_splits=20, *, random_state=None):
        self.n_splits, self.random_state = n_splits, random_state

    def _pairs(self, X, y, groups):
        yield from _mercer.splits(f"bootstrap(n={self.n_splits})", n_rows(X), None, None, seed_of(self.random_state))


def train_test_split(*arrays, test_size=None, train_size=None, random_state=None, shuffle=True, stratify=None):
    """Rows of arrays, frames or sparse matrices in two parts.

    Parameters
    ----------
    *arrays : arrays, lists, data frames or sparse matrices of equal length
    test_size, train_size : float or int or None
        A share or a number of rows; by default a quarter is tested on.
    random_state : int or None
    shuffle : bool, default=True
    stratify : array-like or None
        Classes whose shares both parts keep.

    Returns
    -------
    list
        For each array the rows to learn from and the rows to test on.
    """
    if not arrays:
        raise ValueError("At least one array required as input")
    arrays = indexable(*arrays)
    n_train, n_test = sizes_of(n_rows(arrays[0]), test_size, train_size, 0.25)
    if not shuffle:
        if stratify is not None:
            raise ValueError("Stratified train/test split is not implemented for shuffle=False")
        train, test = np.arange(n_train), np.arange(n_train, n_train + n_test)
    else:
        kind = ShuffleSplit if stratify is None else StratifiedShuffleSplit
        drawn = kind(1, test_size=n_test, train_size=n_train, random_state=random_state)
        train, test = next(drawn.split(np.empty(n_rows(arrays[0])), stratify))
    return [part for a in arrays for part in (take(a, train), take(a, test))]


train_test_split.__test__ = False
