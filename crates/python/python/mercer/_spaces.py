"""Searches over spaces in words, which the compiled part proposes settings from: estimators and metrics are Mercer's."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._folds import as_rows, metrics_of
from mercer._nested import only_compiled
from mercer._rows import indexable
from mercer._scoring import MultiScorer
from mercer._search import BaseSearchCV, _columns, _ranks, _store
from mercer._validate import splits_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def search_space(search, plan, X, y, params):
    """Runs a plan of the compiled part and concludes the search as every other one."""
    groups = params.pop("groups", None)
    unknown = set(params) - {"sample_weight"}
    if unknown:
        raise TypeError(f"a search over a space in words takes groups and sample_weight, got {sorted(unknown)}")
    X, y = indexable(X, y)
    scorer, deciding = search._scorer()
    metrics = metrics_of(scorer)
    if metrics is None:
        raise TypeError("a search over a space in words takes names of metrics for `scoring`")
    one, weights = next(iter(metrics.values())), params.get("sample_weight")
    made, _ = only_compiled(search.estimator, one, X, y, type(search).__name__, weights, groups)
    first = deciding if deciding in metrics else next(iter(metrics))
    made.metrics = {first: metrics[first], **metrics}
    pairs = splits_of(search.estimator, search.cv, X, y, None if groups is None else {"groups": groups})
    session = made.session(search.n_jobs, search.verbose, search._seed())
    found = _mercer.tune(made.what, as_rows(pairs), made.names_of_metrics(), session, {**plan, "refit": False})
    search.n_splits_, search.multimetric_ = len(pairs), isinstance(scorer, MultiScorer)
    search.cache_hits_ = found["cache_hits"]
    search.scorer_ = scorer._scorers if search.multimetric_ else scorer
    search.cv_results_ = _table(found["trials"], made.metrics, len(pairs), search.error_score)
    search._conclude(search.cv_results_, deciding, X, y, params)
    return search


def _table(trials, metrics, n_splits, error_score):
    failed = [trial["error"] for trial in trials if trial["error"]]
    if failed and error_score == "raise":
        raise ValueError(failed[0])
    if failed:
        import warnings

        from mercer._exceptions import fit_failed_warning

        message = f"{len(failed)} of {len(trials)} settings failed; the first: {failed[0]}"
        warnings.warn(message, fit_failed_warning(), stacklevel=4)
    fill = np.nan if error_score == "raise" else float(error_score)
    table = {"share": np.asarray([trial["share"] for trial in trials])}
    seconds = np.asarray([trial["fit_seconds"] for trial in trials])
    table.update(mean_fit_time=seconds, **_columns([trial["setting"] for trial in trials]))
    table["params"] = [trial["setting"] for trial in trials]
    for m, (name, one) in enumerate(metrics.items()):
        rows = [[one._sign * fold[m] for fold in trial["scores"]] or [fill] * n_splits for trial in trials]
        _store(table, f"test_{name}", np.asarray(rows, dtype=np.float64), splits=True)
        table[f"rank_test_{name}"] = _ranked(table[f"mean_test_{name}"], table["share"], not one.greater_is_better)
    return table


def _ranked(means, shares, less_is_better):
    """Places by score among trials that had as much of the resource; those that had less come after."""
    ranks = np.empty(len(means), dtype=np.int32)
    for share in np.unique(shares):
        own = shares == share
        ranks[own] = _ranks(means[own], less_is_better) + np.sum(shares > share)
    return ranks


class TPESearchCV(BaseSearchCV):
    """The tree-structured Parzen estimator: settings like the good ones, after some drawn evenly.

    Parameters
    ----------
    estimator : estimator of Mercer's
    space : str or None, default=None
        Where to look: ``"C=log(1e-3,1e3), l1_ratio=linear(0,1,when='penalty=elasticnet')"``; None means what the
        estimator declares.
    n_iter : int, default=30
    patience : int or None, default=None
        Stop after so many settings without a better one.
    scoring : str, list or dict of names, default=None
    n_jobs, refit, cv, verbose, return_train_score, error_score : as for GridSearchCV
    random_state : int or None, default=None

    References
    ----------
    - Bergstra et al. Algorithms for hyper-parameter optimization. NeurIPS 2011.
    """

    _strategy = "tpe"

    def __init__(
        self,
        estimator: Any,
        space: str | None = None,
        *,
        n_iter: int = 30,
        patience: int | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        return_train_score: bool = False,
        error_score: Any = np.nan,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            return_train_score=return_train_score,
            error_score=error_score,
        )
        self.space, self.n_iter, self.patience, self.random_state = space, n_iter, patience, random_state

    def _plan(self):
        return {"strategy": self._strategy, "trials": self.n_iter, "space": self.space, "patience": self.patience}

    def fit(self, X: Any, y: Any = None, **params: Any):
        """Search, and fit the best setting on all rows; takes `groups` and `sample_weight`."""
        return search_space(self, self._plan(), X, y, params)


class HyperbandSearchCV(TPESearchCV):
    """Hyperband: successive halving from several starts, from many settings on few rows to few on all.

    Parameters
    ----------
    estimator, space, patience, scoring, n_jobs, refit, cv, verbose, random_state, return_train_score, error_score
        As for TPESearchCV.
    n_iter : int, default=4
        Number of brackets.

    References
    ----------
    - Li et al. Hyperband: a novel bandit-based approach to hyperparameter optimization. JMLR 18, 2018.
    """

    _strategy = "hyperband"

    def _plan(self):
        return {**super()._plan(), "brackets": min(self.n_iter, 8)}
