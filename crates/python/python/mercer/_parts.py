"""Parts of composites that need not be Mercer's: what is checked of them, and what all Python wholes share."""

from __future__ import annotations

import time
from contextlib import contextmanager

from mercer._exceptions import not_fitted

TASKS = {"classifier": "Classification", "regressor": "Regression", "clusterer": "Clustering", "outlier_detector": "Outliers"}


def is_mercers(part):
    """Whether a part is Mercer's own, so that the compiled part may have all of it."""
    from mercer._folds import is_compiled

    return is_compiled(part)


def is_skipped(step):
    """Whether a step lets everything through."""
    return step is None or isinstance(step, str) and step == "passthrough"


def is_fitted(part):
    """Whether a part of scikit-learn's contract was fitted."""
    asked = getattr(part, "__sklearn_is_fitted__", None)
    if asked is not None:
        return asked()
    stateless = hasattr(part, "__sklearn_tags__") and not part.__sklearn_tags__().requires_fit
    return stateless or any(name.endswith("_") and not name.startswith("__") for name in vars(part))


def check_fitted(part):
    """Refuses what was not fitted."""
    if not is_fitted(part):
        raise not_fitted(part)


def check_names(owner, names):
    """Names of parts must be unique, and be told from parameters."""
    names = list(names)
    if len(set(names)) != len(names):
        raise ValueError(f"Names provided are not unique: {names!r}")
    taken = set(names) & set(owner.get_params(deep=False))
    if taken:
        raise ValueError(f"Estimator names conflict with constructor arguments: {sorted(taken)!r}")
    wrong = [name for name in names if "__" in name]
    if wrong:
        raise ValueError(f"Estimator names must not contain __: got {wrong!r}")


def refuse_classes(parts):
    """Parts are instances."""
    for part in parts:
        if isinstance(part, type):
            raise TypeError(
                f"Expected an estimator instance ({part.__name__}()), got estimator class instead ({part.__name__})."
            )


def check_memory(memory):
    """What keeps results between calls: a folder's name, or what has joblib's `cache`; None keeps nothing."""
    if memory is None:
        return None
    if isinstance(memory, str):
        from joblib import Memory

        return Memory(location=memory, verbose=0)
    if not hasattr(memory, "cache"):
        raise ValueError(
            "'memory' should be None or a string or have the same interface as joblib.Memory. Got memory='"
            f"{memory}' instead."
        )
    return memory


@contextmanager
def timed(source, message):
    """Prints how long something took, unless there is no message."""
    began = time.perf_counter()
    yield
    if message is not None:
        start, took = f"[{source}] ", time.perf_counter() - began
        end = f" {message}, total={f'{took / 60:4.1f}min' if took > 60 else f' {took:5.1f}s'}"
        print(f"{start}{'.' * (70 - len(start) - len(end))}{end}")


def fit_transform_one(part, X, y, message_of=("", None), params=None):
    """Rows as a part transforms them, and the part, fitted. `params` are by method: fit, fit_transform, transform."""
    params = params or {}
    with timed(*message_of):
        if hasattr(part, "fit_transform"):
            return part.fit_transform(X, y, **params.get("fit_transform", {})), part
        fitted = part.fit(X, y, **params.get("fit", {}))
        return fitted.transform(X, **params.get("transform", {})), part


def hand_on_output(parts, transform):
    """Says to parts what `set_output` asks of the whole; those that do not know it are an error, as in scikit-learn."""
    for part in parts:
        transforms = hasattr(part, "transform") or hasattr(part, "fit_transform")
        if transform is None or not transforms:
            continue
        if not hasattr(part, "set_output"):
            raise ValueError(f"Unable to configure output for {part} because `set_output` is not available.")
        part.set_output(transform=transform)


def not_compiled(owner):
    """The error for what only a compiled whole can do."""
    return AttributeError(
        f"this {type(owner).__name__!r} runs in Python, since a part or a setting of it is not Mercer's; only a whole of Mercer's "
        "estimators has a model that can be saved, verified or certified"
    )
