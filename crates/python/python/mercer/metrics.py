"""Metrics with scikit-learn's names and meaning, computed by the same code as everywhere in Mercer.

Ties, one class, nothing to divide by and equal scores are defined: see ``docs/metrics.md``. Metrics that scikit-learn
lacks: ``f_alpha_score``, ``break_even_point``, ``expected_calibration_error``, ``mean_average_precision``,
``mean_reciprocal_rank``; intervals: ``bootstrap_interval``; tests: ``mcnemar_test``, ``wilcoxon_test``,
``corrected_t_test``.
"""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._scoring import Scorer, check_lengths, codes, is_multilabel, label_set, matrix, spec, vector, weights_of

# Classes


def _classes(y_true, y_pred, labels=None):
    """Truth and predictions as codes of their common labels."""
    if is_multilabel(y_true):
        check_lengths(y_true, y_pred)
        return ("multilabel", matrix(y_true), matrix(y_pred)), None
    check_lengths(y_true, y_pred)
    known = label_set(y_true, y_pred, labels=labels)
    truth, predicted = codes(y_true, known, "y_true"), codes(y_pred, known, "y_pred")
    return ("classes", truth, len(known), predicted, None, None), known


def _of_labels(name, y_true, y_pred, sample_weight=None, labels=None):
    scored, _ = _classes(y_true, y_pred, labels)
    return _mercer.metric(name, scored, weights_of(sample_weight, len(y_true)))


def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None):
    """The share of rows whose class (or whole set of labels) is predicted, or their number."""
    share = _of_labels("accuracy", y_true, y_pred, sample_weight)
    if normalize:
        return share
    total = len(y_true) if sample_weight is None else float(np.sum(sample_weight))
    return share * total


def zero_one_loss(y_true, y_pred, *, normalize=True, sample_weight=None):
    """The share of rows whose class is not predicted, or their number."""
    total = len(y_true) if sample_weight is None else float(np.sum(sample_weight))
    loss = _of_labels("error_rate", y_true, y_pred, sample_weight)
    return loss if normalize else loss * total


def balanced_accuracy_score(y_true, y_pred, *, sample_weight=None, adjusted=False):
    """The mean recall over the classes that occur; adjusted, chance is 0."""
    score = _of_labels("balanced_accuracy", y_true, y_pred, sample_weight)
    if adjusted:
        chance = 1 / len(np.unique(y_true))
        return (score - chance) / (1 - chance)
    return score


def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    """Rows by true class (row) and predicted class (column)."""
    check_lengths(y_true, y_pred)
    known = label_set(y_true, y_pred, labels=labels)
    weights = weights_of(sample_weight, len(y_true))
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    if labels is not None:
        kept = np.isin(truth, known) & np.isin(predicted, known)
        truth, predicted = truth[kept], predicted[kept]
        weights = None if weights is None else np.ascontiguousarray(weights[kept])
    counts = _mercer.confusion_matrix(codes(truth, known), codes(predicted, known), len(known), weights)
    if normalize is not None:
        total = {"true": counts.sum(axis=1, keepdims=True), "pred": counts.sum(axis=0, keepdims=True)}.get(normalize)
        total = counts.sum() if total is None else total
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(counts / total)
    return counts if sample_weight is not None else counts.astype(np.int64)


def _per_class(y_true, y_pred, labels, sample_weight):
    """Hits, rows and claims of each class, with the labels."""
    if is_multilabel(y_true):
        truth, predicted = matrix(y_true) != 0, matrix(y_pred) != 0
        w = np.ones(len(truth)) if sample_weight is None else weights_of(sample_weight, len(truth))
        return w @ (truth & predicted), w @ truth, w @ predicted, np.arange(truth.shape[1])
    known = label_set(y_true, y_pred)
    counts = confusion_matrix(y_true, y_pred, labels=known, sample_weight=sample_weight).astype(float)
    hits, rows, claims = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    if labels is not None:
        place = {label: i for i, label in enumerate(known.tolist())}
        chosen = [place.get(label, -1) for label in np.asarray(labels).tolist()]
        pad = [np.append(v, 0.0)[chosen] for v in (hits, rows, claims)]
        return (*pad, np.asarray(labels))
    return hits, rows, claims, known


