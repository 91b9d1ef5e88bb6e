"""Pipelines: of Mercer's estimators fitted as one model, which saves, loads and predicts as one; with others among them, one
step after the other."""

from __future__ import annotations

from copy import copy

from mercer import _mercer
from mercer import _python_pipeline as steps_of
from mercer._base import Estimator
from mercer._members import Available, MembersMixin, TaskMixin
from mercer._mixins import ClusterMixin, InverseMixin, OutlierMixin, RowsMixin, StringsMixin, TransformerMixin
from mercer._neighbors import DensitiesMixin
from mercer._parts import TASKS, hand_on_output, is_mercers, is_skipped, not_compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OF_STEPS = ("n_features_in_", "feature_names_in_", "classes_")


def _either(compiled, python):
    """A method of the compiled whole, and what stands in for it where there is none."""

    def method(self, *args, **params):
        whole = "_model" in self.__dict__ and not params
        return compiled(self, *args) if whole else python(self, *args, **params)

    method.__name__, method.__doc__ = compiled.__name__, compiled.__doc__
    return method


def _of_last(name, compiled):
    """A method of the last step, on rows that the others transformed."""

    def python(self, X, *args, **params):
        return steps_of.answer(self, name, X, *args, **params)

    def allowed(self):
        return hasattr(type(self), name) and self._has(name)

    return Available(_either(compiled, python), allowed)


def _score_samples(pipe, X):
    """How usual each row is to the last step."""
    usual = DensitiesMixin if pipe._mercer_task == "Densities" else OutlierMixin
    return usual.score_samples(pipe, X)


_score_samples.__name__ = "score_samples"


