"""Least angles and matching pursuit: paths, and what their classes take and tell beside the compiled part."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._exceptions import convergence_warning

EARLY = (
    "Orthogonal matching pursuit ended prematurely due to linear dependence in the dictionary. The requested precision might not "
    "have been met."
)


# Mixins


def _intercept(estimator, value):
    """The intercept as a number of NumPy's; one zero for all targets where none was fitted, as in scikit-learn."""
    import numpy as np

    kind = np.float32 if estimator.__dict__.get("_single") else np.float64
    return kind(0.0) if not estimator.fit_intercept and not np.any(value) else np.asarray(value, dtype=kind)[()]


class LeastAngleMixin:
    """Least angle regressions."""

    # A little noise on the target is drawn here, by the seed and the generator that scikit-learn draws it by.
    _door_meant = frozenset({"jitter"})

    def _fit(self, X, y=None, sample_weight=None, *, Xy=None, copy_X=None, **extra):
        # Nothing is ever written to, whatever `copy_X` says.
        if Xy is not None and y is not None:
            import numpy as np

            from mercer._linear import check_product

            check_product("Xy", Xy, np.asarray(X, dtype=float), np.asarray(y, dtype=float))
        if getattr(self, "jitter", None) is not None and y is not None:
            import numpy as np

            from mercer._python_draws import generator

            y = np.asarray(y, dtype=float)
            noise = generator(self.random_state).uniform(high=self.jitter, size=len(y))
            y = y + (noise if y.ndim == 1 else noise[:, None])
        made = super()._fit(X, y, sample_weight, **extra)
        self._tell()
        return made

    def _tell(self):
        notes = [note for note in self._model.certificate()["notes"] if note.startswith("features that others span")]
        if notes:
            import warnings

            message = f"Regressors in active set degenerate. Dropping a regressor: {notes[0]}."
            warnings.warn(message, convergence_warning(), stacklevel=4)

    def __getattr__(self, name):
        value = super().__getattr__(name)
        if name == "intercept_":
            return _intercept(self, value)
        if name != "coef_path_":
            return value
        if isinstance(value, list):
            value = [one.reshape(self.n_features_in_, -1) for one in value]
            return [one.astype("float32") for one in value] if self.__dict__.get("_single") else value
        return value.astype("float32") if self.__dict__.get("_single") else value


