"""Search over settings: with estimator and metrics of Mercer's all settings and folds run in the compiled part at once, with
one pass of preparation for settings that share it; else one fit after the other."""

from __future__ import annotations

import numbers
import time
import warnings

import numpy as np

from mercer import _mercer
from mercer._base import parameter_names, seed_of
from mercer._folds import Course, as_rows, by_name, check_error_score, compiled, fill_failures, fit_on, tell_failures
from mercer._grids import ParameterGrid, ParameterSampler
from mercer._routing import is_on, routed, router_of
from mercer._rows import clone, indexable
from mercer._scoring import MultiScorer, accepts_weights, check_scoring, kind_of
from mercer._splits import check_cv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FORWARDED = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "predict_interval",
    "predict_quantiles",
    "score_samples",
    "transform",
    "inverse_transform",
    "save",
)


class BaseSearchCV:
    """What all searches share. A subclass says in `_run_search` which settings are evaluated."""

    def __init__(
        self, estimator, *, scoring=None, n_jobs=None, refit=True, cv=None, verbose=0, pre_dispatch="2*n_jobs",
        error_score=np.nan, return_train_score=False,
    ):
        self.estimator, self.scoring, self.n_jobs, self.refit = estimator, scoring, n_jobs, refit
        self.cv, self.verbose, self.pre_dispatch = cv, verbose, pre_dispatch
        self.return_train_score, self.error_score = return_train_score, error_score

    def get_params(self, deep=True):
        """The parameters by name."""
        params = {name: getattr(self, name) for name in parameter_names(type(self)) if hasattr(self, name)}
        if deep and hasattr(self.estimator, "get_params") and not isinstance(self.estimator, type):
            inner = self.estimator.get_params()
            params.update({f"estimator__{name}": value for name, value in inner.items()})
        return params

    def set_params(self, **params):
        """Set parameters by name."""
        known = parameter_names(type(self))
        for path, value in params.items():
            name, _, rest = path.partition("__")
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(known)!r}.")
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self

    # Searching

    def _run_search(self, evaluate_candidates):
        raise NotImplementedError("_run_search not implemented.")

    def _check_input_parameters(self, X, y, split_params):
        """What else is to be right before the search begins."""

    def fit(self, X: Any, y: Any = None, **params: Any):
        """Search, and fit the best setting on all rows; `groups` go to the splitter, whatever else is given to `fit`."""
        scorer, deciding = self._scorer()
        check_error_score(self.error_score)
        X, y = indexable(X, y)
        self._checked_cv_orig = check_cv(self.cv, y, classifier=kind_of(self.estimator) == "classifier")
        split_params, fit_params, score_params = routed(self, self.estimator, self._checked_cv_orig, scorer, params)
        self._check_input_parameters(X, y, split_params)
        self.n_splits_ = self._checked_cv_orig.get_n_splits(X, y, **split_params)
        runs = _Runs(self, X, y, scorer, fit_params, split_params, score_params)
        self._run_search(runs.evaluate)
        if not runs.results:
            raise ValueError("No fits were performed. Was the CV iterator empty? Were there no candidates?")
        first = runs.results[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            deciding = self.refit
        self._conclude(runs.table, deciding, X, y, fit_params)
        self.scorer_ = scorer._scorers if isinstance(scorer, MultiScorer) else scorer
        self.cv_results_ = runs.table
        return self

    def _scorer(self):
        """One callable for all metrics, and the name of the one that decides."""
        if self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring):
            return check_scoring(self.estimator, self.scoring), "score"
        scorer = check_scoring(self.estimator, self.scoring, raise_exc=self.error_score == "raise")
        self._check_refit_for_multimetric(scorer._scorers)
        return scorer, self.refit

    def _check_refit_for_multimetric(self, scores):
        named = isinstance(self.refit, str) and self.refit in scores
        if self.refit is not False and not named and not callable(self.refit):
            raise ValueError(
                "For multi-metric scoring, the parameter refit must be set to a scorer key or a callable to refit an estimator "
                "with the best parameter setting on the whole data and make the best_* attributes available for that metric. If "
                f"this is not needed, refit should be set to False explicitly. {self.refit!r} was passed."
            )

    @staticmethod
    def _select_best_index(refit, refit_metric, results):
        if not callable(refit):
            return int(results[f"rank_test_{refit_metric}"].argmin())
        best = refit(results)
        if not isinstance(best, numbers.Integral):
            raise TypeError("best_index_ returned is not an integer")
        if not 0 <= best < len(results["params"]):
            raise IndexError("best_index_ index out of range")
        return best

    def _conclude(self, table, deciding, X, y, fit_params):
        """Picks the best setting, and fits it on all rows."""
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(self.refit, deciding, table)
            if not callable(self.refit):
                self.best_score_ = table[f"mean_test_{deciding}"][self.best_index_]
            self.best_params_ = table["params"][self.best_index_]
        if self.refit:
            best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            began = time.perf_counter()
            fit_on(best, X, y, fit_params)
            self.best_estimator_ = best
            self.refit_time_ = time.perf_counter() - began
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _seed(self):
        own = getattr(self, "random_state", None)
        return self.estimator._seed() if own is None else seed_of(own)

    # Asking the best

    def _check_refit(self, name):
        if not self.refit:
            raise AttributeError(
                f"This {type(self).__name__} instance was initialized with `refit=False`. {name} is available only after "
                "refitting on the best parameters. You can refit an estimator manually using the `best_params_` attribute"
            )

    def _check_fitted(self):
        if "best_estimator_" not in self.__dict__:
            from mercer._exceptions import not_fitted

            raise not_fitted(self)

    def __getattr__(self, name):
        if name.startswith("__") or "estimator" not in self.__dict__:
            raise AttributeError(name)
        missing = f"This {type(self).__name__!r} has no attribute {name!r}"
        if name in _FORWARDED:
            try:
                self._check_refit(name)
                method = getattr(self.__dict__.get("best_estimator_", self.estimator), name)
            except AttributeError as error:
                raise AttributeError(missing) from error
            return method if "best_estimator_" in self.__dict__ else lambda *_, **__: self._check_fitted()
        if name in ("classes_", "n_features_in_", "certificate_"):
            if name == "classes_":
                self._check_refit(name)
            if "best_estimator_" in self.__dict__:
                return getattr(self.best_estimator_, name)
            raise AttributeError(f"{type(self).__name__} object has no {name} attribute.")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_metadata_routing(self):
        """scikit-learn's router to the estimator, the scorers and the splitter."""
        return router_of(self, self.estimator, self.cv, self._scorer()[0])

    def score(self, X, y=None, **params):
        """The score of the best estimator on data, by the metric that decided."""
        self._check_refit("score")
        self._check_fitted()
        if params and not is_on():
            raise ValueError(
                f"Passing extra keyword arguments to {type(self).__name__}.score is only supported if "
                "enable_metadata_routing=True, which you can set using `sklearn.set_config`. Extra parameters passed are: "
                f"{set(params)}"
            )
        if params:
            from sklearn.utils.metadata_routing import process_routing

            params = process_routing(self, "score", **params).scorer["score"]
        if self.scorer_ is None:
            raise ValueError(
                f"No score function explicitly defined, and the estimator doesn't provide one {self.best_estimator_}"
            )
        scorer = self.scorer_[self.refit] if isinstance(self.scorer_, dict) else self.scorer_
        score = scorer(self.best_estimator_, X, y, **params)
        return score[self.refit] if isinstance(score, dict) else score

    @property
    def _estimator_type(self):
        return kind_of(self.estimator)

    def __sklearn_tags__(self):
        from copy import deepcopy

        from sklearn.utils import get_tags

        return deepcopy(get_tags(self.estimator))

    def __sklearn_is_fitted__(self):
        return "cv_results_" in self.__dict__

    def __repr__(self, N_CHAR_MAX=None):
        arguments = ", ".join(f"{name}={getattr(self, name)!r}" for name in parameter_names(type(self))[:2])
        return f"{type(self).__name__}({arguments})"


