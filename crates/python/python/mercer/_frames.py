"""Data frames: one small adapter for each of pandas, polars and Arrow. None of them is imported here; a frame can only
exist where its library is loaded already."""

import sys

import numpy as np

MISSING_CODE = 2**32 - 1


def adapter(X):
    """The adapter of a frame; None where `X` is none."""
    for module, kind, make in (
        ("pandas", "DataFrame", PandasFrame),
        ("polars", "DataFrame", PolarsFrame),
        ("pyarrow", "Table", ArrowFrame),
        ("pyarrow", "RecordBatch", ArrowFrame),
    ):
        library = sys.modules.get(module)
        if library is not None and hasattr(library, kind) and isinstance(X, getattr(library, kind)):
            return make(X)
    return None


def feature_names(names):
    """Names, where all of them are text; None where none is."""
    kinds = sorted({type(name).__name__ for name in names})
    if not any(isinstance(name, str) for name in names):
        return None
    if not all(isinstance(name, str) for name in names):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. If you want feature names to be stored and validated, you "
            "must convert them all to strings, by using X.columns = X.columns.astype(str) for example."
        )
    return np.asarray(list(names), dtype=object)


def check_unique(names):
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column {name!r} appears more than once")
        seen.add(name)


def number_column(name, values):
    return name, "number", np.ascontiguousarray(values, dtype=np.float64)


def truth_column(name, values, missing):
    codes = np.asarray(values, dtype=bool).astype(np.uint8)
    if missing is not None and missing.any():
        codes[missing] = 2
    return name, "truth", codes


MISSING_TIME = np.iinfo(np.int64).min


def time_column(name, values):
    """Dates and times as whole microseconds since 1970; NaT is the least number, which is what missing means."""
    return name, "time", np.ascontiguousarray(np.asarray(values, dtype="datetime64[us]").astype(np.int64))


def level_column(name, codes, levels):
    """Codes into levels; negative ones are missing. Levels that read the same are one."""
    codes = np.asarray(codes, dtype=np.int64)
    texts = [level if isinstance(level, str) else _level_text(level) for level in levels]
    distinct = list(dict.fromkeys(texts))
    if len(distinct) < len(texts):
        place = {text: i for i, text in enumerate(distinct)}
        codes = np.where(codes < 0, -1, np.asarray([place[text] for text in texts] or [0])[codes])
    out = codes.astype(np.uint32)
    out[codes < 0] = MISSING_CODE
    return name, "level", out, distinct


def _level_text(level):
    # Whole numbers read the same whether a missing value made them floats or not.
    if isinstance(level, (float, np.floating)) and float(level).is_integer():
        return str(int(level))
    if isinstance(level, (bool, np.bool_)):
        return "true" if level else "false"
    return str(level)


