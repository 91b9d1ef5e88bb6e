"""Estimators that learn in batches, and by stochastic gradients."""

import types
import warnings

from mercer import _mercer
from mercer._base import threads_of
from mercer._exceptions import convergence_warning
from mercer._logistic import CoefMixin, _as_start


def _go_on(estimator, X, y, classes, sample_weight):
    """Learn from a batch where the model stands, or begin. Whatever goes wrong, the estimator stays as it was."""
    from mercer._target import prepare_known_target, prepare_target, prepare_weights

    if estimator._mercer_door:
        estimator._check_door()
    if getattr(estimator, "early_stopping", False):
        raise ValueError("early_stopping should be False with partial_fit")
    if isinstance(getattr(estimator, "class_weight", None), str):
        raise ValueError(
            f"class_weight {estimator.class_weight!r} is not supported for partial_fit. In order to use 'balanced' weights, use "
            "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough sample of the "
            "full training set target to properly estimate the class frequency distributions. Pass the resulting weights as "
            "the class_weight parameter."
        )
    fitted, names, dtype = estimator.fitted, None, None
    if fitted:
        x = estimator._prepare(X, "partial_fit")
        _check_classes(classes, estimator._model)
        supervised = estimator._mercer_task in ("Classification", "Regression")
        target = prepare_known_target(estimator, y, estimator._model, x) if supervised else None
    else:
        x, names = estimator._prepare_fit(X)
        if estimator._mercer_task == "Classification":
            target, dtype = _first_target(estimator, y, classes, x)
        elif estimator._mercer_task == "Regression":
            target, dtype = prepare_target(estimator, y, x)
        else:
            target = None
    weights = None if sample_weight is None else prepare_weights(sample_weight, x)
    model = _mercer.fit_more(
        estimator._mercer_name,
        estimator._fit_params(X),
        x,
        target,
        weights,
        model=estimator._model if fitted else None,
        seed=estimator._seed(),
        threads=threads_of(getattr(estimator, "n_jobs", None)),
        verbose=bool(getattr(estimator, "verbose", 0)),
        dtype=dtype,
    )
    estimator._model = model
    estimator.__dict__.pop("coef_", None)
    if not fitted:
        estimator.__dict__["_single"] = getattr(getattr(X, "dtype", None), "name", None) == "float32"
    if names is not None:
        estimator.feature_names_in_ = names
    return estimator


def _first_target(estimator, y, classes, x):
    """The first batch in the codes of all classes, and their dtype."""
    from mercer._target import _as_array, _check_length, _dtype_name, _encode, _known_codes, _name

    if classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    array = _as_array(y)
    _check_length("y", len(array), x)
    known = _encode(type(estimator).__name__, _as_array(classes).ravel())[1]
    return ("classes", _known_codes(array, known.tolist()), known.tolist(), _name(y)), _dtype_name(known)


def _check_classes(classes, model):
    import numpy as np

    if classes is not None and model.classes is not None and not np.array_equal(np.unique(classes), model.classes):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {model.classes!r}"
        )


class ResumeMixin:
    """Classifiers that learn in batches."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch of rows, one pass, where the last one ended.

        Parameters
        ----------
        classes : array-like, optional
            All classes that will come; needed at the first call.

        Returns
        -------
        self
        """
        return _go_on(self, X, y, classes, sample_weight)


class ResumeNumbersMixin:
    """Regressors that learn in batches."""

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from a batch of rows, one pass, where the last one ended.

        Returns
        -------
        self
        """
        return _go_on(self, X, y, None, sample_weight)


class ResumeRowsMixin:
    """Detectors of outliers that learn in batches."""

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from a batch of rows, one pass, where the last one ended; `y` is ignored.

        Returns
        -------
        self
        """
        return _go_on(self, X, None, None, sample_weight)


# Losses whose scores can be read as probabilities.
_PROBABILITIES = frozenset({"log_loss", "logistic", "modified_huber", "cross_entropy"})


class _OfTheLoss:
    """A method of `ProbaMixin` that is there where scores of the loss can be read as probabilities."""

    def __init__(self, name):
        self._name = name

    def __get__(self, estimator, owner):
        from mercer._mixins import ProbaMixin

        method = getattr(ProbaMixin, self._name)
        if estimator is None:
            return method
        if estimator._mercer_task != "Classification" or estimator.__dict__.get("loss") not in _PROBABILITIES:
            raise AttributeError(self._name)
        return types.MethodType(method, estimator)


class DescentMixin(CoefMixin):
    """Learners by stochastic gradients: starts of the user's, and what they say as scikit-learn does."""

    loss_functions = (
        "hinge",
        "squared_hinge",
        "perceptron",
        "log_loss",
        "modified_huber",
        "squared_error",
        "huber",
        "epsilon_insensitive",
        "squared_epsilon_insensitive",
    )

    def _fit(self, X, y=None, sample_weight=None, coef_init=None, intercept_init=None):
        if getattr(self, "power_t", 0.0) < 0:
            warnings.warn(
                "Negative values for `power_t` are deprecated in version 1.8 and will raise an error in 1.10. Use values in "
                "the range [0.0, inf) instead.",
                FutureWarning,
                stacklevel=3,
            )
        self.__dict__["_given_start"] = coef_init, intercept_init
        try:
            return super()._fit(X, y, sample_weight)
        finally:
            del self.__dict__["_given_start"]

    @property
    def _threshold(self):
        return "offset_" if self._mercer_task == "Outliers" else "intercept_"

    def _start(self, X, y):
        import numpy as np

        coef, intercept = self.__dict__.get("_given_start", (None, None))
        if self.warm_start and self.fitted:
            learnt = self._model.attributes()
            coef = learnt["coef_"] if coef is None else coef
            intercept = learnt[self._threshold] if intercept is None else intercept
        if coef is None and intercept is None:
            return None
        width = np.shape(X)[1] if np.ndim(X) == 2 or hasattr(X, "tocsr") else np.size(coef)
        rows = len(np.unique(np.asarray(y))) if self._mercer_task == "Classification" else 1
        rows = 1 if rows <= 2 else rows
        coef = np.zeros((rows, width)) if coef is None else np.asarray(coef, dtype=np.float64)
        if coef.size != rows * width or rows > 1 and coef.shape != (rows, width):
            raise ValueError("Provided coef_init does not match dataset. ")
        intercept = np.zeros(rows) if intercept is None else np.asarray(intercept, dtype=np.float64)
        if intercept.shape not in ([(rows,)] if rows > 1 else [(1,), ()]):
            raise ValueError(f"Provided {self._threshold}init does not match dataset.")
        return _as_start(coef.reshape(rows, width), intercept)

    def _warn_unless_converged(self, model):
        shortfall = model.certificate()["shortfall"]
        if shortfall is not None:
            told = (
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit. "
                f"{type(self).__name__} {shortfall}; see `certificate_`."
            )
            warnings.warn(told, convergence_warning(), stacklevel=6)

    predict_proba = _OfTheLoss("predict_proba")
    predict_log_proba = _OfTheLoss("predict_log_proba")

    def __getattr__(self, name):
        asked = name in ("predict_proba", "predict_log_proba")
        if asked and self._mercer_task == "Classification" and "loss" in self.__dict__:
            cause = AttributeError(f"probability estimates are not available for loss={self.loss!r}")
            raise AttributeError(f"This {type(self).__name__!r} has no attribute {name!r}") from cause
        return super().__getattr__(name)
