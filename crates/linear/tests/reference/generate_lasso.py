"""Reference values for the lasso and the elastic net.

Pinned: scikit-learn 1.9.1, numpy as it brings. Run: python generate_lasso.py > lasso.json
"""

import json

import numpy as np
import sklearn
from sklearn.linear_model import ElasticNet

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261116)
out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "problems": []}
for n, d in [(60, 8), (25, 40)]:
    x = rng.normal(size=(n, d)) + 2.0
    x[rng.random(size=(n, d)) < 0.3] = 0.0
    w = np.where(rng.random(d) < 0.4, rng.normal(size=d), 0.0)
    y = 1.5 + x @ w + 0.3 * rng.normal(size=n)
    weights = rng.integers(0, 4, size=n).astype(float)
    fits = []
    for alpha in [0.02, 0.3]:
        for l1_ratio in [1.0, 0.5]:
            for fit_intercept in [True, False]:
                for positive in [True, False]:
                    for weighted in [True, False]:
                        # Solved far below the tolerance of the comparison.
                        net = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, positive=positive,
                                         tol=1e-15, max_iter=1_000_000)
                        net.fit(x, y, sample_weight=weights if weighted else None)
                        fits.append({"alpha": alpha, "l1_ratio": l1_ratio, "fit_intercept": fit_intercept,
                                     "positive": positive, "weighted": weighted, "coef": net.coef_.tolist(),
                                     "intercept": float(net.intercept_)})
    out["problems"].append({"n": n, "d": d, "x": x.ravel().tolist(), "y": y.tolist(), "weights": weights.tolist(),
                            "fits": fits})
print(json.dumps(out, indent=0))
