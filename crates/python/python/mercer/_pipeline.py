"""Pipelines of Mercer's estimators, fitted as one model: it saves, loads and predicts as one."""

from __future__ import annotations

from mercer import _mercer
from mercer._base import Estimator, parameter_names, seed_of
from mercer._mixins import ClassifierMixin, ClusterMixin, DecisionMixin, InverseMixin, ProbaMixin, RegressorMixin
from mercer._mixins import RowsMixin, StringsMixin, TransformerMixin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Available:
    """A method that is there only when the steps can do it, as scikit-learn's `available_if` has it."""

    def __init__(self, function, allowed):
        self.function, self.allowed = function, allowed
        self.__doc__ = function.__doc__

    def __get__(self, pipeline, owner=None):
        if pipeline is None:
            return self.function
        if not self.allowed(pipeline):
            raise AttributeError(f"this {type(pipeline).__name__!r} has no attribute {self.function.__name__!r}")
        return self.function.__get__(pipeline, owner)


def _when(capability):
    return lambda pipeline: capability in pipeline._mercer_can


def _score(pipeline, X, y, sample_weight=None):
    """The score of the last step: accuracy for classes, the coefficient of determination for numbers."""
    mixin = ClassifierMixin if pipeline._mercer_task == "Classification" else RegressorMixin
    return mixin.score(pipeline, X, y, sample_weight)


_score.__name__ = "score"


class Pipeline(RowsMixin, Estimator):
    """A pipeline: steps that transform, then one that learns.

    Parameters
    ----------
    steps : list of (str, estimator)
        The steps by name, each an estimator of Mercer's; all but the last must transform. For estimators of other
        libraries use scikit-learn's own ``Pipeline``, which takes Mercer's estimators, too.
    random_state : int, RandomState instance or None, default=None
        The seed of all steps; None takes that of the first step that has one.
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
    _sklearn_auto_wrap_output_keys = TransformerMixin._sklearn_auto_wrap_output_keys

    def __init__(
        self,
        steps: Any,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def named_steps(self):
        """The steps by name."""
        return dict(self.steps)

    def _named(self):
        """The steps that are any; others are an error of `fit`, not of whoever looks at the parameters."""
        steps = self.steps if isinstance(self.steps, (list, tuple)) else ()
        pairs = (step for step in steps if isinstance(step, (list, tuple)) and len(step) == 2)
        return [(name, step) for name, step in pairs if hasattr(step, "get_params")]

    def _ask(self):
        if not isinstance(self.steps, (list, tuple)) or any(len(step) != 2 for step in self.steps):
            raise TypeError("`steps` of Pipeline must be a list of (name, estimator)")
        for name, step in self.steps:
            if not isinstance(step, Estimator):
                raise TypeError(
                    f"step {name!r} is a {type(step).__name__}; steps of mercer.pipeline.Pipeline are Mercer's "
                    "estimators. scikit-learn's own Pipeline takes both."
                )
        return _mercer.capabilities(self._mercer_name, {"steps": list(self.steps)})

    @property
    def _mercer_can(self):
        return frozenset(self._ask()[0])

    @property
    def _mercer_task(self):
        return self._ask()[1]

    @property
    def _estimator_type(self):
        kinds = {"Classification": "classifier", "Regression": "regressor", "Clustering": "clusterer"}
        return kinds.get(self._mercer_task)

    def _core_params(self):
        return {"steps": [(name, step) for name, step in self.steps]}

    def get_params(self, deep=True):
        """The parameters by name; those of steps as ``step__parameter``."""
        params = super().get_params(deep=False)
        if deep:
            for name, step in self._named():
                params[name] = step
                params.update({f"{name}__{key}": value for key, value in step.get_params().items()})
        return params

    def _set_param(self, name, value):
        if name in parameter_names(type(self)):
            setattr(self, name, value)
        else:
            self.steps = [(n, value if n == name else step) for n, step in self.steps]

    def _takes_strings(self):
        named = self._named()
        return bool(named) and not hasattr(named[0][1], "_mercer_takes_rows")

    def _prepare_fit(self, X):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare_fit(self, X)

    def _prepare(self, X, method):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare(self, X, method)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Pipeline:
        """Learn the steps, one after the other."""
        self._ask()
        return self._fit(X, y, sample_weight)

    def _seed(self):
        seeds = (getattr(step, "random_state", None) for _, step in [("", self), *self.steps])
        return seed_of(next((seed for seed in seeds if seed is not None), None))

    predict = _Available(ClassifierMixin.predict, lambda p: p._mercer_task not in ("Transformation", "Composite"))
    predict_proba = _Available(ProbaMixin.predict_proba, _when("proba"))
    predict_log_proba = _Available(ProbaMixin.predict_log_proba, _when("proba"))
    decision_function = _Available(DecisionMixin.decision_function, _when("decision"))
    transform = _Available(TransformerMixin.transform, _when("transform"))
    fit_transform = _Available(TransformerMixin.fit_transform, _when("transform"))
    get_feature_names_out = _Available(TransformerMixin.get_feature_names_out, _when("transform"))
    set_output = _Available(TransformerMixin.set_output, _when("transform"))
    inverse_transform = _Available(InverseMixin.inverse_transform, _when("inverse"))
    fit_predict = _Available(ClusterMixin.fit_predict, lambda p: p._mercer_task == "Clustering")
    score = _Available(_score, lambda p: p._mercer_task in ("Classification", "Regression"))
