"""Reference values for Bayesian regressions: scikit-learn's BayesianRidge and ARDRegression, and the evidence by scipy.

Pinned: scikit-learn 1.9.1, scipy 1.17.1. Run: python generate_bayesian.py > bayesian.json
"""

import json

import numpy as np
import sklearn
from scipy.stats import multivariate_normal
from sklearn.linear_model import ARDRegression, BayesianRidge

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261119)
out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "problems": []}
for n, d in [(50, 6), (20, 30)]:
    x = rng.normal(size=(n, d)) + 1.0
    w = np.where(rng.random(d) < 0.5, rng.normal(size=d), 0.0)
    y = 3.0 + x @ w + 0.4 * rng.normal(size=n)
    weights = rng.integers(1, 4, size=n).astype(float)
    new = rng.normal(size=(5, d))
    fits = []
    for intercept in [True, False]:
        for weighted in [False, True]:
            m = BayesianRidge(fit_intercept=intercept, compute_score=True, tol=1e-9, max_iter=5000)
            m.fit(x, y, sample_weight=weights if weighted else None)
            mean, std = m.predict(new, return_std=True)
            fits.append({"class": "BayesianRidge", "intercept": intercept, "weighted": weighted,
                         "coef": m.coef_.tolist(), "b": float(m.intercept_), "alpha": float(m.alpha_),
                         "lambda": [float(m.lambda_)], "sigma": m.sigma_.tolist(), "score": float(m.scores_[-1]),
                         "mean": mean.tolist(), "std": std.tolist()})
        m = ARDRegression(fit_intercept=intercept, compute_score=True, tol=1e-9, max_iter=5000).fit(x, y)
        mean, std = m.predict(new, return_std=True)
        fits.append({"class": "ARDRegression", "intercept": intercept, "weighted": False, "coef": m.coef_.tolist(),
                     "b": float(m.intercept_), "alpha": float(m.alpha_), "lambda": m.lambda_.tolist(),
                     "sigma": m.sigma_.tolist(), "score": float(m.scores_[-1]), "mean": mean.tolist(),
                     "std": std.tolist()})
    prior = rng.normal(size=d)
    variance = rng.uniform(0.5, 2.0, size=d)
    law = multivariate_normal(x @ prior, 0.3 * np.eye(n) + x @ np.diag(variance) @ x.T)
    out["problems"].append({"x": x.tolist(), "y": y.tolist(), "weights": weights.tolist(), "new": new.tolist(),
                            "fits": fits, "prior_mean": prior.tolist(), "prior_variance": variance.tolist(),
                            "noise": 0.3, "log_evidence": float(law.logpdf(y))})
print(json.dumps(out, indent=0))
