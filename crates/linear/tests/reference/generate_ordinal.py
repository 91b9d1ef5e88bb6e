"""Reference values for ordinal regression: proportional odds by statsmodels, threshold losses by scipy on their definition.

Pinned: statsmodels 0.15.0, scipy as it brings. Run: python generate_ordinal.py > ordinal.json
"""

import json

import numpy as np
import scipy
import statsmodels
from scipy.optimize import minimize
from statsmodels.miscmodels.ordinal_model import OrderedModel

assert statsmodels.__version__.startswith("0.15."), statsmodels.__version__
rng = np.random.default_rng(20261117)
n, d, k = 150, 3, 4
x = np.round(rng.normal(size=(n, d)) * [1.0, 3.0, 0.5] + [0.0, 2.0, -1.0], 6)
y = np.digitize(x @ [1.2, -0.4, 0.8] + rng.logistic(size=n), [-3.0, -1.5, 0.0])
new = np.round(rng.normal(size=(6, d)), 6)
model = OrderedModel(y, x, distr="logit")
fit = model.fit(method="bfgs", disp=False, gtol=1e-10, maxiter=10000)
fit = model.fit(method="newton", disp=False, start_params=fit.params, tol=1e-14)
thresholds = model.transform_threshold_params(fit.params)[1:-1]
out = {"versions": {"statsmodels": statsmodels.__version__, "scipy": scipy.__version__}, "x": x.tolist(),
       "y": y.tolist(), "new": new.tolist(), "coef": fit.params[:d].tolist(), "thresholds": thresholds.tolist(),
       "llf": float(fit.llf), "proba": np.asarray(fit.predict(new)).tolist(), "cases": []}


def logistic(z):
    return np.logaddexp(0.0, -z)


def hinge(z):
    return np.where(z >= 1, 0.0, np.where(z > 0, 0.5 * (1 - z) ** 2, 0.5 - z))


def objective(v, loss, margin, alpha):
    w, theta = v[:d], v[d:]
    f = x @ w
    total = 0.5 * alpha * w @ w
    for t in range(k - 1):
        side = np.where(y > t, 1.0, -1.0)
        counts = np.ones(n, bool) if loss == "all" else (y == t) | (y == t + 1)
        total += margin(side * (f - theta[t]))[counts].sum()
    if loss == "logit":
        gaps = np.diff(theta)
        total -= sum((y == t + 1).sum() * np.log1p(-np.exp(-gaps[t])) for t in range(k - 2))
    return total


for name, loss, margin in [("logit", "logit", logistic), ("immediate_logistic", "immediate", logistic),
                           ("immediate_hinge", "immediate", hinge), ("all_logistic", "all", logistic),
                           ("all_hinge", "all", hinge)]:
    v = np.concatenate([np.zeros(d), [-1.0, 0.0, 1.0]])
    ordered = [{"type": "ineq", "fun": lambda v, t=t: v[d + t + 1] - v[d + t] - 1e-9} for t in range(k - 2)]
    found = minimize(objective, v, args=(loss, margin, 2.0), method="SLSQP", constraints=ordered,
                     options={"ftol": 1e-14, "maxiter": 2000})
    out["cases"].append({"name": name, "alpha": 2.0, "objective": float(found.fun), "coef": found.x[:d].tolist(),
                         "thresholds": found.x[d:].tolist()})
print(json.dumps(out))
