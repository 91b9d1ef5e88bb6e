"""Intervals of metrics, and tests between models."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._checks import check_numbers, check_weights, codes, column, unique
from mercer.metrics._labels import Compared
from mercer.metrics._probabilities import Probabilities


def _vector(values):
    return np.ascontiguousarray(check_numbers(column(values), ndim=(1,)), dtype=np.float64)


def bootstrap_interval(
    metric, y_true, y_pred, *, confidence=0.95, n_draws=2000, method="bca", sample_weight=None, random_state=None
):
    """A metric with its bootstrap interval.

    Parameters
    ----------
    metric : str
        The name of a metric, as for ``scoring``.
    y_true, y_pred : array-like
        Truth, and predicted classes, probabilities (two-dimensional), scores or numbers, as the metric needs.
    confidence : float, default=0.95
    n_draws : int, default=2000
    method : {"bca", "percentile"}, default="bca"
    sample_weight : array-like or None
    random_state : int or None

    Returns
    -------
    tuple of (estimate, lower, upper)
    """
    from mercer._base import seed_of

    name, _, task, needs = _mercer.metric_info(metric)
    if task == "Regression":
        scored = ("numbers", _vector(y_true), _vector(y_pred))
    elif needs == "Labels":
        given = Compared(y_true, y_pred).refuse_sets()
        both = (codes(y, given.labels) for y in (given.truth, given.predicted))
        scored = ("classes", next(both), len(given.labels), next(both), None, None)
    elif needs == "Probabilities":
        scored = Probabilities(y_true, y_pred).scored()
    else:
        truth, scores = column(y_true), check_numbers(y_pred)
        scores = np.ascontiguousarray(scores.reshape(len(scores), -1), dtype=np.float64)
        scored = ("classes", codes(truth, unique(truth)), len(unique(truth)), None, None, scores)
    return _mercer.bootstrap(
        name,
        scored,
        check_weights(sample_weight, len(y_true)),
        draws=n_draws,
        confidence=confidence,
        method=method,
        seed=seed_of(random_state),
    )


def mcnemar_test(y_true, y_first, y_second, *, exact=True):
    """McNemar's test whether two classifiers err on as many rows: the statistic and the two-sided p-value."""
    truth = np.asarray(y_true)
    first, second = np.asarray(y_first) == truth, np.asarray(y_second) == truth
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    return _mercer.paired_test("mcnemar", only_first, only_second, {"exact": exact})


def wilcoxon_test(scores_first, scores_second):
    """Wilcoxon's signed rank test between scores on the same folds: the statistic and the two-sided p-value."""
    return _mercer.paired_test("wilcoxon", _vector(scores_first), _vector(scores_second), {})


def corrected_t_test(scores_first, scores_second, *, n_train, n_test):
    """The resampled t-test corrected for rows that folds share (Nadeau, Bengio 2003): t and the two-sided p-value."""
    sizes = {"n_train": n_train, "n_test": n_test}
    return _mercer.paired_test("t", _vector(scores_first), _vector(scores_second), sizes)
