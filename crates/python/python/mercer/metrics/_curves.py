"""Curves over thresholds of a score, and the areas under them."""

from __future__ import annotations

import warnings
from itertools import combinations

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
    is_sparse,
    plain,
    type_of_target,
    unique,
)
from mercer._exceptions import warn_undefined

_AVERAGES = (None, "micro", "macro", "weighted", "samples")


class Scored:
    """Which rows are positive, with finite scores and weights; rows of no weight are left out."""

    def __init__(self, y_true, y_score, pos_label=None, sample_weight=None):
        kind = type_of_target(y_true, "y_true")
        if not (kind == "binary" or kind == "multiclass" and pos_label is not None):
            raise ValueError(f"{kind} format is not supported")
        truth = plain(y_true)
        pos_label = check_pos_label(pos_label, truth)
        check_lengths(y_true, y_score, sample_weight)
        truth, scores = column(truth) == pos_label, column(y_score)
        scores = check_numbers(scores, ndim=(1,), dtype=None)
        weights = None if sample_weight is None else column(sample_weight)
        weights = check_weights(weights, len(truth))
        if weights is not None and (weights == 0).any():
            kept = weights != 0
            truth, scores, weights = truth[kept], scores[kept], weights[kept]
        self.truth, self.weights = np.ascontiguousarray(truth), weights
        self.scores = np.ascontiguousarray(scores)

    def counts(self):
        """False and true positives at each distinct score, from the highest down, and the scores."""
        order = np.argsort(-self.scores.astype(np.float64), kind="stable")
        scores = self.scores[order]
        last = np.r_[np.flatnonzero(np.diff(scores)), len(scores) - 1]
        weights = np.ones(len(scores)) if self.weights is None else self.weights[order]
        hits = np.cumsum(np.where(self.truth[order], weights, 0.0))[last]
        misses = np.cumsum(np.where(self.truth[order], 0.0, weights))[last]
        return misses, hits, scores[last]


def confusion_matrix_at_thresholds(y_true, y_score, *, pos_label=None, sample_weight=None):
    """True negatives, false positives, false negatives and true positives at each threshold, with the thresholds."""
    fps, tps, thresholds = Scored(y_true, y_score, pos_label, sample_weight).counts()
    return fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    """False-positive rates, true-positive rates and thresholds, from the highest down."""
    fps, tps, thresholds = Scored(y_true, y_score, pos_label, sample_weight).counts()
    if drop_intermediate and len(fps) > 2:
        # Points on a straight line between their neighbours add nothing.
        kept = np.flatnonzero(np.r_[True, np.logical_or(np.diff(fps, 2), np.diff(tps, 2)), True])
        fps, tps, thresholds = fps[kept], tps[kept], thresholds[kept]
    fps, tps, thresholds = np.r_[0.0, fps], np.r_[0.0, tps], np.r_[np.inf, thresholds]
    return _rates(fps, "negative", "false"), _rates(tps, "positive", "true"), thresholds


def _rates(counts, which, kind):
    if counts[-1] <= 0:
        warn_undefined(f"No {which} samples in y_true, {kind} positive value should be meaningless", 4)
        return np.full(len(counts), np.nan)
    return counts / counts[-1]


def _corners(tps):
    """Where the number of true positives changes before or after."""
    return np.flatnonzero(np.r_[True, np.logical_or(np.diff(tps[:-1]), np.diff(tps[1:])), True])


def precision_recall_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=False):
    """Precisions, recalls and rising thresholds; the last point is (1, 0) and has no threshold."""
    fps, tps, thresholds = Scored(y_true, y_score, pos_label, sample_weight).counts()
    if drop_intermediate and len(fps) > 2:
        kept = _corners(tps)
        fps, tps, thresholds = fps[kept], tps[kept], thresholds[kept]
    claims = tps + fps
    precision = np.divide(tps, claims, out=np.zeros_like(tps), where=claims != 0)
    if tps[-1] == 0:
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        recall = np.ones_like(tps)
    else:
        recall = tps / tps[-1]
    return np.r_[precision[::-1], 1.0], np.r_[recall[::-1], 0.0], thresholds[::-1]


def det_curve(y_true, y_score, pos_label=None, sample_weight=None, drop_intermediate=False):
    """False-positive and false-negative rates by rising threshold: the trade-off of detection errors."""
    fps, tps, thresholds = Scored(y_true, y_score, pos_label, sample_weight).counts()
    fps, tps, thresholds = np.r_[0.0, fps], np.r_[0.0, tps], np.r_[np.inf, thresholds]
    if drop_intermediate and len(fps) > 2:
        kept = _corners(tps)
        fps, tps, thresholds = fps[kept], tps[kept], thresholds[kept]
    if len(unique(plain(y_true))) != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        )
    # From the last point without a false positive to the first that misses none.
    ends = slice(max(int(np.searchsorted(fps, fps[0], side="right")) - 1, 0), int(np.searchsorted(tps, tps[-1])) + 1)
    flipped = lambda values: values[ends][::-1]  # noqa: E731
    return flipped(fps) / fps[-1], flipped(tps[-1] - tps) / tps[-1], flipped(thresholds)


