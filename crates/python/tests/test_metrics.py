"""Metrics against scikit-learn, on random and degenerate input."""

import numpy as np
import pytest
import sklearn.metrics as theirs

from mercer import metrics as ours

N = 300


def same(a, b, tol=1e-12):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=0, atol=tol, equal_nan=True)


@pytest.fixture(params=["plain", "weighted"])
def weights(request, rng):
    return None if request.param == "plain" else rng.random(N)


@pytest.fixture
def classes(rng):
    return rng.integers(0, 3, N), rng.integers(0, 3, N)


@pytest.fixture
def proba(rng):
    p = rng.random((N, 3))
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score", "jaccard_score"])
def test_averages(name, average, classes, weights):
    options = {"average": average, "sample_weight": weights}
    same(getattr(ours, name)(*classes, **options), getattr(theirs, name)(*classes, **options))


@pytest.mark.parametrize(
    "name",
    [
        "accuracy_score",
        "balanced_accuracy_score",
        "cohen_kappa_score",
        "confusion_matrix",
        "hamming_loss",
        "matthews_corrcoef",
        "zero_one_loss",
    ],
)
def test_labels(name, classes, weights):
    same(getattr(ours, name)(*classes, sample_weight=weights), getattr(theirs, name)(*classes, sample_weight=weights), 1e-10)


def test_words_are_classes_too():
    truth, predicted = ["cat", "dog", "cat", "eel"], ["cat", "cat", "cat", "eel"]
    same(ours.f1_score(truth, predicted, average="macro"), theirs.f1_score(truth, predicted, average="macro"))
    same(ours.precision_score(truth[:3], predicted[:3], pos_label="cat"), 2 / 3)
    with pytest.raises(ValueError, match="average"):
        ours.f1_score(truth, predicted)
    with pytest.raises(ValueError, match="inconsistent"):
        ours.accuracy_score([1, 0], [1])


def test_fbeta_and_f_alpha(classes):
    same(ours.fbeta_score(*classes, beta=2, average="macro"), theirs.fbeta_score(*classes, beta=2, average="macro"))
    truth, predicted = [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]
    # TP = 2, FP = 1, FN = 1, by hand.
    same(ours.f_alpha_score(truth, predicted, alpha=0.25), 2 / (0.25 * 3 + 0.75 * 3))
    same(ours.f_alpha_score(truth, predicted, alpha=1), theirs.precision_score(truth, predicted))
    same(ours.f_alpha_score(truth, predicted, alpha=0), theirs.recall_score(truth, predicted))


def test_probabilities(classes, proba, weights):
    truth = classes[0]
    same(ours.log_loss(truth, proba, sample_weight=weights), theirs.log_loss(truth, proba, sample_weight=weights))
    for k in (1, 2):
        same(
            ours.top_k_accuracy_score(truth, proba, k=k, sample_weight=weights),
            theirs.top_k_accuracy_score(truth, proba, k=k, sample_weight=weights),
        )
    for average in ("macro", "weighted"):
        options = {"multi_class": "ovr", "average": average, "sample_weight": weights}
        same(ours.roc_auc_score(truth, proba, **options), theirs.roc_auc_score(truth, proba, **options))
        options = {"multi_class": "ovo", "average": average}
        same(ours.roc_auc_score(truth, proba, **options), theirs.roc_auc_score(truth, proba, **options))


def test_scores_with_ties(classes, proba, weights):
    truth, scores = classes[0] > 0, np.round(proba[:, 0], 2)
    for name in ("roc_auc_score", "average_precision_score", "brier_score_loss"):
        same(getattr(ours, name)(truth, scores, sample_weight=weights), getattr(theirs, name)(truth, scores, sample_weight=weights))
    for name in ("roc_curve", "precision_recall_curve"):
        found = getattr(ours, name)(truth, scores, sample_weight=weights)
        for a, b in zip(found, getattr(theirs, name)(truth, scores, sample_weight=weights)):
            same(a, b)


