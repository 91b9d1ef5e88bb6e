"""Bagging in Python: members on rows and columns drawn by seeds that scikit-learn draws alike."""

from __future__ import annotations

import numbers
import warnings

import numpy as np

from mercer._checks import column
from mercer._python_draws import MOST, Table, classes_of, drawn, generator, seeded, takes_weights
from mercer._python_members import Whole
from mercer._rows import take
from mercer.metrics import r2_score


class Bagging(Whole):
    """What bags of classifiers and of regressors share."""

    @staticmethod
    def is_wanted(owner):
        return bool(owner.bootstrap_features) or "_whole" in owner.__dict__ and bool(owner.warm_start)

    @staticmethod
    def check(owner):
        if not owner.bootstrap and owner.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if owner.warm_start and owner.oob_score:
            raise ValueError("Out of bag estimate only available if warm_start=False")

    def fit(self, X, y, sample_weight=None):
        """Draws and fits the members; those of a warm start stay."""
        owner = self.owner
        table, y = Table(X, y), self._target(y)
        self._X, self._y, self._weights = table.X, y, None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.n_features_in_ = table.X.shape[1]
        if table.names is not None:
            self.feature_names_in_ = table.names
        self._sizes()
        self.estimator_ = owner.estimator if owner.estimator is not None else self._default()
        before = owner.__dict__.get("_whole") if owner.warm_start else None
        self._grow(before if isinstance(before, Bagging) else None)
        if owner.oob_score:
            self._score_left_out()
        # Which rows a member saw is drawn again from its seed; the rows themselves need not be kept.
        self._n_rows = len(y)
        del self._X, self._y

    def _sizes(self):
        owner, (n, p) = self.owner, self._X.shape
        rows = n if owner.max_samples is None else owner.max_samples
        if not isinstance(rows, numbers.Integral):
            rows = self._share(n)
        if not owner.bootstrap and rows > n:
            raise ValueError(
                f"Effective max_samples={rows} must be <= n_samples={n} to be able to sample without replacement."
            )
        columns = owner.max_features if isinstance(owner.max_features, numbers.Integral) else int(owner.max_features * p)
        if columns > p:
            raise ValueError("max_features must be <= n_features")
        self._max_samples, self._max_features = rows, max(1, columns)

    def _share(self, n):
        """How many rows a share of them is; weights count for as many rows as they say."""
        share, whole = self.owner.max_samples, n if self._weights is None else self._weights.sum()
        rows = max(int(share * whole), 1)
        if rows < max(10, n ** (1 / 3)):
            what = "the number of samples is" if self._weights is None else "the total sum of sample weights is"
            warnings.warn(
                f"Using the fractional value max_samples={share} when {what} {whole} results in a low number ({rows}) of bootstrap "
                "samples. We recommend passing `max_samples` as an integer instead.",
                UserWarning,
                stacklevel=7,
            )
        return rows

    def _grow(self, before):
        owner, draws = self.owner, generator(self.owner.random_state)
        self.estimators_ = list(before.estimators_) if before else []
        self.estimators_features_ = list(before.estimators_features_) if before else []
        more = owner.n_estimators - len(self.estimators_)
        if more < 0:
            raise ValueError(
                f"n_estimators={owner.n_estimators} must be larger or equal to len(estimators_)={len(self.estimators_)} when "
                "warm_start==True"
            )
        if more == 0 and before:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=6)
        if self.estimators_:
            # What the members before drew is drawn again.
            draws.randint(MOST, size=len(self.estimators_))
        new = draws.randint(MOST, size=max(more, 0))
        self._seeds = np.concatenate([before._seeds, new]) if before else new
        for seed in new:
            self._fit_one(int(seed))

    def _draw(self, seed, n):
        owner, draws = self.owner, generator(seed)
        columns = drawn(draws, owner.bootstrap_features, self.n_features_in_, self._max_features)
        if self._weights is None:
            return columns, drawn(draws, owner.bootstrap, n, self._max_samples)
        shares = self._weights / self._weights.sum()
        return columns, draws.choice(n, self._max_samples, replace=owner.bootstrap, p=shares)

    def _fit_one(self, seed):
        member = seeded(self.estimator_, seed)
        columns, rows = self._draw(seed, len(self._y))
        whole = not self.owner.bootstrap_features and self._max_features == self.n_features_in_
        X = self._X if whole else self._X[:, columns]
        if takes_weights(member):
            member.fit(X, self._y, sample_weight=np.bincount(rows, minlength=len(self._y)))
        else:
            member.fit(take(X, rows), self._y[rows])
        self.estimators_.append(member)
        self.estimators_features_.append(columns)

    @property
    def estimators_samples_(self):
        """The rows that each member saw."""
        return [self._draw(int(seed), self._n_rows)[1] for seed in self._seeds]

    def _members(self, X):
        """Each member with its columns of rows."""
        X = Table(X).check(self)
        return ((member, X[:, columns]) for member, columns in zip(self.estimators_, self.estimators_features_))

    def _left_out(self):
        """Each member with the rows that it did not see."""
        n = len(self._y)
        for member, columns, seed in zip(self.estimators_, self.estimators_features_, self._seeds):
            rows = np.setdiff1d(np.arange(n), self._draw(int(seed), n)[1])
            if len(rows):
                yield member, rows, take(self._X, rows)[:, columns]

    def _warn_few(self, missing):
        if missing.any():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any reliable "
                "oob estimates.",
                UserWarning,
                stacklevel=7,
            )


