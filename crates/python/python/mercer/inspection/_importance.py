"""Permutation importance of any fitted estimator: compiled where estimator and metrics are Mercer's, with the same shuffles
and results otherwise."""

from __future__ import annotations

import numbers

import numpy as np

from mercer import _mercer
from mercer._base import seed_of, threads_of
from mercer._checks import check_lengths, is_sparse, plain
from mercer._folds import metrics_of
from mercer._rows import take
from mercer._scoring import MultiScorer, check_scoring, kind_of
from mercer._bunch import Bunch
from mercer.inspection._common import is_ours, weights_of, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    max_samples: int | float = 1.0,
) -> Bunch:
    """What the score of a fitted estimator loses when a feature is shuffled.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of scikit-learn's contract that predicts a target.
    X : array or frame
        Rows, best such that the estimator has not seen.
    y : array
        Their target.
    scoring : str, function, list or dict, default=None
        What is measured, as in `mercer.model_selection.cross_validate`; None is the estimator's own score.
    n_repeats : int, default=5
        How often each feature is shuffled.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed of the shuffles; None is 0.
    sample_weight : array, default=None
        Weights of the rows in the score.
    max_samples : int or float, default=1.0
        How many rows each feature is scored on, as a number or a share, drawn anew for each.

    Returns
    -------
    Bunch
        With ``importances`` (n_features × n_repeats), ``importances_mean`` and ``importances_std``; a dict of such by
        name where `scoring` names several.
    """
    repeats = whole("n_repeats", n_repeats, 1)
    estimator = getattr(estimator, "best_estimator_", estimator)
    scorer = check_scoring(estimator, scoring)
    seed = seed_of(random_state)
    if not hasattr(X, "iloc") and not is_sparse(X) and not hasattr(X, "get_columns"):
        X = plain(X)
    n = X.shape[0]
    rows = int(max_samples * n) if not isinstance(max_samples, numbers.Integral) else int(max_samples)
    if rows > n:
        raise ValueError("max_samples must be <= n_samples")
    check_lengths(X, y, sample_weight)
    found = None
    if rows == n and is_ours(estimator) and kind_of(estimator) in ("classifier", "regressor"):
        found = _compiled(estimator, scorer, X, y, sample_weight, repeats, (seed, threads_of(n_jobs)))
    if found is None:
        found = _each(estimator, scorer, X, y, sample_weight, repeats, seed, rows)
    made = {name: _bunch(losses) for name, losses in found.items()}
    return made if isinstance(scorer, MultiScorer) or "score" not in made else made["score"]


def _bunch(losses):
    return Bunch(importances_mean=losses.mean(axis=1), importances_std=losses.std(axis=1), importances=losses)


def _compiled(estimator, scorer, X, y, sample_weight, repeats, session):
    """The losses of each metric by the compiled part; None where a metric is not its."""
    metrics = metrics_of(scorer)
    if metrics is None:
        return None
    from mercer._target import prepare_known_target

    x = estimator._prepare(X, "permutation_importance")
    data = x, prepare_known_target(estimator, y, estimator._model, x), weights_of(sample_weight, x)
    measured = lambda one: _mercer.permutation_importance(estimator._model, data, one.metric, repeats, session)  # noqa: E731
    return {name: measured(one) for name, one in metrics.items()}


def _each(estimator, scorer, X, y, sample_weight, repeats, seed, rows):
    """The losses one score after the other."""
    if is_sparse(X):
        raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
    weighted = lambda part: {} if sample_weight is None else {"sample_weight": take(sample_weight, part)}  # noqa: E731
    everything = np.arange(X.shape[0])
    base = _named(scorer(estimator, X, y, **weighted(everything)))
    losses = {name: np.empty((X.shape[1], repeats)) for name in base}
    less = {name for name, one in _several(scorer).items() if not getattr(one, "greater_is_better", True)}
    for j in range(X.shape[1]):
        part, orders = everything, _mercer.shuffles(rows, j, repeats, seed)
        if rows < X.shape[0]:
            part = np.random.RandomState(seed + j).permutation(X.shape[0])[:rows]
        own, target = take(X, part), take(plain(y), part)
        for r, order in enumerate(orders):
            scores = _named(scorer(estimator, _shuffled(own, j, order), target, **weighted(part)))
            for name, score in scores.items():
                losses[name][j, r] = score - base[name] if name in less else base[name] - score
    return losses


def _several(scorer):
    return scorer._scorers if isinstance(scorer, MultiScorer) else {"score": scorer}


def _named(scores):
    return scores if isinstance(scores, dict) else {"score": scores}


def _shuffled(X, column, order):
    """Rows with the values of one column in another order."""
    if hasattr(X, "iloc"):
        made = X.copy()
        made[made.columns[column]] = X.iloc[order, column].set_axis(X.index)
        return made
    if hasattr(X, "get_columns"):
        name = X.columns[column]
        return X.with_columns(X[name][order.tolist()].alias(name))
    made = X.copy()
    made[:, column] = X[order, column]
    return made
