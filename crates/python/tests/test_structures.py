"""Strings, series and graphs: kernels as objects, distances, and learners that take them."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from mercer import graphs as mg
from mercer import strings as ms
from mercer import timeseries as mt
from mercer.gaussian_process import GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.neighbors import KNeighborsClassifier, NearestNeighbors
from mercer.svm import SVC

KNOWN = Path(__file__).parents[2] / "kernels" / "tests" / "reference"


@pytest.fixture
def waves():
    series = [np.sin((0.3 if i % 2 else 0.9) * np.arange(20 + i % 4)) for i in range(24)]
    return series, np.array(["slow" if i % 2 else "fast" for i in range(24)])


@pytest.fixture
def rings():
    """Rings and paths with labels."""
    made = []
    for i in range(20):
        n = 4 + i % 4
        made.append(mg.Graph([(v, (v + 1) % n) for v in range(n - i % 2)], n, ["C" if v % 3 else "O" for v in range(n)]))
    return made, np.array([i % 2 for i in range(20)])


class TestSeries:
    def test_distances_are_those_of_peers(self):
        known = json.loads((KNOWN / "series.json").read_text())
        equal, ragged = np.array(known["equal"]), [np.array(s) for s in known["ragged"]]
        np.testing.assert_allclose(mt.cdist_dtw(equal), known["aeon"]["1.0"], rtol=1e-12)
        np.testing.assert_allclose(mt.cdist_dtw(equal, window=0.1), known["aeon"]["0.1"], rtol=1e-12)
        np.testing.assert_allclose(mt.cdist_dtw(equal, equal[:2], sakoe_chiba_radius=3), np.array(known["radius_3"])[:, :2], rtol=1e-12)
        np.testing.assert_allclose(mt.cdist_dtw(ragged, n_jobs=1), known["ragged_dtw"], rtol=1e-12)
        several = [np.array(s) for s in known["several"]]
        np.testing.assert_allclose(mt.cdist_dtw(several), known["several_dtw"], rtol=1e-12)
        path, distance = mt.dtw_path(equal[0], equal[1])
        assert [list(pair) for pair in path] == known["path"]["path"]
        assert distance == pytest.approx(known["path"]["distance"], rel=1e-12)
        assert mt.dtw(equal[0], equal[1]) == distance
        lower, upper = mt.lb_envelope(equal[1], radius=4)
        assert lower.tolist() == known["envelope"]["lower"] and upper.tolist() == known["envelope"]["upper"]
        assert mt.lb_keogh(equal[0], equal[1], radius=4) == pytest.approx(known["lb_keogh"][0][1], rel=1e-12)
        np.testing.assert_allclose(mt.cdist_gak([s / 3 for s in ragged], sigma=1.0), known["gak"]["1.0"], rtol=1e-9)
        assert mt.gak(ragged[0], ragged[0]) == pytest.approx(1.0)

    def test_padding_is_left_out(self):
        padded = np.array([[0.0, 1.0, np.nan], [0.0, 1.0, 2.0]])
        assert mt.cdist_dtw(padded)[0, 1] == mt.dtw([0.0, 1.0], [0.0, 1.0, 2.0])

    def test_learners_take_series(self, waves):
        series, y = waves
        for kernel in (mt.GlobalAlignment(1.0), "ga(sigma=1.0)", mt.DTWKernel(0.5, window=0.2), mt.GlobalAlignment(1.0) + 0.1):
            model = SVC(kernel=kernel).fit(series, y)
            assert (model.predict(series) == y).all(), kernel
        near = KNeighborsClassifier(1, metric="dtw", metric_params={"window": 0.2}).fit(series, y)
        assert (near.predict([s[2:] for s in series]) == y).all()
        assert near.kneighbors(series[:2], 1)[0].max() == 0.0
        assert (pickle.loads(pickle.dumps(near)).predict(series) == y).all()
        numbers = (y == "slow").astype(float)
        assert KernelRidge(kernel=mt.GlobalAlignment(1.0), alpha=0.01).fit(series, numbers).score(series, numbers) > 0.9
        model = GaussianProcessRegressor(kernel=mt.GlobalAlignment(1.0), alpha=0.01).fit(series, numbers)
        assert np.abs(model.predict(series) - numbers).max() < 0.5

    def test_rows_are_series(self):
        rng = np.random.default_rng(0)
        x = np.cumsum(rng.normal(size=(40, 15)), axis=1)
        found = NearestNeighbors(n_neighbors=3, metric="dtw").fit(x).kneighbors(x)[0]
        expected = np.sort(mt.cdist_dtw(x), axis=1)[:, :3]
        np.testing.assert_array_equal(found, expected)
        y = (x[:, -1] > 0).astype(int)
        model = KNeighborsClassifier(1, metric="dtw").fit(x, y)
        assert (model.predict(x) == y).all() and model.verify(x, y)[0].holds

    def test_wrong_series_are_refused(self):
        with pytest.raises(ValueError, match="series 1 has no points"):
            mt.cdist_dtw([[1.0], []])
        with pytest.raises(ValueError, match="coordinates"):
            mt.dtw(np.zeros((3, 2)), np.zeros(3))
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            mt.dtw([1.0], [2.0], window=2)
        with pytest.raises(ValueError, match="sakoe_chiba_radius"):
            mt.dtw([1.0], [2.0], sakoe_chiba_radius=-1)
        with pytest.raises(ValueError, match="t1"):
            mt.dtw([1.0, np.inf], [2.0])
        with pytest.raises(ValueError, match="equal length"):
            mt.lb_keogh([1.0, 2.0], [1.0])


class TestStrings:
    def test_the_published_example(self):
        kernel = ms.Subsequence(length=2, decay=0.5, normalize=True)
        assert kernel(["cat"], ["car"])[0, 0] == pytest.approx(0.5**4 / (2 * 0.5**4 + 0.5**6))

    def test_learners_take_strings(self):
        words = ["statistics", "statics", "statue", "banana", "bandana", "ananas"]
        y = [0, 0, 0, 1, 1, 1]
        for kernel in (ms.Mismatch(3, 1, 26, normalize=True), ms.Subsequence(3, normalize=True), ms.Spectrum(2), "subsequence(length=2,decay=0.5)"):
            assert SVC(kernel=kernel, C=10).fit(words, y).predict(["static", "bananas"]).tolist() == [0, 1]
            text = kernel if isinstance(kernel, str) else kernel._mercer_kernel()
            near = KNeighborsClassifier(1, metric="kernel", metric_params={"kernel": f"normalised({text})"})
            assert near.fit(words, y).predict(["static", "bananas"]).tolist() == [0, 1]
        model = KNeighborsClassifier(1, metric="levenshtein").fit(words, y)
        assert model.predict(["static", "bananas"]).tolist() == [0, 1]

    def test_more_letters_than_the_alphabet_has_are_refused(self):
        with pytest.raises(ValueError, match="alphabet"):
            ms.Mismatch(2, 1, 4)(["abcdefg"])


class TestGraphs:
    @pytest.mark.parametrize(
        "kernel",
        [
            mg.WeisfeilerLehman(h=3),
            mg.WeisfeilerLehman(h=2, normalize=True),
            mg.ShortestPath(normalize=True),
            mg.RandomWalk(0.05, normalize=True),
            mg.RandomWalk(0.5, length=4, with_labels=False, normalize=True),
            mg.Subtree(3, normalize=True),
        ],
        ids=repr,
    )
    def test_learners_take_graphs(self, rings, kernel):
        graphs, y = rings
        model = SVC(kernel=kernel, C=100).fit(graphs, y)
        assert model.score(graphs, y) == 1.0
        gram = kernel.fit_transform(graphs)
        assert np.linalg.eigvalsh(gram).min() > -1e-8 * np.abs(gram).max()
        given = SVC(kernel="precomputed", C=100).fit(gram, y)
        np.testing.assert_allclose(given.decision_function(kernel.transform(graphs[:5])), model.decision_function(graphs[:5]), atol=1e-5)
        np.testing.assert_allclose(kernel.diag(graphs), np.diag(gram))

    def test_readers_agree(self):
        matrix = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]])
        edges = mg.Graph([("a", "b"), ("b", "c")], labels={"a": "C", "b": "O", "c": "C"}, weights=[1, 2])
        adjacency = mg.Graph.from_adjacency(matrix, ["C", "O", "C"])
        tables = mg.graphs_from_tables(
            {"graph": [7, 7, 7], "source": [1, 2, 2], "target": [2, 1, 3], "weight": [1.0, 1.0, 2.0]},
            {"graph": [7, 7, 7], "node": [1, 2, 3], "label": ["C", "O", "C"]},
        )
        gram = mg.ShortestPath()([edges, adjacency, *tables])
        assert (gram == gram[0, 0]).all() and gram[0, 0] > 0
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from([("a", {"label": "C"}), ("b", {"label": "O"}), ("c", {"label": "C"})])
        graph.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2)])
        assert mg.ShortestPath()([mg.Graph.from_networkx(graph)], [edges])[0, 0] == gram[0, 0]

    def test_nodes_of_a_graph(self):
        graph = mg.Graph([(0, 1), (1, 2), (2, 3)])
        laplacian = np.array([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1.0]])
        np.testing.assert_allclose(mg.node_kernel(graph, "regularised_laplacian", beta=0.5), np.linalg.inv(np.eye(4) + 0.5 * laplacian))
        values, vectors = np.linalg.eigh(laplacian)
        np.testing.assert_allclose(mg.node_kernel(graph, beta=0.3), vectors @ np.diag(np.exp(-0.3 * values)) @ vectors.T, atol=1e-14)
        np.testing.assert_allclose(mg.node_kernel(graph, "commute_time"), np.linalg.pinv(laplacian), atol=1e-12)
        with pytest.raises(ValueError, match="decay"):
            mg.node_kernel(graph, "walks", decay=1.0)
        with pytest.raises(ValueError, match="kind"):
            mg.node_kernel(graph, "heat")

    def test_wrong_graphs_are_refused(self, rings):
        with pytest.raises(ValueError, match="node 'z'"):
            mg.Graph([("a", "z")], nodes=["a", "b"])
        with pytest.raises(ValueError, match="weight"):
            mg.ShortestPath()([mg.Graph([(0, 1)], weights=[-1])])
        with pytest.raises(TypeError, match="takes graphs"):
            mg.ShortestPath()(["a string"])
        with pytest.raises(ValueError, match="decay"):
            mg.RandomWalk(decay=1.0)(rings[0])
        with pytest.raises(ValueError, match="symmetric"):
            mg.Graph.from_adjacency([[0, 1], [0, 0]])
