"""Search, run by the compiled part as one piece: all cores, one pass of preparation for settings that share it, Ctrl-C at
any time."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._base import parameter_names, seed_of, threads_of
from mercer._scoring import scorers
from mercer._validate import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ParameterGrid:
    """Every combination of the values of a grid, or of several."""

    def __init__(self, param_grid):
        self.param_grid = [param_grid] if isinstance(param_grid, dict) else list(param_grid)

    def __iter__(self):
        from itertools import product

        for grid in self.param_grid:
            names = sorted(grid)
            for values in product(*(_values(grid[name]) for name in names)):
                yield dict(zip(names, values))

    def __len__(self):
        return sum(1 for _ in self)


def _values(values):
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return [values]
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


class ParameterSampler:
    """Settings drawn from lists or from distributions with an ``rvs`` method."""

    def __init__(self, param_distributions, n_iter, *, random_state=None):
        self.param_distributions = param_distributions
        self.n_iter, self.random_state = n_iter, random_state

    def __len__(self):
        return self.n_iter

    def __iter__(self):
        rng = np.random.RandomState(seed_of(self.random_state))
        spaces = [self.param_distributions] if isinstance(self.param_distributions, dict) else self.param_distributions
        if all(not hasattr(v, "rvs") for space in spaces for v in space.values()):
            grid = list(ParameterGrid(self.param_distributions))
            if len(grid) <= self.n_iter:
                yield from grid
                return
            for i in rng.choice(len(grid), self.n_iter, replace=False):
                yield grid[i]
            return
        for _ in range(self.n_iter):
            space = spaces[rng.randint(len(spaces))]
            yield {
                name: _plain(v.rvs(random_state=rng)) if hasattr(v, "rvs") else _values(v)[rng.randint(len(_values(v)))]
                for name, v in sorted(space.items())
            }


def _plain(value):
    return value.item() if hasattr(value, "item") else value


class BaseSearchCV:
    """What all searches share."""

    def __init__(self, estimator, *, scoring, n_jobs, refit, cv, verbose, return_train_score, error_score):
        self.estimator, self.scoring, self.n_jobs, self.refit = estimator, scoring, n_jobs, refit
        self.cv, self.verbose = cv, verbose
        self.return_train_score, self.error_score = return_train_score, error_score

    def get_params(self, deep=True):
        """The parameters by name."""
        params = {name: getattr(self, name) for name in parameter_names(type(self))}
        if deep:
            inner = self.estimator.get_params()
            params.update({f"estimator__{name}": value for name, value in inner.items()})
        return params

    def set_params(self, **params):
        """Set parameters by name."""
        for path, value in params.items():
            name, _, rest = path.partition("__")
            if name not in parameter_names(type(self)):
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}")
            if rest:
                self.estimator.set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self

    def _plan(self):
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, sample_weight: Any = None):
        """Search, and fit the best setting on all rows."""
        job = Job(self.estimator, X, y, groups, sample_weight)
        chosen = scorers(self.scoring, job.task)
        labels = list(chosen)
        first = self.refit if isinstance(self.refit, str) else labels[0]
        if first not in chosen:
            raise ValueError(f"refit={first!r} is none of the metrics {labels}")
        ordered = {first: chosen[first], **{k: v for k, v in chosen.items() if k != first}}
        pairs = job.splits(self.cv, X, y, groups)
        plan = {**self._plan(), "refit": bool(self.refit)}
        session = (self._seed(), threads_of(self.n_jobs), bool(self.verbose))
        found = _mercer.tune(job.what, pairs, job.bind(ordered), session, plan)
        failed = [t["error"] for t in found["trials"] if t["error"]]
        if failed and self.error_score == "raise":
            raise ValueError(failed[0])
        if failed:
            import warnings

            warnings.warn(f"{len(failed)} of {len(found['trials'])} settings failed; the first: {failed[0]}", stacklevel=2)
        self.scorer_ = chosen[first] if len(chosen) == 1 else chosen
        self.multimetric_ = len(chosen) > 1
        self.n_splits_ = len(pairs)
        self.cv_results_ = _results(found["trials"], ordered, labels, len(pairs))
        self.best_index_ = found["best"]
        best = found["trials"][found["best"]]
        self.best_params_ = best["setting"]
        self.best_score_ = self.cv_results_[f"mean_test_{first}"][found["best"]]
        self.refit_time_ = found["refit_seconds"]
        self.cache_hits_ = found["cache_hits"]
        if self.refit:
            self.best_estimator_ = job.fitted(found["model"], self.best_params_)
            if job.names is not None:
                self.feature_names_in_ = job.names
        return self

    def _seed(self):
        own = getattr(self, "random_state", None)
        return self.estimator._seed() if own is None else seed_of(own)

    def _best(self, method):
        if "best_estimator_" not in self.__dict__:
            from mercer._exceptions import not_fitted

            raise not_fitted(self)
        return getattr(self.best_estimator_, method)

    def __getattr__(self, name):
        forwarded = (
            "predict",
            "predict_proba",
            "predict_log_proba",
            "decision_function",
            "predict_interval",
            "predict_quantiles",
            "transform",
            "inverse_transform",
            "save",
        )
        if name in forwarded and hasattr(type(self.__dict__.get("estimator")), name):
            return self._best(name)
        if name in ("classes_", "n_features_in_", "certificate_") and "best_estimator_" in self.__dict__:
            return getattr(self.best_estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def score(self, X, y):
        """The score of the best estimator on data, by the metric that decided."""
        from mercer._evaluate import score

        scorer = self.scorer_ if not self.multimetric_ else self.scorer_[self.refit]
        return score(self._best("predict").__self__, scorer, X, y)

    @property
    def _estimator_type(self):
        return getattr(self.estimator, "_estimator_type", None)

    def __sklearn_tags__(self):
        return self.estimator.__sklearn_tags__()

    def __sklearn_is_fitted__(self):
        return "best_params_" in self.__dict__

    def __repr__(self):
        arguments = ", ".join(f"{name}={getattr(self, name)!r}" for name in parameter_names(type(self))[:2])
        return f"{type(self).__name__}({arguments})"


def _results(trials, scored, labels, n_splits):
    """scikit-learn's table of results."""
    out = {"mean_fit_time": np.asarray([t["fit_seconds"] for t in trials])}
    names = sorted({name for t in trials for name in t["setting"]})
    for name in names:
        missing = [name not in t["setting"] for t in trials]
        values = np.empty(len(trials), dtype=object)
        values[:] = [t["setting"].get(name) for t in trials]
        out[f"param_{name}"] = np.ma.MaskedArray(values, mask=missing, fill_value="?")
    out["params"] = [t["setting"] for t in trials]
    order = {label: m for m, label in enumerate(scored)}
    for label in labels:
        one, m = scored[label], order[label]
        scores = np.full((len(trials), n_splits), np.nan)
        for i, trial in enumerate(trials):
            if trial["scores"]:
                scores[i] = [one.sign * fold[m] for fold in trial["scores"]]
        for k in range(n_splits):
            out[f"split{k}_test_{label}"] = scores[:, k]
        mean = scores.mean(axis=1)
        out[f"mean_test_{label}"], out[f"std_test_{label}"] = mean, scores.std(axis=1)
        greater = one.greater_is_better if one.sign > 0 else True
        key = np.where(np.isnan(mean), -np.inf, mean if greater else -mean)
        out[f"rank_test_{label}"] = 1 + np.asarray([int((key > k).sum()) for k in key], dtype=np.int32)
    out["share"] = np.asarray([t["share"] for t in trials])
    return out


