"""Which rows to learn from and which to test on: scikit-learn's splitters, and the same rows for the same seed."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np

from mercer._base import seed_of
from mercer._checks import check_finite, check_lengths, column, n_rows, plain, type_of_target, unique


def generator(random_state):
    """NumPy's generator for what scikit-learn calls `random_state`; None is seed 0."""
    if hasattr(random_state, "permutation") and hasattr(random_state, "randint"):
        return random_state
    return np.random.RandomState(seed_of(random_state))


class BaseCrossValidator:
    """What all splitters share; subclasses say which rows are tested on."""

    _by_class = False
    _by_group = False

    def split(self, X, y=None, groups=None):
        """The rows of each split.

        Yields
        ------
        train, test : ndarray of int
        """
        if groups is not None and not self._by_group:
            warnings.warn(f"The groups parameter is ignored by {type(self).__name__}", UserWarning, stacklevel=2)
        if self._by_class:
            y = _target(y)
        if self._by_group:
            groups = _groups(groups)
        check_lengths(X, y, groups)
        return self._pairs(X, y, groups)

    def _pairs(self, X, y, groups):
        n = n_rows(X)
        for test in self._tests(n, y, groups):
            mask = np.zeros(n, dtype=bool)
            mask[test] = True
            yield np.flatnonzero(~mask), np.flatnonzero(mask)

    def _tests(self, n, y, groups):
        raise NotImplementedError

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return self.n_splits

    def get_metadata_routing(self):
        """What scikit-learn's routing asks for: the groups, where they are used."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self._by_group:
            request.split.add_request(param="groups", alias=getattr(self, "_groups_as", True))
        return request

    def __repr__(self):
        names = sorted(_parameters(type(self)))
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name, None)!r}' for name in names)})"


def _parameters(cls):
    code = getattr(cls.__init__, "__code__", None)
    return () if code is None else code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def _target(y):
    if y is None:
        raise ValueError("The 'y' parameter should not be None.")
    y = plain(y)
    check_finite(y, "y")
    return y


def _groups(groups):
    if groups is None:
        raise ValueError("The 'groups' parameter should not be None.")
    groups = plain(groups)
    if len(groups) == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={groups.shape}) while a minimum of 1 is required.")
    check_finite(groups, "groups")
    return groups


class _Folds(BaseCrossValidator):
    """Splitters of which each row is tested on once."""

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        if not isinstance(n_splits, numbers.Integral):
            raise ValueError(f"The number of folds must be of Integral type. {n_splits} of type {type(n_splits)} was passed.")
        if n_splits <= 1:
            raise ValueError(
                "k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more, got "
                f"n_splits={n_splits}."
            )
        if not isinstance(shuffle, bool):
            raise TypeError(f"shuffle must be True or False; got {shuffle}")
        if random_state is not None and not shuffle:
            raise ValueError(
                "Setting a random_state has no effect since shuffle is False. You should leave random_state to its default "
                "(None), or set shuffle=True."
            )
        self.n_splits, self.shuffle, self.random_state = int(n_splits), shuffle, random_state

    def _pairs(self, X, y, groups):
        if self.n_splits > n_rows(X):
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number of samples: "
                f"n_samples={n_rows(X)}."
            )
        yield from super()._pairs(X, y, groups)

    def _classes(self, y):
        """Codes of classes in the order in which they come; there must be rows enough of some."""
        kind, known = type_of_target(y), ("binary", "multiclass")
        if kind not in known:
            raise ValueError(f"Supported target types are: {known}. Got {kind!r} instead.")
        _, first, found = np.unique(column(y), return_index=True, return_inverse=True)
        codes = np.argsort(np.argsort(first))[found.ravel()]
        counts = np.bincount(codes)
        if (self.n_splits > counts).all():
            raise ValueError(f"n_splits={self.n_splits} cannot be greater than the number of members in each class.")
        if self.n_splits > counts.min():
            warnings.warn(
                f"The least populated class in y has only {counts.min()} members, which is less than n_splits={self.n_splits}.",
                UserWarning,
                stacklevel=5,
            )
        return codes


class KFold(_Folds):
    """Folds of consecutive rows, or of rows shuffled by a seed."""

    def _tests(self, n, y, groups):
        rows = np.arange(n)
        if self.shuffle:
            generator(self.random_state).shuffle(rows)
        yield from np.array_split(rows, self.n_splits)


class _ByClass:
    """Splitters that cannot do without the classes of the rows."""

    _by_class = True

    def split(self, X, y, groups=None):
        """The rows of each split.

        Yields
        ------
        train, test : ndarray of int
        """
        return super().split(X, y, groups)


class _ByGroup:
    """Splitters that keep groups of rows together."""

    _by_group = True

    def set_split_request(self, *, groups=True):
        """Under which name, or whether, scikit-learn's routing hands over the groups."""
        self._groups_as = groups
        return self


