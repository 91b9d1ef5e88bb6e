"""Calibration in Python: maps from what any classifier says to probabilities, fitted on rows that it did not see."""

from __future__ import annotations

import numbers
import sys
import warnings

import numpy as np

from mercer._checks import type_of_target
from mercer._python_draws import takes_weights
from mercer._python_members import Whole
from mercer._rows import clone, indexable, params_of, split_rows
from mercer._scoring import method_of, responses
from mercer._splits import LeaveOneOut, check_cv

ASKED = ("decision_function", "predict_proba")


class Sigmoid:
    """Platt's map: the logistic curve of ``a * x + b``, against targets drawn in from 0 and 1."""

    def fit(self, x, y, weights=None):
        """Newton's method on the two numbers, halving steps that do not lead down."""
        w = np.ones(len(y)) if weights is None else weights
        scale = np.abs(x).max() or 1.0
        x, (n0, n1) = x / scale, (w[y <= 0].sum(), w[y > 0].sum())
        t = np.where(y > 0, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
        ab = np.array([0.0, np.log((n1 + 1) / (n0 + 1))])
        z = np.column_stack([x, np.ones_like(x)])
        loss = lambda ab: float(w @ (np.logaddexp(0, z @ ab) - t * (z @ ab)))  # noqa: E731
        now = loss(ab)
        for _ in range(100):
            p = 1 / (1 + np.exp(-(z @ ab)))
            gradient = z.T @ (w * (p - t))
            if np.abs(gradient).max() <= 1e-10 * max(1.0, w.sum()):
                break
            curvature = (z * (w * p * (1 - p))[:, None]).T @ z + 1e-12 * np.eye(2)
            step = np.linalg.solve(curvature, gradient)
            size = 1.0
            while size > 1e-10 and not loss(ab - size * step) < now:
                size /= 2
            if size <= 1e-10:
                break
            ab = ab - size * step
            now = loss(ab)
        # The sign is Platt's, who writes 1 / (1 + exp(a x + b)).
        self.a_, self.b_ = -ab[0] / scale, -ab[1]
        return self

    def predict(self, x):
        """The probability of each value."""
        return 1 / (1 + np.exp(self.a_ * np.asarray(x) + self.b_))


class Isotonic:
    """The best map that never falls; between the values of training it is a line, beyond them level."""

    def fit(self, x, y, weights=None):
        """Pools neighbours that are out of order."""
        w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
        x, y, w = x[w > 0], y[w > 0], w[w > 0]
        self.x_, place = np.unique(x, return_inverse=True)
        total = np.bincount(place, weights=w)
        means = np.bincount(place, weights=w * y) / total
        blocks = []
        for mean, weight in zip(means, total):
            count = 1
            while blocks and blocks[-1][0] >= mean:
                before, own, n = blocks.pop()
                mean = (before * own + mean * weight) / (own + weight)
                weight, count = own + weight, n + count
            blocks.append((mean, weight, count))
        self.y_ = np.repeat([mean for mean, _, _ in blocks], [count for _, _, count in blocks])
        return self

    def predict(self, x):
        """The probability of each value."""
        return np.interp(x, self.x_, self.y_)


class Temperature:
    """One number by which all logits are multiplied."""

    def fit(self, x, y, weights=None):
        """Halves the interval in which the loss, which is convex, is least."""
        z = _logits(x)
        w = np.ones(len(y)) if weights is None else weights
        truth = z[np.arange(len(y)), y]

        def slope(beta):
            return float(w @ ((_softmax(beta * z) * z).sum(axis=1) - truth))

        low, high = -10.0, 10.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(np.exp(middle)) < 0 else (low, middle)
        self.beta_ = float(np.exp((low + high) / 2))
        return self

    def predict(self, x):
        """The probabilities of all classes."""
        return _softmax(self.beta_ * _logits(x))


def _softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _logits(values):
    """Decision values as logits of all classes; probabilities as their logarithms."""
    values = np.asarray(values, dtype=float)
    if values.ndim == 2 and values.shape[1] > 1:
        shares = (values >= 0).all() and (values <= 1).all() and np.allclose(values.sum(axis=1), 1)
        return np.log(values + 1e-12) if shares else values
    values = values.ravel()
    return np.column_stack([-values, values])


MAPS = {"sigmoid": Sigmoid, "isotonic": Isotonic, "temperature": Temperature}


class Calibrated:
    """A fitted classifier with its maps."""

    def __init__(self, estimator, classes, method):
        self.estimator, self.classes, self.method, self.calibrators = estimator, classes, method, []

    def _said(self, X):
        return self._columns(responses(self.estimator, X, ASKED))

    def _columns(self, said):
        """One column a class; of two classes, what is said of the second, or for temperatures both probabilities."""
        said = np.asarray(said, dtype=float)
        said = said.reshape(-1, 1) if said.ndim == 1 else said
        shares = method_of(self.estimator, ASKED).__name__ == "predict_proba"
        if self.method == "temperature" and said.shape[1] == 1 and shares:
            return np.column_stack([1 - said, said])
        return said

    def _places(self):
        found = np.searchsorted(self.classes, self.estimator.classes_)
        return found[-1:] if len(self.classes) == 2 else found

    def calibrate(self, said, y, weights=None):
        """Fits the maps on what was said of rows that the classifier did not see."""
        said, make = self._columns(said), MAPS[self.method]
        y = np.searchsorted(self.classes, y)
        if self.method == "temperature":
            self.calibrators = [make().fit(said, y, weights)]
        else:
            pairs = zip(self._places(), said.T)
            self.calibrators = [make().fit(own, (y == k).astype(float), weights) for k, own in pairs]
        return self

    def predict_proba(self, X):
        """Calibrated probabilities, which sum to 1."""
        said, n = self._said(X), len(self.classes)
        if self.method == "temperature":
            return self.calibrators[0].predict(said)
        shares = np.zeros((said.shape[0], n))
        for k, own, one in zip(self._places(), said.T, self.calibrators):
            shares[:, k] = one.predict(own)
        if n == 2:
            shares[:, 0] = 1 - shares[:, 1]
            return shares
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.full_like(shares, 1 / n), where=total != 0)


