"""Columns apart, in Python: each step on its columns, the results side by side."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mercer import _frames, _mercer
from mercer._checks import is_sparse, n_rows
from mercer._columns import KINDS, is_empty, is_one, kind_of_key, names_of, of_kind, places, take_columns
from mercer._output import container_of, frame
from mercer._parts import check_names, hand_on_output, refuse_classes, timed
from mercer._rows import clone

WORDS = ("drop", "passthrough")


def is_word(step, word=None):
    """Whether a step is "drop" or "passthrough"."""
    return isinstance(step, str) and (step in WORDS if word is None else step == word)


class Unchanged:
    """A step that lets columns through."""

    def fit(self, X, y=None):
        """Nothing is learnt."""
        return self

    def transform(self, X):
        """The columns as they are, or as `set_output` asks."""
        container = getattr(self, "_container", "default")
        kinds = {"pandas": "iloc", "polars": "get_columns"}
        if container == "default" or hasattr(X, kinds[container]):
            return X
        names = names_of(X) or [f"x{j}" for j in range(X.shape[1])]
        table = X.toarray() if is_sparse(X) else np.asarray(X)
        return frame(container, names, [table[:, j] for j in range(table.shape[1])], X)

    def set_output(self, *, transform=None):
        """Frames of which library come out."""
        if transform is not None:
            self._container = transform
        return self

    def get_feature_names_out(self, input_features=None):
        """The names that went in."""
        return input_features

    def get_params(self, deep=True):
        """It has no parameters."""
        return {}

    def __sklearn_is_fitted__(self):
        return True

    def __repr__(self):
        return "Unchanged()"


def check(owner):
    """Refuses steps that cannot transform."""
    if not isinstance(owner.transformers, (list, tuple)) or any(
        not isinstance(step, (list, tuple)) or len(step) != 3 for step in owner.transformers
    ):
        raise TypeError("`transformers` must be a list of (name, estimator, columns)")
    check_names(owner, [name for name, _, _ in owner.transformers])
    refuse_classes(step for _, step, _ in owner.transformers)
    for _, step, _ in owner.transformers:
        fits = hasattr(step, "fit") or hasattr(step, "fit_transform")
        if not is_word(step) and not (fits and hasattr(step, "transform")):
            raise TypeError(
                "All estimators should implement fit and transform, or can be 'drop' or 'passthrough' specifiers. "
                f"'{step}' (type {type(step)}) doesn't."
            )


def table_of(X):
    """Rows whose columns can be taken."""
    if is_sparse(X) or _frames.adapter(X) is not None:
        return X
    X = X if hasattr(X, "__array__") else np.asarray(X, dtype=object)
    return np.asarray(X)


def as_others(owner, left, whole):
    """The columns that are left, in the kind in which all steps of a whole say theirs."""
    try:
        kinds = {kind_of_key(key) for _, _, key in owner.transformers}
    except ValueError:
        return left
    if kinds == {"str"} and getattr(whole, "feature_names_in_", None) is not None:
        return list(whole.feature_names_in_[left])
    return [j in left for j in range(whole.n_features_in_)] if kinds == {"bool"} else left


def parts_of(owner, model):
    """The fitted steps of a compiled whole with their columns, and the place of each in what comes out."""
    names, keys = getattr(owner, "feature_names_in_", None), {name: (step, key) for name, step, key in owner._named()}
    taken = [list(columns) for columns in model.attributes()["columns_"]]
    steps, places, start = [], {}, 0
    for (name, part), columns in zip(_mercer.parts(model), taken):
        step, key = keys[name]
        own = clone(step)
        own._adopt(part, None if names is None else np.asarray(columns, dtype=object))
        steps.append((name, own, key))
        first = places[name].start if name in places else start
        start += len(part.names_out())
        places[name] = slice(first, start)
    for name, (step, key) in keys.items():
        if name not in places:
            steps.append((name, clone(step), key))
    order = list(keys)
    steps.sort(key=lambda one: order.index(one[0]))
    every = list(names) if names is not None else [f"x{j}" for j in range(owner.n_features_in_)]
    used = {column for columns in taken[: len(_mercer.parts(model))] for column in columns}
    left = [j for j, name in enumerate(every) if name not in used]
    passes = is_word(owner.remainder, "passthrough")
    if left:
        rest = Unchanged().set_output(transform=container_of(owner)) if passes else owner.remainder
        steps.append(("remainder", rest, as_others(owner, left, owner)))
    places["remainder"] = slice(start, start + len(left)) if passes else slice(0, 0)
    return steps, {name: places.get(name, slice(0, 0)) for name in (*order, "remainder")}


class Columns:
    """A fitted transformer of columns.

    Parameters
    ----------
    owner : ColumnTransformer
        Whose parameters it follows.
    """

    def __init__(self, owner):
        self.owner = owner

    # Learning

    def fit_transform(self, X, y=None):
        """Fits a copy of each step on its columns: the results side by side."""
        adapter = _frames.adapter(X)
        names = _frames.feature_names(adapter.names) if adapter is not None else None
        X = table_of(X)
        if len(X.shape) != 2:
            raise ValueError(f"Expected 2D array, got {len(X.shape)}D array instead")
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = X.shape[1]
        check(self.owner)
        self._choose(X)
        made = self._fit_steps(X, y)
        self._find_sparse(made)
        self._check_made(made)
        self._note_places(made)
        return self._beside(made, X)

    def _choose(self, X):
        """Which columns each step takes, and which are left."""
        self._chosen, self._places = [], {}
        taken = set()
        for name, _, key in self.owner.transformers:
            key = key(X) if callable(key) else key
            if isinstance(key, str) and key not in (names_of(X) or ()) and key in (*KINDS, "rest"):
                key = [j for j in range(X.shape[1]) if j not in taken] if key == "rest" else of_kind(X, key)
            self._chosen.append(key)
            self._places[name] = places(X, key)
            taken |= set(self._places[name])
        left = sorted(set(range(X.shape[1])) - taken)
        self._places["remainder"] = left
        self._remainder = ("remainder", self.owner.remainder, as_others(self.owner, left, self))

    def _fit_steps(self, X, y):
        steps = [(name, step, key) for (name, step, _), key in zip(self.owner.transformers, self._chosen)]
        if self._places["remainder"]:
            steps.append(self._remainder)
        used = [name for name, step, key in steps if not is_word(step, "drop") and not is_empty(key)]
        self.transformers_, made = [], []
        for name, step, key in steps:
            if not is_word(step, "drop") and not is_empty(key):
                if is_word(step, "passthrough"):
                    step = Unchanged().set_output(transform=container_of(self.owner))
                else:
                    step = clone(step)
                at = f"({len(made) + 1} of {len(used)}) Processing {name}" if self.owner.verbose else None
                with timed("ColumnTransformer", at):
                    made.append(self._run(step, take_columns(X, self._places[name], is_one(key)), name, y, fitting=True))
            self.transformers_.append((name, step, key))
        return made

    def _run(self, step, X, name, y=None, fitting=False):
        """What a step makes of its columns, by its weight."""
        try:
            if not fitting:
                made = step.transform(X)
            elif hasattr(step, "fit_transform"):
                made = step.fit_transform(X, y)
            else:
                made = step.fit(X, y).transform(X)
        except ValueError as error:
            if "Expected 2D array, got 1D array instead" in str(error):
                raise ValueError(
                    "1D data passed to a transformer that expects 2D data. Try to specify the column selection as a list of one "
                    "item instead of a scalar."
                ) from error
            raise
        weight = (self.owner.transformer_weights or {}).get(name)
        return made if weight is None else made * weight

    def _find_sparse(self, made):
        size = sum(part.shape[0] * part.shape[1] for part in made if len(getattr(part, "shape", ())) == 2)
        filled = sum(part.nnz if is_sparse(part) else np.prod(getattr(part, "shape", 0)) for part in made)
        sparse = any(is_sparse(part) for part in made)
        self.sparse_output_ = bool(sparse and size and filled / size < self.owner.sparse_threshold)

    def _used(self):
        """The steps that make columns."""
        return [(name, step) for name, step, key in self.transformers_ if not is_word(step, "drop") and not is_empty(key)]

    def _check_made(self, made):
        for (name, _), part in zip(self._used(), made):
            if not (getattr(part, "ndim", 0) == 2 or _frames.adapter(part) is not None):
                raise ValueError(
                    f"The output of the '{name}' transformer should be 2D (numpy array, scipy sparse array, dataframe)."
                )
            if container_of(self.owner) != "pandas" and hasattr(part, "dtypes") and hasattr(part, "iloc"):
                self._refuse_na(name, part)

    def _refuse_na(self, name, part):
        import pandas as pd

        for own, dtype in part.dtypes.to_dict().items():
            if getattr(dtype, "na_value", None) is pd.NA and pd.NA in part[own].values:
                raise ValueError(
                    f"The output of the '{name}' transformer for column '{own}' has dtype {dtype} and uses pandas.NA to represent "
                    "null values. Storing this output in a numpy array can cause errors in downstream scikit-learn estimators, and "
                    "inefficiencies. To avoid this problem you can (i) store the output in a pandas DataFrame by using "
                    f"{type(self.owner).__name__}.set_output(transform='pandas') or (ii) modify the input data or the '{name}' "
                    "transformer to avoid the presence of pandas.NA (for example by using pandas.DataFrame.astype)."
                )

    def _note_places(self, made):
        self.output_indices_, start = {}, 0
        for (name, _), part in zip(self._used(), made):
            self.output_indices_[name] = slice(start, start + part.shape[1])
            start += part.shape[1]
        for name in (*(step[0] for step in self.owner.transformers), "remainder"):
            self.output_indices_.setdefault(name, slice(0, 0))

    # Answers

    def transform(self, X):
        """The results of all steps side by side."""
        X = table_of(X)
        names, known = names_of(X), getattr(self, "feature_names_in_", None)
        if known is not None and names is not None:
            used = {known[j] for name, _ in self._used() for j in self._places[name]}
            missing = used - set(names)
            if missing:
                raise ValueError(f"columns are missing: {missing}")
        elif any(kind_of_key(key) == "str" for key in self._chosen):
            raise ValueError("Specifying the columns using strings is only supported for dataframes.")
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self.owner).__name__} is expecting {self.n_features_in_} features as input."
            )
        keys = {name: key for name, _, key in self.transformers_}
        made = []
        for name, step in self._used():
            at = self._places[name]
            at = [names.index(known[j]) for j in at] if known is not None and names is not None else at
            made.append(self._run(step, take_columns(X, at, is_one(keys[name])), name))
        self._check_made(made)
        return self._beside(made, X)

    def _beside(self, made, X):
        container = container_of(self.owner)
        if not made:
            return np.zeros((n_rows(X), 0))
        if self.sparse_output_:
            from scipy.sparse import hstack

            try:
                return hstack([part if is_sparse(part) else np.asarray(part, dtype=float) for part in made]).tocsr()
            except ValueError as error:
                raise ValueError("For a sparse output, all columns should be a numeric or convertible to a numeric.") from error
        made = [part.toarray() if is_sparse(part) else part for part in made]
        attribute = {"pandas": "iloc", "polars": "get_columns"}.get(container)
        if attribute is not None and all(hasattr(part, attribute) for part in made):
            return self._joined(container, made, X)
        made = np.hstack(made)
        if container == "default":
            return made
        return frame(container, list(self.names_out()), [made[:, j] for j in range(made.shape[1])], X)

    def _joined(self, container, made, X):
        self._frame_names = np.concatenate([np.asarray(names_of(part), dtype=object) for part in made])
        marked = [[f"{i}_{j}" for j in range(part.shape[1])] for i, part in enumerate(made)]
        if container == "pandas":
            import pandas as pd

            joined = pd.concat([part.set_axis(names, axis=1) for part, names in zip(made, marked)], axis=1)
        else:
            import polars as pl

            joined = pl.concat([part.rename(dict(zip(part.columns, names))) for part, names in zip(made, marked)], how="horizontal")
        if joined.shape[0] != n_rows(X):
            raise ValueError(
                "Concatenating DataFrames from the transformer's output lead to an inconsistent number of samples. The output may "
                "have Pandas Indexes that do not match, or that transformers are returning number of samples which are not the "
                "same as the number input samples."
            )
        joined.columns = list(self.names_out())
        return joined

    # Names

    @property
    def named_transformers_(self):
        """The fitted steps by name."""
        from mercer._bunch import Bunch

        return Bunch((name, step) for name, step, _ in self.transformers_)

    def names_out(self, input_features=None):
        """The names of the columns that come out."""
        known = getattr(self, "feature_names_in_", None)
        if input_features is None:
            given = known if known is not None else np.asarray([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        else:
            given = np.asarray(input_features, dtype=object)
            if known is not None and not np.array_equal(known, given):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(given)}"
                )
        parts = [(name, self._names_of(name, step, given[self._places[name]])) for name, step in self._used()]
        return self._marked([(name, own) for name, own in parts if own is not None])

    def _names_of(self, name, step, given):
        if hasattr(step, "get_feature_names_out"):
            return step.get_feature_names_out(given)
        if hasattr(self, "_frame_names"):
            return self._frame_names[self.output_indices_[name]]
        raise AttributeError(f"Transformer {name} (type {type(step).__name__}) does not provide get_feature_names_out.")

    def _marked(self, parts):
        """Names with those of their steps, as `verbose_feature_names_out` asks."""
        how = self.owner.verbose_feature_names_out
        if how is True:
            how = "{transformer_name}__{feature_name}"
        if isinstance(how, str):
            text = how
            how = lambda step, name: text.format(transformer_name=step, feature_name=name)  # noqa: E731
        if callable(how):
            return np.asarray([how(step, name) for step, names in parts for name in names], dtype=object)
        names = [name for _, own in parts for name in own]
        twice = sorted(name for name, count in Counter(names).most_common(6) if count > 1)
        if twice:
            listed = f"{str(twice[:5])[:-1]}, ...]" if len(twice) == 6 else str(twice)
            raise ValueError(
                f"Output feature names: {listed} are not unique. Please set verbose_feature_names_out=True to add prefixes to "
                "feature names"
            )
        return np.asarray(names, dtype=object)


def set_output(owner, transform):
    """Says to all steps what `set_output` asks of the whole."""
    steps = [*owner.transformers, *getattr(owner.__dict__.get("_whole"), "transformers_", ())]
    parts = [step for _, step, _ in steps if not is_word(step)]
    hand_on_output(parts if is_word(owner.remainder) else [*parts, owner.remainder], transform)
