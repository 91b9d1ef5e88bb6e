"""Mini-batch k-means, 500,000 × 30, k = 50."""

import numpy as np
from tasks._seeds import contender

TITLE = "mini-batch k-means 500k×30, k = 50"
WANTED = {"fit": 2}
REPEATS = 2
SEEDS = 8
# Where its inertia is the worse one it is so after more time: that would be no reason to leave it out.
COUNTS = ("sklearn",)


def data(folder):
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((50, 30)) * 2
    np.save(folder / "x.npy", centres[rng.integers(0, 50, 500_000)] + rng.standard_normal((500_000, 30)))


def read(folder):
    return np.load(folder / "x.npy")


def _mercer(seed):
    from mercer.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters=50, random_state=seed)


def _sklearn(seed):
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters=50, random_state=seed)


CONTENDERS = {"mercer": contender(_mercer, SEEDS), "sklearn": contender(_sklearn, SEEDS)}
