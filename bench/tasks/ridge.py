"""Ridge regression, 500,000 × 200 dense."""

import numpy as np

TITLE = "ridge 500k×200"
WANTED = {"fit": 1.5, "predict": 1.5}


def data(folder):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500_000, 200))
    w = rng.standard_normal(200)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", x @ w + 3 + rng.standard_normal(500_000))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            residual = y - model.predict(x)
            coef = np.asarray(model.coef_)
            return 0.5 * (residual @ residual + coef @ coef)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.linear_model import Ridge

    return Ridge()


def _sklearn(solver):
    from sklearn.linear_model import Ridge

    return Ridge(solver=solver)


def _intelex():
    from sklearnex.linear_model import Ridge

    return Ridge()


CONTENDERS = {
    "mercer": _contender(_mercer),
    "sklearn cholesky": _contender(lambda: _sklearn("cholesky")),
    "sklearn auto": _contender(lambda: _sklearn("auto")),
    "intelex": _contender(_intelex),
}
