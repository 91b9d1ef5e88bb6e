"""Imputation as scikit-learn has it: whatever stands for a missing value, columns without any value, and objects.

Numbers go to the compiled part with NaN where they are missing. Arrays of objects, and functions as strategy, are filled
here. Frames that are not all numbers are the compiled part's, column by column."""

import numbers
import warnings

from mercer._lazy import Lazy
from mercer._members import Available

np = Lazy("numpy")
_data = Lazy("mercer._data")
_frames = Lazy("mercer._frames")
_output = Lazy("mercer._output")


def _is_nan(value):
    return isinstance(value, (float, np.floating)) and value != value


def _is_na(value):
    return type(value).__name__ == "NAType"


def missing_mask(X, missing):
    """Where values are missing: a mask of an array, or of the stored values of a sparse matrix."""
    values = X.data if _data.is_sparse(X) else X
    if values.dtype.kind != "O":
        if _is_nan(missing) or _is_na(missing) or missing is None:
            return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
        return values == missing
    if _is_nan(missing) or _is_na(missing):
        alike = lambda v: _is_nan(v) or _is_na(v)  # noqa: E731
    elif missing is None:
        alike = lambda v: v is None  # noqa: E731
    else:
        alike = lambda v: not _is_na(v) and bool(v == missing)  # noqa: E731
    return np.fromiter((alike(v) for v in values.flat), dtype=bool, count=values.size).reshape(values.shape)


class Filled:
    """What an imputation that was learnt in Python tells of itself."""

    has_categories, classes, n_targets, labels, feature_names = False, None, 0, None, None

    def __init__(self, n_features):
        self.n_features = n_features

    def attributes(self):
        return {}

    def certificate(self):
        text = "filled in Python; nothing is proved"
        return {"termination": "Exact", "success": True, "shortfall": None, "iterations": None, "objective": None,
                "evidence": [], "notes": [text], "children": [], "text": text}

    def save(self, path):
        raise NotImplementedError("an imputation of objects or by a function cannot be saved; pickle it instead")

    def verify(self, *_):
        return []


