"""The levels of columns: found or given, in their own type, and handed to the compiled part as codes."""

import warnings

from mercer._lazy import Lazy

np = Lazy("numpy")
_data = Lazy("mercer._data")
_frames = Lazy("mercer._frames")
_levels = Lazy("mercer._levels")


def is_nan(value):
    return isinstance(value, float) and value != value


class LevelsMixin:
    """What all encoders share: the levels of each column, found or given."""

    _door_meant = frozenset({"categories", "dtype", "feature_name_combiner"})
    _missing_is_level = False

    def _core_params(self):
        # scikit-learn encodes every column; so do encoders inside of compiled pipelines.
        params = super()._core_params()
        return {**params, "columns": "all" if params["columns"] == "auto" else params["columns"]}

    @property
    def _passes(self):
        """Whether the compiled part does all: numbers pass through, or missing values are no level."""
        return self.columns == "categorical" or getattr(self, "missing", "level") == "zeros"

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        for name in ("_found", "categories_"):
            self.__dict__.pop(name, None)
        made = super()._learn(fit, X, y, sample_weight, **extra)
        found = self.__dict__.pop("_found", None)
        if found is None and self._passes:
            return made
        if found is None:
            model = self._model.attributes()["categories_"]
            found = [values.astype(self.__dict__["_whole"]) for values in model]
        self.__dict__["categories_"] = found
        return made

    def _plain(self, X):
        """Whether the compiled part finds the levels itself: numbers, none of them missing, in a matrix."""
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiu" or not X.size:
            return False
        if not isinstance(self.categories, str):
            return False
        if X.dtype.kind == "f":
            return bool(np.isfinite(X).all())
        return bool(X.max() < 2**53 and (X.dtype.kind == "u" or X.min() > -(2**53)))

    def _prepare_fit(self, X):
        self.__dict__.pop("_whole", None)
        if self._passes:
            return _data.prepare_rows(self, X, fitting=True)
        if self._plain(X):
            self.__dict__["_whole"] = X.dtype
            return _data.prepare_rows(self, X, fitting=True)
        columns, names = _levels.columns_of(self, X)
        pairs = [_levels.factorized(column) for column in columns]
        self.__dict__["_found"] = found = self._levels_of(pairs, columns)
        return self._table(pairs, found, names, fitting=True), names

    def _levels_of(self, pairs, columns):
        if isinstance(self.categories, str):
            if self.categories != "auto":
                from mercer._exceptions import invalid_parameter

                raise invalid_parameter(self, "categories", "a str among {'auto'} or an instance of 'list'")
            return [_levels.in_order(uniques) for _, uniques in pairs]
        if len(self.categories) != len(pairs):
            raise ValueError("Shape mismatch: if categories is an array, it has to be of shape (n_features,).")
        refuses = getattr(self, "handle_unknown", "ignore") == "error"
        return [
            _given(self.categories[j], uniques, columns[j], j, refuses) for j, (_, uniques) in enumerate(pairs)
        ]

    def _table(self, pairs, found, names, fitting=False):
        """Codes into the levels of each column, for the compiled part. Unseen levels are one beyond them; where levels are
        given, those of training that are none of them count as missing."""
        columns = []
        for j, ((codes, uniques), categories) in enumerate(zip(pairs, found)):
            name = str(names[j]) if names is not None else f"x{j}"
            known = _levels.places(uniques, categories)
            kept = len(categories) if self._missing_is_level else n_present(categories)
            texts = _levels.texts_of(categories)[:kept]
            beyond = "unseen"
            while beyond in texts:
                beyond += "_"
            # Levels that are missing have no code of their own, those that are unseen share the last.
            known = np.where(known < 0, -1 if fitting else kept, np.where(known >= kept, -1, known))
            codes = known[codes] if len(known) else codes
            columns.append(_frames.level_column(name, codes, [*texts, beyond] if (known == kept).any() else texts))
        return "table", len(pairs[0][0]), columns

    def _prepare(self, X, method):
        model = self._model
        if self._passes or "categories_" not in self.__dict__:
            return _data.prepare_rows(self, X, fitting=False)[0]
        if "_whole" in self.__dict__ and isinstance(X, np.ndarray) and X.dtype.kind in "fiu" and X.ndim == 2:
            if not (X.dtype.kind == "f" and np.isnan(X).any()) and not self._has_unseen(X):
                return _data.prepare_rows(self, X, fitting=False)[0]
        columns, names = _levels.columns_of(self, X)
        _data.check_names(self, names)
        _data.check_width(self, len(columns))
        pairs = [_levels.factorized(column) for column in columns]
        self._check_unseen(pairs)
        if "_whole" not in self.__dict__:
            return self._table(pairs, self.categories_, names)
        out = np.empty((len(pairs[0][0]), len(pairs)))
        for j, ((codes, uniques), categories) in enumerate(zip(pairs, self.categories_)):
            numbers = np.append(categories.astype(np.float64), np.nextafter(float(categories[-1]), np.inf))
            out[:, j] = numbers[_levels.places(uniques, categories)[codes]]
        return out if not model.feature_names else ("matrix", out, list(model.feature_names))

    def _has_unseen(self, X):
        """Whether it must be told what is unseen: that there is anything, the compiled part would tell by an error."""
        told = getattr(self, "handle_unknown", None) == "warn" or getattr(self, "drop", None) is not None
        return told and self._reports_unseen(X)

    def _reports_unseen(self, X):
        if X.shape[1] != len(self.categories_):
            return False
        return any(not np.isin(X[:, j], known).all() for j, known in enumerate(self.categories_))

    def _check_unseen(self, pairs):
        handle = getattr(self, "handle_unknown", None)
        unseen = []
        for j, ((_, uniques), known) in enumerate(zip(pairs, self.categories_)):
            strange = [value for value, at in zip(uniques.tolist(), _levels.places(uniques, known)) if at < 0]
            if strange and handle == "error":
                raise ValueError(
                    f"Found unknown categories {_listed(strange)} in column {j} during transform (not seen in training)"
                )
            if strange:
                unseen.append(j)
        drops = getattr(self, "drop", None) is not None
        if unseen and (handle == "warn" or drops):
            become = "all zeros" if handle == "ignore" else "the infrequent category."
            warnings.warn(
                f"Found unknown categories in columns {unseen} during transform. These unknown categories will be encoded "
                f"as {become}",
                UserWarning,
                stacklevel=5,
            )

    @property
    def infrequent_categories_(self):
        """The levels of each column that are too rare to stand alone; None where there are none."""
        if self.max_categories is None and self.min_frequency is None:
            raise AttributeError("infrequent_categories_ needs `min_frequency` or `max_categories`")
        rare = self._model.attributes()["rare_levels_"]
        return [known[at] if len(at) else None for known, at in zip(self.categories_, rare)]


