"""Pipelines whose steps are not all Mercer's: one step after the other on the caller's thread, as scikit-learn's run. What was
learnt lies in the steps."""

from __future__ import annotations

from mercer import _routing
from mercer._exceptions import not_fitted
from mercer._parts import check_memory, check_names, fit_transform_one, is_fitted, is_skipped, refuse_classes, timed


def check(pipe):
    """Refuses steps that make no pipeline."""
    steps = pipe.steps
    if not isinstance(steps, (list, tuple)) or any(not isinstance(s, (list, tuple)) or len(s) != 2 for s in steps):
        raise TypeError(f"`steps` of {type(pipe).__name__} must be a list of (name, estimator)")
    if not steps:
        raise ValueError("The pipeline is empty. Please add steps.")
    check_names(pipe, [name for name, _ in steps])
    refuse_classes(step for _, step in steps)
    *firsts, last = [step for _, step in steps]
    for step in firsts:
        fits = hasattr(step, "fit") or hasattr(step, "fit_transform")
        if not is_skipped(step) and not (fits and hasattr(step, "transform")):
            raise TypeError(
                "All intermediate steps should be transformers and implement fit and transform or be the string 'passthrough' "
                f"'{step}' (type {type(step)}) doesn't"
            )
    if not is_skipped(last) and not hasattr(last, "fit"):
        raise TypeError(
            f"Last step of Pipeline should implement fit or be the string 'passthrough'. '{last}' (type {type(last)}) doesn't"
        )


def final(pipe):
    """The last step; "passthrough" where it lets everything through."""
    try:
        step = pipe.steps[-1][1]
    except IndexError:
        raise AttributeError(f"{type(pipe).__name__!r} object has no attribute '_final_estimator'") from None
    except (TypeError, ValueError):
        return None
    return "passthrough" if step is None else step


# Parameters of a call, by step and method


class Given(dict):
    """The parameters of a step, by method."""

    def __missing__(self, method):
        return {}


class ByStep(dict):
    """The parameters of all steps."""

    def __missing__(self, name):
        return Given()


def given(pipe, method, params):
    """Parameters of a call by step: `step__parameter`, or as scikit-learn routes them."""
    if _routing.is_on():
        from sklearn.utils.metadata_routing import process_routing

        routed = process_routing(pipe, method, **params)
        return ByStep({name: Given(routed[name]) for name, step in pipe.steps if not is_skipped(step)})
    made = {name: {} for name, _ in pipe.steps}
    for path, value in params.items():
        name, mark, rest = path.partition("__")
        if not mark:
            raise ValueError(
                f"Pipeline.fit does not accept the {path} parameter. You can pass parameters to specific steps of your pipeline "
                "using the stepname__parameter format, e.g. `Pipeline.fit(X, y, "
                "logisticregression__sample_weight=sample_weight)`."
            )
        made[name][rest] = value
    methods = ("fit", "fit_transform", "fit_predict")
    return ByStep({name: Given(dict.fromkeys(methods, own)) for name, own in made.items()})


def _transformed_too(pipe, at, own, params):
    """Parameters of a step, those that `transform_input` names run through the steps before."""
    if not pipe.transform_input or not params or not own or at == 0:
        return own
    from sklearn.utils.metadata_routing import get_routing_for_object

    before = pipe[:at]
    used = get_routing_for_object(before).consumes(method="transform", params=params.keys())
    more, known = {key: params[key] for key in used}, {}

    def through(name, value):
        if name not in pipe.transform_input:
            return value
        if name not in known:
            several = isinstance(value, tuple)
            known[name] = tuple(before.transform(v, **more) for v in value) if several else before.transform(value, **more)
        return known[name]

    return Given({method: {k: through(k, v) for k, v in values.items()} for method, values in own.items()})


# Learning


def _message(pipe, at):
    return "Pipeline", f"(step {at + 1} of {len(pipe.steps)}) Processing {pipe.steps[at][0]}" if pipe.verbose else None


def _fit_firsts(pipe, X, y, params, raw):
    """Fits all steps but the last: the rows as the last is to see them."""
    from mercer._rows import clone

    pipe.steps = list(pipe.steps)
    check(pipe)
    memory = check_memory(pipe.memory)
    keeps = memory is not None and getattr(memory, "location", memory) is not None
    run = memory.cache(fit_transform_one) if memory is not None else fit_transform_one
    for at, (name, step) in enumerate(pipe.steps[:-1]):
        if is_skipped(step):
            with timed(*_message(pipe, at)):
                continue
        own = _transformed_too(pipe, at, params[name], raw)
        X, fitted = run(clone(step) if keeps else step, X, y, _message(pipe, at), dict(own))
        pipe.steps[at] = (name, fitted)
    return X


def fit(pipe, X, y=None, **params):
    """Fits all steps."""
    if pipe.transform_input is not None and not _routing.is_on():
        raise ValueError(
            "The `transform_input` parameter can only be set if metadata routing is enabled. You can enable metadata routing "
            "using `sklearn.set_config(enable_metadata_routing=True)`."
        )
    _run(pipe, "fit", X, y, params)
    return pipe


def _run(pipe, method, X, y, raw):
    """Fits all steps, the last by one of its methods: what that gives."""
    if not pipe.steps:
        check(pipe)
    params = given(pipe, method, raw)
    X = _fit_firsts(pipe, X, y, params, raw)
    last, at = final(pipe), len(pipe.steps) - 1
    with timed(*_message(pipe, at)):
        if is_skipped(last):
            return X
        own = _transformed_too(pipe, at, params[pipe.steps[-1][0]], raw)
        if method == "fit_transform" and not hasattr(last, "fit_transform"):
            return last.fit(X, y, **own["fit"]).transform(X, **own["transform"])
        return getattr(last, method)(X, y, **own[method])


