"""Linear models: paths, and what their classes take and tell beside the compiled part."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._base import threads_of
from mercer._squares import ColumnMixin, LabelsMixin, check_alphas, refuse_splitter, split_params_of, split_router


def is_sparse(X):
    """Whether rows are sparse; asked before NumPy is imported."""
    from mercer._data import is_sparse

    return is_sparse(X)


# Mixins


class GlmMixin:
    """Generalised linear models: positive targets, and the share of the deviance that is explained."""

    @property
    def _power(self):
        # Classes without the parameter are of one power.
        return getattr(self, "power", self._mercer_power)

    def _core_params(self):
        params = super()._core_params()
        if isinstance(params["offset"], numbers.Integral):
            params["offset"] = f"x{params['offset']}"
        return params

    def _fit_params(self, X):
        params = super()._fit_params(X)
        if isinstance(self.offset, numbers.Integral):
            params["offset"] = column_name(X, self.offset)
        return params

    def _fit(self, X, y=None, sample_weight=None, **extra):
        import numpy as np

        target = None if y is None else np.asarray(y)
        if target is not None and target.dtype.kind in "fiub" and isinstance(self._power, numbers.Real):
            beyond = (target <= 0) if self._power >= 2 else (target < 0)
            if self._power >= 1 and beyond.any():
                row = int(np.flatnonzero(beyond.ravel())[0])
                takes = "positive numbers" if self._power >= 2 else "numbers that are not negative"
                raise ValueError(
                    f"Some value(s) of y are out of the valid range of the loss of {type(self).__name__}: it takes {takes}, "
                    f"got {target.ravel()[row]} in row {row}."
                )
        return super()._fit(X, y, sample_weight, **extra)

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


def column_name(X, place):
    """The name under which the compiled part knows a column by its place."""
    from mercer import _frames

    frame = _frames.adapter(X)
    names = None if frame is None else _frames.feature_names(frame.names)
    width = X.shape[1] if names is None else len(names)
    if not -width <= place < width:
        raise ValueError(f"`offset={place}` is no column of {width}")
    return f"x{place % width}" if names is None else str(names[place])


class RidgeCvMixin(LabelsMixin, ColumnMixin):
    """Penalties by leave-one-out or folds; splitters and scorers of the user's are searched in Python."""

    @property
    def _by_column(self):
        return {} if self._mercer_task == "Classification" else {"intercept_": 0, "cv_results_": 1}

    def _core_params(self):
        import numpy as np

        params = super()._core_params()
        if not isinstance(params["alphas"], (list, tuple)):
            params["alphas"] = np.atleast_1d(params["alphas"]).tolist()
        if self._searches():
            params["cv"] = None
        if callable(self.scoring):
            params["scoring"] = None
        return params

    def _searches(self):
        """Whether folds are such that only Python knows them, or are scored by a function of the user's."""
        foreign = self.cv is not None and not isinstance(self.cv, numbers.Integral)
        return foreign or (callable(self.scoring) and self.cv is not None)

    def _mercer_spec(self):
        refuse_splitter(self, self._searches())
        return super()._mercer_spec()

    def get_metadata_routing(self):
        """scikit-learn's router to the splitter and the scorer."""
        return split_router(self, self.scoring if callable(self.scoring) else None)

    def _fit(self, X, y=None, sample_weight=None, **params):
        for name in ("alpha_", "best_score_", "cv_results_"):
            self.__dict__.pop(name, None)
        check_alphas(self.alphas, cv_is_none=self.cv is None)
        if self.cv is not None:
            for name in ("store_cv_results", "alpha_per_target"):
                if getattr(self, name, False):
                    raise ValueError(f"cv!=None and {name}=True are incompatible")
        if getattr(self, "gcv_mode", None) == "svd" and is_sparse(X):
            import warnings

            message = "The 'svd' mode is not supported for sparse X: all modes give the same, and the fastest is taken."
            warnings.warn(message, FutureWarning, stacklevel=3)
        split_params = split_params_of(self, params)
        if self._searches() or split_params:
            return self._search(X, y, sample_weight, split_params)
        if callable(self.scoring):
            return self._score_left_out(X, y, sample_weight)
        return super()._fit(X, y, sample_weight)

    def _fit_plain(self, X, y, sample_weight, **settings):
        """Fit with other settings than those given, which stay as they are."""
        given = {name: getattr(self, name) for name in settings}
        try:
            self.__dict__.update(settings)
            return super()._fit(X, y, sample_weight)
        finally:
            self.__dict__.update(given)

    def _search(self, X, y, sample_weight, split_params):
        import numpy as np

        from mercer.linear_model import Ridge, RidgeClassifier
        from mercer.model_selection import GridSearchCV, check_cv

        classes = self._mercer_task == "Classification"
        inner = RidgeClassifier(class_weight=self.class_weight) if classes else Ridge()
        inner.set_params(fit_intercept=self.fit_intercept)
        grid = {"alpha": np.atleast_1d(self.alphas).tolist()}
        cv = list(check_cv(self.cv, y, classifier=classes).split(X, y, **split_params)) if split_params else self.cv
        search = GridSearchCV(inner, grid, cv=cv, scoring=self.scoring)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        search.fit(X, y, **weights)
        # The only penalty left is scored by folds, so that it may be zero.
        best = search.best_params_["alpha"]
        fold = 2 if best == 0 else None
        self._fit_plain(X, y, sample_weight, alphas=[best], cv=fold, scoring=None)
        self.__dict__["best_score_"] = search.best_score_
        return self

    def _score_left_out(self, X, y, sample_weight):
        """A function of the user's scores the predictions of rows that were left out, as it would those of an estimator."""
        import numpy as np

        metric = "accuracy" if self._mercer_task == "Classification" else "r2"
        self._fit_plain(X, y, sample_weight, scoring=metric, store_cv_results=True)
        said = np.asarray(self._model.attributes()["cv_results_"])
        target = np.asarray(y)
        alphas = np.atleast_1d(self.alphas).tolist()
        each = getattr(self, "alpha_per_target", False) and target.ndim == 2 and target.shape[1] > 1
        identity = _LeftOut(self)
        weights = {} if sample_weight is None else {"sample_weight": np.broadcast_to(sample_weight, len(target))}

        def scores(a):
            answers = said[..., a]
            if each:
                parts = range(target.shape[1])
                return [self.scoring(identity, answers[:, k], target[:, k], **weights) for k in parts]
            shaped = answers if identity.classes else answers.reshape(target.shape)
            return self.scoring(identity, shaped, target, **weights)

        found = np.asarray([scores(a) for a in range(len(alphas))])
        best = np.argmax(found, axis=0)
        chosen = np.asarray(alphas)[best]
        kept = said if self.store_cv_results else None
        if each:
            self._fit_plain(X, y, sample_weight, scoring=metric)
        elif len(alphas) > 1:
            self._fit_plain(X, y, sample_weight, alphas=[float(chosen)], scoring=None)
        if each and not np.array_equal(chosen, np.atleast_1d(self._model.attributes()["alpha_"])):
            raise NotImplementedError("a function of the user's that chooses other penalties for each target than R² does")
        self.__dict__["best_score_"] = np.max(found, axis=0)
        if kept is not None:
            column = target.ndim == 2 and target.shape[1] == 1 and kept.ndim == 2
            self.__dict__["cv_results_"] = kept[:, None, :] if column else kept
        return self


