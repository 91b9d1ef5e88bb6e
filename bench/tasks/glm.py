"""Poisson regression, 500,000 × 50 dense."""

import numpy as np

TITLE = "Poisson 500k×50"
WANTED = {"fit": 1.5}
SLACK = 1e-6
ALPHA = 1e-4


def data(folder):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((500_000, 50)) * rng.uniform(0.5, 2.0, 50)
    z = x @ (rng.standard_normal(50) / 20) + 0.3
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", rng.poisson(np.exp(z)).astype(float))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            coef = np.asarray(model.coef_)
            z = x @ coef + model.intercept_
            return float(np.mean(np.exp(z) - y * z) + 0.5 * ALPHA * coef @ coef)

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.linear_model import PoissonRegressor

    return PoissonRegressor(alpha=ALPHA)


def _sklearn(solver):
    from sklearn.linear_model import PoissonRegressor

    return lambda: PoissonRegressor(alpha=ALPHA, solver=solver, max_iter=1000)


CONTENDERS = {
    "mercer": _contender(_mercer),
    "sklearn lbfgs": _contender(_sklearn("lbfgs")),
    "sklearn newton-cholesky": _contender(_sklearn("newton-cholesky")),
}
