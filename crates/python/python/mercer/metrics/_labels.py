"""Metrics of predicted classes and sets of labels, all of them from counts of rows by truth and prediction."""

from __future__ import annotations

import warnings

import numpy as np

from mercer import _mercer
from mercer._checks import (
    check_finite,
    check_lengths,
    check_weights,
    codes,
    column,
    is_sparse,
    kind_and_labels,
    n_rows,
    plain,
    unique,
    unique_labels,
)
from mercer._exceptions import warn_undefined


class Compared:
    """Truth and predictions of one kind: classes, or sets of labels as two matrices of truths.

    Attributes
    ----------
    kind : {"binary", "multiclass", "multilabel-indicator"}
    labels : ndarray
        All labels, sorted; places of columns where the target is sets of labels.
    truth, predicted : ndarray
    weights : ndarray or None
    """

    def __init__(self, y_true, y_pred, sample_weight=None):
        check_lengths(y_true, y_pred, sample_weight)
        known = [kind_and_labels(y_true, "y_true"), kind_and_labels(y_pred, "y_pred")]
        kinds = [kind for kind, _ in known]
        if n_rows(y_true) < 1:
            raise ValueError(
                "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
            )
        self.weights = check_weights(sample_weight, n_rows(y_true), dtype=None)
        kind = set(kinds)
        kind = {"multiclass"} if kind == {"binary", "multiclass"} else kind
        if len(kind) > 1:
            raise ValueError(f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets")
        self.kind = kind.pop()
        if self.kind not in ("binary", "multiclass", "multilabel-indicator"):
            raise ValueError(f"{self.kind} is not supported")
        if self.kind == "multilabel-indicator":
            self.truth, self.predicted = (_indicator(y) for y in (y_true, y_pred))
            if self.truth.shape[1] != self.predicted.shape[1]:
                raise ValueError("Multi-label binary indicator input with different numbers of labels")
            self.labels = np.arange(self.truth.shape[1])
            return
        if is_sparse(y_true) or is_sparse(y_pred):
            raise TypeError("Sparse input is only supported when targets are of multilabel type")
        self.truth, self.predicted = column(y_true), column(y_pred)
        self.labels = unique_labels(*(labels for _, labels in known))
        if len(self.labels) > 2:
            self.kind = "multiclass"

    @property
    def multilabel(self):
        """Whether the target is sets of labels."""
        return self.kind == "multilabel-indicator"

    def refuse_sets(self):
        """The same, where the target is classes."""
        if self.multilabel:
            raise ValueError(f"{self.kind} is not supported")
        return self

    def right(self):
        """Which rows are predicted without a fault."""
        same = self.truth == self.predicted
        return same.all(axis=1) if self.multilabel else same

    def mean(self, values, normalize=True):
        """The mean of values over rows, or their sum."""
        if normalize:
            return float(np.average(values, weights=self.weights))
        return float(np.sum(values) if self.weights is None else np.dot(values, self.weights))

    def counts(self, labels=None, samplewise=False):
        """Hits, rows and claims of each label, or of each row."""
        if self.multilabel:
            truth, predicted = self._columns(labels)
            together = truth & predicted
            if samplewise:
                each = [m.sum(axis=1) for m in (together, truth, predicted)]
                return each if self.weights is None else [m * self.weights for m in each]
            if self.weights is None:
                return [m.sum(axis=0) for m in (together, truth, predicted)]
            return [self.weights @ m for m in (together, truth, predicted)]
        if samplewise:
            raise ValueError("Samplewise metrics are not available outside of multilabel classification.")
        known = self.labels if labels is None else unique_labels(self.labels, unique(np.asarray(labels)))
        truth, predicted = codes(self.truth, known), codes(self.predicted, known)
        hit = truth == predicted
        count = lambda c, w: np.bincount(c, weights=w, minlength=len(known))  # noqa: E731
        hits = count(truth[hit], None if self.weights is None else self.weights[hit])
        each = [hits, count(truth, self.weights), count(predicted, self.weights)]
        return each if labels is None else [c[codes(np.asarray(labels), known)] for c in each]

    def _columns(self, labels):
        truth, predicted = self.truth != 0, self.predicted != 0
        if labels is None:
            return truth, predicted
        labels, most = np.asarray(labels), len(self.labels) - 1
        if labels.max() > most:
            raise ValueError(f"All labels must be in [0, n labels) for multilabel targets. Got {labels.max()} > {most}")
        if labels.min() < 0:
            raise ValueError(f"All labels must be in [0, n labels) for multilabel targets. Got {labels.min()} < 0")
        return truth[:, labels], predicted[:, labels]


def _indicator(y):
    array = y.toarray() if is_sparse(y) else plain(y)
    check_finite(array)
    return array


def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None):
    """The share of rows whose class (or whole set of labels) is predicted, or their number."""
    compared = Compared(y_true, y_pred, sample_weight)
    return compared.mean(compared.right(), normalize)