class _Runs:
    """The settings of a search that were tried, and what came of them."""

    def __init__(self, search, X, y, scorer, fit_params, split_params, score_params):
        self.search, self.X, self.y, self.scorer = search, X, y, scorer
        self.split_params, weights = split_params, fit_params.get("sample_weight")
        if not is_on():
            score_params = {} if weights is None or not self._weighted() else {"sample_weight": weights}
        self.course = Course(
            X, y, scorer, fit_params=fit_params, score_params=score_params, train_scores=search.return_train_score,
            error_score=search.error_score, verbose=search.verbose,
        )
        plain = set(fit_params) == set(score_params) <= {"sample_weight"} and not search.return_train_score and search.verbose < 2
        self.compiled = compiled(search.estimator, scorer, X, y, weights, split_params.get("groups")) if plain else None
        self.candidates, self.results, self.more, self.table = [], [], {}, {}

    def _weighted(self):
        named = self.scorer._scorers if isinstance(self.scorer, MultiScorer) else {None: self.scorer}
        unable = {name: one for name, one in named.items() if not accepts_weights(one)}
        for name, one in unable.items():
            warnings.warn(
                f"The scoring {one if name is None else f'{name}={one}'} does not support sample_weight, which may lead to "
                f"statistically incorrect results when fitting {self.search} with sample_weight. ",
                stacklevel=5,
            )
        return len(unable) < len(named)

    def evaluate(self, candidate_params, cv=None, more_results=None):
        """Tries settings; the table of all that were tried so far."""
        search, candidates = self.search, list(candidate_params)
        pairs = list((cv or search._checked_cv_orig).split(self.X, self.y, **self.split_params))
        if len(pairs) != search.n_splits_:
            raise ValueError(
                f"cv.split and cv.get_n_splits return inconsistent results. Expected {search.n_splits_} splits, got "
                f"{len(pairs)}"
            )
        if search.verbose > 0:
            print(
                f"Fitting {len(pairs)} folds for each of {len(candidates)} candidates, totalling "
                f"{len(candidates) * len(pairs)} fits"
            )
        results = self._tune(candidates, pairs) or self._each(candidates, pairs)
        if not results:
            raise ValueError("No fits were performed. Was the CV iterator empty? Were there no candidates?")
        tell_failures(results, search.error_score)
        if callable(search.scoring):
            fill_failures(results, search.error_score)
        self.candidates += candidates
        self.results += results
        for key, values in (more_results or {}).items():
            self.more.setdefault(key, []).extend(values)
        self.table = self._table(len(pairs))
        return self.table

    def _each(self, candidates, pairs):
        results = []
        for c, candidate in enumerate(candidates):
            for s, (train, test) in enumerate(pairs):
                told = f" {s + 1}/{len(pairs)}" if self.search.verbose > 2 else ""
                told += f"; {c + 1}/{len(candidates)}" if self.search.verbose > 9 else ""
                results.append(self.course.run(clone(self.search.estimator), train, test, candidate, told))
        return results

    def _tune(self, candidates, pairs):
        """All settings at once, or None where that cannot be, or one failed and Python is to say how."""
        if self.compiled is None or not candidates or not self.compiled.defined_on(pairs):
            return None
        metrics = self.compiled.metrics
        plan = {"strategy": "list", "settings": [_plain_setting(c) for c in candidates], "refit": False}
        session = self.compiled.session(self.search.n_jobs, self.search.verbose)
        try:
            found = _mercer.tune(self.compiled.what, as_rows(pairs), self.compiled.names_of_metrics(), session, plan)
        except Exception:
            return None
        trials = found["trials"]
        if len(trials) != len(candidates) or any(trial["error"] for trial in trials):
            return None
        self.search.cache_hits_ = getattr(self.search, "cache_hits_", 0) + found["cache_hits"]
        results = []
        for trial in trials:
            for fold in trial["scores"]:
                scores = {name: one._sign * fold[m] for m, (name, one) in enumerate(metrics.items())}
                scores = scores if isinstance(self.scorer, MultiScorer) else scores["score"]
                # Scores are taken along with fits there, so that their time is in that of the fit.
                results.append(
                    {"fit_error": None, "fit_time": trial["fit_seconds"], "score_time": 0.0, "test_scores": scores}
                )
        return results

    def _table(self, n_splits):
        """scikit-learn's table of results."""
        table = {key: np.asarray(values) for key, values in self.more.items()}
        shape = len(self.candidates), n_splits
        for key in ("fit_time", "score_time"):
            _store(table, key, np.asarray([r[key] for r in self.results]).reshape(shape))
        table.update(_columns(self.candidates))
        table["params"] = self.candidates
        named = self.scorer._scorers if isinstance(self.scorer, MultiScorer) else {"score": self.scorer}
        less = {name for name, one in named.items() if not getattr(one, "greater_is_better", True)}
        train = by_name(self.results, "train_scores") if self.search.return_train_score else {}
        for name, scores in by_name(self.results, "test_scores").items():
            _store(table, f"test_{name}", np.asarray(scores, dtype=np.float64).reshape(shape), splits=True)
            table[f"rank_test_{name}"] = _ranks(table[f"mean_test_{name}"], name in less)
            if train:
                _store(table, f"train_{name}", np.asarray(train[name], dtype=np.float64).reshape(shape), splits=True)
        return table