def fit_transform(pipe, X, y=None, **params):
    """Fits all steps and transforms the same rows."""
    return _run(pipe, "fit_transform", X, y, params)


def fit_predict(pipe, X, y=None, **params):
    """Fits all steps and gives what the last says of the same rows."""
    return _run(pipe, "fit_predict", X, y, params)


# What a fitted pipeline says


def fitted(pipe):
    """Whether the last step that is one is fitted; the others are then, too."""
    last = next((step for _, step in reversed(pipe.steps) if not is_skipped(step)), None)
    return last is None or is_fitted(last)


def _routed(pipe, method, params):
    """Parameters for `transform` of the first steps and for `method` of the last."""
    if not _routing.is_on():
        return ByStep(), params
    own = given(pipe, method, params)
    return own, own[pipe.steps[-1][0]][method]


def _refuse(method, params):
    """What is handed on only where scikit-learn routes it."""
    if params and not _routing.is_on():
        raise ValueError(
            f"Passing extra keyword arguments to Pipeline.{method} is only supported if enable_metadata_routing=True, which you can "
            "set using `sklearn.set_config`. See the User Guide <https://scikit-learn.org/stable/metadata_routing.html> for more "
            f"details. Extra parameters passed are: {set(params)}"
        )


def answer(pipe, method, X, *args, **params):
    """What the last step says of rows that the others transformed."""
    if not fitted(pipe):
        raise not_fitted(pipe)
    if method == "decision_function":
        _refuse(method, params)
    firsts, own = _routed(pipe, method, params)
    for name, step in pipe.steps[:-1]:
        if not is_skipped(step):
            X = step.transform(X, **firsts[name]["transform"])
    return getattr(pipe.steps[-1][1], method)(X, *args, **own)


def transform(pipe, X, **params):
    """Rows as all steps transform them."""
    return _through(pipe, "transform", pipe.steps, X, params)


def inverse_transform(pipe, X, **params):
    """The rows that all steps would transform into these."""
    return _through(pipe, "inverse_transform", reversed(pipe.steps), X, params)


def _through(pipe, method, steps, X, params):
    if not fitted(pipe):
        raise not_fitted(pipe)
    _refuse(method, params)
    own = given(pipe, method, params)
    for name, step in steps:
        if not is_skipped(step):
            X = getattr(step, method)(X, **own[name][method])
    return X


def names_out(pipe, input_features=None):
    """The names of the columns that come out."""
    for name, step in pipe.steps:
        if is_skipped(step):
            continue
        if not hasattr(step, "get_feature_names_out"):
            raise AttributeError(
                f"Estimator {name} does not provide get_feature_names_out. Did you mean to call "
                "pipeline[:-1].get_feature_names_out()?"
            )
        input_features = step.get_feature_names_out(input_features)
    return input_features


def learnt(pipe, name):
    """What the first step knows of the columns, or the last of the classes."""
    try:
        step = pipe.steps[-1 if name == "classes_" else 0][1]
        return getattr(step, name)
    except IndexError:
        raise AttributeError(f"{type(pipe).__name__!r} object has no attribute {name!r}") from None


# scikit-learn


def tags(pipe, made):
    """Tags of the whole from those of its first and last steps."""
    from copy import deepcopy

    from sklearn.utils import get_tags

    steps = [step for _, step in pipe.steps if not is_skipped(step)]
    if not steps:
        return made
    if not is_skipped(pipe.steps[0][1]):
        made.input_tags.pairwise = get_tags(steps[0]).input_tags.pairwise
    made.input_tags.sparse = all(get_tags(step).input_tags.sparse for step in steps)
    if not is_skipped(pipe.steps[-1][1]):
        last = get_tags(steps[-1])
        made.estimator_type = last.estimator_type
        made.target_tags.multi_output = last.target_tags.multi_output
        made.target_tags.required = last.target_tags.required
        for name in ("classifier_tags", "regressor_tags", "transformer_tags"):
            setattr(made, name, deepcopy(getattr(last, name)))
    return made


def router(pipe):
    """scikit-learn's router of parameters to steps."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    made = MetadataRouter(owner=pipe)

    def mapped(pairs):
        mapping = MethodMapping()
        for caller, callee in pairs:
            mapping.add(caller=caller, callee=callee)
        return mapping

    asks = ("predict", "predict_proba", "decision_function", "predict_log_proba", "transform", "score")
    for name, step in pipe.steps[:-1]:
        if is_skipped(step):
            continue
        whole = hasattr(step, "fit_transform")
        callees = ("fit_transform",) if whole else ("fit", "transform")
        pairs = [(caller, callee) for caller in ("fit", "fit_transform", "fit_predict") for callee in callees]
        pairs += [(caller, "transform") for caller in asks] + [("inverse_transform", "inverse_transform")]
        made.add(method_mapping=mapped(pairs), **{name: step})
    name, last = pipe.steps[-1]
    if not is_skipped(last):
        whole = hasattr(last, "fit_transform")
        pairs = [("fit_transform", "fit_transform")] if whole else [("fit", "fit"), ("fit", "transform")]
        if not whole:
            pairs += [("fit_transform", "fit"), ("fit_transform", "transform")]
        pairs += [(m, m) for m in ("fit", "fit_predict", "inverse_transform", *asks)]
        made.add(method_mapping=mapped(dict.fromkeys(pairs)), **{name: last})
    return made
