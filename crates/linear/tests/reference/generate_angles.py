"""Frozen reference values of least angles by folds and criteria, of matching pursuit, and of shrunk covariances.

Pinned: scikit-learn 1.9.1. Run: python generate_angles.py > angles.json
"""

import json

import numpy as np
import sklearn
from sklearn.covariance import oas
from sklearn.linear_model import (
    LarsCV,
    LassoLarsCV,
    LassoLarsIC,
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    lars_path,
    orthogonal_mp,
)

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261118)
n, d = 60, 8
x = np.round(rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d))), 6)
w = np.array([2.0, -1.0, 0.0, 0.5, 0.0, 0.0, 1.5, 0.0])
y = np.round(x @ w + 3 + 0.7 * rng.normal(size=n), 6)
other = np.round(x @ w[::-1] + 0.5 * rng.normal(size=n), 6)
out = {"scikit-learn": sklearn.__version__, "x": x.tolist(), "y": y.tolist(), "other": other.tolist()}


def values(model, *names):
    return {name: np.asarray(getattr(model, name)).ravel().tolist() for name in ("coef_", "intercept_", *names)}


chosen = ("alpha_", "cv_alphas_", "mse_path_", "alphas_")
out["lasso_lars_cv"] = values(LassoLarsCV(cv=4).fit(x, y), *chosen)
out["lasso_lars_cv_positive"] = values(LassoLarsCV(cv=4, positive=True).fit(x, y), "alpha_")
# Where a coefficient crosses zero, scikit-learn turns its sign on the path of least angles, and the paper does not: a problem
# on which none does, in any fold.
plain = np.round(rng.normal(size=(n, 5)), 6)
easy = np.round(plain @ [3.0, -2.0, 1.2, 0.6, -0.3] + 0.2 * rng.normal(size=n), 6)
out["plain"], out["easy"] = plain.tolist(), easy.tolist()
for f in range(-1, 4):
    rows = np.ones(n, dtype=bool)
    rows[f * 15 : (f + 1) * 15] = f < 0
    path = lars_path(plain[rows] - plain[rows].mean(axis=0), easy[rows] - easy[rows].mean(), method="lar")[2]
    assert (path.min(axis=1) * path.max(axis=1) >= 0).all(), f
out["lars_cv"] = values(LarsCV(cv=4).fit(plain, easy), *chosen)
told = ("alpha_", "alphas_", "criterion_", "noise_variance_")
out["aic"] = values(LassoLarsIC("aic").fit(x, y), *told)
out["bic"] = values(LassoLarsIC("bic", noise_variance=0.5).fit(x, y), *told)
both = np.column_stack([y, other])
out["omp"] = values(OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(x, both), "n_iter_")
out["omp_tol"] = values(OrthogonalMatchingPursuit(tol=60.0).fit(x, y), "n_iter_")
out["omp_cv"] = values(OrthogonalMatchingPursuitCV(cv=4, max_iter=7).fit(x, y), "n_nonzero_coefs_")
out["omp_path"] = orthogonal_mp(x, y, n_nonzero_coefs=5, return_path=True).T.tolist()
for method, rows, target in (("lar", plain, easy), ("lasso", x, y)):
    alphas, active, path = lars_path(rows, target, method=method)
    assert method == "lasso" or (path.min(axis=1) * path.max(axis=1) >= 0).all()
    out[method] = {"alphas": alphas.tolist(), "active": [int(j) for j in active], "path": path.T.tolist()}

# The covariance of each of two classes, standardised, shrunk, and in its own units again.
label = (other > 0).astype(int)
out["label"], out["oas"] = label.tolist(), []
for c in (0, 1):
    own = x[label == c]
    unit = own.std(axis=0)
    shrunk, share = oas((own - own.mean(axis=0)) / unit)
    out["oas"].append({"share": float(share), "covariance": (unit[:, None] * shrunk * unit).tolist()})
print(json.dumps(out))
