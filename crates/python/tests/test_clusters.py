"""Clusterers of tables, modes, rows that stand for others, and the number of clusters, against scikit-learn's."""

import io
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn import cluster as theirs
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from mercer.cluster import (
    DBSCAN,
    HDBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    BisectingKMeans,
    FeatureAgglomeration,
    KMeans,
    KModes,
    KPrototypes,
    MeanShift,
    affinity_propagation,
    approximate_predict,
    choose_k,
    cophenetic_distances,
    cut_tree,
    estimate_bandwidth,
    gap_statistic,
    get_bin_seeds,
    kmeans_plusplus,
    linkage_matrix,
    mean_shift,
    plot_dendrogram,
    stability,
)
from mercer.mixture import GaussianMixture
from mercer.pipeline import make_pipeline
from mercer.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=[[0, 0], [8, 0], [0, 8]], random_state=2)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    kind = np.array(["a", "b", "c"])[np.arange(90) % 3]
    frame = pd.DataFrame({"size": 9.0 * (np.arange(90) % 3) + rng.normal(size=90), "kind": pd.Categorical(kind)})
    return frame, np.arange(90) % 3


def test_tables_are_clustered_without_one_hot_columns(table):
    frame, truth = table
    model = KPrototypes(n_clusters=3, random_state=0).fit(frame)
    assert adjusted_rand_score(model.labels_, truth) == 1.0
    assert model.means_.shape == (3, 1) and sorted(np.asarray(model.modes_).ravel()) == ["a", "b", "c"]
    assert np.array_equal(model.predict(frame), model.labels_)
    assert model.transform(frame).shape == (90, 3)
    assert model.gamma_ == pytest.approx(0.5 * frame["size"].std(ddof=0))
    same = clone(model).fit(frame)
    assert same.cost_ == model.cost_


def test_arrays_say_which_columns_hold_categories(table):
    frame, truth = table
    codes = np.column_stack([frame["size"], frame["kind"].cat.codes])
    named = KPrototypes(n_clusters=3, categorical_features=[1], random_state=0).fit(codes)
    assert adjusted_rand_score(named.labels_, truth) == 1.0 and named.means_.shape == (3, 1)
    with pytest.raises(ValueError, match="categorical_features"):
        KPrototypes(n_clusters=3, categorical_features=[2]).fit(codes)
    words = np.array([["x", "u"], ["x", "u"], ["y", "v"], ["y", "v"]], dtype=object)
    modes = KModes(n_clusters=2).fit(words)
    assert modes.cost_ == 0.0 and modes.labels_[0] == modes.labels_[1] != modes.labels_[2]
    assert {tuple(row) for row in np.asarray(modes.modes_)} == {("x", "u"), ("y", "v")}


@pytest.mark.parametrize("settings", [{}, {"bandwidth": 2.0}, {"bandwidth": 2.0, "cluster_all": False}, {"bandwidth": 3.0, "seeds": [[0, 0], [7, 1]]}])
def test_modes_are_those_of_scikit_learn(blobs, settings):
    x, _ = blobs
    ours, other = MeanShift(**settings).fit(x), theirs.MeanShift(**settings).fit(x)
    assert np.allclose(ours.cluster_centers_, other.cluster_centers_, rtol=1e-10)
    assert np.array_equal(ours.labels_, other.labels_) and ours.n_iter_ == other.n_iter_
    centres, labels = mean_shift(x, **settings)
    assert np.array_equal(centres, ours.cluster_centers_) and np.array_equal(labels, ours.labels_)


def test_bandwidths_and_seeds_are_those_of_scikit_learn(blobs):
    x, _ = blobs
    for quantile in (0.0, 0.1, 0.3, 1.0):
        assert estimate_bandwidth(x, quantile=quantile) == pytest.approx(theirs.estimate_bandwidth(x, quantile=quantile), rel=1e-10)
    with pytest.raises(ValueError, match="quantile"):
        estimate_bandwidth(x, quantile=2.0)
    from sklearn.cluster._mean_shift import get_bin_seeds as their_seeds

    found, wanted = get_bin_seeds(x, 2.0, 2), their_seeds(x, 2.0, 2)
    assert {tuple(s) for s in found} == {tuple(s) for s in wanted}


