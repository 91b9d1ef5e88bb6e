"""DBSCAN, 100,000 × 3, about 40 neighbours a row."""

import numpy as np

TITLE = "DBSCAN 100k×3"
WANTED = {"fit": 3}
REPEATS = 2
EPS = 0.3


def data(folder):
    rng = np.random.default_rng(5)
    centres = rng.uniform(-10, 10, (30, 3))
    x = centres[rng.integers(0, 30, 95_000)] + rng.standard_normal((95_000, 3))
    np.save(folder / "x.npy", np.vstack([x, rng.uniform(-14, 14, (5_000, 3))]))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            return float(len(set(model.labels_)))

        return {"fit": lambda: make().fit(x), "quality": quality}

    return build


def _mercer():
    from mercer.cluster import DBSCAN

    return DBSCAN(eps=EPS, min_samples=10)


def _sklearn():
    from sklearn.cluster import DBSCAN

    return DBSCAN(eps=EPS, min_samples=10, n_jobs=2)


def _intelex():
    from sklearnex.cluster import DBSCAN

    return DBSCAN(eps=EPS, min_samples=10, n_jobs=2)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn), "intelex": _contender(_intelex)}
