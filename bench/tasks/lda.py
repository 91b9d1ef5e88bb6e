"""Linear discriminant analysis, 200,000 × 100 dense, 10 classes."""

import numpy as np

TITLE = "LDA 200k×100, 10 classes"
WANTED = {"fit": 2.0, "predict": 1.5}


def data(folder):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 10, 200_000)
    x = rng.standard_normal((200_000, 100)) @ (np.eye(100) + 0.5 * rng.standard_normal((100, 100)) / 10)
    np.save(folder / "x.npy", x + (rng.standard_normal((10, 100)) / 4)[y])
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(module, **options):
    def build(arrays):
        import importlib

        x, y = arrays
        make = importlib.import_module(module).LinearDiscriminantAnalysis

        # The mean log loss on the rows learnt from.
        def quality(model):
            return -float(np.mean(np.log(model.predict_proba(x)[np.arange(len(y)), y])))

        return {"fit": lambda: make(**options).fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


CONTENDERS = {
    "mercer": _contender("mercer.discriminant_analysis"),
    "sklearn svd": _contender("sklearn.discriminant_analysis"),
    "sklearn lsqr": _contender("sklearn.discriminant_analysis", solver="lsqr"),
    "sklearn eigen": _contender("sklearn.discriminant_analysis", solver="eigen"),
}
