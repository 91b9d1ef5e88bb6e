"""What Python wholes of named members share: their checks, the fitted copies, and whether they are needed at all."""

from __future__ import annotations

import numpy as np

from mercer._exceptions import invalid_parameter
from mercer._parts import check_names, is_mercers, refuse_classes, timed
from mercer._rows import clone
from mercer._scoring import kind_of


def is_dropped(member):
    """Whether a member is left out."""
    return isinstance(member, str) and member == "drop"


def fit_one(member, X, y, params, message_of=("", None)):
    """A fitted member; one that does not know weights is named."""
    with timed(*message_of):
        try:
            return member.fit(X, y, **params)
        except TypeError as error:
            if "unexpected keyword argument 'sample_weight'" in str(error):
                raise TypeError(f"Underlying estimator {type(member).__name__} does not support sample weights.") from error
            raise


class Whole:
    """A composite that runs in Python.

    Parameters
    ----------
    owner : Estimator
        The composite whose parameters it follows.
    """

    kind = "classifier"

    def __init__(self, owner):
        self.owner = owner

    @staticmethod
    def check(owner):
        """Refuses parts and settings that contradict each other, in scikit-learn's words."""

    @staticmethod
    def is_wanted(owner):
        """Whether a setting asks for what only Python can do."""
        return False

    @staticmethod
    def parts(owner):
        """The members of a composite."""
        return [owner.estimator] if owner.estimator is not None else []

    @classmethod
    def is_compiled(cls, owner):
        """Whether the compiled part can have the whole."""
        return all(is_mercers(part) for part in cls.parts(owner)) and not cls.is_wanted(owner)

    @classmethod
    def offers(cls, owner, name):
        """Whether an unfitted composite will have a method."""
        return True

    def predict_log_proba(self, X):
        """The logarithm of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NamedWhole(Whole):
    """A composite of members by name, each of which may be left out."""

    @staticmethod
    def parts(owner):
        return [part for _, part in owner._pairs()]

    @classmethod
    def check(cls, owner):
        given = owner.estimators
        if not isinstance(given, (list, tuple)):
            raise invalid_parameter(owner, "estimators", "an instance of 'list'")
        pairs = all(isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) for item in given)
        if not pairs or not given:
            raise ValueError(
                "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (string, estimator) tuples."
            )
        check_names(owner, [name for name, _ in given])
        members = [member for _, member in given if not is_dropped(member)]
        refuse_classes(members)
        if not members:
            raise ValueError("All estimators are dropped. At least one is required to be an estimator.")
        for member in members:
            if cls.refuses(member):
                raise ValueError(f"The estimator {type(member).__name__} should be a {cls.kind}.")

    @classmethod
    def refuses(cls, member):
        """Whether a member is of the wrong kind."""
        return kind_of(member) != cls.kind

    def _fit_members(self, X, y, params, source="", verbose=0):
        """Fits copies of the members that are not left out."""
        pairs = self.owner.estimators
        said = lambda at, name: f"({at + 1} of {len(pairs)}) Processing {name}" if verbose else None  # noqa: E731
        self.estimators_ = [
            fit_one(clone(member), X, y, params, (source, said(at, name)))
            for at, (name, member) in enumerate(pairs)
            if not is_dropped(member)
        ]
        self._keep_names()

    @classmethod
    def around(cls, owner):
        """The whole around the members of a fitted compiled one."""
        whole = cls(owner)
        whole.estimators_ = owner._made_members()
        whole.classes_ = getattr(owner, "classes_", None)
        whole._keep_names()
        return whole

    def _keep_names(self):
        for member in self.estimators_:
            if hasattr(member, "feature_names_in_"):
                self.feature_names_in_ = member.feature_names_in_

    @property
    def n_features_in_(self):
        """The number of columns that the members saw."""
        return self.estimators_[0].n_features_in_

    def kept_names(self):
        """The names of the members that are not left out."""
        return [name for name, member in self.owner.estimators if not is_dropped(member)]
