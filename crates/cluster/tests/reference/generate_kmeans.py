"""Best inertia of many k-means runs, frozen in kmeans.json.

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.
Run in a throwaway environment: python generate_kmeans.py > kmeans.json
"""
import csv
import json
import pathlib

import numpy as np
from sklearn.cluster import KMeans

SETS = pathlib.Path(__file__).parents[3] / "data" / "sets"


def numbers(name):
    with open(SETS / name, newline="") as f:
        rows = list(csv.reader(f))[1:]
    return np.array([[float(v) for v in row[:-1]] for row in rows])


cases = []
for name in ["iris", "wine", "yacht"]:
    x = numbers(name + ".csv")
    for k in [2, 3, 5, 8]:
        best = KMeans(k, n_init=300, tol=0.0, random_state=0).fit(x)
        cases.append({"set": name, "k": k, "inertia": best.inertia_})
# Weighted rows: weight i mod 3.
x = numbers("iris.csv")
w = np.arange(len(x)) % 3
best = KMeans(3, n_init=300, tol=0.0, random_state=0).fit(x, sample_weight=w)
cases.append({"set": "iris", "k": 3, "inertia": best.inertia_, "weighted": True})
print(json.dumps(cases, indent=1))
