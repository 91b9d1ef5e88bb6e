"""Frozen reference values of kernel ridge regression, kernel principal components and Nyström's features.

Pinned: scikit-learn 1.9.1. Run: python generate_learners.py > learners.json
"""

import json

import numpy as np
import sklearn
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(6)
x = np.round(rng.normal(size=(40, 3)), 6)
new = np.round(rng.normal(size=(9, 3)), 6)
y = np.round(np.sin(x[:, 0]) + x[:, 1] ** 2 + 0.1 * rng.normal(size=40), 6)
z = np.round(np.cos(x[:, 2]), 6)
s = np.round(rng.uniform(0.2, 3.0, size=40), 6)
out = {"scikit-learn": sklearn.__version__, "x": x.tolist(), "new": new.tolist(), "y": y.tolist(), "z": z.tolist(), "s": s.tolist()}

out["ridge"] = {}
for text, settings in {
    "alpha=0.3,kernel=rbf": dict(alpha=0.3, kernel="rbf"),
    "alpha=0.1,kernel=rbf,gamma=0.4": dict(alpha=0.1, kernel="rbf", gamma=0.4),
    "alpha=2,kernel=polynomial,degree=2,coef0=0.5": dict(alpha=2, kernel="polynomial", degree=2, coef0=0.5),
    "alpha=1": dict(alpha=1),
    "alpha=0.5,kernel=laplacian": dict(alpha=0.5, kernel="laplacian"),
}.items():
    plain = KernelRidge(**settings).fit(x, y)
    weighted = KernelRidge(**settings).fit(x, y, sample_weight=s)
    two = KernelRidge(**settings).fit(x, np.c_[y, z])
    out["ridge"][text] = {
        "dual_coef": plain.dual_coef_.tolist(),
        "predict": plain.predict(new).tolist(),
        "weighted": weighted.predict(new).tolist(),
        "two": two.predict(new).tolist(),
    }
out["pca"] = {}
for text, settings in {
    "n_components=3,kernel=rbf,gamma=0.3": dict(n_components=3, kernel="rbf", gamma=0.3),
    "n_components=2,kernel=poly,degree=2,gamma=0.5": dict(n_components=2, kernel="poly", degree=2, gamma=0.5),
    "kernel=linear": dict(kernel="linear", remove_zero_eig=True),
    "n_components=4,kernel=rbf,gamma=0.3,fit_inverse_transform=true,alpha=0.1": dict(
        n_components=4, kernel="rbf", gamma=0.3, fit_inverse_transform=True, alpha=0.1
    ),
}.items():
    model = KernelPCA(eigen_solver="dense", **settings).fit(x)
    found = {"eigenvalues": model.eigenvalues_.tolist(), "transform": model.transform(new).tolist()}
    if settings.get("fit_inverse_transform"):
        found["inverse"] = model.inverse_transform(model.transform(new)).tolist()
    out["pca"][text] = found
out["gram"] = rbf_kernel(x, gamma=0.4).tolist()
out["cross"] = rbf_kernel(new, x, gamma=0.4).tolist()
print(json.dumps(out))
