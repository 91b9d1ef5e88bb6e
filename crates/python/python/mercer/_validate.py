"""Cross validation and curves, run by the compiled part as one piece: all cores, Ctrl-C at any time."""

from __future__ import annotations

import numbers

import numpy as np

from mercer import _mercer
from mercer._base import Estimator, parameter_names, threads_of
from mercer._scoring import scorers
from mercer._splits import check_cv


class Job:
    """An estimator with its data, as the compiled part takes them."""

    def __init__(self, estimator, X, y, groups=None, sample_weight=None):
        if not isinstance(estimator, Estimator):
            raise TypeError(
                f"{type(estimator).__name__} is no estimator of Mercer's; scikit-learn's functions of the same name take "
                "both"
            )
        self.estimator = estimator
        x, self.names = estimator._prepare_fit(X)
        target, self.dtype = estimator._prepare_target(y, x)
        weights = None
        if sample_weight is not None:
            from mercer._target import prepare_weights

            weights = prepare_weights(sample_weight, x)
        params = estimator._core_params()
        if groups is not None:
            groups = np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint32)
        self.groups = groups
        self.what = (estimator._mercer_name, params, x, target, weights, groups, self.dtype)
        self.task = estimator._mercer_task
        self.classes = None
        if target is not None and target[0] == "many":
            raise ValueError("several class targets at once cannot be scored; take one column of y")
        if target is not None and target[0] == "classes":
            self.classes = np.asarray(target[2], dtype=self.dtype)

    def splits(self, cv, X, y, groups):
        classifier = self.task == "Classification"
        made = check_cv(cv, y, classifier=classifier)
        pairs = list(made.split(X, y, groups))
        as_rows = lambda rows: np.ascontiguousarray(rows, dtype=np.int64)  # noqa: E731
        pairs = [
            tuple(as_rows(np.flatnonzero(r) if np.asarray(r).dtype == bool else r) for r in pair) for pair in pairs
        ]
        if not pairs:
            raise ValueError("there are no splits")
        return pairs

    def session(self, n_jobs=None, verbose=0):
        return self.estimator._seed(), threads_of(n_jobs), bool(verbose)

    def bind(self, chosen):
        task = "Classification" if self.classes is not None else "Regression"
        return [one.bind(task, self.classes) for one in chosen.values()]

    def fitted(self, model, setting=None):
        """A fitted copy of the estimator with some parameters."""
        copy = clone(self.estimator)
        if setting:
            copy.set_params(**setting)
        copy._model = model
        if self.names is not None:
            copy.feature_names_in_ = self.names
        return copy


def clone(estimator):
    """An unfitted copy of an estimator."""
    params = {name: getattr(estimator, name) for name in parameter_names(type(estimator))}
    copied = {}
    for name, value in params.items():
        if isinstance(value, Estimator):
            value = clone(value)
        elif isinstance(value, list):
            value = [
                tuple(clone(part) if isinstance(part, Estimator) else part for part in item)
                if isinstance(item, tuple)
                else clone(item) if isinstance(item, Estimator) else item
                for item in value
            ]
        copied[name] = value
    return type(estimator)(**copied)


def cross_validate(
    estimator,
    X,
    y=None,
    *,
    groups=None,
    scoring=None,
    cv=None,
    n_jobs=None,
    verbose=0,
    sample_weight=None,
    return_train_score=False,
    return_estimator=False,
    return_indices=False,
):
    """Scores of an estimator on every fold.

    Parameters
    ----------
    estimator : estimator of Mercer's, a pipeline for instance
    X, y : rows and target
    groups : array-like or None
        Groups for splitters that keep them together.
    scoring : str, callable, list or dict, default=None
        Metrics by name (Mercer's or scikit-learn's), functions of ``(y_true, y_pred)``, or several of them; None means
        accuracy or R².
    cv : int, splitter or list of pairs, default=None
        None means 5 folds, stratified for classes.
    n_jobs : int or None
        Number of threads.
    verbose : int, default=0
    sample_weight : array-like or None
        Used in fits and scores.
    return_train_score, return_estimator, return_indices : bool, default=False

    Returns
    -------
    dict of arrays
        ``test_score`` (or ``test_<name>``), ``fit_time``, ``score_time``, and what was asked for.
    """
    job = Job(estimator, X, y, groups, sample_weight)
    chosen = scorers(scoring, job.task)
    pairs = job.splits(cv, X, y, groups)
    names = job.bind(chosen)
    found = _mercer.cross_validate(
        job.what, pairs, names, job.session(n_jobs, verbose), train_scores=return_train_score, models=return_estimator
    )
    out = {"fit_time": found["fit_time"], "score_time": found["score_time"]}
    for (label, one), name in zip(chosen.items(), names):
        out[f"test_{label}"] = one.sign * found[f"test_{name}"]
        if return_train_score:
            out[f"train_{label}"] = one.sign * found[f"train_{name}"]
    if return_estimator:
        out["estimator"] = [job.fitted(model) for model in found["models"]]
    if return_indices:
        out["indices"] = {"train": [train for train, _ in pairs], "test": [test for _, test in pairs]}
    return out


