"""Which rows to learn from and which to test on: scikit-learn's splitters, over the compiled ones."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._base import seed_of


def _n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _codes(y):
    """Codes of classes in order of their labels; None for a target that is none."""
    if y is None:
        return None
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        return None
    return np.unique(array, return_inverse=True)[1].ravel().astype(np.uint32)


def _groups(groups):
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint64)


class _Splitter:
    """What all splitters share: a scheme of the compiled part, written from the parameters."""

    _by_class = False
    _by_group = False

    def _scheme(self):
        raise NotImplementedError

    def _options(self, **options):
        return ",".join(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in options.items() if v is not None)

    def split(self, X, y=None, groups=None):
        """The rows of each split.

        Yields
        ------
        train, test : ndarray of int
        """
        n = _n_rows(X)
        if self._by_class and y is None:
            raise ValueError("The 'y' parameter should not be None.")
        if self._by_group and groups is None:
            raise ValueError("The 'groups' parameter should not be None.")
        classes = _codes(y) if self._by_class else None
        grouped = _groups(groups) if self._by_group else None
        for what, given in (("y", classes), ("groups", grouped)):
            if given is not None and len(given) != n:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(given)}] ({what})")
        seed = seed_of(getattr(self, "random_state", None))
        yield from _mercer.splits(self._scheme(), n, classes, grouped, seed)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return self.n_splits

    def __repr__(self):
        arguments = ", ".join(f"{k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({arguments})"


class _KFolds(_Splitter):
    _kind = ""

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        if random_state is not None and not shuffle:
            raise ValueError("Setting a random_state has no effect since shuffle is False.")
        self.n_splits, self.shuffle, self.random_state = n_splits, shuffle, random_state

    def _scheme(self):
        return f"{self._kind}({self._options(k=self.n_splits, shuffle=self.shuffle)})"


class KFold(_KFolds):
    """Folds of consecutive rows, or of rows shuffled by a seed."""

    _kind = "kfold"


class StratifiedKFold(_KFolds):
    """Folds with the shares of the classes of the whole."""

    _kind, _by_class = "stratified", True


class GroupKFold(_Splitter):
    """Folds in which rows of one group stay together; the largest groups go first, each to the lightest fold."""

    _by_group = True

    def __init__(self, n_splits=5):
        self.n_splits = n_splits

    def _scheme(self):
        return f"group(k={self.n_splits})"


class StratifiedGroupKFold(_KFolds):
    """Folds that keep groups together and the shares of the classes as well as that allows."""

    _kind, _by_class, _by_group = "stratified_group", True, True


class RepeatedKFold(_Splitter):
    """Shuffled folds, drawn several times."""

    def __init__(self, *, n_splits=5, n_repeats=10, random_state=None):
        self.n_splits, self.n_repeats, self.random_state = n_splits, n_repeats, random_state

    def _scheme(self):
        kind = "repeated_stratified" if self._by_class else "repeated"
        return f"{kind}({self._options(k=self.n_splits, times=self.n_repeats)})"

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return self.n_splits * self.n_repeats


class RepeatedStratifiedKFold(RepeatedKFold):
    """Shuffled stratified folds, drawn several times."""

    _by_class = True


class LeaveOneOut(_Splitter):
    """Every row is the test set once."""

    def _scheme(self):
        return "loo"

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits: that of the rows."""
        return _n_rows(X)


class LeavePOut(_Splitter):
    """Every set of p rows is the test set once."""

    def __init__(self, p):
        self.p = p

    def _scheme(self):
        return f"lpo(p={self.p})"

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        from math import comb

        return comb(_n_rows(X), self.p)


