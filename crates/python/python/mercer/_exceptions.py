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


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value that its estimator does not take."""


def invalid_parameter_class():
    """The class of the exception for a parameter."""
    validation = sys.modules.get("sklearn.utils._param_validation")
    return getattr(validation, "InvalidParameterError", InvalidParameterError)


def invalid_parameter(estimator, name, allowed):
    """The exception for a parameter, in scikit-learn's words."""
    value, owner = getattr(estimator, name), type(estimator).__name__
    return invalid_parameter_class()(f"The {name!r} parameter of {owner} must be {allowed}. Got {value!r} instead.")


def not_fitted_error(message):
    """The exception for what was asked before ``fit``."""
    return (_sklearn("NotFittedError") or NotFittedError)(message)


def not_fitted(estimator):
    """The exception for an estimator that is used before ``fit``."""
    name = type(estimator).__name__
    message = (
        f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
    )
    return not_fitted_error(message)


def convergence_warning():
    return _sklearn("ConvergenceWarning") or ConvergenceWarning


def data_conversion_warning():
    return _sklearn("DataConversionWarning") or DataConversionWarning


class UndefinedMetricWarning(UserWarning):
    """A metric is not defined for what it was given, and a convention stands in."""


class FitFailedWarning(RuntimeWarning):
    """A fit inside of a cross validation failed."""


def undefined_metric_warning():
    return _sklearn("UndefinedMetricWarning") or UndefinedMetricWarning


def fit_failed_warning():
    return _sklearn("FitFailedWarning") or FitFailedWarning


def warn_undefined(message, stacklevel=3):
    """Warn that a metric is not defined."""
    import warnings

    warnings.warn(message, undefined_metric_warning(), stacklevel=stacklevel)
