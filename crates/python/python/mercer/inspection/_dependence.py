"""How what an estimator says depends on features: partial dependence of any fitted estimator, accumulated local effects."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from mercer import _mercer
from mercer._base import threads_of
from mercer._checks import check_weights, is_sparse, n_rows
from mercer._scoring import kind_of, responses
from mercer._bunch import Bunch
from mercer.inspection._common import check_fitted, fitted, is_ours, names_of, place_of, weights_of, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal


def partial_dependence(
    estimator: Any,
    X: Any,
    features: Any,
    *,
    sample_weight: Any = None,
    categorical_features: Any = None,
    feature_names: Any = None,
    response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: dict | None = None,
    method: Literal["auto", "brute"] = "auto",
    kind: Literal["average", "individual", "both"] = "average",
    n_jobs: int | None = None,
) -> Bunch:
    """The mean of what a fitted estimator says when features are set to values, over the rows of `X`.

    Parameters
    ----------
    estimator : estimator
        A fitted regressor or classifier of scikit-learn's contract.
    X : array, sparse matrix or frame
        The rows that it is asked about.
    features : int, str, or list of them
        A feature by place or name; of several, all combinations of their values.
    sample_weight : array, default=None
        Weights of the rows in the mean.
    categorical_features : list of int, str or bool, default=None
        Numbers that are categories: all their values are looked at. Categories of frames are known.
    feature_names : list of str, default=None
        Names of the columns of `X`, where it carries none.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What a classifier is asked for; auto is probabilities where it gives them.
    percentiles : (float, float), default=(0.05, 0.95)
        Where the values of a feature begin and end.
    grid_resolution : int, default=100
        Values of each feature; a feature that has fewer is looked at in each of them.
    custom_values : dict, default=None
        Values by hand, by feature.
    method : {"auto", "brute"}, default="auto"
        Both ask the estimator about every row at every value, which is right for any estimator.
    kind : {"average", "individual", "both"}, default="average"
        The mean, the curve of each row, or both.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    Bunch
        With ``grid_values`` (an array for each feature), ``average`` (n_outputs × values of each feature) and
        ``individual`` (n_outputs × n_samples × values of each feature). Two classes have one output, that of the second.
    """
    estimator = getattr(estimator, "best_estimator_", estimator)
    check_fitted(estimator)
    _check_options(estimator, response_method, method, kind, sample_weight)
    if not (hasattr(X, "__array__") or is_sparse(X) or hasattr(X, "get_columns")):
        X = np.asarray(X, dtype=object)
        X = X.astype(np.float64) if all(not isinstance(v, str) for v in X.flat) else X
    asked = _Asked(X, features, feature_names, categorical_features, custom_values)
    asked.check_grid(percentiles, grid_resolution)
    wants = (response_method, kind != "average")
    ours = is_ours(estimator)
    made = _compiled(estimator, asked, sample_weight, (percentiles, grid_resolution), wants, n_jobs) if ours else None
    if made is None:
        made = _each(estimator, asked, sample_weight, (percentiles, grid_resolution), wants)
    grids, means, curves = made
    shape = tuple(len(grid) for grid in grids)
    out = Bunch(grid_values=grids)
    if kind != "individual":
        out["average"] = means.reshape(-1, *shape)
    if kind != "average":
        out["individual"] = curves.reshape(-1, n_rows(X), *shape)
    return out


def _check_options(estimator, response_method, method, kind, sample_weight):
    for name, value, known in (
        ("method", method, ("auto", "brute", "recursion")),
        ("kind", kind, ("average", "individual", "both")),
        ("response_method", response_method, ("auto", "predict_proba", "decision_function")),
    ):
        if value not in known:
            raise ValueError(f"The {name!r} parameter must be one of {', '.join(known)}. Got {value!r} instead.")
    is_a = kind_of(estimator)
    if is_a not in ("classifier", "regressor"):
        raise ValueError("'estimator' must be a fitted regressor or classifier.")
    if is_a == "classifier" and isinstance(estimator.classes_[0], np.ndarray):
        raise ValueError("Multiclass-multioutput estimators are not supported")
    if is_a == "regressor" and response_method != "auto":
        raise ValueError("The response_method parameter is ignored for regressors and must be 'auto'.")
    if method == "recursion":
        if kind != "average":
            raise ValueError("The 'recursion' method only applies when 'kind' is set to 'average'")
        if sample_weight is not None:
            raise ValueError("The 'recursion' method can only be applied when sample_weight is None.")
        if response_method == "predict_proba":
            raise ValueError(
                "With the 'recursion' method, the response_method must be 'decision_function'. Got predict_proba."
            )
        raise ValueError(
            "Only the following estimators support the 'recursion' method: none of those here. Try using method='brute'."
        )


class _Asked:
    """The features that are asked about: their places in the rows, which are categories, and values by hand."""

    def __init__(self, X, features, feature_names, categorical, custom_values):
        self.X = X
        if feature_names is None and hasattr(X, "columns"):
            feature_names = list(X.columns)
        names = [f"x{j}" for j in range(X.shape[1])] if feature_names is None else [str(name) for name in feature_names]
        if len(set(names)) < len(names):
            raise ValueError("feature_names should not contain duplicates.")
        self.names = names
        given = np.asarray(features, dtype=object if isinstance(features, (list, tuple)) else None)
        listed = given.ravel().tolist() if given.ndim else [given.item()]
        if listed and all(isinstance(f, (bool, np.bool_)) for f in listed):
            listed = np.flatnonzero(listed).tolist()
        self.listed, self.places = listed, [place_of(f, names) for f in listed]
        if not self.places or len(set(self.places)) < len(self.places):
            raise ValueError("`features` must name at least one feature, and none twice")
        marked = self._categories(categorical)
        self.categorical = [place in marked for place in self.places]
        self.custom, many = {}, {}
        for feature, values in (custom_values or {}).items():
            texts = any(isinstance(v, str) for v in values)
            self.custom[place_of(feature, names)] = np.asarray(values, dtype=object if texts else None)
            many[feature] = np.ndim(self.custom[place_of(feature, names)])
        if any(ndim != 1 for ndim in many.values()):
            listed = ", ".join(f"Feature {feature}: {ndim} dimensions" for feature, ndim in many.items() if ndim != 1)
            raise ValueError(f"The custom grid for some features is not a one-dimensional array. {listed}")

    def _categories(self, categorical):
        if categorical is None:
            return set()
        marked = np.asarray(categorical)
        if marked.size == 0:
            raise ValueError(
                "Passing an empty list (`[]`) to `categorical_features` is not supported. Use `None` instead to indicate that "
                "there are no categorical features."
            )
        if marked.dtype.kind == "b":
            if marked.size != len(self.names):
                raise ValueError(
                    "When `categorical_features` is a boolean array-like, the array should be of shape (n_features,). Got "
                    f"{marked.size} elements while `X` contains {len(self.names)} features."
                )
            return set(np.flatnonzero(marked).tolist())
        if marked.dtype.kind not in "iOU":
            raise ValueError(
                "Expected `categorical_features` to be an array-like of boolean, integer, or string. Got "
                f"{marked.dtype} instead."
            )
        return {place_of(feature, self.names) for feature in marked.tolist()}

    @staticmethod
    def check_grid(percentiles, places):
        """What is asked of the values looked at must make sense."""
        if not isinstance(percentiles, Iterable) or len(percentiles) != 2:
            raise ValueError("'percentiles' must be a sequence of 2 elements.")
        if not all(0 <= share <= 1 for share in percentiles):
            raise ValueError("'percentiles' values must be in [0, 1].")
        if percentiles[0] >= percentiles[1]:
            raise ValueError("percentiles[0] must be strictly less than percentiles[1].")
        if places <= 1:
            raise ValueError("'grid_resolution' must be strictly greater than 1.")

    def column(self, place):
        """The values of a column."""
        if hasattr(self.X, "iloc"):
            return self.X.iloc[:, place].to_numpy()
        if hasattr(self.X, "get_columns"):
            return self.X[self.X.columns[place]].to_numpy()
        values = self.X[:, [place]].toarray().ravel() if is_sparse(self.X) else self.X[:, place]
        return np.asarray(values)

    def grid(self, place, categorical, percentiles, places):
        """The values at which a feature is looked at."""
        if place in self.custom:
            return self.custom[place]
        values = self.column(place)
        try:
            known = np.unique(values)
        except TypeError as error:
            raise ValueError(
                f"The column #{place} contains mixed data types. Finding unique categories fail due to sorting. It usually "
                "means that the column contains `np.nan` values together with `str` categories. Such use case is not yet "
                "supported in scikit-learn."
            ) from error
        if categorical or len(known) < places:
            return known
        ends = _quantiles(values.astype(np.float64), percentiles)
        if np.allclose(*ends):
            raise ValueError(
                "percentiles are too close to each other, unable to build the grid. Please choose percentiles that are further "
                "apart."
            )
        return np.linspace(*ends, num=places)


def _quantiles(values, shares):
    """Quantiles at the plotting positions (k − 0.4)/(n + 0.2), as SciPy's `mquantiles` has them."""
    ordered = np.sort(values[~np.isnan(values)])
    at = np.asarray(shares) * (len(ordered) + 0.2) + 0.4 - 1
    low = np.clip(np.floor(at), 0, max(len(ordered) - 2, 0)).astype(np.int64)
    part = np.clip(at - low, 0, 1)
    high = np.minimum(low + 1, len(ordered) - 1)
    return (1 - part) * ordered[low] + part * ordered[high]


