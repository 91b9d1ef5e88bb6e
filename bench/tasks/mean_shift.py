"""Mean shift, 5,000 × 3 in five groups, bandwidth given; every row is a seed."""

import numpy as np

TITLE = "mean shift 5k×3"
WANTED = {"fit": 3}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(7)
    centres = rng.uniform(-10, 10, (5, 3))
    np.save(folder / "x.npy", centres[rng.integers(0, 5, 5_000)] + rng.standard_normal((5_000, 3)))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            return float(len(model.cluster_centers_))

        return {"fit": lambda: make().fit(x), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.cluster import MeanShift

    return MeanShift(bandwidth=3.0)


def _sklearn():
    from sklearn.cluster import MeanShift

    return MeanShift(bandwidth=3.0, n_jobs=-1)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
