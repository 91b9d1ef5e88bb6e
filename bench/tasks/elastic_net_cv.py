"""Cross-validated elastic net, 10,000 × 500 dense with related features: three shares, 100 strengths, five folds."""

import numpy as np

TITLE = "elastic net CV 10k×500"
WANTED = {"fit": 4.0}


def data(folder):
    rng = np.random.default_rng(1)
    n, d = 10_000, 500
    z = rng.standard_normal((n, d))
    x = z.copy()
    for j in range(1, d):
        x[:, j] = 0.6 * x[:, j - 1] + 0.8 * z[:, j]
    w = np.zeros(d)
    w[rng.choice(d, d // 10, replace=False)] = rng.standard_normal(d // 10)
    y = x @ w
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y + rng.standard_normal(n) * np.std(y) / 2)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(module):
    def build(arrays):
        import importlib

        x, y = arrays

        def fit():
            net = importlib.import_module(module).ElasticNetCV
            return net(l1_ratio=[0.5, 0.9, 1.0], tol=1e-6, max_iter=10_000, n_jobs=2).fit(x, y)

        # The least mean error on rows held out.
        return {"fit": fit, "quality": lambda m: float(np.asarray(m.mse_path_).mean(axis=-1).min())}

    return build


CONTENDERS = {"mercer": _contender("mercer.linear_model"), "sklearn": _contender("sklearn.linear_model")}