def zero_one_loss(y_true, y_pred, *, normalize=True, sample_weight=None):
    """The share of rows whose class is not predicted, or their number."""
    compared = Compared(y_true, y_pred, sample_weight)
    return compared.mean(~compared.right(), normalize)


def hamming_loss(y_true, y_pred, *, sample_weight=None):
    """The share of labels that are wrong."""
    compared = Compared(y_true, y_pred, sample_weight)
    wrong = compared.truth != compared.predicted
    return compared.mean(wrong.mean(axis=1) if compared.multilabel else wrong)


def _confusion(compared, labels=None):
    """Rows by true and predicted class; whole numbers where the weights are."""
    compared.refuse_sets()
    if labels is None:
        labels = compared.labels
    else:
        labels = np.asarray(labels)
        if labels.size == 0:
            raise ValueError("'labels' should contain at least one label.")
        if not np.isin(compared.truth, labels).any():
            raise ValueError("At least one label specified must be in y_true")
    order = np.argsort(labels, kind="stable")
    truth, predicted, weights = compared.truth, compared.predicted, compared.weights
    if labels is not compared.labels:
        kept = np.isin(truth, labels) & np.isin(predicted, labels)
        truth, predicted, weights = truth[kept], predicted[kept], None if weights is None else weights[kept]
    truth, predicted = (order[codes(y, labels[order])].astype(np.uint32) for y in (truth, predicted))
    weights = None if weights is None else np.ascontiguousarray(weights)
    if weights is not None and weights.dtype.kind in "biu":
        # Whole numbers stay what they are, however large.
        counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
        np.add.at(counts, (truth, predicted), weights)
        return counts
    counts = _mercer.confusion_matrix(truth, predicted, len(labels), weights)
    return counts.astype(np.int64) if weights is None else counts


def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    """Rows by true class (row) and predicted class (column)."""
    if normalize not in (None, "true", "pred", "all"):
        raise ValueError(f"normalize must be one of 'true', 'pred', 'all' or None, got {normalize!r}")
    counts = _confusion(Compared(y_true, y_pred, sample_weight), labels)
    if normalize is not None:
        total = counts.sum(axis={"true": 1, "pred": 0, "all": None}[normalize], keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            counts = np.nan_to_num(counts / total)
    if counts.shape == (1, 1):
        warnings.warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, use the "
            "'labels' parameter to pass all known labels.",
            UserWarning,
            stacklevel=2,
        )
    return counts


def multilabel_confusion_matrix(y_true, y_pred, *, sample_weight=None, labels=None, samplewise=False):
    """A matrix of two classes for each label, or for each row: not of it or of it, by truth and prediction."""
    compared = Compared(y_true, y_pred, sample_weight)
    hits, rows, claims = compared.counts(labels, samplewise)
    if samplewise:
        n_labels = compared.truth.shape[1] if labels is None else len(np.asarray(labels))
        total = n_labels if compared.weights is None else compared.weights * n_labels
    else:
        total = len(compared.truth) if compared.weights is None else compared.weights.sum()
    return np.stack([total - rows - claims + hits, claims - hits, rows - hits, hits]).T.reshape(-1, 2, 2)


def balanced_accuracy_score(y_true, y_pred, *, sample_weight=None, adjusted=False):
    """The mean recall over the classes that occur; adjusted, chance is 0."""
    counts = _confusion(Compared(y_true, y_pred, sample_weight))
    rows = counts.sum(axis=1)
    if (rows == 0).any():
        warnings.warn("y_pred contains classes not in y_true", stacklevel=2)
    recalls = np.diag(counts)[rows != 0] / rows[rows != 0]
    score = float(np.mean(recalls))
    if adjusted:
        if len(recalls) < 2:
            warn_undefined("Only one class is present in y_true: nothing can be better than chance. The score is not defined.")
            return float("nan")
        chance = 1 / len(recalls)
        return (score - chance) / (1 - chance)
    return score


def cohen_kappa_score(y1, y2, *, labels=None, weights=None, sample_weight=None, replace_undefined_by=np.nan):
    """Agreement beyond chance; `weights` None, "linear" or "quadratic"."""
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}")
    try:
        counts = _confusion(Compared(y1, y2, sample_weight), labels).astype(np.float64)
    except ValueError as error:
        if "At least one label specified" in str(error):
            raise ValueError(
                "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` is otherwise "
                "agnostic to the order of `y1` and `y2`)."
            ) from error
        raise

    def undefined(why):
        warn_undefined(
            f"{why} `cohen_kappa_score` is undefined and set to the value defined by the `replace_undefined_by` param, which "
            f"is set to {replace_undefined_by}.",
            4,
        )
        return replace_undefined_by

    if counts.sum() == 0:
        return undefined("`y2` contains no labels that are present in both `y1` and `labels`.")
    apart = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts)))).astype(np.float64)
    cost = {None: apart > 0, "linear": apart, "quadratic": apart**2}[weights]
    by_chance = np.sum(cost * np.outer(counts.sum(axis=1), counts.sum(axis=0))) / counts.sum()
    if by_chance == 0:
        return undefined("`y1`, `y2` and `labels` have only one label in common.")
    return float(1 - np.sum(cost * counts) / by_chance)


