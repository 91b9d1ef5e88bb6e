"""Successive halving: many settings with little of a resource, the best of them with more and more."""

from __future__ import annotations

import numbers
from math import ceil, floor, log

import numpy as np

from mercer._checks import n_rows, unique
from mercer._grids import ParameterGrid, ParameterSampler
from mercer._scoring import kind_of
from mercer._search import BaseSearchCV
from mercer._splits import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Fewer:
    """The splits of another splitter, with a share of their rows."""

    def __init__(self, inner, share, random_state):
        self.inner, self.share, self.random_state = inner, share, random_state

    def split(self, X, y=None, **given):
        for train, test in self.inner.split(X, y, **given):
            yield self._some(np.asarray(train)), self._some(np.asarray(test))

    def _some(self, rows):
        return rows[generator(self.random_state).permutation(len(rows))[: int(self.share * len(rows))]]


class _Halving(BaseSearchCV):
    """What both halvings share."""

    def __init__(
        self, estimator, *, factor, resource, max_resources, min_resources, aggressive_elimination, random_state, **more
    ):
        super().__init__(estimator, **more)
        self.factor, self.resource, self.random_state = factor, resource, random_state
        self.max_resources, self.min_resources = max_resources, min_resources
        self.aggressive_elimination = aggressive_elimination

    def _check_input_parameters(self, X, y, split_params):
        cv = self._checked_cv_orig
        if getattr(cv, "shuffle", True) and not isinstance(getattr(cv, "random_state", 0), numbers.Integral):
            raise ValueError(
                "The cv parameter must yield consistent folds across calls to split(). Set its random_state to an int, or set "
                "shuffle=False."
            )
        of_rows = self.resource == "n_samples"
        if not of_rows and self.resource not in self.estimator.get_params():
            raise ValueError(
                f"Cannot use resource={self.resource} which is not supported by estimator {type(self.estimator).__name__}"
            )
        if self.min_resources == getattr(self, "n_candidates", None) == "exhaust":
            raise ValueError("n_candidates and min_resources cannot be both set to 'exhaust'.")
        self.min_resources_ = self.min_resources
        if self.min_resources in ("smallest", "exhaust"):
            # Enough for two rows of each class in every fold.
            classes = len(unique(np.asarray(y))) if kind_of(self.estimator) == "classifier" else 1
            self.min_resources_ = 2 * cv.get_n_splits(X, y, **split_params) * classes if of_rows else 1
        self.max_resources_ = self.max_resources
        if self.max_resources in ("auto", None):
            if not of_rows:
                raise ValueError("resource can only be 'n_samples' when max_resources='auto'")
            self.max_resources_ = n_rows(X)
        if self.min_resources_ > self.max_resources_:
            raise ValueError(f"min_resources_={self.min_resources_} is greater than max_resources_={self.max_resources_}.")
        if self.min_resources_ == 0:
            raise ValueError(f"min_resources_={self.min_resources_}: you might have passed an empty dataset X.")
        self._n_rows = n_rows(X)

    @staticmethod
    def _select_best_index(refit, refit_metric, results):
        last = np.flatnonzero(results["iter"] == np.max(results["iter"]))
        return int(last[np.argmin(results["rank_test_score"][last])])

    def _candidates(self):
        raise NotImplementedError

    def _run_search(self, evaluate_candidates):
        candidates = list(self._candidates())
        if self.resource != "n_samples" and any(self.resource in candidate for candidate in candidates):
            raise ValueError(
                f"Cannot use parameter {self.resource} as the resource since it is part of the searched parameters."
            )
        needed = 1 + floor(log(len(candidates), self.factor))
        if self.min_resources == "exhaust":
            # The last round is to have all there is.
            self.min_resources_ = max(self.min_resources_, self.max_resources_ // self.factor ** (needed - 1))
        possible = 1 + floor(log(self.max_resources_ // self.min_resources_, self.factor))
        rounds = needed if self.aggressive_elimination else min(possible, needed)
        self.n_resources_, self.n_candidates_ = [], []
        if self.verbose:
            print(f"n_iterations: {rounds}\nn_required_iterations: {needed}\nn_possible_iterations: {possible}")
            print(f"min_resources_: {self.min_resources_}\nmax_resources_: {self.max_resources_}")
            print(f"aggressive_elimination: {self.aggressive_elimination}\nfactor: {self.factor}")
        for i in range(rounds):
            power = max(0, i - needed + possible) if self.aggressive_elimination else i
            given = min(int(self.factor**power * self.min_resources_), self.max_resources_)
            candidates = self._round(evaluate_candidates, candidates, i, given)
        self.n_remaining_candidates_, self.n_iterations_ = len(candidates), rounds
        self.n_required_iterations_, self.n_possible_iterations_ = needed, possible

    def _round(self, evaluate_candidates, candidates, i, given):
        """Tries settings with so much of the resource; the best of them."""
        self.n_resources_.append(given)
        self.n_candidates_.append(len(candidates))
        if self.verbose:
            print(f"{'-' * 10}\niter: {i}\nn_candidates: {len(candidates)}\nn_resources: {given}")
        cv = self._checked_cv_orig
        if self.resource == "n_samples":
            cv = _Fewer(cv, given / self._n_rows, self.random_state)
        else:
            candidates = [{**candidate, self.resource: given} for candidate in candidates]
        more = {"iter": [i] * len(candidates), "n_resources": [given] * len(candidates)}
        table = evaluate_candidates(candidates, cv, more_results=more)
        at = np.flatnonzero(np.asarray(table["iter"]) == i)
        # The worst come first; settings without a score are the worst.
        order = np.argsort(-table["rank_test_score"][at], kind="stable")
        kept = order[-ceil(len(candidates) / self.factor) :]
        return [table["params"][at[k]] for k in kept]


class HalvingGridSearchCV(_Halving):
    """Successive halving of a grid: many settings on few rows, the best on more and more.

    Parameters
    ----------
    estimator : estimator of scikit-learn's contract
    param_grid : dict of lists, or a list of such
    factor : float, default=3
        One setting in so many goes on, with so many times the rows.
    resource : "n_samples" or the name of a parameter, default="n_samples"
    max_resources : int or "auto", default="auto"
        The most of the resource; all rows by default.
    min_resources : "exhaust", "smallest" or int, default="exhaust"
        What the first round has; "exhaust" is such that the last has as much as there is.
    aggressive_elimination : bool, default=False
        Whether the first round is repeated until few enough settings are left for the resource there is.
    cv, scoring, refit, error_score, return_train_score, n_jobs, verbose : as for GridSearchCV
    random_state : int or None, default=None
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "exhaust",
        aggressive_elimination: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        refit: Any = True,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            factor=factor,
            resource=resource,
            max_resources=max_resources,
            min_resources=min_resources,
            aggressive_elimination=aggressive_elimination,
            cv=cv,
            scoring=scoring,
            refit=refit,
            error_score=error_score,
            return_train_score=return_train_score,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.param_grid = param_grid

    def _candidates(self):
        return ParameterGrid(self.param_grid)


class HalvingRandomSearchCV(_Halving):
    """Successive halving of settings drawn from lists or distributions.

    Parameters
    ----------
    estimator : estimator of scikit-learn's contract
    param_distributions : dict, list of dicts, or str
        As for RandomizedSearchCV.
    n_candidates : int or "exhaust", default="exhaust"
        How many are drawn; "exhaust" is as many as there is of the resource for.
    factor, resource, max_resources, min_resources, aggressive_elimination
        As for HalvingGridSearchCV; `min_resources` is "smallest" by default.
    cv, scoring, refit, error_score, return_train_score, random_state, n_jobs, verbose
        As for HalvingGridSearchCV.
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_candidates: Any = "exhaust",
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "smallest",
        aggressive_elimination: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        refit: Any = True,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            factor=factor,
            resource=resource,
            max_resources=max_resources,
            min_resources=min_resources,
            aggressive_elimination=aggressive_elimination,
            cv=cv,
            scoring=scoring,
            refit=refit,
            error_score=error_score,
            return_train_score=return_train_score,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.param_distributions, self.n_candidates = param_distributions, n_candidates

    def _candidates(self):
        n = self.max_resources_ // self.min_resources_ if self.n_candidates == "exhaust" else self.n_candidates
        return ParameterSampler(self.param_distributions, n, random_state=self.random_state)

    def fit(self, X: Any, y: Any = None, **params: Any):
        """Search, and fit the best setting on all rows; `groups` go to the splitter, whatever else is given to `fit`."""
        if isinstance(self.param_distributions, str):
            from mercer._spaces import search_space

            most = self.max_resources
            plan = {
                "strategy": "halving",
                "factor": float(self.factor),
                "trials": 27 if self.n_candidates == "exhaust" else self.n_candidates,
                "space": self.param_distributions,
                "resource": None if self.resource == "n_samples" else self.resource,
                "max_resource": None if most == "auto" else most,
            }
            return search_space(self, plan, X, y, params)
        return super().fit(X, y, **params)
