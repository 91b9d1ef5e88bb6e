"""Explanations of fitted estimators: which features matter, how a model depends on them, and what each of them adds to
a prediction.

`permutation_importance` and `partial_dependence` have scikit-learn's parameters and results and take every estimator of
its contract; those of Mercer's run compiled, on all cores. `shap_values` and `shap_interaction_values` are exact
(path-dependent TreeSHAP) and take decision trees, forests, histogram boosters and pipelines that end in one of these. All
of them stop on Ctrl-C.
"""

from mercer.inspection._dependence import accumulated_local_effects, partial_dependence
from mercer.inspection._importance import permutation_importance
from mercer.inspection._shapley import Explanation, shap_interaction_values, shap_values

__all__ = [
    "Explanation",
    "accumulated_local_effects",
    "partial_dependence",
    "permutation_importance",
    "shap_interaction_values",
    "shap_values",
]
