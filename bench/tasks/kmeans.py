"""k-means, 500,000 × 30, k = 50: time for an iteration's worth of work to the same quality, seeding included."""

import numpy as np
from tasks._seeds import contender

TITLE = "k-means 500k×30, k = 50"
WANTED = {"fit": 1.5}
REPEATS = 1
SEEDS = 8


def data(folder):
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((50, 30)) * 2
    x = centres[rng.integers(0, 50, 500_000)] + rng.standard_normal((500_000, 30))
    np.save(folder / "x.npy", x)


def read(folder):
    return np.load(folder / "x.npy")


def _mercer(seed):
    from mercer.cluster import KMeans

    return KMeans(n_clusters=50, random_state=seed)


def _sklearn(algorithm):
    def make(seed):
        from sklearn.cluster import KMeans

        return KMeans(n_clusters=50, random_state=seed, n_init=1, algorithm=algorithm)

    return make


def _intelex(seed):
    from sklearnex.cluster import KMeans

    return KMeans(n_clusters=50, random_state=seed, n_init=1)


class _Faiss:
    """Lloyd's iterations in single precision from random rows, on all rows: as many as faiss takes by default."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, x):
        import faiss

        self.model = faiss.Kmeans(x.shape[1], 50, seed=self.seed, max_points_per_centroid=len(x))
        self.model.train(x.astype(np.float32))
        squared, self.labels = self.model.index.search(x.astype(np.float32), 1)
        self.inertia_ = float(squared.sum(dtype=np.float64))
        return self

    def predict(self, x):
        return self.model.index.search(x.astype(np.float32), 1)[1].ravel()


CONTENDERS = {
    "mercer": contender(_mercer, SEEDS),
    "sklearn lloyd": contender(_sklearn("lloyd"), SEEDS),
    "sklearn elkan": contender(_sklearn("elkan"), SEEDS),
    "intelex": contender(_intelex, SEEDS),
    "faiss": contender(_Faiss, SEEDS),
}