def auc(x, y):
    """The area under a curve of points, by the trapezoidal rule."""
    check_lengths(x, y)
    x, y = (check_numbers(column(v), ndim=(1,), finite=False, dtype=None) for v in (x, y))
    if len(x) < 2:
        raise ValueError(f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape}")
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError(f"x is neither increasing nor decreasing : {x}.")
    return float(abs(steps.sum()) and np.sign(steps.sum()) * np.sum(steps * (y[1:] + y[:-1]) / 2))


def _compiled(name, truth, scores, weights):
    scored = ("classes", truth.astype(np.uint32), 2, None, None, np.asarray(scores, dtype=np.float64).reshape(-1, 1))
    return _mercer.metric(name, scored, weights)


def _binary_auc(y_true, y_score, sample_weight=None, max_fpr=None):
    if len(unique(y_true)) != 2:
        warn_undefined("Only one class is present in y_true. ROC AUC score is not defined in that case.", 5)
        return float("nan")
    if max_fpr is None or max_fpr == 1:
        scored = Scored(y_true, y_score, sample_weight=sample_weight)
        return _compiled("auc", scored.truth, scored.scores, scored.weights)
    if not 0 < max_fpr <= 1:
        raise ValueError(f"Expected max_fpr in range (0, 1], got: {max_fpr!r}")
    fpr, tpr, _ = roc_curve(y_true, y_score, sample_weight=sample_weight)
    stop = int(np.searchsorted(fpr, max_fpr, side="right"))
    end = np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1])
    area = auc(np.r_[fpr[:stop], max_fpr], np.r_[tpr[:stop], end])
    # Standardised, so that chance is ½ and the best is 1 (McClish, 1989).
    least = max_fpr**2 / 2
    return 0.5 * (1 + (area - least) / (max_fpr - least))


def _averaged(of, y_true, y_score, average, sample_weight):
    """A score of two classes, averaged over labels, over rows, or over both at once."""
    if average not in _AVERAGES:
        raise ValueError(f"average has to be one of {_AVERAGES}")
    kind = type_of_target(y_true)
    if kind not in ("binary", "multilabel-indicator"):
        raise ValueError(f"{kind} format is not supported")
    if kind == "binary":
        return of(y_true, y_score, sample_weight=sample_weight)
    check_lengths(y_true, y_score, sample_weight)
    truth, scores = plain(y_true), check_numbers(y_score, ndim=(2,))
    if sample_weight is not None:
        sample_weight = check_weights(column(sample_weight), len(truth))
    outer = None
    if average == "micro":
        inner = None if sample_weight is None else np.repeat(sample_weight, truth.shape[1])
        return of(truth.ravel(), scores.ravel(), sample_weight=inner)
    if average == "samples":
        outer, sample_weight, truth, scores = sample_weight, None, truth.T, scores.T
    elif average == "weighted":
        outer = truth.sum(axis=0) if sample_weight is None else sample_weight @ truth
        if np.isclose(outer.sum(), 0):
            return 0
    each = np.asarray([of(t, s, sample_weight=sample_weight) for t, s in zip(truth.T, scores.T)])
    if average is None:
        return each
    if outer is not None:
        each[outer == 0] = 0
    return float(np.average(each, weights=outer))


def roc_auc_score(
    y_true, y_score, *, average="macro", sample_weight=None, max_fpr=None, multi_class="raise", labels=None
):
    """The area under the ROC curve: of two classes, or of several one against the rest ("ovr") or by pairs ("ovo")."""
    kind = type_of_target(y_true, "y_true")
    truth, scores = y_true.toarray() if is_sparse(y_true) else plain(y_true), check_numbers(y_score)
    check_finite(truth)
    if sample_weight is not None:
        sample_weight = column(sample_weight)
    if kind == "multiclass" or kind == "binary" and scores.ndim == 2 and scores.shape[1] > 2:
        if max_fpr is not None and max_fpr != 1:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, received "
                f"`max_fpr={max_fpr}` instead"
            )
        return _multiclass_auc(truth, scores, labels, multi_class, average, sample_weight)
    if kind == "binary":
        known = unique(truth)
        truth = (column(truth) == known[-1]).astype(np.int64) if len(known) == 2 else np.zeros(len(truth), dtype=np.int64)
        if scores.ndim == 2 and scores.shape[1] == 2:
            raise ValueError(f"y should be a 1d array, got an array of shape {scores.shape} instead.")
    of = lambda t, s, sample_weight=None: _binary_auc(t, s, sample_weight, max_fpr)  # noqa: E731
    return _averaged(of, truth, scores, average, sample_weight)