def is_missing(value):
    """Whether a Python object stands for no value."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA answers to no comparison.
        return type(value).__name__ in ("NAType", "NaTType")


def object_column(name, values):
    """A column of Python objects: truths, numbers, or levels."""
    values = np.asarray(values, dtype=object)
    missing = np.fromiter((is_missing(v) for v in values), dtype=bool, count=len(values))
    present = values[~missing].tolist()
    if present and all(isinstance(v, (bool, np.bool_)) for v in present):
        return truth_column(name, np.where(missing, False, values), missing)
    if all(isinstance(v, (int, float, np.number)) for v in present):
        return number_column(name, np.where(missing, np.nan, values).astype(np.float64))
    for value in present:
        if not isinstance(value, (str, int, float, bool, np.generic)):
            raise TypeError(
                f"column {name!r}: argument must be a string or a number, not a {type(value).__name__}"
            )
    texts = [value if isinstance(value, str) else _level_text(value) for value in present]
    levels = sorted(set(texts))
    place = {text: i for i, text in enumerate(levels)}
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = [place[text] for text in texts]
    return level_column(name, codes, levels)


def with_levels(prepared, wanted, only):
    """Prepared rows with the numbers of marked columns as levels; with `only`, the others must be numbers."""
    if isinstance(prepared, np.ndarray):
        columns = [number_column(f"x{j}", prepared[:, j]) for j in range(prepared.shape[1])]
    elif prepared[0] == "matrix":
        columns = [number_column(name, prepared[1][:, j]) for j, name in enumerate(prepared[2])]
    elif prepared[0] == "table":
        columns = prepared[2]
    else:
        return prepared
    if not any(wanted) and all(column[1] != "level" for column in columns):
        return prepared
    made = [_levels(column) if mark else _numbers(column) if only else column for column, mark in zip(columns, wanted)]
    return "table", len(made[0][2]), made


def _levels(column):
    """A column of numbers or truths as one of levels."""
    name, kind, values = column[:3]
    if kind not in ("number", "truth"):
        return column
    missing = values == 2 if kind == "truth" else np.isnan(values)
    levels, codes = np.unique(values[~missing], return_inverse=True)
    every = np.full(len(values), -1, dtype=np.int64)
    every[~missing] = codes
    return level_column(name, every, levels.astype(bool) if kind == "truth" else levels)


def _numbers(column):
    """A column of levels that read as numbers as one of numbers."""
    name, kind, values = column[:3]
    if kind != "level":
        return column
    levels = np.asarray(column[3], dtype=object).astype(np.float64)
    codes = np.where(values == MISSING_CODE, -1, values.astype(np.int64))
    return number_column(name, np.append(levels, np.nan)[codes])


class PandasFrame:
    """pandas."""

    def __init__(self, frame):
        self.frame = frame
        self.names = list(frame.columns)
        self.n_rows = len(frame)
        self.numeric = all(isinstance(t, np.dtype) and t.kind in "fiub" for t in frame.dtypes)

    def matrix(self):
        return self.frame.to_numpy()

    def column(self, j, name):
        import pandas as pd

        series = self.frame.iloc[:, j]
        dtype = series.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return level_column(name, series.cat.codes.to_numpy(), dtype.categories.tolist())
        if pd.api.types.is_bool_dtype(dtype):
            missing = series.isna().to_numpy()
            return truth_column(name, series.fillna(False).to_numpy(dtype=bool), missing)
        if pd.api.types.is_numeric_dtype(dtype):
            if dtype.kind == "c":
                raise ValueError("Complex data not supported\n")
            if isinstance(dtype, np.dtype):
                return number_column(name, series.to_numpy())
            return number_column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
        if pd.api.types.is_datetime64_any_dtype(dtype):
            if getattr(dtype, "tz", None) is not None:
                series = series.dt.tz_convert("UTC").dt.tz_localize(None)
            return time_column(name, series.to_numpy())
        if pd.api.types.is_timedelta64_dtype(dtype):
            raise TypeError(f"column {name!r} holds spans of time; convert them to numbers first")
        if pd.api.types.is_string_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
            codes, levels = pd.factorize(series, sort=True)
            return level_column(name, codes, [str(level) for level in levels])
        return object_column(name, series.to_numpy(dtype=object))


class PolarsFrame:
    """polars."""

    def __init__(self, frame):
        self.frame = frame
        self.names = list(frame.columns)
        self.n_rows = frame.height
        columns = frame.get_columns()
        self.numeric = all((s.dtype.is_numeric() or s.dtype == _polars().Boolean) for s in columns)

    def matrix(self):
        out = np.empty((self.n_rows, len(self.names)), order="F")
        for j, series in enumerate(self.frame.get_columns()):
            out[:, j] = self._numbers(series)
        return out

    @staticmethod
    def _numbers(series):
        pl = _polars()
        if series.dtype != pl.Float64:
            series = series.cast(pl.Float64)
        return series.fill_null(np.nan).to_numpy() if series.null_count() else series.to_numpy()

    def column(self, j, name):
        pl = _polars()
        series = self.frame.to_series(j)
        if series.dtype.is_numeric():
            return number_column(name, self._numbers(series))
        if series.dtype == pl.Boolean:
            return truth_column(name, series.fill_null(False).to_numpy(), series.is_null().to_numpy())
        if series.dtype.is_temporal():
            if series.dtype in (pl.Duration, pl.Time):
                raise TypeError(f"column {name!r} holds spans of time; convert them to numbers first")
            return time_column(name, series.cast(pl.Datetime("us")).to_numpy())
        if series.dtype == pl.Object:
            return object_column(name, series.to_list())
        texts = series.cast(pl.String)
        levels = texts.drop_nulls().unique().sort().to_list()
        codes = texts.cast(pl.Enum(levels)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return level_column(name, codes, levels)


def _polars():
    return sys.modules["polars"]


class ArrowFrame:
    """Arrow tables and record batches."""

    def __init__(self, table):
        import pyarrow as pa

        self.table = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
        self.names = list(self.table.column_names)
        self.n_rows = self.table.num_rows
        types = self.table.schema.types
        self.numeric = all(self._is_number(t) or pa.types.is_boolean(t) for t in types)

    @staticmethod
    def _is_number(kind):
        import pyarrow as pa

        return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)

    def matrix(self):
        out = np.empty((self.n_rows, len(self.names)), order="F")
        for j in range(len(self.names)):
            out[:, j] = self._numbers(self.table.column(j))
        return out

    @staticmethod
    def _numbers(column):
        import pyarrow as pa

        # A single chunk is read where it lies; `combine_chunks` would copy it.
        chunks = column.chunks or [pa.array([], column.type)]
        array = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
        if array.type != pa.float64():
            array = array.cast(pa.float64(), safe=False)
        return array.to_numpy(zero_copy_only=False)

    def column(self, j, name):
        import pyarrow as pa

        column, kind = self.table.column(j), self.table.schema.types[j]
        if self._is_number(kind):
            return number_column(name, self._numbers(column))
        if pa.types.is_boolean(kind):
            missing = column.is_null().to_numpy()
            return truth_column(name, column.fill_null(False).to_numpy(), missing)
        if pa.types.is_temporal(kind):
            if not (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
                raise TypeError(f"column {name!r} holds spans of time; convert them to numbers first")
            return time_column(name, column.cast(pa.timestamp("us"), safe=False).to_numpy())
        values = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            return object_column(name, values.to_pylist())
        encoded = values.combine_chunks().dictionary_encode()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.chunk(0)
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        levels = encoded.dictionary.to_pylist()
        order = sorted(range(len(levels)), key=levels.__getitem__)
        rank = np.empty(len(levels) + 1, dtype=np.int64)
        rank[order] = np.arange(len(levels))
        rank[-1] = -1
        return level_column(name, rank[codes], [levels[i] for i in order])
