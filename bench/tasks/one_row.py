"""Latency of predicting one row through Python, in seconds: logistic regression, 20 features."""

import timeit

import numpy as np

TITLE = "one-row predict"
WANTED = {"predict": 20.0}


def _contender(make):
    def build(_):
        rng = np.random.default_rng(6)
        x = rng.standard_normal((1000, 20))
        y = (x[:, 0] + 0.5 * rng.standard_normal(1000) > 0).astype(int)
        row = np.ascontiguousarray(x[:1])

        def figures():
            model = make().fit(x, y)
            timer = timeit.Timer(lambda: model.predict(row))
            return {"predict": min(timer.repeat(repeat=7, number=2000)) / 2000}

        return {"figures": figures}

    return build


def _mercer():
    from mercer.linear_model import LogisticRegression

    return LogisticRegression()


def _sklearn():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