def _compiled(estimator, asked, sample_weight, grid, wants, n_jobs):
    """Grids, means and curves by the compiled part."""
    model, (percentiles, places), (response, individual) = estimator._model, grid, wants
    x = estimator._prepare(asked.X, "partial_dependence")
    chosen = []
    for place, categorical in zip(asked.places, asked.categorical):
        if place in asked.custom or categorical and asked.column(place).dtype.kind in "biuf":
            values = asked.grid(place, categorical, percentiles, places)
            chosen.append((place, _listed(values)))
    how = int(places), tuple(float(share) for share in percentiles), response, individual
    data = x, weights_of(sample_weight, x)
    grids, means, curves, _ = _mercer.partial_dependence(model, data, asked.places, how, chosen, threads_of(n_jobs))
    kept = slice(1, None) if model.classes is not None and len(means) == 2 else slice(None)
    return grids, means[kept], None if curves is None else curves[kept]


def _listed(values):
    return values.astype(np.float64).tolist() if values.dtype.kind in "fiub" else [str(v) for v in values.tolist()]


def _each(estimator, asked, sample_weight, grid, wants):
    """The same, with the estimator asked about all rows at each combination of values."""
    (percentiles, places), (response, individual) = grid, wants
    for place, feature, categorical in zip(asked.places, asked.listed, asked.categorical):
        if not categorical and asked.column(place).dtype.kind in "iu":
            raise ValueError(
                f"The column {feature!r} contains integer data. Partial dependence plots are not supported for integer data: "
                "this can lead to implicit rounding with NumPy arrays or even errors with newer pandas versions. Please "
                "convert numerical features to floating point dtypes ahead of time to avoid problems."
            )
    grids = [asked.grid(place, is_one, percentiles, places) for place, is_one in zip(asked.places, asked.categorical)]
    if response == "auto":
        response = "predict" if kind_of(estimator) == "regressor" else ("predict_proba", "decision_function")
    weights = check_weights(sample_weight, n_rows(asked.X))
    rows, said = _Settable(asked.X), []
    for values in product(*grids):
        for place, value in zip(asked.places, values):
            rows.set(place, value)
        said.append(np.asarray(responses(estimator, rows.X, response)))
    said = np.stack(said)
    # Combinations × rows, or × outputs.
    said = said[:, :, None] if said.ndim == 2 else said
    means = np.average(said, axis=1, weights=weights).T
    return grids, means, said.transpose(2, 1, 0) if individual else None


