"""Selection of features by estimators of scikit-learn's contract. Where all parts are Mercer's, the compiled part selects;
else it is done here, by the same rules."""

import numbers
import sys
import warnings

from mercer._lazy import Lazy
from mercer._members import Available
from mercer._univariate import FdrMixin, FprMixin, FweMixin, KBestMixin, Kept, PercentileMixin, PythonSelector, plain_rows

__all__ = [
    "EliminationCVMixin",
    "EliminationMixin",
    "FdrMixin",
    "FprMixin",
    "FromModelMixin",
    "FweMixin",
    "KBestMixin",
    "PercentileMixin",
    "SequentialMixin",
]

np = Lazy("numpy")
_data = Lazy("mercer._data")
_frames = Lazy("mercer._frames")


def _clone(estimator):
    """An unfitted copy of any estimator of scikit-learn's contract."""
    from mercer._base import Estimator
    from mercer._validate import clone

    if isinstance(estimator, Estimator):
        return clone(estimator)
    sklearn = sys.modules.get("sklearn.base")
    if sklearn is not None:
        return sklearn.clone(estimator)
    return type(estimator)(**estimator.get_params(deep=False))


def _is_flat(y):
    return y is None or np.asarray(y).ndim == 1


def _is_ours(estimator):
    from mercer._base import Estimator

    return isinstance(estimator, Estimator)


def _importances(estimator, getter, norm_order=None):
    """The importance of each feature: of several targets the norm, or the sum of squares without `norm_order`."""
    if callable(getter):
        found = getter(estimator)
    elif getter != "auto":
        found = estimator
        for name in getter.split("."):
            found = getattr(found, name)
    else:
        found = getattr(estimator, "coef_", None)
        if found is None:
            found = getattr(estimator, "feature_importances_", None)
        if found is None:
            raise ValueError(
                f"when `importance_getter=='auto'`, the underlying estimator {type(estimator).__name__} should have `coef_` "
                "or `feature_importances_` attribute. Either pass a fitted estimator to feature selector or call fit before "
                "calling transform."
            )
    if hasattr(found, "toarray"):
        found = found.toarray()
    found = np.asarray(found)
    if norm_order is None:
        return found**2 if found.ndim == 1 else (found**2).sum(axis=0)
    return np.abs(found) if found.ndim == 1 else np.linalg.norm(found, axis=0, ord=norm_order)


def _estimator_has(name):
    return lambda selector: hasattr(getattr(selector, "estimator_", selector.estimator), name)


class InnerMixin(PythonSelector):
    """Selectors that fit an estimator, and answer by it."""

    def _core_params(self):
        params = super()._core_params()
        if not _is_ours(params["estimator"]) and not isinstance(params["estimator"], (str, type(None))):
            params["estimator"] = None
        return params

    def _by_rust(self, fit_params):
        return not fit_params and self.importance_getter == "auto" and (self.estimator is None or _is_ours(self.estimator))


class EliminationMixin(InnerMixin):
    """Recursive elimination."""

    def _compiled(self, X, y, fit_params):
        return self._by_rust(fit_params) and _is_flat(y)

    def _after_compiled(self, X, y):
        if _is_ours(self.estimator):
            rows = plain_rows(self, X)[0][:, self.get_support()]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.__dict__["estimator_"] = _clone(self.estimator).fit(rows, y)

    def _wanted(self, n_features):
        wanted = self.n_features_to_select
        if wanted is None:
            return n_features // 2
        if not isinstance(wanted, numbers.Integral):
            return int(n_features * wanted)
        if wanted > n_features:
            warnings.warn(
                f"Found n_features_to_select={wanted} > n_features={n_features}. There will be no feature selection and all "
                "features will be kept.",
                UserWarning,
                stacklevel=6,
            )
        return wanted

    def _choose(self, X, y, fit_params):
        facts, self.__dict__["estimator_"] = _eliminate(self, X, y, self._wanted(X.shape[1]), fit_params)
        return facts

    @property
    def classes_(self):
        """The classes of the estimator inside."""
        return self.estimator_.classes_

    def _asked(self, X):
        self._model
        return self.transform(X)

    def predict(self, X, **params):
        """What the estimator says of the selected features."""
        return self.estimator_.predict(self._asked(X), **params)

    def score(self, X, y, **params):
        """How well the estimator does on the selected features."""
        return self.estimator_.score(self._asked(X), y, **params)

    def _proba(self, X):
        """The class probabilities that the estimator gives."""
        return self.estimator_.predict_proba(self._asked(X))

    def _log_proba(self, X):
        """The logarithm of the class probabilities."""
        return self.estimator_.predict_log_proba(self._asked(X))

    def _decision(self, X):
        """The decision values of the estimator."""
        return self.estimator_.decision_function(self._asked(X))

    predict = Available(predict, _estimator_has("predict"))
    score = Available(score, _estimator_has("score"))
    predict_proba = Available(_proba, _estimator_has("predict_proba"))
    predict_log_proba = Available(_log_proba, _estimator_has("predict_log_proba"))
    decision_function = Available(_decision, _estimator_has("decision_function"))


