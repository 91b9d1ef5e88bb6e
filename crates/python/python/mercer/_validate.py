"""Cross validation and curves, with any estimator of scikit-learn's contract."""

from __future__ import annotations

import warnings

import numpy as np

from mercer._checks import n_rows
from mercer._folds import (
    Course,
    by_name,
    check_error_score,
    compiled,
    fill_failures,
    fit_on,
    run_compiled,
    tell_failures,
)
from mercer._rows import clone, indexable, params_of, split_rows, take
from mercer._routing import refuse_groups, routed
from mercer._scoring import MultiScorer, accepts_weights, check_scoring, kind_of, method_of
from mercer._splits import check_cv, generator


def splits_of(estimator, cv, X, y, given=None):
    """The splits that `cv` means for an estimator; `given` are parameters of the splitter."""
    pairs = list(_splitter(estimator, cv, y).split(X, y, **(given or {})))
    if not pairs:
        raise ValueError("No fits were performed. Was the CV iterator empty?")
    return pairs


def _splitter(estimator, cv, y):
    return check_cv(cv, y, classifier=kind_of(estimator) == "classifier")


def _weights_too(scorer, sample_weight):
    """What the scorer is given of the weights."""
    takes = isinstance(scorer, MultiScorer) or accepts_weights(scorer)
    return {} if sample_weight is None or not takes else {"sample_weight": sample_weight}


def evaluate(
    estimator,
    X,
    y,
    pairs,
    scorer,
    given=({}, {}, {}),
    *,
    sample_weight=None,
    n_jobs=None,
    verbose=0,
    train_scores=False,
    error_score=np.nan,
    models=False,
):
    """What came of each split: a list of dicts. `given` are parameters of the splitter, of `fit` and of the scorer."""
    check_error_score(error_score)
    splitting, params, scored = given
    if not params and not scored and verbose < 2:
        made = compiled(estimator, scorer, X, y, sample_weight, splitting.get("groups"))
        results = made and run_compiled(made, pairs, n_jobs=n_jobs, verbose=verbose, train_scores=train_scores, models=models)
        if results:
            if not isinstance(scorer, MultiScorer):
                for result in results:
                    result.update({k: result[k]["score"] for k in ("test_scores", "train_scores") if k in result})
            return results
    fit_params = dict(params)
    if sample_weight is not None:
        fit_params["sample_weight"] = sample_weight
    course = Course(
        X, y, scorer, fit_params=fit_params, score_params={**scored, **_weights_too(scorer, sample_weight)},
        train_scores=train_scores, error_score=error_score, verbose=verbose, models=models,
    )
    return [
        course.run(clone(estimator), train, test, told=f" {i + 1}/{len(pairs)}" if verbose > 2 else "")
        for i, (train, test) in enumerate(pairs)
    ]


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
    params=None,
    pre_dispatch="2*n_jobs",
    return_train_score=False,
    return_estimator=False,
    return_indices=False,
    error_score=np.nan,
    sample_weight=None,
):
    """Scores of an estimator on every fold.

    Parameters
    ----------
    estimator : estimator of scikit-learn's contract
        One of Mercer's with metrics of Mercer's runs in the compiled part as a whole.
    X, y : rows and target
    groups : array-like or None
        Groups for splitters that keep them together.
    scoring : str, callable, list or dict, default=None
        Metrics by name (Mercer's or scikit-learn's), functions of ``(y_true, y_pred)`` or of ``(estimator, X, y)``, or
        several of them; None means the estimator's own score.
    cv : int, splitter or iterable of pairs, default=None
        None means 5 folds, stratified for classes.
    n_jobs : int or None
        Number of threads.
    verbose : int, default=0
    params : dict, default=None
        Handed to `fit`.
    pre_dispatch : ignored
        There for calls written for scikit-learn.
    return_train_score, return_estimator, return_indices : bool, default=False
    error_score : "raise" or number, default=nan
        What a fold scores whose fit fails.
    sample_weight : array-like or None
        Used in fits and scores.

    Returns
    -------
    dict of arrays
        ``test_score`` (or ``test_<name>``), ``fit_time``, ``score_time``, and what was asked for.
    """
    X, y = indexable(X, y)
    scorer = check_scoring(estimator, scoring, raise_exc=error_score == "raise")
    cv = _splitter(estimator, cv, y)
    splitting, params, scored = routed("cross_validate", estimator, cv, scorer, params, groups)
    pairs = splits_of(estimator, cv, X, y, splitting)
    results = evaluate(
        estimator, X, y, pairs, scorer, (splitting, params, scored), sample_weight=sample_weight, n_jobs=n_jobs, verbose=verbose,
        train_scores=return_train_score, error_score=error_score, models=return_estimator,
    )
    tell_failures(results, error_score)
    if callable(scoring):
        fill_failures(results, error_score)
    out = {key: np.asarray([result[key] for result in results]) for key in ("fit_time", "score_time")}
    if return_estimator:
        out["estimator"] = [result["estimator"] for result in results]
    if return_indices:
        out["indices"] = {"train": tuple(train for train, _ in pairs), "test": tuple(test for _, test in pairs)}
    train = by_name(results, "train_scores") if return_train_score else {}
    for name, scores in by_name(results, "test_scores").items():
        out[f"test_{name}"] = scores
        if return_train_score:
            out[f"train_{name}"] = train[name]
    return out


