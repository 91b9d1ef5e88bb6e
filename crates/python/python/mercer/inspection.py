"""Explanations of fitted estimators: which features matter, how a model depends on them, and what each of them adds to
a prediction.

`permutation_importance` and `partial_dependence` have scikit-learn's parameters and results and take every estimator of
Mercer's, pipelines included. `shap_values` and `shap_interaction_values` are exact (path-dependent TreeSHAP) and take
decision trees, forests, histogram boosters and pipelines that end in one of these. All of them run compiled, on all
cores, and stop on Ctrl-C.
"""

from __future__ import annotations

import numbers

import numpy as np

from mercer import _mercer
from mercer._base import Estimator, seed_of, threads_of
from mercer._scoring import scorers

__all__ = [
    "Explanation",
    "accumulated_local_effects",
    "partial_dependence",
    "permutation_importance",
    "shap_interaction_values",
    "shap_values",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal


class Bunch(dict):
    """A dict whose entries are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return [*super().__dir__(), *self]


def _fitted(estimator):
    """A fitted estimator of Mercer's: a search stands for its best one."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"{type(estimator).__name__} is no estimator of Mercer's; sklearn.inspection and the shap package take others"
        )
    estimator._model  # raises where there is none yet
    return estimator


def _weights(sample_weight, x):
    if sample_weight is None:
        return None
    from mercer._target import prepare_weights

    return prepare_weights(sample_weight, x)


def _names(model, feature_names=None):
    """The names of the features: those given, those of training, or x0, x1, …"""
    names = model.feature_names if feature_names is None else [str(name) for name in feature_names]
    return [f"x{j}" for j in range(model.n_features)] if names is None else names


def _place(feature, names):
    """The place of a feature that is given by place or name."""
    if isinstance(feature, str):
        if feature not in names:
            from difflib import get_close_matches

            near = get_close_matches(feature, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the features are {', '.join(names[:20])}"
            raise ValueError(f"there is no feature {feature!r}{hint}")
        return names.index(feature)
    if not isinstance(feature, numbers.Integral) or isinstance(feature, bool):
        raise TypeError(f"a feature is given by its name or its place, got {feature!r}")
    if not -len(names) <= feature < len(names):
        raise ValueError(f"feature {feature} is out of range: there are {len(names)} features")
    return int(feature) % len(names)


def _whole(name, value, least):
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}")
    return int(value)


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
) -> Bunch:
    """What the score of a fitted estimator loses when a feature is shuffled.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's that predicts a target.
    X : array, sparse matrix or frame
        Rows, best such that the estimator has not seen.
    y : array
        Their target.
    scoring : str, function, list or dict, default=None
        What is measured, as in `mercer.model_selection.cross_validate`; None is accuracy or R².
    n_repeats : int, default=5
        How often each feature is shuffled.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed of the shuffles; None is 0.
    sample_weight : array, default=None
        Weights of the rows in the score.

    Returns
    -------
    Bunch
        With ``importances`` (n_features × n_repeats), ``importances_mean`` and ``importances_std``; a dict of such by
        name where `scoring` names several.
    """
    estimator = _fitted(estimator)
    if estimator._mercer_task not in ("Classification", "Regression"):
        raise TypeError(f"{type(estimator).__name__} predicts no target that a score could compare")
    from mercer._target import prepare_known_target

    model, repeats = estimator._model, _whole("n_repeats", n_repeats, 1)
    x = estimator._prepare(X, "permutation_importance")
    data = x, prepare_known_target(estimator, y, model, x), _weights(sample_weight, x)
    session = seed_of(random_state), threads_of(n_jobs)

    def measured(scorer):
        metric = scorer.bind(estimator._mercer_task, model.classes)
        losses = _mercer.permutation_importance(model, data, metric, repeats, session)
        mean, std = losses.mean(axis=1), losses.std(axis=1)
        return Bunch(importances_mean=mean, importances_std=std, importances=losses)

    chosen = scorers(scoring, estimator._mercer_task)
    if isinstance(scoring, (dict, list, tuple, set)):
        return {name: measured(scorer) for name, scorer in chosen.items()}
    return measured(chosen["score"])


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
        A fitted estimator of Mercer's.
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
    for name, value, known in (
        ("method", method, ("auto", "brute")),
        ("kind", kind, ("average", "individual", "both")),
        ("response_method", response_method, ("auto", "predict_proba", "decision_function")),
    ):
        if value not in known:
            raise ValueError(f"`{name}` must be one of {', '.join(known)}, got {value!r}")
    estimator = _fitted(estimator)
    model = estimator._model
    if response_method != "auto" and model.classes is None:
        raise ValueError("`response_method` must be 'auto' for what is no classifier")
    names = _names(model, feature_names)
    single = isinstance(features, (str, numbers.Integral))
    places = [_place(feature, names) for feature in ([features] if single else list(features))]
    if not places or len(set(places)) < len(places):
        raise ValueError("`features` must name at least one feature, and none twice")
    x = estimator._prepare(X, "partial_dependence")
    chosen = {_place(feature, names): values for feature, values in (custom_values or {}).items()}
    for place in _places_of(categorical_features, names):
        if place in places and place not in chosen:
            values = _numbers_of(x, place)
            if values is not None:
                chosen[place] = np.unique(values[np.isfinite(values)])
    chosen = [(place, _listed(names[place], values)) for place, values in chosen.items()]
    low, high = percentiles
    how = _whole("grid_resolution", grid_resolution, 2), (float(low), float(high)), response_method, kind != "average"
    data = x, _weights(sample_weight, x)
    grids, means, curves, _ = _mercer.partial_dependence(model, data, places, how, chosen, threads_of(n_jobs))
    shape = tuple(len(grid) for grid in grids)
    kept = slice(1, None) if model.classes is not None and len(means) == 2 else slice(None)
    made = Bunch(grid_values=grids)
    if kind != "individual":
        made["average"] = means[kept].reshape(-1, *shape)
    if kind != "average":
        made["individual"] = curves[kept].reshape(-1, curves.shape[1], *shape)
    return made


