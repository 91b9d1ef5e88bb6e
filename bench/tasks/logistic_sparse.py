"""Logistic regression, 100,000 × 100,000 sparse, text-like: Zipf columns, about 100 entries a row."""

import numpy as np

from tasks import _logistic as shared

TITLE = "logistic 100k×100k sparse"
WANTED = {"fit": 2.0, "predict": 1.5}


def data(folder):
    import scipy.sparse as sp

    rng = np.random.default_rng(2)
    n, d, per_row = 100_000, 100_000, 100
    weights = 1 / np.arange(1, d + 1)
    columns = rng.choice(d, size=n * per_row, p=weights / weights.sum())
    rows = np.repeat(np.arange(n), per_row)
    x = sp.coo_matrix((np.ones(n * per_row), (rows, columns)), shape=(n, d)).tocsr()
    x.sum_duplicates()
    x.data = 1 + np.log(x.data)
    norms = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    x = sp.diags(1 / norms) @ x
    z = x @ (3 * rng.standard_normal(d))
    sp.save_npz(folder / "x.npz", sp.csr_matrix(x))
    np.save(folder / "y.npy", (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int64))


def read(folder):
    import scipy.sparse as sp

    return sp.csr_matrix(sp.load_npz(folder / "x.npz")), np.load(folder / "y.npy")


CONTENDERS = {
    "mercer": shared.contender(shared.mercer),
    "sklearn lbfgs": shared.contender(shared.sklearn("lbfgs")),
    "sklearn newton-cg": shared.contender(shared.sklearn("newton-cg")),
    "sklearn liblinear": shared.contender(shared.sklearn("liblinear")),
    "sklearn saga": shared.contender(shared.sklearn("saga", tol=1e-3, max_iter=100)),
}
