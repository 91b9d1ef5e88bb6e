"""Penalised least squares and their kin: what their classes check, warn of and tell beside the compiled part."""

from __future__ import annotations

import numbers
import warnings

from mercer._exceptions import convergence_warning

# Shapes and types


def is_column(y):
    """Whether a target is a matrix of one column, which scikit-learn's linear models tell from a vector."""
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)):
        return bool(y) and isinstance(y[0], (list, tuple)) and len(y[0]) == 1
    return shape is not None and len(shape) == 2 and shape[1] == 1


def is_single(X):
    """Whether rows are of single precision."""
    return getattr(getattr(X, "dtype", None), "name", None) == "float32"


class SingleMixin:
    """Models of single rows are of single numbers, and so are their answers about single rows."""

    _of_single = ("sigma_",)

    def __getattr__(self, name):
        value = super().__getattr__(name)
        cast = name in self._of_single and self.__dict__.get("_single") and hasattr(value, "astype")
        return value.astype("float32") if cast else value

    def predict(self, X, *arguments, **more):
        """Predict for new data; single where the rows are, in training and here.

        Returns
        -------
        ndarray, or a tuple of two where more is asked for
        """
        answer = super().predict(X, *arguments, **more)
        if not (self.__dict__.get("_single") and is_single(X)):
            return answer
        if isinstance(answer, tuple):
            return tuple(part.astype("float32") for part in answer)
        return answer.astype("float32") if answer.dtype.kind == "f" else answer


class ColumnMixin(SingleMixin):
    """A target of one column has intercepts for one target, not an intercept; and more, as the class says."""

    # Attributes that have a dimension for the target then, and where.
    _by_column = {"intercept_": 0}

    def __getattr__(self, name):
        value = super().__getattr__(name)
        if name == "intercept_" and not getattr(value, "shape", ()):
            import numpy as np

            # A number with a shape, as NumPy's are.
            value = (np.float32 if self.__dict__.get("_single") else np.float64)(value)
        if name in self._by_column and self.__dict__.get("_column"):
            import numpy as np

            at = self._by_column[name]
            return value if np.ndim(value) > at and name == "intercept_" else np.expand_dims(value, at)
        return value

    def _fit(self, X, y=None, sample_weight=None, **extra):
        made = super()._fit(X, y, sample_weight, **extra)
        self.__dict__["_column"] = is_column(y)
        return made


# Starts


class WarmMixin:
    """Learners that can begin where an earlier fit ended: coefficients, the intercept, and the scale where there is one."""

    def _started(self):
        """Where to begin; None for the learner's own start."""
        import numpy as np

        known = [self.__dict__.get(name, getattr(self, name, None)) for name in ("coef_", "intercept_", "scale_")]
        if known[0] is None:
            return None
        parts = [np.ravel(part) for part in known if part is not None]
        return np.concatenate(parts).astype(float).tolist()

    def _fit_options(self):
        options = super()._fit_options()
        start = self._started() if self.warm_start else None
        return options if start is None else {**options, "start": start}

    def _fit(self, X, y=None, sample_weight=None, **extra):
        made = super()._fit(X, y, sample_weight, **extra)
        # What the user has set to begin at is no longer what was learnt.
        for name in ("coef_", "intercept_", "scale_"):
            self.__dict__.pop(name, None)
        return made


# Ridge regression


class LabelsMixin:
    """Classifiers that take several labels at once: columns of zeros and ones."""

    @property
    def classes_(self):
        """The classes; of columns of zeros and ones, which each are a label, the places of the labels."""
        import numpy as np

        classes = self._model.classes
        if classes is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'classes_'")
        if isinstance(classes, list) and all(np.array_equal(own, [0, 1]) for own in classes):
            return np.arange(len(classes))
        return classes


