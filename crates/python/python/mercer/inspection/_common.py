"""What explanations share: fitted models, and features by name or place."""

from __future__ import annotations

import numbers

from mercer._base import Estimator


def is_ours(estimator):
    """Whether a fitted estimator is a whole of Mercer's, which the compiled part can be asked about."""
    own = isinstance(estimator, Estimator) and type(estimator).__module__.startswith("mercer.")
    return own and "_model" in estimator.__dict__


def fitted(estimator):
    """A fitted estimator of Mercer's: a search stands for its best one."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"{type(estimator).__name__} is no estimator of Mercer's; sklearn.inspection and the shap package take others"
        )
    estimator._model  # raises where there is none yet
    return estimator


def check_fitted(estimator):
    """An estimator of scikit-learn's contract must be fitted: it says so, or has attributes that `fit` sets."""
    if isinstance(estimator, Estimator):
        estimator._model  # raises where there is none yet
        return
    if not hasattr(estimator, "fit"):
        raise TypeError(f"{estimator!r} is not an estimator instance.")
    asked = getattr(estimator, "__sklearn_is_fitted__", None)
    done = asked() if asked is not None else any(n.endswith("_") and not n.startswith("__") for n in vars(estimator))
    if not done:
        from mercer._exceptions import not_fitted

        raise not_fitted(estimator)


def weights_of(sample_weight, x):
    """Weights for the compiled part."""
    if sample_weight is None:
        return None
    from mercer._target import prepare_weights

    return prepare_weights(sample_weight, x)


def names_of(model, feature_names=None):
    """The names of the features: those given, those of training, or x0, x1, …"""
    names = model.feature_names if feature_names is None else [str(name) for name in feature_names]
    return [f"x{j}" for j in range(model.n_features)] if names is None else names


def place_of(feature, names):
    """The place of a feature that is given by place or name."""
    if isinstance(feature, str):
        if feature not in names:
            from difflib import get_close_matches

            near = get_close_matches(feature, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the features are {', '.join(names[:20])}"
            raise ValueError(f"Some column names are not columns of the dataframe: there is no feature {feature!r}{hint}")
        return names.index(feature)
    if not isinstance(feature, numbers.Integral) or isinstance(feature, bool):
        raise TypeError(f"a feature is given by its name or its place, got {feature!r}")
    if not 0 <= feature < len(names):
        raise ValueError(
            f"all features must be in [0, {len(names) - 1}]: feature {feature} is out of range: there are {len(names)} features"
        )
    return int(feature)


def whole(name, value, least):
    """A parameter that is a whole number."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}")
    return int(value)
