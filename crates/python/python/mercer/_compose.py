"""Columns apart: each step on the columns that it is for, fitted as one model."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._base import Estimator, is_plain, parameter_names
from mercer._mixins import RowsMixin, TransformerMixin
from mercer._parts import is_mercers, not_compiled

__all__ = ["ColumnTransformer", "make_column_selector", "make_column_transformer"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ColumnTransformer(TransformerMixin, RowsMixin, Estimator):
    """Columns apart: a step for the numbers, one for the categories, one for each text.

    Parameters
    ----------
    transformers : list of (str, estimator, columns)
        Steps by name, each an estimator that transforms, ``"drop"`` or ``"passthrough"``. Columns are a name, a list of
        names (or of places in an array), a kind (``"numeric"``, ``"categorical"``, ``"boolean"``, ``"text"``, ``"time"``),
        ``"rest"``, a mask, a slice, or a function of the table that gives one of these. Where all steps are Mercer's and all
        columns names, kinds or places, the whole is one compiled model; otherwise it runs in Python, as scikit-learn's does,
        and has neither model file nor certificate.
    remainder : {"drop", "passthrough"} or estimator, default="drop"
        What becomes of columns that no step takes.
    sparse_threshold : float, default=0.3
        The result is sparse when a part is and fewer than this share of its values are not zero.
    verbose_feature_names_out : bool, str or callable, default=True
        Whether names of columns begin with the name of their step; a text with ``{transformer_name}`` and ``{feature_name}``,
        or a function of both, makes them otherwise.
    transformer_weights : dict, default=None
        Numbers by which the results of steps are multiplied.
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
        remainder: Any = "drop",
        sparse_threshold: float = 0.3,
        verbose_feature_names_out: Any = True,
        transformer_weights: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.transformers = transformers
        self.transformer_weights = transformer_weights
        self.remainder = remainder
        self.sparse_threshold = sparse_threshold
        self.verbose_feature_names_out = verbose_feature_names_out
        self.transformer_weights = transformer_weights
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _named(self):
        steps = self.transformers if isinstance(self.transformers, (list, tuple)) else ()
        return [step for step in steps if isinstance(step, (list, tuple)) and len(step) == 3]

    def _core_params(self):
        if not self._is_compiled():
            raise TypeError("a compiled ColumnTransformer has Mercer's steps, columns by name, kind or place, and no weights")
        names = ("remainder", "sparse_threshold", "verbose_feature_names_out")
        params = {name: getattr(self, name) for name in names}
        return {**params, "transformers": [(name, step, _columns(columns)) for name, step, columns in self._named()]}

    def _is_compiled(self):
        """Whether the whole is one that the compiled part knows."""
        plain = isinstance(self.remainder, str) and isinstance(self.verbose_feature_names_out, bool)
        known = all(is_mercers(step) and is_plain(step) and _is_known(columns) for _, step, columns in self._named())
        return bool(self._named()) and plain and self.transformer_weights is None and known

    @property
    def _mercer_can(self):
        if not self._is_compiled():
            return frozenset({"transform"})
        return frozenset(_mercer.capabilities(self._mercer_name, self._core_params())[0])

    def get_params(self, deep=True):
        """The parameters by name; those of steps as ``step__parameter``."""
        params = super().get_params(deep)
        if deep:
            for name, step, _ in self._named():
                params[name] = step
                if hasattr(step, "get_params") and not isinstance(step, type):
                    params.update({f"{name}__{key}": value for key, value in step.get_params().items()})
        return params

    def _set_param(self, name, value):
        if name in parameter_names(type(self)):
            setattr(self, name, value)
        else:
            self.transformers = [(n, value if n == name else step, c) for n, step, c in self.transformers]

    # Learning

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ColumnTransformer:
        """Learn every step on its columns."""
        if self._runs_compiled(X, sample_weight):
            return self._fit(X, y, sample_weight)
        self._fit_python(X, y)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Learn every step on its columns, and transform the same rows."""
        from mercer._data import is_sparse

        if not self._runs_compiled(X, sample_weight):
            return self._fit_python(X, y)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        made = super().fit_transform(X, y, **weights)
        self.__dict__["sparse_output_"] = is_sparse(made)
        return made

    def _runs_compiled(self, X, sample_weight):
        from mercer import _python_columns as python

        python.check(self)
        if self._is_compiled() and self._reads(X):
            for name in ("_whole", "sparse_output_"):
                self.__dict__.pop(name, None)
            return True
        if sample_weight is not None:
            raise ValueError("`sample_weight` is for a ColumnTransformer of Mercer's steps, with columns by name")
        return False

    def _reads(self, X):
        """Whether the compiled part finds the columns in a table: it knows those of a frame by name alone."""
        from mercer._columns import names_of

        named = any(isinstance(name, str) for name in names_of(X) or ())
        return not named or all(isinstance(one, str) for _, _, key in self._named() for one in _each(key))

    def _fit_python(self, X, y):
        from mercer._python_columns import Columns

        whole = Columns(self)
        before = self.__dict__.get("_whole")
        self.__dict__["_whole"] = whole
        try:
            made = whole.fit_transform(X, y)
        except BaseException:
            self.__dict__.pop("_whole")
            if before is not None:
                self.__dict__["_whole"] = before
            raise
        for name in ("_model", "feature_names_in_"):
            self.__dict__.pop(name, None)
        return made

    # Answers

    def transform(self, X):
        """Transform rows, each column by its step."""
        whole = self.__dict__.get("_whole")
        return super().transform(X) if whole is None else whole.transform(X)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        whole = self.__dict__.get("_whole")
        return super().get_feature_names_out(input_features) if whole is None else whole.names_out(input_features)

    def set_output(self, *, transform=None):
        """Choose what `transform` returns: ``"default"``, ``"pandas"`` or ``"polars"``; None changes nothing."""
        from mercer import _python_columns as python

        super().set_output(transform=transform)
        python.set_output(self, transform)
        return self

    @property
    def fitted(self):
        """Whether `fit` has been called."""
        return "_model" in self.__dict__ or "_whole" in self.__dict__

    @property
    def transformers_(self):
        """The fitted steps with their columns, the remainder as the last where it has any."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].transformers_
        return self._made_parts()[0]

    @property
    def named_transformers_(self):
        """The fitted steps by name."""
        from mercer._bunch import Bunch

        return Bunch((name, step) for name, step, _ in self.transformers_)

    @property
    def output_indices_(self):
        """The columns of each step in what comes out, as slices."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].output_indices_
        return self._made_parts()[1]

    def _made_parts(self):
        """What a compiled whole is made of, put together when it is asked for."""
        model = self._model
        if self.__dict__.get("_parts", (None,))[0] is not model:
            from mercer._python_columns import parts_of

            self.__dict__["_parts"] = model, *parts_of(self, model)
        return self.__dict__["_parts"][1:]

    def __getitem__(self, name):
        """A fitted step by name."""
        if not self.fitted:
            raise TypeError("ColumnTransformer is subscriptable after it is fitted")
        try:
            return self.named_transformers_[name]
        except KeyError:
            raise KeyError(f"'{name}' is not a valid transformer name") from None

    def __getattr__(self, name):
        whole = self.__dict__.get("_whole")
        if whole is not None and name in ("_model", "certificate_"):
            raise not_compiled(self)
        if whole is not None and name.endswith("_") and not name.startswith("_"):
            return getattr(whole, name)
        return super().__getattr__(name)


def make_column_transformer(
    *transformers: Any,
    remainder: Any = "drop",
    sparse_threshold: float = 0.3,
    n_jobs: int | None = None,
    verbose: int = False,
    verbose_feature_names_out: Any = True,
) -> ColumnTransformer:
    """A `ColumnTransformer` of pairs of steps and columns, the steps named by their classes.

    Returns
    -------
    ColumnTransformer
    """
    from mercer._pipeline import names_of_steps

    names = names_of_steps([step for step, _ in transformers])
    return ColumnTransformer(
        [(name, *pair) for name, pair in zip(names, transformers)],
        remainder=remainder,
        sparse_threshold=sparse_threshold,
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )


class make_column_selector:  # noqa: N801 - scikit-learn's name
    """A choice of columns by the type of their values, or by a pattern in their names.

    Parameters
    ----------
    pattern : str, default=None
        A regular expression that names are searched for.
    dtype_include, dtype_exclude : type or list of types, default=None
        As pandas' ``select_dtypes`` takes them.
    """

    def __init__(self, pattern=None, *, dtype_include=None, dtype_exclude=None):
        self.pattern = pattern
        self.dtype_include = dtype_include
        self.dtype_exclude = dtype_exclude

    def __call__(self, df):
        """The names of the columns that are chosen."""
        if not hasattr(df, "iloc"):
            raise ValueError("make_column_selector can only be applied to pandas dataframes")
        row = df.iloc[:1]
        if self.dtype_include is not None or self.dtype_exclude is not None:
            row = row.select_dtypes(include=self.dtype_include, exclude=self.dtype_exclude)
        names = row.columns
        if self.pattern is not None:
            names = names[names.str.contains(self.pattern, regex=True)]
        return names.tolist()


def _each(columns):
    return columns if isinstance(columns, (list, tuple)) else [columns]


def _is_known(columns):
    """Whether the compiled part knows columns: names, kinds, or places from the front."""
    if isinstance(columns, slice):
        ends = (columns.start or 0, columns.stop, columns.step or 1)
        return all(isinstance(end, int) and end >= 0 for end in ends)
    place = lambda c: isinstance(c, numbers.Integral) and not isinstance(c, bool) and c >= 0  # noqa: E731
    kinds = [type(c) for c in _each(columns)]
    return bool(kinds) and len({kind is str for kind in kinds}) == 1 and all(isinstance(c, str) or place(c) for c in _each(columns))


def _columns(columns):
    """Columns as the compiled part reads them; places in an array have the names `x0`, `x1`, …."""
    if isinstance(columns, str):
        return columns
    if isinstance(columns, int):
        return [f"x{columns}"]
    if isinstance(columns, slice):
        return [f"x{j}" for j in range(columns.start or 0, columns.stop, columns.step or 1)]
    return [f"x{c}" if isinstance(c, int) and not isinstance(c, bool) else str(c) for c in columns]
