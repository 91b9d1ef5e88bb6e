"""Reference values for generalised linear models: scikit-learn's regressors with a penalty, statsmodels' GLM without.

Pinned: statsmodels 0.15.0, scikit-learn 1.9.1. Run: python generate_glm.py > glm.json
"""

import json
import warnings

import numpy as np
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

assert sklearn.__version__.startswith("1.9.") and statsmodels.__version__.startswith("0.15."), (sklearn, statsmodels)
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261118)
n, d = 60, 4
x = rng.normal(size=(n, d)) * [1.0, 3.0, 0.1, 1.0] + [0.0, 5.0, 1.0, -2.0]
mean = np.exp(0.4 * x[:, 0] + 0.1 * x[:, 1] - 2 * x[:, 2] + 2.0)
counts = rng.poisson(mean).astype(float)
positive = mean * rng.gamma(4.0, 0.25, size=n)
often_zero = positive * (rng.random(n) < 0.7)
weights = rng.integers(1, 4, size=n).astype(float)
out = {"versions": {"scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__,
                    "numpy": np.__version__},
       "x": x.tolist(), "counts": counts.tolist(), "positive": positive.tolist(), "often_zero": often_zero.tolist(),
       "weights": weights.tolist(), "fits": [], "summaries": []}
targets = {"counts": counts, "positive": positive, "often_zero": often_zero}


def learner(power, link, **rest):
    if link == "auto" and power == 1:
        return PoissonRegressor(**rest)
    if link == "auto" and power == 2:
        return GammaRegressor(**rest)
    return TweedieRegressor(power=power, link=link, **rest)


for power, link, y in [(1, "auto", "counts"), (2, "auto", "positive"), (1.5, "auto", "often_zero"), (0, "auto", "positive"),
                       (0, "log", "positive"), (3, "log", "positive"), (1.9, "log", "often_zero")]:
    for alpha in [1.0, 0.01]:
        for intercept in [True, False]:
            for weighted in [False, True]:
                if power == 0 and link == "log" or power == 3:
                    # Not convex: scikit-learn's Newton is refused by curvature, L-BFGS is patient.
                    m = learner(power, link, alpha=alpha, fit_intercept=intercept, tol=1e-10, max_iter=20000)
                else:
                    m = learner(power, link, alpha=alpha, fit_intercept=intercept, tol=1e-12, max_iter=500,
                                solver="newton-cholesky")
                s = weights if weighted else None
                m.fit(x, targets[y], sample_weight=s)
                out["fits"].append({"power": power, "link": link, "y": y, "alpha": alpha, "intercept": intercept,
                                    "weighted": weighted, "coef": m.coef_.tolist(), "b": float(m.intercept_),
                                    "predicted": m.predict(x[:5]).tolist(), "d2": m.score(x, targets[y], sample_weight=s)})
families = {0: sm.families.Gaussian(sm.families.links.Identity()), 1: sm.families.Poisson(),
            2: sm.families.Gamma(sm.families.links.Log()), 3: sm.families.InverseGaussian(sm.families.links.Log())}
for power, y in [(0, "positive"), (1, "counts"), (2, "positive"), (3, "positive")]:
    for intercept in [True, False]:
        for copies in [np.ones(n, dtype=int), weights.astype(int)]:
            rows = np.repeat(np.arange(n), copies)
            a = (sm.add_constant(x) if intercept else x)[rows]
            m = sm.GLM(targets[y][rows], a, family=families[power]).fit(tol=1e-14, maxiter=500)
            ends = m.conf_int(0.1)
            out["summaries"].append({
                "power": power, "y": y, "intercept": intercept, "weights": copies.tolist(),
                "estimates": m.params.tolist(), "errors": m.bse.tolist(), "z": m.tvalues.tolist(),
                "p": m.pvalues.tolist(), "lower": ends[:, 0].tolist(), "upper": ends[:, 1].tolist(),
                "deviance": m.deviance, "null": m.null_deviance, "scale": m.scale, "llf": m.llf, "aic": m.aic,
                "bic": m.bic_llf})
print(json.dumps(out))
