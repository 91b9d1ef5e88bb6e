"""Fitting and scoring on folds: whole in the compiled part where estimator and metrics are Mercer's, else one fit after the
other on the caller's thread, with the same folds, seeds and results. Code of the user's never runs inside the compiled part."""

from __future__ import annotations

import numbers
import time
import warnings
from collections import Counter
from traceback import format_exc

import numpy as np

from mercer import _mercer
from mercer._base import Estimator, threads_of
from mercer._exceptions import fit_failed_warning
from mercer._rows import clone, params_of, split_rows
from mercer._scoring import MultiScorer, NamedScorer, Passthrough, Scorer

_OF_POSITIVE = {"f1", "precision", "recall", "jaccard", "average_precision"}
# Of fewer than two rows they are not defined, which Python says with a warning.
_OF_SEVERAL = {"r2", "d2_absolute_error", "d2_pinball", "d2_tweedie", "d2_log_loss", "d2_brier"}


# On the caller's thread


def check_error_score(error_score):
    """What a failed fit scores: a number, or "raise"."""
    if not isinstance(error_score, numbers.Number) and error_score != "raise":
        raise ValueError(
            "error_score must be the string 'raise' or a numeric value. (Hint: if using 'raise', please make sure that it has "
            "been spelled correctly.)"
        )


def fit_on(estimator, X, y, fit_params):
    """Fit, without a target where there is none."""
    return estimator.fit(X, **fit_params) if y is None else estimator.fit(X, y, **fit_params)


class Course:
    """One way to fit and score on parts of the same data.

    Parameters
    ----------
    scorer : callable
        As `check_scoring` makes it.
    fit_params, score_params : dict
        Handed to `fit` and to the scorer; those with a value for each row are cut down to the rows used.
    """

    def __init__(
        self, X, y, scorer, *, fit_params=None, score_params=None, train_scores=False, error_score=np.nan, verbose=0,
        models=False,
    ):
        self.X, self.y, self.scorer = X, y, scorer
        self.fit_params, self.score_params = fit_params or {}, score_params or {}
        self.train_scores, self.error_score, self.verbose, self.models = train_scores, error_score, verbose, models

    def run(self, estimator, train, test, parameters=None, told=""):
        """Fits an unfitted estimator on some rows and scores it on others: a dict of what came of it."""
        check_error_score(self.error_score)
        said = ", ".join(f"{k}={parameters[k]}" for k in sorted(parameters)) if parameters else ""
        if self.verbose > 9:
            start = f"[CV{told}] START {said}"
            print(f"{start}{(80 - len(start)) * '.'}")
        given = lambda rows, params: params_of(self.X, params, rows)  # noqa: E731
        fit_params = given(train, self.fit_params)
        if parameters is not None:
            estimator = estimator.set_params(**clone(parameters, safe=False))
        began, result = time.perf_counter(), {"fit_error": None}
        own = split_rows(estimator, self.X, self.y, train)
        held = split_rows(estimator, self.X, self.y, test, train)
        try:
            fit_on(estimator, *own, fit_params)
        except Exception:
            if self.error_score == "raise":
                raise
            result.update(fit_error=format_exc(), fit_time=time.perf_counter() - began, score_time=0.0)
            result["test_scores"] = self._failed()
            result["train_scores"] = self._failed()
        else:
            fitted = time.perf_counter()
            result["test_scores"] = self._scores(estimator, *held, given(test, self.score_params))
            result.update(fit_time=fitted - began, score_time=time.perf_counter() - fitted)
            if self.train_scores:
                result["train_scores"] = self._scores(estimator, *own, given(train, self.score_params))
        if self.verbose > 1:
            self._tell(result, told, said)
        result["estimator"] = estimator if self.models else None
        return result

    def _failed(self):
        several = isinstance(self.scorer, MultiScorer)
        return {name: self.error_score for name in self.scorer._scorers} if several else self.error_score

    def _scores(self, estimator, X, y, params):
        several = isinstance(self.scorer, MultiScorer)
        try:
            scores = self.scorer(estimator, X, **params) if y is None else self.scorer(estimator, X, y, **params)
        except Exception:
            if several or self.error_score == "raise":
                raise
            scores = self.error_score
            _warn_scoring(self.error_score, format_exc())
        if not isinstance(scores, dict):
            return _number(scores, self.scorer)
        if several:
            for name, text in scores.items():
                if isinstance(text, str):
                    scores[name] = self.error_score
                    _warn_scoring(self.error_score, text)
        return {name: _number(score, name) for name, score in scores.items()}

    def _tell(self, result, told, said):
        more = self._shown(result) if self.verbose > 2 else ""
        seconds = result["fit_time"] + result["score_time"]
        text = f"{said}{';' if said else ''}{more} total time={_short(seconds)}"
        start = f"[CV{told}] END "
        print(f"{start}{'.' * (80 - len(start) - len(text))}{text}")


    def _shown(self, result):
        """The scores of a fold in scikit-learn's form."""
        test, train = result["test_scores"], result.get("train_scores") if self.train_scores else None
        if not isinstance(test, dict):
            return f", score={test:.3f}" if train is None else f", score=(train={train:.3f}, test={test:.3f})"
        own = {name: "" if train is None else f"train={train[name]:.3f}, " for name in test}
        return "".join(f" {name}: ({own[name]}test={test[name]:.3f})" for name in sorted(test))


