"""Metrics of rankings: of items by relevance, of labels by score, of classes by their place."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._checks import (
    check_finite,
    check_lengths,
    check_numbers,
    check_weights,
    codes,
    column,
    is_sparse,
    plain,
    type_of_target,
)
from mercer._exceptions import warn_undefined
from mercer._scoring import spec
from mercer.metrics._curves import known_classes


def _queries(name, truth, scores, sample_weight):
    """A compiled metric of rankings, a query a row."""
    n, k = truth.shape
    weights = check_weights(sample_weight, n)
    weights = None if weights is None else np.repeat(weights, k)
    queries = np.repeat(np.arange(n, dtype=np.uint64), k)
    flat = (np.ascontiguousarray(m.ravel(), dtype=np.float64) for m in (truth, scores))
    return _mercer.metric(name, ("ranking", *flat, queries), weights)


def _gains(y_true, y_score, sample_weight):
    truth, scores = check_numbers(y_true), check_numbers(y_score)
    check_lengths(truth, scores, sample_weight)
    return truth, scores


def _check_gains(truth):
    kind, known = type_of_target(truth, "y_true"), ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")
    if kind not in known:
        raise ValueError(f"Only {known} formats are supported. Got {kind} instead")


def _dcg(truth, scores, k, ignore_ties, log_base=2):
    """The discounted gain of each row; ties share the mean of their gains, or stand as they come."""
    discount = np.log(log_base) / np.log(np.arange(truth.shape[1]) + 2)
    discount[len(discount) if k is None else k :] = 0
    order = np.argsort(scores, axis=1)[:, ::-1]
    ranked = np.take_along_axis(truth, order, axis=1)
    if not ignore_ties:
        placed = np.take_along_axis(scores, order, axis=1)
        for row, score in zip(ranked, placed):
            starts = np.r_[0, np.flatnonzero(np.diff(score)) + 1]
            sizes = np.diff(np.r_[starts, len(score)])
            row[:] = np.repeat(np.add.reduceat(row, starts) / sizes, sizes)
    return ranked @ discount


def dcg_score(y_true, y_score, *, k=None, log_base=2, sample_weight=None, ignore_ties=False):
    """The discounted cumulative gain, a query a row; ties share their places."""
    truth, scores = _gains(y_true, y_score, sample_weight)
    _check_gains(truth)
    weights = check_weights(sample_weight, len(truth))
    return float(np.average(_dcg(truth, scores, k, ignore_ties, log_base), weights=weights))


def ndcg_score(y_true, y_score, *, k=None, sample_weight=None, ignore_ties=False):
    """The discounted cumulative gain over that of the best order."""
    truth, scores = _gains(y_true, y_score, sample_weight)
    if truth.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if truth.ndim > 1 and truth.shape[1] <= 1:
        raise ValueError(
            f"Computing NDCG is only meaningful when there is more than 1 document. Got {truth.shape[1]} instead."
        )
    _check_gains(truth)
    gain, best = _dcg(truth, scores, k, ignore_ties), _dcg(truth, truth, k, True)
    gain = np.divide(gain, best, out=np.zeros_like(gain), where=best != 0)
    return float(np.average(gain, weights=check_weights(sample_weight, len(truth))))


def _lists(y_true, y_score):
    truth, scores = (np.atleast_2d(check_numbers(y)) for y in (y_true, y_score))
    if truth.shape != scores.shape:
        raise ValueError(f"y_true and y_score have different shapes: {truth.shape} and {scores.shape}")
    return truth, scores


def mean_average_precision(y_true, y_score, *, k=None, sample_weight=None):
    """The mean over queries of the average precision of their ranking."""
    return _queries(spec("map", k=k), *_lists(y_true, y_score), sample_weight)


def mean_reciprocal_rank(y_true, y_score, *, k=None, sample_weight=None):
    """The mean over queries of one over the rank of the first relevant item."""
    return _queries(spec("mrr", k=k), *_lists(y_true, y_score), sample_weight)


# Sets of labels


def _label_scores(y_true, y_score, sample_weight, column_too=False):
    """Sets of labels as truths, with the scores of the labels."""
    check_lengths(y_true, y_score, sample_weight)
    truth = y_true.toarray() if is_sparse(y_true) else plain(y_true)
    check_finite(truth)
    scores = check_numbers(y_score)
    kind = type_of_target(truth, "y_true")
    shapes_differ = truth.shape != scores.shape
    if column_too and shapes_differ:
        raise ValueError("y_true and y_score have different shape")
    if kind != "multilabel-indicator" and not (column_too and kind == "binary" and truth.ndim == 2):
        raise ValueError(f"{kind} format is not supported")
    if shapes_differ:
        raise ValueError("y_true and y_score have different shape")
    return truth != 0, scores, check_weights(sample_weight, len(truth))


def label_ranking_average_precision_score(y_true, y_score, *, sample_weight=None):
    """For each label of a row, the share of labels ranked at least as high that are its, averaged."""
    truth, scores, weights = _label_scores(y_true, y_score, sample_weight, column_too=True)
    each = np.ones(len(truth))
    for i, (own, score) in enumerate(zip(truth, scores)):
        if own.any() and not own.all():
            above = score[None, :] >= score[own][:, None]
            each[i] = np.mean((above & own).sum(axis=1) / above.sum(axis=1))
    return float(np.average(each, weights=weights))


def coverage_error(y_true, y_score, *, sample_weight=None):
    """How far down the ranking all labels of a row lie, averaged; ties count as above."""
    check_numbers(y_true, ndim=(2,))
    check_numbers(y_score, ndim=(2,))
    truth, scores, weights = _label_scores(y_true, y_score, sample_weight)
    least = np.where(truth, scores, np.inf).min(axis=1, keepdims=True)
    return float(np.average((scores >= least).sum(axis=1), weights=weights))


def label_ranking_loss(y_true, y_score, *, sample_weight=None):
    """The share of pairs of a label of the row and one that is not, that are ranked the wrong way round or tie."""
    truth, scores, weights = _label_scores(y_true, y_score, sample_weight)
    each = np.zeros(len(truth))
    for i, (own, score) in enumerate(zip(truth, scores)):
        pairs = own.sum() * (~own).sum()
        if pairs:
            each[i] = (score[own][:, None] <= score[~own][None, :]).sum() / pairs
    return float(np.average(each, weights=weights))


# Classes


def top_k_accuracy_score(y_true, y_score, *, k=2, normalize=True, sample_weight=None, labels=None):
    """The share of rows whose class is among the k with the highest scores, or their number."""
    truth, scores = column(y_true), check_numbers(y_score)
    check_finite(truth)
    kind = type_of_target(truth, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    if kind == "binary":
        if scores.ndim == 2 and scores.shape[1] != 1:
            raise ValueError(
                f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. If `y_true` does not contain all the "
                "labels, `labels` must be provided."
            )
        scores = column(scores)
    elif scores.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. Got "
            f"`y_score.shape={scores.shape}`."
        )
    check_lengths(truth, scores, sample_weight)
    classes = known_classes(truth, labels, scores.shape[1] if scores.ndim == 2 else 2)
    if k >= len(classes):
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({len(classes)}) will result in a perfect score and is therefore "
            "meaningless."
        )
    known, weights = codes(truth, classes, "y_true"), check_weights(sample_weight, len(truth))
    if kind == "binary":
        # Numbers that may be probabilities are cut at ½, decision values at 0.
        cut = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        hits = (scores > cut) == known if k == 1 else np.ones(len(truth), dtype=bool)
    else:
        best = np.argsort(scores, axis=1, kind="stable")[:, ::-1][:, :k]
        hits = (best == known[:, None]).any(axis=1)
    if normalize:
        return float(np.average(hits, weights=weights))
    return float(np.sum(hits) if weights is None else np.dot(hits, weights))
