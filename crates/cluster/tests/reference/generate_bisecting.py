"""Partings of scikit-learn's bisecting k-means, frozen in bisecting.json.

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.
Run in a throwaway environment: python generate_bisecting.py > bisecting.json
"""
import json

import numpy as np
from sklearn.cluster import BisectingKMeans
from sklearn.datasets import load_iris, load_wine, make_blobs

three = [[1, 1], [10, 1], [3, 1], [10, 0], [2, 1], [10, 2], [10, 8], [10, 9], [10, 10]]
sets = {
    "three": np.array(three, dtype=float),
    "iris": load_iris().data,
    "wine": load_wine().data,
    "blobs": np.round(make_blobs(150, n_features=4, centers=6, cluster_std=1.5, random_state=4)[0], 6),
}
cases = []
for name, k in [("three", 3), ("iris", 2), ("iris", 3), ("iris", 5), ("wine", 3), ("wine", 4), ("blobs", 4), ("blobs", 5), ("blobs", 6)]:
    x = sets[name]
    for strategy in ("biggest_inertia", "largest_cluster"):
        for weights in (None, 1 + np.arange(len(x)) % 3) if name != "three" and strategy == "biggest_inertia" else (None,):
            def parted(n_init, seed):
                made = BisectingKMeans(k, init="k-means++", n_init=n_init, tol=0.0, random_state=seed, bisecting_strategy=strategy)
                return made.fit(x, sample_weight=weights)

            found = parted(200, 0)
            # Optima that ten of ten partings of ten runs find: others are luck, theirs or ours.
            if any(abs(parted(10, seed).inertia_ / found.inertia_ - 1) > 1e-12 for seed in range(10)):
                continue
            cases.append({
                "set": name, "k": k, "strategy": strategy, "weights": None if weights is None else weights.tolist(),
                "inertia": float(found.inertia_), "centres": found.cluster_centers_.tolist(),
            })
print(json.dumps({"sets": {name: x.tolist() for name, x in sets.items()}, "cases": cases}))
