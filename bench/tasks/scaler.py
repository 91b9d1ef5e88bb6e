"""Standardising a million rows of twenty."""

import numpy as np

TITLE = "standard scaler 1M×20, fit + transform"
WANTED = {"fit": 2.0}


def read(folder):
    return np.random.default_rng(2).normal(3.0, 2.0, size=(1_000_000, 20))


def ours(x):
    from mercer.preprocessing import StandardScaler

    return {"fit": lambda: StandardScaler().fit_transform(x)}


def sklearn(x):
    from sklearn.preprocessing import StandardScaler

    return {"fit": lambda: StandardScaler().fit_transform(x)}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
