"""Encoders of levels, as scikit-learn has them."""

import numbers

from mercer._lazy import Lazy
from mercer._leveled import LevelsMixin, is_nan, n_present

np = Lazy("numpy")
_data = Lazy("mercer._data")
_levels = Lazy("mercer._levels")
_output = Lazy("mercer._output")

_RARE = "infrequent_sklearn"


class EncoderMixin(LevelsMixin):
    """One-hot and ordinal encoding."""

    @property
    def _one_hot(self):
        return hasattr(self, "sparse_output")

    @property
    def _missing_is_level(self):
        return self._one_hot

    def _plain(self, X):
        drop = getattr(self, "drop", None)
        return (drop is None or isinstance(drop, str)) and super()._plain(X)

    def _depends_on_rows(self):
        return self._one_hot and self.drop is not None and not isinstance(self.drop, str)

    def _fit_params(self, X):
        params = self._core_params()
        if self._one_hot and "_found" in self.__dict__:
            # Missing values are levels like any other here; what is handed on as missing is none of the given levels.
            params["missing"] = "zeros"
        if self._one_hot and self.drop is not None and not isinstance(self.drop, str):
            params["drop"], params["drop_levels"] = None, self._dropped_texts()
        return params

    def _core_params(self):
        params = super()._core_params()
        if self._one_hot:
            if params["handle_unknown"] == "warn":
                params["handle_unknown"] = "infrequent_if_exist"
        else:
            for name in ("unknown_value", "encoded_missing_value"):
                if is_nan(params[name]):
                    params[name] = None
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if not self._one_hot:
            self._check_numbers()
        try:
            made = super()._learn(fit, X, y, sample_weight, **extra)
        except ValueError as error:
            if "drop_levels" not in str(error):
                raise
            # All levels to drop are known to be there, so that what is refused is rare.
            level = str(error).rpartition("Got ")[2].removesuffix(" instead.")
            at = [j for j, dropped in enumerate(self.drop) if str(dropped) == level]
            raise ValueError(
                f"Unable to drop category {self.drop[at[0]]!r} from feature {at[0]} because it is infrequent"
            ) from None
        if not self._one_hot and not self._passes:
            self._check_free()
        return made

    def _dropped_texts(self):
        """The text of the level of each column that is dropped."""
        found = self.__dict__["_found"]
        if len(self.drop) != len(found):
            raise ValueError(
                f"`drop` should have length equal to the number of features ({len(found)}), got {len(self.drop)}"
            )
        texts, wrong = [], []
        for j, (categories, dropped) in enumerate(zip(found, self.drop)):
            at = [i for i, v in enumerate(categories.tolist()) if v == dropped or is_nan(v) and is_nan(dropped)]
            if at:
                texts.append(_levels.texts_of(categories)[at[0]])
            else:
                wrong.append(f"Category: {dropped}, Feature: {j}")
        if wrong:
            listed = "\n".join(wrong)
            raise ValueError(
                "The following categories were supposed to be dropped, but were not found in the training data.\n" + listed
            )
        return texts

    # Ordinal numbers

    def _check_numbers(self):
        """scikit-learn's checks of the numbers that unseen and missing levels get."""
        known = self.handle_unknown == "use_encoded_value"
        if known and not (is_nan(self.unknown_value) or isinstance(self.unknown_value, numbers.Integral)):
            raise TypeError(
                "unknown_value should be an integer or np.nan when handle_unknown is 'use_encoded_value', got "
                f"{self.unknown_value}."
            )
        if known and is_nan(self.unknown_value) and np.dtype(self.dtype).kind != "f":
            raise ValueError(
                f"When unknown_value is np.nan, the dtype parameter should be a float dtype. Got {self.dtype}."
            )
        if not known and self.unknown_value is not None:
            raise TypeError(
                f"unknown_value should only be set when handle_unknown is 'use_encoded_value', got {self.unknown_value}."
            )

    def _check_free(self):
        rare = self._model.attributes()["rare_levels_"]
        sizes = [n_present(c) - len(r) + bool(len(r)) for c, r in zip(self.categories_, rare)]
        missing = [j for j, c in enumerate(self.categories_) if n_present(c) < len(c)]
        value = self.encoded_missing_value
        absent = value is None or is_nan(value)
        if self.handle_unknown == "use_encoded_value" and not is_nan(self.unknown_value):
            if any(0 <= self.unknown_value < size for size in sizes):
                self._forget()
                raise ValueError(
                    f"The used value for unknown_value {self.unknown_value} is one of the values already used for encoding "
                    "the seen categories."
                )
        if missing and absent and np.dtype(self.dtype).kind != "f":
            self._forget()
            raise ValueError(
                f"There are missing values in features {missing}. For OrdinalEncoder to encode missing values with dtype: "
                f"{self.dtype}, set encoded_missing_value to a non-nan value, or set dtype to a float dtype"
            )
        taken = [j for j in missing if not absent and 0 <= value < sizes[j]]
        if taken:
            self._forget()
            raise ValueError(
                f"encoded_missing_value ({value}) is already used to encode a known category in features: {taken}"
            )

    def _forget(self):
        for name in ("_model", "categories_", "feature_names_in_"):
            self.__dict__.pop(name, None)

    # Results

    def transform(self, X):
        """Encode rows.

        Returns
        -------
        ndarray, sparse matrix or data frame
            As `set_output` asks, of type `dtype`.
        """
        model = self._model
        try:
            rows = model.transform(self._prepare(X, "transform"))
        except ValueError as error:
            if "not seen in training" in str(error) and "categories_" in self.__dict__:
                self._check_unseen([_levels.factorized(column) for column in _levels.columns_of(self, X)[0]])
            raise
        return _output.transformed(self, rows, X, dtype=self.dtype)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        names = _output.input_names(self, input_features)
        if self._passes:
            return _output.names_out(self, input_features)
        if not self._one_hot:
            return names
        combine = self.feature_name_combiner
        if combine == "concat":
            combine = "{}_{}".format
        elif not callable(combine):
            from mercer._exceptions import invalid_parameter

            raise invalid_parameter(self, "feature_name_combiner", "a str among {'concat'} or a callable")
        out = []
        for name, levels in zip(names, self._columns_out()):
            for level in levels:
                made = combine(name, level)
                if not isinstance(made, str):
                    raise TypeError(
                        "When `feature_name_combiner` is a callable, it should return a Python string. Got "
                        f"{type(made)}."
                    )
                out.append(made)
        return np.asarray(out, dtype=object)

    def _columns_out(self):
        """The levels of the columns that come out of each column, the rare ones last."""
        rare, dropped = (self._model.attributes()[name] for name in ("rare_levels_", "dropped_levels_"))
        for j, categories in enumerate(self.categories_):
            few = set(rare[j].tolist())
            levels = [(i, v) for i, v in enumerate(categories.tolist()) if i not in few]
            levels += [(len(categories), _RARE)] if few else []
            yield [v for i, v in levels if i != dropped[j]]

    @property
    def drop_idx_(self):
        """The place of the dropped level of each column, None where there is none."""
        if not self._one_hot:
            raise AttributeError("'OrdinalEncoder' object has no attribute 'drop_idx_'")
        dropped = self._model.attributes()["dropped_levels_"].tolist()
        if self.drop is None:
            return None
        rare = self._model.attributes()["rare_levels_"]
        places = [None if d < 0 else d if d < len(c) else int(r[0]) for d, c, r in zip(dropped, self.categories_, rare)]
        return np.asarray(places, dtype=object)

    def inverse_transform(self, X):
        """The levels that are encoded so; None where there is none."""
        model = self._model
        if self._passes or "categories_" not in self.__dict__:
            return super().inverse_transform(X)
        width = len(self.get_feature_names_out()) if self._one_hot else len(self.categories_)
        if not self._one_hot and _data.is_sparse(X):
            raise TypeError(
                "Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array."
            )
        rows = _data.prepare_plain(self, X)
        got = rows[4] if isinstance(rows, tuple) else rows.shape[1]
        if got != width:
            raise ValueError(f"Shape of the passed X data is not correct. Expected {width} columns, got {got}.")
        made = model.inverse_transform(rows)
        n = made.shape[0] if isinstance(made, np.ndarray) else made[1]
        columns = [self._levels_back(made, rows, j) for j in range(len(self.categories_))]
        unknown = np.column_stack([absent for _, absent in columns]) if n else np.zeros((0, 1), dtype=bool)
        if self._one_hot and self.handle_unknown == "error" and unknown.any():
            bad = np.flatnonzero(unknown.any(axis=1))
            raise ValueError(
                f"Samples {bad} can not be inverted when drop={self.drop} and handle_unknown='error' because they contain "
                "all zeros"
            )
        kinds = [values.dtype for values, _ in columns]
        mixed = unknown.any() or any(k.kind == "O" for k in kinds) and len({k.kind for k in kinds}) > 1
        out = np.empty((n, len(columns)), dtype=object if mixed else np.result_type(*kinds))
        for j, (values, absent) in enumerate(columns):
            out[:, j] = values
            if absent.any():
                out[absent, j] = None
        return out

    def _levels_back(self, made, rows, j):
        """The levels of one column, and where there is none."""
        categories = self.categories_[j]
        if isinstance(made, np.ndarray):
            codes = np.searchsorted(categories, made[:, j]) if len(categories) else np.zeros(len(made), dtype=int)
            absent = np.isnan(made[:, j])
            rare = self._model.attributes()["rare_levels_"][j]
            codes = np.where(absent, 0, np.minimum(codes, len(categories) - 1))
            if len(rare):
                return self._with_rare(rows, j, categories, codes, absent)
            return categories[codes], absent
        codes = made[2][j][2].astype(np.int64)
        kept = len(categories) if self._missing_is_level else n_present(categories)
        missing = codes > kept
        if kept < len(categories):
            # What is missing has a number of its own, or is NaN; any other number is unknown.
            given = rows[:, j]
            value = self.encoded_missing_value
            told = np.isnan(given) if value is None or is_nan(value) else given == value
            table = np.append(categories, categories[-1:])
            return table[np.where(told, len(categories) - 1, np.minimum(codes, kept))], missing & ~told
        if (codes == kept).any():
            table = np.empty(kept + 1, dtype=object)
            table[:kept], table[kept] = categories, _RARE
            return table[np.minimum(codes, kept)], missing
        return categories[np.where(missing, 0, codes)], missing

    def _with_rare(self, rows, j, categories, codes, absent):
        """Levels of numbers of which some are too rare: the compiled part has no number for them."""
        starts = np.cumsum([0, *(len(levels) for levels in self._columns_out())]) if self._one_hot else None
        out = categories[codes].astype(object)
        if self._one_hot:
            dense = rows if isinstance(rows, np.ndarray) else _dense(rows)
            rare = absent & (dense[:, starts[j] : starts[j + 1]].any(axis=1))
        else:
            rare = absent & ~np.isnan(rows[:, j])
        out[rare] = _RARE
        return out, absent & ~rare


