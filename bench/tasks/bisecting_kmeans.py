"""Bisecting k-means, 200,000 × 20, k = 32."""

import numpy as np
from tasks._seeds import contender

TITLE = "bisecting k-means 200k×20, k = 32"
WANTED = {"fit": 2}
REPEATS = 2
SEEDS = 4


def data(folder):
    rng = np.random.default_rng(9)
    centres = rng.standard_normal((40, 20)) * 2
    np.save(folder / "x.npy", centres[rng.integers(0, 40, 200_000)] + rng.standard_normal((200_000, 20)))


def read(folder):
    return np.load(folder / "x.npy")


def _mercer(seed):
    from mercer.cluster import BisectingKMeans

    return BisectingKMeans(n_clusters=32, random_state=seed)


def _sklearn(seed):
    from sklearn.cluster import BisectingKMeans

    return BisectingKMeans(n_clusters=32, random_state=seed)


CONTENDERS = {"mercer": contender(_mercer, SEEDS), "sklearn": contender(_sklearn, SEEDS)}
