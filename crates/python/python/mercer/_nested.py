"""Nested cross validation, and bias and variance: procedures of Mercer's own, which the compiled part runs as a whole."""

from __future__ import annotations

from mercer import _mercer
from mercer._base import threads_of
from mercer._folds import Compiled, as_rows
from mercer._scoring import check_scoring
from mercer._validate import splits_of


def nested_cross_validate(estimator, X, y, space, *, points=5, scoring=None, cv=None, groups=None, n_jobs=None, verbose=0):
    """Nested cross validation: an honest estimate of tuning and fitting together, and the average of the best settings.

    In round i every setting is trained without folds i and j and scored on j, for all j; the best by the mean is trained
    without fold i and scored on i. What is averaged over the rounds (geometrically on logarithmic scales, the most
    frequent of choices) is trained on all rows.

    Parameters
    ----------
    estimator : estimator of Mercer's
    X, y : rows and target
    space : str
        ``"alpha=log(0.01,100), fit_intercept=[true,false]"``.
    points : int, default=5
        Values of each range.
    scoring : str or None
        The name of a metric.
    cv, groups, n_jobs, verbose : as for :func:`cross_validate`; `cv` must be a partition.

    Returns
    -------
    dict
        ``estimate``, ``rounds`` (each with ``setting``, ``inner`` and ``score``), ``setting`` and the fitted
        ``estimator``.
    """
    made, one = only_compiled(estimator, scoring, X, y, "nested_cross_validate", groups=groups)
    pairs = as_rows(splits_of(estimator, cv, X, y, None if groups is None else {"groups": groups}))
    plan = {"space": space, "points": points}
    found = _mercer.nested(made.what, pairs, made.names_of_metrics(), made.session(n_jobs, verbose), plan)
    rounds = [
        {"setting": setting, "inner": one._sign * inner, "score": one._sign * scores[0]}
        for setting, inner, scores in found["rounds"]
    ]
    return {
        "estimate": one._sign * found["estimate"][0],
        "rounds": rounds,
        "setting": found["setting"],
        "estimator": made.fitted(found["model"], found["setting"]),
    }


def only_compiled(estimator, scoring, X, y, what, sample_weight=None, groups=None):
    """An estimator and a metric that must both be Mercer's, as the compiled part takes them, and the scorer."""
    scorer = check_scoring(estimator, scoring)
    if getattr(scorer, "metric", None) is None:
        raise TypeError(f"{what} takes the name of a metric of Mercer's for `scoring`, got {scoring!r}")
    if not hasattr(estimator, "_mercer_spec"):
        raise TypeError(f"{what} takes estimators of Mercer's, got a {type(estimator).__name__}")
    return Compiled(estimator, {"score": scorer}, X, y, sample_weight, groups), scorer


def bias_variance(
    estimator, generator="friedman1", *, noise=1.0, n_features=10, n_train=100, n_test=200, n_sets=200, n_jobs=None, verbose=0
):
    """The expected squared error of a regressor taken apart, on data whose truth is known.

    Parameters
    ----------
    estimator : regressor of Mercer's
    generator : {"friedman1", "friedman2", "friedman3"}
    noise : float, default=1.0
        Standard deviation of the noise.
    n_features : int, default=10
        Of the first function.
    n_train, n_test, n_sets : int
        Rows of each data set, test inputs, and data sets.

    Returns
    -------
    dict
        ``bias`` (squared), ``variance``, ``noise``, ``total``, and ``error``, the standard error of the difference
        between the total and the sum of its parts.
    """
    which = {"friedman1": 1, "friedman2": 2, "friedman3": 3}.get(generator)
    if which is None:
        raise ValueError(f"generator must be friedman1, friedman2 or friedman3, got {generator!r}")
    session = (estimator._seed(), threads_of(n_jobs), bool(verbose))
    truth, sizes = (which, n_features, float(noise)), (n_train, n_test, n_sets)
    return _mercer.bias_variance(estimator._mercer_name, estimator._core_params(), truth, sizes, session)