class _LeftOut:
    """An estimator whose rows are its answers, for scorers of predictions that are known."""

    def __init__(self, owner):
        self.classes = owner._mercer_task == "Classification"
        self._estimator_type = "classifier" if self.classes else "regressor"
        self._owner = owner
        if self.classes:
            self.classes_ = owner.classes_

    def __sklearn_tags__(self):
        return self._owner.__sklearn_tags__()

    def __sklearn_is_fitted__(self):
        return True

    def decision_function(self, answers):
        return answers[:, 0] if answers.ndim == 2 and answers.shape[1] == 1 else answers

    def predict(self, answers):
        if not self.classes:
            return answers
        import numpy as np

        if isinstance(self.classes_, list):
            return np.stack([own[(answers[:, k] > 0).astype(int)] for k, own in enumerate(self.classes_)], axis=1)
        answers = self.decision_function(answers)
        at = (answers > 0).astype(int) if answers.ndim == 1 else answers.argmax(axis=1)
        return np.asarray(self.classes_)[at]


# Paths


def enet_path(
    X,
    y,
    *,
    l1_ratio=0.5,
    eps=1e-3,
    n_alphas="deprecated",
    alphas=100,
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
    **params,
):
    """The path of the elastic net, without an intercept; of several targets, with one penalty for all.

    Parameters
    ----------
    X, y : rows and target
    l1_ratio : float, default=0.5
        The share of the L1 penalty.
    eps : float, default=1e-3
        The smallest strength over the largest, where none are given.
    n_alphas : int
        Deprecated: give `alphas` the number.
    alphas : int or array-like, default=100
        How many strengths, or which; they are taken from the largest to the smallest.
    return_n_iter : bool, default=False
        Whether to tell the passes over the coefficients, too.
    positive : bool, default=False
        Whether coefficients may not be negative.
    max_iter, tol : as for :class:`ElasticNet`
    precompute, Xy : products of the rows, which are checked and not needed
    copy_X, coef_init, verbose, check_input
        Accepted for scikit-learn's sake; they change nothing of the result.

    Returns
    -------
    alphas, coefs, dual_gaps
        Strengths, coefficients (features × strengths, for several targets targets × features × strengths), duality gaps; the
        passes where they are asked for.
    """
    import numpy as np

    from mercer._data import csr

    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    alphas = _counted(n_alphas, alphas)
    rows = csr(X)[0] if is_sparse(X) else np.asarray(X, dtype=np.float64)
    target = np.asarray(y, dtype=np.float64)
    if positive and target.ndim > 1:
        raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
    if not is_sparse(X):
        check_product("precompute", precompute, rows, rows)
        check_product("Xy", Xy, rows, target)
    target = target if target.ndim > 1 else target.reshape(-1, 1)
    columns = "numbers", [np.ascontiguousarray(target[:, k]) for k in range(target.shape[1])], None
    count = isinstance(alphas, numbers.Integral)
    given = None if count else np.sort(np.asarray(alphas, dtype=np.float64))[::-1].tolist()
    shape = (float(l1_ratio), float(eps), int(alphas) if count else 1)
    limits = (int(max_iter), float(tol), bool(positive))
    found, coefs, gaps, passes = _mercer.net_path(rows, columns, given, shape, limits, threads_of(n_jobs))
    coefs = np.moveaxis(coefs, 0, -1)
    coefs = coefs[0] if np.ndim(y) == 1 else coefs
    made = np.asarray(found), coefs, np.asarray(gaps)
    return (*made, passes) if return_n_iter else made