def test_degenerate_scores():
    with pytest.warns(UserWarning, match="one class"):
        assert np.isnan(ours.roc_auc_score([1, 1], [0.2, 0.8]))
    same(ours.roc_auc_score([0, 1, 1], [0.5, 0.5, 0.5]), 0.5)
    same(ours.break_even_point([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 0.5)
    same(ours.precision_score([0, 0], [0, 0], zero_division=1.0), theirs.precision_score([0, 0], [0, 0], zero_division=1.0))


@pytest.mark.parametrize(
    "name",
    [
        "explained_variance_score",
        "mean_absolute_error",
        "mean_absolute_percentage_error",
        "mean_gamma_deviance",
        "mean_pinball_loss",
        "mean_poisson_deviance",
        "mean_squared_error",
        "mean_squared_log_error",
        "median_absolute_error",
        "r2_score",
        "root_mean_squared_error",
    ],
)
def test_numbers(name, rng, weights):
    truth = rng.random(N) + 0.5
    predicted = truth + 0.1 * rng.random(N)
    same(getattr(ours, name)(truth, predicted, sample_weight=weights), getattr(theirs, name)(truth, predicted, sample_weight=weights))


def test_several_targets(rng):
    truth, predicted = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    for how in ("uniform_average", "raw_values", "variance_weighted"):
        same(ours.r2_score(truth, predicted, multioutput=how), theirs.r2_score(truth, predicted, multioutput=how))
    same(ours.mean_tweedie_deviance([1, 2], [2, 1], power=1.5), theirs.mean_tweedie_deviance([1, 2], [2, 1], power=1.5))


@pytest.mark.parametrize(
    "name",
    [
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "completeness_score",
        "fowlkes_mallows_score",
        "homogeneity_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "rand_score",
        "v_measure_score",
    ],
)
def test_groups(name, classes):
    same(getattr(ours, name)(*classes), getattr(theirs, name)(*classes), 1e-9)


def test_distances(rng, classes):
    x = rng.normal(size=(N, 4))
    for name in ("calinski_harabasz_score", "davies_bouldin_score", "silhouette_samples", "silhouette_score"):
        same(getattr(ours, name)(x, classes[0]), getattr(theirs, name)(x, classes[0]), 1e-9)


def test_rankings(rng):
    relevance, scores = rng.integers(0, 4, (20, 8)), np.round(rng.random((20, 8)), 1)
    for k in (None, 3):
        for name in ("dcg_score", "ndcg_score"):
            same(getattr(ours, name)(relevance, scores, k=k), getattr(theirs, name)(relevance, scores, k=k))
    same(ours.mean_reciprocal_rank([[0, 1, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]]), (1 / 2 + 1) / 2)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
def test_sets_of_labels(rng, average):
    truth, predicted = rng.integers(0, 2, (50, 4)), rng.integers(0, 2, (50, 4))
    options = {"average": average, "zero_division": 0}
    same(ours.f1_score(truth, predicted, **options), theirs.f1_score(truth, predicted, **options))
    same(ours.hamming_loss(truth, predicted), theirs.hamming_loss(truth, predicted))


def test_intervals_and_tests(rng):
    scipy = pytest.importorskip("scipy.stats")
    truth = rng.integers(0, 2, 400)
    predicted = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    estimate, low, high = ours.bootstrap_interval("accuracy", truth, predicted, random_state=1)
    assert low < estimate < high
    assert (estimate, low, high) == ours.bootstrap_interval("accuracy", truth, predicted, random_state=1)
    exact = scipy.binomtest(int((truth == predicted).sum()), 400).proportion_ci()
    assert abs(low - exact.low) < 0.02 and abs(high - exact.high) < 0.02
    first, second = rng.random(9), rng.random(9)
    found, known = ours.wilcoxon_test(first, second), scipy.wilcoxon(first, second)
    same(found, (known.statistic, known.pvalue))
    only = ours.mcnemar_test([1] * 10, [1] * 8 + [0] * 2, [0] * 8 + [1] * 2)
    same(only[1], scipy.binomtest(2, 10).pvalue)
    assert 0 <= ours.corrected_t_test(first, second, n_train=80, n_test=20)[1] <= 1