def cross_val_score(
    estimator, X, y=None, *, groups=None, scoring=None, cv=None, n_jobs=None, verbose=0, params=None,
    pre_dispatch="2*n_jobs", error_score=np.nan, sample_weight=None,
):
    """The score of an estimator on every fold."""
    found = cross_validate(
        estimator, X, y, groups=groups, scoring={"score": check_scoring(estimator, scoring)}, cv=cv, n_jobs=n_jobs,
        verbose=verbose, params=params, error_score=error_score, sample_weight=sample_weight,
    )
    return found["test_score"]


# Answers for rows that were held out

_BY_CLASS = ("decision_function", "predict_proba", "predict_log_proba")


def cross_val_predict(
    estimator, X, y=None, *, groups=None, cv=None, n_jobs=None, verbose=0, params=None, pre_dispatch="2*n_jobs",
    method="predict", sample_weight=None,
):
    """The answer for every row from the fold that held it out; `method` names what each fold's estimator is asked.

    Classes that a fold lacks have probability 0 and the least score there is.
    """
    X, y = indexable(X, y)
    cv = _splitter(estimator, cv, y)
    splitting, params, _ = routed("cross_val_predict", estimator, cv, None, params, groups)
    pairs = splits_of(estimator, cv, X, y, splitting)
    tested = np.concatenate([np.asarray(test) for _, test in pairs])
    if len(tested) != n_rows(X) or not np.array_equal(np.sort(tested), np.arange(n_rows(X))):
        raise ValueError("cross_val_predict only works for partitions")
    method_of(estimator, method)
    encoded = y is not None and method in _BY_CLASS
    if encoded:
        y = _encoded(np.asarray(y))
    if sample_weight is not None:
        params = {**params, "sample_weight": sample_weight}
    parts = []
    for train, test in pairs:
        own = clone(estimator)
        fit_on(own, *split_rows(own, X, y, train), params_of(X, params, train))
        answers = getattr(own, method)(split_rows(own, X, y, test, train)[0])
        parts.append(_for_all_classes(own, answers, y, method) if encoded else answers)
    places = np.argsort(tested, kind="stable")
    if isinstance(parts[0], list):
        return [np.concatenate([part[k] for part in parts])[places] for k in range(len(parts[0]))]
    if hasattr(parts[0], "tocsr"):
        from scipy.sparse import vstack

        return vstack(parts, format=parts[0].format)[places]
    return np.concatenate(parts)[places]


def _encoded(y):
    code = lambda column: np.unique(column, return_inverse=True)[1].ravel()  # noqa: E731
    return code(y) if y.ndim == 1 else np.column_stack([code(column) for column in y.T])


def _for_all_classes(estimator, answers, y, method):
    if isinstance(answers, list):
        return [
            _spread(estimator.classes_[k], part, len(np.unique(y[:, k])), method) for k, part in enumerate(answers)
        ]
    n_classes = len(np.unique(y)) if y.ndim == 1 else y.shape[1]
    return _spread(estimator.classes_, answers, n_classes, method)


