"""Estimators made of named estimators: their parameters by path, and methods that are there only when the parts allow."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from mercer import _mercer
from mercer._base import Estimator, parameter_names, seed_of
from mercer._exceptions import not_fitted
from mercer._mixins import ClassifierMixin, DecisionMixin, IntervalMixin, PredictMixin, ProbaMixin, RegressorMixin, TransformerMixin


class Available:
    """A method that is there only when the parts can do it, as scikit-learn's `available_if` has it."""

    def __init__(self, function, allowed):
        self.function, self.allowed = function, allowed
        self.__doc__ = function.__doc__

    def __get__(self, estimator, owner=None):
        if estimator is None:
            return self.function
        message = f"This {type(estimator).__name__!r} has no attribute {self.function.__name__!r}"
        try:
            allowed = self.allowed(estimator)
        except AttributeError as error:
            raise AttributeError(message) from error
        if not allowed:
            hard = self.function.__name__ == "predict_proba" and getattr(estimator, "voting", None) == "hard"
            raise AttributeError(message) from (AttributeError("predict_proba is not available when voting='hard'") if hard else None)
        return self.function.__get__(estimator, owner)


def when(capability):
    """Allowed when the whole can do `capability`."""
    return lambda estimator: capability in estimator._mercer_can


def twin_of(cls):
    """The Python whole that stands in for a compiled one, or None."""
    at = _TWINS.get(cls._mercer_name)
    return None if at is None else getattr(import_module(f"mercer.{at[0]}"), at[1])


# Each says what settings it alone can do, checks the parts, fits and answers.
_TWINS = {
    "VotingClassifier": ("_python_voting", "ClassVoting"),
    "VotingRegressor": ("_python_voting", "MeanVoting"),
    "StackingClassifier": ("_python_stacking", "ClassStacking"),
    "StackingRegressor": ("_python_stacking", "NumberStacking"),
    "BaggingClassifier": ("_python_bagging", "ClassBagging"),
    "BaggingRegressor": ("_python_bagging", "MeanBagging"),
    "AdaBoostClassifier": ("_python_adaboost", "ClassBoosting"),
    "CalibratedClassifierCV": ("_python_calibration", "Calibration"),
    "FixedThresholdClassifier": ("_python_thresholds", "FixedThreshold"),
    "TunedThresholdClassifierCV": ("_python_thresholds", "TunedThreshold"),
    "AdaBoostRegressor": ("_python_adaboost", "NumberBoosting"),
    "OneVsRestClassifier": ("_python_multiclass", "Rest"),
    "OneVsOneClassifier": ("_python_multiclass", "Pairs"),
    "OutputCodeClassifier": ("_python_multiclass", "Codes"),
}


def _delegated(name):
    """A method of the Python whole where there is one, else of the compiled."""

    def method(self, X, *args, **params):
        whole = self.__dict__.get("_whole")
        owner = super(WrapperMixin, self) if whole is None else whole
        return getattr(owner, name)(X, *args, **params)

    method.__name__ = name
    return Delegated(method, lambda estimator: estimator._offers(name))


def _of_members(name):
    """A method that Python works out from the members, of a compiled whole, too."""

    def method(self, *args, **params):
        if not self.fitted:
            raise not_fitted(self)
        return getattr(self._around(), name)(*args, **params)

    method.__name__ = name
    return Available(method, lambda estimator: hasattr(twin_of(type(estimator)), name))


@lru_cache(maxsize=None)
def _compiled_method(cls, name):
    """The method of a compiled whole of a class, or None."""
    after = cls.__mro__[cls.__mro__.index(WrapperMixin) + 1 :]
    return next((base.__dict__[name] for base in after if name in base.__dict__), None)


class Delegated(Available):
    """A method of the Python whole where there is one, else of the compiled, to which the way is short."""

    def __get__(self, estimator, owner=None):
        if estimator is not None and "_model" in estimator.__dict__ and estimator._offers(self.function.__name__):
            return _compiled_method(type(estimator), self.function.__name__).__get__(estimator, owner)
        return super().__get__(estimator, owner)


