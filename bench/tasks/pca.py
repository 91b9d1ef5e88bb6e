"""Principal components, 200,000 × 300 to 20."""

import numpy as np

TITLE = "PCA 200k×300 → 20"
WANTED = {"fit": 1.2}


def data(folder):
    rng = np.random.default_rng(4)
    latent = rng.standard_normal((200_000, 40)) * np.linspace(5, 0.5, 40)
    x = latent @ rng.standard_normal((40, 300)) + rng.standard_normal((200_000, 300)) + 10
    np.save(folder / "x.npy", x)


def read(folder):
    return np.load(folder / "x.npy")


def _contender(make):
    def build(x):
        def quality(model):
            return -float(np.sum(model.explained_variance_))

        return {"fit": lambda: make().fit(x), "predict": lambda m: m.transform(x), "quality": quality}

    return build


def _mercer():
    from mercer.decomposition import PCA

    return PCA(n_components=20)


def _sklearn(solver):
    from sklearn.decomposition import PCA

    return PCA(n_components=20, svd_solver=solver)


def _intelex():
    from sklearnex.decomposition import PCA

    return PCA(n_components=20)


CONTENDERS = {
    "mercer": _contender(_mercer),
    "sklearn covariance_eigh": _contender(lambda: _sklearn("covariance_eigh")),
    "sklearn auto": _contender(lambda: _sklearn("auto")),
    "sklearn randomized": _contender(lambda: _sklearn("randomized")),
    "intelex": _contender(_intelex),
}