def test_rows_that_stand_for_others_are_those_of_scikit_learn(blobs):
    x, truth = blobs
    similar = -((x[:, None] - x[None]) ** 2).sum(axis=2)
    for preference in (None, -50.0, np.full(len(x), -50.0)):
        settings = {"damping": 0.7, "preference": preference, "random_state": 0}
        ours, other = AffinityPropagation(**settings).fit(x), theirs.AffinityPropagation(**settings).fit(x)
        assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
        assert ours.n_iter_ == other.n_iter_ and len(ours.cluster_centers_) == len(other.cluster_centers_)
        assert np.allclose(ours.affinity_matrix_, similar)
        _, labels = affinity_propagation(similar, damping=0.7, preference=preference)
        assert adjusted_rand_score(labels, other.labels_) == 1.0
    assert adjusted_rand_score(ours.labels_, truth) == 1.0
    with pytest.raises(ValueError, match="precomputed"):
        AffinityPropagation(affinity="precomputed").fit(similar).predict(similar)


def test_the_number_of_clusters_is_found(blobs):
    x, _ = blobs
    for estimator in (KMeans(n_init=3), AgglomerativeClustering(), GaussianMixture(), make_pipeline(StandardScaler(), KMeans())):
        found = choose_k(estimator, x, k=range(1, 7), n_references=8, n_resamples=6, random_state=1)
        assert found.best_k == 3 and found.k.tolist() == [1, 2, 3, 4, 5, 6]
        for name in ("silhouette", "gap", "stability", "calinski_harabasz"):
            assert found[name].chosen == 3, (estimator, name)
        assert ("bic" in found.criteria) == isinstance(estimator, GaussianMixture)
    labels = AgglomerativeClustering(n_clusters=4).fit_predict(x)
    found = choose_k(AgglomerativeClustering(), x, k=[4], n_references=0, n_resamples=0)
    assert found["silhouette"].values[0] == pytest.approx(silhouette_score(x, labels), rel=1e-10)
    mixture = GaussianMixture(random_state=0)
    found = choose_k(mixture, x, k=[2, 3], n_references=0, n_resamples=0)
    for at, k in enumerate((2, 3)):
        other = clone(mixture).set_params(n_components=k).fit(x)
        assert found["bic"].values[at] == pytest.approx(other.bic(x)) and found["aic"].values[at] == pytest.approx(other.aic(x))


def test_gap_and_stability_stand_alone(blobs):
    x, _ = blobs
    gap = gap_statistic(KMeans(n_init=3), x, k=range(1, 6), n_references=10, random_state=1)
    assert gap["chosen"] == 3 and np.allclose(gap["gaps"], gap["expected"] - gap["log_within"])
    inertia = KMeans(n_clusters=3, n_init=3).fit(x).inertia_
    assert gap["log_within"][2] == pytest.approx(np.log(inertia), rel=1e-6)
    found = stability(KMeans(), x, k=[2, 3, 5], n_resamples=6, random_state=1)
    assert found["chosen"] == 3 and found["means"][1] == 1.0 and len(found["scores"][0]) == 6


def test_what_has_no_number_of_clusters_is_refused(blobs):
    x, _ = blobs
    with pytest.raises(Exception, match="how many clusters"):
        choose_k(DBSCAN(), x)
    with pytest.raises(TypeError, match="estimators of Mercer's"):
        choose_k(theirs.KMeans(), x)
    with pytest.raises(ValueError, match="`k`"):
        choose_k(KMeans(), x, k=[0, 1])
    with pytest.raises(ValueError, match="reference"):
        gap_statistic(KMeans(), x, reference="box")
    with pytest.raises(ValueError, match="share"):
        stability(KMeans(), x, share=0.4)


