"""What `scoring` may be: names of metrics, functions of truth and predictions, functions of an estimator, rows and target.

A scorer belongs to the call that it is handed to. One whose metric the compiled part knows by name carries that name, so
that whole procedures can run there; every other one is called by Python on the caller's thread.
"""

from __future__ import annotations

import warnings
from inspect import Parameter, signature

import numpy as np

from mercer import _mercer, _routing
from mercer._checks import codes, type_of_target


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


# What an estimator is, and says


_KINDS = {
    "Classification": "classifier",
    "Regression": "regressor",
    "Clustering": "clusterer",
    "Outliers": "outlier_detector",
}


def kind_of(estimator):
    """ "classifier", "regressor" or another word, as the estimator declares it."""
    task = getattr(estimator, "_mercer_task", None)
    if task:
        return _KINDS.get(task, "transformer")
    if hasattr(estimator, "__sklearn_tags__"):
        return estimator.__sklearn_tags__().estimator_type
    return getattr(estimator, "_estimator_type", None)


def method_of(estimator, names):
    """The first of some methods that an estimator has."""
    names = [names] if isinstance(names, str) else list(names)
    found = next((method for method in (getattr(estimator, name, None) for name in names) if method is not None), None)
    if found is None:
        raise AttributeError(f"{type(estimator).__name__} has none of the following attributes: {', '.join(names)}.")
    return found


def _name_of(method):
    return getattr(method, "__name__", None) or _name_of(method.func)


def responses(estimator, X, names, pos_label=None):
    """What an estimator says of rows: labels, numbers, or of two classes the probability or score of the positive one."""
    method = method_of(estimator, names)
    name = _name_of(method)
    if kind_of(estimator) != "classifier":
        return method(X)
    classes = estimator.classes_
    target = type_of_target(classes) if not isinstance(classes, list) else "multilabel"
    if target == "binary":
        if pos_label is not None and pos_label not in np.asarray(classes).tolist():
            raise ValueError(f"pos_label={pos_label} is not a valid label: It should be one of {classes}")
        pos_label = classes[-1] if pos_label is None else pos_label
    answers = method(X)
    if name in ("predict_proba", "predict_log_proba"):
        return _of_positive(answers, classes, target, pos_label)
    if name == "decision_function" and target == "binary" and pos_label == classes[0]:
        return -np.asarray(answers)
    return answers


def _of_positive(proba, classes, target, pos_label):
    if isinstance(proba, list):
        # Several targets of two classes each: the probabilities of the second ones.
        return np.vstack([p[:, -1] for p in proba]).T
    if target != "binary" or proba.ndim != 2 or proba.shape[1] > 2:
        return proba
    if proba.shape[1] == 1:
        raise ValueError(
            f"Got predict_proba of shape {proba.shape}, but need classifier with two classes."
        )
    return proba[:, np.flatnonzero(np.asarray(classes) == pos_label)[0]]


# Scorers


class Scorer:
    """A score of a fitted estimator: called with it, rows and their target. Greater is better, except of metrics that are
    asked for by a name of Mercer's for which less is better (``rmse``); ``greater_is_better`` says which.

    Attributes
    ----------
    metric : str or None
        The name by which the compiled part knows the metric.
    """

    def __init__(
        self, score_func, sign=1, kwargs=None, response_method="predict", metric=None, greater_is_better=True, label=None
    ):
        self._score_func, self._sign, self._kwargs = score_func, sign, kwargs or {}
        self._response_method = response_method
        self.metric, self.greater_is_better, self.label = metric, greater_is_better, label

    def __call__(self, estimator, X, y_true, *, sample_weight=None, **kwargs):
        if kwargs and not _routing.is_on():
            raise ValueError(
                f"Passing extra keyword arguments to {type(self).__name__}.score is only supported if "
                "enable_metadata_routing=True, which you can set using `sklearn.set_config`. Extra parameters passed are: "
                f"{set(kwargs)}"
            )
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        twice = set(self._kwargs) & set(kwargs)
        if twice:
            warnings.warn(
                "There is an overlap between set kwargs of this scorer instance and passed metadata. Please pass them either "
                f"as kwargs to `make_scorer` or metadata, but not both. Overlapping parameters are: {twice}",
                UserWarning,
                stacklevel=2,
            )
        pos_label = None if kind_of(estimator) == "regressor" else self._get_pos_label()
        answers = responses(estimator, X, self._response_method, pos_label)
        return self._sign * self._score_func(y_true, answers, **{**self._kwargs, **kwargs})

    def _get_pos_label(self):
        if "pos_label" in self._kwargs:
            return self._kwargs["pos_label"]
        known = _parameters(self._score_func).get("pos_label")
        return None if known is None or known.default is Parameter.empty else known.default

    def _accept_sample_weight(self):
        return "sample_weight" in _parameters(self._score_func)

    # scikit-learn's routing of parameters

    def set_score_request(self, **requests):
        """Say which parameters of the metric are asked for where scikit-learn routes them."""
        if not _routing.is_on():
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable it using "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        twice = set(self._kwargs) & set(requests)
        if twice:
            warnings.warn(
                "You are setting metadata request for parameters which are already set as kwargs for this metric. These set "
                "values will be overridden by passed metadata if provided. Please pass them either as metadata or kwargs to "
                f"`make_scorer`. Overlapping parameters are: {twice}",
                UserWarning,
                stacklevel=2,
            )
        self._requests = requests
        return self

    def get_metadata_routing(self):
        """The parameters that scikit-learn may route here: those asked for, or all that the metric knows, undecided."""
        from sklearn.utils.metadata_routing import MetadataRequest

        made = MetadataRequest(owner=self)
        known = {p.name: None for p in _parameters(self._score_func).values() if p.kind is not Parameter.VAR_KEYWORD}
        undecided = dict(list(known.items())[2:])
        for name, wanted in getattr(self, "_requests", undecided).items():
            made.score.add_request(param=name, alias=wanted)
        return made

    def _routing_repr(self):
        return repr(self)

    def __repr__(self):
        name = getattr(self._score_func, "__name__", None) or repr(self._score_func)
        sign = "" if self._sign > 0 else ", greater_is_better=False"
        more = "".join(f", {key}={value}" for key, value in self._kwargs.items())
        return f"make_scorer({name}{sign}, response_method={self._response_method!r}{more})"


