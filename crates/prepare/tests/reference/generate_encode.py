"""What scikit-learn's encoders make of small tables, frozen in encode.json.

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.
Run in a throwaway environment: python generate_encode.py > encode.json
"""
import json
import warnings

import numpy as np
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

warnings.simplefilter("ignore")
rng = np.random.default_rng(3)
N = 120
LEVELS = ["ash", "birch", "cedar", "elm", "fir", "oak"]
first = rng.choice(LEVELS, N, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
second = rng.choice(["no", "yes"], N)
third = np.round(rng.geometric(0.4, N).astype(float) * 1.5, 1)
TEXT = np.column_stack([first, second]).astype(object)
NUMBERS = np.column_stack([third, rng.integers(0, 3, N).astype(float)])
NEW_TEXT = np.array([["oak", "no"], ["yew", "yes"], ["ash", "maybe"]], dtype=object)
NEW_NUMBERS = np.array([[1.5, 0.0], [99.0, 2.0], [3.0, 7.0]])
REAL = rng.normal(size=N) + 2.0 * (first == "ash") + third
BINARY = (REAL > np.median(REAL)).astype(int)
MULTI = np.digitize(REAL, np.quantile(REAL, [0.3, 0.8]))


def clean(x):
    x = x.toarray() if hasattr(x, "toarray") else np.asarray(x)
    return [[None if v != v else float(v) for v in row] for row in x]


def plain(kind, params, train, new, mercer):
    made = kind(**params).fit(train)
    return {
        "params": mercer,
        "names": list(made.get_feature_names_out(["a", "b"])),
        "train": clean(made.transform(train)),
        "new": clean(made.transform(new)) if new is not None else None,
    }


ONE_HOT = [
    {"handle_unknown": "ignore"},
    {"handle_unknown": "ignore", "drop": "first"},
    {"handle_unknown": "ignore", "drop": "if_binary"},
    {"handle_unknown": "ignore", "min_frequency": 10},
    {"handle_unknown": "infrequent_if_exist", "min_frequency": 10},
    {"handle_unknown": "infrequent_if_exist", "min_frequency": 0.12, "drop": "first"},
    {"handle_unknown": "infrequent_if_exist", "max_categories": 3},
    {"handle_unknown": "infrequent_if_exist", "max_categories": 2, "min_frequency": 5, "drop": "if_binary"},
    {"handle_unknown": "ignore", "max_categories": 1},
]
ORDINAL = [
    {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    {"handle_unknown": "use_encoded_value", "unknown_value": -1, "min_frequency": 10},
    {"handle_unknown": "use_encoded_value", "unknown_value": float("nan"), "max_categories": 3},
]
TARGET = [{}, {"smooth": 0.0}, {"smooth": 7.5}, {"smooth": 2.0, "cv": 3}]

out = {
    "text": {"train": TEXT.tolist(), "new": NEW_TEXT.tolist()},
    "numbers": {"train": NUMBERS.tolist(), "new": NEW_NUMBERS.tolist()},
    "targets": {"real": REAL.tolist(), "binary": BINARY.tolist(), "multi": MULTI.tolist()},
    "one_hot": [],
    "ordinal": [],
    "target": [],
}
for data, train, new in [("text", TEXT, NEW_TEXT), ("numbers", NUMBERS, NEW_NUMBERS)]:
    for p in ONE_HOT:
        out["one_hot"].append({"data": data, **plain(OneHotEncoder, p, train, new, p)})
    for p in ORDINAL:
        mercer = {k: v for k, v in p.items() if v == v}
        out["ordinal"].append({"data": data, **plain(OrdinalEncoder, p, train, new, mercer)})
    for kind, y in [("real", REAL), ("binary", BINARY), ("multi", MULTI)]:
        for p in TARGET:
            cv = p.get("cv", 5)
            made = TargetEncoder(**{**p, "cv": cv}, shuffle=False)
            fitted = made.fit_transform(train, y)
            out["target"].append(
                {
                    "data": data,
                    "target": kind,
                    "params": {**p, "shuffle": False},
                    "fit_transform": clean(fitted),
                    "new": clean(made.transform(new)),
                    "mean": np.atleast_1d(made.target_mean_).tolist(),
                }
            )
# Missing values are a level of their own for the target encoder.
HOLES = NUMBERS.copy()
HOLES[::7, 0] = np.nan
made = TargetEncoder(shuffle=False)
fitted = made.fit_transform(HOLES, REAL)
holes = np.array([[np.nan, np.nan], [1.5, 0.0]])
out["missing"] = {"fit_transform": clean(fitted), "new": clean(made.transform(holes))}
print(json.dumps(out))