def _places_of(features, names):
    """Places of features that are listed, or marked by truths."""
    features = [] if features is None else np.asarray(features).tolist()
    if features and all(isinstance(f, bool) for f in features):
        if len(features) != len(names):
            raise ValueError(f"`categorical_features` marks {len(features)} features, but there are {len(names)}")
        return [j for j, marked in enumerate(features) if marked]
    return [_place(feature, names) for feature in features]


def _numbers_of(x, place):
    """A column of prepared data as numbers; None where it is a category."""
    if isinstance(x, np.ndarray):
        return x[:, place]
    if x[0] == "matrix":
        return x[1][:, place]
    if x[0] == "table":
        return x[2][place][2] if x[2][place][1] == "number" else None
    raise ValueError("`categorical_features` needs dense rows")


def _listed(name, values):
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"the values for {name!r} must be one-dimensional, got {values.ndim} dimensions")
    return values.astype(np.float64).tolist() if values.dtype.kind in "fiub" else [str(v) for v in values.tolist()]


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
    estimator = _fitted(estimator)
    model = estimator._model
    place = _place(feature, _names(model, feature_names))
    x = estimator._prepare(X, "accumulated_local_effects")
    bins, threads = _whole("n_bins", n_bins, 1), threads_of(n_jobs)
    edges, effects, _ = _mercer.accumulated_effects(model, (x, _weights(sample_weight, x)), place, bins, threads)
    if model.classes is not None and len(effects) == 2:
        effects = effects[1:]
    return Bunch(grid_values=edges, effects=effects)


class Explanation:
    """What each feature adds to each prediction.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
        The Shapley values. A row's values and its base value add up to what the model says of it.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The mean over the training rows.
    data : ndarray or None
        The rows, where the features are the columns of `X`; a pipeline explains the features that it makes.
    feature_names : list of str
    output_names : list or None
        The classes whose probabilities or scores these are; None for numbers.
    explains : {"probabilities", "scores", "numbers"}
        What the values add up to: probabilities of trees and forests, decision values of boosted classifiers (raw scores
        of boosted regressors, before the link), predicted numbers.
    """

    def __init__(self, values, base_values, data, feature_names, output_names, explains):
        self.values = values
        self.base_values = base_values
        self.data = data
        self.feature_names = feature_names
        self.output_names = output_names
        self.explains = explains

    @property
    def shape(self):
        """The shape of the values."""
        return self.values.shape

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        data = None if self.data is None else self.data[rows]
        return Explanation(
            self.values[rows], self.base_values[rows], data, self.feature_names, self.output_names, self.explains
        )

    def __repr__(self):
        return f"<Explanation of {self.explains}: values of shape {self.shape}>"


def shap_values(estimator: Any, X: Any, *, n_jobs: int | None = None) -> Explanation:
    """Exact Shapley values of trees, forests and boosters, of ensembles that are sums of such, and of pipelines.

    Bagging, averages (`VotingRegressor`, soft `VotingClassifier`), gradient boosting and `AdaBoostClassifier` (its decision
    values) are sums; the weighted median of `AdaBoostRegressor` and counted votes are not.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's.
    X : array, sparse matrix or frame
        The rows to explain.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    Explanation

    References
    ----------
    - Lundberg, Erion, Lee. Consistent individualized feature attribution for tree ensembles. 2018. arXiv:1802.03888
    - Yu, Bifet, Read, Xu. Linear tree Shap. NeurIPS 2022. arXiv:2209.08192
    """
    estimator = _fitted(estimator)
    model = estimator._model
    x = estimator._prepare(X, "shap_values")
    values, base, names, explains = _mercer.contributions(model, x, threads_of(n_jobs))
    classes = None if model.classes is None else model.classes.tolist()
    if classes is not None and values.shape[2] == 1:
        # The score of two classes is that of the second.
        classes = classes[-1:]
    base = np.tile(base, (len(values), 1))
    if values.shape[2] == 1:
        values, base = values[:, :, 0], base[:, 0]
    data = _shown(X) if names == _names(model) else None
    return Explanation(values, base, data, names, classes, explains)


def _shown(X):
    """Rows as an array, as they are shown beside what they add."""
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def shap_interaction_values(estimator: Any, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """Exact Shapley interaction values of what `shap_values` explains.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's.
    X : array, sparse matrix or frame
        The rows to explain.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_samples, n_features, n_features) or (n_samples, n_features, n_features, n_outputs)
        Each row of a sample's matrix adds up to the Shapley value of its feature; off the diagonal stands half of what a
        pair does beyond its two features alone.
    """
    estimator = _fitted(estimator)
    x = estimator._prepare(X, "shap_interaction_values")
    values = _mercer.interactions(estimator._model, x, threads_of(n_jobs))
    return values[..., 0] if values.shape[-1] == 1 else values
