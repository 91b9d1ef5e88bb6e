"""Metrics of predicted numbers: of one output compiled, of several averaged."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._checks import check_lengths, check_numbers, check_weights
from mercer._exceptions import warn_undefined
from mercer._scoring import spec

_AVERAGES = ("raw_values", "uniform_average", "variance_weighted")


class Numbers:
    """Truth and predictions as finite columns of equal number, with the weights of rows and outputs."""

    def __init__(self, y_true, y_pred, sample_weight=None, multioutput="uniform_average"):
        check_lengths(y_true, y_pred, sample_weight)
        self.truth, self.predicted = (
            np.asarray(_columns(check_numbers(y)), dtype=np.float64) for y in (y_true, y_pred)
        )
        self.weights = check_weights(sample_weight, len(self.truth))
        outputs = self.truth.shape[1]
        if outputs != self.predicted.shape[1]:
            raise ValueError(
                f"y_true and y_pred have different number of output ({outputs}!={self.predicted.shape[1]})"
            )
        if isinstance(multioutput, str):
            if multioutput not in _AVERAGES:
                raise ValueError(
                    f"Allowed 'multioutput' string values are {_AVERAGES}. You provided multioutput={multioutput!r}"
                )
        elif multioutput is not None:
            multioutput = check_numbers(multioutput)
            if outputs == 1:
                raise ValueError("Custom weights are useful only in multi-output cases.")
            if outputs != len(multioutput):
                raise ValueError(
                    f"There must be equally many custom weights ({len(multioutput)}) as outputs ({outputs})."
                )
        self.multioutput = multioutput

    def single(self, name):
        """The same, where there is one output."""
        if self.truth.shape[1] > 1:
            raise ValueError(f"Multioutput not supported in {name}")
        return self

    def each(self, metric):
        """A compiled metric of each output."""
        columns = (np.ascontiguousarray(m.T) for m in (self.truth, self.predicted))
        return np.asarray([_mercer.metric(metric, ("numbers", t, p), self.weights) for t, p in zip(*columns)])

    def averaged(self, each, spreads=None):
        """Values of outputs, averaged as asked; `spreads` weigh them where the variance does."""
        if isinstance(self.multioutput, str):
            if self.multioutput == "raw_values":
                return each
            weights = spreads if self.multioutput == "variance_weighted" and np.any(spreads) else None
        else:
            weights = self.multioutput
        return float(np.average(each, weights=weights))

    def spreads(self):
        """The variance of each column of the truth."""
        mean = np.average(self.truth, axis=0, weights=self.weights)
        return np.average((self.truth - mean) ** 2, axis=0, weights=self.weights)


def _columns(array):
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _error(metric, y_true, y_pred, sample_weight, multioutput):
    numbers = Numbers(y_true, y_pred, sample_weight, multioutput)
    return numbers.averaged(numbers.each(metric))


def mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean squared error."""
    return _error("mse", y_true, y_pred, sample_weight, multioutput)


def root_mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The root of the mean squared error."""
    return _error("rmse", y_true, y_pred, sample_weight, multioutput)


def mean_absolute_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean absolute error."""
    return _error("mae", y_true, y_pred, sample_weight, multioutput)


def median_absolute_error(y_true, y_pred, *, multioutput="uniform_average", sample_weight=None):
    """The median absolute error."""
    numbers = Numbers(y_true, y_pred, sample_weight, multioutput)
    return numbers.averaged(_quantiles(np.abs(numbers.truth - numbers.predicted), 0.5, numbers.weights))


def mean_absolute_percentage_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean absolute error as a share of the truth."""
    return _error("mape", y_true, y_pred, sample_weight, multioutput)


def max_error(y_true, y_pred):
    """The largest absolute error."""
    numbers = Numbers(y_true, y_pred).single("max_error")
    return float(numbers.each("max_error")[0])


def _log_error(metric, name, y_true, y_pred, sample_weight, multioutput):
    numbers = Numbers(y_true, y_pred, sample_weight, multioutput)
    if (numbers.truth <= -1).any() or (numbers.predicted <= -1).any():
        raise ValueError(f"{name} cannot be used when targets contain values less than or equal to -1.")
    return numbers.averaged(numbers.each(metric))


def mean_squared_log_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The mean squared error of ln(1 + y), for numbers above −1."""
    return _log_error("msle", "Mean Squared Logarithmic Error", y_true, y_pred, sample_weight, multioutput)


def root_mean_squared_log_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The root of the mean squared error of ln(1 + y)."""
    return _log_error("rmsle", "Root Mean Squared Logarithmic Error", y_true, y_pred, sample_weight, multioutput)


def mean_pinball_loss(y_true, y_pred, *, sample_weight=None, alpha=0.5, multioutput="uniform_average"):
    """The mean pinball loss of the quantile `alpha`."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"The 'alpha' parameter must be in [0, 1]. Got {alpha!r} instead.")
    return _error(spec("pinball", alpha=alpha), y_true, y_pred, sample_weight, multioutput)


