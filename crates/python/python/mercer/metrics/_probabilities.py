"""Metrics of predicted probabilities and decision values."""

from __future__ import annotations

import warnings

import numpy as np

from mercer import _mercer
from mercer._checks import (
    check_finite,
    check_lengths,
    check_numbers,
    check_pos_label,
    check_weights,
    codes,
    column,
    n_rows,
    plain,
    type_of_target,
    unique,
)
from mercer._exceptions import warn_undefined
from mercer._scoring import spec


class Probabilities:
    """Truth as codes of sorted classes and as a matrix of zeros and ones, with the probabilities of all of them, and weights."""

    def __init__(self, y_true, y_proba, sample_weight=None, labels=None):
        check_lengths(y_proba, y_true, sample_weight)
        proba = check_numbers(y_proba)
        _check_range(proba, "lower")
        self.weights = check_weights(sample_weight, n_rows(y_true))
        truth = plain(y_true)
        sets = truth.ndim == 2 and truth.shape[1] > 1
        if sets and type_of_target(truth) != "multilabel-indicator":
            raise ValueError("Multioutput target data is not supported with label binarization")
        # Sets of labels are a matrix of zeros and ones already.
        truth = truth if sets else column(truth)
        self.classes = np.arange(truth.shape[1]) if sets else _classes(truth, labels)
        if proba.ndim == 1 or proba.shape[1] == 1:
            second = proba.reshape(-1)
            proba = np.column_stack([1 - second, second])
        if not np.allclose(proba.sum(axis=1), 1, rtol=np.sqrt(np.finfo(proba.dtype).eps)):
            warnings.warn(
                "The y_prob values do not sum to one. Make sure to pass probabilities.", UserWarning, stacklevel=4
            )
        if proba.shape[1] != len(self.classes):
            if labels is None:
                raise ValueError(
                    f"y_true and y_prob contain different number of classes: {len(self.classes)} vs {proba.shape[1]}. Please "
                    "provide the true labels explicitly through the labels argument. Classes found in y_true: "
                    f"{self.classes}"
                )
            raise ValueError(
                "The number of classes in labels is different from that in y_prob. Classes found in labels: "
                f"{self.classes}"
            )
        self.proba = proba
        self.truth = None if sets else codes(truth, self.classes, "y_true")
        self.hot = (truth if sets else np.eye(len(self.classes))[self.truth]).astype(proba.dtype)

    @classmethod
    def of_positive(cls, y_true, y_proba, sample_weight=None, pos_label=None):
        """Of two classes, from the probability of the positive one."""
        made = cls.__new__(cls)
        truth, proba = column(y_true), column(y_proba)
        check_finite(truth)
        check_lengths(proba, truth, sample_weight)
        proba = check_numbers(proba, ndim=(1,))
        made.weights = check_weights(sample_weight, len(truth))
        kind = type_of_target(truth, "y_true")
        if kind != "binary":
            raise ValueError(
                f"The type of the target inferred from y_true is {kind} but should be binary according to the shape of y_prob."
            )
        _check_range(proba, "less")
        known = unique(truth)
        if pos_label is None and known.dtype.kind not in "OUS" and known.tolist() not in ([0, 1], [-1, 1], [0], [-1], [1]):
            pos_label = known[-1]
        positive = truth == check_pos_label(pos_label, truth)
        made.classes, made.truth = np.asarray([False, True]), positive.astype(np.uint32)
        made.proba = np.column_stack([1 - proba, proba])
        made.hot = np.eye(2, dtype=proba.dtype)[made.truth]
        return made

    @classmethod
    def of(cls, y_true, y_proba, sample_weight=None, labels=None, pos_label=None):
        """From one column or several."""
        proba = check_numbers(y_proba)
        if proba.ndim == 1 or proba.shape[1] == 1:
            return cls.of_positive(y_true, proba, sample_weight, pos_label)
        return cls(y_true, proba, sample_weight, labels)

    def shares(self):
        """The shares of the classes, for every row."""
        return np.broadcast_to(np.average(self.hot, axis=0, weights=self.weights), self.proba.shape)

    def scored(self):
        """As the compiled part takes them."""
        return ("classes", self.truth, len(self.classes), None, np.ascontiguousarray(self.proba, dtype=np.float64), None)

    def mean(self, losses, normalize=True):
        """The mean of losses of rows, or their sum."""
        if normalize:
            return float(np.average(losses, weights=self.weights))
        return float(np.sum(losses) if self.weights is None else np.dot(losses, self.weights))


def _check_range(proba, word):
    if proba.size and proba.max() > 1:
        raise ValueError(f"y_prob contains values greater than 1: {proba.max()}")
    if proba.size and proba.min() < 0:
        raise ValueError(f"y_prob contains values {word} than 0: {proba.min()}")


