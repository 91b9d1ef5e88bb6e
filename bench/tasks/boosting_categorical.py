"""Boosting with 10 columns of categories, up to 1,000 levels, and missing values; quality is 1 − AUC on held-out rows.

Wanted is the AUC of CatBoost, whose ordered target statistics lead here, in the time of LightGBM.
"""

import numpy as np

TITLE = "boosting with categories and missing values 250k×20"
WANTED = {"fit": 1.0, "quality": 0.9995}
COUNTS = ("lightgbm",)
REPEATS = 2
LEVELS = (5, 10, 20, 50, 100, 200, 300, 500, 800, 1000)
TRAIN = 250_000


def data(folder):
    rng = np.random.default_rng(7)
    n = TRAIN + 100_000
    codes, score = np.empty((n, len(LEVELS)), dtype=np.int32), np.zeros(n)
    for j, levels in enumerate(LEVELS):
        popularity = 1.0 / np.arange(1, levels + 1) ** 0.8
        codes[:, j] = rng.choice(levels, size=n, p=popularity / popularity.sum())
        score += 0.4 * rng.normal(size=levels)[codes[:, j]]
    numbers = rng.normal(size=(n, 10))
    score += 0.5 * numbers[:, :4].sum(axis=1) + numbers[:, 4] * rng.normal(size=LEVELS[4])[codes[:, 4]]
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    np.save(folder / "codes.npy", codes)
    np.save(folder / "numbers.npy", numbers)
    np.save(folder / "y.npy", (score + rng.logistic(size=n) > 0).astype(np.int64))


def read(folder):
    import pandas

    codes, numbers = np.load(folder / "codes.npy"), np.load(folder / "numbers.npy")
    columns = {f"n{j}": numbers[:, j] for j in range(numbers.shape[1])}
    for j, levels in enumerate(LEVELS):
        columns[f"c{j}"] = pandas.Categorical.from_codes(codes[:, j], [f"v{level}" for level in range(levels)])
    return pandas.DataFrame(columns), np.load(folder / "y.npy")


def _contender(make, prepare=lambda x: x):
    def build(arrays):
        x, y = prepare(arrays[0]), arrays[1]
        train, test = x.iloc[:TRAIN], x.iloc[TRAIN:]

        def quality(model):
            from sklearn.metrics import roc_auc_score

            return 1 - roc_auc_score(y[TRAIN:], model.predict_proba(test)[:, 1])

        return {"fit": lambda: make().fit(train, y[:TRAIN]), "quality": quality}

    return build


def _mercer():
    from mercer.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=63, learning_rate=0.1, early_stopping=False)


def _lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, num_leaves=63, learning_rate=0.1, n_jobs=2, verbose=-1)


def _catboost():
    from catboost import CatBoostClassifier

    names = [f"c{j}" for j in range(len(LEVELS))]
    options = {"thread_count": 2, "verbose": False, "allow_writing_files": False, "cat_features": names}
    return CatBoostClassifier(iterations=100, depth=6, learning_rate=0.3, **options)


def _xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=100, max_leaves=63, max_depth=0, grow_policy="lossguide", learning_rate=0.1, tree_method="hist",
        enable_categorical=True, n_jobs=2,
    )


def _as_text(x):
    return x.astype({name: str for name in x.columns if name.startswith("c")})


CONTENDERS = {
    "mercer": _contender(_mercer),
    "lightgbm": _contender(_lightgbm),
    "catboost": _contender(_catboost, _as_text),
    "xgboost": _contender(_xgboost),
}