class ImputerMixin:
    """What all imputers share."""

    _door_meant = frozenset({"missing_values", "keep_empty_features"})

    @property
    def _indicates(self):
        return hasattr(self, "error_on_new")

    @property
    def _keeps_dtype(self):
        return not self._indicates

    @property
    def _strategy(self):
        return getattr(self, "strategy", None)

    def _core_params(self):
        params = super()._core_params()
        if callable(params.get("strategy")):
            params["strategy"] = "mean"
        if "fill_value" in params and not isinstance(params["fill_value"], numbers.Real):
            params["fill_value"] = None
        for name in ("min_value", "max_value"):
            if name in params and (params[name] is None or np.ndim(params[name]) == 0 and np.isinf(params[name] or 0)):
                params[name] = None
        return params

    # Rows

    def _by_columns(self, X):
        """Whether rows are a frame whose columns the compiled part fills by their kinds."""
        frame = _frames.adapter(X)
        if frame is None or frame.numeric or self._indicates and not _is_nan(self.missing_values):
            return False
        word = self._strategy == "constant" and not isinstance(self.fill_value, numbers.Real)
        return _is_nan(self.missing_values) and not word and not callable(self._strategy)

    def _rows(self, X, fitting):
        """Rows as an array or a sparse matrix, checked, and the names of their columns."""
        frame = _frames.adapter(X)
        names = _frames.feature_names(frame.names) if frame is not None else None
        if frame is not None:
            table = frame.matrix() if frame.numeric else np.asarray(X.to_numpy(), dtype=object)
        elif _data.is_sparse(X):
            table = X.tocsc()
        else:
            _data.refuse_series(X)
            table = np.asarray(X)
            if not hasattr(X, "dtype") and table.dtype.kind == "U":
                table = np.asarray(X, dtype=object)
        if table.ndim != 2:
            _data.refuse_dimensions(self, table)
        if table.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{table}\n")
        _data.check_columns(self, table.shape)
        if not fitting:
            _data.check_names(self, names)
            _data.check_width(self, table.shape[1])
        return self._typed(table), names

    def _typed(self, table):
        """Rows of a type that can be imputed, with scikit-learn's errors."""
        owner, missing = type(self).__name__, self.missing_values
        sparse = _data.is_sparse(table)
        if table.dtype.kind in "OUSb" and not self._indicates and (
            self._strategy is None or self._strategy in ("mean", "median") or callable(self._strategy)
        ):
            try:
                table = table.astype(np.float64)
            except (TypeError, ValueError) as error:
                if self._strategy is None:
                    raise
                raise ValueError(f"Cannot use {self._strategy} strategy with non-numeric data:\n{error}") from None
        if table.dtype.kind not in "iufO":
            raise ValueError(
                f"{owner} does not support data with dtype {table.dtype}. Please provide either a numeric array (with a "
                "floating point or integer dtype) or categorical data represented either as an array with integer dtype or "
                "an array of string values with an object dtype."
            )
        if table.dtype.kind in "iuf" and not isinstance(missing, numbers.Real) and not _is_na(missing):
            raise ValueError(
                f"'X' and 'missing_values' types are expected to be both numerical. Got X.dtype={table.dtype} and  "
                f"type(missing_values)={type(missing)}."
            )
        values = table.data if sparse else table
        if table.dtype.kind == "f" and not (_is_nan(missing) or _is_na(missing)) and np.isnan(values).any():
            raise ValueError("Input X contains NaN.")
        if table.dtype.kind == "f" and np.isinf(values).any():
            raise ValueError(f"Input X contains infinity or a value too large for dtype({table.dtype.name!r}).")
        if sparse and isinstance(missing, numbers.Real) and missing == 0:
            if self._indicates:
                raise ValueError("Sparse input with missing_values=0 is not supported. Provide a dense array instead.")
            raise ValueError(
                "Imputation not possible when missing_values == 0 and input is sparse. Provide a dense array instead."
            )
        return table

    def _marked(self, table, names):
        """Rows for the compiled part: numbers, NaN where they are missing."""
        mask = missing_mask(table, self.missing_values)
        if _data.is_sparse(table):
            marked = table.astype(np.float64, copy=True)
            marked.data[mask] = np.nan
            return _data.csr(marked)[0]
        if table.dtype.kind == "O":
            marked = np.where(mask, np.nan, 0.0)
        else:
            marked = np.where(mask, np.nan, table.astype(np.float64, copy=False))
        return marked if names is None else ("matrix", marked, [str(name) for name in names])

    def _prepare_fit(self, X):
        if self._by_columns(X):
            return super()._prepare_fit(X)
        table, names = self.__dict__["_given"]
        return self._marked(table, names), names

    # Learning

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        for name in ("statistics_", "indicator_", "_empty", "_fills", "_type", "features_"):
            self.__dict__.pop(name, None)
        if self._by_columns(X):
            made = super()._learn(fit, X, y, sample_weight, **extra)
            self.__dict__["indicator_"] = None
            return made
        table, names = self._rows(X, fitting=True)
        self._check_fill(table)
        mask = missing_mask(table, self.missing_values)
        empty = self._empty_columns(table, mask)
        if self._in_python(table):
            self._check_door()
            self.__dict__["_model"] = Filled(table.shape[1])
            self.__dict__.pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = names
            self.__dict__["statistics_"] = self._statistics(table, mask, empty)
            made = None
        else:
            self.__dict__["_given"] = table, names
            try:
                made = super()._learn(fit, X, y, sample_weight, **extra)
            finally:
                self.__dict__.pop("_given", None)
            self._keep_statistics(table, empty)
        self.__dict__.update(_empty=empty, _type=table.dtype)
        if self._indicates:
            self.__dict__["features_"] = self._missing_features(table, mask)
        elif self.add_indicator:
            from mercer.impute import MissingIndicator

            self.__dict__["indicator_"] = MissingIndicator(missing_values=self.missing_values, error_on_new=False).fit(X)
        else:
            self.__dict__["indicator_"] = None
        return made

    def _in_python(self, table):
        return table.dtype.kind == "O" and not self._indicates or callable(self._strategy)

    def _check_fill(self, table):
        if self._strategy != "constant" or self.fill_value is None:
            return
        if not np.can_cast(type(self.fill_value), table.dtype, casting="same_kind"):
            raise ValueError(
                f"fill_value={self.fill_value!r} (of type {type(self.fill_value)!r}) cannot be cast to the input data that "
                f"is {table.dtype!r}. If fill_value is a Python scalar, instead pass  a numpy scalar (e.g. "
                "fill_value=np.uint8(0) if your data is of type np.uint8). Make sure that both dtypes are of the same kind."
            )

    def _empty_columns(self, table, mask):
        if not _data.is_sparse(table):
            return mask.all(axis=0)
        n = np.asarray([m.sum() for m in np.split(mask, table.indptr[1:-1])])
        return n == table.shape[0]

    def _keep_statistics(self, table, empty):
        found = self._model.attributes().get("statistics_")
        if found is None:
            return
        found = np.array(found, dtype=np.float64)
        found[empty] = (self._fill() if self._strategy == "constant" else 0.0) if self.keep_empty_features else np.nan
        if self._strategy == "constant":
            found = found.astype(object)
        self.__dict__["statistics_"] = found

    def _fill(self):
        return 0 if self.fill_value is None else self.fill_value

    def _statistics(self, table, mask, empty):
        """What stands in for a missing value of each column."""
        callable_ = callable(self._strategy)
        if self._strategy == "constant":
            fill = self.fill_value if self.fill_value is not None else "missing_value"
            out = np.full(table.shape[1], fill, dtype=object)
        else:
            out = np.empty(table.shape[1], dtype=float if callable_ else object)
            for j in range(table.shape[1]):
                if callable_:
                    out[j] = self.strategy(_present(table, mask, j))
                else:
                    out[j] = _most_frequent(table[~mask[:, j], j]) if not empty[j] else 0
        if not self.keep_empty_features:
            out[empty] = np.nan
        return out

    # Results

    def transform(self, X):
        """Rows with every missing value filled in; columns without any value in training are left out, unless
        `keep_empty_features`. Indicators, where there are any, come last."""
        self._model
        if "_empty" not in self.__dict__ or self._by_columns(X):
            return super().transform(X)
        table, names = self._rows(X, fitting=False)
        if self._indicates:
            return self._as_asked(self._indicators(table), X)
        mask = missing_mask(table, self.missing_values)
        kept = np.flatnonzero(~self._empty) if not self.keep_empty_features else np.arange(table.shape[1])
        self._tell_skipped(len(kept))
        if isinstance(self._model, Filled):
            made = _fill_in(table, mask, np.asarray(self.statistics_), kept)
        else:
            made = self._filled(table, names, kept)
        if self.add_indicator:
            marks = self.indicator_.set_output(transform="default").transform(X)
            made = _beside(made, marks)
        return self._as_asked(made, X)

    def _filled(self, table, names, kept):
        made = _output.plain(self._model.transform(self._marked(table, names)), table)
        made = made[:, kept]
        if table.dtype.kind in "iu" and self._strategy in ("most_frequent", "constant"):
            return made.astype(table.dtype)
        if self.keep_empty_features and self._strategy is None and not _data.is_sparse(made):
            fill = self.fill_value if getattr(self, "initial_strategy", None) == "constant" and self.fill_value else 0.0
            empty = np.flatnonzero(self._empty)
            made[np.ix_(np.arange(len(made)), empty)] = np.where(
                missing_mask(table, self.missing_values)[:, empty], fill, table[:, empty]
            )
        return made.tocsc() if _data.is_sparse(made) else made

    def _tell_skipped(self, n_kept):
        if n_kept == len(self._empty) or self._strategy is None:
            return
        skipped = np.flatnonzero(self._empty)
        names = self.__dict__.get("feature_names_in_")
        skipped = names[skipped] if names is not None else skipped
        warnings.warn(
            f"Skipping features without any observed values: {skipped}. At least one non-missing value is needed for "
            f"imputation with strategy='{self.strategy}'.",
            UserWarning,
            stacklevel=3,
        )

    def _as_asked(self, made, X):
        if _output.container_of(self) == "default":
            return made
        names = list(self.get_feature_names_out())
        return _output.frame(_output.container_of(self), names, [made[:, j] for j in range(made.shape[1])], X)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        self._model
        if "_empty" not in self.__dict__:
            return super().get_feature_names_out(input_features)
        names = _output.input_names(self, input_features)
        if self._indicates:
            return _indicator_names(names, self.features_)
        kept = names if self.keep_empty_features else names[~self._empty]
        if not self.add_indicator:
            return kept
        return np.concatenate([kept, _indicator_names(names, self.indicator_.features_)])

    def _invert(self, X):
        """The rows with their missing values, as the indicators tell them."""
        self._model
        if not getattr(self, "add_indicator", False):
            raise ValueError(
                "'inverse_transform' works only when 'SimpleImputer' is instantiated with 'add_indicator=True'. Got "
                f"'add_indicator={self.add_indicator}' instead."
            )
        if "_empty" not in self.__dict__:
            from mercer._mixins import InverseMixin

            return InverseMixin.inverse_transform(self, X)
        X = np.asarray(X)
        marked = self.indicator_.features_
        n_filled = X.shape[1] - len(marked)
        kept = np.arange(len(self._empty)) if self.keep_empty_features else np.flatnonzero(~self._empty)
        out = np.empty((len(X), len(self._empty)), dtype=X.dtype)
        out[:, np.flatnonzero(self._empty)] = self.missing_values
        out[:, kept] = X[:, :n_filled]
        for k, j in enumerate(marked):
            out[X[:, n_filled + k].astype(bool), j] = self.missing_values
        return out

    _invert.__name__ = "inverse_transform"
    inverse_transform = Available(_invert, lambda imputer: imputer._strategy is not None)

    # Indicators

    def _missing_features(self, table, mask):
        if self.features == "all":
            return np.arange(table.shape[1])
        if _data.is_sparse(table):
            return np.flatnonzero(np.bincount(_columns(table)[mask], minlength=table.shape[1]))
        return np.flatnonzero(mask.any(axis=0))

    def _indicators(self, table):
        mask = missing_mask(table, self.missing_values)
        if self.features == "missing-only" and self.error_on_new:
            new = np.setdiff1d(self._missing_features(table, mask), self.features_)
            if len(new):
                raise ValueError(
                    f"The features {new} have missing values in transform but have no missing values in fit."
                )
        if _data.is_sparse(table):
            from scipy.sparse import csc_matrix

            made = csc_matrix((np.ones(mask.sum(), dtype=bool), (table.tocoo().row[mask], _columns(table)[mask])), shape=table.shape)
            made = made[:, self.features_]
            return made.toarray() if self.sparse is False else made
        made = mask[:, self.features_]
        if self.sparse is not True:
            return made
        from scipy.sparse import csc_matrix

        return csc_matrix(made)


