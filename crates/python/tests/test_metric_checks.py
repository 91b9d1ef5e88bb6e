"""What metrics refuse, warn of and define, against scikit-learn: the same values, classes of errors and words."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.exceptions import UndefinedMetricWarning

from mercer import metrics as ours

TRUE_SETS = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1]])
SAID_SETS = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]])
SCORES = np.random.RandomState(0).rand(5, 4)
CLASSES = ("accuracy_score", "f1_score", "confusion_matrix", "hamming_loss", "matthews_corrcoef", "cohen_kappa_score")
NUMBERS = ("mean_squared_error", "r2_score", "mean_absolute_percentage_error", "max_error", "median_absolute_error")


def both(name, *args, **more):
    """What both libraries make of the same call: a value, or the error."""
    made = []
    for module in (ours, theirs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made.append(getattr(module, name)(*args, **more))
            except Exception as error:
                made.append(error)
    return made


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ([0, 1, 1], [0.2, 0.8, 0.3]),
        ([0, 1], [np.nan, 1]),
        ([np.inf, 1], [0, 1]),
        ([], []),
        ([0, 1], [0, 1, 1]),
        (["a", "b"], [0, 1]),
        ([[0, 1], [1, 0]], [0, 1]),
        ([b"a", b"b"], [b"a", b"b"]),
    ],
    ids=str,
)
def test_classes_that_cannot_be_compared_are_refused(name, truth, said):
    mine, known = both(name, truth, said)
    assert isinstance(known, (ValueError, TypeError)) and isinstance(mine, type(known))
    assert str(mine).split(".")[0][:40] == str(known).split(".")[0][:40]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("said", [[np.nan, 1.0], [np.inf, 1.0], [1.0], [["a"], ["b"]]], ids=str)
def test_numbers_that_are_none_are_refused(name, said):
    mine, known = both(name, [1.0, 2.0], said)
    assert isinstance(known, ValueError) and isinstance(mine, ValueError)


@pytest.mark.parametrize("weights", [[1.0], [np.nan, 1.0, 1.0], [0.0, 0.0, 0.0], [[1.0], [1.0], [1.0]]], ids=str)
@pytest.mark.parametrize("name", [*CLASSES[:2], "mean_squared_error", "log_loss", "roc_auc_score"])
def test_bad_weights_are_refused(name, weights):
    mine, known = both(name, [0, 1, 1], [0, 1, 0], sample_weight=weights)
    assert isinstance(mine, ValueError) == isinstance(known, ValueError)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
@pytest.mark.parametrize(
    ("name", "zero_division"),
    [
        *((name, value) for name in ("precision_score", "recall_score", "f1_score") for value in (0, 1, np.nan)),
        # There scikit-learn takes no NaN.
        *(("jaccard_score", value) for value in (0, 1)),
    ],
)
def test_nothing_to_divide_by(name, average, zero_division):
    for more in ({}, {"sample_weight": [1, 2, 3, 4, 5]}, {"labels": [0, 3]}):
        mine, known = both(name, TRUE_SETS, SAID_SETS, average=average, zero_division=zero_division, **more)
        np.testing.assert_allclose(mine, known, rtol=1e-12)


def test_averages_over_sets_of_labels():
    for average in ("micro", "macro", "weighted", "samples"):
        for name, more in (("fbeta_score", {"beta": 2}), ("f1_score", {"labels": [0, 1]})):
            mine, known = both(name, TRUE_SETS, SAID_SETS, average=average, **more)
            np.testing.assert_allclose(mine, known)
    for average in ("micro", "macro", "weighted"):
        for name in ("roc_auc_score", "average_precision_score"):
            np.testing.assert_allclose(*both(name, TRUE_SETS, SCORES, average=average))


def test_warnings_are_those_of_scikit_learn():
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined and being set to 0.0 due to no predicted samples"):
        assert ours.precision_score([0, 1], [0, 0]) == 0
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(ours.r2_score([1.0], [1.0]))
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(ours.roc_auc_score([1, 1], [0.1, 0.2]))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ours.balanced_accuracy_score([1, 1], [1, 1], adjusted=True))


def test_ties_and_thresholds():
    assert ours.top_k_accuracy_score([0, 0, 1, 1], [0.2, 0.2, 0.7, 0.7], k=1) == 1.0
    rng = np.random.RandomState(1)
    truth, scores, weights = rng.randint(0, 2, 60), rng.randint(0, 8, 60) / 8, rng.randint(1, 4, 60)
    for name in ("roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds"):
        for mine, known in zip(*both(name, truth, scores, sample_weight=weights)):
            np.testing.assert_allclose(mine, known)
    np.testing.assert_allclose(*both("roc_auc_score", truth, scores, max_fpr=0.3))


def test_a_column_is_a_vector():
    truth, said = np.array([[0], [1], [1]]), np.array([[0], [1], [0]])
    for name in (*CLASSES, *NUMBERS):
        np.testing.assert_allclose(getattr(ours, name)(truth, said), getattr(theirs, name)(truth.ravel(), said.ravel()))


def test_parameters_of_scikit_learn():
    rng = np.random.RandomState(2)
    y, p = rng.rand(20, 3), rng.rand(20, 3)
    flat = np.ones((20, 3))
    for multioutput in ("raw_values", "uniform_average", "variance_weighted", [0.2, 0.3, 0.5]):
        for name in ("r2_score", "explained_variance_score"):
            np.testing.assert_allclose(*both(name, y, p, multioutput=multioutput))
    np.testing.assert_array_equal(*both("r2_score", flat, p, multioutput="raw_values", force_finite=False))
    np.testing.assert_allclose(*both("d2_tweedie_score", y[:, 0], p[:, 0] + 0.1, power=1.5))
    np.testing.assert_allclose(*both("d2_pinball_score", y, p, alpha=0.2))
    np.testing.assert_allclose(*both("hinge_loss", [0, 1, 2, 1], SCORES[:4, :3]))
    for name in ("coverage_error", "label_ranking_loss", "label_ranking_average_precision_score"):
        np.testing.assert_allclose(*both(name, TRUE_SETS, SCORES))
    mine, known = both("classification_report", [0, 1, 2, 2], [0, 2, 2, 1])
    assert mine == known
