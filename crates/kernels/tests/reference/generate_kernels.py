"""Frozen reference values of kernels, their gradients, and Bessel functions.

Pinned: scikit-learn 1.9.1, scipy 1.17.1. Run: python generate_kernels.py > kernels.json
"""

import json

import numpy as np
import scipy
import scipy.special
import sklearn
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics.pairwise import pairwise_kernels

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
assert scipy.__version__.startswith("1.17."), scipy.__version__
rng = np.random.default_rng(14)
x = np.round(rng.normal(size=(12, 6)) * [1, 2, 0.5, 1, 3, 1] + [0, 5, 0, -2, 0, 1], 6)
y = np.round(rng.normal(size=(7, 6)), 6)
out = {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "x": x.tolist(), "y": y.tolist()}

out["pairwise"] = {
    "linear": pairwise_kernels(x, y, "linear"),
    "polynomial(degree=3, gamma=0.2, coef0=1.5)": pairwise_kernels(x, y, "polynomial", degree=3, gamma=0.2, coef0=1.5),
    "sigmoid(gamma=0.05, coef0=0.3)": pairwise_kernels(x, y, "sigmoid", gamma=0.05, coef0=0.3),
    "rbf(gamma=0.1)": pairwise_kernels(x, y, "rbf", gamma=0.1),
    "laplacian(gamma=0.1)": pairwise_kernels(x, y, "laplacian", gamma=0.1),
    "cosine": pairwise_kernels(x, y, "cosine"),
    "columns(rbf(gamma=0.3), columns=[1, 4])": pairwise_kernels(x[:, [1, 4]], y[:, [1, 4]], "rbf", gamma=0.3),
}
counts_x, counts_y = np.abs(np.round(x)), np.abs(np.round(y))
out["counts_x"], out["counts_y"] = counts_x.tolist(), counts_y.tolist()
out["counts"] = {
    "chi2(gamma=0.2)": pairwise_kernels(counts_x, counts_y, "chi2", gamma=0.2),
    "additive_chi2": pairwise_kernels(counts_x, counts_y, "additive_chi2"),
}
ard = [0.7, 2.5, 0.4, 1.1, 3.0, 0.9]
cases = {
    "rbf(length_scale=1.7)": gp.RBF(1.7),
    f"rbf(length_scale={ard})": gp.RBF(ard),
    "matern(length_scale=1.3, nu=0.5)": gp.Matern(1.3, nu=0.5),
    "matern(length_scale=1.3, nu=1.5)": gp.Matern(1.3, nu=1.5),
    f"matern(length_scale={ard}, nu=2.5)": gp.Matern(ard, nu=2.5),
    f"matern(length_scale={ard}, nu=0.5)": gp.Matern(ard, nu=0.5),
    "matern(length_scale=1.3, nu=inf)": gp.Matern(1.3, nu=np.inf),
    "rational_quadratic(length_scale=1.4, alpha=0.8)": gp.RationalQuadratic(1.4, 0.8),
    "dot_product(sigma_0=1.2)": gp.DotProduct(1.2),
    "2.5*rbf(length_scale=1.7)+white(noise_level=0.3)": gp.ConstantKernel(2.5) * gp.RBF(1.7) + gp.WhiteKernel(0.3),
    "power(rational_quadratic(length_scale=1.4, alpha=0.8), exponent=2.5)": gp.RationalQuadratic(1.4, 0.8) ** 2.5,
    "rbf(length_scale=1.7, length_scale_bounds=fixed)*dot_product(1.2)": gp.RBF(1.7, "fixed") * gp.DotProduct(1.2),
}
one = x[:, :1]
single = {
    "periodic(length_scale=1.1, periodicity=2.3)": gp.ExpSineSquared(1.1, 2.3),
    "periodic(length_scale=1.1, periodicity=2.3)*rbf(length_scale=4.0)": gp.ExpSineSquared(1.1, 2.3) * gp.RBF(4.0),
}


def grams(cases, x):
    found = {}
    for text, kernel in cases.items():
        value, gradient = kernel(x, eval_gradient=True)
        found[text] = {"gram": value.tolist(), "theta": kernel.theta.tolist(), "gradients": np.moveaxis(gradient, 2, 0).tolist()}
    return found


out["gp"] = grams(cases, x)
out["gp_one"] = grams(single, one)
# scikit-learn's gradient for a general smoothness is a difference quotient: values alone.
out["general"] = {f"matern(length_scale=1.3, nu={nu})": gp.Matern(1.3, nu=nu)(x).tolist() for nu in (0.3, 1.0, 2.0, 3.7)}
points = [(nu, z) for nu in (0.0, 0.1, 0.5, 1.0, 1.3, 2.5, 4.75, 10.0) for z in (1e-3, 0.1, 0.9, 1.999, 2.0, 3.3, 10.0, 100.0, 600.0)]
out["bessel"] = [[nu, z, float(scipy.special.kv(nu, z))] for nu, z in points]
for group in ("pairwise", "counts"):
    out[group] = {name: value.tolist() for name, value in out[group].items()}
print(json.dumps(out))