def _pinball(numbers, predicted, alpha):
    short = numbers.truth - predicted
    return np.average(np.maximum(alpha * short, (alpha - 1) * short), axis=0, weights=numbers.weights)


def _explained(metric, y_true, y_pred, sample_weight, multioutput, force_finite, undefined=None):
    numbers = Numbers(y_true, y_pred, sample_weight, multioutput)
    if undefined and len(numbers.truth) < 2:
        warn_undefined(f"{undefined} score is not well-defined with less than two samples.", 4)
        return float("nan")
    each, spreads = numbers.each(metric), numbers.spreads()
    if not force_finite:
        constant = spreads == 0
        each = np.where(constant, np.where(each == 1, np.nan, -np.inf), each)
    return numbers.averaged(each, spreads)


def r2_score(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", force_finite=True):
    """The share of the variance explained; a constant truth scores 1 when hit exactly, else 0, or NaN and −∞."""
    return _explained("r2", y_true, y_pred, sample_weight, multioutput, force_finite, "R^2")


def explained_variance_score(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", force_finite=True):
    """As R², a constant offset of the predictions forgiven."""
    return _explained("explained_variance", y_true, y_pred, sample_weight, multioutput, force_finite)


# Deviances


def _check_power(power, truth, predicted):
    message = f"Mean Tweedie deviance error with power={power} can only be used on "
    if power < 0 and (predicted <= 0).any():
        raise ValueError(message + "strictly positive y_pred.")
    if 0 < power < 1:
        raise ValueError(f"The 'power' parameter must be outside of (0, 1). Got {power!r} instead.")
    if 1 <= power < 2 and ((truth < 0).any() or (predicted <= 0).any()):
        raise ValueError(message + "non-negative y and strictly positive y_pred.")
    if power >= 2 and ((truth <= 0).any() or (predicted <= 0).any()):
        raise ValueError(message + "strictly positive y and y_pred.")


def mean_tweedie_deviance(y_true, y_pred, *, sample_weight=None, power=0):
    """The mean Tweedie deviance of a `power`."""
    numbers = Numbers(y_true, y_pred, sample_weight).single("mean_tweedie_deviance")
    _check_power(power, numbers.truth, numbers.predicted)
    return float(numbers.each(spec("tweedie", power=power))[0])


def mean_poisson_deviance(y_true, y_pred, *, sample_weight=None):
    """The mean Poisson deviance."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


def mean_gamma_deviance(y_true, y_pred, *, sample_weight=None):
    """The mean Gamma deviance."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


def _too_few(numbers):
    if len(numbers.truth) < 2:
        warn_undefined("D^2 score is not well-defined with less than two samples.", 4)
        return True
    return False


def d2_tweedie_score(y_true, y_pred, *, sample_weight=None, power=0):
    """The share of the Tweedie deviance of the mean that is saved."""
    numbers = Numbers(y_true, y_pred, sample_weight).single("d2_tweedie_score")
    if _too_few(numbers):
        return float("nan")
    _check_power(power, numbers.truth, numbers.predicted)
    metric = spec("tweedie", power=power)
    lost = numbers.each(metric)[0]
    numbers.predicted = np.full_like(numbers.truth, np.average(numbers.truth[:, 0], weights=numbers.weights))
    return float(1 - lost / numbers.each(metric)[0])


def d2_pinball_score(y_true, y_pred, *, sample_weight=None, alpha=0.5, multioutput="uniform_average"):
    """The share of the pinball loss of the constant quantile that is saved."""
    numbers = Numbers(y_true, y_pred, sample_weight, multioutput)
    if _too_few(numbers):
        return float("nan")
    lost = _pinball(numbers, numbers.predicted, alpha)
    base = _pinball(numbers, _quantiles(numbers.truth, alpha, numbers.weights), alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(lost == 0, 1.0, np.where(base == 0, 0.0, 1 - lost / base))
    return numbers.averaged(each, base)


def d2_absolute_error_score(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    """The share of the absolute error of the median that is saved."""
    return d2_pinball_score(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)


def _quantiles(values, alpha, weights):
    """Quantiles of columns: the mean of the values at which the weight below reaches `alpha` and exceeds it."""
    if weights is None:
        weights = np.ones(len(values))
    values, weights = values[weights != 0], weights[weights != 0]
    found = []
    for one in values.T:
        order = np.argsort(one, kind="stable")
        below = np.cumsum(weights[order])
        wanted, slack = alpha * below[-1], 1e-12 * below[-1]
        low = min(int(np.searchsorted(below, wanted - slack)), len(one) - 1)
        high = min(int(np.searchsorted(below, wanted + slack, side="right")), len(one) - 1)
        found.append((one[order[low]] + one[order[high]]) / 2)
    return np.asarray(found)