def _step(selector, n_features):
    return max(1, int(selector.step * n_features)) if 0.0 < selector.step < 1.0 else int(selector.step)


def _eliminate(selector, X, y, wanted, fit_params, watch=None):
    """Leaves out the least important features until `wanted` are left; `watch` is told of each fit."""
    n = X.shape[1]
    support, ranking, step = np.ones(n, dtype=bool), np.ones(n, dtype=int), _step(selector, n)
    while support.sum() > wanted:
        features = np.flatnonzero(support)
        model = _clone(selector.estimator).fit(X[:, features], y, **fit_params)
        order = np.ravel(np.argsort(_importances(model, selector.importance_getter)))
        if watch is not None:
            watch(model, features, ranking, support)
        few = min(step, int(support.sum()) - wanted)
        support[features[order][:few]] = False
        ranking[~support] += 1
    features = np.flatnonzero(support)
    model = _clone(selector.estimator).fit(X[:, features], y, **fit_params)
    if watch is not None:
        watch(model, features, ranking, support)
    return {"support_": support, "ranking_": ranking, "n_features_": int(support.sum())}, model


class EliminationCVMixin(EliminationMixin):
    """Recursive elimination with cross validation."""

    def _compiled(self, X, y, fit_params):
        plain = isinstance(self.cv, (int, type(None))) and isinstance(self.scoring, (str, type(None)))
        return super()._compiled(X, y, fit_params) and plain

    def _core_params(self):
        params = super()._core_params()
        return {**params, "cv": params["cv"] if isinstance(params["cv"], int) else None}

    def _choose(self, X, y, fit_params):
        n, groups = X.shape[1], fit_params.pop("groups", None)
        least = self.min_features_to_select
        if least > n:
            warnings.warn(
                f"Found min_features_to_select={least} > n_features={n}. There will be no feature selection and all features "
                "will be kept.",
                UserWarning,
                stacklevel=6,
            )
        scores, rankings, supports, sizes = [], [], [], []
        for train, test in _splits(self, X, y, groups):
            found = []

            def watch(model, features, ranking, support):
                score = _score(self.scoring, model, X[test][:, features], _take(y, test))
                found.append((score, ranking.copy(), support.copy(), len(features)))

            _eliminate(self, X[train], _take(y, train), least, fit_params, watch)
            found.reverse()
            scores.append([f[0] for f in found])
            rankings.append([f[1] for f in found])
            supports.append([f[2] for f in found])
            sizes = [f[3] for f in found]
        scores = np.asarray(scores, dtype=np.float64)
        best = sizes[int(np.argmax(scores.sum(axis=0)))]
        facts, self.__dict__["estimator_"] = _eliminate(self, X, y, best, fit_params)
        facts["cv_results_"] = {
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            **{f"split{i}_test_score": own for i, own in enumerate(scores)},
            **{f"split{i}_ranking": np.asarray(own) for i, own in enumerate(rankings)},
            **{f"split{i}_support": np.asarray(own) for i, own in enumerate(supports)},
            "n_features": np.asarray(sizes),
        }
        return facts


def _splits(selector, X, y, groups=None):
    from mercer._splits import check_cv

    kind = getattr(selector.estimator, "_estimator_type", None)
    if kind is None and hasattr(selector.estimator, "__sklearn_tags__"):
        kind = selector.estimator.__sklearn_tags__().estimator_type
    splitter = check_cv(selector.cv, y, classifier=kind == "classifier")
    return list(splitter.split(X, y, groups) if groups is not None else splitter.split(X, y))


def _take(y, rows):
    return None if y is None or np.ndim(y) == 0 else np.asarray(y)[rows]