class StratifiedKFold(_ByClass, _Folds):
    """Folds with the shares of the classes of the whole."""

    def _tests(self, n, y, groups):
        codes = self._classes(y)
        # Rows sorted by class are dealt out in turn, which says how many of each class a fold gets.
        in_order, n_classes = np.sort(codes), int(codes.max()) + 1
        dealt = np.asarray([np.bincount(in_order[i :: self.n_splits], minlength=n_classes) for i in range(self.n_splits)])
        rng, folds = generator(self.random_state), np.empty(n, dtype=np.int64)
        for k in range(n_classes):
            own = np.repeat(np.arange(self.n_splits), dealt[:, k])
            if self.shuffle:
                rng.shuffle(own)
            folds[codes == k] = own
        for fold in range(self.n_splits):
            yield np.flatnonzero(folds == fold)


class GroupKFold(_ByGroup, _Folds):
    """Folds in which rows of one group stay together; the largest groups go first, each to the lightest fold."""

    def _tests(self, n, y, groups):
        known, found = np.unique(groups, return_inverse=True)
        found = found.ravel()
        if self.n_splits > len(known):
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number of groups: {len(known)}."
            )
        if self.shuffle:
            for part in np.array_split(generator(self.random_state).permutation(known), self.n_splits):
                yield np.flatnonzero(np.isin(groups, part))
            return
        sizes, weight = np.bincount(found), np.zeros(self.n_splits)
        fold_of = np.empty(len(known), dtype=np.int64)
        for group in np.argsort(sizes, kind="stable")[::-1]:
            fold_of[group] = np.argmin(weight)
            weight[fold_of[group]] += sizes[group]
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of[found] == fold)


class StratifiedGroupKFold(_ByGroup, _Folds):
    """Folds that keep groups together and the shares of the classes as well as that allows."""

    _by_class = True

    def __init__(self, n_splits=5, shuffle=False, random_state=None):
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def _tests(self, n, y, groups):
        self._classes(y)
        _, codes = np.unique(column(y), return_inverse=True)
        _, found = np.unique(groups, return_inverse=True)
        codes, found = codes.ravel(), found.ravel()
        table = np.zeros((found.max() + 1, codes.max() + 1))
        np.add.at(table, (found, codes), 1)
        if self.n_splits > len(table):
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number of groups: {len(table)}."
            )
        if self.shuffle:
            order = np.arange(len(table))
            generator(self.random_state).shuffle(order)
            table, found = table[order], np.argsort(order)[found]
        totals, folds = table.sum(axis=0), np.zeros((self.n_splits, table.shape[1]))
        fold_of = np.empty(len(table), dtype=np.int64)
        # Groups whose classes are least even go first, each to the fold that stays most even by it.
        for group in np.argsort(-table.std(axis=1), kind="stable"):
            fold_of[group] = _evenest(folds, table[group], totals)
            folds[fold_of[group]] += table[group]
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of[found] == fold)


def _evenest(folds, group, totals):
    best, least, fewest = 0, np.inf, np.inf
    for i in range(len(folds)):
        with_it = folds.copy()
        with_it[i] += group
        uneven, size = np.mean(np.std(with_it / totals, axis=0)), folds[i].sum()
        if uneven < least or np.isclose(uneven, least) and size < fewest:
            best, least, fewest = i, uneven, size
    return best


class _Repeated(BaseCrossValidator):
    """Shuffled folds, drawn several times."""

    _inner = KFold

    def __init__(self, *, n_splits=5, n_repeats=10, random_state=None):
        if not isinstance(n_repeats, numbers.Integral):
            raise ValueError("Number of repetitions must be of Integral type.")
        if n_repeats <= 0:
            raise ValueError("Number of repetitions must be greater than 0.")
        self.n_splits, self.n_repeats, self.random_state = n_splits, n_repeats, random_state

    def _pairs(self, X, y, groups):
        rng = generator(self.random_state)
        for _ in range(self.n_repeats):
            yield from self._inner(self.n_splits, shuffle=True, random_state=rng).split(X, y)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return self.n_splits * self.n_repeats


class RepeatedKFold(_Repeated):
    """Shuffled folds, drawn several times."""


class RepeatedStratifiedKFold(_ByClass, _Repeated):
    """Shuffled stratified folds, drawn several times."""

    _inner = StratifiedKFold


