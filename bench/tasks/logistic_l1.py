"""Logistic regression with an L1 penalty, 100,000 × 100,000 sparse: the rows of `logistic_sparse`."""

import numpy as np

from tasks import logistic_sparse

TITLE = "logistic L1 100k×100k sparse"
WANTED = {"fit": 2.0}
# Relative to the loss of a row: objectives that agree to six digits.
SLACK = 1e-6
C = 1.0

data, read = logistic_sparse.data, logistic_sparse.read


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            z = model.decision_function(x)
            signed = np.where(y == 1, z, -z)
            coef = np.asarray(model.coef_).ravel()
            # liblinear penalises the intercept, too: what it minimises is counted for everyone without it.
            return float(C * np.logaddexp(0, -signed).sum() + np.abs(coef).sum()) / len(y)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer(tol):
    from mercer.linear_model import LogisticRegression

    return lambda: LogisticRegression(l1_ratio=1.0, C=C, tol=tol, max_iter=1000)


def _sklearn(solver, **options):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(l1_ratio=1.0, C=C, solver=solver, **options)


CONTENDERS = {
    "mercer": _contender(_mercer(1e-5)),
    "sklearn liblinear": _contender(_sklearn("liblinear", tol=1e-4, max_iter=1000)),
    "sklearn saga": _contender(_sklearn("saga", tol=1e-3, max_iter=200)),
}