def _short(seconds):
    return f"{seconds / 60:4.1f}min" if seconds > 60 else f" {seconds:5.1f}s"


def _warn_scoring(error_score, details):
    warnings.warn(
        f"Scoring failed. The score on this train-test partition for these parameters will be set to {error_score}. Details: "
        f"\n{details}",
        UserWarning,
        stacklevel=4,
    )


def _number(score, scorer):
    if hasattr(score, "item") and np.size(score) == 1:
        score = score.item()
    if not isinstance(score, numbers.Number):
        raise ValueError(f"scoring must return a number, got {score} ({type(score)}) instead. (scorer={scorer})")
    return score


def tell_failures(results, error_score):
    """Warns of fits that failed; where all did, raises."""
    errors = [result["fit_error"] for result in results if result["fit_error"] is not None]
    if not errors:
        return
    line = "-" * 80 + "\n"
    listed = "\n".join(f"{line}{n} fits failed with the following error:\n{error}" for error, n in Counter(errors).items())
    if len(errors) == len(results):
        raise ValueError(
            f"\nAll the {len(results)} fits failed.\nIt is very likely that your model is misconfigured.\nYou can try to debug "
            f"the error by setting error_score='raise'.\n\nBelow are more details about the failures:\n{listed}"
        )
    warnings.warn(
        f"\n{len(errors)} fits failed out of a total of {len(results)}.\nThe score on these train-test partitions for these "
        f"parameters will be set to {error_score}.\nIf these failures are not expected, you can try to debug them by setting "
        f"error_score='raise'.\n\nBelow are more details about the failures:\n{listed}",
        fit_failed_warning(),
        stacklevel=4,
    )


def fill_failures(results, error_score):
    """Gives failed fits the names of the scores that a scorer of the user's makes up."""
    good = next((r["test_scores"] for r in results if r["fit_error"] is None), None)
    if isinstance(good, dict):
        for result in results:
            if result["fit_error"] is not None:
                result["test_scores"] = dict.fromkeys(good, error_score)
                result["train_scores"] = dict.fromkeys(good, error_score)


def by_name(results, key):
    """Scores of folds as arrays by the name of the metric; a single one is "score"."""
    scores = [result[key] for result in results]
    if isinstance(scores[0], dict):
        return {name: np.asarray([score[name] for score in scores]) for name in scores[0]}
    return {"score": np.asarray(scores)}


# In the compiled part


