"""Hierarchies along connections, and HDBSCAN of as many rows as are joined over boxes, of scikit-learn, frozen in trees.json.

Versions: Python 3.11, scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6.
Run in a throwaway environment: python generate_trees.py > trees.json
"""
import json
import warnings

import numpy as np
import sklearn.cluster._hdbscan.hdbscan as theirs_hdbscan
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.neighbors import kneighbors_graph


class StableNumpy:
    """numpy whose sort keeps equals in their order, as in generate_clusterers.py."""

    def __getattr__(self, name):
        return getattr(np, name)

    def argsort(self, values):
        return np.argsort(values, kind="stable")


theirs_hdbscan.np = StableNumpy()
rng = np.random.default_rng(11)
noise = np.round(rng.normal(size=(70, 3)), 3)
parts = np.round(np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(15, 2)) + 9, rng.normal(size=(10, 2)) - 8]), 3)
many = np.round(make_blobs([120, 150, 60], 2, cluster_std=[0.5, 1.4, 0.3], random_state=3)[0], 6)
space = np.round(np.vstack([make_blobs(260, 3, centers=5, random_state=5)[0], rng.uniform(-10, 10, (60, 3))]), 6)
SETS = {"noise": noise, "parts": parts, "many": many, "space": space}
cases = []


def add(learner, name, params, model, *attributes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(SETS[name])
    found = {a: np.asarray(getattr(model, a)).tolist() for a in ("labels_", *attributes)}
    cases.append({"learner": learner, "set": name, "params": params, "found": found})


for name in ("noise", "parts"):
    graph = kneighbors_graph(SETS[name], 4, include_self=False)
    pairs = np.column_stack(graph.nonzero()).tolist()
    for kind, metric in [("ward", "euclidean"), ("complete", "manhattan"), ("average", "euclidean"), ("single", "euclidean")]:
        for params in [{"n_clusters": 5}, {"n_clusters": None, "distance_threshold": 1.5}]:
            params = {**params, "linkage": kind, "metric": metric}
            model = AgglomerativeClustering(connectivity=graph, compute_distances=True, **params)
            children = () if kind == "single" else ("children_",)
            add("AgglomerativeClustering", name, {**params, "connectivity": pairs}, model, "distances_", "n_clusters_",
                "n_connected_components_", *children)
for name in ("many", "space"):
    for params in [{}, {"min_cluster_size": 12, "min_samples": 4}, {"cluster_selection_method": "leaf", "min_cluster_size": 10},
                   {"metric": "manhattan", "min_samples": 15}, {"metric": "chebyshev"}, {"min_samples": 1, "min_cluster_size": 20}]:
        add("HDBSCAN", name, params, HDBSCAN(copy=True, **params), "probabilities_")
print(json.dumps({"sets": {k: v.tolist() for k, v in SETS.items()}, "cases": cases}))