def _multiclass_auc(truth, scores, labels, multi_class, average, sample_weight):
    if multi_class == "raise":
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    if scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. Got "
            f"`y_score.shape={scores.shape}`."
        )
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )
    options = ("macro", "weighted", None)
    options = ("micro", *options) if multi_class == "ovr" else options
    if average not in options:
        raise ValueError(f"average must be one of {options} for multiclass problems")
    if multi_class not in ("ovo", "ovr"):
        raise ValueError(
            f"multi_class='{multi_class}' is not supported for multiclass ROC AUC, multi_class must be in ('ovo', 'ovr')"
        )
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    classes = known_classes(truth, labels, scores.shape[1], dot="")
    if multi_class == "ovr":
        hot = (truth.reshape(-1, 1) == classes).astype(np.int64)
        return _averaged(_binary_auc, hot, scores, average, sample_weight)
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' must be None in this case."
        )
    return _by_pairs(codes(column(truth), classes), scores, average)


def known_classes(truth, labels, n_columns, dot="."):
    """The classes that columns of scores stand for, as found or as given; `dot` ends the messages."""
    if labels is None:
        known = unique(truth)
        if len(known) != n_columns:
            if not dot:
                raise ValueError("Number of classes in y_true not equal to the number of columns in 'y_score'")
            raise ValueError(
                f"Number of classes in 'y_true' ({len(known)}) not equal to the number of classes in 'y_score' ({n_columns})."
                "You can provide a list of all known classes by assigning it to the `labels` parameter."
            )
        return known
    labels = column(labels)
    known = unique(labels)
    if len(known) != len(labels):
        raise ValueError(f"Parameter 'labels' must be unique{dot}")
    if not np.array_equal(known, labels):
        raise ValueError(f"Parameter 'labels' must be ordered{dot}")
    if len(known) != n_columns:
        if not dot:
            raise ValueError(
                f"Number of given labels, {len(known)}, not equal to the number of columns in 'y_score', {n_columns}"
            )
        raise ValueError(
            f"Number of given labels ({len(known)}) not equal to the number of classes in 'y_score' ({n_columns})."
        )
    if len(np.setdiff1d(truth, known)):
        raise ValueError(f"'y_true' contains labels not in parameter 'labels'{dot}")
    return known


def _by_pairs(truth, scores, average):
    """The mean area over pairs of classes that occur, each seen from both sides (Hand, Till 2001)."""
    values, shares = [], []
    for a, b in combinations(np.unique(truth), 2):
        pair = (truth == a) | (truth == b)
        sides = [_binary_auc(truth[pair] == one, scores[pair, one]) for one in (a, b)]
        values.append(sum(sides) / 2)
        shares.append(pair.mean())
    return float(np.average(values, weights=shares if average == "weighted" else None))


def average_precision_score(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    """Precision weighted by the gain in recall, without interpolation."""
    kind = type_of_target(y_true, "y_true")
    truth = y_true.toarray() if is_sparse(y_true) else plain(y_true)
    known = unique(truth)
    if kind == "binary":
        if len(known) == 2 and pos_label not in known.tolist():
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {known}")
    elif kind in ("multiclass", "multilabel-indicator") and pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        )
    elif kind == "multiclass":
        truth = (truth.reshape(-1, 1) == known).astype(np.int64)
        if np.shape(y_score) != truth.shape:
            raise ValueError(
                "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. Got "
                f"`y_score.shape={np.shape(y_score)}`."
            )
    if sample_weight is not None:
        sample_weight = column(sample_weight)
    of = lambda t, s, sample_weight=None: _precision_of(t, s, pos_label, sample_weight)  # noqa: E731
    return _averaged(of, truth, y_score, average, sample_weight)


def _precision_of(y_true, y_score, pos_label, sample_weight):
    scored = Scored(y_true, y_score, pos_label, sample_weight)
    if not scored.truth.any():
        warnings.warn(
            "No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=5
        )
        return 0.0
    return _compiled("average_precision", scored.truth, scored.scores, scored.weights)


def break_even_point(y_true, y_score, *, pos_label=None, sample_weight=None):
    """Precision where it equals recall."""
    scored = Scored(y_true, y_score, pos_label, sample_weight)
    return _compiled("break_even", scored.truth, scored.scores, scored.weights)


def metric_at_thresholds(y_true, y_score, metric_func, *, sample_weight=None, metric_params=None):
    """A metric of the classes that each threshold of a score gives, with the thresholds, from the highest down."""
    check_lengths(y_true, y_score, sample_weight)
    truth, scores = column(y_true), column(y_score)
    check_finite(truth)
    check_finite(scores)
    weights = check_weights(sample_weight, len(truth))
    if weights is not None:
        kept = weights != 0
        truth, scores, weights = truth[kept], scores[kept], weights[kept]
    more = {**(metric_params or {}), **({} if weights is None else {"sample_weight": weights})}
    thresholds = unique(scores)[::-1]
    return np.asarray([metric_func(truth, (scores >= t).astype(np.int32), **more) for t in thresholds]), thresholds
