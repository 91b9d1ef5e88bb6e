"""Reference values of linear machines with convex losses, by scikit-learn 1.9.1 and numpy 2.4.6.

Run: python generate_machine.py > machine.json
"""

import json

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, LinearSVR

rng = np.random.default_rng(3)
x = rng.normal(size=(60, 4)).round(6)
y = (x @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.standard_t(3, size=60)).round(6)
label = (y + 0.8 * rng.normal(size=60) > 0).astype(int)
alpha = 0.7
out = {"x": x.tolist(), "y": y.tolist(), "label": label.tolist(), "alpha": alpha, "coef": {}}


def keep(name, model):
    out["coef"][name] = np.ravel(model.coef_).tolist()


same = {"fit_intercept": False, "C": 1 / alpha, "tol": 1e-14, "max_iter": 10**7}
keep("log_loss", LogisticRegression(solver="newton-cholesky", **{**same, "max_iter": 1000}).fit(x, label))
keep("hinge", LinearSVC(loss="hinge", dual=True, **same).fit(x, label))
# LIBLINEAR's squared losses have no half.
half = {**same, "C": 0.5 / alpha}
keep("squared_hinge", LinearSVC(loss="squared_hinge", dual=True, **half).fit(x, label))
keep("epsilon_insensitive", LinearSVR(loss="epsilon_insensitive", epsilon=0.2, dual=True, **same).fit(x, y))
keep("squared_epsilon_insensitive", LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.2, dual=True, **half).fit(x, y))
print(json.dumps(out))
