"""Boosting on histograms: which columns hold categories, said in scikit-learn's ways."""

from __future__ import annotations


class CategoricalMixin:
    """Columns that hold categories, by mask, place, name, or the types of a frame (`categorical_features`)."""

    _door_meant = frozenset({"categorical_features"})

    def _levels_wanted(self, X):
        """Which columns are to be read as categories while learning; None leaves it to their types."""
        import numpy as np

        chosen = _categories_of(self.categorical_features, X)
        if chosen is None:
            return None
        width = len(chosen)
        monotone = self.monotonic_cst
        signs = np.asarray(monotone) if isinstance(monotone, (list, tuple, np.ndarray)) else np.zeros(width)
        if len(signs) == width and np.any(chosen & (signs != 0)):
            raise ValueError("Categorical features cannot have monotonic constraints.")
        return chosen

    @property
    def is_categorical_(self):
        """Which columns hold categories; None where none does."""
        import numpy as np

        marks = np.asarray(self._model.categorical)
        return marks if marks.any() else None


def _categories_of(given, X):
    """A mask of the columns that `categorical_features` names; None leaves it to their types."""
    import numpy as np

    from mercer._checks import is_sparse
    from mercer._columns import names_of

    if isinstance(given, str) and given == "from_dtype":
        return None
    width = X.shape[1] if hasattr(X, "shape") else np.asarray(X, dtype=object).shape[1]
    chosen = _mask(given, width, names_of(X))
    if is_sparse(X) and chosen.any():
        raise TypeError("`categorical_features` is for dense rows: a sparse column has no missing categories")
    return chosen


def _mask(given, width, names):
    """A mask of the columns that `categorical_features` names, refused in scikit-learn's words."""
    import numpy as np

    if given is None or np.size(given) == 0:
        return np.zeros(width, dtype=bool)
    given = np.asarray(given)
    kinds = {type(one).__name__ for one in given} if given.dtype.kind == "O" else {given.dtype.name}
    if given.dtype.kind not in "ibUO" or given.dtype.kind == "O" and kinds != {"str"}:
        raise ValueError(
            f"categorical_features must be an array-like of bool, int or str, got: {', '.join(sorted(kinds))}."
        )
    if given.dtype.kind == "b":
        if given.shape != (width,):
            raise ValueError(
                f"categorical_features set as a boolean mask must have shape (n_features,), got: {given.shape}"
            )
        return given
    if given.dtype.kind in "UO":
        if names is None:
            raise ValueError(
                "categorical_features should be passed as an array of integers or as a boolean mask when the model is fitted on "
                "data without feature names."
            )
        for name in given:
            if name not in names:
                raise ValueError(
                    f"categorical_features has an item value '{name}' which is not a valid feature name of the training data. "
                    f"Observed feature names: {names}"
                )
        given = np.array([names.index(name) for name in given])
    if given.max() >= width or given.min() < 0:
        raise ValueError("categorical_features set as integer indices must be in [0, n_features - 1]")
    return np.isin(np.arange(width), given)
