"""Variational Gaussian mixture, full covariances, 50,000 × 10, twenty components: ten iterations from seeds of k-means++."""

import numpy as np

TITLE = "variational Gaussian mixture 50k×10, k = 20, full"
WANTED = {"fit": 3.0, "predict": 3.0}
REPEATS = 2
K, D, N = 20, 10, 50_000


def data(folder):
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((K // 2, D)) * 4.0
    shapes = rng.standard_normal((K // 2, D, D)) * 0.4 + np.eye(D)
    own = rng.integers(0, K // 2, N)
    x = centres[own] + np.einsum("nij,nj->ni", shapes[own], rng.standard_normal((N, D)))
    np.save(folder / "x.npy", x)


def read(folder):
    return np.load(folder / "x.npy")


def _contender(module):
    def build(x):
        import importlib

        make = importlib.import_module(module).BayesianGaussianMixture

        def fit():
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return make(n_components=K, tol=0.0, max_iter=10, init_params="k-means++", random_state=0).fit(x)

        # The mean log-likelihood of the rows, as a loss: starts differ, and so do bounds.
        return {"fit": fit, "predict": lambda m: m.predict(x), "quality": lambda m: -float(m.score(x))}

    return build


CONTENDERS = {"mercer": _contender("mercer.mixture"), "scikit-learn": _contender("sklearn.mixture")}
