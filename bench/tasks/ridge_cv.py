"""Ridge regression with its penalty by leave-one-out, 50,000 × 300 dense, 20 penalties."""

import numpy as np

TITLE = "RidgeCV 50k×300, 20 penalties"
WANTED = {"fit": 3.0}
ALPHAS = np.geomspace(1e-2, 1e5, 20)


def data(folder):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((50_000, 300)) @ (np.eye(300) + 0.5 * rng.standard_normal((300, 300)) / 17)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", x @ (rng.standard_normal(300) / 30) + 3 * rng.standard_normal(50_000))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(module):
    def build(arrays):
        import importlib

        x, y = arrays
        make = importlib.import_module(module).RidgeCV

        # The mean squared error left out at the penalty that was chosen.
        return {"fit": lambda: make(alphas=ALPHAS).fit(x, y), "predict": lambda m: m.predict(x),
                "quality": lambda m: -float(m.best_score_)}

    return build


CONTENDERS = {"mercer": _contender("mercer.linear_model"), "sklearn": _contender("sklearn.linear_model")}
