"""Reference boosting. Run in a throwaway environment: scikit-learn==1.9.1 numpy==2.4.6.

    python crates/trees/tests/reference/generate_boost.py > crates/trees/tests/reference/boost.json

Every column has fewer than 255 distinct values, so that bins are the same in both; targets are real enough that no
two splits of a node gain the same.
"""
import json
import sys
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

rng = np.random.default_rng(11)
n, d = 600, 5
x = rng.integers(0, 200, (n, d)).astype(float)
x[:, 4] = rng.integers(0, 12, n)
s = (x - x.mean(0)) / x.std(0)
level = rng.standard_normal(12)[x[:, 4].astype(int)]
score = s[:, 0] * s[:, 1] + s[:, 2] + level
real = np.round(score + 0.3 * rng.standard_normal(n), 6)
two = (score + 0.5 * rng.standard_normal(n) > 0).astype(int)
three = np.digitize(score + 0.4 * rng.standard_normal(n), [-0.8, 0.8])
counts = rng.poisson(np.exp(0.5 * score)).astype(float)
positive = np.round(np.exp(0.5 * score) * rng.gamma(3.0, 1 / 3.0, n) + 1e-3, 6)
weights = rng.integers(1, 5, n).astype(float)
holes = x.copy()
holes[rng.random((n, d)) < 0.15] = np.nan


def case(name, model, inputs, target, weight=None):
    model.set_params(early_stopping=False).fit(inputs, target, sample_weight=weight)
    raw = model._raw_predict(inputs)
    return {
        "name": name,
        "raw": np.asarray(raw).tolist(),
        "leaves": [int(p.get_n_leaf_nodes()) for stage in model._predictors for p in stage],
    }


C, R = HistGradientBoostingClassifier, HistGradientBoostingRegressor
small = dict(max_iter=20, max_leaf_nodes=12)
cases = [
    case("squared", R(**small), x, real),
    case("squared_weights", R(**small), x, real, weights),
    case("squared_missing", R(**small), holes, real),
    case("squared_l2_depth", R(**small, l2_regularization=3.0, max_depth=3, min_samples_leaf=7), x, real),
    case("squared_interactions", R(**small, interaction_cst=[{0, 1}, {2}]), x, real),
    case("squared_categorical", R(**small, categorical_features=[4]), x, real),
    case("absolute", R(**small, loss="absolute_error"), x, real),
    case("poisson", R(**small, loss="poisson"), x, counts),
    case("gamma", R(**small, loss="gamma"), x, positive),
    case("logistic", C(**small), x, two),
    case("logistic_missing_weights", C(**small), holes, two, weights),
    case("softmax", C(**small), x, three),
]
json.dump(
    {
        "x": x.tolist(),
        "holes": [[None if np.isnan(v) else v for v in row] for row in holes],
        "real": real.tolist(),
        "two": two.tolist(),
        "three": three.tolist(),
        "counts": counts.tolist(),
        "positive": positive.tolist(),
        "weights": weights.tolist(),
        "cases": cases,
    },
    sys.stdout,
)
