"""Ward's hierarchy of 10,000 × 10 rows."""

import numpy as np

TITLE = "Ward 10k×10"
WANTED = {"fit": 3}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((12, 10)) * 3
    np.save(folder / "x.npy", centres[rng.integers(0, 12, 10_000)] + rng.standard_normal((10_000, 10)))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            return float(np.sum(model.distances_))

        return {"fit": lambda: make().fit(x), "quality": quality}

    return build


def _mercer():
    from mercer.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=12, compute_distances=True)


def _sklearn():
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=12, compute_distances=True)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
