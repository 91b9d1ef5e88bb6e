"""Clusters, trees and reachabilities of scikit-learn and scipy, frozen in clusterers.json.

Versions: Python 3.11, scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6, kmedoids 0.5.5.
Run in a throwaway environment: python generate_clusterers.py > clusterers.json
"""
import json

import kmedoids
import numpy as np
import sklearn.cluster._hdbscan.hdbscan as theirs_hdbscan
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, HDBSCAN, OPTICS, AffinityPropagation, AgglomerativeClustering, MeanShift, SpectralClustering
from sklearn.datasets import make_blobs, make_moons


class StableNumpy:
    """numpy whose sort keeps equals in their order: edges of a spanning tree are often equally long, and the order of such edges
    decides about clusters, so that an unstable sort has other results on another processor."""

    def __getattr__(self, name):
        return getattr(np, name)

    def argsort(self, values):
        return np.argsort(values, kind="stable")


theirs_hdbscan.np = StableNumpy()


def plain(value):
    """Infinity is null."""
    value = np.asarray(value)
    if value.dtype.kind == "f":
        return np.where(np.isfinite(value), value, None).tolist()
    return value.tolist()


moons = make_moons(100, noise=0.06, random_state=1)[0]
rng = np.random.default_rng(7)
blobs = make_blobs([60, 30, 15], 3, cluster_std=[0.6, 1.2, 0.4], center_box=(-5, 5), random_state=4)[0]
blobs = np.vstack([blobs, rng.uniform(-8, 8, (12, 3))])
SETS = {"moons": moons, "blobs": blobs}

cases = []


def add(learner, name, params, model, *attributes):
    try:
        model.fit(SETS[name])
    except TypeError:
        # scikit-learn 1.9.1 fails on most values of `cluster_selection_epsilon` with this numpy.
        return
    found = {a: plain(getattr(model, a)) for a in ("labels_", *attributes)}
    cases.append({"learner": learner, "set": name, "params": params, "found": found})


for name in SETS:
    for params in [{"eps": 0.2}, {"eps": 0.9, "min_samples": 4, "metric": "manhattan"}, {"eps": 0.05, "metric": "cosine"}]:
        add("DBSCAN", name, params, DBSCAN(**params), "core_sample_indices_")
    for params in [{}, {"min_cluster_size": 8, "min_samples": 3}, {"cluster_selection_method": "leaf"},
                   {"cluster_selection_epsilon": 0.5}, {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.4},
                   {"allow_single_cluster": True, "min_cluster_size": 30}, {"max_cluster_size": 20}, {"alpha": 1.5},
                   {"metric": "manhattan"}, {"metric": "chebyshev", "min_samples": 10},
                   {"allow_single_cluster": True, "cluster_selection_epsilon": 2.0}]:
        add("HDBSCAN", name, params, HDBSCAN(copy=True, **params), "probabilities_")
    params = {"store_centers": "both"}
    add("HDBSCAN", name, params, HDBSCAN(copy=True, **params), "probabilities_", "centroids_", "medoids_")
    for params in [{}, {"min_samples": 8}, {"xi": 0.1, "predecessor_correction": False}, {"max_eps": 0.5},
                   {"cluster_method": "dbscan", "eps": 0.4}, {"min_cluster_size": 12, "metric": "manhattan"}]:
        add("OPTICS", name, params, OPTICS(**params), "reachability_", "ordering_", "core_distances_", "predecessor_")
    for kind, metric in [("ward", "euclidean"), ("average", "euclidean"), ("complete", "manhattan"), ("single", "euclidean"),
                         ("average", "cosine")]:
        for params in [{"n_clusters": 3}, {"n_clusters": 9}, {"n_clusters": None, "distance_threshold": 1.0}]:
            params = {**params, "linkage": kind, "metric": metric}
            add("AgglomerativeClustering", name, params, AgglomerativeClustering(compute_distances=True, **params),
                "distances_", "children_", "n_clusters_")
            theirs = linkage(SETS[name], kind, "cityblock" if metric == "manhattan" else metric)
            assert np.allclose(theirs[:, 2], cases[-1]["found"]["distances_"], rtol=1e-12)
    for k, metric in [(2, "euclidean"), (5, "euclidean"), (7, "manhattan")]:
        far = cdist(SETS[name], SETS[name], "cityblock" if metric == "manhattan" else metric)
        theirs = kmedoids.fasterpam(far, k, init="build", n_cpu=1)
        params = {"n_clusters": k, "metric": metric, "init": "build"}
        cases.append({"learner": "KMedoids", "set": name, "params": params, "found": {"inertia_": plain(theirs.loss)}})
    for params in [{"affinity": "nearest_neighbors", "n_clusters": 2}, {"gamma": 2.0, "n_clusters": 4}]:
        params = {**params, "assign_labels": "cluster_qr"}
        add("SpectralClustering", name, params, SpectralClustering(**params))
    for params in [{}, {"bandwidth": 0.7}, {"bandwidth": 1.1, "cluster_all": False}, {"bandwidth": 0.9, "max_iter": 3},
                   {"bandwidth": 2.0, "seeds": SETS[name][[3, 40, 77]].tolist()}]:
        add("MeanShift", name, params, MeanShift(**params), "cluster_centers_", "n_iter_")
    for params in [{}, {"damping": 0.8, "preference": -30.0}, {"damping": 0.9, "preference": -60.0, "max_iter": 400},
                   {"convergence_iter": 5, "damping": 0.7}]:
        model = AffinityPropagation(random_state=0, **params)
        add("AffinityPropagation", name, params, model, "n_iter_")
        # Two rows stand for each other equally well, so that which of a pair is named is luck; the net similarity is not.
        similar = -cdist(SETS[name], SETS[name], "sqeuclidean")
        preference = params.get("preference", np.median(similar))
        chosen = model.cluster_centers_indices_
        net = similar[:, chosen].max(axis=1).sum() + preference * len(chosen)
        cases[-1]["found"]["net_similarity_"] = float(net)
print(json.dumps({"sets": {k: plain(v) for k, v in SETS.items()}, "cases": cases}))
