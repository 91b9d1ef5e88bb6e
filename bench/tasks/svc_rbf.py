"""A support vector machine of two classes with an RBF kernel, 20,000 × 20: fit and predict, compared by the dual objective."""

import numpy as np

from tasks._svm import read, rows, square

__all__ = ["CONTENDERS", "TITLE", "WANTED", "data", "read"]

TITLE = "SVC RBF 20k×20"
WANTED = {"fit": 1.2, "predict": 1.2}
SLACK = 2e-4


def data(folder):
    x, y = rows()
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            half, coef = square(model, x)
            return (half - float(np.abs(coef).sum())) / len(y)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.svm import SVC

    return SVC()


def _sklearn():
    from sklearn.svm import SVC

    return SVC()


def _intelex():
    from sklearnex.svm import SVC

    return SVC()


CONTENDERS = {"mercer": _contender(_mercer), "sklearn libsvm": _contender(_sklearn), "intelex": _contender(_intelex)}
