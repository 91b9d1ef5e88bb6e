"""Cross validation and search, run by the compiled part as one piece: all cores, one pass of preparation for settings
that share it, Ctrl-C at any time."""

from __future__ import annotations

import numbers

import numpy as np

from mercer import _mercer
from mercer._base import Estimator, parameter_names, seed_of, threads_of
from mercer._scoring import scorers
from mercer._splits import check_cv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Job:
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
        if isinstance(params.get("class_weight"), dict):
            raise TypeError("class_weight as a dict is not offered here; give sample_weight, or 'balanced'")
        if groups is not None:
            groups = np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint32)
        self.groups = groups
        self.what = (estimator._mercer_name, params, x, target, weights, groups, self.dtype)
        self.task = estimator._mercer_task
        self.classes = None
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
    job = _Job(estimator, X, y, groups, sample_weight)
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
    job = _Job(estimator, X, y, groups, sample_weight)
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
    job = _Job(estimator, X, y, groups)
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
    job = _Job(estimator, X, y, groups)
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
    job = _Job(estimator, X, y, groups)
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
        job = _Job(self.estimator, X, y, groups, sample_weight)
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