def test_dendrograms_are_pictures(blobs, tmp_path):
    x, _ = blobs
    model = AgglomerativeClustering(n_clusters=3).fit(x)
    drawing = plot_dendrogram(model, max_leaves=10, title="blobs", path=tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text() == drawing.svg
    ElementTree.parse(io.StringIO(drawing.svg))
    assert drawing.svg.count("height ") == 9 and "cut at" in drawing.svg
    few = AgglomerativeClustering().fit(x[:5])
    assert "fifth" in plot_dendrogram(few, labels=["first", "second", "third", "fourth", "fifth"]).svg
    assert "height " in plot_dendrogram(HDBSCAN().fit(x)).svg
    with pytest.raises(ValueError, match="labels"):
        plot_dendrogram(few, labels=["one"])
    with pytest.raises(TypeError, match="hierarchy"):
        plot_dendrogram(KMeans(n_clusters=2).fit(x))


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_partings_are_those_of_scikit_learn(blobs, strategy):
    x, truth = blobs
    settings = {"n_clusters": 3, "random_state": 0, "tol": 0.0, "n_init": 10, "bisecting_strategy": strategy}
    ours, other = BisectingKMeans(**settings).fit(x), theirs.BisectingKMeans(**settings).fit(x)
    assert ours.inertia_ == pytest.approx(other.inertia_, rel=1e-10)
    assert adjusted_rand_score(ours.labels_, other.labels_) == adjusted_rand_score(ours.labels_, truth) == 1.0
    assert np.array_equal(ours.predict(x), ours.labels_) and ours.labels_.dtype == np.int32
    assert ours.score(x) == pytest.approx(other.score(x), rel=1e-10)
    assert ours.transform(x).shape == (120, 3)
    with pytest.raises(ValueError, match="init"):
        BisectingKMeans(init=x[:2]).fit(x)


@pytest.mark.parametrize("pooling", [np.mean, np.median, np.max, np.min])
@pytest.mark.parametrize("settings", [{"n_clusters": 4}, {"linkage": "average", "n_clusters": 3}, {"n_clusters": None, "distance_threshold": 20.0}])
def test_features_are_merged_as_scikit_learn_merges_them(pooling, settings):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 3))[:, np.arange(12) % 3] + 0.3 * rng.normal(size=(40, 12))
    ours, other = (kind(pooling_func=pooling, **settings).fit(x) for kind in (FeatureAgglomeration, theirs.FeatureAgglomeration))
    assert np.array_equal(ours.labels_, other.labels_) and np.array_equal(ours.children_, other.children_)
    assert ours.n_clusters_ == other.n_clusters_ and ours.n_leaves_ == other.n_leaves_ == 12
    pooled = ours.transform(x)
    assert np.allclose(pooled, other.transform(x), rtol=1e-12)
    assert np.allclose(ours.inverse_transform(pooled), other.inverse_transform(pooled), rtol=1e-12)
    assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())
    assert all(proof.holds for proof in ours.verify(x))


def test_pixels_merge_along_their_connections():
    from sklearn.feature_extraction.image import grid_to_graph

    x = np.random.default_rng(1).normal(size=(30, 25)).cumsum(axis=1)
    settings = {"n_clusters": 5, "connectivity": grid_to_graph(5, 5)}
    ours, other = FeatureAgglomeration(**settings).fit(x), theirs.FeatureAgglomeration(**settings).fit(x)
    assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
    with pytest.raises(ValueError, match="connectivity"):
        FeatureAgglomeration(connectivity=np.eye(7)).fit(x)
    with pytest.raises(ValueError, match="pooling_func"):
        FeatureAgglomeration(pooling_func=np.sum).fit(x)