def _spread(classes, answers, n_classes, method):
    """Answers for the classes of a fold, in columns of all classes."""
    own = len(classes)
    if own == n_classes:
        return answers
    advice = "To fix this, use a cross-validation technique resulting in properly stratified folds"
    warnings.warn(
        f"Number of classes in training fold ({own}) does not match total number of classes ({n_classes}). Results may not be "
        f"appropriate for your use case. {advice}",
        RuntimeWarning,
        stacklevel=4,
    )
    if method == "decision_function":
        if answers.ndim == 2 and answers.shape[1] != own:
            raise ValueError(
                f"Output shape {answers.shape} of {method} does not match number of classes ({own}) in fold. Irregular "
                "decision_function outputs are not currently supported by cross_val_predict"
            )
        if own <= 2:
            raise ValueError(
                f"Only {own} class/es in training fold, but {n_classes} in overall dataset. This is not supported for "
                f"decision_function with imbalanced folds. {advice}"
            )
    least = 0 if method == "predict_proba" else np.finfo(answers.dtype).min
    made = np.full((len(answers), n_classes), least, dtype=answers.dtype)
    made[:, np.asarray(classes, dtype=np.int64)] = answers
    return made


# Curves


def learning_curve(
    estimator,
    X,
    y,
    *,
    groups=None,
    train_sizes=(0.1, 0.325, 0.55, 0.775, 1.0),
    cv=None,
    scoring=None,
    exploit_incremental_learning=False,
    n_jobs=None,
    pre_dispatch="all",
    verbose=0,
    shuffle=False,
    random_state=None,
    error_score=np.nan,
    return_times=False,
    params=None,
):
    """How scores grow with the number of training rows.

    Returns
    -------
    train_sizes_abs, train_scores, test_scores : arrays
        Scores by size (row) and fold (column); then times of fits and of scores where `return_times` is set.
    """
    if exploit_incremental_learning and not hasattr(estimator, "partial_fit"):
        raise ValueError("An estimator must support the partial_fit interface to exploit incremental learning")
    refuse_groups(groups)
    X, y, groups = indexable(X, y, groups)
    scorer, cv = check_scoring(estimator, scoring), _splitter(estimator, cv, y)
    fits = ("fit", "partial_fit") if exploit_incremental_learning else ("fit",)
    splitting, params, scored = routed("learning_curve", estimator, cv, scorer, params, groups, fits)
    pairs = splits_of(estimator, cv, X, y, splitting)
    sizes = _sizes(train_sizes, len(pairs[0][0]))
    if verbose > 0:
        print(f"[learning_curve] Training set sizes: {sizes}")
    if shuffle:
        rng = generator(random_state)
        pairs = [(rng.permutation(train), test) for train, test in pairs]
    if exploit_incremental_learning:
        made = _incremental(estimator, X, y, pairs, sizes, scorer, error_score, (params, scored))
    else:
        parts = [(train[:n], test) for train, test in pairs for n in sizes]
        results = evaluate(
            estimator, X, y, parts, scorer, (splitting, params, scored), n_jobs=n_jobs, verbose=verbose, train_scores=True,
            error_score=error_score,
        )
        tell_failures(results, error_score)
        keys = ("train_scores", "test_scores", "fit_time", "score_time")
        made = [np.asarray([r[key] for r in results]).reshape(-1, len(sizes)).T for key in keys]
    return (sizes, *made) if return_times else (sizes, *made[:2])


def _sizes(train_sizes, most):
    """Numbers of rows from numbers or shares, each once."""
    sizes = np.asarray(train_sizes)
    least, largest = sizes.min(), sizes.max()
    if sizes.dtype.kind == "f":
        if least <= 0 or largest > 1:
            raise ValueError(
                "train_sizes has been interpreted as fractions of the maximum number of training samples and must be within "
                f"(0, 1], but is within [{least:f}, {largest:f}]."
            )
        sizes = np.clip((sizes * most).astype(np.int64), 1, most)
    elif least <= 0 or largest > most:
        raise ValueError(
            "train_sizes has been interpreted as absolute numbers of training samples and must be within "
            f"(0, {most}], but is within [{least}, {largest}]."
        )
    found = np.unique(sizes)
    if len(found) < len(sizes):
        warnings.warn(
            "Removed duplicate entries from 'train_sizes'. Number of ticks will be less than the size of 'train_sizes': "
            f"{len(found)} instead of {len(sizes)}.",
            RuntimeWarning,
            stacklevel=3,
        )
    return found