def _score(scoring, model, X, y):
    """The score of a fitted model: its own, a function's, or by name."""
    if callable(scoring):
        return scoring(model, X, y)
    if isinstance(scoring, str):
        from mercer import metrics

        return metrics.get_scorer(scoring)(model, X, y)
    return model.score(X) if y is None else model.score(X, y)


class FromModelMixin(InnerMixin):
    """Selection by the importances of a model."""

    def _compiled(self, X, y, fit_params):
        return self._by_rust(fit_params) and not self.prefit and not callable(self.max_features) and _is_flat(y)

    def _after_compiled(self, X, y):
        # The compiled part keeps its model to itself; scikit-learn's users look at it.
        self.__dict__.pop("estimator_", None)
        self._check_most(X)
        if _is_ours(self.estimator):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.__dict__["estimator_"] = _clone(self.estimator).fit(X, y)

    def _choose(self, X, y, fit_params):
        self._check_most(X)
        if self.prefit:
            import copy

            self._refuse_unfitted()
            self.__dict__["estimator_"] = copy.deepcopy(self.estimator)
        else:
            self.__dict__["estimator_"] = _clone(self.estimator).fit(X, y, **fit_params)
        return {}

    def _fit(self, X, y=None, sample_weight=None, **fit_params):
        rows = X
        if _frames.adapter(X) is None:
            return super()._fit(X, y, sample_weight, **fit_params)
        # The estimator inside sees the frame, so that it knows the names.
        if self._compiled(X, y, fit_params):
            return super()._fit(X, y, sample_weight, **fit_params)
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        facts = self._choose(rows, y, fit_params)
        self.__dict__["_model"] = Kept(rows.shape[1], facts)
        self.__dict__.pop("feature_names_in_", None)
        names = _frames.feature_names(_frames.adapter(X).names)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _check_most(self, X):
        most = self.max_features
        if most is None:
            self.__dict__.pop("max_features_", None)
            return
        most = most(X) if callable(most) else most
        if not isinstance(most, numbers.Integral):
            raise TypeError(f"max_features must be an instance of int, not {type(most).__name__}.")
        if most < 0:
            raise ValueError(f"max_features == {most}, must be >= 0.")
        self.__dict__["max_features_"] = most

    def _refuse_unfitted(self):
        from mercer._exceptions import not_fitted_error

        fitted = getattr(self.estimator, "__sklearn_is_fitted__", None)
        attributes = [n for n in vars(self.estimator) if n.endswith("_") and not n.startswith("_")]
        if not (fitted() if fitted is not None else attributes):
            raise not_fitted_error("When `prefit=True`, `estimator` is expected to be a fitted estimator.")

    def _partial_fit(self, X, y=None, **partial_fit_params):
        """Fit the estimator to more rows."""
        first = "estimator_" not in self.__dict__
        if self.prefit:
            return self if not first else self._fit(X, y)
        self._check_most(X)
        if first:
            names = _frames.feature_names(_frames.adapter(X).names) if _frames.adapter(X) is not None else None
            self.__dict__["estimator_"] = _clone(self.estimator)
            self.__dict__["_model"] = Kept(np.shape(X)[1], {})
            if names is not None:
                self.feature_names_in_ = names
        elif _frames.adapter(X) is not None:
            _data.check_names(self, _frames.feature_names(_frames.adapter(X).names))
        self.estimator_.partial_fit(X, y, **partial_fit_params)
        return self

    _partial_fit.__name__ = "partial_fit"
    partial_fit = Available(_partial_fit, lambda selector: hasattr(selector.estimator, "partial_fit"))

    def _scores(self):
        return _importances(self.__dict__.get("estimator_", self.estimator), self.importance_getter, self.norm_order)

    @property
    def threshold_(self):
        """The importance from which on features are kept."""
        if "estimator_" not in self.__dict__ and not self.prefit:
            return self._model.attributes()["threshold_"]
        return self._threshold(self._scores())

    def _threshold(self, scores):
        threshold = self.threshold
        if threshold is None:
            return 1e-5 if _sets_zeros(self.__dict__.get("estimator_", self.estimator)) else scores.mean()
        if not isinstance(threshold, str):
            return float(threshold)
        scale, star, reference = threshold.rpartition("*")
        reference = reference.strip()
        if reference not in ("mean", "median"):
            if star:
                raise ValueError("Unknown reference: " + reference)
            raise ValueError(f"Expected threshold='mean' or threshold='median' got {threshold}")
        value = np.median(scores) if reference == "median" else np.mean(scores)
        return float(scale.strip()) * value if star else value

    def get_support(self, indices=False):
        """Which features are kept: a mask, or with `indices` their places."""
        if "estimator_" not in self.__dict__:
            if not self.prefit:
                return super().get_support(indices)
            self._refuse_unfitted()
        if self.prefit and callable(self.max_features) and "max_features_" not in self.__dict__:
            from mercer._exceptions import not_fitted_error

            raise not_fitted_error(
                "When `prefit=True` and `max_features` is a callable, call `fit` before calling `transform`."
            )
        most = self.__dict__.get("max_features_", self.max_features)
        if most is not None and not isinstance(most, numbers.Integral):
            raise ValueError(f"`max_features` must be an integer. Got `max_features={most}` instead.")
        scores = self._scores()
        mask = np.ones(len(scores), dtype=bool)
        if most is not None:
            mask[:] = False
            mask[np.argsort(-scores, kind="mergesort")[:most]] = True
        mask[scores < self._threshold(scores)] = False
        return np.flatnonzero(mask) if indices else mask


