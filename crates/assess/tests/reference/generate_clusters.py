"""Criteria of numbers of clusters by scikit-learn and numpy alone, frozen in clusters.json.

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.
Run in a throwaway environment: python generate_clusters.py > clusters.json
"""
import json

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

x = make_blobs([40, 30, 30], 2, cluster_std=[0.7, 1.0, 0.8], center_box=(-5, 5), random_state=3)[0]
counts = list(range(1, 7))
rng = np.random.default_rng(8)


def labels(rows, k):
    return AgglomerativeClustering(n_clusters=k).fit_predict(rows)


def log_within(rows, k):
    found = labels(rows, k)
    return float(np.log(sum(((rows[found == c] - rows[found == c].mean(axis=0)) ** 2).sum() for c in range(k))))


def reference(principal):
    """Even rows in the box of the features, or of the principal axes (the right singular vectors)."""
    mean = x.mean(axis=0)
    turn = np.linalg.svd(x - mean)[2].T if principal else np.eye(2)
    turned = (x - mean) @ turn
    return rng.uniform(turned.min(axis=0), turned.max(axis=0), x.shape) @ turn.T + mean


found = {"x": x.tolist(), "counts": counts, "log_within": [log_within(x, k) for k in counts]}
for name, score in [("silhouette", silhouette_score), ("calinski_harabasz", calinski_harabasz_score),
                    ("davies_bouldin", davies_bouldin_score)]:
    found[name] = [float(score(x, labels(x, k))) for k in counts[1:]]
for name in ("principal", "features"):
    # Many references, so that the mean is known to a few thousandths; the deviation is that of one reference.
    many = np.array([[log_within(rows, k) for k in counts] for rows in (reference(name == "principal") for _ in range(2000))])
    found[name] = {"mean": many.mean(axis=0).tolist(), "deviation": many.std(axis=0).tolist()}
print(json.dumps(found))
