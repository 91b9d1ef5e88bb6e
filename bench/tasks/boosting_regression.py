"""Gradient boosting of numbers, 200,000 × 50, 100 rounds of 63 leaves; quality is the RMSE on held-out rows."""

import numpy as np

from tasks._boosting import contenders, higgs_like

TITLE = "boosting, numbers 200k×50"
WANTED = {"fit": 1.2, "predict": 2.0}
REPEATS = 2
SLACK = 0.0005


def data(folder):
    x, score, rng = higgs_like(300_000, 50, 2)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", score + 0.5 * rng.normal(size=len(score)))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


CONTENDERS = contenders("regression")
