"""Exceptions and warnings: scikit-learn's own classes when it is loaded, so that its tools recognise them."""

import sys


def _sklearn(name):
    return getattr(sys.modules.get("sklearn.exceptions"), name, None)


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before ``fit``."""


class ConvergenceWarning(UserWarning):
    """A fit stopped before it converged; its certificate says how far it came."""


class DataConversionWarning(UserWarning):
    """Data were reshaped or converted on the way in."""


class UndefinedMetricWarning(UserWarning):
    """A metric has no value on these data."""


def not_fitted(estimator):
    """The exception for an estimator that is used before ``fit``."""
    name = type(estimator).__name__
    message = (
        f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
    )
    return (_sklearn("NotFittedError") or NotFittedError)(message)


def convergence_warning():
    return _sklearn("ConvergenceWarning") or ConvergenceWarning


def data_conversion_warning():
    return _sklearn("DataConversionWarning") or DataConversionWarning


def undefined_metric_warning():
    return _sklearn("UndefinedMetricWarning") or UndefinedMetricWarning