class ClassBagging(Bagging):
    """Bagging of classifiers: the mean of their probabilities, or their votes."""

    def _default(self):
        from mercer.tree import DecisionTreeClassifier

        return DecisionTreeClassifier()

    @classmethod
    def offers(cls, owner, name):
        return name != "decision_function" or hasattr(owner.estimator, name)

    def _target(self, y):
        self.classes_, y = classes_of(y)
        self.n_classes_ = len(self.classes_)
        return y

    def _shares(self, member, X):
        """The probabilities of all classes, of which a member may know some."""
        shares = np.zeros((X.shape[0], self.n_classes_))
        if hasattr(member, "predict_proba"):
            shares[:, member.classes_] = member.predict_proba(X)
        else:
            shares[np.arange(X.shape[0]), member.predict(X)] = 1
        return shares

    def predict_proba(self, X):
        """The mean of the probabilities."""
        return sum(self._shares(member, own) for member, own in self._members(X)) / len(self.estimators_)

    def predict(self, X):
        """The class that is most probable on average."""
        return self.classes_.take(np.argmax(self.predict_proba(X), axis=1))

    @property
    def decision_function(self):
        """The mean of the decision values."""
        self.estimators_[0].decision_function  # noqa: B018 - says that there is none
        return lambda X: sum(m.decision_function(own) for m, own in self._members(X)) / len(self.estimators_)

    def _score_left_out(self):
        found = np.zeros((len(self._y), self.n_classes_))
        for member, rows, X in self._left_out():
            found[rows] += self._shares(member, X)
        self._warn_few(found.sum(axis=1) == 0)
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = found / found.sum(axis=1, keepdims=True)
        self.oob_score_ = float(np.mean(self._y == np.argmax(found, axis=1)))


class MeanBagging(Bagging):
    """Bagging of regressors."""

    kind = "regressor"

    def _default(self):
        from mercer.tree import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _target(self, y):
        return np.asarray(y) if np.ndim(y) == 2 and np.shape(y)[1] > 1 else column(y)

    def predict(self, X):
        """The mean of what the members predict."""
        return sum(member.predict(own) for member, own in self._members(X)) / len(self.estimators_)

    def _score_left_out(self):
        found, counts = np.zeros(self._y.shape), np.zeros(len(self._y))
        for member, rows, X in self._left_out():
            found[rows] += member.predict(X)
            counts[rows] += 1
        self._warn_few(counts == 0)
        self.oob_prediction_ = (found.T / np.maximum(counts, 1)).T
        self.oob_score_ = r2_score(self._y, self.oob_prediction_)
