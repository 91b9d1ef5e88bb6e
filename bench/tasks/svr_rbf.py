"""Support vector regression with an RBF kernel, 20,000 × 20: fit and predict, compared by the dual objective."""

import numpy as np

from tasks._svm import read, rows, square

__all__ = ["CONTENDERS", "TITLE", "WANTED", "data", "read"]

TITLE = "SVR RBF 20k×20"
WANTED = {"fit": 1.2, "predict": 1.2}
SLACK = 2e-4


def data(folder):
    x, _ = rows()
    noise = np.random.default_rng(0).normal(size=len(x))
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", np.sin(x[:, 0]) + 0.5 * x[:, 1] * np.tanh(x[:, 2]) + 0.3 * noise)


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            half, coef = square(model, x)
            return (half + 0.1 * float(np.abs(coef).sum()) - float(y[model.support_] @ coef)) / len(y)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.svm import SVR

    return SVR()


def _sklearn():
    from sklearn.svm import SVR

    return SVR()


def _intelex():
    from sklearnex.svm import SVR

    return SVR()


CONTENDERS = {"mercer": _contender(_mercer), "sklearn libsvm": _contender(_sklearn), "intelex": _contender(_intelex)}
