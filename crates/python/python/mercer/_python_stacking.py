"""Stacking in Python."""

from __future__ import annotations

import numbers
from copy import deepcopy

import numpy as np

from mercer._checks import codes, is_sparse, type_of_target
from mercer._parts import check_fitted, is_mercers
from mercer._python_members import NamedWhole, fit_one, is_dropped
from mercer._rows import clone
from mercer._scoring import kind_of, method_of
from mercer._splits import check_cv


class Stacking(NamedWhole):
    """What stacks of classifiers and of regressors share."""

    methods = ("predict",)

    @staticmethod
    def is_wanted(owner):
        foreign = owner.final_estimator is not None and not is_mercers(owner.final_estimator)
        return foreign or owner.cv is None or not isinstance(owner.cv, numbers.Integral)

    @classmethod
    def check(cls, owner):
        super().check(owner)
        last = owner.final_estimator
        if last is not None and kind_of(last) != cls.kind:
            raise ValueError(f"'final_estimator' parameter should be a {cls.kind}. Got {last}")

    @classmethod
    def offers(cls, owner, name):
        return owner.final_estimator is None or hasattr(owner.final_estimator, name)

    def fit(self, X, y, **params):
        """Fits the members, and the last on what they say of rows that they did not see."""
        y = self._target(y)
        members = [member for _, member in self.owner.estimators if not is_dropped(member)]
        prefit = isinstance(self.owner.cv, str) and self.owner.cv == "prefit"
        self.final_estimator_ = self._final()
        if prefit:
            for member in members:
                check_fitted(member)
            self.estimators_ = members
            self._keep_names()
        else:
            self._fit_members(X, y, params)
        self.stack_method_ = [self._method(name, member) for name, member in zip(self.kept_names(), members)]
        if prefit:
            said = [getattr(member, method)(X) for member, method in zip(members, self.stack_method_)]
        else:
            said = self._held_out(members, X, y, params)
        fit_one(self.final_estimator_, self._joined(X, said), y, params)

    @classmethod
    def around(cls, owner):
        whole = super().around(owner)
        whole.stack_method_ = [whole._method(name, member) for name, member in zip(whole.kept_names(), whole.estimators_)]
        # Of two classes one column stands for both.
        many = cls.kind == "classifier" and len(owner.classes_) > 2
        whole._widths = [len(owner.classes_) if many and method != "predict" else 1 for method in whole.stack_method_]
        return whole

    def _method(self, name, member):
        method = getattr(self.owner, "stack_method", self.methods)
        method = ["predict_proba", "decision_function", "predict"] if method == "auto" else method
        try:
            return method_of(member, method).__name__
        except AttributeError as error:
            raise ValueError(f"Underlying estimator {name} does not implement the method {method}.") from error

    def _held_out(self, members, X, y, params):
        from mercer._validate import cross_val_predict

        cv = check_cv(self.owner.cv, y=y, classifier=self.kind == "classifier")
        if hasattr(cv, "random_state") and cv.random_state is None:
            # All members are to be asked of the same folds.
            cv.random_state = np.random.randint(2**31 - 1)
        return [
            cross_val_predict(clone(member), X, y, cv=deepcopy(cv), method=method, params=params, verbose=self.owner.verbose)
            for member, method in zip(members, self.stack_method_)
        ]

    def _joined(self, X, said):
        """The answers side by side; of two classes, the probability of the second alone."""
        blocks = []
        for answers, method in zip(said, self.stack_method_):
            if isinstance(answers, list):
                blocks += [own[:, 1:] for own in answers]
            elif answers.ndim == 1:
                blocks.append(answers.reshape(-1, 1))
            else:
                second = method == "predict_proba" and len(self.classes_) == 2
                blocks.append(answers[:, 1:] if second else answers)
        self._widths = [block.shape[1] for block in blocks]
        if self.owner.passthrough:
            if is_sparse(X):
                from scipy.sparse import hstack

                return hstack([*blocks, X], format=X.format)
            blocks.append(X)
        return np.hstack(blocks)

    def transform(self, X):
        """What the members say, as the last sees it."""
        return self._joined(X, [getattr(m, method)(X) for m, method in zip(self.estimators_, self.stack_method_)])

    def names_out(self, input_features=None):
        """The names of what `transform` gives."""
        own, names = type(self.owner).__name__.lower(), []
        for name, width in zip(self.kept_names(), self._widths):
            names += [f"{own}_{name}"] if width == 1 else [f"{own}_{name}{j}" for j in range(width)]
        if self.owner.passthrough:
            given = input_features if input_features is not None else getattr(self, "feature_names_in_", None)
            names += [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)
        return np.asarray(names, dtype=object)

    def predict(self, X, **params):
        """What the last says."""
        return self.final_estimator_.predict(self.transform(X), **params)


class ClassStacking(Stacking):
    """Stacking of classifiers."""

    @staticmethod
    def is_wanted(owner):
        return Stacking.is_wanted(owner) or any(kind_of(member) == "regressor" for _, member in owner._pairs())

    @classmethod
    def refuses(cls, member):
        # What a regressor predicts is a column as good as another.
        return kind_of(member) not in ("classifier", "regressor")

    def _final(self):
        from mercer.linear_model import LogisticRegression

        return clone(self.owner.final_estimator) if self.owner.final_estimator is not None else LogisticRegression()

    def _target(self, y):
        kind = type_of_target(y, "y")
        if kind == "multilabel-indicator":
            self.classes_ = [np.unique(column) for column in np.asarray(y).T]
            self._many = True
            return y
        if kind not in ("binary", "multiclass"):
            raise ValueError(
                f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects discrete classes on a "
                "regression target with continuous values."
            )
        y = np.asarray(y).ravel()
        self.classes_, self._many = np.unique(y), False
        return codes(y, self.classes_).astype(np.int64)

    def predict(self, X, **params):
        """The classes that the last says."""
        found = super().predict(X, **params)
        if self._many:
            return found
        return (self.classes_[found[0]], *found[1:]) if isinstance(found, tuple) else self.classes_[found]

    def _of_last(self, name):
        method = getattr(self.final_estimator_, name)
        return lambda X: method(self.transform(X))

    @property
    def predict_proba(self):
        """The class probabilities of the last."""
        return self._of_last("predict_proba")

    @property
    def decision_function(self):
        """The decision values of the last."""
        return self._of_last("decision_function")


class NumberStacking(Stacking):
    """Stacking of regressors."""

    kind = "regressor"

    def _final(self):
        from mercer.linear_model import Ridge

        return clone(self.owner.final_estimator) if self.owner.final_estimator is not None else Ridge()

    def _target(self, y):
        from mercer._checks import column

        return column(y)