class NamedScorer(Scorer):
    """A metric of Mercer's that scikit-learn has no name for."""

    def __init__(self, name):
        metric, greater, self.task, _ = _mercer.metric_info(name)
        sign = -1 if name.startswith("neg_") else 1
        super().__init__(None, sign, {}, "predict", metric, greater or sign < 0, name)

    def __call__(self, estimator, X, y_true, *, sample_weight=None):
        from mercer._checks import check_weights, n_rows

        weights = check_weights(sample_weight, n_rows(y_true))
        return self._sign * _mercer.metric(self.metric, self._answers(estimator, X, y_true), weights)

    def _answers(self, estimator, X, y):
        numbers = lambda values: np.ascontiguousarray(values, dtype=np.float64)  # noqa: E731
        if kind_of(estimator) != "classifier":
            return ("numbers", numbers(y).ravel(), numbers(estimator.predict(X)).ravel())
        classes = np.asarray(estimator.classes_)
        proba = numbers(estimator.predict_proba(X)) if hasattr(estimator, "predict_proba") else None
        decision = numbers(estimator.decision_function(X)) if hasattr(estimator, "decision_function") else None
        if decision is not None and decision.ndim == 1:
            decision = decision.reshape(-1, 1)
        predicted = codes(np.asarray(estimator.predict(X)), classes)
        return ("classes", codes(np.asarray(y), classes, "y"), len(classes), predicted, proba, decision)

    def _accept_sample_weight(self):
        return True

    def __repr__(self):
        return f"Scorer({self.label!r})"


class Passthrough:
    """The estimator's own score."""

    greater_is_better, _sign, label = True, 1, None

    def __init__(self, estimator):
        self._estimator = estimator
        task = getattr(estimator, "_mercer_task", None)
        self.metric = {"Classification": "accuracy", "Regression": "r2"}.get(task)

    def __call__(self, estimator, *args, **kwargs):
        return estimator.score(*args, **kwargs)

    def _accept_sample_weight(self):
        return "sample_weight" in _parameters(self._estimator.score)

    def get_metadata_routing(self):
        """What the estimator asks for."""
        from sklearn.utils.metadata_routing import get_routing_for_object

        return get_routing_for_object(self._estimator)

    def __repr__(self):
        return f"{type(self._estimator).__name__}.score"


