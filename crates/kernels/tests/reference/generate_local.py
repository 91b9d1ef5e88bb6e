"""References for local regressions: statsmodels 0.15.0, KernelReg with Gaussian kernels, local constant and local linear (numpy 2.4.6).

    python generate_local.py > local.json
"""

import json
import sys

import numpy as np
from statsmodels.nonparametric.kernel_regression import KernelReg

rng = np.random.default_rng(3)
x = np.round(rng.uniform(-2, 2, (50, 2)), 6)
y = np.round(np.sin(2 * x[:, 0]) + x[:, 1] ** 2 + 0.1 * rng.standard_normal(50), 6)
new = np.round(rng.uniform(-2, 2, (12, 2)), 6)


def cases():
    for kind in ["lc", "ll"]:
        for bandwidth in [[0.5, 0.5], [0.3, 0.9], [1.5, 0.7]]:
            model = KernelReg(y, x, "cc", reg_type=kind, bw=bandwidth)
            loo = model.cv_loo(np.asarray(bandwidth), model.est[kind])
            yield {"kind": kind, "bandwidth": bandwidth, "means": model.fit(new)[0].tolist(), "loo": float(np.ravel(loo)[0])}


json.dump({"x": x.tolist(), "y": y.tolist(), "new": new.tolist(), "cases": list(cases())}, sys.stdout)