class RidgeMixin(LabelsMixin, ColumnMixin):
    """Penalties for each target, and scikit-learn's words for what cannot be."""

    def _core_params(self):
        params = super()._core_params()
        params["alpha"] = plain_numbers(params["alpha"])
        return params

    def _fit(self, X, y=None, sample_weight=None, **extra):
        import numpy as np

        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or 'lbfgs', or "
                "set `positive=False`"
            )
        if np.size(self.alpha) > 1:
            targets = np.shape(y)[1] if np.ndim(y) > 1 else 1
            if np.size(self.alpha) != targets:
                raise ValueError(
                    "Number of targets and number of penalties do not correspond: "
                    f"{np.size(self.alpha)} != {targets}"
                )
        return super()._fit(X, y, sample_weight, **extra)

    def _warn_unless_converged(self, model):
        certificate = model.certificate()
        if certificate["shortfall"] is not None:
            solver = str(model.attributes().get("solver_", self.solver))
            word = solver if solver == "sparse_cg" else f"{solver} solver"
            message = f"{word} did not converge after {certificate['iterations'] or 0} iterations."
            warnings.warn(f"{message} {certificate['shortfall']}; see `certificate_`.", convergence_warning(), stacklevel=5)


def plain_numbers(value):
    """Arrays as lists; a list of one as its number."""
    if isinstance(value, (numbers.Number, str)) or value is None:
        return value
    import numpy as np

    if np.ndim(value) == 0:
        return value
    listed = np.asarray(value).ravel().tolist()
    return listed[0] if len(listed) == 1 else listed


def check_alphas(alphas, cv_is_none):
    """Refuses penalties that are no numbers of the right sign, in scikit-learn's words."""
    import numpy as np

    if isinstance(alphas, (numbers.Number, str)) or alphas is None or np.ndim(alphas) != 1:
        return
    for at, alpha in enumerate(alphas):
        if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real):
            raise TypeError(f"alphas[{at}] must be an instance of float, not {type(alpha).__name__}")
        if alpha < 0 or (alpha == 0 and cv_is_none):
            raise ValueError(f"alphas[{at}] == {alpha}, must be {'>' if cv_is_none else '>='} 0.0.")


# Nets


class NetMixin(ColumnMixin, WarmMixin):
    """Lasso, elastic net, and those of many tasks."""

    @property
    def _tasks(self):
        return self._mercer_name.startswith("MultiTask")

    @property
    def _by_column(self):
        return {"intercept_": 0, "coef_": 0} if self._tasks else {}

    def _started(self):
        import numpy as np

        known = self.__dict__.get("coef_", getattr(self, "coef_", None))
        return None if known is None else np.ravel(known).astype(float).tolist()

    def _fit(self, X, y=None, sample_weight=None, check_input=True, **extra):
        # What is given is always checked, so that `check_input` changes nothing.
        if isinstance(self.alpha, numbers.Real) and self.alpha == 0:
            message = (
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression estimator"
            )
            warnings.warn(message, stacklevel=3)
        if hasattr(self, "precompute"):
            check_gram(self, X, sample_weight)
        return super()._fit(X, y, sample_weight, **extra)

    def _warn_unless_converged(self, model):
        warn_of_descent(model)


def warn_of_descent(model):
    """Tells that descent has not converged, in scikit-learn's words."""
    shortfall = model.certificate()["shortfall"]
    if shortfall is not None:
        message = (
            "Objective did not converge. You might want to increase the number of iterations. The fit "
            f"{shortfall}; see `certificate_`."
        )
        warnings.warn(message, convergence_warning(), stacklevel=6)


def check_gram(estimator, X, sample_weight):
    """Refuses a Gram matrix that is not that of the rows; one that is changes nothing."""
    given = estimator.precompute
    if isinstance(given, (bool, str)) or given is None:
        return
    import numpy as np

    from mercer._data import is_sparse

    rows = X.toarray() if is_sparse(X) else np.asarray(X, dtype=float)
    weights = np.ones(len(rows)) if sample_weight is None else np.broadcast_to(sample_weight, len(rows)).astype(float)
    gram = np.asarray(given, dtype=float)
    width = rows.shape[1]
    if gram.shape != (width, width):
        raise ValueError(f"Shape of the Gram matrix is {gram.shape}, but X has {width} features")
    if estimator.fit_intercept:
        mean = np.average(rows, axis=0, weights=weights)
        if not np.allclose(mean, 0):
            message = "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix."
            warnings.warn(message, UserWarning, stacklevel=5)
            return
        rows = rows - mean
    if sample_weight is not None:
        rows = rows * np.sqrt(weights * len(rows) / weights.sum())[:, None]
    wanted = rows.T @ rows
    close = np.isclose(gram, wanted, rtol=1e-4, atol=1e-8 * max(1.0, np.abs(wanted).max(initial=0.0)))
    if not close.all():
        i, j = np.argwhere(~close)[0]
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation: for element "
            f"({i},{j}) we computed {wanted[i, j]} but the user-supplied value was {gram[i, j]}."
        )