class _Settable:
    """A copy of rows, whose columns can be set to a value."""

    def __init__(self, X):
        self.X = X.copy() if hasattr(X, "copy") else X.clone()
        if is_sparse(self.X):
            self.X = self.X.tolil()

    def set(self, place, value):
        if hasattr(self.X, "iloc"):
            name = self.X.columns[place]
            self.X[name] = self.X[name].iloc[:0].reindex(self.X.index, fill_value=value) if _is_category(self.X[name]) else value
        elif hasattr(self.X, "get_columns"):
            from polars import lit

            self.X = self.X.with_columns(lit(value).alias(self.X.columns[place]))
        else:
            self.X[:, place] = value


def _is_category(column):
    return getattr(column.dtype, "name", "") == "category"


def accumulated_local_effects(
    estimator: Any,
    X: Any,
    feature: Any,
    *,
    sample_weight: Any = None,
    feature_names: Any = None,
    n_bins: int = 20,
    n_jobs: int | None = None,
) -> Bunch:
    """Accumulated local effects of a feature: like partial dependence, but only by rows that occur.

    Where features go together, partial dependence asks about rows that there are none of; these effects add up the mean
    changes of the prediction across narrow bins of the feature, over the rows within each.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's.
    X : array, sparse matrix or frame
        The rows that it is asked about.
    feature : int or str
        A feature of numbers, by place or name.
    sample_weight : array, default=None
        Weights of the rows.
    feature_names : list of str, default=None
        Names of the columns of `X`, where it carries none.
    n_bins : int, default=20
        Bins of about as many rows each.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    Bunch
        With ``grid_values``, the edges of the bins, and ``effects`` (n_outputs × edges), whose mean over the rows is 0.
        Two classes have one output, that of the second.

    References
    ----------
    - Apley, Zhu. Visualizing the effects of predictor variables. J. R. Stat. Soc. B 82(4), 2020.
    """
    estimator = fitted(estimator)
    model = estimator._model
    place = place_of(feature, names_of(model, feature_names))
    x = estimator._prepare(X, "accumulated_local_effects")
    bins, threads = whole("n_bins", n_bins, 1), threads_of(n_jobs)
    edges, effects, _ = _mercer.accumulated_effects(model, (x, weights_of(sample_weight, x)), place, bins, threads)
    if model.classes is not None and len(effects) == 2:
        effects = effects[1:]
    return Bunch(grid_values=edges, effects=effects)