class Calibration(Whole):
    """CalibratedClassifierCV."""

    @staticmethod
    def is_wanted(owner):
        return not isinstance(owner.cv, numbers.Integral) or owner.ensemble == "auto"

    def fit(self, X, y, sample_weight=None):
        """Fits a classifier and its maps for each fold, or one for all of them."""
        kind = type_of_target(y, "y")
        if kind not in ("binary", "multiclass"):
            raise ValueError(
                f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects discrete classes on a "
                "regression target with continuous values."
            )
        X, y = indexable(X, y)
        labels = np.asarray(y)
        self.classes_ = np.unique(labels)
        member, weights = self._member(), None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        cv = self._folds(labels)
        given = self._given(member, sample_weight)
        ensemble = not _is_frozen(member) if self.owner.ensemble == "auto" else self.owner.ensemble
        if ensemble:
            pairs = cv.split(X, y)
            self.calibrated_classifiers_ = [self._pair(clone(member), X, y, labels, fold, weights, given) for fold in pairs]
        else:
            self.calibrated_classifiers_ = [self._one(clone(member), X, y, labels, cv, weights, given)]
        first = self.calibrated_classifiers_[0].estimator
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))

    def _member(self):
        from mercer.linear_model import LogisticRegression

        return LogisticRegression() if self.owner.estimator is None else self.owner.estimator

    def _folds(self, labels):
        cv = self.owner.cv
        n = cv if isinstance(cv, numbers.Integral) else getattr(cv, "n_splits", None)
        if n and (np.unique(labels, return_counts=True)[1] < n).any():
            raise ValueError(
                f"Requesting {n}-fold cross-validation but provided less than {n} examples for at least one class."
            )
        if isinstance(cv, LeaveOneOut):
            raise ValueError(
                "LeaveOneOut cross-validation does not allowall classes to be present in test splits. Please use a "
                "cross-validation generator that allows all classes to appear in every test and train split."
            )
        return check_cv(cv, labels, classifier=True)

    def _given(self, member, sample_weight):
        """What `fit` of the classifier gets beside rows and target."""
        if sample_weight is None:
            return {}
        if takes_weights(member):
            return {"sample_weight": sample_weight}
        warnings.warn(
            f"Since {type(member).__name__} does not appear to accept sample_weight, sample weights will only be used for the "
            "calibration itself. This can be caused by a limitation of the current scikit-learn API. See the following issue for "
            "more details: https://github.com/scikit-learn/scikit-learn/issues/21134. Be warned that the result of the "
            "calibration is likely to be incorrect.",
            UserWarning,
            stacklevel=6,
        )
        return {}

    def _pair(self, member, X, y, labels, fold, weights, given):
        train, test = fold
        member.fit(*split_rows(member, X, y, train), **params_of(X, given, train))
        made = Calibrated(member, self.classes_, self.owner.method)
        said = responses(member, split_rows(member, X, y, test, train)[0], ASKED)
        return made.calibrate(said, labels[test], None if weights is None else weights[test])

    def _one(self, member, X, y, labels, cv, weights, given):
        from mercer._validate import cross_val_predict

        method = method_of(member, ASKED).__name__
        said = cross_val_predict(clone(member), X, y, cv=cv, method=method, params=given)
        if len(self.classes_) == 2 and said.ndim == 2:
            said = said[:, 1]
        member.fit(X, y, **given)
        return Calibrated(member, self.classes_, self.owner.method).calibrate(said, labels, weights)

    def predict_proba(self, X):
        """The mean of the calibrated probabilities."""
        return np.mean([one.predict_proba(X) for one in self.calibrated_classifiers_], axis=0)

    def predict(self, X):
        """The class that is most probable."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def _is_frozen(member):
    frozen = sys.modules.get("sklearn.frozen")
    return frozen is not None and isinstance(member, frozen.FrozenEstimator)
