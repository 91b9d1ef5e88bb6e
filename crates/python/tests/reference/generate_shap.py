"""Writes shap.json: Shapley values of the shap package for trees of scikit-learn's, on weighted rows whose best splits
are never ties (which is checked), so that Mercer grows the same trees. Made with shap 0.51.0, scikit-learn 1.9.1, numpy 2.4.6.

    python crates/python/tests/reference/generate_shap.py
"""

import json
from pathlib import Path

import numpy as np
import shap
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(3)
# Thresholds of scikit-learn's lie between float32 numbers: these are such.
x = np.round(rng.normal(size=(120, 4)) * 1024) / 1024
score = np.round((x[:, 0] * x[:, 1] + np.sin(x[:, 2]) + 0.2 * rng.normal(size=120)) * 4096) / 4096
kind = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
# Counts of rows would tie, sums of such weights do not.
weight = np.round(rng.uniform(0.5, 1.5, size=120) * 1024) / 1024
limits = {"max_depth": 4, "min_samples_leaf": 6}

models = {
    "regressor": (DecisionTreeRegressor(random_state=0, **limits), score),
    "classifier": (DecisionTreeClassifier(random_state=0, **limits), kind),
    "forest": (RandomForestRegressor(n_estimators=3, bootstrap=False, random_state=0, **limits), score),
}
out = {"x": x.tolist(), "score": score.tolist(), "kind": kind.tolist(), "weight": weight.tolist(), "limits": limits}
for name, (model, y) in models.items():
    if name != "forest":
        # Among ties scikit-learn chooses by its seed.
        trees = [clone(model).set_params(random_state=seed).fit(x, y, sample_weight=weight).tree_ for seed in range(20)]
        assert all(np.array_equal(tree.threshold, trees[0].threshold) for tree in trees)
    model.fit(x, y, sample_weight=weight)
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    rows = x[::5]
    said = model.predict_proba(rows) if name == "classifier" else model.predict(rows)
    out[name] = {
        "values": np.asarray(explainer(rows).values).tolist(),
        "base": np.atleast_1d(explainer.expected_value).tolist(),
        "interactions": np.asarray(explainer.shap_interaction_values(rows)).tolist(),
        "said": said.tolist(),
    }
Path(__file__).with_name("shap.json").write_text(json.dumps(out) + "\n")
