"""NewLearner, 1,000,000 rows."""

import numpy as np

TITLE = "NewLearner 1M"
WANTED = {"fit": 1.0}


def data(folder):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1_000_000, 10))
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", x[:, 0] + rng.standard_normal(1_000_000))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays
        quality = lambda model: float(np.mean((y - model.predict(x)) ** 2))
        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.python_module import NewLearner

    return NewLearner(alpha=0.0)


def _sklearn():
    from sklearn.dummy import DummyRegressor

    return DummyRegressor()


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
