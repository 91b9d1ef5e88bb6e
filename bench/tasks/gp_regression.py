"""Gaussian process regression of 3000 rows of ten with hyper-parameters, fit and prediction with deviations."""

import numpy as np

TITLE = "Gaussian process 3k×10, hyper-parameters"
WANTED = {"fit": 5.0, "predict": 1.0}


def read(folder):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 10))
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=3000)
    return x, y, rng.normal(size=(1000, 10))


def ours(data):
    from mercer.gaussian_process import GaussianProcessRegressor

    x, y, new = data
    learner = GaussianProcessRegressor(kernel="1.0*rbf(1.0)+white(1.0)")
    fitted = learner.fit(x, y)
    return {"fit": lambda: learner.fit(x, y), "predict": lambda: fitted.predict(new, return_std=True)}


def sklearn(data):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    x, y, new = data
    learner = GaussianProcessRegressor(ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(1.0))
    fitted = learner.fit(x, y)
    return {"fit": lambda: learner.fit(x, y), "predict": lambda: fitted.predict(new, return_std=True)}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
