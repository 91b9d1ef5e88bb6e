"""Reference values for paths, cross-validation, several tasks and least angles.

Pinned: scikit-learn 1.9.1, numpy as it brings. Run: python generate_lasso_paths.py > lasso_paths.json
"""

import json
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import (
    ElasticNetCV,
    Lars,
    LassoCV,
    LassoLars,
    MultiTaskElasticNet,
    MultiTaskLassoCV,
    enet_path,
)

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261117)
out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "problems": []}
TIGHT = {"tol": 1e-13, "max_iter": 1_000_000}


def lists(**values):
    return {name: np.asarray(value, dtype=float).ravel().tolist() for name, value in values.items()}


for n, d in [(60, 8), (25, 40)]:
    x = rng.normal(size=(n, d)) + 2.0
    x[rng.random(size=(n, d)) < 0.3] = 0.0
    w = np.where(rng.random((d, 2)) < 0.4, rng.normal(size=(d, 2)), 0.0)
    y = 1.5 + x @ w + 0.3 * rng.normal(size=(n, 2))
    weights = rng.integers(0, 4, size=n).astype(float)
    problem = {"n": n, "d": d, **lists(x=x, y=y.T, weights=weights)}

    alphas, coefs, _ = enet_path(x, y[:, 0], l1_ratio=0.7, alphas=8, eps=0.02, **TIGHT)
    problem["enet_path"] = lists(alphas=alphas, coefs=coefs.T)
    alphas, coefs, _ = enet_path(x, y, l1_ratio=0.7, alphas=5, eps=0.02, **TIGHT)
    problem["enet_path_two"] = lists(alphas=alphas, coefs=np.moveaxis(coefs, 2, 0))

    for name, weighted in [("lasso_cv", False), ("lasso_cv_weighted", True)]:
        cv = LassoCV(alphas=12, eps=0.01, cv=4, **TIGHT).fit(x, y[:, 0], sample_weight=weights if weighted else None)
        problem[name] = lists(alpha=cv.alpha_, alphas=cv.alphas_, mse=cv.mse_path_, coef=cv.coef_, intercept=cv.intercept_)
    cv = ElasticNetCV(l1_ratio=[0.3, 0.9], alphas=6, eps=0.01, positive=True, **TIGHT).fit(x, y[:, 0])
    problem["enet_cv"] = lists(alpha=cv.alpha_, l1_ratio=cv.l1_ratio_, alphas=cv.alphas_, mse=cv.mse_path_, coef=cv.coef_,
                               intercept=cv.intercept_)
    net = MultiTaskElasticNet(alpha=0.1, l1_ratio=0.8, **TIGHT).fit(x, y)
    problem["multi_task"] = lists(coef=net.coef_, intercept=net.intercept_)
    cv = MultiTaskLassoCV(alphas=6, eps=0.05, cv=3, **TIGHT).fit(x, y)
    problem["multi_task_cv"] = lists(alpha=cv.alpha_, alphas=cv.alphas_, mse=cv.mse_path_, coef=cv.coef_)

    lars = Lars(n_nonzero_coefs=6).fit(x, y[:, 0])
    problem["lars"] = lists(alphas=lars.alphas_, active=lars.active_, coef=lars.coef_, path=lars.coef_path_.T,
                            intercept=lars.intercept_)
    for name, positive in [("lasso_lars", False), ("lasso_lars_positive", True)]:
        lars = LassoLars(alpha=0.02, positive=positive).fit(x, y[:, 0])
        problem[name] = lists(alphas=lars.alphas_, active=lars.active_, coef=lars.coef_, intercept=lars.intercept_)
    out["problems"].append(problem)
print(json.dumps(out, indent=0))
