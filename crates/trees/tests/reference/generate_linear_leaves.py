"""Reference boosting with linear leaves. Run in a throwaway environment: lightgbm==4.7.0 numpy==2.4.6.

    python crates/trees/tests/reference/generate_linear_leaves.py > crates/trees/tests/reference/linear_leaves.json

Every column has fewer than 255 distinct whole values, so that bins are the same in both and nothing is lost in 32 bits.
"""
import json
import sys
import lightgbm
import numpy as np

rng = np.random.default_rng(17)
n, d = 500, 4
x = rng.integers(0, 120, (n, d)).astype(float)
s = (x - x.mean(0)) / x.std(0)
score = np.abs(s[:, 0]) + s[:, 0] * s[:, 1] + 0.7 * s[:, 2]
real = np.round(score + 0.3 * rng.standard_normal(n), 6)
two = (score + 0.5 * rng.standard_normal(n) > 0.8).astype(int)
weights = rng.integers(1, 5, n).astype(float)
holes = x.copy()
holes[rng.random((n, d)) < 0.1] = np.nan


def case(name, inputs, target, weight=None, **params):
    params = {
        "objective": "regression", "num_leaves": 7, "min_data_in_leaf": 15, "min_data_in_bin": 1, "max_bin": 255,
        "linear_tree": True, "seed": 1, "num_threads": 1, "verbose": -1, **params,
    }
    data = lightgbm.Dataset(inputs, target, weight=weight, params=params)
    model = lightgbm.train(params, data, num_boost_round=8)
    return {"name": name, "raw": model.predict(inputs, raw_score=True).tolist()}


cases = [
    case("squared", x, real),
    case("squared_ridge", x, real, linear_lambda=50.0),
    case("squared_weights", x, real, weights, linear_lambda=1.0),
    case("squared_missing", holes, real, linear_lambda=1.0),
    case("logistic", x, two, objective="binary", linear_lambda=5.0),
]
json.dump(
    {
        "x": x.tolist(),
        "holes": [[None if np.isnan(v) else v for v in row] for row in holes],
        "real": real.tolist(),
        "two": two.tolist(),
        "weights": weights.tolist(),
        "cases": cases,
    },
    sys.stdout,
)
