"""Kernel densities, 20,000 × 3, Gaussian, of 2,000 new rows: exact, and to a relative tolerance of 1e-4."""

import numpy as np

TITLE = "kernel density 20k×3"
WANTED = {"predict": 3.0}
REPEATS = 2


def data(folder):
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((8, 3)) * 3
    x = centres[rng.integers(0, 8, 22_000)] + rng.standard_normal((22_000, 3))
    np.save(folder / "x.npy", x)


def read(folder):
    x = np.load(folder / "x.npy")
    return x[:20_000], x[20_000:]


def _contender(make):
    def build(arrays):
        x, new = arrays
        return {
            "fit": lambda: [make(0.0).fit(x), make(1e-4).fit(x)],
            "predict": lambda models: [model.score_samples(new) for model in models],
            # Both densities are the same to their tolerance: the likelihood of the new rows, negated.
            "quality": lambda models: -float(np.mean(models[0].score_samples(new))),
        }

    return build


def _mercer(rtol):
    from mercer.neighbors import KernelDensity

    return KernelDensity(bandwidth=0.4, rtol=rtol)


def _sklearn(rtol):
    from sklearn.neighbors import KernelDensity

    return KernelDensity(bandwidth=0.4, rtol=rtol)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
