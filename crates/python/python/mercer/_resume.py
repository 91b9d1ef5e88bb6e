"""Estimators that learn in batches."""

from mercer import _mercer
from mercer._base import threads_of


def _go_on(estimator, X, y, classes, sample_weight):
    """Learn from a batch where the model stands, or begin. Whatever goes wrong, the estimator stays as it was."""
    from mercer._target import prepare_known_target, prepare_target, prepare_weights

    if estimator._mercer_door:
        estimator._check_door()
    fitted, names, dtype = estimator.fitted, None, None
    if fitted:
        x = estimator._prepare(X, "partial_fit")
        _check_classes(classes, estimator._model)
        target = prepare_known_target(estimator, y, estimator._model, x)
    else:
        x, names = estimator._prepare_fit(X)
        if estimator._mercer_task == "Classification":
            target, dtype = _first_target(estimator, y, classes, x)
        else:
            target, dtype = prepare_target(estimator, y, x)
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