def matthews_corrcoef(y_true, y_pred, *, sample_weight=None):
    """Matthews' correlation; 0 where truth or prediction is constant."""
    counts = _confusion(Compared(y_true, y_pred, sample_weight)).astype(np.float64)
    rows, claims, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    spread = (total**2 - claims @ claims) * (total**2 - rows @ rows)
    return float((np.trace(counts) * total - rows @ claims) / np.sqrt(spread)) if spread != 0 else 0.0


# Scores of a class against the rest, averaged

_AVERAGES = (None, "micro", "macro", "weighted", "samples")


def _fill(zero_division):
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, (int, float, np.number)) and (zero_division in (0, 1) or np.isnan(zero_division)):
        return float(zero_division)
    raise ValueError(f"zero_division must be 0, 1, nan or 'warn', got {zero_division!r}")


def _warn_ratio(subject, lacking, average, n):
    axis, other = ("label", "sample") if average == "samples" else ("sample", "label")
    how = "due to" if n == 1 else f"in {other}s with"
    warn_undefined(
        f"{subject} ill-defined and being set to 0.0 {how} no {lacking} {axis}s. Use `zero_division` parameter to control "
        "this behavior.",
        6,
    )


def _ratio(part, whole, zero_division, average, name, lacking):
    """Ratios; where there is nothing to divide by, what `zero_division` says. `name` is warned about unless it is None."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    empty = whole == 0
    if empty.any() and name is not None and isinstance(zero_division, str):
        _warn_ratio(f"{name} is", lacking, average, len(whole))
    return np.where(empty, _fill(zero_division), part / np.where(empty, 1.0, whole))


def _mean(values, weights=None):
    """The mean without NaN; NaN where nothing else is left, or all weights are 0."""
    kept = ~np.isnan(values)
    if not kept.any():
        return float("nan")
    values, weights = values[kept], None if weights is None else np.asarray(weights)[kept]
    if weights is not None and weights.sum() == 0:
        return float("nan") if len(values) < len(kept) else float(np.mean(values))
    return float(np.average(values, weights=weights))


class _PerLabel:
    """Counts of each label, checked against `average` and summed as it says."""

    def __init__(self, y_true, y_pred, labels, pos_label, average, sample_weight):
        if average not in (*_AVERAGES, "binary"):
            raise ValueError(f"average has to be one of {_AVERAGES}")
        compared = Compared(y_true, y_pred, sample_weight)
        absent = False
        if average == "binary":
            labels = [_positive(compared, pos_label)]
            absent = pos_label not in compared.labels.tolist()
        elif pos_label not in (None, 1):
            warnings.warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}). You may "
                "use labels=[pos_label] to specify a single positive class.",
                UserWarning,
                stacklevel=5,
            )
        self.average, self.compared = average, compared
        # A class of which there is no row may be of another type than those there are.
        nothing = [np.zeros(1, dtype=np.int64)] * 3
        self.hits, self.rows, self.claims = nothing if absent else compared.counts(labels, average == "samples")
        if average == "micro":
            self.hits, self.rows, self.claims = (np.atleast_1d(c.sum()) for c in (self.hits, self.rows, self.claims))

    def ratio(self, part, whole, zero_division, name, lacking):
        return _ratio(part, whole, zero_division, self.average, name, lacking)

    def averaged(self, values):
        if self.average is None:
            return values
        weights = {"weighted": self.rows, "samples": self.compared.weights}.get(self.average)
        return _mean(values, weights)


def _positive(compared, pos_label):
    if compared.kind != "binary":
        others = [a for a in _AVERAGES if a != "samples" or compared.multilabel]
        raise ValueError(
            f"Target is {compared.kind} but average='binary'. Please choose another average setting, one of {others!r}."
        )
    known = compared.labels
    if pos_label not in known.tolist() and len(known) >= 2:
        raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {known}")
    return pos_label


def _scores(per, beta, zero_division, warned):
    """Precision, recall and F-beta of each label."""
    said = lambda name: name.capitalize() if name in warned else None  # noqa: E731
    precision = per.ratio(per.hits, per.claims, zero_division, said("precision"), "predicted")
    recall = per.ratio(per.hits, per.rows, zero_division, said("recall"), "true")
    if np.isposinf(beta):
        return precision, recall, recall
    if beta == 0:
        return precision, recall, precision
    whole = beta**2 * np.asarray(per.rows, dtype=np.float64) + per.claims
    part = (1 + beta**2) * np.asarray(per.hits, dtype=np.float64)
    f = per.ratio(part, whole, zero_division, said("f-score"), "true nor predicted")
    return precision, recall, f


def precision_recall_fscore_support(
    y_true,
    y_pred,
    *,
    beta=1.0,
    labels=None,
    pos_label=1,
    average=None,
    warn_for=("precision", "recall", "f-score"),
    sample_weight=None,
    zero_division="warn",
):
    """Precision, recall, F-beta and the weight of rows, of each class or averaged."""
    _fill(zero_division)
    if beta < 0:
        raise ValueError(f"beta should be >=0 in the F-beta score, got {beta}")
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    scores = [per.averaged(values) for values in _scores(per, beta, zero_division, warn_for)]
    return (*scores, per.rows if average is None else None)


def precision_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """Of the rows predicted to be of a class, the share that is; `zero_division` (0) where none is predicted."""
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    return per.averaged(per.ratio(per.hits, per.claims, zero_division, "Precision", "predicted"))


def recall_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """Of the rows of a class, the share predicted to be; `zero_division` (0) where there are none."""
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    return per.averaged(per.ratio(per.hits, per.rows, zero_division, "Recall", "true"))


def fbeta_score(
    y_true, y_pred, *, beta, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """(1+β²) TP / (β² rows + claims): recall counts β times as much as precision."""
    if beta < 0:
        raise ValueError(f"beta should be >=0 in the F-beta score, got {beta}")
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    return per.averaged(_scores(per, beta, zero_division, ("f-score",))[2])


def f1_score(y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"):
    """The harmonic mean of precision and recall."""
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    return per.averaged(_scores(per, 1, zero_division, ("f-score",))[2])


def f_alpha_score(
    y_true, y_pred, *, alpha=0.5, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """TP / (α (TP+FP) + (1−α) (TP+FN)): 1 is precision, 0 is recall, ½ is F1."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be in [0, 1], got {alpha}")
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    whole = alpha * np.asarray(per.claims, dtype=np.float64) + (1 - alpha) * per.rows
    return per.averaged(per.ratio(per.hits, whole, zero_division, "F-score", "true nor predicted"))


