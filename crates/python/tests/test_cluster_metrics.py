"""Clusterers by metrics of all kinds, on sparse rows, on rows that are not finite, along connections, against scikit-learn's."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn import cluster as theirs
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from mercer.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AgglomerativeClustering,
    SpectralClustering,
    choose_k,
    cluster_optics_dbscan,
    cluster_optics_xi,
    compute_optics_graph,
    dbscan,
    k_means,
    linkage_tree,
    spectral_clustering,
    ward_tree,
)
from mercer.pipeline import make_pipeline
from mercer.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def rows():
    return make_blobs(150, 3, centers=4, cluster_std=0.8, random_state=4)[0]


METRICS = [
    ("seuclidean", {"V": [1.0, 4.0, 0.5]}),
    ("seuclidean", None),
    ("mahalanobis", {"V": [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]]}),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 1}),
    (lambda a, b: abs(a - b).sum(), None),
]


@pytest.mark.filterwarnings("ignore:Parameter p is found")
@pytest.mark.parametrize("metric, params", METRICS)
def test_metrics_with_parameters_are_those_of_scipy(rows, metric, params):
    # scipy's own defaults and names: variances over n - 1, the inverse of the covariance.
    if callable(metric):
        far = cdist(rows, rows, "cityblock")
    elif metric == "mahalanobis":
        far = cdist(rows, rows, metric, VI=np.linalg.inv(params["V"]))
    elif metric == "seuclidean":
        far = cdist(rows, rows, metric, V=np.var(rows, axis=0, ddof=1) if params is None else np.array(params["V"]))
    else:
        far = cdist(rows, rows, metric, **params)
    for name, settings in [("DBSCAN", {"eps": 1.0}), ("HDBSCAN", {"min_samples": 4}), ("OPTICS", {"max_eps": 4.0})]:
        ours = {"DBSCAN": DBSCAN, "HDBSCAN": HDBSCAN, "OPTICS": OPTICS}[name](metric=metric, metric_params=params, **settings).fit(rows)
        copied = {"copy": True} if name == "HDBSCAN" else {}
        other = getattr(theirs, name)(metric="precomputed", **settings, **copied).fit(far)
        assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0, name
        assert ours.n_features_in_ == 3 and np.array_equal(ours.predict(rows)[:20] < 0, ours.labels_[:20] < 0)
        with pytest.raises(ValueError, match="3 features"):
            ours.predict(rows[:, :2])
    model = DBSCAN(eps=1.0, metric=metric, metric_params=params).fit(rows)
    assert np.array_equal(model.components_, rows[model.core_sample_indices_])


def test_measured_metrics_have_centers_and_no_model_file(rows, tmp_path):
    settings = {"metric": "seuclidean", "store_centers": "both", "copy": True}
    ours = HDBSCAN(**settings).fit(rows)
    measured = theirs.HDBSCAN(**settings, metric_params={"V": np.var(rows, axis=0, ddof=1)}).fit(rows)
    assert np.allclose(np.sort(ours.centroids_, axis=0), np.sort(measured.centroids_, axis=0), rtol=1e-9)
    assert np.allclose(np.sort(ours.medoids_, axis=0), np.sort(measured.medoids_, axis=0))
    with pytest.raises(AttributeError, match="medoids_"):
        HDBSCAN(metric="seuclidean", store_centers="centroid").fit(rows).medoids_  # noqa: B018
    with pytest.raises(NotImplementedError, match="pickle"):
        ours.save(tmp_path / "model")
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.predict(rows), ours.predict(rows))


@pytest.mark.parametrize("container", [csr_array, csr_matrix])
def test_sparse_rows_and_distances_are_those_of_dense_ones(rows, container):
    thin = np.where(np.abs(rows) < 3.0, 0.0, rows)
    for model in (DBSCAN(eps=1.0), HDBSCAN(), OPTICS()):
        assert np.array_equal(model.fit(container(thin)).labels_, model.fit(thin).labels_)
    graph = container(kneighbors_graph(rows, 20, mode="distance", include_self=False))
    before = graph.copy()
    for name, settings in [("DBSCAN", {"eps": 1.0}), ("OPTICS", {"max_eps": 2.0, "min_samples": 5})]:
        ours = {"DBSCAN": DBSCAN, "OPTICS": OPTICS}[name](metric="precomputed", **settings).fit(graph)
        assert np.array_equal(ours.labels_, getattr(theirs, name)(metric="precomputed", **settings).fit(graph).labels_)
    assert (graph != before).nnz == 0 and graph.nnz == before.nnz


def test_distances_that_are_missing_join_nothing(rows):
    far = cdist(rows, rows)
    far[far > np.quantile(far, 0.6)] = 0.0
    graph = csr_array(far)
    ours = HDBSCAN(metric="precomputed").fit(graph)
    other = theirs.HDBSCAN(metric="precomputed", copy=True).fit(graph)
    assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
    assert np.allclose(np.sort(ours.probabilities_), np.sort(other.probabilities_))
    apart = np.where((far > 0.0) & (far < 2.0), far, 0.0)
    with pytest.raises(ValueError, match="fewer than 5 neighbors|disconnected graph"):
        HDBSCAN(metric="precomputed").fit(csr_array(apart))
    infinite = cdist(rows, rows)
    infinite[:60, 60:] = infinite[60:, :60] = np.inf
    labels = HDBSCAN(metric="precomputed", min_cluster_size=10).fit(infinite).labels_
    assert not set(labels[:60][labels[:60] >= 0]) & set(labels[60:][labels[60:] >= 0])


def test_rows_that_are_not_finite_have_labels_of_their_own(rows):
    odd = rows.copy()
    odd[3, 0], odd[7, 1], odd[9] = np.nan, np.inf, [np.nan, np.inf, 0.0]
    ours, other = HDBSCAN(store_centers="both").fit(odd), theirs.HDBSCAN(copy=True).fit(odd)
    assert ours.labels_[[3, 7, 9]].tolist() == [-3, -2, -3]
    assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
    assert np.isnan(ours.probabilities_[[3, 9]]).all() and ours.probabilities_[7] == 0.0
    finite = np.setdiff1d(np.arange(len(odd)), [3, 7, 9])
    alone = HDBSCAN(store_centers="both").fit(odd[finite])
    assert np.array_equal(ours.labels_[finite], alone.labels_) and np.array_equal(ours.centroids_, alone.centroids_)
    assert ours.predict(odd)[[3, 7, 9]].tolist() == [-3, -2, -3] and ours.predict(odd[[3]]).tolist() == [-3]
    assert np.array_equal(ours.predict(odd)[finite], ours.predict(odd[finite]))
    cut = ours.dbscan_clustering(1.0)
    assert cut[[3, 7, 9]].tolist() == [-3, -2, -3] and adjusted_rand_score(cut, other.dbscan_clustering(1.0)) == 1.0
    tree = ours.linkage_
    ends = np.sort(tree[:, :2].astype(int).ravel())
    assert np.array_equal(ends, np.arange(2 * len(odd) - 2)) and np.isinf(tree[-3:, 2]).all() and tree[-1, 3] == len(odd)
    assert np.array_equal(HDBSCAN().fit(rows).labels_, ours.fit(rows).labels_)


def test_trees_take_metrics_that_they_can_search(rows):
    for algorithm, metric in [("kd_tree", "cosine"), ("ball_tree", "yule"), ("kd_tree", lambda a, b: 0.0), ("ball_tree", "precomputed")]:
        with pytest.raises(ValueError, match="is not a valid metric for a"):
            HDBSCAN(algorithm=algorithm, metric=metric).fit(rows)
    with pytest.raises(ValueError, match="only support algorithm"):
        HDBSCAN(algorithm="kd_tree").fit(csr_array(rows))


class StableNumpy:
    """numpy whose sort keeps equals in their order: that of equally long edges decides where single rows leave clusters."""

    def __getattr__(self, name):
        return getattr(np, name)

    def argsort(self, values):
        return np.argsort(values, kind="stable")


def test_many_rows_are_joined_as_by_scikit_learn(monkeypatch):
    monkeypatch.setattr("sklearn.cluster._hdbscan.hdbscan.np", StableNumpy())
    x, _ = make_blobs(3000, 3, centers=9, random_state=8)
    ours = HDBSCAN(min_cluster_size=20).fit(x)
    assert np.array_equal(ours.labels_, HDBSCAN(min_cluster_size=20, algorithm="brute").fit(x).labels_)
    other = theirs.HDBSCAN(min_cluster_size=20, copy=True).fit(x)
    assert np.allclose(np.sort(ours.linkage_[:, 2]), np.sort(other._single_linkage_tree_["value"]), rtol=1e-12)
    assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
    assert np.allclose(ours.probabilities_, other.probabilities_, rtol=1e-12)


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_clusters_grow_along_connections(rows, linkage):
    graph = kneighbors_graph(rows, 5, include_self=False)
    for settings in ({"n_clusters": 6}, {"n_clusters": None, "distance_threshold": 2.0}, {"n_clusters": 120}):
        settings = {**settings, "linkage": linkage, "compute_distances": True}
        with pytest.warns(UserWarning, match="connected components"):
            ours = AgglomerativeClustering(connectivity=graph, **settings).fit(rows)
        with pytest.warns(UserWarning, match="connected components"):
            other = theirs.AgglomerativeClustering(connectivity=graph, **settings).fit(rows)
        assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
        made = len(ours.distances_)
        assert np.allclose(ours.distances_, other.distances_[:made], rtol=1e-9) and ours.children_.shape == (made, 2)
        # scikit-learn's trees of single linkage are always whole.
        assert made == (len(rows) - 120 if settings["n_clusters"] == 120 else len(rows) - 1)
        assert all(one.holds for one in ours.verify(rows))
    pairs = np.column_stack(graph.nonzero()).tolist()
    with pytest.warns(UserWarning, match="connected components"):
        listed = AgglomerativeClustering(n_clusters=6, linkage=linkage, connectivity=pairs).fit(rows)
    with pytest.warns(UserWarning, match="connected components"):
        made = AgglomerativeClustering(n_clusters=6, linkage=linkage, connectivity=lambda x: kneighbors_graph(x, 5)).fit(rows)
    assert np.array_equal(listed.labels_, made.labels_)
    with pytest.raises(ValueError, match="Wrong shape for connectivity"):
        AgglomerativeClustering(connectivity=np.ones((4, 4)), linkage=linkage).fit(rows)


def test_what_belongs_to_its_rows_is_no_part_of_a_compiled_whole(rows):
    graph = kneighbors_graph(rows, 5)
    for model in (
        AgglomerativeClustering(connectivity=graph), AgglomerativeClustering(linkage="average", metric="mahalanobis"),
        SpectralClustering(3, affinity="laplacian"),
    ):
        with pytest.raises(TypeError, match="its own rows"):
            choose_k(model, rows, k=[2, 3])
    for model in (DBSCAN(eps=1.0, metric="seuclidean"), AgglomerativeClustering(4, connectivity=graph)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = make_pipeline(StandardScaler(), model).fit(rows)
            alone = clone(model).fit(StandardScaler().fit_transform(rows))
        assert np.array_equal(whole[-1].labels_, alone.labels_)


def test_trees_are_those_of_scikit_learn(rows):
    full = np.ones((len(rows), len(rows)))
    for connectivity in (None, full):
        ours, other = (m(rows, connectivity=connectivity, return_distance=True) for m in (ward_tree, theirs.ward_tree))
        assert np.array_equal(ours[0], other[0]) and ours[1:3] == other[1:3] and np.allclose(ours[4], other[4])
        assert (ours[3] is None) == (other[3] is None) and (ours[3] is None or np.array_equal(ours[3], other[3]))
    for linkage in ("complete", "average"):
        ours = linkage_tree(rows, linkage=linkage, affinity="manhattan", return_distance=True)
        other = theirs.linkage_tree(rows, linkage=linkage, affinity="manhattan", return_distance=True)
        assert np.array_equal(ours[0], other[0]) and np.allclose(ours[4], other[4])
    assert len(ward_tree(rows, connectivity=full, n_clusters=30)[0]) == len(rows) - 30
    with pytest.raises(ValueError, match="linkage"):
        linkage_tree(rows, linkage="ward")


def test_functions_are_what_their_estimators_find(rows):
    cores, labels = dbscan(rows, eps=1.0, min_samples=4, sample_weight=np.ones(len(rows)))
    theirs_cores, theirs_labels = theirs.dbscan(rows, eps=1.0, min_samples=4)
    assert np.array_equal(cores, theirs_cores) and np.array_equal(labels, theirs_labels)
    order = OPTICS().fit(rows)
    found = {"reachability": order.reachability_, "core_distances": order.core_distances_, "ordering": order.ordering_}
    for eps in (0.3, 0.8, 2.0):
        assert np.array_equal(cluster_optics_dbscan(**found, eps=eps), theirs.cluster_optics_dbscan(**found, eps=eps))
    graph = compute_optics_graph(
        rows, min_samples=5, max_eps=np.inf, metric="minkowski", p=2, metric_params=None, algorithm="auto", leaf_size=30, n_jobs=None
    )
    for ours, wanted in zip(graph, (order.ordering_, order.core_distances_, order.reachability_, order.predecessor_)):
        assert np.array_equal(ours, wanted)
    found = {"reachability": order.reachability_, "predecessor": order.predecessor_, "ordering": order.ordering_}
    for settings in ({"min_samples": 5}, {"min_samples": 0.05, "min_cluster_size": 12, "xi": 0.1}, {"min_samples": 4, "predecessor_correction": False}):
        ours, wanted = cluster_optics_xi(**found, **settings), theirs.cluster_optics_xi(**found, **settings)
        assert np.array_equal(ours[0], wanted[0]) and np.array_equal(ours[1], wanted[1])
    for bad in ({"xi": 1.5}, {"min_samples": 1000}, {"ordering": np.zeros(len(rows), dtype=int)}):
        with pytest.raises(ValueError, match="xi|min_samples|order"):
            cluster_optics_xi(**{**found, "min_samples": 5, **bad})
    centres, labels, inertia, n_iter = k_means(rows, 4, random_state=0, return_n_iter=True)
    assert inertia == pytest.approx(((rows - centres[labels]) ** 2).sum()) and n_iter > 0
    affinity = np.exp(-cdist(rows, rows, "sqeuclidean"))
    wanted = SpectralClustering(4, random_state=0).fit_predict(rows)
    assert adjusted_rand_score(spectral_clustering(affinity, n_clusters=4, random_state=0), wanted) == 1.0


def test_affinities_are_kernels_by_name_and_graphs(rows):
    from sklearn.metrics.pairwise import pairwise_kernels

    x = np.abs(rows)
    for kernel, params in [("laplacian", {"gamma": 0.3}), ("poly", {"gamma": 0.1, "degree": 2, "coef0": 1.0}), ("chi2", {"gamma": 0.2})]:
        ours = SpectralClustering(3, affinity=kernel, random_state=0, **params).fit(x)
        assert np.allclose(ours.affinity_matrix_, pairwise_kernels(x, metric=kernel, **params), rtol=1e-9)
    graph = kneighbors_graph(rows, 15, mode="distance", include_self=False)
    settings = {"affinity": "precomputed_nearest_neighbors", "n_neighbors": 10, "random_state": 0}
    with pytest.warns(UserWarning, match="not fully connected"):
        ours = SpectralClustering(4, **settings).fit(graph)
    with pytest.warns(UserWarning, match="not fully connected"):
        other = theirs.SpectralClustering(4, **settings).fit(graph)
    assert np.allclose(ours.affinity_matrix_, other.affinity_matrix_.toarray())
    with pytest.raises(ValueError, match="eigen_solver"):
        SpectralClustering(eigen_solver="amg").fit(rows)