def test_k_means_begins_at_rows(blobs):
    x, _ = blobs
    centres, rows = kmeans_plusplus(x, 3, random_state=5)
    assert np.array_equal(x[rows], centres) and len(set(rows)) == 3
    weights = (np.arange(120) < 60).astype(float)
    assert kmeans_plusplus(x, 10, sample_weight=weights, n_local_trials=1)[1].max() < 60
    assert kmeans_plusplus(x.astype(np.float32), 3)[0].dtype == np.float32
    for bad in ({"n_clusters": 121}, {"n_clusters": 0}, {"n_clusters": 3, "n_local_trials": 0}, {"n_clusters": 3, "x_squared_norms": [1.0]}):
        with pytest.raises(ValueError):
            kmeans_plusplus(x, **bad)


def test_outliers_and_new_rows_of_a_tree(blobs):
    x, truth = blobs
    rows = np.vstack([x, [[40.0, 40.0]]])
    model = HDBSCAN(min_cluster_size=10).fit(rows)
    assert model.outlier_scores_.argmax() == 120 and (model.outlier_scores_ >= 0).all() and (model.outlier_scores_ <= 1).all()
    assert model.cluster_persistence_.shape == (3,) and model.condensed_tree_.shape[1] == 4
    labels, strengths = approximate_predict(model, [[0.0, 0.0], [8.0, 0.0], [-90.0, 4.0]])
    assert labels[0] != labels[1] and labels[0] >= 0 and labels[1] >= 0 and labels[2] == -1 and strengths[2] == 0
    odd = np.vstack([rows[:60], [[np.inf, 0.0]], rows[60:], [[np.nan, 1.0]]])
    held = HDBSCAN(min_cluster_size=10).fit(odd)
    assert held.outlier_scores_[60] == 1.0 and np.isnan(held.outlier_scores_[-1])
    # The tree's rows have the numbers that they have among all rows.
    ends = held.condensed_tree_[:, 1]
    assert set(ends[ends < 123]) == set(range(123)) - {60, 122}
    found = approximate_predict(held, odd[58:63])
    assert found[0][2] == -2 and found[1][2] == 0.0
    with pytest.raises(TypeError, match="HDBSCAN"):
        approximate_predict(KMeans().fit(x), x)


@pytest.mark.parametrize("selection", ["eom", "leaf"])
@pytest.mark.parametrize("single", [False, True])
def test_one_cluster_alone_is_chosen_where_scikit_learn_chooses_it(selection, single):
    x = np.random.default_rng(2).normal(size=(40, 2))
    settings = {"min_cluster_size": 25, "cluster_selection_method": selection, "allow_single_cluster": single}
    ours, other = HDBSCAN(**settings).fit(x), theirs.HDBSCAN(copy=True, **settings).fit(x)
    assert np.array_equal(ours.labels_, other.labels_)


@pytest.mark.parametrize("linkage", ["ward", "average", "complete", "single"])
def test_trees_are_those_of_scipy(blobs, linkage):
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import pdist

    x, _ = blobs
    model = AgglomerativeClustering(n_clusters=4, linkage=linkage).fit(x)
    tree, other = linkage_matrix(model), hierarchy.linkage(x, linkage)
    assert hierarchy.is_valid_linkage(tree)
    assert np.allclose(tree[:, 2:], other[:, 2:], rtol=1e-10)
    assert np.allclose(cophenetic_distances(model), hierarchy.cophenet(other), rtol=1e-10)
    for k in (1, 2, 5, 120):
        assert adjusted_rand_score(cut_tree(model, n_clusters=k), hierarchy.fcluster(tree, k, "maxclust")) == 1.0
    height = float(tree[-6, 2])
    assert adjusted_rand_score(cut_tree(model, height=height), hierarchy.fcluster(tree, height, "distance")) == 1.0
    assert hierarchy.optimal_leaf_ordering(tree, pdist(x)).shape == (119, 4)
    assert cut_tree(model, n_clusters=3)[0] == 0
    for bad in ({}, {"n_clusters": 3, "height": 1.0}, {"n_clusters": 0}, {"n_clusters": 121}):
        with pytest.raises(ValueError):
            cut_tree(model, **bad)
    with pytest.raises(TypeError, match="hierarchy"):
        linkage_matrix(KMeans(n_clusters=2).fit(x))