class Pipeline(TaskMixin, MembersMixin, RowsMixin, Estimator):
    """A pipeline: steps that transform, then one that learns.

    Where all steps are Mercer's, the whole is one compiled model. Where one is not, or where `memory`, `transform_input` or a
    step that is left out asks for it, the steps run in Python and are fitted in place, as scikit-learn's are; such a whole has
    no model file and no certificate.

    Parameters
    ----------
    steps : list of (str, estimator)
        The steps by name; all but the last must transform. ``"passthrough"`` and None are steps that change nothing.
    transform_input : list of str, default=None
        Parameters of `fit` that the steps before transform, too; with scikit-learn's routing of parameters alone.
    memory : str or object with joblib's ``cache``, default=None
        Where fitted steps are kept for the next time.
    random_state : int, RandomState instance or None, default=None
        The seed of all steps; None takes that of the first step that has one. Steps that run in Python keep seeds of their
        own, and get this one where they have none.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, with the certificates of the steps.

    References
    ----------
    - Buitinck et al. API design for machine learning software. 2013. arXiv:1309.0238
    """

    _mercer_name = "Pipeline"
    _mercer_door = {"transform_input": None, "memory": None}
    _members = "steps"
    _sklearn_auto_wrap_output_keys = TransformerMixin._sklearn_auto_wrap_output_keys

    def __init__(
        self,
        steps: Any,
        *,
        transform_input: Any = None,
        memory: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.transform_input = transform_input
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # Steps

    @property
    def named_steps(self):
        """The steps by name, each an attribute."""
        from mercer._bunch import Bunch

        return Bunch(self.steps)

    @property
    def _final_estimator(self):
        return steps_of.final(self)

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, at):
        """A step by place or name; a slice is a pipeline of the same steps."""
        if isinstance(at, slice):
            if at.step not in (1, None):
                raise ValueError("Pipeline slicing only supports a step of 1")
            return type(self)(self.steps[at], memory=self.memory, verbose=self.verbose)
        try:
            return self.steps[at][1]
        except TypeError:
            return self.named_steps[at]

    def __bool__(self):
        return True

    # Compiled or not

    def _is_compiled(self):
        """Whether the whole is one that the compiled part knows."""
        if self.memory is not None or self.transform_input is not None or not isinstance(self.steps, (list, tuple)):
            return False
        pairs = all(isinstance(step, (list, tuple)) and len(step) == 2 for step in self.steps)
        return bool(self.steps) and pairs and all(is_mercers(step) for _, step in self.steps)

    def _takes_weights(self):
        """Steps that run in Python take weights by their names only."""
        return self._is_compiled()

    def _core_params(self):
        return {"steps": self._checked()}

    def _has(self, method):
        """Whether the whole has a method."""
        if "_model" in self.__dict__ or self._is_compiled():
            wants, fitted = _WANTS[method], "_model" in self.__dict__
            if callable(wants):
                known = self.__dict__.get("_fitted_task") if fitted else None
                allowed = wants(known or self._mercer_task)
            else:
                allowed = wants in (self._model.can() if fitted else self._mercer_can)
            # Where the last step has no such method, its own words say so.
            return allowed or getattr(steps_of.final(self), method) is None
        last = steps_of.final(self)
        if method in ("transform", "inverse_transform"):
            every = [step for _, step in self.steps if not is_skipped(step)]
            every = every[-1:] if method == "transform" and not is_skipped(last) else every if method != "transform" else []
            return all(getattr(step, method) is not None for step in every)
        if method == "fit_transform":
            return is_skipped(last) or hasattr(last, "transform") or hasattr(last, "fit_transform")
        return getattr(last, method) is not None

    @property
    def _mercer_task(self):
        if self._is_compiled():
            return self._ask()[1]
        from mercer._scoring import kind_of

        last = steps_of.final(self)
        return "Transformation" if is_skipped(last) else TASKS.get(kind_of(last), "Transformation")

    def __getattr__(self, name):
        if "_model" not in self.__dict__ and "steps" in self.__dict__:
            if name in _OF_STEPS:
                return steps_of.learnt(self, name)
            if name in ("_model", "certificate_") and not self._is_compiled() and steps_of.fitted(self):
                raise not_compiled(self)
        return super().__getattr__(name)

    @property
    def fitted(self):
        """Whether `fit` has been called, or the steps are fitted."""
        return "_model" in self.__dict__ or steps_of.fitted(self)

    def _takes_strings(self):
        named = self._named()
        return bool(named) and not hasattr(named[0][1], "_mercer_takes_rows")

    def _prepare_fit(self, X):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare_fit(self, X)

    def _prepare(self, X, method):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare(self, X, method)

    # Learning

    def _runs_compiled(self, X, params):
        """Whether this call is the compiled part's; what was learnt before is forgotten where it is not."""
        reads = getattr(self.steps[0][1], "_reads", None) if self._is_compiled() else None
        if not set(params) - {"sample_weight"} and self._is_compiled() and (reads is None or reads(X)):
            steps_of.check(self)
            return True
        if self.random_state is not None:
            seed = self._seed()
            for _, step in self._named():
                if getattr(step, "random_state", 0) is None:
                    step.set_params(random_state=seed)
        for name in ("_model", "_fitted_task", "feature_names_in_"):
            self.__dict__.pop(name, None)
        return False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Pipeline:
        """Learn the steps, one after the other; parameters are handed to steps as ``step__parameter``."""
        params = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        if not self._runs_compiled(X, params):
            return steps_of.fit(self, X, y, **params)
        return self._fit(X, y, **params)

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        rows = super()._learn(fit, X, y, sample_weight, **extra)
        self._hand_out()
        return rows

    def _adopt(self, model, names=None):
        super()._adopt(model, names)
        self._hand_out()

    def _hand_out(self):
        """Every step has the part that it learnt, as scikit-learn's have, which are fitted in place."""
        # Asked once, for whoever asks what the fitted whole can do.
        self.__dict__["_fitted_task"] = self._mercer_task
        names = self.__dict__.get("feature_names_in_")
        for (_, step), (_, part) in zip(self.steps, _mercer.parts(self._model)):
            step._adopt(part, names)
            names = None

    def __getstate__(self):
        # The model of the whole has those of the steps.
        state = super().__getstate__()
        if "_model" in state:
            state["steps"] = [(name, _bare(step)) for name, step in state["steps"]]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_model" in self.__dict__:
            self._hand_out()

    def _fit_transform(self, X, y=None, **params):
        """Learn, and transform the same rows."""
        if self._runs_compiled(X, params):
            return TransformerMixin.fit_transform(self, X, y, **params)
        return steps_of.fit_transform(self, X, y, **params)

    def _fit_predict(self, X, y=None, **params):
        """Learn, and give what the last step says of the same rows."""
        if self._runs_compiled(X, params):
            mixin = ClusterMixin if self._mercer_task == "Clustering" else OutlierMixin
            return mixin.fit_predict(self, X, y, **params)
        return steps_of.fit_predict(self, X, y, **params)

    _fit_transform.__name__, _fit_predict.__name__ = "fit_transform", "fit_predict"
    fit_transform = Available(_fit_transform, lambda p: p._has("fit_transform"))
    fit_predict = Available(_fit_predict, lambda p: p._has("fit_predict"))

    # Answers

    predict = _of_last("predict", TaskMixin.predict)
    predict_proba = _of_last("predict_proba", TaskMixin.predict_proba)
    predict_log_proba = _of_last("predict_log_proba", TaskMixin.predict_log_proba)
    decision_function = _of_last("decision_function", TaskMixin.decision_function)
    score_samples = _of_last("score_samples", _score_samples)
    transform = Available(_either(TransformerMixin.transform, steps_of.transform), lambda p: p._has("transform"))
    inverse_transform = Available(
        _either(InverseMixin.inverse_transform, steps_of.inverse_transform), lambda p: p._has("inverse_transform")
    )

    def _score(self, X, y=None, sample_weight=None, **params):
        """The score of the last step: the share of right classes, the coefficient of determination of numbers, or the
        logarithm of the likelihood of densities."""
        if "_model" in self.__dict__ and not params:
            if self._mercer_task == "Densities":
                return DensitiesMixin.score(self, X, y)
            return TaskMixin.score(self, X, y, sample_weight)
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        return steps_of.answer(self, "score", X, y, **more, **params)

    _score.__name__ = "score"
    score = Available(_score, lambda p: p._has("score"))

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        if "_model" in self.__dict__:
            return TransformerMixin.get_feature_names_out(self, input_features)
        return steps_of.names_out(self, input_features)

    def set_output(self, *, transform=None):
        """Choose what `transform` returns: ``"default"``, ``"pandas"`` or ``"polars"``; None changes nothing."""
        TransformerMixin.set_output(self, transform=transform)
        hand_on_output((step for _, step in self.steps if not is_skipped(step)), transform)
        return self

    # scikit-learn

    def _is_pairwise(self):
        first = next((step for _, step in self.steps if not is_skipped(step)), None)
        return isinstance(first, Estimator) and first._is_pairwise()

    def __sklearn_tags__(self):
        from sklearn.base import BaseEstimator

        return super().__sklearn_tags__() if self._is_compiled() else steps_of.tags(self, BaseEstimator().__sklearn_tags__())

    def get_metadata_routing(self):
        """scikit-learn's router of parameters to the steps."""
        return steps_of.router(self)


