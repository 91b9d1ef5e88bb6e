"""Frozen references of the scalers: scikit-learn 1.9.1, numpy 2.4.6, scipy 1.17.1, Python 3.11.

    python -m venv venv && venv/bin/pip install scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    venv/bin/python generate_scale.py > scale.json

Each case: learner, parameters, rows to fit, rows to transform, what comes out, what its inverse gives back, the names
of the columns and some fitted attributes. Missing values are null.
"""

import json
import sys
import warnings

import numpy as np
import scipy.sparse as sp
import sklearn.preprocessing as skp

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20261115)
n = 60
plain = np.column_stack([
    rng.normal(3.0, 2.0, n),
    np.exp(rng.normal(0.0, 1.0, n)),
    rng.integers(-3, 4, n).astype(float),
    np.full(n, 2.5),
    rng.standard_t(2, n) * 1e6,
    rng.normal(1e4, 1e-2, n),
])
holes = plain.copy()
holes[rng.random(plain.shape) < 0.15] = np.nan
positive = np.column_stack([np.exp(rng.normal(0, 1.5, n)), rng.gamma(2.0, 3.0, n), rng.uniform(0.2, 0.9, n)])
positive_holes = positive.copy()
positive_holes[rng.random(positive.shape) < 0.1] = np.nan
zeros = np.where(rng.random((n, 4)) < 0.6, 0.0, rng.normal(0, 3, (n, 4)))
zeros[:, 3] = 0.0
one = plain[:1]
new = np.vstack([plain[:6], plain[:6] * 1.7 - 1.0, np.zeros((1, 6)), np.full((1, 6), -1e7), np.full((1, 6), 1e7)])
new_positive = np.vstack([positive[:6], positive[:6] * 3.0, np.full((1, 3), 1e-6), np.full((1, 3), 1e6)])

cases, tables = [], {}


def table(a):
    a = a.toarray() if sp.issparse(a) else np.asarray(a, dtype=float)
    return [[None if np.isnan(v) else float(v) for v in row] for row in a]


def shared(a):
    """The name of a table that cases share."""
    text = json.dumps(table(a))
    return tables.setdefault(text, f"t{len(tables)}")


def case(name, params, fit, x, attributes=(), inverse=True, sparse=False, **extra):
    estimator = getattr(skp, name)(**params, **extra)
    estimator.fit(sp.csr_matrix(fit) if sparse else fit)
    z = estimator.transform(sp.csr_matrix(x) if sparse else x)
    back = None
    if inverse:
        back = shared(estimator.inverse_transform(z))
    found = {}
    for a in attributes:
        value = getattr(estimator, a)
        found[a] = None if value is None else [None if np.isnan(v) else float(v) for v in np.ravel(value)]
    cases.append({
        "learner": name,
        "params": {k: list(v) if isinstance(v, tuple) else v for k, v in params.items()},
        "sparse": sparse,
        "fit": shared(fit),
        "x": shared(x),
        "z": shared(z),
        "inverse": back,
        "names": [str(s) for s in estimator.get_feature_names_out()],
        "attributes": found,
    })


for data, x in [(plain, new), (holes, new), (holes, holes), (one, new), (plain[:2], new)]:
    case("StandardScaler", {}, data, x, ["mean_", "var_", "scale_"])
    case("MinMaxScaler", {}, data, x, ["min_", "scale_", "data_min_", "data_max_", "data_range_"])
    case("MinMaxScaler", {"feature_range": (-2.0, 3.0), "clip": True}, data, x, ["min_", "scale_"])
    case("MaxAbsScaler", {}, data, x, ["scale_", "max_abs_"])
    case("RobustScaler", {}, data, x, ["center_", "scale_"])
    case("RobustScaler", {"quantile_range": (10.0, 85.0), "unit_variance": True}, data, x, ["center_", "scale_"])
case("StandardScaler", {"with_mean": False}, plain, new, ["var_"])
case("StandardScaler", {"with_std": False}, plain, new, ["mean_"])
case("RobustScaler", {"with_centering": False}, plain, new, ["scale_"])
case("RobustScaler", {"with_scaling": False}, plain, new, ["center_"])
case("StandardScaler", {"with_mean": False}, zeros, zeros[:9] * 2, ["var_", "scale_"], sparse=True)
case("MaxAbsScaler", {}, zeros, zeros[:9] * 2, ["scale_"], sparse=True)
case("RobustScaler", {"with_centering": False}, zeros, zeros[:9] * 2, ["scale_"], sparse=True)
case("RobustScaler", {"with_centering": False, "quantile_range": (1.0, 99.0)}, zeros, zeros[:9], ["scale_"], sparse=True)

for norm in ["l1", "l2", "max"]:
    case("Normalizer", {"norm": norm}, plain, new, inverse=False)
    case("Normalizer", {"norm": norm}, zeros, zeros, inverse=False, sparse=True)
case("Binarizer", {}, plain, new, inverse=False)
case("Binarizer", {"threshold": 1.25}, plain, new, inverse=False)
case("Binarizer", {"threshold": 1.25}, zeros, zeros, inverse=False, sparse=True)

for output in ["uniform", "normal"]:
    for q in [1000, 17, 2, 1]:
        for data, x in [(plain, new), (holes, new), (holes, holes), (one, new)]:
            params = {"n_quantiles": q, "output_distribution": output, "subsample": None}
            case("QuantileTransformer", params, data, x, ["quantiles_", "references_"])
    params = {"n_quantiles": 20, "output_distribution": output, "ignore_implicit_zeros": True, "subsample": None}
    case("QuantileTransformer", params, zeros, zeros[:20] * 1.3, ["quantiles_"], sparse=True)

for standardize in [True, False]:
    # A constant column with missing values has no likelihood; scikit-learn looks for one all the same.
    for data, x in [(plain[:, :4], plain[:9, :4]), (holes[:, :3], holes[:, :3]), (plain[:, :4], new[6:12, :4])]:
        case("PowerTransformer", {"method": "yeo-johnson", "standardize": standardize}, data, x, ["lambdas_"])
    for data in [positive, positive_holes]:
        case("PowerTransformer", {"method": "box-cox", "standardize": standardize}, data, new_positive, ["lambdas_"])
case("PowerTransformer", {"method": "yeo-johnson"}, -positive, -positive[:5], ["lambdas_"])
case("PowerTransformer", {"method": "yeo-johnson"}, positive * 1e8, positive[:5] * 1e8, ["lambdas_"])

json.dump({
    "versions": {"scikit-learn": "1.9.1"},
    "tables": {name: json.loads(text) for text, name in tables.items()},
    "cases": cases,
}, sys.stdout)
