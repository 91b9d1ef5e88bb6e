"""Stochastic gradient descent, ten passes of the hinge over 500,000 × 100 dense rows."""

import numpy as np

TITLE = "SGD 500k×100, 10 passes"
WANTED = {"fit": 3.0}
SLACK = 5e-2


def data(folder):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((500_000, 100))
    z = x @ rng.standard_normal(100) + 5 * rng.standard_normal(500_000)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", (z > 0).astype(np.int64))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            margin = np.where(y == 1, 1.0, -1.0) * model.decision_function(x)
            coef = np.ravel(model.coef_)
            return float(np.maximum(0, 1 - margin).mean() + 0.5e-4 * coef @ coef)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer(n_partitions):
    from mercer.linear_model import SGDClassifier

    return SGDClassifier(max_iter=10, tol=None, random_state=0, average=True, n_partitions=n_partitions)


def _sklearn():
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(max_iter=10, tol=None, random_state=0, average=True)


CONTENDERS = {
    "mercer": _contender(lambda: _mercer(1)),
    "mercer 2 partitions": _contender(lambda: _mercer(2)),
    "sklearn": _contender(_sklearn),
}