class GridSearchCV(BaseSearchCV):
    """Every combination of a grid.

    Parameters
    ----------
    estimator : estimator of Mercer's, a pipeline for instance
    param_grid : dict of lists, or a list of such
        Parameters of steps as ``step__parameter``.
    scoring : str, callable, list or dict, default=None
    n_jobs : int or None, default=None
    refit : bool or str, default=True
        Whether to fit the best on all rows; with several metrics, the one that decides.
    cv : int, splitter or list of pairs, default=None
    verbose : int, default=0
    return_train_score : bool, default=False
        There for calls written for scikit-learn; training scores come from :func:`cross_validate`.
    error_score : {"warn", "raise"}, default="warn"
        Whether a setting that fails is told or raises.

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
        refit: bool | str = True,
        cv: Any = None,
        verbose: int = 0,
        return_train_score: bool = False,
        error_score: str = "warn",
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
        self.param_grid = param_grid

    def _plan(self):
        return {"strategy": "list", "settings": [_settings(s) for s in ParameterGrid(self.param_grid)]}


def _settings(setting):
    return {name: _plain(value) for name, value in setting.items()}


class RandomizedSearchCV(BaseSearchCV):
    """Settings drawn from lists or distributions.

    Parameters
    ----------
    estimator : estimator of Mercer's
    param_distributions : dict, list of dicts, or str
        Lists, distributions with ``rvs``, or a space in words: ``"C=log(1e-3,1e3), penalty=[l1,l2]"``.
    n_iter : int, default=10
    scoring, n_jobs, refit, cv, verbose, return_train_score, error_score : as for GridSearchCV
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
        refit: bool | str = True,
        cv: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        return_train_score: bool = False,
        error_score: str = "warn",
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
        self.param_distributions, self.n_iter, self.random_state = param_distributions, n_iter, random_state

    def _plan(self):
        if isinstance(self.param_distributions, str):
            return {"strategy": "random", "trials": self.n_iter, "space": self.param_distributions}
        drawn = ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state)
        return {"strategy": "list", "settings": [_settings(s) for s in drawn]}


