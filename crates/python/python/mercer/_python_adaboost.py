"""AdaBoost in Python: SAMME for classes, R2 for numbers."""

from __future__ import annotations

import warnings

import numpy as np

from mercer._checks import column
from mercer._python_draws import Table, classes_of, generator, seeded, takes_weights
from mercer._python_members import Whole
from mercer._rows import take
from mercer.metrics import r2_score


class Boosting(Whole):
    """What boosting of classifiers and of regressors shares."""

    of_members = ("feature_importances_",)

    @classmethod
    def around(cls, owner):
        """The whole around the members of a fitted compiled one."""
        whole = cls(owner)
        whole.estimators_, whole.estimator_weights_ = owner._made_members(), np.asarray(owner.estimator_weights_)
        whole.n_features_in_, whole.classes_ = owner.n_features_in_, getattr(owner, "classes_", None)
        whole.n_classes_ = 0 if whole.classes_ is None else len(whole.classes_)
        return whole

    def fit(self, X, y, sample_weight=None):
        """Fits one member after the other, each with more weight on what the others miss."""
        owner = self.owner
        table, y = Table(X, y), self._target(y)
        self.n_features_in_ = table.X.shape[1]
        if table.names is not None:
            self.feature_names_in_ = table.names
        weights = np.full(len(y), 1.0) if sample_weight is None else np.array(sample_weight, dtype=float)
        if (weights < 0).any():
            raise ValueError("Negative values in data passed to `sample_weight`")
        weights /= weights.sum()
        self.estimator_ = owner.estimator if owner.estimator is not None else self._default()
        self._check_member()
        self.estimators_, kept, errors = [], [], []
        draws = generator(owner.random_state)
        for at in range(owner.n_estimators):
            weights = np.maximum(weights, np.where(weights > 0, np.finfo(weights.dtype).eps, 0))
            last = at == owner.n_estimators - 1
            found = self._round(table.X, y, weights, draws, last)
            if found is None:
                break
            weights, weight, error = found
            kept.append(weight)
            errors.append(error)
            total = weights.sum()
            if error == 0 or total <= 0:
                break
            if not np.isfinite(total):
                warnings.warn(
                    f"Sample weights have reached infinite values, at iteration {at}, causing overflow. Iterations stopped. Try "
                    "lowering the learning rate.",
                    UserWarning,
                    stacklevel=6,
                )
                break
            weights = weights / total
        self.estimator_weights_, self.estimator_errors_ = np.asarray(kept), np.asarray(errors)

    def _check_member(self):
        """Refuses members that cannot be boosted."""

    def _member(self, draws):
        member = seeded(self.estimator_, draws)
        self.estimators_.append(member)
        return member

    @property
    def feature_importances_(self):
        """The importances of the members, a mean by their weights."""
        try:
            every = [w * m.feature_importances_ for w, m in zip(self.estimator_weights_, self.estimators_)]
        except AttributeError as error:
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            ) from error
        return sum(every) / self.estimator_weights_.sum()