class NetCvMixin(ColumnMixin):
    """Nets that are chosen by cross validation: folds of the user's are decided in Python, all else is compiled."""

    _folds = None

    @property
    def _by_column(self):
        return {"intercept_": 0, "coef_": 0} if self._mercer_name.startswith("MultiTask") else {}

    def _foreign(self):
        return self.cv is not None and not isinstance(self.cv, numbers.Integral)

    def _core_params(self):
        params = super()._core_params()
        if self._foreign():
            params["cv"] = None
        return params

    def _mercer_spec(self):
        refuse_splitter(self, self._foreign())
        return super()._mercer_spec()

    def _fit_options(self):
        options = super()._fit_options()
        return options if self._folds is None else {**options, "folds": self._folds}

    def get_metadata_routing(self):
        """scikit-learn's router to the splitter."""
        return split_router(self)

    def _fit(self, X, y=None, sample_weight=None, **params):
        import numpy as np

        from mercer.model_selection import check_cv

        split_params = split_params_of(self, params)
        check_alphas(self.alphas, cv_is_none=False)
        if isinstance(self.alphas, numbers.Integral) and 0 in np.atleast_1d(getattr(self, "l1_ratio", 1)):
            raise ValueError(
                "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
                "estimator with the appropriate `alphas=` argument."
            )
        if hasattr(self, "precompute") and self.precompute not in (True, False, "auto"):
            check_gram(self, X, sample_weight)
        if not (self._foreign() or split_params):
            return super()._fit(X, y, sample_weight)
        pairs = check_cv(self.cv).split(X, y, **split_params)
        self.__dict__["_folds"] = [(_rows(train), _rows(test)) for train, test in pairs]
        try:
            return super()._fit(X, y, sample_weight)
        finally:
            del self.__dict__["_folds"]

    def _warn_unless_converged(self, model):
        warn_of_descent(model)


def refuse_splitter(estimator, foreign):
    """Folds of the user's are known in Python alone."""
    if foreign:
        raise TypeError(f"`cv={estimator.cv!r}` of {type(estimator).__name__} works for it alone, not inside of a compiled whole")


def _rows(chosen):
    """Places of rows, from places or a mask."""
    import numpy as np

    chosen = np.asarray(chosen)
    return (np.flatnonzero(chosen) if chosen.dtype.kind == "b" else chosen).astype(np.int64).tolist()


def split_router(estimator, scorer=None):
    """scikit-learn's router of a search that is an estimator itself: to its splitter, and its scorer."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    from mercer.model_selection import check_cv

    router = MetadataRouter(owner=estimator)
    router.add(splitter=check_cv(estimator.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
    if scorer is not None:
        router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
    return router


def split_params_of(estimator, params):
    """What of the parameters of `fit` the splitter gets; parameters are refused where scikit-learn does not route them."""
    if not params:
        return {}
    from mercer._routing import is_on

    if not is_on():
        raise ValueError(
            f"Passing extra keyword arguments to {type(estimator).__name__}.fit is only supported if "
            "enable_metadata_routing=True, which you can set using `sklearn.set_config`. See the User Guide "
            "<https://scikit-learn.org/stable/metadata_routing.html> for more details. Extra parameters passed are: "
            f"{set(params)}"
        )
    from sklearn.utils.metadata_routing import process_routing

    return process_routing(estimator, "fit", **params).splitter.split