def _classes(truth, labels):
    if labels is None:
        known = unique(truth)
        if len(known) == 1:
            raise ValueError(
                f"y_true contains only one label ({known[0]}). Please provide the list of all expected class labels "
                "explicitly through the labels argument."
            )
        return known
    known = unique(np.asarray(labels))
    if len(known) != len(labels) or not np.array_equal(known, labels):
        warnings.warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. Pass the ordered "
            f"labels={known.tolist()} and ensure that the columns of y_prob correspond to this ordering.",
            UserWarning,
            stacklevel=5,
        )
    if len(known) == 1:
        raise ValueError(f"The labels array needs to contain at least two labels, got {known}.")
    unknown = set(truth.tolist()) - set(known.tolist())
    if unknown:
        raise ValueError(f"y_true contains values {unknown} not belonging to the passed labels {labels}.")
    return known


def _renamed(y_proba, y_pred):
    """The probabilities, by their name or by the one they once had."""
    if y_pred is None:
        return y_proba
    if y_proba is not None:
        raise ValueError("Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead.")
    warnings.warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use `y_proba` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return y_pred


def _log_losses(hot, proba):
    eps = np.finfo(proba.dtype).eps
    return -(hot * np.log(np.clip(proba, eps, 1 - eps))).sum(axis=1)


def log_loss(y_true, y_proba=None, *, normalize=True, sample_weight=None, labels=None, y_pred=None):
    """The mean of −ln p(true class), or its sum; probabilities are kept away from 0 and 1 by the spacing of floats."""
    given = Probabilities(y_true, _renamed(y_proba, y_pred), sample_weight, labels)
    return given.mean(_log_losses(given.hot, given.proba), normalize)


def brier_score_loss(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None, scale_by_half="auto"):
    """The mean squared distance of probabilities and truth; halved for two classes, or as `scale_by_half` says."""
    given = Probabilities.of(y_true, y_proba, sample_weight, labels, pos_label)
    value = given.mean(((given.hot - given.proba) ** 2).sum(axis=1))
    halved = len(given.classes) < 3 if isinstance(scale_by_half, str) else scale_by_half
    return value / 2 if halved else value


def _too_few(y_true, y_proba, sample_weight):
    check_lengths(y_proba, y_true, sample_weight)
    if n_rows(y_proba) < 2:
        warn_undefined("D^2 score is not well-defined with less than two samples.", 4)
        return True
    return False


def d2_log_loss_score(y_true, y_proba=None, *, sample_weight=None, labels=None, y_pred=None):
    """The share of the log loss of the classes' shares that is saved."""
    y_proba = _renamed(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    given = Probabilities(y_true, y_proba, sample_weight, labels)
    lost, base = (given.mean(_log_losses(given.hot, p)) for p in (given.proba, given.shares()))
    return 1 - lost / base


def d2_brier_score(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None):
    """The share of the Brier score of the classes' shares that is saved."""
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    given = Probabilities.of(y_true, y_proba, sample_weight, labels, pos_label)
    hot = given.hot
    lost, base = (given.mean(((hot - p) ** 2).sum(axis=1)) for p in (given.proba, given.shares()))
    return float(1 - np.float64(lost) / base)


def expected_calibration_error(y_true, y_proba, *, n_bins=10, strategy="uniform", sample_weight=None, labels=None):
    """The mean distance of predicted and observed shares over bins of the predicted probability."""
    name = spec("ece", bins=n_bins, strategy=None if strategy == "uniform" else strategy)
    given = Probabilities(y_true, y_proba, sample_weight, labels)
    return _mercer.metric(name, given.scored(), given.weights)


def hinge_loss(y_true, pred_decision, *, labels=None, sample_weight=None):
    """The mean hinge loss of decision values; of several classes that of Crammer and Singer."""
    check_lengths(y_true, pred_decision, sample_weight)
    decision, truth = check_numbers(pred_decision), column(y_true)
    check_finite(truth)
    known = unique(truth if labels is None else np.asarray(labels))
    if len(known) > 2:
        wanted = f"({len(truth)}, {len(known)}). Got: {decision.shape}"
        if decision.ndim < 2:
            raise ValueError(
                "The shape of pred_decision cannot be 1d arraywith a multiclass target. pred_decision shape must be "
                f"(n_samples, n_classes), that is {wanted}"
            )
        if decision.shape[1] != len(known):
            if labels is None:
                raise ValueError("Please include all labels in y_true or pass labels as third argument")
            raise ValueError(
                "The shape of pred_decision is not consistent with the number of classes. With a multiclass target, "
                f"pred_decision shape must be (n_samples, n_classes), that is {wanted}"
            )
        rows, own = np.arange(len(truth)), codes(truth, known, "y_true")
        others = decision.astype(np.float64)
        others[rows, own] = -np.inf
        margin = decision[rows, own] - others.max(axis=1)
    else:
        # Where there is one class only, it stands for the negative one.
        positive = (truth == known[-1]) & (len(known) == 2)
        margin = np.where(positive, 1.0, -1.0) * column(decision)
    return float(np.average(np.maximum(0.0, 1 - margin), weights=check_weights(sample_weight, len(truth))))