class Compiled:
    """An estimator of Mercer's with metrics of Mercer's and data, as the compiled part takes them. Groups are for those who
    learn from them: rankings, and composites whose inner folds keep groups together."""

    def __init__(self, estimator, metrics, X, y, sample_weight=None, groups=None):
        self.estimator, self.metrics = estimator, metrics
        x, self.names = estimator._prepare_fit(X)
        target, dtype = estimator._prepare_target(y, x)
        weights = None
        if sample_weight is not None:
            from mercer._target import prepare_weights

            weights = prepare_weights(sample_weight, x)
        if groups is not None:
            groups = np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint32)
        self.what = (estimator._mercer_name, estimator._core_params(), x, target, weights, groups, dtype)
        self.classes = np.asarray(target[2], dtype=dtype) if target is not None and target[0] == "classes" else None
        if target is not None and target[0] == "many":
            raise ValueError("several class targets at once cannot be scored; take one column of y")

    def session(self, n_jobs=None, verbose=0, seed=None):
        """Seed, threads, and whether progress is printed."""
        return self.estimator._seed() if seed is None else seed, threads_of(n_jobs), bool(verbose)

    def names_of_metrics(self):
        """The metrics as the compiled part knows them."""
        return [one.metric for one in self.metrics.values()]

    def defined_on(self, pairs):
        """Whether the test rows of all splits are enough for all metrics."""
        return _OF_SEVERAL.isdisjoint(self.names_of_metrics()) or all(len(np.asarray(test)) > 1 for _, test in pairs)

    def fitted(self, model, setting=None):
        """A fitted copy of the estimator with some parameters."""
        copy = clone(self.estimator)
        if setting:
            copy.set_params(**setting)
        copy._model = model
        if self.names is not None:
            copy.feature_names_in_ = self.names
        return copy


def metrics_of(scorer):
    """The scorers by name, where the compiled part knows all of them; else None."""
    several = scorer._scorers if isinstance(scorer, MultiScorer) else {"score": scorer}
    known = all(type(one) in (Scorer, NamedScorer, Passthrough) and one.metric is not None for one in several.values())
    return several if known else None


def is_compiled(estimator):
    """Whether the compiled part has all of an estimator: it is Mercer's, and so are its parts."""
    if not isinstance(estimator, Estimator) or not type(estimator).__module__.startswith("mercer."):
        return False
    if estimator._depends_on_rows() or estimator._is_pairwise():
        # They are others in every fold.
        return False
    try:
        estimator._check_door()
        _mercer.capabilities(*estimator._mercer_spec())
    except (TypeError, ValueError, AttributeError, NotImplementedError):
        return False
    return True


def compiled(estimator, scorer, X, y, sample_weight=None, groups=None):
    """What the compiled part needs, or None where something is not Mercer's, or is for Python to refuse."""
    metrics = metrics_of(scorer)
    if metrics is None or not is_compiled(estimator):
        return None
    try:
        made = Compiled(estimator, metrics, X, y, sample_weight, groups)
    except Exception:
        return None
    named = {one.metric for one in metrics.values()} & _OF_POSITIVE
    if named and made.classes is not None and 1 in made.classes.tolist() and made.classes[-1] != 1:
        # The label 1 is the positive one; the compiled part takes the last.
        return None
    if made.classes is not None and len(made.classes) > 2 and any(one.label == "roc_auc" for one in metrics.values()):
        # Of several classes scikit-learn's name has no meaning; Mercer's own, `auc`, has.
        return None
    return made


def as_rows(pairs):
    """Splits as the compiled part takes them."""

    def rows(part):
        part = np.asarray(part)
        return np.ascontiguousarray(np.flatnonzero(part) if part.dtype == bool else part, dtype=np.int64)

    return [(rows(train), rows(test)) for train, test in pairs]


def run_compiled(made, pairs, *, n_jobs=None, verbose=0, train_scores=False, models=False):
    """Results of folds as `Course.run` makes them, or None where a fit failed and Python is to say which and how."""
    if not made.defined_on(pairs):
        return None
    try:
        found = _mercer.cross_validate(
            made.what,
            as_rows(pairs),
            made.names_of_metrics(),
            made.session(n_jobs, verbose),
            train_scores=train_scores,
            models=models,
        )
    except Exception:
        return None
    results = []
    for i in range(len(pairs)):
        result = {"fit_error": None, "fit_time": found["fit_time"][i], "score_time": found["score_time"][i]}
        for part in ("test", "train") if train_scores else ("test",):
            scores = {name: one._sign * found[f"{part}_{one.metric}"][i] for name, one in made.metrics.items()}
            result[f"{part}_scores"] = scores
        result["estimator"] = made.fitted(found["models"][i]) if models else None
        results.append(result)
    return results
