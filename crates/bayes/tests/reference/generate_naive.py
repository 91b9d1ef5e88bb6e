"""Frozen reference values of naive Bayes: all five learners, with weights, priors and smoothing.

Pinned: scikit-learn 1.9.1, numpy 2.4.6. Run: python generate_naive.py > naive.json
"""

import json

import numpy as np
import sklearn
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261118)
n, d = 60, 5
y = rng.integers(0, 3, n)
weights = rng.integers(0, 4, n).astype(float)
new = 8
real = np.round(rng.normal(size=(n, d)) * [1, 10, 0.1, 3, 1] + [0, 100, -5, 0, 2] + y[:, None] * [1, 3, 0.05, 0, -1], 6)
counts = rng.poisson(1.5 + 2 * (np.arange(d) == y[:, None])).astype(float)
levels = (rng.integers(0, 3, (n, d)) + (y[:, None] == np.arange(d))).astype(float)
out = {"scikit-learn": sklearn.__version__, "y": y.tolist(), "weights": weights.tolist(), "new": new,
       "real": real.tolist(), "counts": counts.tolist(), "levels": levels.tolist(), "cases": []}
CASES = [
    ("gaussian", GaussianNB, "real", {}, False),
    ("gaussian priors", GaussianNB, "real", {"priors": [0.2, 0.5, 0.3], "var_smoothing": 0.01}, False),
    # Its epsilon is taken from the rows without their weights: none, so that weights are all there is.
    ("gaussian weighted", GaussianNB, "real", {"var_smoothing": 0.0}, True),
    ("multinomial", MultinomialNB, "counts", {}, False),
    ("multinomial weighted", MultinomialNB, "counts", {"alpha": [0.1, 1.0, 2.0, 0.5, 3.0], "fit_prior": False}, True),
    ("multinomial tiny", MultinomialNB, "counts", {"alpha": 0.0, "force_alpha": False}, False),
    ("complement", ComplementNB, "counts", {}, False),
    ("complement norm", ComplementNB, "counts", {"norm": True, "alpha": 0.3}, True),
    ("bernoulli", BernoulliNB, "real", {}, False),
    ("bernoulli threshold", BernoulliNB, "counts", {"binarize": 1.5, "alpha": 0.5, "class_prior": [0.2, 0.5, 0.3]}, True),
    ("bernoulli even", BernoulliNB, "counts", {"binarize": 1.0, "alpha": 2.5, "fit_prior": False}, False),
    ("categorical", CategoricalNB, "levels", {}, False),
    ("categorical wide", CategoricalNB, "levels", {"min_categories": 6, "alpha": 0.2}, True),
]
for name, make, rows, params, weighted in CASES:
    x = np.array(out[rows])
    w = weights if weighted else None
    model = make(**params).fit(x, y, sample_weight=w)
    case = {"name": name, "rows": rows, "params": params, "weighted": weighted,
            "joint": model.predict_joint_log_proba(x[:new]).tolist(), "log": model.predict_log_proba(x[:new]).tolist(),
            "proba": model.predict_proba(x[:new]).tolist(), "predict": model.predict(x).tolist()}
    for attribute in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_", "class_log_prior_", "feature_count_",
                      "feature_all_", "feature_log_prob_", "category_count_"):
        if hasattr(model, attribute):
            value = getattr(model, attribute)
            parts = value if isinstance(value, list) else [value]
            case[attribute] = np.concatenate([np.ravel(part) for part in parts]).tolist()
    out["cases"].append(case)
json.dump(out, __import__("sys").stdout)
