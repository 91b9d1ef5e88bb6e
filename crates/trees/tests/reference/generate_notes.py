"""Reference trees for every criterion, with weights. Run in a throwaway environment: scikit-learn==1.9.1 numpy==2.4.6.

    python crates/trees/tests/reference/generate_notes.py > crates/trees/tests/reference/notes.json

Values are multiples of 1/8, so float32 holds them, and no two values of a column are equal. A tree that depends on
scikit-learn's seed is a tie and stops the generator. scikit-learn maps friedman_mse to squared_error itself.
"""
import json
import warnings
import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.filterwarnings("ignore", category=FutureWarning)
rng = np.random.default_rng(8)
n, d = 300, 4
x = np.column_stack([rng.permutation(n * 4)[:n] / 8.0 for _ in range(d)])
s = (x - x.mean(0)) / x.std(0)
real = np.round((s[:, 0] ** 2 + s[:, 1] + 0.3 * rng.standard_normal(n)) * 1024) / 1024
counts = rng.poisson(np.exp(0.7 * s[:, 0] + 0.3 * s[:, 2])).astype(float)
three = np.digitize(s[:, 0] * s[:, 1] + s[:, 2] + 0.3 * rng.standard_normal(n), [-0.6, 0.6])
weights = rng.integers(1, 5, n) + rng.integers(0, 8, n) / 8.0


def case(name, model, y, path=False):
    trees = [model.set_params(random_state=k).fit(x, y, sample_weight=weights).tree_ for k in range(20)]
    assert len({(tuple(t.feature), tuple(t.threshold)) for t in trees}) == 1, f"tied: {name}"
    t = trees[0]
    out = {
        "name": name,
        "feature": t.feature.tolist(),
        "threshold": t.threshold.tolist(),
        "left": t.children_left.tolist(),
        "right": t.children_right.tolist(),
        "impurity": t.impurity.tolist(),
        "weight": t.weighted_n_node_samples.tolist(),
        "value": t.value.reshape(t.node_count, -1).tolist(),
    }
    if path:
        p = model.cost_complexity_pruning_path(x, y, sample_weight=weights)
        out["path"] = {"alphas": p.ccp_alphas.tolist(), "impurities": p.impurities.tolist()}
    return out


C, R, limits = DecisionTreeClassifier, DecisionTreeRegressor, {"max_depth": 4, "min_samples_leaf": 10}
cases = [case(c, C(criterion=c, **limits), three, True) for c in ("gini", "entropy", "log_loss")]
cases += [
    case(c, R(criterion=c, **limits), counts if c == "poisson" else real, True)
    for c in ("squared_error", "friedman_mse", "absolute_error", "poisson")
]
print(json.dumps({
    "x": x.tolist(), "real": real.tolist(), "counts": counts.tolist(), "three": three.tolist(),
    "weights": weights.tolist(), "cases": cases,
}))