def _ratio(a, b, zero_division):
    fill = {"warn": 0.0}.get(zero_division, zero_division)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(b) == 0, float(fill), np.divide(a, b))


def _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, name):
    """A score of counts (hits, rows, claims), averaged over classes as asked."""
    hits, rows, claims, known = _per_class(y_true, y_pred, labels, sample_weight)
    each = lambda h, r, c: of(np.asarray(h), np.asarray(r), np.asarray(c), zero_division)  # noqa: E731
    if average == "binary":
        if len(known) > 2 or is_multilabel(y_true):
            raise ValueError(
                "Target is multiclass but average='binary'. Please choose another average setting, one of "
                "[None, 'micro', 'macro', 'weighted']."
            )
        at = [i for i, label in enumerate(known.tolist()) if label == pos_label]
        if not at:
            if len(known) >= 2:
                raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {known.tolist()}")
            return float(each(0.0, 0.0, 0.0))
        return float(each(hits[at[0]], rows[at[0]], claims[at[0]]))
    if average == "micro":
        return float(each(hits.sum(), rows.sum(), claims.sum()))
    if average == "samples":
        return _mercer.metric(
            f"{name}_samples", ("multilabel", matrix(y_true), matrix(y_pred)), weights_of(sample_weight, len(y_true))
        )
    values = each(hits, rows, claims)
    if average is None:
        return values
    if average == "weighted":
        if rows.sum() == 0:
            return float({"warn": 0.0}.get(zero_division, zero_division))
        return float(np.average(values, weights=rows))
    if average == "macro":
        return float(np.mean(values))
    raise ValueError(f"average must be None, 'binary', 'micro', 'macro', 'weighted' or 'samples', got {average!r}")


def precision_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """Of the rows predicted to be of a class, the share that is; `zero_division` (0) where none is predicted."""
    of = lambda h, r, c, zero: _ratio(h, c, zero)  # noqa: E731
    return _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, "precision")


def recall_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """Of the rows of a class, the share predicted to be; `zero_division` (0) where there are none."""
    of = lambda h, r, c, zero: _ratio(h, r, zero)  # noqa: E731
    return _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, "recall")


def fbeta_score(
    y_true, y_pred, *, beta, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """(1+β²) TP / (β² rows + claims): recall counts β times as much as precision."""
    if beta < 0:
        raise ValueError(f"beta should be >=0 in the F-beta score, got {beta}")

    def of(h, r, c, zero):
        if np.isinf(beta):
            return _ratio(h, r, zero)
        return _ratio((1 + beta**2) * h, beta**2 * r + c, zero)

    return _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, "f1")


