"""k-modes, 20,000 rows of 12 categories with ten levels each, k = 8, first modes by Cao's method on both sides."""

import numpy as np

TITLE = "k-modes 20k×12, k = 8"
WANTED = {"fit": 20}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(7)
    modes = rng.integers(0, 10, (8, 12))
    rows = modes[rng.integers(0, 8, 20_000)]
    np.save(folder / "x.npy", np.where(rng.random(rows.shape) < 0.4, rng.integers(0, 10, rows.shape), rows))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        return {
            "fit": lambda: make().fit(x),
            "predict": lambda m: m.predict(x),
            "quality": lambda m: float(m.cost_) / len(x),
        }

    return build


def _mercer():
    from mercer.cluster import KModes

    return KModes(n_clusters=8)


def _kmodes():
    from kmodes.kmodes import KModes

    return KModes(n_clusters=8, init="Cao")


CONTENDERS = {"mercer": _contender(_mercer), "kmodes": _contender(_kmodes)}
