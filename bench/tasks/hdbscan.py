"""HDBSCAN, 20,000 × 3."""

import numpy as np

TITLE = "HDBSCAN 20k×3"
WANTED = {"fit": 3}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(6)
    centres = rng.uniform(-10, 10, (20, 3))
    np.save(folder / "x.npy", centres[rng.integers(0, 20, 20_000)] + 0.7 * rng.standard_normal((20_000, 3)))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            return float(len(set(model.labels_)))

        return {"fit": lambda: make().fit(x), "quality": quality}

    return build


def _mercer():
    from mercer.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=50)


def _sklearn():
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=50, n_jobs=2, copy=True)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
