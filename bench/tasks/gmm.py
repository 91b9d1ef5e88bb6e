"""Gaussian mixture, full covariances, 100,000 × 20, ten components: the same iterations from the same start, so that likelihoods are equal."""

import numpy as np

TITLE = "Gaussian mixture 100k×20, k = 10, full"
WANTED = {"fit": 5.0}
REPEATS = 2
K, D, N = 10, 20, 100_000


def data(folder):
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((K, D)) * 1.5
    shapes = rng.standard_normal((K, D, D)) * 0.4 + np.eye(D)
    own = rng.integers(0, K, N)
    x = centres[own] + np.einsum("nij,nj->ni", shapes[own], rng.standard_normal((N, D)))
    np.save(folder / "x.npy", x)


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def fit():
            import warnings

            start = {"weights_init": np.full(K, 1 / K), "means_init": x[:: N // K][:K], "precisions_init": np.stack([np.eye(D) / 4] * K)}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return make(K, tol=0.0, max_iter=10, **start).fit(x)

        return {"fit": fit, "predict": lambda m: m.predict(x), "quality": lambda m: float(m.lower_bound_)}

    return build


def _mercer(*args, **params):
    from mercer.mixture import GaussianMixture

    return GaussianMixture(*args, **params)


def _sklearn(*args, **params):
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(*args, **params)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn)}