class LeaveOneOut(BaseCrossValidator):
    """Every row is the test set once."""

    def _tests(self, n, y, groups):
        if n <= 1:
            raise ValueError(f"Cannot perform LeaveOneOut with n_samples={n}.")
        return ([i] for i in range(n))

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits: that of the rows."""
        if X is None:
            raise ValueError("The 'X' parameter should not be None.")
        return n_rows(X)


class LeavePOut(BaseCrossValidator):
    """Every set of p rows is the test set once."""

    def __init__(self, p):
        self.p = p

    def _tests(self, n, y, groups):
        if n <= self.p:
            raise ValueError(f"p={self.p} must be strictly less than the number of samples={n}")
        return (list(rows) for rows in combinations(range(n), self.p))

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        if X is None:
            raise ValueError("The 'X' parameter should not be None.")
        return comb(n_rows(X), self.p)


class LeavePGroupsOut(_ByGroup, BaseCrossValidator):
    """Every set of so many groups is the test set once."""

    def __init__(self, n_groups):
        self.n_groups = n_groups

    def _tests(self, n, y, groups):
        known = unique(groups)
        if self.n_groups >= len(known):
            raise ValueError(
                f"The groups parameter contains fewer than (or equal to) n_groups ({self.n_groups}) numbers of unique groups "
                f"({known}). LeavePGroupsOut expects that at least n_groups + 1 ({self.n_groups + 1}) unique groups be present"
            )
        for chosen in combinations(range(len(known)), self.n_groups):
            yield np.flatnonzero(np.isin(groups, known[list(chosen)]))

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return comb(len(unique(_groups(groups))), self.n_groups)


class LeaveOneGroupOut(_ByGroup, BaseCrossValidator):
    """Every group is the test set once."""

    def _tests(self, n, y, groups):
        known = unique(groups)
        if len(known) <= 1:
            raise ValueError(
                f"The groups parameter contains fewer than 2 unique groups ({known}). LeaveOneGroupOut expects at least 2."
            )
        for group in known:
            yield np.flatnonzero(groups == group)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits: that of the groups."""
        return len(unique(_groups(groups)))


class TimeSeriesSplit(_Folds):
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
        super().__init__(n_splits)
        self.max_train_size, self.test_size, self.gap = max_train_size, test_size, gap

    def _pairs(self, X, y, groups):
        n, folds = n_rows(X), self.n_splits + 1
        size = n // folds if self.test_size is None else self.test_size
        if folds > n:
            raise ValueError(f"Cannot have number of folds={folds} greater than the number of samples={n}.")
        if n - self.gap - size * self.n_splits <= 0:
            raise ValueError(
                f"Too many splits={self.n_splits} for number of samples={n} with test_size={size} and gap={self.gap}."
            )
        rows = np.arange(n)
        for start in range(n - self.n_splits * size, n, size):
            end = start - self.gap
            begin = max(0, end - self.max_train_size) if self.max_train_size else 0
            yield rows[begin:end], rows[start : start + size]


class PredefinedSplit(BaseCrossValidator):
    """Splits by a fold for each row; −1 is never tested on."""

    def __init__(self, test_fold):
        self.test_fold = column(np.array(test_fold, dtype=int))
        known = unique(self.test_fold)
        self.unique_folds = known[known != -1]

    def split(self, X=None, y=None, groups=None):
        """The rows of each split."""
        if groups is not None:
            warnings.warn(f"The groups parameter is ignored by {type(self).__name__}", UserWarning, stacklevel=2)
        return ((np.flatnonzero(self.test_fold != f), np.flatnonzero(self.test_fold == f)) for f in self.unique_folds)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return len(self.unique_folds)


class _Listed(BaseCrossValidator):
    """Splits that were given."""

    def __init__(self, cv):
        self.cv = list(cv)

    def split(self, X=None, y=None, groups=None):
        """The rows of each split."""
        return iter(self.cv)

    def get_n_splits(self, X=None, y=None, groups=None):
        """The number of splits."""
        return len(self.cv)


def check_cv(cv=5, y=None, *, classifier=False, shuffle=False, random_state=None):
    """A splitter from a number, a splitter or an iterable of pairs."""
    cv = 5 if cv is None else cv
    if isinstance(cv, numbers.Integral):
        stratified = classifier and y is not None and type_of_target(y, "y") in ("binary", "multiclass")
        return (StratifiedKFold if stratified else KFold)(cv, shuffle=shuffle, random_state=random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    if not isinstance(cv, Iterable) or isinstance(cv, str):
        raise ValueError(
            "Expected `cv` as an integer, a cross-validation object (from sklearn.model_selection), or an iterable yielding "
            f"(train, test) splits as arrays of indices. Got {cv}."
        )
    return _Listed(cv)
