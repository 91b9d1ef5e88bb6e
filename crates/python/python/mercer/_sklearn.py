"""Tags for scikit-learn, which is imported only when it asks for them."""


def takes_sparse(estimator):
    """Whether sparse rows are taken as configured: centring would make them dense."""
    if getattr(estimator, "ignore_implicit_zeros", None) is False:
        return True
    named = (getattr(estimator, name, None) for name in ("steps", "transformers"))
    # The steps of an agent are a number.
    steps = [step for several in named if isinstance(several, (list, tuple)) for step in several]
    parts = [step[1] for step in steps] or [estimator]

    def dense_only(part):
        centres = getattr(part, "with_mean", False) or getattr(part, "with_centering", False)
        return centres

    return "sparse" in capabilities(estimator) and not any(dense_only(part) for part in parts)


def capabilities(estimator):
    """What the estimator can do as it is configured; what its class can do where the parameters are wrong."""
    from mercer import _mercer

    try:
        return frozenset(_mercer.capabilities(estimator._mercer_name, estimator._core_params())[0])
    except (TypeError, ValueError, KeyError):
        return estimator._mercer_can


def tags(estimator):
    """What scikit-learn wants to know, from the learner's declaration."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    can, task = capabilities(estimator), estimator._mercer_task
    rows = hasattr(estimator, "_mercer_takes_rows")
    kinds = {"Classification": "classifier", "Regression": "regressor", "Clustering": "clusterer", "Outliers": "outlier_detector"}
    transforms = "transform" in can
    kind = kinds.get(task, "transformer" if transforms else None)
    # A baseline is meant to score badly.
    poor = "blind" in can
    # Where the type of what comes out is a parameter, it does not follow what went in.
    kept = [] if getattr(estimator, "dtype", None) is not None or not estimator._keeps_dtype else ["float64", "float32"]
    supervised = task in ("Classification", "Regression") or "supervised" in can
    return Tags(
        estimator_type=kind,
        target_tags=TargetTags(required=supervised, multi_output=supervised and "multi_output" in can),
        transformer_tags=TransformerTags(preserves_dtype=kept) if transforms else None,
        classifier_tags=ClassifierTags(poor_score=poor, multi_class="binary" not in can)
        if task == "Classification"
        else None,
        regressor_tags=RegressorTags(poor_score=poor) if task == "Regression" else None,
        input_tags=InputTags(
            two_d_array=rows,
            one_d_array=not rows and task == "Classification",
            sparse=takes_sparse(estimator),
            categorical="categorical" in can,
            string="categorical" in can or not rows,
            allow_nan="missing" in can,
            positive_only="nonnegative" in can,
            pairwise=estimator._is_pairwise(),
        ),
        non_deterministic=False,
        no_validation=poor,
        requires_fit=estimator._requires_fit,
    )
