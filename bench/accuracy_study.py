"""Boosting and forests against their best peers on real data: ten random splits, everyone with its defaults.

    python bench/accuracy_study.py ../shared/data [set ...]

For each set: the mean score of every contender (accuracy, or R² of numbers) and the difference to the best peer with its
standard error, corrected for splits that share rows (Nadeau and Bengio, 2003).
"""

import sys
from pathlib import Path

import numpy as np

CLASSES = {
    "bank-marketing-10pct": "y", "breast-cancer-wdbc": "diagnosis", "cell-segmentation": "class", "digits": "digit",
    "german-credit": "risk", "glass": "Type", "house-votes-84": "Class", "ionosphere": "Class", "penguins": "species",
    "pima-indians-diabetes": "diabetes", "satellite": "classes", "titanic-full": "survived", "vehicle": "Class",
}
NUMBERS = {
    "abalone": "rings", "airfoil-self-noise": "sound_pressure", "auto-mpg-missing": "mpg", "boston-housing": "medv",
    "california-housing": "median_house_value", "carseats": "Sales", "concrete": "compressive_strength", "diabetes": "progression",
}
DROPPED = {"cell-segmentation": ["case"], "titanic-full": ["name"], "auto-mpg-missing": ["name"]}
SEEDS, HELD = 10, 0.25


def boosters(classes):
    """Every booster's defaults, by name."""
    import catboost
    import lightgbm
    import xgboost
    from mercer import ensemble as ours
    from sklearn import ensemble as sklearn

    kind = "Classifier" if classes else "Regressor"
    cat = getattr(catboost, f"CatBoost{kind}")
    return {
        "mercer": lambda c: getattr(ours, f"HistGradientBoosting{kind}")(early_stopping=False),
        "lightgbm": lambda c: getattr(lightgbm, f"LGBM{kind}")(n_jobs=2, verbose=-1),
        "xgboost": lambda c: getattr(xgboost, f"XGB{kind}")(n_jobs=2, enable_categorical=True, max_depth=0, max_leaves=31, grow_policy="lossguide", learning_rate=0.1),
        "sklearn": lambda c: getattr(sklearn, f"HistGradientBoosting{kind}")(early_stopping=False, categorical_features="from_dtype"),
        "catboost": lambda c: cat(iterations=100, learning_rate=0.1, verbose=False, allow_writing_files=False, thread_count=2, cat_features=c),
    }


def forests(classes):
    """Forests of 100 trees, by name."""
    from mercer import ensemble as ours
    from sklearn import ensemble as sklearn

    kind = "RandomForestClassifier" if classes else "RandomForestRegressor"
    return {"mercer": lambda c: getattr(ours, kind)(n_jobs=2), "sklearn": lambda c: getattr(sklearn, kind)(n_jobs=2)}


def read(folder, name, target, numeric):
    import pandas

    path = next(Path(folder).glob(f"{name}.csv*"))
    frame = pandas.read_csv(path).dropna(subset=[target]).drop(columns=DROPPED.get(name, []))
    y = frame.pop(target)
    y = y.to_numpy(float) if name in NUMBERS else pandas.factorize(y, sort=True)[0]
    texts = [c for c in frame if not pandas.api.types.is_numeric_dtype(frame[c])]
    if numeric:
        frame = pandas.get_dummies(frame, columns=texts, dtype=float).astype(float)
        return frame.fillna(frame.median()).fillna(0.0), y, []
    return frame.assign(**{c: frame[c].fillna("missing").astype("category") for c in texts}), y, texts


def splits(y, classes):
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    kind = StratifiedShuffleSplit if classes else ShuffleSplit
    return kind(SEEDS, test_size=HELD, random_state=0).split(np.zeros(len(y)), y)


def study(folder, makers, name, target, numeric):
    classes = name in CLASSES
    x, y, texts = read(folder, name, target, numeric)
    scores = {contender: [] for contender in makers(classes)}
    for train, test in splits(y, classes):
        for contender, make in makers(classes).items():
            model = make(texts).fit(x.iloc[train], y[train])
            found = np.asarray(model.predict(x.iloc[test])).reshape(-1)
            error = np.mean(found != y[test]) if classes else np.mean((found - y[test]) ** 2) / np.var(y[test])
            scores[contender].append(1 - error)
    peers = {c: np.mean(s) for c, s in scores.items() if c != "mercer"}
    best = max(peers, key=peers.get)
    gap = np.array(scores["mercer"]) - np.array(scores[best])
    error = np.sqrt(gap.var(ddof=1) * (1 / SEEDS + HELD / (1 - HELD)))
    row = " ".join(f"{c} {np.mean(s):.4f}" for c, s in scores.items())
    verdict = "below" if gap.mean() < -2.262 * error else "above" if gap.mean() > 2.262 * error else "within noise"
    print(f"{name:22} {row} | {gap.mean():+.4f} ± {error:.4f} to {best}: {verdict}", flush=True)
    return verdict


def main():
    folder, asked = sys.argv[1], sys.argv[2:]
    sets = {name: target for name, target in (CLASSES | NUMBERS).items() if not asked or name in asked}
    for title, makers, numeric in (("boosting", boosters, False), ("forests", forests, True)):
        print(title)
        found = [study(folder, makers, name, target, numeric) for name, target in sets.items()]
        print({verdict: found.count(verdict) for verdict in ("above", "within noise", "below")})


if __name__ == "__main__":
    main()
