"""Reference values for robust regressions: scikit-learn's HuberRegressor and QuantileRegressor, statsmodels' QuantReg, and
scipy's minimiser on the sum of powers and on Huber's objective from where scikit-learn stops.

Pinned: scikit-learn 1.9.1, statsmodels 0.15.0, scipy 1.17.1. Run: python generate_robust.py > robust.json
"""

import json

import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.optimize import minimize
from sklearn.linear_model import HuberRegressor, QuantileRegressor

assert sklearn.__version__.startswith("1.9.") and statsmodels.__version__.startswith("0.15."), (sklearn, statsmodels)
rng = np.random.default_rng(20261118)
n, d = 61, 4
x = rng.normal(size=(n, d)) * [1.0, 5.0, 0.3, 2.0] + [0.0, 40.0, 1.0, -3.0]
y = 2.0 + x @ [1.0, -0.2, 3.0, 0.5] + rng.standard_t(2, size=n)
weights = rng.integers(0, 3, size=n).astype(float)
out = {"versions": {"scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__,
                    "scipy": scipy.__version__}, "x": x.tolist(), "y": y.tolist(), "weights": weights.tolist(),
       "quantile": [], "huber": [], "powers": [], "quantreg": []}
for quantile in [0.1, 0.5, 0.85]:
    for alpha in [0.0, 0.02, 0.5]:
        for weighted in [False, True]:
            for intercept in [True, False]:
                m = QuantileRegressor(quantile=quantile, alpha=alpha, fit_intercept=intercept, solver="highs")
                w = weights if weighted else np.ones(n)
                m.fit(x, y, sample_weight=w)
                r = y - m.predict(x)
                objective = np.sum(w * np.where(r < 0, (quantile - 1) * r, quantile * r)) / w.sum()
                out["quantile"].append({"quantile": quantile, "alpha": alpha, "weighted": weighted,
                                        "intercept": intercept, "coef": m.coef_.tolist(), "b": float(m.intercept_),
                                        "objective": float(objective + alpha * np.abs(m.coef_).sum())})
    m = sm.QuantReg(y, sm.add_constant(x)).fit(q=quantile, p_tol=1e-12, max_iter=10000)
    out["quantreg"].append({"quantile": quantile, "params": m.params.tolist()})
for epsilon in [1.1, 1.35, 2.5]:
    for alpha in [0.0, 1e-4, 3.0]:
        for weighted in [False, True]:
            m = HuberRegressor(epsilon=epsilon, alpha=alpha, max_iter=100000, tol=1e-12)
            m.fit(x, y, sample_weight=weights if weighted else None)
            w = weights if weighted else np.ones(n)
            size = x.std(axis=0)
            scaled = np.c_[np.ones(n), (x - x.mean(axis=0)) / size]

            def joint(u):
                # Convex in coefficients and scale; columns about their means, where L-BFGS on raw columns stops early.
                sigma, r = u[-1], y - scaled @ u[:-1]
                z = r / sigma
                inside = np.abs(z) <= epsilon
                loss = sigma + np.where(inside, r * z, 2 * epsilon * np.abs(r) - epsilon ** 2 * sigma)
                pull = -np.where(inside, 2 * z, 2 * epsilon * np.sign(r)) * w
                penalty = alpha * np.sum((u[1:-1] / size) ** 2)
                by_scale = np.sum(w * (1 - np.where(inside, z ** 2, epsilon ** 2)))
                g = np.r_[scaled.T @ pull, by_scale]
                g[1:-1] += 2 * alpha * u[1:-1] / size ** 2
                return np.sum(w * loss) + penalty, g

            start = np.r_[m.intercept_ + x.mean(axis=0) @ m.coef_, m.coef_ * size, m.scale_]
            best = minimize(joint, start, jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 10000})
            assert joint(best.x)[0] <= joint(start)[0] and np.abs(joint(best.x)[1]).max() < 1e-5, best
            out["huber"].append({"epsilon": epsilon, "alpha": alpha, "weighted": weighted,
                                 "sklearn_objective": joint(start)[0], "objective": joint(best.x)[0],
                                 "coef": (best.x[1:-1] / size).tolist(), "scale": best.x[-1],
                                 "outliers": m.outliers_.astype(int).tolist()})
a = np.c_[np.ones(n), x - x.mean(axis=0)]
for p in [1.5, 3.0, 6.0]:
    def value(u):
        return np.mean(np.abs(y - a @ u) ** p)

    def slope(u):
        r = y - a @ u
        return -p * a.T @ (np.abs(r) ** (p - 1) * np.sign(r)) / n

    best = minimize(value, np.linalg.lstsq(a, y, rcond=None)[0], jac=slope, method="BFGS", options={"gtol": 1e-13})
    out["powers"].append({"p": p, "coef": best.x[1:].tolist(), "objective": float(best.fun)})
print(json.dumps(out, indent=0))
