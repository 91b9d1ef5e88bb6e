"""The quantile transform of half a million rows of ten."""

import numpy as np

TITLE = "quantile transform 500k×10, fit + transform"
WANTED = {"fit": 2.0}


def read(folder):
    return np.random.default_rng(4).lognormal(size=(500_000, 10))


def ours(x):
    from mercer.preprocessing import QuantileTransformer

    return {"fit": lambda: QuantileTransformer().fit_transform(x)}


def sklearn(x):
    from sklearn.preprocessing import QuantileTransformer

    return {"fit": lambda: QuantileTransformer().fit_transform(x)}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
