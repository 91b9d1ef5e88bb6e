"""Selection of features in Python, where the compiled part cannot; and selection by functions that score features."""

import warnings

from mercer._lazy import Lazy

np = Lazy("numpy")
_data = Lazy("mercer._data")
_frames = Lazy("mercer._frames")


class Kept:
    """What a selection that was made in Python tells of itself: the part of a compiled model that selectors ask."""

    has_categories, classes, n_targets, labels = False, None, 0, None

    def __init__(self, n_features, facts):
        self.n_features, self._facts = n_features, facts

    def attributes(self):
        return self._facts

    def certificate(self):
        return {"termination": "Exact", "success": True, "shortfall": None, "iterations": None, "objective": None,
                "evidence": [], "notes": ["selected in Python; nothing is proved"], "children": [],
                "text": "selected in Python; nothing is proved"}

    def save(self, path):
        raise NotImplementedError("a selection by a Python function or estimator cannot be saved; pickle it instead")

    def verify(self, *_):
        return []


class PythonSelector:
    """Selectors that choose in Python where the compiled part cannot."""

    _door_meant = frozenset({"importance_getter", "prefit"})

    def _fit(self, X, y=None, sample_weight=None, **fit_params):
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        if self._compiled(X, y, fit_params):
            fitted = super()._fit(X, y)
            self._after_compiled(X, y)
            return fitted
        table, names = plain_rows(self, X)
        facts = self._choose(table, y, fit_params)
        self.__dict__["_model"] = Kept(table.shape[1], facts)
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _after_compiled(self, X, y):
        """What scikit-learn keeps beside the selection."""


def plain_rows(estimator, X):
    """Rows as an array or a sparse matrix, and the names of their columns."""
    frame = _frames.adapter(X)
    if frame is not None:
        names = _frames.feature_names(frame.names)
        table = X.to_numpy() if hasattr(X, "to_numpy") else frame.matrix()
    else:
        names, table = None, X.tocsr() if _data.is_sparse(X) else np.asarray(X)
    if table.ndim != 2:
        _data.refuse_dimensions(estimator, table)
    if table.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{table}\n")
    if table.dtype.kind == "O":
        table = table.astype(np.float64)
    _data.check_columns(estimator, table.shape)
    return table, names


# Scores of single features


class UnivariateMixin(PythonSelector):
    """Selection by the score of each feature alone, by a function where `score_func` is one."""

    def _compiled(self, X, y, fit_params):
        return not callable(self.score_func)

    def _choose(self, X, y, fit_params):
        if y is not None:
            y = np.asarray(y)
            if y.ndim == 2 and y.shape[1] == 1:
                y = y.ravel()
        found = self.score_func(X, y)
        scores, pvalues = found if isinstance(found, (list, tuple)) else (found, None)
        scores = np.asarray(scores)
        pvalues = None if pvalues is None else np.asarray(pvalues)
        self._check_choice(X)
        return {"scores_": scores, "pvalues_": pvalues, "support_": self._mask(scores, pvalues)}

    def _check_choice(self, X):
        pass

    def _core_params(self):
        params = super()._core_params()
        return {**params, "score_func": "f_classif"} if callable(params["score_func"]) else params


def _clean(scores):
    """Scores whose NaN are the least."""
    scores = np.array(scores, dtype=np.float64)
    scores[np.isnan(scores)] = np.finfo(scores.dtype).min
    return scores


class KBestMixin(UnivariateMixin):
    """The best features, so many of them."""

    def _after_compiled(self, X, y):
        self._check_choice(np.empty((0, self._model.n_features)))

    def _check_choice(self, X):
        if not isinstance(self.k, str) and self.k > X.shape[1]:
            warnings.warn(
                f"k={self.k} is greater than n_features={X.shape[1]}. All the features will be returned.",
                UserWarning,
                stacklevel=6,
            )

    def _mask(self, scores, pvalues):
        mask = np.zeros(len(scores), dtype=bool)
        if self.k == "all":
            return ~mask
        if self.k > 0:
            mask[np.argsort(_clean(scores), kind="mergesort")[-self.k :]] = True
        return mask


class PercentileMixin(UnivariateMixin):
    """The best features, a share of them."""

    def _mask(self, scores, pvalues):
        if self.percentile == 100:
            return np.ones(len(scores), dtype=bool)
        if self.percentile == 0:
            return np.zeros(len(scores), dtype=bool)
        scores = _clean(scores)
        threshold = np.percentile(scores, 100 - self.percentile)
        mask = scores > threshold
        ties = np.flatnonzero(scores == threshold)
        if len(ties):
            wanted = int(len(scores) * self.percentile / 100)
            mask[ties[: wanted - mask.sum()]] = True
        return mask


class FprMixin(UnivariateMixin):
    """Features whose p value is low."""

    def _mask(self, scores, pvalues):
        return pvalues < self.alpha


class FdrMixin(UnivariateMixin):
    """Features by the rate of false discoveries (Benjamini and Hochberg)."""

    def _mask(self, scores, pvalues):
        n = len(pvalues)
        sorted_ = np.sort(pvalues)
        low = sorted_[sorted_ <= self.alpha / n * np.arange(1, n + 1)]
        return pvalues <= low.max() if len(low) else np.zeros(n, dtype=bool)


class FweMixin(UnivariateMixin):
    """Features by the probability of any false discovery (Bonferroni)."""

    def _mask(self, scores, pvalues):
        return pvalues < self.alpha / len(pvalues)
