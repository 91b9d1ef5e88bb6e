"""Mini-batch k-means, 500,000 × 30, k = 50."""

import numpy as np

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


def _contender(make):
    def build(x):
        def fit():
            return [make(seed).fit(x) for seed in range(SEEDS)]

        def quality(models):
            return float(np.mean([m.inertia_ for m in models])) / len(x)

        return {"fit": fit, "predict": lambda ms: ms[0].predict(x), "quality": quality}

    return build


def _mercer(seed):
    from mercer.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters=50, random_state=seed)


def _sklearn(seed):
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters=50, random_state=seed)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
