"""Columns apart: each step on the columns that it is for, fitted as one model."""

from __future__ import annotations

from mercer import _mercer
from mercer._base import Estimator, parameter_names
from mercer._mixins import RowsMixin, TransformerMixin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ColumnTransformer(TransformerMixin, RowsMixin, Estimator):
    """Columns apart: a step for the numbers, one for the categories, one for each text.

    Parameters
    ----------
    transformers : list of (str, estimator, columns)
        Steps by name, each an estimator of Mercer's that transforms. Columns are a name, a list of names (or of places
        in an array), a kind (``"numeric"``, ``"categorical"``, ``"boolean"``, ``"text"``, ``"time"``), or ``"rest"``.
    remainder : {"drop", "passthrough"}, default="drop"
        What becomes of columns that no step takes.
    sparse_threshold : float, default=0.3
        The result is sparse when a part is and fewer than this share of its values are not zero.
    verbose_feature_names_out : bool, default=True
        Whether names of columns begin with the name of their step.
    transformer_weights : default=None
        Accepted for scikit-learn's sake; only None is taken.
    n_jobs : int or None, default=None
        Number of threads.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        The certificates of the steps.
    """

    _mercer_name = "ColumnTransformer"
    _mercer_door = {"transformer_weights": None}
    _mercer_task = "Transformation"

    def __init__(
        self,
        transformers: Any,
        *,
        remainder: str = "drop",
        sparse_threshold: float = 0.3,
        verbose_feature_names_out: bool = True,
        transformer_weights: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.transformers = transformers
        self.transformer_weights = transformer_weights
        self.remainder = remainder
        self.sparse_threshold = sparse_threshold
        self.verbose_feature_names_out = verbose_feature_names_out
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _named(self):
        steps = self.transformers if isinstance(self.transformers, (list, tuple)) else ()
        return [step for step in steps if isinstance(step, (list, tuple)) and len(step) == 3]

    def _core_params(self):
        names = ("remainder", "sparse_threshold", "verbose_feature_names_out")
        params = {name: getattr(self, name) for name in names}
        return {**params, "transformers": [(name, step, _columns(columns)) for name, step, columns in self._check()]}

    def _check(self):
        steps = self._named()
        if not isinstance(self.transformers, (list, tuple)) or len(steps) != len(self.transformers):
            raise TypeError("`transformers` must be a list of (name, estimator, columns)")
        for name, step, _ in steps:
            if not isinstance(step, Estimator):
                raise TypeError(
                    f"step {name!r} is a {type(step).__name__}; steps are Mercer's estimators. scikit-learn's own "
                    "ColumnTransformer takes both."
                )
        return steps

    @property
    def _mercer_can(self):
        return frozenset(_mercer.capabilities(self._mercer_name, self._core_params())[0])

    def get_params(self, deep=True):
        """The parameters by name; those of steps as ``step__parameter``."""
        params = super().get_params(deep=False)
        if deep:
            for name, step, _ in self._named():
                if hasattr(step, "get_params"):
                    params[name] = step
                    params.update({f"{name}__{key}": value for key, value in step.get_params().items()})
        return params

    def _set_param(self, name, value):
        if name in parameter_names(type(self)):
            setattr(self, name, value)
        else:
            self.transformers = [(n, value if n == name else step, c) for n, step, c in self.transformers]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ColumnTransformer:
        """Learn every step on its columns."""
        return self._fit(X, y, sample_weight)


def _columns(columns):
    """Columns as the compiled part reads them; places in an array have the names `x0`, `x1`, …."""
    if isinstance(columns, str):
        return columns
    if isinstance(columns, int):
        return [f"x{columns}"]
    if isinstance(columns, slice):
        return [f"x{j}" for j in range(columns.start or 0, columns.stop, columns.step or 1)]
    return [f"x{c}" if isinstance(c, int) and not isinstance(c, bool) else str(c) for c in columns]