def jaccard_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    """TP / (TP + FP + FN)."""
    per = _PerLabel(y_true, y_pred, labels, pos_label, average, sample_weight)
    values = per.ratio(per.hits, per.rows + per.claims - per.hits, zero_division, "Jaccard", "true or predicted")
    return per.averaged(values)


def class_likelihood_ratios(y_true, y_pred, *, labels=None, sample_weight=None, replace_undefined_by=np.nan):
    """Recall over the false-positive rate, and the false-negative rate over specificity, of two classes."""
    compared = Compared(y_true, y_pred, sample_weight)
    if compared.kind != "binary":
        raise ValueError(
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {compared.kind}"
        )
    instead = _likelihood_replacements(replace_undefined_by)
    tn, fp, fn, tp = (float(v) for v in _confusion(compared, labels).ravel())
    more = (
        " Use the `replace_undefined_by` param to control this behavior. To suppress this warning or turn it into an error, "
        "see Python's `warnings` module and `warnings.catch_warnings()`."
    )
    if tp + fn == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` and "
            "`negative_likelihood_ratio` are both set to `np.nan`." + more
        )
    if fp == 0:
        why = (
            "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
            if tp == 0
            else "`positive_likelihood_ratio` is ill-defined and "
        )
        warn_undefined(f"{why}set to `np.nan`." + more)
    if tn == 0:
        warn_undefined("`negative_likelihood_ratio` is ill-defined and set to `np.nan`." + more)
    ratio = lambda a, b, undefined: undefined if b == 0 else a / b  # noqa: E731
    nothing = float("nan")
    positive = instead[0] if fp == 0 else ratio(tp * (tn + fp), fp * (tp + fn), nothing)
    negative = instead[1] if tn == 0 else ratio(fn * (tn + fp), tn * (tp + fn), nothing)
    return float(positive), float(negative)


def _likelihood_replacements(given):
    if isinstance(given, dict):
        values = given.get("LR+"), given.get("LR-")
        good = all(isinstance(v, (int, float)) for v in values)
        if good and not (values[0] < 1) and not (values[1] < 0 or values[1] > 1):
            return values
        raise ValueError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, 'LR-': `value_2`}` "
            "where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` and the value for `LR-` ranges from `0.0` "
            f"to `1.0` or is `np.nan`; got `{given}`."
        )
    return given, given
