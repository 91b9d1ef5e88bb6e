"""The path of the lasso, 2,000 × 10,000 dense with neighbours that resemble each other (0.9), as genes and spectra do."""

import numpy as np

from tasks import lasso_path

TITLE = "lasso path 2k×10k, related columns"
WANTED = {"fit": 1.2}
CONTENDERS, read = lasso_path.CONTENDERS, lasso_path.read


def data(folder):
    rng = np.random.default_rng(0)
    z = rng.standard_normal((2_000, 10_000))
    x = np.asfortranarray(z)
    for j in range(1, 10_000):
        x[:, j] = 0.9 * x[:, j - 1] + np.sqrt(1 - 0.9**2) * z[:, j]
    w = np.zeros(10_000)
    w[rng.choice(10_000, 100, replace=False)] = 1
    y = x @ w
    y += rng.standard_normal(2_000) * np.std(y) / 10
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
