"""Estimators made of named estimators: their parameters by path, and methods that are there only when the parts allow."""

from __future__ import annotations

from mercer import _mercer
from mercer._base import Estimator, parameter_names, seed_of
from mercer._mixins import ClassifierMixin, DecisionMixin, IntervalMixin, PredictMixin, ProbaMixin, RegressorMixin


class Available:
    """A method that is there only when the parts can do it, as scikit-learn's `available_if` has it."""

    def __init__(self, function, allowed):
        self.function, self.allowed = function, allowed
        self.__doc__ = function.__doc__

    def __get__(self, estimator, owner=None):
        if estimator is None:
            return self.function
        if not self.allowed(estimator):
            raise AttributeError(f"this {type(estimator).__name__!r} has no attribute {self.function.__name__!r}")
        return self.function.__get__(estimator, owner)


def when(capability):
    """Allowed when the whole can do `capability`."""
    return lambda estimator: capability in estimator._mercer_can


class WrapperMixin:
    """What the whole can do depends on the estimators inside."""

    @property
    def _mercer_can(self):
        try:
            return frozenset(_mercer.capabilities(self._mercer_name, self._core_params())[0])
        except (TypeError, ValueError):
            # Parameters that make no learner are an error of `fit`, not of whoever asks what the class can do.
            return self._mercer_declared


def _score(estimator, X, y, sample_weight=None):
    """The share of right classes, or the coefficient of determination of numbers."""
    mixin = ClassifierMixin if estimator._mercer_task == "Classification" else RegressorMixin
    return mixin.score(estimator, X, y, sample_weight)


_score.__name__ = "score"


class TaskMixin(WrapperMixin):
    """What is learnt depends on the parameters."""

    _mercer_declared = frozenset()

    def _ask(self):
        return _mercer.capabilities(self._mercer_name, self._core_params())

    @property
    def _mercer_task(self):
        return self._ask()[1]

    @property
    def _estimator_type(self):
        kinds = {"Classification": "classifier", "Regression": "regressor", "Clustering": "clusterer"}
        return kinds.get(self._mercer_task)

    predict = Available(PredictMixin.predict, lambda e: e._mercer_task not in ("Transformation", "Composite"))
    predict_proba = Available(ProbaMixin.predict_proba, when("proba"))
    predict_log_proba = Available(ProbaMixin.predict_log_proba, when("proba"))
    decision_function = Available(DecisionMixin.decision_function, when("decision"))
    predict_interval = Available(IntervalMixin.predict_interval, when("intervals"))
    predict_quantiles = Available(IntervalMixin.predict_quantiles, when("intervals"))
    score = Available(_score, lambda e: e._mercer_task in ("Classification", "Regression"))


class MembersMixin(WrapperMixin):
    """Parts by name, in the parameter that `_members` names."""

    _members = "estimators"
    _mercer_declared = frozenset()

    def _named(self):
        """The parts that are any; others are an error of `fit`, not of whoever looks at the parameters."""
        parts = getattr(self, self._members)
        parts = parts if isinstance(parts, (list, tuple)) else ()
        pairs = (part for part in parts if isinstance(part, (list, tuple)) and len(part) == 2)
        return [(name, part) for name, part in pairs if hasattr(part, "get_params")]

    def _checked(self):
        parts, owner = getattr(self, self._members), type(self).__name__
        if not isinstance(parts, (list, tuple)) or any(not isinstance(p, (list, tuple)) or len(p) != 2 for p in parts):
            raise TypeError(f"`{self._members}` of {owner} must be a list of (name, estimator)")
        for name, part in parts:
            if not isinstance(part, Estimator):
                raise TypeError(
                    f"{name!r} is a {type(part).__name__}; the parts of Mercer's {owner} are Mercer's estimators. "
                    f"scikit-learn's own {owner} takes both."
                )
        return [(name, part) for name, part in parts]

    def _core_params(self):
        return {**super()._core_params(), self._members: self._checked()}

    def get_params(self, deep=True):
        """The parameters by name; those of the parts as ``name__parameter``."""
        params = super().get_params(deep)
        if deep:
            for name, part in self._named():
                params[name] = part
                params.update({f"{name}__{key}": value for key, value in part.get_params().items()})
        return params

    def _set_param(self, name, value):
        if name in parameter_names(type(self)):
            setattr(self, name, value)
        else:
            parts = [(n, value if n == name else part) for n, part in getattr(self, self._members)]
            setattr(self, self._members, parts)

    def _seed(self):
        """The seed of the whole; without one, that of the first part that has one."""
        seeds = (getattr(part, "random_state", None) for part in [self, *(part for _, part in self._named())])
        return seed_of(next((seed for seed in seeds if seed is not None), None))

    predict_proba = Available(ProbaMixin.predict_proba, when("proba"))
    predict_log_proba = Available(ProbaMixin.predict_log_proba, when("proba"))
