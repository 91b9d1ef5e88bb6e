"""Gaussian naive Bayes on 200,000 × 50 dense rows of five classes."""

import numpy as np

TITLE = "Gaussian naive Bayes 200k×50"
WANTED = {"fit": 3.0, "predict": 3.0}


def data(folder):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 5, 200_000)
    np.save(folder / "x.npy", rng.standard_normal((200_000, 50)) + (rng.standard_normal((5, 50)) / 4)[y])
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(module):
    def build(arrays):
        import importlib

        x, y = arrays
        make = importlib.import_module(module).GaussianNB
        # The mean log loss on the rows learnt from.
        quality = lambda model: -float(np.mean(model.predict_log_proba(x)[np.arange(len(y)), y]))
        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


CONTENDERS = {"mercer": _contender("mercer.naive_bayes"), "scikit-learn": _contender("sklearn.naive_bayes")}
