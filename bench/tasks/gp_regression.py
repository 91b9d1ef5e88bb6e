"""Gaussian process regression of 3000 rows of ten with hyper-parameters, fit and prediction with deviations.

Compared by the logarithm of the marginal likelihood that the search found.
"""

import numpy as np

TITLE = "Gaussian process 3k×10, hyper-parameters"
WANTED = {"fit": 5.0, "predict": 1.0}
REPEATS = 1
SLACK = 1e-3


def read(folder):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 10))
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=3000)
    return x, y, rng.normal(size=(1000, 10))


def _contender(make):
    def build(data):
        x, y, new = data
        return {
            "fit": lambda: make().fit(x, y),
            "predict": lambda model: model.predict(new, return_std=True),
            "quality": lambda model: -model.log_marginal_likelihood_value_ / len(y),
        }

    return build


def _mercer():
    from mercer.gaussian_process import GaussianProcessRegressor

    return GaussianProcessRegressor(kernel="1.0*rbf(1.0)+white(1.0)")


def _sklearn():
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    return GaussianProcessRegressor(ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(1.0))


CONTENDERS = {"mercer": _contender(_mercer), "scikit-learn": _contender(_sklearn)}
