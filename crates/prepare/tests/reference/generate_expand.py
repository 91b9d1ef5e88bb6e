"""Frozen references of the expansions: scikit-learn 1.9.1, numpy 2.4.6, scipy 1.17.1, Python 3.11.

    python -m venv venv && venv/bin/pip install scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    venv/bin/python generate_expand.py > expand.json

The form of a case is that of generate_scale.py.
"""

import json
import sys
import warnings

import numpy as np
import scipy.sparse as sp
import sklearn.preprocessing as skp

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20261116)
n = 50
plain = np.column_stack([
    rng.normal(1.0, 2.0, n),
    np.exp(rng.normal(0.0, 1.0, n)),
    rng.integers(0, 6, n).astype(float),
    np.full(n, 2.5),
])
new = np.vstack([plain[:8], plain[:4] * 3.0 - 4.0, plain.min(0), plain.max(0)])
zeros = np.where(rng.random((12, 4)) < 0.5, 0.0, rng.normal(0, 2, (12, 4)))
cases, tables = [], {}


def table(a):
    a = a.toarray() if sp.issparse(a) else np.asarray(a, dtype=float)
    return [[None if np.isnan(v) else float(v) for v in row] for row in a]


def shared(a):
    """The name of a table that cases share."""
    text = json.dumps(table(a))
    return tables.setdefault(text, f"t{len(tables)}")


def case(name, params, fit, x, inverse=False, sparse=False, attributes=(), **extra):
    given = {k: tuple(v) if k == "degree" and isinstance(v, list) else v for k, v in params.items()}
    estimator = getattr(skp, name)(**given, **extra).fit(sp.csr_matrix(fit) if sparse else fit)
    z = estimator.transform(sp.csr_matrix(x) if sparse else x)
    cases.append({
        "learner": name,
        "params": params,
        "sparse": sparse,
        "fit": shared(fit),
        "x": shared(x),
        "z": shared(z),
        "inverse": shared(estimator.inverse_transform(z)) if inverse else None,
        "names": [str(s) for s in estimator.get_feature_names_out()],
        "attributes": {a: [float(v) for v in np.ravel(getattr(estimator, a))] for a in attributes},
    })


for degree in [0, 1, 2, 3, [2, 3], [0, 2], [1, 4], [2, 2]]:
    for interaction_only in [False, True]:
        for include_bias in [True, False]:
            if degree == 0 and not include_bias:
                continue
            params = {"degree": degree, "interaction_only": interaction_only, "include_bias": include_bias}
            case("PolynomialFeatures", params, plain, new[:3], attributes=["n_output_features_"])
            case("PolynomialFeatures", params, zeros, zeros, sparse=True)

for degree in [0, 1, 2, 3, 4]:
    for knots in ["uniform", "quantile"]:
        for extrapolation in ["constant", "linear", "continue", "periodic", "error"]:
            if degree == 0 and extrapolation == "constant":
                x = plain[:8]  # scikit-learn fails beyond the range
            else:
                x = plain if extrapolation == "error" else new
            for include_bias, sparse_output in [(True, False), (False, True)]:
                if degree == 0 and extrapolation == "periodic" and sparse_output:
                    continue  # scikit-learn drops every column
                params = {"degree": degree, "knots": knots, "extrapolation": extrapolation,
                          "include_bias": include_bias, "sparse_output": sparse_output}
                # For degrees below 2, scikit-learn carries the extrapolation of one feature into the next.
                d = 1 if degree < 2 and extrapolation == "linear" else 2
                case("SplineTransformer", params, plain[:, :d], x[:, :d], attributes=["n_features_out_"])
case("SplineTransformer", {"n_knots": 9}, plain[:, [0, 3]], plain[:9, [0, 3]])
hole = plain.copy()
hole[::7, 0] = np.nan
for sparse_output in [False]:
    case("SplineTransformer", {"handle_missing": "zeros", "sparse_output": sparse_output}, hole[:, :2], hole[:9, :2])

varying = plain[:, :3]
for encode in ["ordinal", "onehot", "onehot-dense"]:
    for n_bins in [2, 5, 9, [3, 4, 2]]:
        params = {"n_bins": n_bins, "encode": encode, "strategy": "uniform"}
        case("KBinsDiscretizer", params, varying, new[:, :3], inverse=True, subsample=None)
        for method in ["averaged_inverted_cdf", "inverted_cdf", "linear", "hazen", "weibull", "median_unbiased",
                       "normal_unbiased", "interpolated_inverted_cdf"]:
            params = {"n_bins": n_bins, "encode": encode, "strategy": "quantile", "quantile_method": method}
            if encode == "ordinal" or method == "averaged_inverted_cdf":
                case("KBinsDiscretizer", params, varying, new[:, :3], inverse=True, subsample=None)
        # Not the whole numbers: which mean is nearer at a tie is a matter of rounding.
        params = {"n_bins": n_bins[:2] if isinstance(n_bins, list) else n_bins, "encode": encode, "strategy": "kmeans"}
        case("KBinsDiscretizer", params, varying[:, :2], new[:, :2], inverse=True, subsample=None)
case("KBinsDiscretizer", {"n_bins": 4}, plain, new, subsample=None)

json.dump({
    "versions": {"scikit-learn": "1.9.1"},
    "tables": {name: json.loads(text) for text, name in tables.items()},
    "cases": cases,
}, sys.stdout)