def _plain_setting(setting):
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in setting.items()}


def _store(table, key, values, splits=False):
    if splits:
        table.update({f"split{k}_{key}": values[:, k] for k in range(values.shape[1])})
    mean = values.mean(axis=1)
    if splits and not np.isfinite(mean).all():
        warnings.warn(f"One or more of the {key.split('_')[0]} scores are non-finite: {mean}", UserWarning, stacklevel=5)
    with np.errstate(invalid="ignore"):
        table[f"mean_{key}"], table[f"std_{key}"] = mean, values.std(axis=1)


def _ranks(means, less_is_better):
    """Places from 1; equal scores share the best of theirs, settings without a score come last."""
    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    keys = means if less_is_better else -means
    keys = np.where(np.isnan(keys), np.nanmax(keys) + 1, keys)
    return (1 + np.searchsorted(np.sort(keys), keys)).astype(np.int32)


def _columns(candidates):
    """A masked array for each parameter; of numbers where all its values are."""
    made = {}
    for name in dict.fromkeys(name for candidate in candidates for name in candidate):
        given = {i: candidate[name] for i, candidate in enumerate(candidates) if name in candidate}
        try:
            values = np.array(list(given.values()))
            dtype = values.dtype if values.ndim == 1 and values.dtype.kind != "U" else object
        except ValueError:
            dtype = object
        column = np.ma.MaskedArray(np.empty(len(candidates), dtype=dtype), mask=True)
        for i, value in given.items():
            column[i] = value
        made[f"param_{name}"] = column
    return made


