"""A random forest of 100 trees, 100,000 × 30, two classes; quality is the error on held-out rows."""

import numpy as np

TITLE = "random forest 100k×30 × 100"
WANTED = {"fit": 1.2, "predict": 3.0}
REPEATS = 1
SLACK = 0.003  # Forests of different seeds differ by about this much held-out error.


def data(folder):
    from sklearn.datasets import make_classification

    x, y = make_classification(
        n_samples=150_000, n_features=30, n_informative=10, n_redundant=5, flip_y=0.05, class_sep=0.8, random_state=6
    )
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays
        train, test = slice(0, 100_000), slice(100_000, None)
        return {
            "fit": lambda: make().fit(x[train], y[train]),
            "predict": lambda m: m.predict(x[test]),
            "quality": lambda m: float(np.mean(m.predict(x[test]) != y[test])),
        }

    return build


def _mercer():
    from mercer.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=2)


def _sklearn():
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=2)


def _intelex():
    from sklearnex.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=2)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn), "sklearnex": _contender(_intelex)}