class WrapperMixin:
    """What the whole can do depends on the estimators inside. Where one of them, or a setting, is not Mercer's, the whole runs
    in Python, as `_whole`."""

    @property
    def _mercer_can(self):
        try:
            return frozenset(_mercer.capabilities(self._mercer_name, self._core_params())[0])
        except (TypeError, ValueError):
            # Parameters that make no learner are an error of `fit`, not of whoever asks what the class can do.
            return self._mercer_declared

    def _fit(self, X, y=None, sample_weight=None, **extra):
        twin = twin_of(type(self))
        if twin is not None:
            twin.check(self)
            if not twin.is_compiled(self) or self._is_beyond(X, y):
                whole = twin(self)
                whole.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
                for name in ("_model", "feature_names_in_"):
                    self.__dict__.pop(name, None)
                self.__dict__["_whole"] = whole
                return self
        made = super()._fit(X, y, sample_weight, **extra)
        self.__dict__.pop("_whole", None)
        return made

    def _is_beyond(self, X, y):
        """Whether rows or target are such that only the members can take them, one by one in Python."""
        from mercer._data import is_sparse

        can = self._mercer_can
        several = getattr(y, "ndim", 1) == 2 and y.shape[1] > 1
        return is_sparse(X) and "sparse" not in can or several and "multi_output" not in can

    @property
    def fitted(self):
        """Whether `fit` has been called."""
        return "_model" in self.__dict__ or "_whole" in self.__dict__

    def _offers(self, name):
        """Whether the whole has a method, as it is configured or fitted."""
        whole = self.__dict__.get("_whole")
        if whole is not None:
            return getattr(whole, name) is not None
        if _compiled_method(type(self), name) is None:
            return False
        twin = None if "_model" in self.__dict__ else twin_of(type(self))
        return twin is None or twin.is_compiled(self) or twin.offers(self, name)

    def __getattr__(self, name):
        for cls in type(self).__mro__:
            if isinstance(cls.__dict__.get(name), Available):
                # It said why it is not there; this says so again.
                return cls.__dict__[name].__get__(self)
        whole = self.__dict__.get("_whole")
        if whole is not None:
            if name in ("_model", "certificate_"):
                from mercer._parts import not_compiled

                raise not_compiled(self)
            if name.endswith("_") and not name.startswith("_"):
                return getattr(whole, name)
        if "_model" in self.__dict__ and name in getattr(twin_of(type(self)), "of_members", ()):
            return getattr(self._around(), name)
        if "_model" in self.__dict__ and name in ("estimator_", "final_estimator_") and twin_of(type(self)) is not None:
            part = dict(_mercer.parts(self._model)).get(name[:-1])
            if part is not None:
                from mercer._load import fitted

                return fitted(part)
        return super().__getattr__(name)

    def _around(self):
        """The whole as Python has it: the one that was fitted, or one around the members of the compiled."""
        return self.__dict__.get("_whole") or twin_of(type(self)).around(self)

    predict = _delegated("predict")
    predict_proba = _delegated("predict_proba")
    predict_log_proba = _delegated("predict_log_proba")
    decision_function = _delegated("decision_function")
    staged_predict = _of_members("staged_predict")
    staged_predict_proba = _of_members("staged_predict_proba")
    staged_decision_function = _of_members("staged_decision_function")
    staged_score = _of_members("staged_score")


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

    def _pairs(self):
        """The parts by name; what is none is an error of `fit`, not of whoever looks at the parameters."""
        parts = getattr(self, self._members)
        parts = parts if isinstance(parts, (list, tuple)) else ()
        return [tuple(part) for part in parts if isinstance(part, (list, tuple)) and len(part) == 2]

    def _named(self):
        """The parts that are estimators."""
        return [(name, part) for name, part in self._pairs() if hasattr(part, "get_params")]

    def _checked(self):
        parts, owner = getattr(self, self._members), type(self).__name__
        if not isinstance(parts, (list, tuple)) or any(not isinstance(p, (list, tuple)) or len(p) != 2 for p in parts):
            raise TypeError(f"`{self._members}` of {owner} must be a list of (name, estimator)")
        for name, part in parts:
            if not isinstance(part, Estimator):
                raise TypeError(f"{name!r} is a {type(part).__name__}; the parts of a compiled {owner} are Mercer's estimators")
        return [(name, part) for name, part in parts]

    def _core_params(self):
        return {**super()._core_params(), self._members: self._checked()}

    def get_params(self, deep=True):
        """The parameters by name; those of the parts as ``name__parameter``."""
        params = super().get_params(deep)
        if deep:
            for name, part in self._pairs():
                params[name] = part
                if hasattr(part, "get_params") and not isinstance(part, type):
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

    @property
    def named_estimators(self):
        """The parts by name, as they were given."""
        from mercer._bunch import Bunch

        return Bunch(getattr(self, self._members))

    @property
    def named_estimators_(self):
        """The fitted parts by name; those that are left out are "drop"."""
        from mercer._bunch import Bunch

        fitted = iter(self.estimators_)
        return Bunch((name, part if isinstance(part, str) else next(fitted)) for name, part in self.estimators)

    def transform(self, X):
        """What each part says of rows, side by side."""
        from mercer._output import container_of, frame

        made, container = self._around().transform(X), container_of(self)
        if container == "default" or made.ndim != 2:
            return made
        return frame(container, list(self.get_feature_names_out()), [made[:, j] for j in range(made.shape[1])], X)

    def fit_transform(self, X, y=None, **params):
        """Learn, and give what each part says of the same rows."""
        return self.fit(X, y, **params).transform(X)

    def get_feature_names_out(self, input_features=None):
        """The names of what `transform` gives."""
        return self._around().names_out(input_features)

    set_output = TransformerMixin.set_output
    _sklearn_auto_wrap_output_keys = TransformerMixin._sklearn_auto_wrap_output_keys
    # It is of `transform` alone, which is Python's.
    _door_meant = frozenset({"flatten_transform"})

    def __sklearn_tags__(self):
        from sklearn.utils import TransformerTags

        made = super().__sklearn_tags__()
        if twin_of(type(self)) is None:
            return made
        made.transformer_tags = TransformerTags(preserves_dtype=[])
        return made

    def _offers(self, name):
        if name in ("predict_proba", "predict_log_proba") and "_whole" not in self.__dict__:
            can = self._model.can() if "_model" in self.__dict__ else self._mercer_can
            if "proba" not in can:
                return False
        return super()._offers(name)
