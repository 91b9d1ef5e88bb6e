"""A decision tree to its full depth, 200,000 × 30, two classes; quality is the error on held-out rows."""

import numpy as np

TITLE = "decision tree 200k×30"
WANTED = {"fit": 3.0}
REPEATS = 2
SLACK = 0.01  # Two exact trees differ by how they break ties, and so by a little held-out error.


def data(folder):
    from sklearn.datasets import make_classification

    x, y = make_classification(
        n_samples=250_000, n_features=30, n_informative=10, n_redundant=5, flip_y=0.05, class_sep=0.8, random_state=5
    )
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make):
    def build(arrays):
        x, y = arrays
        train, test = slice(0, 200_000), slice(200_000, None)

        def quality(model):
            return float(np.mean(model.predict(x[test]) != y[test]))

        return {
            "fit": lambda: make().fit(x[train], y[train]),
            "predict": lambda m: m.predict(x[train]),
            "quality": quality,
        }

    return build


def _mercer():
    from mercer.tree import DecisionTreeClassifier

    return DecisionTreeClassifier()


def _sklearn():
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