def _columns(table):
    """The column of each stored value of a matrix by columns."""
    return np.repeat(np.arange(table.shape[1]), np.diff(table.indptr))


def _present(table, mask, j):
    if _data.is_sparse(table):
        own = slice(table.indptr[j], table.indptr[j + 1])
        return table.data[own][~mask[own]]
    return table[~mask[:, j], j]


def _most_frequent(values):
    """The value that is there most often, the least among equals."""
    counts = {}
    for value in values.tolist():
        counts[value] = counts.get(value, 0) + 1
    most = max(counts.values())
    best = [value for value, n in counts.items() if n == most]
    try:
        return min(best)
    except TypeError:
        return min(best, key=lambda value: (str(type(value)), str(value)))


def _fill_in(table, mask, statistics, kept):
    if _data.is_sparse(table):
        made = table.copy()
        made.data[mask] = statistics[_columns(table)[mask]].astype(table.dtype)
        return made[:, kept]
    made = table.copy()
    rows, columns = np.nonzero(mask)
    made[rows, columns] = statistics[columns]
    return made[:, kept]


def _beside(made, marks):
    if _data.is_sparse(made):
        from scipy.sparse import hstack

        return hstack([made, marks]).tocsc()
    marks = marks.toarray() if _data.is_sparse(marks) else marks
    return np.hstack([made, marks.astype(made.dtype) if made.dtype.kind != "O" else marks])


def _indicator_names(names, features):
    return np.asarray([f"missingindicator_{names[j]}" for j in features], dtype=object)
