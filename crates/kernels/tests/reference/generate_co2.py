"""Frozen reference values of a Gaussian process of the carbon dioxide over Mauna Loa, with the kernel of scikit-learn's example.

Pinned: scikit-learn 1.9.1, scipy 1.17.1. Run: python generate_co2.py FOLDER/co2-monthly.csv > co2.json
"""

import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, RationalQuadratic, WhiteKernel

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
warnings.filterwarnings("ignore")
time, ppm = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1).T
known = time < 1992
mean = ppm[known].mean()
kernel = (
    50.0**2 * RBF(50.0)
    + 2.0**2 * RBF(100.0) * ExpSineSquared(1.0, 1.0, periodicity_bounds="fixed")
    + 0.5**2 * RationalQuadratic(length_scale=1.0, alpha=1.0)
    + 0.1**2 * RBF(0.1)
    + WhiteKernel(0.1**2)
)


def described(optimizer):
    model = GaussianProcessRegressor(kernel, optimizer=optimizer).fit(time[known][:, np.newaxis], ppm[known] - mean)
    found, deviation = model.predict(time[~known][:, np.newaxis], return_std=True)
    off = found + mean - ppm[~known]
    return {
        "likelihood": model.log_marginal_likelihood_value_,
        "mean": found,
        "deviation": deviation,
        "error": np.sqrt(np.mean(off**2)),
        "covered": int(np.sum(np.abs(off) < 1.959963984540054 * deviation)),
    }


out = {"scikit-learn": sklearn.__version__, "given": described(None), "found": described("fmin_l_bfgs_b")}
print(json.dumps(out, default=lambda v: v.tolist()))