class HalvingGridSearchCV(BaseSearchCV):
    """Successive halving of a grid: many settings on few rows, the best on more and more.

    Parameters
    ----------
    estimator : estimator of Mercer's
    param_grid : dict of lists, or a list of such
    factor : float, default=3
        One setting in so many goes on, with so many times the rows.
    resource : "n_samples" or the name of a parameter, default="n_samples"
    max_resources : int or None, default=None
        The most of the parameter.
    scoring, n_jobs, refit, cv, verbose, return_train_score, error_score : as for GridSearchCV
    random_state : int or None, default=None
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: int | None = None,
        cv: Any = 5,
        scoring: Any = None,
        refit: bool | str = True,
        error_score: str = "warn",
        return_train_score: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        self.param_grid, self.factor, self.resource = param_grid, factor, resource
        self.max_resources, self.random_state = max_resources, random_state

    def _plan(self):
        return {
            "strategy": "halving",
            "settings": [_settings(s) for s in ParameterGrid(self.param_grid)],
            "factor": float(self.factor),
            "resource": None if self.resource == "n_samples" else self.resource,
            "max_resource": self.max_resources,
        }


class HalvingRandomSearchCV(HalvingGridSearchCV):
    """Successive halving of settings drawn from lists or distributions.

    Parameters
    ----------
    estimator : estimator of Mercer's
    param_distributions : dict, list of dicts, or str
        As for RandomizedSearchCV.
    n_candidates : int, default=27
    factor, resource, max_resources, cv, scoring, refit, error_score, return_train_score, random_state, n_jobs, verbose
        As for HalvingGridSearchCV.
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_candidates: int = 27,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: int | None = None,
        cv: Any = 5,
        scoring: Any = None,
        refit: bool | str = True,
        error_score: str = "warn",
        return_train_score: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            None,
            factor=factor,
            resource=resource,
            max_resources=max_resources,
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

    def _plan(self):
        plan = {"strategy": "halving", "factor": float(self.factor), "trials": self.n_candidates}
        plan["resource"] = None if self.resource == "n_samples" else self.resource
        plan["max_resource"] = self.max_resources
        if isinstance(self.param_distributions, str):
            return {**plan, "space": self.param_distributions}
        drawn = ParameterSampler(self.param_distributions, self.n_candidates, random_state=self.random_state)
        return {**plan, "settings": [_settings(s) for s in drawn]}


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
    scoring, n_jobs, refit, cv, verbose, return_train_score, error_score : as for GridSearchCV
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
        refit: bool | str = True,
        cv: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        return_train_score: bool = False,
        error_score: str = "warn",
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
