"""Frozen Shapley values of ensembles on the data of ensemble.json: gradient boosting by the shap package, AdaBoost (whose
votes it does not know) by Shapley's definition over scikit-learn's trees.

Made with shap 0.51.0, scikit-learn 1.9.1, numpy 2.4.6.
    python generate_explain.py > explain.json
"""

import json
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import shap
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier

data = json.loads(Path(__file__).with_name("ensemble.json").read_text())
n, d = data["n"], data["d"]
x, y, w = np.reshape(data["x"], (n, d)), np.array(data["y"]), np.array(data["w"])
rows = x[::9]
anywhere = np.random.default_rng(0).normal(size=(5000, d))
out = {"shap": "0.51.0", "scikit-learn": "1.9.1", "step": 9, "gradient": [], "ada": []}

for weights in [None, w]:
    # Among ties scikit-learn chooses by its seed: with leaves of 8 rows there are none.
    models = [GradientBoostingRegressor(n_estimators=30, max_depth=2, min_samples_leaf=8, random_state=seed)
              .fit(x, y, weights) for seed in range(9)]
    model = models[0]
    assert all(np.allclose(m.predict(anywhere), model.predict(anywhere), rtol=0, atol=1e-12) for m in models)
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    out["gradient"].append({
        "weighted": weights is not None,
        "base": np.ravel(explainer.expected_value).tolist(),
        "values": explainer.shap_values(rows).ravel().tolist(),
        "interactions": explainer.shap_interaction_values(rows).ravel().tolist(),
    })


def mean(tree, leaf, row, known, node=0):
    """The mean of `leaf` over the tree where only the features of `known` are known."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return leaf(tree.value[node, 0])
    if tree.feature[node] in known:
        return mean(tree, leaf, row, known, left if row[tree.feature[node]] <= tree.threshold[node] else right)
    parts = [tree.weighted_n_node_samples[to] * mean(tree, leaf, row, known, to) for to in (left, right)]
    return sum(parts) / (tree.weighted_n_node_samples[left] + tree.weighted_n_node_samples[right])


def shapley(value):
    """Shapley's values of a function of sets of features: outputs × features."""
    sets = {s: value(s) for size in range(d + 1) for s in combinations(range(d), size)}
    adds = []
    for j in range(d):
        without = [s for s in sets if j not in s]
        weigh = [factorial(len(s)) * factorial(d - len(s) - 1) / factorial(d) for s in without]
        adds.append(sum(v * (sets[tuple(sorted((*s, j)))] - sets[s]) for v, s in zip(weigh, without)))
    return np.array(adds).T


for name, depth, target in [("two classes", 1, "y2"), ("three classes", 2, "y3")]:
    labels = np.array(data[target])
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=12, random_state=0).fit(x, labels)
    k = labels.max() + 1

    def vote(p):
        votes = np.where(np.arange(k) == p.argmax(), 1.0, -1.0 / (k - 1))
        return votes if k > 2 else votes[1:] - votes[:1]

    alphas = model.estimator_weights_[:len(model.estimators_)] / model.estimator_weights_.sum()

    def value(row):
        return lambda s: sum(a * mean(e.tree_, vote, row, s) for a, e in zip(alphas, model.estimators_))

    everything = [value(row)(tuple(range(d))) for row in rows]
    decision = model.decision_function(rows).reshape(len(rows), -1)
    assert np.allclose(decision / decision.std(), everything / np.std(everything))
    out["ada"].append({
        "name": name, "depth": depth, "target": target,
        "base": value(rows[0])(()).tolist(),
        "values": np.array([shapley(value(row)) for row in rows]).ravel().tolist(),
    })
print(json.dumps(out))
