"""Reference trees. Run in a throwaway environment: scikit-learn==1.9.1 numpy==2.4.6.

    python crates/trees/tests/reference/generate_trees.py > crates/trees/tests/reference/trees.json

Data are whole numbers or multiples of 1/8 below 2^20, so float32 holds them and no two values are within the
1e-7 that scikit-learn takes as equal. A tree that depends on scikit-learn's seed is a tie, and is left out.
"""
import json
import sys
import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


def nodes(model):
    t = model.tree_
    return {
        "feature": [int(f) for f in t.feature],
        "threshold": [None if not np.isfinite(v) else float(v) for v in t.threshold],
        "left": t.children_left.tolist(),
        "right": t.children_right.tolist(),
        "rows": t.n_node_samples.tolist(),
        "weight": t.weighted_n_node_samples.tolist(),
        "impurity": t.impurity.tolist(),
        "value": t.value.reshape(t.node_count, -1).tolist(),
        "missing_left": [bool(v) for v in t.missing_go_to_left],
        "importances": model.feature_importances_.tolist(),
    }


rng = np.random.default_rng(3)
n, d = 400, 4
x = np.round(rng.permutation(n * d).reshape(n, d) * 8.0 + rng.integers(0, 7, (n, d))) / 8.0
s = (x - x.mean(0)) / x.std(0)
three = np.digitize(s[:, 0] * s[:, 1] + s[:, 2] + 0.3 * rng.standard_normal(n), [-0.6, 0.6])
two = (s[:, 0] + s[:, 1] * s[:, 3] + 0.4 * rng.standard_normal(n) > 0).astype(int)
real = np.round((s[:, 0] ** 2 + s[:, 1] + 0.3 * rng.standard_normal(n)) * 1024) / 1024
real2 = np.round((s[:, 2] * s[:, 3] + 0.3 * rng.standard_normal(n)) * 1024) / 1024
counts = rng.poisson(np.exp(0.7 * s[:, 0])).astype(float)
weights = rng.integers(1, 5, n).astype(float)
holes = x.copy()
holes[rng.random((n, d)) < 0.15] = np.nan

cases = []


def case(name, model, inputs, y, w=None, path=False):
    # scikit-learn breaks ties between features at random: a tree that the seed changes is no reference.
    trees = [model.set_params(random_state=seed).fit(inputs, y, sample_weight=w).tree_ for seed in range(20)]
    if len({(tuple(t.feature), tuple(t.threshold)) for t in trees}) != 1:
        print("left out, tied:", name, file=sys.stderr)
        return
    fitted = model
    entry = {"name": name, "nodes": nodes(fitted)}
    if path:
        p = model.cost_complexity_pruning_path(inputs, y, sample_weight=w)
        entry["path"] = {"alphas": p.ccp_alphas.tolist(), "impurities": p.impurities.tolist()}
    cases.append(entry)


# Large leaves keep ties between features away: nodes of few rows have many. Two classes tie most: with weights that
# are no whole numbers scikit-learn's rounding, not its seed, then chooses.
C, R = DecisionTreeClassifier, DecisionTreeRegressor
case("gini3", C(max_depth=3, min_samples_leaf=8), x, three, path=True)
case("entropy3", C(criterion="entropy", max_depth=3, min_samples_leaf=8), x, three)
case("gini2", C(max_depth=3, min_samples_leaf=40), x, two)
case("gini2weighted", C(max_depth=3, min_samples_leaf=8), x, two, weights)
case("gini2balanced", C(max_depth=3, class_weight="balanced", min_samples_leaf=40), x, two)
case("gini3best", C(max_leaf_nodes=7, min_samples_leaf=8), x, three)
case("gini3ccp", C(ccp_alpha=0.02, min_samples_leaf=8), x, three)
case("gini3missing", C(max_depth=3, min_samples_leaf=8), holes, three)
case("squared", R(max_depth=4, min_samples_leaf=8), x, real, path=True)
case("squaredweighted", R(max_depth=4, min_samples_leaf=8), x, real, weights)
case("squaredmissing", R(max_depth=4, min_samples_leaf=8), holes, real)
case("squared2", R(max_depth=4, min_samples_leaf=8), x, np.c_[real, real2])
case("absolute", R(criterion="absolute_error", max_depth=3, min_samples_leaf=8), x, real)
case("poisson", R(criterion="poisson", max_depth=3, min_samples_leaf=8), x, counts)

listed = lambda a: [[None if np.isnan(v) else float(v) for v in row] for row in a]
print(json.dumps({
    "x": listed(x), "holes": listed(holes), "three": three.tolist(), "two": two.tolist(), "real": real.tolist(),
    "real2": real2.tolist(), "counts": counts.tolist(), "weights": weights.tolist(), "cases": cases,
}))