def f1_score(y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"):
    """The harmonic mean of precision and recall."""
    return fbeta_score(
        y_true,
        y_pred,
        beta=1,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


def f_alpha_score(
    y_true, y_pred, *, alpha=0.5, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """TP / (α (TP+FP) + (1−α) (TP+FN)): 1 is precision, 0 is recall, ½ is F1."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be in [0, 1], got {alpha}")
    of = lambda h, r, c, zero: _ratio(h, alpha * c + (1 - alpha) * r, zero)  # noqa: E731
    return _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, "f1")


def jaccard_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """TP / (TP + FP + FN)."""
    of = lambda h, r, c, zero: _ratio(h, r + c - h, zero)  # noqa: E731
    return _averaged(of, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, "jaccard")


def precision_recall_fscore_support(
    y_true,
    y_pred,
    *,
    beta=1.0,
    labels=None,
    pos_label=1,
    average=None,
    sample_weight=None,
    zero_division="warn",
):
    """Precision, recall, F-beta and the weight of rows, of each class or averaged."""
    options = {
        "labels": labels,
        "pos_label": pos_label,
        "average": average,
        "sample_weight": sample_weight,
        "zero_division": zero_division,
    }
    support = None
    if average is None:
        support = _per_class(y_true, y_pred, labels, sample_weight)[1]
        support = support.astype(np.int64) if sample_weight is None else support
    return (
        precision_score(y_true, y_pred, **options),
        recall_score(y_true, y_pred, **options),
        fbeta_score(y_true, y_pred, beta=beta, **options),
        support,
    )


def matthews_corrcoef(y_true, y_pred, *, sample_weight=None):
    """Matthews' correlation; 0 where truth or prediction is constant."""
    return _of_labels("mcc", y_true, y_pred, sample_weight)


def cohen_kappa_score(y1, y2, *, labels=None, weights=None, sample_weight=None):
    """Agreement beyond chance; `weights` None, "linear" or "quadratic"."""
    return _of_labels(spec("kappa", weights=weights), y1, y2, sample_weight, labels)


def hamming_loss(y_true, y_pred, *, sample_weight=None):
    """The share of labels that are wrong."""
    return _of_labels("hamming", y_true, y_pred, sample_weight)


# Probabilities and scores


def _probabilities(y_true, y_proba, labels=None):
    """Truth as codes with probabilities of all classes; one column is the probability of the second class."""
    known = label_set(y_true, labels=labels)
    proba = matrix(y_proba)
    if proba.ndim == 1 or proba.shape[1] == 1:
        second = proba.reshape(-1)
        proba = np.column_stack([1 - second, second])
    check_lengths(y_true, proba)
    if len(known) == 1 and proba.shape[1] == 2 and labels is None:
        raise ValueError(
            f"y_true contains only one label ({known[0]!r}). Please provide the list of all expected class labels "
            "explicitly through the labels argument."
        )
    if proba.shape[1] != len(known):
        raise ValueError(
            f"y_true and y_prob contain different number of classes: {len(known)} vs {proba.shape[1]}. Please provide "
            "the true labels explicitly through the labels argument."
        )
    return ("classes", codes(y_true, known, "y_true"), len(known), None, np.ascontiguousarray(proba), None)


def log_loss(y_true, y_pred, *, normalize=True, sample_weight=None, labels=None):
    """The mean of −ln p(true class), or its sum."""
    value = _mercer.metric("log_loss", _probabilities(y_true, y_pred, labels), weights_of(sample_weight, len(y_true)))
    total = len(y_true) if sample_weight is None else float(np.sum(sample_weight))
    return value if normalize else value * total


def brier_score_loss(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None):
    """The mean squared distance of probabilities and truth; halved for two classes."""
    if np.asarray(y_proba).ndim == 1 or np.asarray(y_proba).shape[-1] == 1:
        y_true = _positives(y_true, pos_label)
        labels = [False, True]
    return _mercer.metric("brier", _probabilities(y_true, y_proba, labels), weights_of(sample_weight, len(y_true)))


def expected_calibration_error(y_true, y_proba, *, n_bins=10, strategy="uniform", sample_weight=None, labels=None):
    """The mean distance of predicted and observed shares over bins of the predicted probability."""
    name = spec("ece", bins=n_bins, strategy=None if strategy == "uniform" else strategy)
    return _mercer.metric(name, _probabilities(y_true, y_proba, labels), weights_of(sample_weight, len(y_true)))


def _positives(y_true, pos_label):
    """Which rows are positive."""
    truth = np.asarray(y_true).ravel()
    if pos_label is not None:
        return truth == pos_label
    known = np.unique(truth)
    if truth.dtype.kind in "OUS" or not np.isin(known, [-1, 0, 1]).all():
        raise ValueError(f"y_true takes value in {set(known.tolist())} and pos_label is not specified")
    return truth == 1


def _binary(y_true, y_score, pos_label):
    truth = np.ascontiguousarray(_positives(y_true, pos_label))
    scores = vector(y_score)
    check_lengths(truth, scores)
    return truth, scores


def roc_auc_score(
    y_true, y_score, *, average="macro", sample_weight=None, multi_class="raise", labels=None, max_fpr=None
):
    """The area under the ROC curve: of two classes, or of several one against the rest ("ovr") or by pairs ("ovo")."""
    if max_fpr is not None:
        raise NotImplementedError("max_fpr is not offered")
    weights = weights_of(sample_weight, len(y_true))
    score = np.asarray(y_score)
    if is_multilabel(y_true):
        each = [roc_auc_score(np.asarray(y_true)[:, k], score[:, k], sample_weight=sample_weight) for k in range(score.shape[1])]
        support = np.average(np.asarray(y_true), axis=0, weights=weights)
        return {None: np.asarray(each), "macro": float(np.mean(each))}.get(
            average, float(np.average(each, weights=support)) if average == "weighted" else None
        )
    known = label_set(y_true, labels=labels)
    if score.ndim == 2 and score.shape[1] > 2 or len(known) > 2:
        if multi_class not in ("ovr", "ovo"):
            raise ValueError("multi_class must be in ('ovo', 'ovr')")
        if score.ndim != 2 or score.shape[1] != len(known):
            raise ValueError(f"expected {len(known)} columns of scores, got shape {score.shape}")
        scored = ("classes", codes(y_true, known, "y_true"), len(known), None, None, matrix(score))
        if average is None:
            return np.asarray([roc_auc_score(np.asarray(y_true) == k, score[:, j], sample_weight=sample_weight) for j, k in enumerate(known)])
        name = spec("auc", multi_class=multi_class, average=None if average == "macro" else average)
        return _mercer.metric(name, scored, weights)
    second = score[:, 1] if score.ndim == 2 and score.shape[1] == 2 else score
    if len(known) != 2:
        import warnings

        warnings.warn("Only one class is present in y_true. ROC AUC score is not defined in that case.", stacklevel=2)
        return float("nan")
    truth = codes(y_true, known, "y_true")
    second = vector(second).reshape(-1, 1)
    check_lengths(truth, second)
    return _mercer.metric("auc", ("classes", truth, 2, None, None, second), weights)


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    """False-positive rates, true-positive rates and thresholds, from the highest down."""
    truth, scores = _binary(y_true, y_score, pos_label)
    fpr, tpr, thresholds = _mercer.roc_curve(truth, scores, weights_of(sample_weight, len(truth)))
    if drop_intermediate and len(fpr) > 3:
        # Points on a straight line between their neighbours add nothing; counts say so without rounding. The first point
        # is a convention, and always stays.
        counts = [rate[1:] * np.sum(side) for rate, side in ((fpr, ~truth), (tpr, truth))]
        if sample_weight is None:
            counts = [np.rint(count) for count in counts]
        kept = np.flatnonzero(np.r_[True, True, np.logical_or(*(np.diff(count, 2) for count in counts)), True])
        fpr, tpr, thresholds = fpr[kept], tpr[kept], thresholds[kept]
    return fpr, tpr, thresholds


def precision_recall_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=False):
    """Precisions, recalls and rising thresholds; the last point is (1, 0) and has no threshold."""
    truth, scores = _binary(y_true, y_score, pos_label)
    precision, recall, thresholds = _mercer.precision_recall_curve(truth, scores, weights_of(sample_weight, len(truth)))
    if drop_intermediate and len(thresholds) > 2:
        kept = np.r_[True, np.logical_or(np.diff(recall[:-1])[:-1], np.diff(recall[:-1])[1:]), True]
        precision, recall, thresholds = precision[np.r_[kept, True]], recall[np.r_[kept, True]], thresholds[kept]
    return precision, recall, thresholds


def _of_second(name, y_true, y_score, pos_label, sample_weight):
    truth, scores = _binary(y_true, y_score, pos_label)
    scored = ("classes", truth.astype(np.uint32), 2, None, None, scores.reshape(-1, 1))
    return _mercer.metric(name, scored, weights_of(sample_weight, len(truth)))


def average_precision_score(y_true, y_score, *, pos_label=1, sample_weight=None):
    """Precision weighted by the gain in recall, without interpolation."""
    return _of_second("average_precision", y_true, y_score, pos_label, sample_weight)


def break_even_point(y_true, y_score, *, pos_label=None, sample_weight=None):
    """Precision where it equals recall."""
    return _of_second("break_even", y_true, y_score, pos_label, sample_weight)


def top_k_accuracy_score(y_true, y_score, *, k=2, normalize=True, sample_weight=None, labels=None):
    """The share of rows whose class is among the k with the highest scores, or their number."""
    known = label_set(y_true, labels=labels)
    scores = matrix(y_score)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    scored = ("classes", codes(y_true, known, "y_true"), len(known), None, None, np.ascontiguousarray(scores))
    value = _mercer.metric(spec("top_k", k=k), scored, weights_of(sample_weight, len(y_true)))
    total = len(y_true) if sample_weight is None else float(np.sum(sample_weight))
    return value if normalize else value * total


# Numbers


def _of_numbers(name, y_true, y_pred, sample_weight=None, multioutput="uniform_average"):
    truth, predicted = np.asarray(y_true, dtype=np.float64), np.asarray(y_pred, dtype=np.float64)
    check_lengths(truth, predicted)
    weights = weights_of(sample_weight, len(truth))
    if truth.ndim == 1 or truth.shape[1] == 1:
        value = _mercer.metric(name, ("numbers", vector(truth), vector(predicted)), weights)
        return np.asarray([value]) if isinstance(multioutput, str) and multioutput == "raw_values" else value
    if truth.shape != predicted.shape:
        raise ValueError(f"y_true and y_pred have different shapes: {truth.shape} and {predicted.shape}")
    each = np.asarray(
        [_mercer.metric(name, ("numbers", vector(truth[:, k]), vector(predicted[:, k])), weights) for k in range(truth.shape[1])]
    )
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return each
        if multioutput == "uniform_average":
            return float(each.mean())
        if multioutput == "variance_weighted":
            return float(np.average(each, weights=np.var(truth, axis=0) if weights is None else _variances(truth, weights)))
        raise ValueError(f"multioutput must be raw_values, uniform_average or variance_weighted, got {multioutput!r}")
    return float(np.average(each, weights=multioutput))


def _variances(values, weights):
    mean = np.average(values, axis=0, weights=weights)
    return np.average((values - mean) ** 2, axis=0, weights=weights)


def _number_metric(name, metric, doc, extra=()):
    """A function for one metric of numbers."""
    if extra:
        keyword, default = extra

        def function(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", **options):
            value = options.pop(keyword, default)
            if options:
                raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(options))!r}")
            return _of_numbers(spec(metric, **{keyword: value}), y_true, y_pred, sample_weight, multioutput)
    else:

        def function(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
            return _of_numbers(metric, y_true, y_pred, sample_weight, multioutput)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


mean_squared_error = _number_metric("mean_squared_error", "mse", "The mean squared error.")
root_mean_squared_error = _number_metric("root_mean_squared_error", "rmse", "The root of the mean squared error.")
mean_absolute_error = _number_metric("mean_absolute_error", "mae", "The mean absolute error.")
median_absolute_error = _number_metric("median_absolute_error", "median_absolute_error", "The median absolute error.")
max_error = _number_metric("max_error", "max_error", "The largest absolute error.")
mean_absolute_percentage_error = _number_metric(
    "mean_absolute_percentage_error", "mape", "The mean absolute error as a share of the truth."
)
mean_squared_log_error = _number_metric(
    "mean_squared_log_error", "msle", "The mean squared error of ln(1 + y), for numbers above −1."
)
root_mean_squared_log_error = _number_metric(
    "root_mean_squared_log_error", "rmsle", "The root of the mean squared error of ln(1 + y)."
)
r2_score = _number_metric(
    "r2_score", "r2", "The share of the variance explained; a constant truth scores 1 when hit exactly, else 0."
)
explained_variance_score = _number_metric(
    "explained_variance_score", "explained_variance", "As R², a constant offset of the predictions forgiven."
)
mean_poisson_deviance = _number_metric("mean_poisson_deviance", "poisson_deviance", "The mean Poisson deviance.")
mean_gamma_deviance = _number_metric("mean_gamma_deviance", "gamma_deviance", "The mean Gamma deviance.")
mean_tweedie_deviance = _number_metric(
    "mean_tweedie_deviance", "tweedie", "The mean Tweedie deviance of a `power`.", ("power", 0)
)
mean_pinball_loss = _number_metric(
    "mean_pinball_loss", "pinball", "The mean pinball loss of the quantile `alpha`.", ("alpha", 0.5)
)
d2_absolute_error_score = _number_metric(
    "d2_absolute_error_score", "d2_absolute_error", "The share of the absolute error of the median saved."
)


# Groups


def _groups(name, labels_true, labels_pred):
    check_lengths(labels_true, labels_pred)
    truth = np.unique(np.asarray(labels_true), return_inverse=True)[1].ravel().astype(np.uint32)
    found = np.unique(np.asarray(labels_pred), return_inverse=True)[1].ravel().astype(np.uint32)
    return _mercer.metric(name, ("groups", found, truth, None), None)


def rand_score(labels_true, labels_pred):
    """The share of pairs on which two groupings agree."""
    return _groups("rand", labels_true, labels_pred)


def adjusted_rand_score(labels_true, labels_pred):
    """The Rand index adjusted for chance."""
    return _groups("adjusted_rand", labels_true, labels_pred)


def mutual_info_score(labels_true, labels_pred):
    """The mutual information of two groupings, in nats."""
    return _groups("mutual_info", labels_true, labels_pred)


def adjusted_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """Mutual information adjusted for chance."""
    method = None if average_method == "arithmetic" else average_method
    return _groups(spec("ami", average=method), labels_true, labels_pred)


def normalized_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """Mutual information over a mean of the entropies."""
    method = None if average_method == "arithmetic" else average_method
    return _groups(spec("nmi", average=method), labels_true, labels_pred)


def homogeneity_score(labels_true, labels_pred):
    """Whether each group found holds one known group only."""
    return _groups("homogeneity", labels_true, labels_pred)


def completeness_score(labels_true, labels_pred):
    """Whether each known group lies in one group found."""
    return _groups("completeness", labels_true, labels_pred)


def v_measure_score(labels_true, labels_pred, *, beta=1.0):
    """The harmonic mean of homogeneity and completeness."""
    return _groups(spec("v_measure", beta=None if beta == 1.0 else beta), labels_true, labels_pred)


def homogeneity_completeness_v_measure(labels_true, labels_pred, *, beta=1.0):
    """Homogeneity, completeness and their harmonic mean."""
    return (
        homogeneity_score(labels_true, labels_pred),
        completeness_score(labels_true, labels_pred),
        v_measure_score(labels_true, labels_pred, beta=beta),
    )


def fowlkes_mallows_score(labels_true, labels_pred):
    """The geometric mean of precision and recall over pairs."""
    return _groups("fowlkes_mallows", labels_true, labels_pred)


def _distances(name, X, labels):
    check_lengths(X, labels)
    found = np.unique(np.asarray(labels), return_inverse=True)[1].ravel().astype(np.uint32)
    return _mercer.metric(name, ("groups", found, None, matrix(X)), None)


def silhouette_score(X, labels):
    """The mean silhouette under Euclidean distance."""
    return _distances("silhouette", X, labels)


def silhouette_samples(X, labels):
    """The silhouette of every row."""
    found = np.unique(np.asarray(labels), return_inverse=True)[1].ravel().astype(np.uint32)
    return _mercer.silhouette_samples(matrix(X), found)


def davies_bouldin_score(X, labels):
    """How alike each group is to the one most like it: smaller is better."""
    return _distances("davies_bouldin", X, labels)


def calinski_harabasz_score(X, labels):
    """The spread between groups over the spread within."""
    return _distances("calinski_harabasz", X, labels)


# Rankings


def _ranking(name, y_true, y_score, sample_weight):
    truth, scores = matrix(y_true), matrix(y_score)
    if truth.ndim == 1:
        truth, scores = truth[None, :], scores[None, :]
    if truth.shape != scores.shape:
        raise ValueError(f"y_true and y_score have different shapes: {truth.shape} and {scores.shape}")
    n, k = truth.shape
    queries = np.repeat(np.arange(n, dtype=np.uint64), k)
    weights = weights_of(sample_weight, n)
    weights = None if weights is None else np.repeat(weights, k)
    return _mercer.metric(name, ("ranking", truth.ravel(), scores.ravel(), queries), weights)


def dcg_score(y_true, y_score, *, k=None, sample_weight=None):
    """The discounted cumulative gain, a query a row; ties share their places."""
    return _ranking(spec("dcg", k=k), y_true, y_score, sample_weight)


def ndcg_score(y_true, y_score, *, k=None, sample_weight=None):
    """The discounted cumulative gain over that of the best order."""
    return _ranking(spec("ndcg", k=k), y_true, y_score, sample_weight)


def mean_average_precision(y_true, y_score, *, k=None, sample_weight=None):
    """The mean over queries of the average precision of their ranking."""
    return _ranking(spec("map", k=k), y_true, y_score, sample_weight)


def mean_reciprocal_rank(y_true, y_score, *, k=None, sample_weight=None):
    """The mean over queries of one over the rank of the first relevant item."""
    return _ranking(spec("mrr", k=k), y_true, y_score, sample_weight)


# Intervals and tests


def bootstrap_interval(
    metric, y_true, y_pred, *, confidence=0.95, n_draws=2000, method="bca", sample_weight=None, random_state=None
):
    """A metric with its bootstrap interval.

    Parameters
    ----------
    metric : str
        The name of a metric, as for ``scoring``.
    y_true, y_pred : array-like
        Truth, and predicted classes, probabilities (two-dimensional), scores or numbers, as the metric needs.
    confidence : float, default=0.95
    n_draws : int, default=2000
    method : {"bca", "percentile"}, default="bca"
    sample_weight : array-like or None
    random_state : int or None

    Returns
    -------
    tuple of (estimate, lower, upper)
    """
    from mercer._base import seed_of

    name, _, task, needs = _mercer.metric_info(metric)
    if task == "Regression":
        scored = ("numbers", vector(y_true), vector(y_pred))
    elif needs == "Labels":
        scored = _classes(y_true, y_pred)[0]
    elif needs == "Probabilities":
        scored = _probabilities(y_true, y_pred)
    else:
        known = label_set(y_true)
        scores = matrix(y_pred)
        scores = scores.reshape(-1, 1) if scores.ndim == 1 else scores
        scored = ("classes", codes(y_true, known), len(known), None, None, scores)
    return _mercer.bootstrap(
        name,
        scored,
        weights_of(sample_weight, len(y_true)),
        draws=n_draws,
        confidence=confidence,
        method=method,
        seed=seed_of(random_state),
    )


def mcnemar_test(y_true, y_first, y_second, *, exact=True):
    """McNemar's test whether two classifiers err on as many rows: the statistic and the two-sided p-value."""
    truth = np.asarray(y_true)
    first, second = np.asarray(y_first) == truth, np.asarray(y_second) == truth
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    return _mercer.paired_test("mcnemar", only_first, only_second, {"exact": exact})


def wilcoxon_test(scores_first, scores_second):
    """Wilcoxon's signed rank test between scores on the same folds: the statistic and the two-sided p-value."""
    return _mercer.paired_test("wilcoxon", vector(scores_first), vector(scores_second), {})


def corrected_t_test(scores_first, scores_second, *, n_train, n_test):
    """The resampled t-test corrected for rows that folds share (Nadeau, Bengio 2003): t and the two-sided p-value."""
    sizes = {"n_train": n_train, "n_test": n_test}
    return _mercer.paired_test("t", vector(scores_first), vector(scores_second), sizes)


def make_scorer(score_func, *, greater_is_better=True, needs="labels"):
    """A scorer for ``scoring`` from a function of ``(y_true, y_pred)``.

    Parameters
    ----------
    score_func : callable
        Called with the truth and the predictions; with ``sample_weight=`` where there are weights.
    greater_is_better : bool, default=True
        False for losses: their scores are reported negative.
    needs : {"labels", "probabilities", "scores"}, default="labels"
        What a classifier's predictions are: classes, probabilities, or decision values (else probabilities).
    """
    return Scorer(getattr(score_func, "__name__", "metric"), score_func, greater_is_better, needs)


def get_scorer_names():
    """The names of all metrics."""
    return sorted(name for name, _, _ in _mercer.metric_names())


__all__ = sorted(
    name for name, value in globals().items() if callable(value) and not name.startswith("_") and value.__module__ == __name__
)
