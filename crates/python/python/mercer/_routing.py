"""scikit-learn's routing of parameters (``sklearn.set_config(enable_metadata_routing=True)``): who gets which parameter of a
call is what each object asked for. Where it is off, groups go to the splitter and all else to `fit`."""

from __future__ import annotations

import sys


def is_on():
    """Whether scikit-learn routes parameters; it cannot where it is not loaded."""
    sklearn = sys.modules.get("sklearn")
    return sklearn is not None and sklearn.get_config().get("enable_metadata_routing", False)


def router_of(owner, estimator, splitter, scorer, methods=("fit",)):
    """scikit-learn's router for a tool that splits, fits and scores."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    fits = MethodMapping()
    for method in methods:
        fits.add(caller="fit", callee=method)
    router = MetadataRouter(owner=owner).add(estimator=estimator, method_mapping=fits)
    router.add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))
    if scorer is not None:
        scores = MethodMapping().add(caller="fit", callee="score")
        scores = scores if isinstance(owner, str) else scores.add(caller="score", callee="score")
        router.add(scorer=scorer, method_mapping=scores)
    return router


def refuse_groups(groups):
    """Groups are a parameter like any other where parameters are routed."""
    if groups is not None and is_on():
        raise ValueError(
            "`groups` can only be passed if metadata routing is not enabled via "
            "`sklearn.set_config(enable_metadata_routing=True)`. When routing is enabled, pass `groups` alongside other "
            "metadata via the `params` argument instead."
        )


def routed(owner, estimator, splitter, scorer, params, groups=None, methods=("fit",)):
    """Parameters of the splitter, of `fit` (or the last of `methods`), and of the scorer."""
    params = dict(params or {})
    if not is_on():
        groups = params.pop("groups", None) if groups is None and not isinstance(owner, str) else groups
        return ({} if groups is None else {"groups": groups}), params, {}
    refuse_groups(groups)
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.utils.metadata_routing import process_routing

    try:
        found = process_routing(router_of(owner, estimator, splitter, scorer, methods), "fit", **params)
    except UnsetMetadataPassedError as error:
        message = str(error).replace(f"{owner}.fit", str(owner))
        raise UnsetMetadataPassedError(
            message=message, unrequested_params=error.unrequested_params, routed_params=error.routed_params
        ) from None
    return found.splitter.split, found.estimator[methods[-1]], found.scorer.score if scorer is not None else {}