def n_present(categories):
    """How many levels there are but for NaN, which comes last."""
    return len(categories) - sum(is_nan(value) for value in categories.tolist())


def _listed(values):
    try:
        return sorted(values)
    except TypeError:
        return values


def _given(categories, uniques, column, j, refuses):
    """The levels that are given for a column, checked."""
    kind = np.dtype(object) if uniques.dtype.kind == "U" else uniques.dtype
    given = np.asarray(categories, dtype=kind)
    values = given.tolist()
    if kind.kind == "O" and isinstance(values[0], bytes):
        raise ValueError(
            f"In column {j}, the predefined categories have type 'bytes' which is incompatible with values of type "
            f"'{type(uniques.tolist()[0]).__name__}'."
        )
    if any(is_nan(value) for value in values[:-1]):
        raise ValueError(f"Nan should be the last element in user provided categories, see categories {given} in column #{j}")
    if len(set(values)) < len(values):
        raise ValueError(f"In column {j}, the predefined categories contain duplicate elements.")
    if given.dtype.kind in "fiu":
        present = given[:-1] if is_nan(values[-1]) else given
        if (np.sort(present) != present).any():
            raise ValueError("Unsorted categories are not supported for numerical categories")
    strange = [v for v, at in zip(uniques.tolist(), _levels.places(uniques, given)) if at < 0]
    if strange and refuses:
        raise ValueError(f"Found unknown categories {_listed(strange)} in column {j} during fit")
    return given