def _counted(n_alphas, alphas):
    """The strengths or their number, with scikit-learn's warnings about the older way to say it."""
    import warnings

    if n_alphas != "deprecated":
        message = "'n_alphas' was deprecated in 1.9 and will be removed in 1.11. 'alphas' now accepts an integer value."
        warnings.warn(message, FutureWarning, stacklevel=4)
        return alphas if alphas is not None and not isinstance(alphas, numbers.Integral) else n_alphas
    if alphas is None:
        message = "'alphas=None' is deprecated and will be removed in 1.11, at which point the default value will be set to 100."
        warnings.warn(message, FutureWarning, stacklevel=4)
        return 100
    return alphas


def check_product(name, given, rows, other):
    """Refuses a product of the rows with others that is not theirs: what is given twice must agree."""
    import numpy as np

    if isinstance(given, (str, bool)) or given is None:
        return
    made = rows.T @ other
    if np.shape(given) != np.shape(made) or not np.allclose(given, made):
        raise ValueError(f"`{name}` is not what X and y make it")


def lasso_path(X, y, *, eps=1e-3, n_alphas="deprecated", alphas=100, **params):
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
    """The coefficients of ridge regression; with `return_intercept` it has an intercept, which comes last.

    As in scikit-learn, only the solvers 'auto' and 'sag' take `return_intercept` here, only 'auto' and 'lbfgs' `positive`, and
    'lbfgs' nothing else; :class:`Ridge` is less strict. `verbose` and `check_input` change nothing of the result.
    """
    from mercer.linear_model import Ridge

    if return_intercept and solver not in ("auto", "sag"):
        raise ValueError(
            "In Ridge, only 'sag' solver can directly fit the intercept. Please change solver to 'sag' or set "
            "return_intercept=False."
        )
    if positive and solver not in ("auto", "lbfgs"):
        raise ValueError(
            f"When positive=True, only 'lbfgs' solver can be used. Please change solver {solver} to 'lbfgs' or set "
            "positive=False."
        )
    if solver == "lbfgs" and not positive:
        raise ValueError("'lbfgs' solver can be used only when positive=True. Please use another solver.")

    made = Ridge(
        alpha=alpha, fit_intercept=return_intercept, solver=solver, max_iter=max_iter, tol=tol, positive=positive,
        random_state=random_state,
    ).fit(X, y, sample_weight)
    out = (made.coef_, *((made.n_iter_,) if return_n_iter else ()), *((made.intercept_,) if return_intercept else ()))
    return out if len(out) > 1 else made.coef_