def _bare(step):
    """A copy of a step without what it learnt."""
    bare = copy(step)
    for name in ("_model", "feature_names_in_"):
        bare.__dict__.pop(name, None)
    return bare


_WANTS = {
    "predict": lambda task: task not in ("Transformation", "Composite"),
    "predict_proba": "proba",
    "predict_log_proba": "proba",
    "decision_function": "decision",
    "score_samples": lambda task: task in ("Outliers", "Densities"),
    "transform": "transform",
    "fit_transform": "transform",
    "inverse_transform": "inverse",
    "fit_predict": lambda task: task in ("Clustering", "Outliers"),
    "score": lambda task: task in ("Classification", "Regression", "Densities"),
}


def make_pipeline(*steps: Any, **options: Any) -> Pipeline:
    """A pipeline whose steps are named by their classes: in lower case, numbered where there are several of one.

    Parameters
    ----------
    *steps : estimators
        The steps; all but the last must transform.
    **options
        The other parameters of `Pipeline`.

    Returns
    -------
    Pipeline
    """
    return Pipeline(list(zip(names_of_steps(steps), steps)), **options)


def names_of_steps(steps):
    """Names of steps by their classes, numbered where there are several of one."""
    names = [step if isinstance(step, str) else type(step).__name__.lower() for step in steps]
    return [f"{name}-{names[:i].count(name) + 1}" if names.count(name) > 1 else name for i, name in enumerate(names)]