class FoldsMixin:
    """Learners that choose by folds, which may come from a splitter of the user's as long as they part the rows."""

    def _core_params(self):
        params, order = super()._core_params(), self.__dict__.get("_folds")
        return params if order is None else {**params, "cv": int(order.max()) + 1}

    def _fit_options(self):
        folds = self.__dict__.get("_folds")
        return super()._fit_options() if folds is None else {**super()._fit_options(), "groups": folds}

    def _fit(self, X, y=None, sample_weight=None, **extra):
        self.__dict__.pop("_fold_order", None)
        if self.cv is None or isinstance(self.cv, numbers.Integral):
            return super()._fit(X, y, sample_weight, **extra)
        self.__dict__["_folds"] = folds = self._numbered(X, y)
        try:
            made = super()._fit(X, y, sample_weight, **extra)
        finally:
            del self.__dict__["_folds"]
        import numpy as np

        # The compiled part takes folds from the largest, and of equal ones the last first.
        sizes = np.bincount(folds)
        self.__dict__["_fold_order"] = np.argsort(sorted(range(len(sizes)), key=lambda f: (-sizes[f], -f)))
        return made

    def _numbered(self, X, y):
        """The fold of each row."""
        import numpy as np

        from mercer._checks import n_rows
        from mercer._splits import check_cv

        n = n_rows(X)
        folds, pairs = np.full(n, -1, dtype=np.int64), list(check_cv(self.cv).split(X, y))
        for number, (train, test) in enumerate(pairs):
            rest = np.setdiff1d(np.arange(n), test)
            if (folds[test] >= 0).any() or not np.array_equal(np.sort(train), rest):
                break
            folds[test] = number
        if (folds < 0).any() or len(pairs) < 2:
            raise ValueError(
                f"`cv` of {type(self).__name__} must part the rows: each is held out once, and trained on otherwise. Got {self.cv!r}"
            )
        return folds.astype(np.uint32)

    def __getattr__(self, name):
        value = super().__getattr__(name)
        order = self.__dict__.get("_fold_order") if name == "mse_path_" else None
        return value if order is None else value[:, order]

    def get_metadata_routing(self):
        """scikit-learn's router of parameters to the splitter."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        from mercer._splits import check_cv

        mapping = MethodMapping().add(caller="fit", callee="split")
        return MetadataRouter(owner=self).add(splitter=check_cv(self.cv), method_mapping=mapping)


class LarsCvMixin(FoldsMixin, LeastAngleMixin):
    """Least angle regressions that end where folds say."""

    def _tell(self):
        if hasattr(self.precompute, "__array__"):
            import warnings

            message = (
                f'Parameter "precompute" cannot be an array in {type(self).__name__}. Automatically switch to "auto" instead.'
            )
            warnings.warn(message, UserWarning, stacklevel=4)


class PursuitMixin:
    """Matching pursuits."""

    def _fit(self, X, y=None, sample_weight=None, **extra):
        made = super()._fit(X, y, sample_weight, **extra)
        if any(note.startswith("the pursuit ended early") for note in self._model.certificate()["notes"]):
            import warnings

            warnings.warn(EARLY, RuntimeWarning, stacklevel=3)
        return made

    def __getattr__(self, name):
        if name == "n_nonzero_coefs_" and "_model" in self.__dict__ and name not in self._model.attributes():
            # A tolerance said when to stop.
            return None
        value = super().__getattr__(name)
        return _intercept(self, value) if name == "intercept_" else value


class PursuitCvMixin(FoldsMixin, PursuitMixin):
    """Matching pursuits with as many features as folds say."""


# Functions


def _finished(found, single, return_path, return_n_iter):
    import numpy as np

    alphas, active, coefs = found
    kind = np.float32 if single else np.float64
    alphas, coefs = np.asarray(alphas, dtype=kind), coefs.astype(kind, copy=False)
    path = (alphas, coefs) if return_path else (alphas[-1:], coefs[:, -1])
    out = path[0], list(active), path[1]
    return (*out, len(alphas) - 1) if return_n_iter else out


def _how(method, positive, max_iter, alpha_min):
    if method not in ("lar", "lasso"):
        raise ValueError(f"method must be 'lar' or 'lasso', got {method!r}")
    if method == "lar" and positive:
        raise ValueError("Positive constraint not supported for 'lar' coding method.")
    steps = 2**53 if max_iter == float("inf") else int(max_iter)
    return method == "lasso", bool(positive), steps, float(alpha_min)


def lars_path(
    X,
    y,
    Xy=None,
    *,
    Gram=None,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=2.0**-52,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
):
    """The path of least angles, or with ``method="lasso"`` of the lasso, without an intercept.

    Parameters
    ----------
    X, y : rows and target
    Xy : array-like of shape (n_features,), default=None
        Products of the columns with the target, taken where `Gram` is an array.
    Gram : None, "auto", bool or array-like of shape (n_features, n_features), default=None
        Products of the columns, taken in place of the rows where it is an array.
    max_iter : int, default=500
        Most steps.
    alpha_min : float, default=0
        The strength at which the path ends.
    method : {"lar", "lasso"}, default="lar"
    return_path, return_n_iter : bool
        Whether to give the whole path, and the number of steps.
    positive : bool, default=False
        Whether coefficients may not be negative; of the lasso alone.
    copy_X, eps, copy_Gram, verbose
        Accepted for scikit-learn's sake; they change nothing of the result.

    Returns
    -------
    alphas, active, coefs
        The correlations at the knots over the rows, the features in the order in which they came, and the coefficients
        (features × knots).
    """
    import numpy as np

    given = not (Gram is None or isinstance(Gram, (str, bool)))
    if X is None and Gram is not None:
        raise ValueError("X cannot be None if Gram is not None. Use lars_path_gram to avoid passing X and y.")
    if X is None:
        raise ValueError("X and Gram cannot both be unspecified.")
    if given:
        Xy = np.asarray(X).T @ np.asarray(y) if Xy is None else Xy
        return lars_path_gram(
            Xy, Gram, n_samples=len(y), max_iter=max_iter, alpha_min=alpha_min, method=method, return_path=return_path,
            return_n_iter=return_n_iter, positive=positive,
        )
    rows, target = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
    how = _how(method, positive, max_iter, alpha_min)
    found = _mercer.angles_path(rows, ("numbers", [target.ravel()], None), how)
    single = np.asarray(X).dtype == np.asarray(y).dtype == np.float32
    return _finished(found, single, return_path, return_n_iter)


def lars_path_gram(
    Xy,
    Gram,
    *,
    n_samples,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=2.0**-52,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
):
    """The path of least angles from products alone, as :func:`lars_path` gives it.

    Parameters
    ----------
    Xy : array-like of shape (n_features,)
        Products of the columns with the target.
    Gram : array-like of shape (n_features, n_features)
        Products of the columns.
    n_samples : int or float
        The number of rows, by which correlations are divided.
    max_iter, alpha_min, method, return_path, return_n_iter, positive : as for :func:`lars_path`
    copy_X, eps, copy_Gram, verbose
        Accepted for scikit-learn's sake; they change nothing of the result.

    Returns
    -------
    alphas, active, coefs
    """
    import numpy as np

    products, xy = np.asarray(Gram), np.asarray(Xy)
    if xy.ndim != 1 or products.shape != (len(xy), len(xy)):
        raise ValueError("The shapes of the inputs Gram and Xy do not match.")
    how = _how(method, positive, max_iter, alpha_min)
    gram = np.ascontiguousarray(products, dtype=np.float64)
    found = _mercer.angles_path_gram(gram, xy.astype(float).tolist(), float(n_samples), how)
    return _finished(found, products.dtype == xy.dtype == np.float32, return_path, return_n_iter)


def _wanted(n_nonzero_coefs, tol, n_features):
    if tol is not None:
        if tol < 0:
            raise ValueError("Epsilon cannot be negative")
        return 1, float(tol)
    wanted = max(n_features // 10, 1) if n_nonzero_coefs is None else n_nonzero_coefs
    if wanted <= 0:
        raise ValueError("The number of atoms must be positive")
    if wanted > n_features:
        raise ValueError("The number of atoms cannot be more than the number of features")
    return int(wanted), None


def _pursued(found, kind, return_path, return_n_iter):
    import warnings

    import numpy as np

    paths, early = found
    if early:
        warnings.warn(EARLY, RuntimeWarning, stacklevel=3)
    counts, n_features = [path.shape[1] for path in paths], paths[0].shape[0]
    if return_path:
        steps = min(counts)
        coefs = np.stack([path[:, :steps] for path in paths], axis=1)
    else:
        last = [path[:, -1] if path.shape[1] else np.zeros(n_features) for path in paths]
        coefs = np.stack(last, axis=1)
    coefs = np.squeeze(coefs.astype(kind, copy=False))
    return (coefs, counts[0] if len(counts) == 1 else counts) if return_n_iter else coefs


def orthogonal_mp(
    X,
    y,
    *,
    n_nonzero_coefs=None,
    tol=None,
    precompute=False,
    copy_X=True,
    return_path=False,
    return_n_iter=False,
):
    """Orthogonal matching pursuit, without an intercept.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    n_nonzero_coefs : int, default=None
        Most features in use; None means a tenth of them, or one.
    tol : float, default=None
        The squared length of the residual at which to stop instead.
    precompute : "auto" or bool, default=False
        Whether to work on the products of the columns.
    copy_X
        Accepted for scikit-learn's sake; nothing is written to.
    return_path, return_n_iter : bool
        Whether to give the coefficients after each feature, and how many features are in use.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with a last axis of steps for a path
    """
    import numpy as np

    rows, target = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    target = target.reshape(-1, 1) if target.ndim == 1 else target
    features, tol = _wanted(n_nonzero_coefs, tol, rows.shape[1])
    if precompute is True or precompute == "auto" and rows.shape[0] > rows.shape[1]:
        squares = (target**2).sum(axis=0)
        each = [((rows.T @ target[:, k]).tolist(), float(squares[k])) for k in range(target.shape[1])]
        found = _mercer.pursuit_gram(np.ascontiguousarray(rows.T @ rows), each, features, tol)
    else:
        columns = [np.ascontiguousarray(target[:, k]) for k in range(target.shape[1])]
        found = _mercer.pursuit(rows, ("numbers", columns, None), features, tol)
    return _pursued(found, np.float64, return_path, return_n_iter)


def orthogonal_mp_gram(
    Gram,
    Xy,
    *,
    n_nonzero_coefs=None,
    tol=None,
    norms_squared=None,
    copy_Gram=True,
    copy_Xy=True,
    return_path=False,
    return_n_iter=False,
):
    """Orthogonal matching pursuit from products alone, as :func:`orthogonal_mp` gives it.

    Parameters
    ----------
    Gram : array-like of shape (n_features, n_features)
        Products of the columns.
    Xy : array-like of shape (n_features,) or (n_features, n_targets)
        Products of the columns with the targets.
    n_nonzero_coefs, tol, return_path, return_n_iter : as for :func:`orthogonal_mp`
    norms_squared : array-like of shape (n_targets,), default=None
        The squared length of each target; needed where `tol` is given.
    copy_Gram, copy_Xy
        Accepted for scikit-learn's sake; nothing is written to.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with a last axis of steps for a path
    """
    import numpy as np

    gram, xy = np.asarray(Gram), np.asarray(Xy)
    kind = gram.dtype if gram.dtype == np.float32 else np.float64
    xy = xy.reshape(-1, 1) if xy.ndim == 1 else xy
    if gram.ndim != 2 or gram.shape != (len(xy), len(xy)):
        raise ValueError("The shapes of the inputs Gram and Xy do not match.")
    if tol is not None and norms_squared is None:
        raise ValueError("Gram OMP needs the precomputed norms in order to evaluate the error sum of squares.")
    features, tol = _wanted(n_nonzero_coefs, tol, len(gram))
    squares = np.zeros(xy.shape[1]) if norms_squared is None else np.atleast_1d(np.asarray(norms_squared, dtype=float))
    each = [(xy[:, k].astype(float).tolist(), float(squares[k])) for k in range(xy.shape[1])]
    found = _mercer.pursuit_gram(np.ascontiguousarray(gram, dtype=np.float64), each, features, tol)
    return _pursued(found, kind, return_path, return_n_iter)
