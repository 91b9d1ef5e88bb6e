"""Thresholds of classifiers in Python: given by hand, or the best on rows that the classifier did not see."""

from __future__ import annotations

import numbers

import numpy as np

from mercer._checks import type_of_target
from mercer._exceptions import not_fitted_error
from mercer._parts import is_fitted
from mercer._python_members import Whole
from mercer._rows import clone, indexable, params_of, take
from mercer._scoring import check_scoring, method_of, responses
from mercer._splits import check_cv


def _labels(scores, threshold, classes, pos_label):
    """The positive class from the threshold on, else the other."""
    positive = len(classes) - 1 if pos_label is None else int(np.flatnonzero(classes == pos_label)[0])
    return classes[np.where(scores >= threshold, positive, 1 - positive)]


class Threshold(Whole):
    """What both classifiers with a threshold share."""

    @classmethod
    def offers(cls, owner, name):
        return name == "predict" or owner.estimator is None or hasattr(owner.estimator, name)

    def _asked(self):
        how = self.owner.response_method
        return ["predict_proba", "decision_function"] if how == "auto" else how

    def _member(self):
        from mercer.linear_model import LogisticRegression

        return LogisticRegression() if self.owner.estimator is None else self.owner.estimator

    def fit(self, X, y, **params):
        """Fits the classifier, of two classes."""
        X, y = indexable(X, y)
        kind = type_of_target(y, "y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. Unknown label type: {kind}")
        self._learn(X, y, params)

    def __getattr__(self, name):
        if name in ("classes_", "n_features_in_", "feature_names_in_") and "estimator_" in self.__dict__:
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def predict_proba(self):
        """The class probabilities of the classifier."""
        return self.estimator_.predict_proba

    @property
    def predict_log_proba(self):
        """The logarithms of the class probabilities."""
        return self.estimator_.predict_log_proba

    @property
    def decision_function(self):
        """The decision values of the classifier."""
        return self.estimator_.decision_function


class FixedThreshold(Threshold):
    """A threshold given by hand."""

    @staticmethod
    def is_wanted(owner):
        return owner.pos_label is not None or owner.response_method != "auto" or isinstance(owner.threshold, str)

    def _learn(self, X, y, params):
        self.estimator_ = clone(self._member()).fit(X, y, **params)

    def predict(self, X):
        """The positive class from the threshold on."""
        threshold, pos_label = self.owner.threshold, self.owner.pos_label
        if threshold == "auto":
            threshold = 0.5 if method_of(self.estimator_, self._asked()).__name__ == "predict_proba" else 0.0
        scores = responses(self.estimator_, X, self._asked(), pos_label)
        return _labels(scores, threshold, np.asarray(self.classes_), pos_label)


class TunedThreshold(Threshold):
    """The threshold with the best mean score over the folds."""

    @staticmethod
    def is_wanted(owner):
        plain = isinstance(owner.cv, numbers.Integral) and isinstance(owner.thresholds, numbers.Integral) and owner.refit is True
        return not plain or owner.response_method != "auto" or not isinstance(owner.scoring, str) or owner.store_cv_results

    @classmethod
    def check(cls, owner):
        if owner.costs is not None and not cls.is_compiled(owner):
            raise NotImplementedError("`costs` are for members of Mercer's with `cv` a number of folds; others take `scoring`")

    def _splits(self, y):
        """The splitter; "prefit" where the classifier is fitted already."""
        cv, refit = self.owner.cv, self.owner.refit
        if isinstance(cv, str) and cv == "prefit":
            if refit is True:
                raise ValueError("When cv='prefit', refit cannot be True.")
            if not is_fitted(self._member()):
                raise not_fitted_error("When cv='prefit', `estimator` must be fitted.")
            return cv
        if isinstance(cv, numbers.Real) and 0 < cv < 1:
            from mercer._shuffled import StratifiedShuffleSplit

            return StratifiedShuffleSplit(n_splits=1, test_size=cv, random_state=self.owner.random_state)
        cv = check_cv(cv, y=y, classifier=True)
        if refit is False and cv.get_n_splits() > 1:
            raise ValueError("When cv has several folds, refit cannot be False.")
        return cv

    def _learn(self, X, y, params):
        cv, member = self._splits(y), self._member()
        self._scorer = check_scoring(member, self.owner.scoring)
        if isinstance(cv, str):
            self.estimator_ = member
            curves = [self._curve(member, X, y)]
        else:
            pairs = list(cv.split(X, y))
            own = slice(None) if self.owner.refit else pairs[0][0]
            rows = (X, y, params) if self.owner.refit else (take(X, own), take(y, own), params_of(X, params, own))
            self.estimator_ = clone(member).fit(*rows[:2], **rows[2])
            curves = []
            for train, test in pairs:
                one = clone(member).fit(take(X, train), take(y, train), **params_of(X, params, train))
                curves.append(self._curve(one, take(X, test), take(y, test)))
        self._choose(curves)

    def _curve(self, member, X, y):
        """Thresholds, and the score at each."""
        pos_label = self._scorer._get_pos_label()
        said, classes = responses(member, X, self._asked(), pos_label), np.asarray(member.classes_)
        given = self.owner.thresholds
        tried = np.linspace(said.min(), said.max(), given) if isinstance(given, numbers.Integral) else np.asarray(given)
        score, sign, more = self._scorer._score_func, self._scorer._sign, self._scorer._kwargs
        return tried, np.array([sign * score(y, _labels(said, at, classes, pos_label), **more) for at in tried])

    def _choose(self, curves):
        if any(np.isclose(tried[0], tried[-1]) for tried, _ in curves):
            raise ValueError(
                "The provided estimator makes constant predictions. Therefore, it is impossible to optimize the decision threshold."
            )
        given = self.owner.thresholds
        if isinstance(given, numbers.Integral):
            ends = min(tried.min() for tried, _ in curves), max(tried.max() for tried, _ in curves)
            given = np.linspace(*ends, num=given)
        tried = np.asarray(given)
        scores = np.mean([np.interp(tried, own, score) for own, score in curves], axis=0)
        best = scores.argmax()
        self.best_score_, self.best_threshold_ = scores[best], tried[best]
        if self.owner.store_cv_results:
            self.cv_results_ = {"thresholds": tried, "scores": scores}

    def predict(self, X):
        """The positive class from the best threshold on."""
        pos_label = self._scorer._get_pos_label()
        scores = responses(self.estimator_, X, self._asked(), pos_label)
        return _labels(scores, self.best_threshold_, np.asarray(self.classes_), pos_label)
