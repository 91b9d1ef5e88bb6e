"""Pipelines of Mercer's estimators, fitted as one model: it saves, loads and predicts as one."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._members import Available, MembersMixin, TaskMixin, when
from mercer._mixins import ClusterMixin, InverseMixin, RowsMixin, StringsMixin, TransformerMixin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Pipeline(TaskMixin, MembersMixin, RowsMixin, Estimator):
    """A pipeline: steps that transform, then one that learns.

    Parameters
    ----------
    steps : list of (str, estimator)
        The steps by name, each an estimator of Mercer's; all but the last must transform. For estimators of other
        libraries use scikit-learn's own ``Pipeline``, which takes Mercer's estimators, too.
    transform_input : default=None
        Accepted for scikit-learn's sake; only None is taken.
    memory : default=None
        Accepted for scikit-learn's sake; prepared rows are kept by searches and cross validation as it pays.
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

    @property
    def named_steps(self):
        """The steps by name."""
        return dict(self.steps)

    def _takes_strings(self):
        named = self._named()
        return bool(named) and not hasattr(named[0][1], "_mercer_takes_rows")

    def _prepare_fit(self, X):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare_fit(self, X)

    def _prepare(self, X, method):
        return (StringsMixin if self._takes_strings() else RowsMixin)._prepare(self, X, method)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Pipeline:
        """Learn the steps, one after the other."""
        self._checked()
        return self._fit(X, y, sample_weight)

    transform = Available(TransformerMixin.transform, when("transform"))
    fit_transform = Available(TransformerMixin.fit_transform, when("transform"))
    get_feature_names_out = Available(TransformerMixin.get_feature_names_out, when("transform"))
    set_output = Available(TransformerMixin.set_output, when("transform"))
    inverse_transform = Available(InverseMixin.inverse_transform, when("inverse"))
    fit_predict = Available(ClusterMixin.fit_predict, lambda p: p._mercer_task == "Clustering")


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
    names = [type(step).__name__.lower() for step in steps]
    numbered = [
        f"{name}-{names[:i].count(name) + 1}" if names.count(name) > 1 else name for i, name in enumerate(names)
    ]
    return Pipeline(list(zip(numbered, steps)), **options)
