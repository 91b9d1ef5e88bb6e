"""Reference trees of several class targets, and under monotone constraints. Run in a throwaway environment:
scikit-learn==1.9.1 numpy==2.4.6.

    python crates/trees/tests/reference/generate_many.py > crates/trees/tests/reference/many.json

Data are multiples of 1/8 below 2^20, so float32 holds them and no two values are within the 1e-7 that scikit-learn
takes as equal. A tree that depends on scikit-learn's seed is a tie, and is left out.
"""
import json
import sys
import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(5)
n, d = 400, 4
x = np.round(rng.permutation(n * d).reshape(n, d) * 8.0 + rng.integers(0, 7, (n, d))) / 8.0
s = (x - x.mean(0)) / x.std(0)
three = np.digitize(s[:, 0] * s[:, 1] + s[:, 2] + 0.3 * rng.standard_normal(n), [-0.6, 0.6])
two = (s[:, 0] + s[:, 1] * s[:, 3] + 0.4 * rng.standard_normal(n) > 0).astype(int)
real = np.round((s[:, 0] + np.sin(3 * s[:, 1]) - s[:, 2] + 0.5 * rng.standard_normal(n)) * 1024) / 1024
counts = rng.poisson(np.exp(0.7 * s[:, 0])).astype(float)
weights = rng.integers(1, 5, n).astype(float)
holes = x.copy()
holes[rng.random((n, d)) < 0.15] = np.nan
both, signs = np.c_[three, two], [1, 1, -1, 0]


def nodes(model, sizes):
    t = model.tree_
    # Shares of the classes of each target, without the padding.
    value = np.concatenate([t.value[:, k, :size] for k, size in enumerate(sizes)], axis=1)
    return {
        "feature": [int(f) for f in t.feature],
        "threshold": [None if not np.isfinite(v) else float(v) for v in t.threshold],
        "left": t.children_left.tolist(),
        "right": t.children_right.tolist(),
        "rows": t.n_node_samples.tolist(),
        "weight": t.weighted_n_node_samples.tolist(),
        "impurity": t.impurity.tolist(),
        "value": value.tolist(),
        "missing_left": [bool(v) for v in t.missing_go_to_left],
        "importances": model.feature_importances_.tolist(),
    }


cases = []


def case(name, model, inputs, y, sizes, w=None):
    trees = [model.set_params(random_state=seed).fit(inputs, y, sample_weight=w).tree_ for seed in range(20)]
    if len({(tuple(t.feature), tuple(t.threshold)) for t in trees}) != 1:
        print("left out, tied:", name, file=sys.stderr)
        return
    cases.append({"name": name, "nodes": nodes(model, sizes)})


C, R = DecisionTreeClassifier, DecisionTreeRegressor
leaf = {"max_depth": 4, "min_samples_leaf": 12}
# Large leaves and weights keep ties away: nodes of few rows have many.
large = {"max_depth": 3, "min_samples_leaf": 40}
case("many_gini", C(**large), x, both, [3, 2])
case("many_entropy", C(criterion="entropy", **large), x, both, [3, 2])
case("many_weighted", C(**leaf), x, both, [3, 2], weights)
case("many_balanced", C(class_weight="balanced", **large), x, both, [3, 2])
case("many_missing", C(**large), holes, both, [3, 2])
case("many_best", C(max_leaf_nodes=9, min_samples_leaf=12), x, both, [3, 2])
case("monotone_squared", R(monotonic_cst=signs, max_depth=5, min_samples_leaf=8), x, real, [1])
case("monotone_weighted", R(monotonic_cst=signs, max_depth=5, min_samples_leaf=8), x, real, [1], weights)
case("monotone_best", R(monotonic_cst=signs, max_leaf_nodes=15, min_samples_leaf=8), x, real, [1])
case("monotone_poisson", R(criterion="poisson", monotonic_cst=signs, **leaf), x, counts, [1])
case("monotone_gini", C(monotonic_cst=signs, max_depth=5, min_samples_leaf=25), x, two, [2], weights)
case("monotone_entropy", C(criterion="entropy", monotonic_cst=signs, max_depth=5, min_samples_leaf=25), x, two, [2], weights)
case("monotone_absolute", R(criterion="absolute_error", monotonic_cst=signs, **leaf), x, real, [1])

listed = lambda a: [[None if np.isnan(v) else float(v) for v in row] for row in a]
print(json.dumps({
    "x": listed(x), "holes": listed(holes), "three": three.tolist(), "two": two.tolist(), "real": real.tolist(),
    "counts": counts.tolist(), "weights": weights.tolist(), "signs": signs, "cases": cases,
}))
