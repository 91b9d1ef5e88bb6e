"""What both logistic tasks share."""

import numpy as np


def contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            z = model.decision_function(x)
            signed = np.where(y == 1, z, -z)
            coef = np.asarray(model.coef_).ravel()
            return float(np.logaddexp(0, -signed).sum() + 0.5 * coef @ coef) / len(y)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def mercer():
    from mercer.linear_model import LogisticRegression

    return LogisticRegression()


def sklearn(solver, **options):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(solver=solver, **({"max_iter": 1000} | options))


def intelex():
    from sklearnex.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)
