"""Affinity propagation, 1,500 × 5 in ten groups."""

import numpy as np

TITLE = "affinity propagation 1.5k×5"
WANTED = {"fit": 3}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(7)
    centres = rng.uniform(-10, 10, (10, 5))
    np.save(folder / "x.npy", centres[rng.integers(0, 10, 1_500)] + rng.standard_normal((1_500, 5)))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            gap = x - model.cluster_centers_[model.labels_]
            return float((gap**2).sum() / len(x))

        return {"fit": lambda: make().fit(x), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.cluster import AffinityPropagation

    return AffinityPropagation(damping=0.8, preference=-500.0, random_state=0)


def _sklearn():
    from sklearn.cluster import AffinityPropagation

    return AffinityPropagation(damping=0.8, preference=-500.0, random_state=0)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