class MultiScorer:
    """Several scorers at once: their scores by name."""

    def __init__(self, scorers, raise_exc=True):
        self._scorers, self._raise_exc = scorers, raise_exc

    def __call__(self, estimator, *args, sample_weight=None, **kwargs):
        scores = {}
        estimator = _Remembers(estimator) if self._share(estimator) else estimator
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        own = self._routed({**kwargs, **given}) if _routing.is_on() else None
        for name, one in self._scorers.items():
            more = {**kwargs, **(given if accepts_weights(one) else {})} if own is None else own[name].score
            try:
                scores[name] = one(estimator, *args, **more)
            except Exception:
                if self._raise_exc:
                    raise
                from traceback import format_exc

                scores[name] = format_exc()
        return scores

    def get_metadata_routing(self):
        """scikit-learn's router to all scorers."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        scores = MethodMapping().add(caller="score", callee="score")
        return MetadataRouter(owner=self).add(**self._scorers, method_mapping=scores)

    def _routed(self, params):
        from sklearn.utils.metadata_routing import process_routing

        return process_routing(self, "score", **params)

    def _share(self, estimator):
        """Whether two scorers ask for the same answers."""
        asked = [method_of(estimator, s._response_method).__name__ for s in self._scorers.values() if type(s) is Scorer]
        return len(asked) > len(set(asked))

    def __repr__(self):
        names = ", ".join(f'"{name}"' for name in self._scorers)
        return f"MultiMetricScorer({names})"


class _Remembers:
    """An estimator whose answers for the same rows are asked for once."""

    def __init__(self, estimator):
        self._inner, self._known = estimator, {}

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        if name not in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            return value

        def method(X):
            key = name, id(X)
            if key not in self._known:
                self._known[key] = value(X)
            return self._known[key]

        method.__name__ = name
        return method


def _parameters(function):
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def accepts_weights(scorer):
    """Whether a scorer takes weights of rows."""
    accept = getattr(scorer, "_accept_sample_weight", None)
    return accept() if accept is not None else "sample_weight" in _parameters(scorer)


# Names


def _registered():
    """scikit-learn's names: function, whether less is better, the method asked, more arguments."""
    ranked = ("decision_function", "predict_proba")
    less = {
        "max_error": "max_error", "mean_squared_error": "mean_squared_error", "median_absolute_error": "median_absolute_error",
        "mean_absolute_error": "mean_absolute_error", "mean_absolute_percentage_error": "mean_absolute_percentage_error",
        "mean_squared_log_error": "mean_squared_log_error", "root_mean_squared_error": "root_mean_squared_error",
        "root_mean_squared_log_error": "root_mean_squared_log_error", "mean_poisson_deviance": "mean_poisson_deviance",
        "mean_gamma_deviance": "mean_gamma_deviance",
    }
    made = {f"neg_{name}": (function, -1, "predict", {}) for name, function in less.items()}
    plain = {
        "explained_variance": "explained_variance_score", "r2": "r2_score", "matthews_corrcoef": "matthews_corrcoef",
        "d2_absolute_error_score": "d2_absolute_error_score", "accuracy": "accuracy_score",
        "balanced_accuracy": "balanced_accuracy_score", "positive_likelihood_ratio": "_positive_likelihood_ratio",
    }
    groups = ("adjusted_rand_score", "rand_score", "homogeneity_score", "completeness_score", "v_measure_score",
              "mutual_info_score", "adjusted_mutual_info_score", "normalized_mutual_info_score", "fowlkes_mallows_score")
    made.update({name: (function, 1, "predict", {}) for name, function in {**plain, **{g: g for g in groups}}.items()})
    made["neg_negative_likelihood_ratio"] = ("_negative_likelihood_ratio", -1, "predict", {})
    made["top_k_accuracy"] = ("top_k_accuracy_score", 1, ranked, {})
    made["roc_auc"] = ("roc_auc_score", 1, ranked, {})
    made["average_precision"] = ("average_precision_score", 1, ranked, {})
    for way in ("ovr", "ovo"):
        made[f"roc_auc_{way}"] = ("roc_auc_score", 1, "predict_proba", {"multi_class": way})
        made[f"roc_auc_{way}_weighted"] = ("roc_auc_score", 1, "predict_proba", {"multi_class": way, "average": "weighted"})
    made["neg_log_loss"] = ("log_loss", -1, "predict_proba", {})
    made["neg_brier_score"] = ("brier_score_loss", -1, "predict_proba", {})
    made["d2_log_loss_score"] = ("d2_log_loss_score", 1, "predict_proba", {})
    made["d2_brier_score"] = ("d2_brier_score", 1, "predict_proba", {})
    for name in ("precision", "recall", "f1", "jaccard"):
        made[name] = (f"{name}_score", 1, "predict", {"average": "binary"})
        for average in ("macro", "micro", "samples", "weighted"):
            made[f"{name}_{average}"] = (f"{name}_score", 1, "predict", {"pos_label": None, "average": average})
    return made


def get_scorer(scoring):
    """The scorer of a name; whatever is none stays as it is."""
    if not isinstance(scoring, str):
        import copy

        return copy.copy(scoring) if isinstance(scoring, Scorer) else scoring
    found = _registered().get(scoring)
    if found is not None:
        from mercer import metrics

        function, sign, method, kwargs = found
        return Scorer(getattr(metrics, function), sign, dict(kwargs), method, _compiled_name(scoring), label=scoring)
    try:
        return NamedScorer(scoring)
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"{scoring!r} is not a valid scoring value. Use mercer.metrics.get_scorer_names() to get valid options. "
            f"{error.args[0]}"
        ) from None


