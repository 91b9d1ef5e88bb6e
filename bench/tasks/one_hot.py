"""One-hot encoding of a million rows of five categorical columns."""

import numpy as np

TITLE = "one-hot 1M×5 categories, fit + transform"
WANTED = {"fit": 2.0}


def read(folder):
    import pandas as pd

    rng = np.random.default_rng(3)
    levels = [np.array([f"level{i:03}" for i in range(k)]) for k in (5, 20, 50, 100, 200)]
    return pd.DataFrame({f"c{j}": pd.Categorical(l[rng.integers(0, len(l), 1_000_000)]) for j, l in enumerate(levels)})


def ours(x):
    from mercer.preprocessing import OneHotEncoder

    return {"fit": lambda: OneHotEncoder().fit_transform(x)}


def sklearn(x):
    from sklearn.preprocessing import OneHotEncoder

    return {"fit": lambda: OneHotEncoder().fit_transform(x)}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
