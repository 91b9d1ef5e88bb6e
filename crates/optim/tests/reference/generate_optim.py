"""Reference values for linear and quadratic programs, non-negative least squares, bounds, the lasso and stochastic steps.

Pinned: scipy 1.17.1, scikit-learn 1.9.1, numpy as they bring. Run: python generate_optim.py > optim.json
"""

import json

import numpy as np
import scipy
import sklearn
from scipy.optimize import linprog, minimize, nnls, rosen, rosen_der
from sklearn.linear_model import Lasso

assert scipy.__version__ == "1.17.1", scipy.__version__
assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261117)
out = {"versions": {"scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}}


def feasible(n, m, p):
    """Constraints around a point inside; every variable has bounds."""
    inside = rng.normal(size=n)
    g, a = rng.normal(size=(m, n)), rng.normal(size=(p, n))
    return {"g": g, "h": g @ inside + rng.random(m), "a": a, "b": a @ inside,
            "lower": inside - 0.2 - rng.random(n), "upper": inside + 0.2 + rng.random(n)}


def listed(case):
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in case.items()}


out["lp"] = []
for n, m, p in [(4, 3, 1), (10, 8, 3), (25, 30, 5), (60, 40, 10)]:
    case = feasible(n, m, p)
    cost = rng.normal(size=n)
    found = linprog(cost, case["g"], case["h"], case["a"], case["b"], list(zip(case["lower"], case["upper"])), method="highs-ds",
                    options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert found.status == 0, found.message
    # scipy's marginals are the derivatives of the value: minus the multipliers of inequalities and equalities.
    out["lp"].append(listed(case | {"cost": cost, "x": found.x, "value": found.fun, "z": -found.ineqlin.marginals,
                                    "y": -found.eqlin.marginals, "lambda": found.lower.marginals, "mu": -found.upper.marginals}))

out["qp"] = []
for n, m, p in [(3, 4, 0), (8, 6, 2), (15, 10, 3)]:
    case = feasible(n, m, p)
    root, q = rng.normal(size=(n, n)), rng.normal(size=n) * 3
    square = root.T @ root / n + 0.1 * np.eye(n)
    constraints = [{"type": "ineq", "fun": lambda x, c=case: c["h"] - c["g"] @ x, "jac": lambda x, c=case: -c["g"]}]
    if p:
        constraints.append({"type": "eq", "fun": lambda x, c=case: c["a"] @ x - c["b"], "jac": lambda x, c=case: c["a"]})
    found = minimize(lambda x: 0.5 * x @ square @ x + q @ x, np.zeros(n), jac=lambda x: square @ x + q, method="SLSQP",
                     bounds=list(zip(case["lower"], case["upper"])), constraints=constraints,
                     options={"ftol": 1e-16, "maxiter": 1000})
    assert found.status in (0, 8), found.message
    out["qp"].append(listed(case | {"p": square, "q": q, "x": found.x, "value": found.fun}))

out["nnls"] = []
for n, d in [(6, 3), (20, 12), (10, 25), (80, 30)]:
    a, b = rng.normal(size=(n, d)), rng.normal(size=n)
    x, norm = nnls(a, b)
    out["nnls"].append({"a": a.tolist(), "b": b.tolist(), "x": x.tolist(), "norm": norm})

out["bounds"] = []
for n in [2, 5, 20]:
    lower, upper = rng.uniform(-2, 0.5, size=n), rng.uniform(0.6, 2, size=n)
    x0 = (lower + upper) / 2
    found = minimize(rosen, x0, jac=rosen_der, method="L-BFGS-B", bounds=list(zip(lower, upper)),
                     options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 100000, "maxfun": 1000000, "maxcor": 30})
    out["bounds"].append({"lower": lower.tolist(), "upper": upper.tolist(), "x0": x0.tolist(), "x": found.x.tolist(),
                          "value": found.fun})

out["lasso"] = []
for n, d, alpha in [(40, 6, 0.1), (60, 20, 0.3), (30, 50, 0.2)]:
    x = rng.normal(size=(n, d))
    y = x[:, :3] @ np.array([2.0, -1.0, 0.5]) + 0.1 * rng.normal(size=n)
    net = Lasso(alpha=alpha, fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(x, y)
    out["lasso"].append({"x": x.tolist(), "y": y.tolist(), "alpha": alpha, "coef": net.coef_.tolist()})

# Ten steps of each rule on half a quadratic, written down from the papers.
curvature, start, eta = np.array([1.0, 10.0, 0.1]), np.array([1.0, -2.0, 3.0]), 0.05
out["steps"] = {"curvature": curvature.tolist(), "start": start.tolist(), "rate": eta, "rules": {}}
for rule in ["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"]:
    x, v, m, s = start.copy(), np.zeros(3), np.zeros(3), np.zeros(3)
    for k in range(1, 11):
        g = curvature * x
        if rule == "sgd":
            x = x - eta * g
        elif rule == "momentum":
            v = 0.9 * v + g
            x = x - eta * v
        elif rule == "nesterov":
            v = 0.9 * v + g
            x = x - eta * (g + 0.9 * v)
        elif rule == "adagrad":
            s = s + g * g
            x = x - eta * g / (np.sqrt(s) + 1e-10)
        elif rule == "rmsprop":
            s = 0.99 * s + 0.01 * g * g
            x = x - eta * g / (np.sqrt(s) + 1e-8)
        else:
            if rule == "adamw":
                x = x * (1 - eta * 0.01)
            m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
            x = x - eta * (m / (1 - 0.9**k)) / (np.sqrt(s / (1 - 0.999**k)) + 1e-8)
    out["steps"]["rules"][rule] = x.tolist()

print(json.dumps(out, indent=0))