class LeaveOneGroupOut(_Splitter):
    """Every group is the test set once."""

    _by_group = True

    def _scheme(self):
        return "logo"

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits: that of the groups."""
        return len(np.unique(groups))


class ShuffleSplit(_Splitter):
    """Random splits, each on its own."""

    def __init__(self, n_splits=10, *, test_size=None, train_size=None, random_state=None):
        self.n_splits, self.test_size, self.train_size, self.random_state = n_splits, test_size, train_size, random_state

    def _scheme(self):
        default = 0.2 if self._by_group else 0.1
        test = self.test_size
        if test is None:
            test = default if self.train_size is None else 1 - self.train_size
        kind = "group_shuffle" if self._by_group else "stratified_shuffle" if self._by_class else "shuffle"
        return f"{kind}({self._options(n=self.n_splits, test=test)})"


class StratifiedShuffleSplit(ShuffleSplit):
    """Random splits with the shares of the classes."""

    _by_class = True


class GroupShuffleSplit(ShuffleSplit):
    """Random splits of groups."""

    _by_group = True


class TimeSeriesSplit(_Splitter):
    """Rows in the order of time: the past is learnt from, what follows is tested on.

    Parameters
    ----------
    n_splits : int, default=5
    max_train_size : int or None
        The most rows learnt from: a window that slides instead of one that grows.
    test_size : int or None
    gap : int, default=0
        Rows left out between both.
    """

    def __init__(self, n_splits=5, *, max_train_size=None, test_size=None, gap=0):
        self.n_splits, self.max_train_size, self.test_size, self.gap = n_splits, max_train_size, test_size, gap

    def _scheme(self):
        gap = self.gap or None
        return f"timeseries({self._options(k=self.n_splits, max_train=self.max_train_size, test_size=self.test_size, gap=gap)})"


class BootstrapSplit(_Splitter):
    """Rows drawn with replacement to learn from; those never drawn are tested on."""

    def __init__(self, n_splits=20, *, random_state=None):
        self.n_splits, self.random_state = n_splits, random_state

    def _scheme(self):
        return f"bootstrap(n={self.n_splits})"


class PredefinedSplit:
    """Splits by a fold for each row; −1 is never tested on."""

    def __init__(self, test_fold):
        self.test_fold = np.asarray(test_fold)

    def split(self, X=None, y=None, groups=None):
        """The rows of each split."""
        for fold in np.unique(self.test_fold[self.test_fold >= 0]):
            yield np.flatnonzero(self.test_fold != fold), np.flatnonzero(self.test_fold == fold)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return len(np.unique(self.test_fold[self.test_fold >= 0]))


def check_cv(cv, y=None, *, classifier=False):
    """A splitter from a number, a splitter or a list of pairs."""
    cv = 5 if cv is None else cv
    if isinstance(cv, (int, np.integer)):
        return StratifiedKFold(int(cv)) if classifier else KFold(int(cv))
    if hasattr(cv, "split"):
        return cv
    pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv]

    class _Listed:
        def split(self, X=None, y=None, groups=None):
            return iter(pairs)

        def get_n_splits(self, X=None, y=None, groups=None):
            return len(pairs)

    return _Listed()


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
    n = _n_rows(arrays[0])
    if any(_n_rows(a) != n for a in arrays):
        lengths = [_n_rows(a) for a in arrays]
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    n_test = _count(test_size, n, np.ceil)
    n_train = _count(train_size, n, np.floor)
    if n_test is None:
        n_test = int(np.ceil(0.25 * n)) if n_train is None else n - n_train
    n_train = n - n_test if n_train is None else n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > n:
        raise ValueError(f"{n} rows cannot be cut into {n_train} to learn from and {n_test} to test on")
    if not shuffle:
        if stratify is not None:
            raise ValueError("Stratified train/test split is not implemented for shuffle=False")
        train, test = np.arange(n_train), np.arange(n_train, n_train + n_test)
    else:
        kind = f"{'holdout' if stratify is None else 'stratified_holdout'}(test={n_test / n!r})"
        train, test = _mercer.splits(kind, n, _codes(stratify), None, seed_of(random_state))[0]
        rng = np.random.default_rng(seed_of(random_state))
        train, test = rng.permutation(train)[:n_train], rng.permutation(test)
    return [part for a in arrays for part in (_take(a, train), _take(a, test))]


def _count(size, n, round_):
    if size is None:
        return None
    if isinstance(size, (int, np.integer)):
        return int(size)
    if not 0 < size < 1:
        raise ValueError(f"a share of the rows must be in (0, 1), got {size}")
    return int(round_(size * n - 1e-9 if round_ is np.ceil else size * n + 1e-9))


def _take(values, rows):
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "get_columns"):
        return values[rows.tolist()]
    if hasattr(values, "take") and hasattr(values, "schema"):
        return values.take(rows)
    if hasattr(values, "shape"):
        return values[rows]
    return [values[i] for i in rows]
