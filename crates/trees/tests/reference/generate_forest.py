"""Reference forests. Run in a throwaway environment: scikit-learn==1.9.1 numpy==2.4.6.

    MERCER_DATA=... python crates/trees/tests/reference/generate_forest.py > crates/trees/tests/reference/forest.json

Mean and standard deviation over ten seeds of the accuracy (classes) or R2 (numbers) on the rows 0, 3, 6, ... after
training on the others, and the mean score of every row in an isolation forest. The target is the last column.
"""
import csv
import json
import os
import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)

SEEDS = range(10)
CLASSES = ["digits", "breast-cancer-wdbc", "vehicle", "satellite"]
NUMBERS = ["concrete", "airfoil-self-noise"]


def read(name):
    with open(os.path.join(os.environ["MERCER_DATA"], name + ".csv")) as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(v) for v in row[:-1]] for row in rows]), [row[-1] for row in rows]


def scores(make, x, y):
    test = np.arange(len(y)) % 3 == 0
    found = [make(seed).fit(x[~test], y[~test]).score(x[test], y[test]) for seed in SEEDS]
    return {"mean": float(np.mean(found)), "deviation": float(np.std(found, ddof=1))}


out = {"scores": {}, "isolation": {}}
for name in CLASSES:
    x, y = read(name)
    y = np.array(y)
    out["scores"][name] = {
        "forest": scores(lambda s: RandomForestClassifier(random_state=s), x, y),
        "extra": scores(lambda s: ExtraTreesClassifier(random_state=s), x, y),
    }
for name in NUMBERS:
    x, y = read(name)
    y = np.array([float(v) for v in y])
    out["scores"][name] = {
        "forest": scores(lambda s: RandomForestRegressor(random_state=s), x, y),
        "extra": scores(lambda s: ExtraTreesRegressor(random_state=s), x, y),
    }
x, _ = read("hbk-outliers")
found = [IsolationForest(random_state=s).fit(x).score_samples(x) for s in SEEDS]
out["isolation"] = {
    "mean": np.mean(found, axis=0).round(6).tolist(),
    "deviation": float(np.std(found, axis=0, ddof=1).mean()),
}
print(json.dumps(out, indent=1))
