"""Voting in Python."""

from __future__ import annotations

import numpy as np

from mercer._checks import codes, type_of_target
from mercer._exceptions import invalid_parameter
from mercer._python_members import NamedWhole, is_dropped


class Voting(NamedWhole):
    """What voters of classes and of numbers share."""

    @classmethod
    def check(cls, owner):
        super().check(owner)
        weights = owner.weights
        if weights is not None and len(weights) != len(owner.estimators):
            raise ValueError(
                f"Number of `estimators` and weights must be equal; got {len(weights)} weights, {len(owner.estimators)} estimators"
            )

    @property
    def _weights(self):
        if self.owner.weights is None:
            return None
        return [w for (_, member), w in zip(self.owner.estimators, self.owner.weights) if not is_dropped(member)]

    def _votes(self, X):
        return np.asarray([member.predict(X) for member in self.estimators_]).T


class ClassVoting(Voting):
    """Voting of classifiers: by count, or by mean probability."""

    @classmethod
    def check(cls, owner):
        super().check(owner)
        if owner.voting not in ("hard", "soft"):
            raise invalid_parameter(owner, "voting", "a str among {'hard', 'soft'}")

    @classmethod
    def offers(cls, owner, name):
        return name == "predict" or owner.voting == "soft"

    def fit(self, X, y, **params):
        """Fits all members on the codes of the classes."""
        kind = type_of_target(y, "y")
        if kind in ("unknown", "continuous"):
            raise ValueError(
                f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects discrete classes on a "
                "regression target with continuous values."
            )
        if kind not in ("binary", "multiclass"):
            raise NotImplementedError(
                f"{type(self.owner).__name__} only supports binary or multiclass classification. Multilabel and multi-output "
                "classification are not supported."
            )
        y = np.asarray(y).ravel()
        self.classes_ = np.unique(y)
        self._fit_members(X, codes(y, self.classes_).astype(np.int64), params, "Voting", self.owner.verbose)

    def predict(self, X):
        """The class that wins; of several, the first."""
        if self.owner.voting == "soft":
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        counts = lambda row: np.argmax(np.bincount(row, weights=self._weights))  # noqa: E731
        return self.classes_[np.apply_along_axis(counts, 1, self._votes(X))]

    @property
    def predict_proba(self):
        """The mean probabilities of the classes."""
        if self.owner.voting == "hard":
            raise AttributeError(f"predict_proba is not available when voting={self.owner.voting!r}")
        return self._mean_proba

    def _mean_proba(self, X):
        return np.average(self._probas(X), axis=0, weights=self._weights)

    def _probas(self, X):
        return np.asarray([member.predict_proba(X) for member in self.estimators_])

    def transform(self, X):
        """What each member says: the codes of classes, or the probabilities."""
        if self.owner.voting == "hard":
            votes = self._votes(X)
            return votes if votes.dtype.kind in "iu" and "_whole" in self.owner.__dict__ else _coded(votes, self.classes_)
        probas = self._probas(X)
        return np.hstack(probas) if self.owner.flatten_transform else probas

    def names_out(self, input_features=None):
        """The names of what `transform` gives."""
        own, soft = type(self.owner).__name__.lower(), self.owner.voting == "soft"
        if soft and not self.owner.flatten_transform:
            raise ValueError("get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`")
        ends = range(len(self.classes_)) if soft else ("",)
        return np.asarray([f"{own}_{name}{end}" for name in self.kept_names() for end in ends], dtype=object)


def _coded(votes, classes):
    return np.column_stack([codes(votes[:, j], classes) for j in range(votes.shape[1])]).astype(np.int64)


class MeanVoting(Voting):
    """The mean of what regressors say."""

    kind = "regressor"

    def fit(self, X, y, **params):
        """Fits all members."""
        from mercer._checks import column

        self._fit_members(X, column(y), params, "Voting", self.owner.verbose)

    def predict(self, X):
        """The mean of what the members predict."""
        return np.average(self._votes(X), axis=1, weights=self._weights)

    def transform(self, X):
        """What each member predicts."""
        return self._votes(X)

    def names_out(self, input_features=None):
        """The names of what `transform` gives."""
        own = type(self.owner).__name__.lower()
        return np.asarray([f"{own}_{name}" for name in self.kept_names()], dtype=object)