class GridSearchCV(BaseSearchCV):
    """Every combination of a grid.

    Parameters
    ----------
    estimator : estimator of scikit-learn's contract, a pipeline for instance
    param_grid : dict of lists, or a list of such
        Parameters of steps as ``step__parameter``.
    scoring : str, callable, list or dict, default=None
    n_jobs : int or None, default=None
    refit : bool, str or callable, default=True
        Whether to fit the best on all rows; with several metrics, the one that decides; or a function of ``cv_results_``
        that gives the index of the best.
    cv : int, splitter or iterable of pairs, default=None
    verbose : int, default=0
    pre_dispatch : ignored
        There for calls written for scikit-learn.
    error_score : "raise" or number, default=nan
        What a fold scores whose fit fails.
    return_train_score : bool, default=False

    Attributes
    ----------
    cv_results_ : dict of arrays
        ``pandas.DataFrame(search.cv_results_)`` makes a frame of it.
    best_params_, best_score_, best_index_, best_estimator_ : what was found
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid

    def _run_search(self, evaluate_candidates):
        evaluate_candidates(ParameterGrid(self.param_grid))


class RandomizedSearchCV(BaseSearchCV):
    """Settings drawn from lists or distributions.

    Parameters
    ----------
    estimator : estimator of scikit-learn's contract
    param_distributions : dict, list of dicts, or str
        Lists, distributions with ``rvs``, or, for estimators of Mercer's, a space in words:
        ``"C=log(1e-3,1e3), penalty=[l1,l2]"``.
    n_iter : int, default=10
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score : as for GridSearchCV
    random_state : int or None, default=None
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_distributions, self.n_iter, self.random_state = param_distributions, n_iter, random_state

    def fit(self, X: Any, y: Any = None, **params: Any):
        """Search, and fit the best setting on all rows; `groups` go to the splitter, whatever else is given to `fit`."""
        if isinstance(self.param_distributions, str):
            from mercer._spaces import search_space

            plan = {"strategy": "random", "trials": self.n_iter, "space": self.param_distributions}
            return search_space(self, plan, X, y, params)
        return super().fit(X, y, **params)

    def _run_search(self, evaluate_candidates):
        evaluate_candidates(ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state))
