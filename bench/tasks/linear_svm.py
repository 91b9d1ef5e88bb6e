"""A linear support vector machine by its dual, 100,000 × 100,000 sparse, text-like: Zipf columns, about 100 entries a row."""

import numpy as np

from tasks.logistic_sparse import data, read

__all__ = ["CONTENDERS", "TITLE", "WANTED", "data", "read"]

TITLE = "linear SVM 100k×100k sparse"
WANTED = {"fit": 1.5, "predict": 1.5}
SLACK = 1e-3


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            margin = np.where(y == 1, 1.0, -1.0) * model.decision_function(x)
            coef = np.append(np.ravel(model.coef_), model.intercept_)
            return float(0.5 * coef @ coef + np.maximum(0, 1 - margin).sum()) / len(y)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.svm import LinearSVC

    return LinearSVC(loss="hinge", random_state=0)


def _sklearn():
    from sklearn.svm import LinearSVC

    return LinearSVC(loss="hinge", dual=True, random_state=0)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn liblinear": _contender(_sklearn)}
