"""Reference values for linear support vector machines.

Pinned: scikit-learn 1.9.1, numpy as it brings. Run: python generate_margins.py > margins.json
"""

import itertools
import json

import numpy as np
import sklearn
from sklearn.svm import LinearSVC, LinearSVR

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261117)
out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "problems": []}
for n, d, k in [(60, 5, 2), (90, 4, 3), (20, 30, 2)]:
    x = rng.normal(size=(n, d)) + 0.5
    x[rng.random(size=(n, d)) < 0.3] = 0.0
    w = rng.normal(size=(k, d))
    classes = np.argmax(x @ w.T + 0.8 * rng.normal(size=(n, k)), axis=1)
    classes[:k] = np.arange(k)
    y = x @ w[0] + 0.3 * rng.normal(size=n)
    weights = rng.integers(0, 3, size=n).astype(float)
    fits = []

    def add(model, target, weighted, **settings):
        # Solved far below the tolerance of the comparison.
        model.set_params(tol=1e-10, max_iter=1_000_000, random_state=0, **settings)
        model.fit(x, target, sample_weight=weights if weighted else None)
        fits.append({
            "name": type(model).__name__, "settings": settings, "weighted": weighted, "coef": np.ravel(model.coef_).tolist(),
            "intercept": np.broadcast_to(np.ravel(model.intercept_), np.atleast_2d(model.coef_).shape[0]).tolist(),
            "predictions": np.asarray(model.predict(x), dtype=float).tolist(),
        })

    for c, weighted in itertools.product([0.1, 3.0], [False, True]):
        for intercept in [True, False]:
            shared = {"C": c, "fit_intercept": intercept}
            add(LinearSVC(), classes, weighted, loss="hinge", dual=True, **shared)
            add(LinearSVC(), classes, weighted, loss="squared_hinge", dual=True, **shared)
            add(LinearSVC(), classes, weighted, penalty="l1", dual=False, **shared)
            add(LinearSVR(), y, weighted, loss="epsilon_insensitive", epsilon=0.1, **shared)
            add(LinearSVR(), y, weighted, loss="squared_epsilon_insensitive", epsilon=0.1, dual=True, **shared)
        add(LinearSVC(), classes, weighted, multi_class="crammer_singer", C=c)
        add(LinearSVC(), classes, weighted, loss="squared_hinge", dual=False, C=c, intercept_scaling=7.0)
        add(LinearSVC(), classes, weighted, loss="hinge", C=c, class_weight={0: 2.0, 1: 0.5})
    out["problems"].append({"n": n, "d": d, "x": x.ravel().tolist(), "classes": classes.tolist(), "y": y.tolist(),
                            "weights": weights.tolist(), "fits": fits})
print(json.dumps(out, indent=0))
