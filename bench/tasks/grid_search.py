"""A grid of fifty logistic regressions on five folds."""

import numpy as np

TITLE = "grid search, 50 logistic fits × 5 folds, 20k×30"
WANTED = {"fit": 2.0}
REPEATS = 1
GRID = {"C": np.logspace(-4, 4, 50).tolist()}


def read(folder):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(20_000, 30))
    y = (x @ rng.normal(size=30) + 2 * rng.normal(size=20_000) > 0).astype(int)
    return x, y


def ours(arrays):
    from mercer.linear_model import LogisticRegression
    from mercer.model_selection import GridSearchCV

    search = GridSearchCV(LogisticRegression(), GRID, scoring="neg_log_loss", cv=5)
    return {"fit": lambda: search.fit(*arrays), "quality": lambda s: -s.best_score_}


def sklearn(arrays):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(LogisticRegression(), GRID, scoring="neg_log_loss", cv=5, n_jobs=2)
    return {"fit": lambda: search.fit(*arrays), "quality": lambda s: -s.best_score_}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
