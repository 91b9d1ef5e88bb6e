"""Gradient boosting of two classes, 500,000 × 28, 100 rounds of 63 leaves; quality is 1 − AUC on held-out rows."""

import numpy as np

from tasks._boosting import contenders, higgs_like

TITLE = "boosting, two classes 500k×28"
WANTED = {"fit": 1.2, "predict": 2.0}
REPEATS = 2
SLACK = 0.0005


def data(folder):
    x, score, rng = higgs_like(600_000, 28, 1)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", (score + rng.logistic(size=len(score)) > np.median(score)).astype(np.int64))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


CONTENDERS = contenders("binary")