def _sets_zeros(estimator):
    """Whether a penalty sets coefficients to zero, so that all others are kept: as declared, or as the parameters say."""
    if getattr(estimator, "penalty", None) == "l1" or "Lasso" in type(estimator).__name__:
        return True
    ratio = getattr(estimator, "l1_ratio", None)
    return ratio is not None and not isinstance(ratio, (list, tuple)) and bool(np.isclose(ratio, 1.0))


class SequentialMixin(PythonSelector):
    """Selection one by one."""

    def __getattr__(self, name):
        if name == "n_features_to_select_" and "_model" in self.__dict__:
            return int(self.get_support().sum())
        return super().__getattr__(name)

    def _compiled(self, X, y, fit_params):
        plain = isinstance(self.cv, (int, type(None))) and isinstance(self.scoring, (str, type(None)))
        if self.estimator is None:
            return True
        fits = y is not None and _is_flat(y) and not _data.is_sparse(X)
        return plain and _is_ours(self.estimator) and not fit_params and fits

    def _core_params(self):
        params = super()._core_params()
        if not _is_ours(params["estimator"]) and not isinstance(params["estimator"], (str, type(None))):
            params["estimator"] = None
        return {**params, "cv": params["cv"] if isinstance(params["cv"], int) else None}

    def _fit(self, X, y=None, sample_weight=None, **fit_params):
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        wanted = self.n_features_to_select
        if len(shape) == 2 and isinstance(wanted, numbers.Integral) and wanted >= shape[1]:
            raise ValueError("n_features_to_select must be < n_features.")
        if self.tol is not None and self.tol < 0 and self.direction == "forward":
            raise ValueError("tol must be strictly positive when doing forward selection")
        return super()._fit(X, y, sample_weight, **fit_params)

    def _choose(self, X, y, fit_params):
        n, wanted = X.shape[1], self.n_features_to_select
        auto = wanted == "auto"
        if auto:
            wanted = n - 1 if self.tol is not None else n // 2
        elif not isinstance(wanted, numbers.Integral):
            wanted = int(n * wanted)
        forward = self.direction == "forward"
        splits, changed, old = _splits(self, X, y), np.zeros(n, dtype=bool), -np.inf
        for _ in range(wanted if auto or forward else n - wanted):
            scores = {}
            for j in np.flatnonzero(~changed):
                tried = changed.copy()
                tried[j] = True
                scores[j] = self._mean_score(X[:, tried if forward else ~tried], y, splits, fit_params)
            best = max(scores, key=scores.get)
            if auto and self.tol is not None and scores[best] - old < self.tol:
                break
            old = scores[best]
            changed[best] = True
        support = changed if forward else ~changed
        return {"support_": support, "n_features_to_select_": int(support.sum())}

    def _mean_score(self, X, y, splits, fit_params):
        scores = []
        for train, test in splits:
            model = _clone(self.estimator)
            model.fit(X[train], **fit_params) if y is None else model.fit(X[train], _take(y, train), **fit_params)
            scores.append(_score(self.scoring, model, X[test], _take(y, test)))
        return float(np.mean(scores))