def _dense(rows):
    from scipy.sparse import csr_matrix

    _, indptr, indices, values, width, _ = rows
    return csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, width)).toarray()


class TargetEncoderMixin(LevelsMixin):
    """Target encoding."""

    def _core_params(self):
        params = super()._core_params()
        whole = isinstance(params["cv"], numbers.Integral)
        return {**params, "cv": params["cv"] if whole else None, "shuffle": params["shuffle"] is not False}

    def _seed(self):
        return 0 if self.random_state == "deprecated" else super()._seed()

    def _prepare_target(self, y, x):
        from mercer._target import prepare_numbers_or_classes

        target, dtype, kind = prepare_numbers_or_classes(self, y, x)
        self.__dict__["target_type_"] = kind
        return target, dtype

    @property
    def classes_(self):
        """The classes of the target; None where it is numbers."""
        return self._model.classes

    @property
    def target_mean_(self):
        """The mean of the target, for each class where there are more than two."""
        means = self._model.attributes()["target_mean_"]
        return means if self.target_type_ == "multiclass" else float(means[0])

    @property
    def encodings_(self):
        """What each level of each column becomes, for each class."""
        found = self._model.attributes()["encodings_"]
        k = len(found) // len(self.categories_)
        return [own[: len(self.categories_[i // k])] for i, own in enumerate(found)]

    def fit_transform(self, X, y, **fit_params):
        """Learn, and encode the same rows out of fold: by folds of `cv`, a number of them or a splitter."""
        if isinstance(self.cv, numbers.Integral):
            return super().fit_transform(X, y, **fit_params)
        from mercer._splits import check_cv

        self._fit(X, y)
        target = np.asarray(y)
        made = np.zeros((len(target), len(self.get_feature_names_out())))
        seen = np.zeros(len(target), dtype=int)
        splitter = check_cv(self.cv, target, classifier=self.target_type_ != "continuous")
        for train, test in splitter.split(X, target):
            part = type(self)(**{**self.get_params(deep=False), "categories": self.categories_, "target_type": self.target_type_})
            part.fit(_rows_of(X, train), target[train])
            answers = part.set_output(transform="default").transform(_rows_of(X, test))
            seen[test] += 1
            if self.target_type_ != "multiclass" or len(part.classes_) == len(self.classes_):
                made[test] = answers
            else:
                width, own = len(self.classes_), np.searchsorted(self.classes_, part.classes_)
                for j in range(len(self.categories_)):
                    block = answers[:, j * len(own) : (j + 1) * len(own)]
                    made[np.ix_(test, j * width + own)] = block
        if (seen != 1).any():
            raise ValueError(
                "Validation indices from `cv` must cover each sample index exactly once with no overlap. Pass a splitter "
                "with non-overlapping validation folds as `cv` or refer to the docs for other options."
            )
        return _output.transformed(self, made, X)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        names = _output.input_names(self, input_features)
        if self.target_type_ != "multiclass":
            return names
        return np.asarray([f"{name}_{label}" for name in names for label in self.classes_], dtype=object)


def _rows_of(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows] if hasattr(X, "shape") else [X[i] for i in rows]
