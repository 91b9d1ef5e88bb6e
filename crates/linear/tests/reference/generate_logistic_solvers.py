"""Frozen values of scikit-learn 1.9.1 for solvers of logistic regression and for one-class machines.

Run with scikit-learn 1.9.1 and NumPy: ``python generate_logistic_solvers.py > logistic_solvers.json``.
"""

import json
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, SGDOneClassSVM
from sklearn.svm import OneClassSVM

warnings.filterwarnings("ignore")
rng = np.random.default_rng(11)
n, d = 60, 5
x = np.round(rng.standard_normal((n, d)), 3)
x[rng.random((n, d)) < 0.4] = 0.0
scores = np.stack([x @ rng.standard_normal(d), x @ rng.standard_normal(d), rng.standard_normal(n)], axis=1)
three = np.argmax(scores + 0.5 * rng.standard_normal((n, 3)), axis=1)
two = (scores[:, 0] + rng.standard_normal(n) > 0.3).astype(int)
weights = np.round(rng.uniform(0.2, 2.0, n), 3)

fits = []


def add(solver, classes, weighted=False, **params):
    tight = {"tol": 1e-12, "max_iter": 200_000, "random_state": 0}
    model = LogisticRegression(solver=solver, **tight, **params)
    model.fit(x, two if classes == 2 else three, sample_weight=weights if weighted else None)
    fits.append(
        {
            "solver": solver,
            "classes": classes,
            "weighted": weighted,
            "params": params,
            "coef": model.coef_.tolist(),
            "intercept": np.atleast_1d(model.intercept_).tolist(),
        }
    )


for weighted in (False, True):
    add("liblinear", 2, weighted, C=0.7, l1_ratio=1)
    add("liblinear", 2, weighted, C=0.7, l1_ratio=0, intercept_scaling=3.0)
    add("saga", 2, weighted, C=0.5, l1_ratio=1)
    add("saga", 2, weighted, C=0.5, l1_ratio=0.4)
    add("sag", 2, weighted, C=2.0, l1_ratio=0)
    add("saga", 3, weighted, C=0.8, l1_ratio=0.5)
    add("sag", 3, weighted, C=0.8, l1_ratio=0)
add("liblinear", 2, C=0.7, l1_ratio=1, fit_intercept=False)
add("liblinear", 2, C=2.0, l1_ratio=1, intercept_scaling=10.0)

beyond = np.round(x + 2.0, 3)
descents = []
for average in (False, True, 50):
    params = {"nu": 0.2, "learning_rate": "constant", "eta0": 0.01, "average": average, "max_iter": 3}
    model = SGDOneClassSVM(shuffle=False, tol=None, **params).fit(beyond, sample_weight=weights)
    descents.append({"params": params, "coef": model.coef_.tolist(), "offset": model.offset_.tolist()})
exact = OneClassSVM(kernel="linear", nu=0.3, tol=1e-10).fit(beyond)

# libsvm scales the coefficients by nu n.
print(
    json.dumps(
        {
            "x": x.tolist(),
            "two": two.tolist(),
            "three": three.tolist(),
            "weights": weights.tolist(),
            "fits": fits,
            "beyond": beyond.tolist(),
            "descents": descents,
            "exact": {
                "nu": 0.3,
                "coef": (exact.coef_.ravel() / (0.3 * n)).tolist(),
                "offset": float(exact.offset_[0] / (0.3 * n)),
            },
        }
    )
)
