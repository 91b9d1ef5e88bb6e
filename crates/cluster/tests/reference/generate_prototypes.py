"""Modes, prototypes and costs of the kmodes package, frozen in prototypes.json.

Versions: Python 3.11, kmodes 0.12.2, numpy 2.4.6, scikit-learn 1.9.1.
Run in a throwaway environment: python generate_prototypes.py > prototypes.json
"""
import json

import numpy as np
from kmodes.kmodes import KModes
from kmodes.kprototypes import KPrototypes

rng = np.random.default_rng(5)


def categories(n, q, kinds):
    """Rows of q categories about `kinds` templates: half of the values are drawn anew."""
    templates = rng.integers(0, 5, (kinds, q))
    rows = templates[rng.integers(0, kinds, n)]
    return np.where(rng.random((n, q)) < 0.5, rng.integers(0, 5, (n, q)), rows)


def numbers(n, p, kinds):
    centres = rng.normal(0, 3, (kinds, p))
    return np.round(centres[rng.integers(0, kinds, n)] + rng.normal(0, 1, (n, p)), 3)


cases = []
for n, q, k, weighted in [(60, 6, 3, False), (150, 9, 4, False), (150, 4, 6, True), (40, 3, 2, False)]:
    x = categories(n, q, k)
    weights = [int(w) for w in rng.integers(1, 4, n)] if weighted else None
    model = KModes(n_clusters=k, init="Cao", n_init=1)
    if weights is None:
        found = {"cao": model.fit(x)}
    else:
        # The package's first modes are not weighted, so that weighted rows start from given ones alone.
        found = {}
    rows = rng.choice(n, k, replace=False)
    found["first"] = KModes(n_clusters=k, init=x[rows], n_init=1).fit(x, sample_weight=weights)
    for how, m in found.items():
        cases.append({"x": x.tolist(), "q": q, "k": k, "weights": weights, "gamma": None,
                      "first": rows.tolist() if how == "first" else None, "labels": m.labels_.tolist(),
                      "cost": float(m.cost_), "modes": m.cluster_centroids_.tolist(), "n_iter": m.n_iter_})
for n, p, q, k, gamma in [(80, 2, 3, 3, None), (150, 3, 2, 4, None), (150, 1, 5, 5, 2.0), (60, 4, 1, 2, 0.3)]:
    num, cat = numbers(n, p, k), categories(n, q, k)
    rows = rng.choice(n, k, replace=False)
    # Codes are the ranks of the values, as the package encodes them.
    coded = np.column_stack([np.unique(cat[:, j], return_inverse=True)[1] for j in range(q)])
    model = KPrototypes(n_clusters=k, init=[num[rows], coded[rows]], n_init=1, gamma=gamma)
    model.fit(np.column_stack([cat.astype(float), num]), categorical=list(range(q)))
    centres = model.cluster_centroids_
    cases.append({"x": np.column_stack([cat, num]).tolist(), "q": q, "k": k, "weights": None, "gamma": gamma,
                  "first": rows.tolist(), "labels": model.labels_.tolist(), "cost": float(model.cost_),
                  "means": centres[:, :p].astype(float).tolist(), "modes": centres[:, p:].astype(float).astype(int).tolist(),
                  "fitted_gamma": float(model.gamma), "n_iter": model.n_iter_})
print(json.dumps({"cases": cases}))