class ClassBoosting(Boosting):
    """SAMME."""

    @staticmethod
    def is_wanted(owner):
        return False

    @staticmethod
    def check(owner):
        foreign = owner.estimator is not None and not ClassBoosting.is_compiled(owner)
        if foreign and (owner.version != "wrong" or owner.by != "weights"):
            raise NotImplementedError("`version` and `by` are for members of Mercer's; others are boosted by weights")

    def _default(self):
        from mercer.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=1)

    def _check_member(self):
        if not takes_weights(self.estimator_):
            raise ValueError(f"{type(self.estimator_).__name__} doesn't support sample_weight.")

    def _target(self, y):
        self.classes_, found = classes_of(y)
        self.n_classes_ = len(self.classes_)
        return self.classes_[found]

    def _round(self, X, y, weights, draws, last):
        member = self._member(draws).fit(X, y, sample_weight=weights)
        wrong = member.predict(X) != y
        error = np.average(wrong, weights=weights)
        if error <= 0:
            return weights, 1.0, 0.0
        if error >= 1 - 1 / self.n_classes_:
            self.estimators_.pop()
            if not self.estimators_:
                raise ValueError("BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit.")
            return None
        weight = self.owner.learning_rate * (np.log((1 - error) / error) + np.log(self.n_classes_ - 1))
        if not last:
            with np.errstate(divide="ignore"):
                weights = np.exp(np.log(weights) + weight * wrong * (weights > 0))
        return weights, weight, error

    def decision_function(self, X):
        """The weighted votes: one number a row for two classes."""
        X = Table(X).check(self)
        if self.n_classes_ == 1:
            return np.zeros(X.shape[0])
        for votes in self.staged_decision_function(X):
            pass
        return votes

    def staged_decision_function(self, X):
        """The weighted votes after each member."""
        X = Table(X).check(self)
        votes, total = np.zeros((X.shape[0], self.n_classes_)), 0.0
        for member, weight in zip(self.estimators_, self.estimator_weights_):
            hit = member.predict(X)[:, None] == self.classes_
            votes += np.where(hit, weight, -weight / (self.n_classes_ - 1))
            total += weight
            yield (votes[:, 1] - votes[:, 0] if self.n_classes_ == 2 else votes) / total

    def predict(self, X):
        """The class with the most votes."""
        return self._named(self.decision_function(X))

    def _named(self, found):
        return self.classes_.take(found > 0 if self.n_classes_ == 2 else np.argmax(found.reshape(len(found), -1), axis=1))

    def staged_predict(self, X):
        """The class with the most votes after each member."""
        return (self._named(found) for found in self.staged_decision_function(X))

    def staged_predict_proba(self, X):
        """The probabilities after each member."""
        return (self._shares(found) for found in self.staged_decision_function(X))

    def staged_score(self, X, y, sample_weight=None):
        """The share of right classes after each member."""
        return (float(np.average(said == np.asarray(y), weights=sample_weight)) for said in self.staged_predict(X))

    def predict_proba(self, X):
        """Probabilities that grow with the votes."""
        return self._shares(self.decision_function(X))

    def _shares(self, found):
        if self.n_classes_ == 1:
            return np.ones((len(found), 1))
        found = np.column_stack([-found, found]) / 2 if self.n_classes_ == 2 else found / (self.n_classes_ - 1)
        shares = np.exp(found - found.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


class NumberBoosting(Boosting):
    """AdaBoost.R2."""

    kind = "regressor"

    def _default(self):
        from mercer.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    def _target(self, y):
        return column(y)

    def _round(self, X, y, weights, draws, last):
        member = self._member(draws)
        rows = draws.choice(np.arange(len(y)), size=len(y), replace=True, p=weights)
        member.fit(take(X, rows), y[rows])
        misses = np.abs(member.predict(X) - y)
        seen = weights > 0
        own, misses = weights[seen], misses[seen]
        misses = misses / (misses.max() or 1.0)
        misses = {"square": misses**2, "exponential": 1 - np.exp(-misses)}.get(self.owner.loss, misses)
        error = (own * misses).sum()
        if error <= 0:
            return weights, 1.0, 0.0
        if error >= 0.5:
            if len(self.estimators_) > 1:
                self.estimators_.pop()
            return None
        beta, rate = error / (1 - error), self.owner.learning_rate
        if not last:
            weights = weights.copy()
            weights[seen] *= beta ** ((1 - misses) * rate)
        return weights, rate * np.log(1 / beta), error

    def _said(self, X):
        X = Table(X).check(self)
        return np.array([member.predict(X) for member, _ in zip(self.estimators_, self.estimator_weights_)]).T

    def _median(self, said):
        order = np.argsort(said, axis=1)
        reached = np.cumsum(self.estimator_weights_[order], axis=1)
        middle = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
        rows = np.arange(said.shape[0])
        return said[rows, order[rows, middle]]

    def predict(self, X):
        """The weighted median of what the members predict."""
        return self._median(self._said(X))

    def staged_predict(self, X):
        """The weighted median after each member."""
        said = self._said(X)
        return (self._median(said[:, :n]) for n in range(1, said.shape[1] + 1))

    def staged_score(self, X, y, sample_weight=None):
        """The coefficient of determination after each member."""
        return (r2_score(y, said, sample_weight) for said in self.staged_predict(X))