def cross_val_score(estimator, X, y=None, *, groups=None, scoring=None, cv=None, n_jobs=None, verbose=0):
    """The score of an estimator on every fold."""
    found = cross_validate(estimator, X, y, groups=groups, scoring=scoring, cv=cv, n_jobs=n_jobs, verbose=verbose)
    return found["test_score"]


def cross_val_predict(
    estimator, X, y=None, *, groups=None, cv=None, n_jobs=None, verbose=0, sample_weight=None, method="predict"
):
    """The answer for every row from the fold that held it out."""
    job = Job(estimator, X, y, groups, sample_weight)
    pairs = job.splits(cv, X, y, groups)
    tested = np.sort(np.concatenate([test for _, test in pairs]))
    if not np.array_equal(tested, np.arange(len(tested))):
        raise ValueError("cross_val_predict only works for partitions")
    answers = _mercer.cross_val_predict(job.what, pairs, job.session(n_jobs, verbose), method)
    if method == "predict" and job.classes is not None:
        return job.classes[answers]
    return answers


def learning_curve(
    estimator,
    X,
    y,
    *,
    groups=None,
    train_sizes=(0.1, 0.33, 0.55, 0.78, 1.0),
    cv=None,
    scoring=None,
    n_jobs=None,
    verbose=0,
):
    """How scores grow with the number of training rows.

    Returns
    -------
    train_sizes_abs, train_scores, test_scores : arrays
        Scores by size (row) and fold (column).
    """
    job = Job(estimator, X, y, groups)
    one = next(iter(scorers(scoring, job.task).values()))
    pairs = job.splits(cv, X, y, groups)
    least = min(len(train) for train, _ in pairs)
    sizes = [s / least if isinstance(s, numbers.Integral) else float(s) for s in np.asarray(train_sizes).tolist()]
    curve = _mercer.learning_curve(job.what, pairs, job.bind({"": one})[0], job.session(n_jobs, verbose), sizes)
    return (
        np.asarray([at for at, _, _ in curve]),
        one.sign * np.asarray([train for _, train, _ in curve]),
        one.sign * np.asarray([test for _, _, test in curve]),
    )


def validation_curve(
    estimator, X, y, *, param_name, param_range, groups=None, cv=None, scoring=None, n_jobs=None, verbose=0
):
    """How scores depend on one parameter.

    Returns
    -------
    train_scores, test_scores : arrays
        Scores by value (row) and fold (column).
    """
    job = Job(estimator, X, y, groups)
    one = next(iter(scorers(scoring, job.task).values()))
    pairs = job.splits(cv, X, y, groups)
    curve = _mercer.validation_curve(
        job.what, pairs, job.bind({"": one})[0], job.session(n_jobs, verbose), param_name, list(param_range)
    )
    return (
        one.sign * np.asarray([train for _, train, _ in curve]),
        one.sign * np.asarray([test for _, _, test in curve]),
    )


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
    scoring, cv, groups, n_jobs, verbose : as for :func:`cross_validate`; `cv` must be a partition.

    Returns
    -------
    dict
        ``estimate``, ``rounds`` (each with ``setting``, ``inner`` and ``score``), ``setting`` and the fitted
        ``estimator``.
    """
    job = Job(estimator, X, y, groups)
    one = next(iter(scorers(scoring, job.task).values()))
    pairs = job.splits(cv, X, y, groups)
    found = _mercer.nested(
        job.what, pairs, job.bind({"": one}), job.session(n_jobs, verbose), {"space": space, "points": points}
    )
    rounds = [
        {"setting": setting, "inner": one.sign * inner, "score": one.sign * scores[0]}
        for setting, inner, scores in found["rounds"]
    ]
    fitted = job.fitted(found["model"], found["setting"])
    return {
        "estimate": one.sign * found["estimate"][0],
        "rounds": rounds,
        "setting": found["setting"],
        "estimator": fitted,
    }


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