def _incremental(estimator, X, y, pairs, sizes, scorer, error_score, given):
    """A curve of an estimator that goes on learning: the rows of each size beyond the last are learnt on top."""
    import time

    params, scored = given
    classes = {"classes": np.unique(y)} if kind_of(estimator) == "classifier" else {}
    course = Course(X, y, scorer, error_score=error_score)
    made = np.empty((4, len(sizes), len(pairs)))
    for k, (train, test) in enumerate(pairs):
        own, seen = clone(estimator), 0
        for i, n in enumerate(sizes):
            began = time.perf_counter()
            part = take(X, train[seen:n]), *(() if y is None else (take(y, train[seen:n]),))
            own.partial_fit(*part, **classes, **params_of(X, params, train[seen:n]))
            fitted, seen = time.perf_counter(), n
            score = lambda rows: course._scores(own, take(X, rows), take(y, rows), params_of(X, scored, rows))  # noqa: E731, B023
            held, on_train = score(test), score(train[:n])
            made[:, i, k] = on_train, held, fitted - began, time.perf_counter() - fitted
    return list(made)


def validation_curve(
    estimator, X, y, *, param_name, param_range, groups=None, cv=None, scoring=None, n_jobs=None, pre_dispatch="all",
    verbose=0, error_score=np.nan, params=None,
):
    """How scores depend on one parameter.

    Returns
    -------
    train_scores, test_scores : arrays
        Scores by value (row) and fold (column).
    """
    refuse_groups(groups)
    X, y, groups = indexable(X, y, groups)
    scorer, cv = check_scoring(estimator, scoring), _splitter(estimator, cv, y)
    splitting, params, scored = routed("validation_curve", estimator, cv, scorer, params, groups)
    pairs = splits_of(estimator, cv, X, y, splitting)
    train, test = [], []
    for value in param_range:
        own = clone(estimator).set_params(**{param_name: clone(value, safe=False)})
        results = evaluate(
            own, X, y, pairs, scorer, (splitting, params, scored), n_jobs=n_jobs, verbose=verbose, train_scores=True,
            error_score=error_score,
        )
        train.append([r["train_scores"] for r in results])
        test.append([r["test_scores"] for r in results])
    return np.asarray(train), np.asarray(test)


def permutation_test_score(
    estimator, X, y, *, groups=None, cv=None, n_permutations=100, n_jobs=None, random_state=0, verbose=0, scoring=None,
    params=None,
):
    """Whether a score could be chance: the mean score, those with the target shuffled (within groups), and the p-value."""
    refuse_groups(groups)
    X, y, groups = indexable(X, y, groups)
    scorer, rng, cv = check_scoring(estimator, scoring), generator(random_state), _splitter(estimator, cv, y)
    splitting, params, scored = routed("permutation_test_score", estimator, cv, scorer, params, groups)

    def mean_score(target):
        pairs = splits_of(estimator, cv, X, target, splitting)
        results = evaluate(
            estimator, X, target, pairs, scorer, (splitting, params, scored), n_jobs=n_jobs, error_score="raise"
        )
        return float(np.mean([r["test_scores"] for r in results]))

    def shuffled():
        if groups is None:
            return take(y, rng.permutation(n_rows(y)))
        rows = np.arange(n_rows(y))
        for group in np.unique(groups):
            own = np.asarray(groups) == group
            rows[own] = rng.permutation(rows[own])
        return take(y, rows)

    score = mean_score(y)
    others = np.asarray([mean_score(shuffled()) for _ in range(n_permutations)])
    return score, others, (np.sum(others >= score) + 1.0) / (n_permutations + 1)
