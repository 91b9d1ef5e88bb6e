"""Logistic regression, 200,000 × 100 dense."""

import numpy as np

from tasks import _logistic as shared

TITLE = "logistic 200k×100 dense"
WANTED = {"fit": 1.5, "predict": 1.5}


def data(folder):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((200_000, 100)) @ (np.eye(100) + 0.3 * rng.standard_normal((100, 100)) / 10)
    z = x @ (rng.standard_normal(100) / 5) - 0.5
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", (rng.random(200_000) < 1 / (1 + np.exp(-z))).astype(np.int64))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


CONTENDERS = {
    "mercer": shared.contender(shared.mercer),
    "sklearn lbfgs": shared.contender(shared.sklearn("lbfgs")),
    "sklearn newton-cholesky": shared.contender(shared.sklearn("newton-cholesky")),
    "sklearn newton-cg": shared.contender(shared.sklearn("newton-cg")),
    "intelex": shared.contender(shared.intelex),
}
