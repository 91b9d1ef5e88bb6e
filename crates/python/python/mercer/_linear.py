"""Linear models: paths, and what their classes take and tell beside the compiled part."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._base import threads_of


def is_sparse(X):
    """Whether rows are sparse; asked before NumPy is imported."""
    from mercer._data import is_sparse

    return is_sparse(X)


# Mixins


class DenseRowsMixin:
    """Sparse rows are made dense: the learner has no use for zeros that are not there."""

    def _prepare_fit(self, X):
        return super()._prepare_fit(X.toarray() if is_sparse(X) else X)

    def _prepare(self, X, method):
        return super()._prepare(X.toarray() if is_sparse(X) else X, method)

    def __sklearn_tags__(self):
        made = super().__sklearn_tags__()
        made.input_tags.sparse = True
        return made


class GlmMixin:
    """Generalised linear models: positive targets, and the share of the deviance that is explained."""

    @property
    def _power(self):
        # Classes without the parameter are of one power.
        return getattr(self, "power", self._mercer_power)

    def score(self, X, y, sample_weight=None):
        """The share of the deviance that the model explains, D²."""
        from mercer.metrics import d2_tweedie_score

        return d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=self._power)

    def __sklearn_tags__(self):
        made = super().__sklearn_tags__()
        made.target_tags.positive_only = self._power >= 1
        return made


class PoissonMixin(GlmMixin):
    """Counts."""

    _mercer_power = 1


class GammaMixin(GlmMixin):
    """Positive numbers whose spread grows with them."""

    _mercer_power = 2


class TweedieMixin(GlmMixin):
    """Of any power."""

    _mercer_power = 0


class SparseCoefMixin:
    """Coefficients of which most are zero."""

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse matrix."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self.coef_)


class RidgeCvMixin:
    """Penalties by leave-one-out or folds; splitters and scorers of the user's are searched in Python."""

    def _core_params(self):
        import numpy as np

        params = super()._core_params()
        if not isinstance(params["alphas"], (list, tuple)):
            params["alphas"] = np.atleast_1d(params["alphas"]).tolist()
        return params

    def _searches(self):
        """Whether folds or scores are such that only Python knows them."""
        foreign = self.cv is not None and not isinstance(self.cv, numbers.Integral)
        return foreign or callable(self.scoring)

    def _fit(self, X, y=None, sample_weight=None, **extra):
        for name in ("best_score_", "cv_results_"):
            self.__dict__.pop(name, None)
        if getattr(self, "gcv_mode", None) == "svd" and is_sparse(X):
            import warnings

            message = "The 'svd' mode is not supported for sparse X: all modes give the same, and the fastest is taken."
            warnings.warn(message, FutureWarning, stacklevel=3)
        if not self._searches():
            return super()._fit(X, y, sample_weight, **extra)
        return self._search(X, y, sample_weight)

    def _search(self, X, y, sample_weight):
        import numpy as np

        from mercer.linear_model import Ridge, RidgeClassifier
        from mercer.model_selection import GridSearchCV, LeaveOneOut

        if self.store_cv_results:
            raise ValueError("cv!=None and store_cv_results=True are incompatible")
        if getattr(self, "alpha_per_target", False):
            raise ValueError("cv!=None and alpha_per_target=True are incompatible")
        classes = self._mercer_task == "Classification"
        inner = RidgeClassifier(class_weight=self.class_weight) if classes else Ridge()
        inner.set_params(fit_intercept=self.fit_intercept)
        grid = {"alpha": np.atleast_1d(self.alphas).tolist()}
        cv = LeaveOneOut() if self.cv is None else self.cv
        search = GridSearchCV(inner, grid, cv=cv, scoring=self.scoring)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        search.fit(X, y, **weights)
        given = self.alphas, self.cv, self.scoring
        try:
            self.alphas, self.cv, self.scoring = [search.best_params_["alpha"]], None, None
            super()._fit(X, y, sample_weight)
        finally:
            self.alphas, self.cv, self.scoring = given
        self.__dict__["best_score_"] = search.best_score_
        return self


# Paths


def enet_path(
    X,
    y,
    *,
    l1_ratio=0.5,
    eps=1e-3,
    n_alphas=100,
    alphas=None,
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    check_input=True,
    max_iter=1000,
    tol=1e-4,
    n_jobs=None,
):
    """The path of the elastic net, without an intercept; of several targets, with one penalty for all.

    Parameters
    ----------
    X, y : rows and target
    l1_ratio : float, default=0.5
        The share of the L1 penalty.
    eps : float, default=1e-3
        The smallest strength over the largest, where none are given.
    n_alphas : int, default=100
        How many there are then.
    alphas : array-like, default=None
        The strengths; they are taken from the largest to the smallest.
    return_n_iter : bool, default=False
        Whether to tell the passes over the coefficients, too.
    positive : bool, default=False
        Whether coefficients may not be negative.
    max_iter, tol : as for :class:`ElasticNet`
    precompute, Xy, copy_X, coef_init, verbose, check_input
        Accepted for scikit-learn's sake; they change nothing of the result.

    Returns
    -------
    alphas, coefs, dual_gaps
        Strengths, coefficients (features × strengths, for several targets targets × features × strengths), duality gaps; the
        passes where they are asked for.
    """
    import numpy as np

    from mercer._data import csr

    rows = csr(X)[0] if is_sparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    target = np.asarray(y, dtype=np.float64)
    target = target if target.ndim > 1 else target.reshape(-1, 1)
    columns = "numbers", [np.ascontiguousarray(target[:, k]) for k in range(target.shape[1])], None
    given = None if alphas is None else np.sort(np.asarray(alphas, dtype=np.float64))[::-1].tolist()
    shape = (float(l1_ratio), float(eps), int(n_alphas))
    limits = (int(max_iter), float(tol), bool(positive))
    found, coefs, gaps, passes = _mercer.net_path(rows, columns, given, shape, limits, threads_of(n_jobs))
    coefs = np.moveaxis(coefs, 0, -1)
    coefs = coefs[0] if np.ndim(y) == 1 else coefs
    made = np.asarray(found), coefs, np.asarray(gaps)
    return (*made, passes) if return_n_iter else made


def lasso_path(X, y, *, eps=1e-3, n_alphas=100, alphas=None, **params):
    """The path of the lasso, without an intercept: :func:`enet_path` with an L1 penalty alone."""
    return enet_path(X, y, l1_ratio=1.0, eps=eps, n_alphas=n_alphas, alphas=alphas, **params)


def ridge_regression(
    X,
    y,
    alpha,
    *,
    sample_weight=None,
    solver="auto",
    max_iter=None,
    tol=1e-4,
    verbose=0,
    positive=False,
    random_state=None,
    return_n_iter=False,
    return_intercept=False,
    check_input=True,
):
    """The coefficients of ridge regression; with `return_intercept` it has an intercept, which comes last."""
    from mercer.linear_model import Ridge

    made = Ridge(
        alpha=alpha, fit_intercept=return_intercept, solver=solver, max_iter=max_iter, tol=tol, positive=positive,
        random_state=random_state,
    ).fit(X, y, sample_weight)
    out = (made.coef_, *((made.n_iter_,) if return_n_iter else ()), *((made.intercept_,) if return_intercept else ()))
    return out if len(out) > 1 else made.coef_
