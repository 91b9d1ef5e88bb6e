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
    KMeans,
    KModes,
    KPrototypes,
    MeanShift,
    affinity_propagation,
    choose_k,
    estimate_bandwidth,
    gap_statistic,
    get_bin_seeds,
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
