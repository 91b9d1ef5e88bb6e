"""Truth and predictions for the compiled metrics, and what `scoring` may be."""

import numpy as np

from mercer import _mercer


def weights_of(sample_weight, n):
    """Weights as an array; None stays None."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64).ravel()
    if len(weights) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(weights)}]")
    return weights


def check_lengths(*arrays):
    """Arrays must be of equal length."""
    lengths = [len(a) for a in arrays if a is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def vector(y):
    """Numbers, contiguous."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return np.ascontiguousarray(array, dtype=np.float64)


def matrix(values):
    """Numbers, two-dimensional."""
    return np.ascontiguousarray(values, dtype=np.float64)


def is_multilabel(y):
    """Whether a target is an indicator matrix of labels."""
    array = np.asarray(y)
    return array.ndim == 2 and array.shape[1] > 1


def label_set(*targets, labels=None):
    """The sorted labels of some targets, or the ones given."""
    if labels is not None:
        return np.asarray(labels)
    kinds = {np.asarray(t).dtype.kind in "OUS" for t in targets}
    if len(kinds) > 1:
        raise ValueError("Mix of label input types (string and number)")
    return np.unique(np.concatenate([np.asarray(t).ravel() for t in targets]))


def codes(y, labels, what="y"):
    """Codes of a target in some labels; a label that is not among them is an error."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"{what} should be a 1d array, got an array of shape {array.shape} instead.")
    order = np.argsort(labels, kind="stable")
    found = np.searchsorted(labels[order], array)
    found = np.minimum(found, max(len(labels) - 1, 0))
    place = order[found] if len(labels) else found
    if len(array) and (len(labels) == 0 or not np.array_equal(labels[place], array)):
        unknown = array[0] if len(labels) == 0 else array[labels[place] != array][0]
        raise ValueError(f"{what} contains the label {unknown!r}, which is not among {list(labels)}")
    return np.ascontiguousarray(place, dtype=np.uint32)


def spec(name, **params):
    """A metric with parameters, as the compiled part reads it; those that are None are left at their defaults."""
    given = {key: value for key, value in params.items() if value is not None}
    if not given:
        return name
    return f"{name}({','.join(f'{key}={_word(value)}' for key, value in given.items())})"


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, (int, float, np.number)) else str(value)


class Scorer:
    """A metric for `scoring`: a name of Mercer's or scikit-learn's, or a function of truth and predictions.

    Scores of ``neg_…`` names, and of functions for which less is better, come back negative, so that greater is
    better, as scikit-learn has it.
    """

    def __init__(self, name, function=None, greater_is_better=True, needs="labels", label=None):
        self.label = label or name
        self.function, self.needs = function, needs
        if function is None:
            self.name, self.greater_is_better, self.task, _ = _mercer.metric_info(name)
            self.sign = -1.0 if name.startswith("neg_") else 1.0
        else:
            self.name, self.greater_is_better, self.task = name, greater_is_better, None
            self.sign = 1.0 if greater_is_better else -1.0

    def __repr__(self):
        return f"Scorer({self.label!r})"

    def bind(self, task, classes):
        """The name under which the compiled part finds the metric for this target."""
        if self.function is None:
            return self.name
        function, needs = self.function, self.needs

        def call(truth, predicted, weights):
            if classes is not None:
                truth = np.asarray(classes)[truth]
                predicted = np.asarray(classes)[predicted] if needs == "labels" else predicted
                if needs != "labels" and predicted.ndim == 2 and predicted.shape[1] == 2:
                    predicted = predicted[:, 1]
                elif predicted.ndim == 2 and predicted.shape[1] == 1:
                    predicted = predicted[:, 0]
            value = function(truth, predicted) if weights is None else function(truth, predicted, sample_weight=weights)
            return float(value)

        name = f"user {self.label}"
        _mercer.custom_metric(name, call, task, self.greater_is_better, needs)
        return name.replace(" ", "_").lower()


def scorers(scoring, task):
    """The scorers that `scoring` means, by the names under which their scores are reported."""
    if scoring is None:
        scoring = "accuracy" if task == "Classification" else "r2"
    if isinstance(scoring, dict):
        return {name: scorer(one, name) for name, one in scoring.items()}
    if isinstance(scoring, (list, tuple, set)):
        return {name: scorer(name) for name in scoring}
    return {"score": scorer(scoring)}


def scorer(scoring, label=None):
    """One scorer."""
    if isinstance(scoring, Scorer):
        return scoring
    if isinstance(scoring, str):
        return Scorer(scoring)
    if callable(scoring):
        score = getattr(scoring, "_score_func", None)
        if score is not None:
            # A scorer of scikit-learn's make_scorer: the function inside is what Mercer takes.
            kwargs = getattr(scoring, "_kwargs", {})
            sign = getattr(scoring, "_sign", 1)
            name = getattr(score, "__name__", "metric")
            return Scorer(
                label or name, lambda t, p, **w: score(t, p, **kwargs, **w), greater_is_better=sign > 0, label=label or name
            )
        return Scorer(label or getattr(scoring, "__name__", "metric"), scoring, label=label)
    raise TypeError(f"scoring must be a name, a function of (y_true, y_pred) or a Scorer, got {scoring!r}")