def _compiled_name(name):
    try:
        return _mercer.metric_info(name)[0]
    except (KeyError, ValueError):
        return None


def get_scorer_names():
    """The names of all metrics that `scoring` may be: scikit-learn's, and Mercer's own."""
    return sorted({*_registered(), *(name for name, _, _ in _mercer.metric_names())})


def make_scorer(score_func, *, response_method="predict", greater_is_better=True, **kwargs):
    """A scorer for ``scoring`` from a function of ``(y_true, y_pred)``.

    Parameters
    ----------
    score_func : callable
        Called with the truth and the answers; with ``sample_weight=`` where there are weights.
    response_method : {"predict", "predict_proba", "decision_function"} or list of them, default="predict"
        The method whose answers it is given, the first of a list that the estimator has.
    greater_is_better : bool, default=True
        False for losses: their scores are reported negative.
    **kwargs
        Handed to the function.
    """
    if not callable(score_func):
        raise ValueError(f"The 'score_func' parameter of make_scorer must be a callable. Got {score_func!r} instead.")
    return Scorer(score_func, 1 if greater_is_better else -1, kwargs, response_method)


def _is_metric(function):
    """Whether a function takes truth and predictions, rather than an estimator, rows and their target."""
    positional = [
        p for p in _parameters(function).values() if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if any(p.kind is Parameter.VAR_POSITIONAL for p in _parameters(function).values()) or not positional:
        return False
    first = positional[0].name
    if first in ("estimator", "est", "clf", "reg", "model"):
        return False
    return len(positional) == 2 or first in ("y", "y_true", "y1", "truth", "labels_true")


def _of_metric(function):
    """The scorer of a function of truth and predictions. Those of Mercer and scikit-learn are given the answers that they are
    about; of a loss nobody knows whether its negative is wanted, so that it is refused rather than driven up."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
    if not module.startswith(("mercer.metrics", "sklearn.metrics")) or ".tests." in module:
        return Scorer(function)
    known = [(sign, method) for of, sign, method, more in _registered().values() if of == name and "multi_class" not in more]
    sign, method = known[0] if known else (-1 if name.endswith(("_loss", "_error", "_deviance")) else 1, "predict")
    if sign < 0:
        raise ValueError(
            f"scoring value {function!r} looks like it is a metric function rather than a scorer, and one for which less is "
            "better. Please use `make_scorer` to convert a metric to a scorer, or its name, `neg_…`."
        )
    return Scorer(function, 1, {}, method)


def check_scoring(estimator=None, scoring=None, *, allow_none=False, raise_exc=True):
    """One callable of estimator, rows and target for whatever `scoring` is."""
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if isinstance(scoring, (list, tuple, set, dict)):
        return MultiScorer(_several(estimator, scoring), raise_exc)
    if callable(scoring):
        return _of_metric(scoring) if not isinstance(scoring, Scorer) and _is_metric(scoring) else get_scorer(scoring)
    if scoring is not None:
        raise ValueError(
            f"scoring is invalid (got {scoring!r}). Refer to the scoring glossary for details: "
            "https://scikit-learn.org/stable/glossary.html#term-scoring"
        )
    if hasattr(estimator, "score"):
        return Passthrough(estimator)
    if allow_none:
        return None
    raise TypeError(
        "If no scoring is specified, the estimator passed should have a 'score' method. The estimator "
        f"{estimator!r} does not."
    )


def _several(estimator, scoring):
    if isinstance(scoring, dict):
        if not all(isinstance(key, str) for key in scoring):
            raise ValueError(f"Non-string types were found in the keys of the given dict. scoring={scoring!r}")
        if not scoring:
            raise ValueError(f"An empty dict was passed. {scoring!r}")
        return {name: check_scoring(estimator, one) for name, one in scoring.items()}
    message = "The list/tuple elements must be unique strings of predefined scorers. "
    try:
        keys = set(scoring)
    except TypeError as error:
        raise ValueError(message) from error
    if len(keys) != len(scoring):
        raise ValueError(f"{message} Duplicate elements were found in the given list. {scoring!r}")
    if not keys:
        raise ValueError(f"{message} Empty list was given. {scoring!r}")
    if not all(isinstance(key, str) for key in keys):
        if any(callable(key) for key in keys):
            raise ValueError(
                f"{message} One or more of the elements were callables. Use a dict of score name mapped to the scorer "
                f"callable. Got {scoring!r}"
            )
        raise ValueError(f"{message} Non-string types were found in the given list. Got {scoring!r}")
    return {name: check_scoring(estimator, name) for name in scoring}
