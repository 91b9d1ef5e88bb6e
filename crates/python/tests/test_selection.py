"""Splits, cross validation, search, calibration: against scikit-learn where it has them."""

import numpy as np
import pytest
import sklearn.calibration
import sklearn.linear_model
import sklearn.model_selection as theirs
import sklearn.pipeline
import sklearn.preprocessing

from mercer import datasets
from mercer import model_selection as ours
from mercer.calibration import CalibratedClassifierCV
from mercer.compose import ColumnTransformer
from mercer.linear_model import LogisticRegression, Ridge
from mercer.pipeline import Pipeline
from mercer.preprocessing import OneHotEncoder, StandardScaler


@pytest.fixture
def problem():
    return datasets.make_classification(n_samples=240, n_features=8, n_clusters_per_class=1, flip_y=0.2, random_state=3)


@pytest.mark.parametrize(
    "splitter",
    [
        ("KFold", (4,)),
        ("StratifiedKFold", (4,)),
        ("GroupKFold", (4,)),
        ("StratifiedGroupKFold", (3,)),
        ("LeaveOneGroupOut", ()),
        ("LeaveOneOut", ()),
        ("TimeSeriesSplit", (4,)),
    ],
)
def test_splits_are_those_of_scikit_learn(splitter, rng):
    name, arguments = splitter
    y, groups, x = rng.integers(0, 3, 60), rng.integers(0, 9, 60), np.zeros((60, 1))
    grouped = groups if "Group" in name else None
    mine, known = getattr(ours, name)(*arguments), getattr(theirs, name)(*arguments)
    found, expected = list(mine.split(x, y, grouped)), list(known.split(x, y, grouped))
    assert len(found) == len(expected) == mine.get_n_splits(x, y, groups)
    for (train, test), (known_train, known_test) in zip(found, expected):
        np.testing.assert_array_equal(train, known_train)
        np.testing.assert_array_equal(test, known_test)


@pytest.mark.parametrize(
    "splitter",
    [
        ours.KFold(4, shuffle=True, random_state=1),
        ours.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
        ours.ShuffleSplit(3, test_size=0.25, random_state=1),
        ours.StratifiedShuffleSplit(3, test_size=0.25, random_state=1),
        ours.GroupShuffleSplit(3, random_state=1),
        ours.BootstrapSplit(3, random_state=1),
        ours.LeavePOut(2),
    ],
)
def test_drawn_splits_share_no_row_and_repeat(splitter):
    y, groups, x = np.arange(24) % 2, np.arange(24) // 4, np.zeros((24, 1))
    first = list(splitter.split(x, y, groups))
    for (train, test), (again, _) in zip(first, splitter.split(x, y, groups)):
        assert not set(train) & set(test) and len(test)
        np.testing.assert_array_equal(train, again)
    assert len(first) == splitter.get_n_splits(x, y, groups)


def test_train_test_split_keeps_rows_together():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(40)})
    a, b, p, q = ours.train_test_split(frame, np.arange(40), test_size=0.25, stratify=np.arange(40) % 2, random_state=3)
    assert len(b) == 10 and (a["a"].to_numpy() == p).all() and (b["a"].to_numpy() == q).all()
    assert (q % 2).sum() == 5
    with pytest.raises(ValueError, match="inconsistent"):
        ours.train_test_split([1, 2], [1])


def pipelines(c=1.0):
    mine = Pipeline([("s", StandardScaler()), ("m", LogisticRegression(C=c, tol=1e-10, max_iter=10000))])
    inner = sklearn.linear_model.LogisticRegression(C=c, tol=1e-10, max_iter=10000)
    known = sklearn.pipeline.Pipeline([("s", sklearn.preprocessing.StandardScaler()), ("m", inner)])
    return mine, known


def test_grid_search_finds_what_scikit_learn_finds(problem):
    x, y = problem
    mine, known = pipelines()
    options = {"scoring": ["accuracy", "neg_log_loss"], "refit": "neg_log_loss", "cv": 4}
    grid = {"m__C": [0.01, 0.1, 1, 10]}
    found = ours.GridSearchCV(mine, grid, n_jobs=1, **options).fit(x, y)
    expected = theirs.GridSearchCV(known, grid, **options).fit(x, y)
    assert found.best_params_ == expected.best_params_
    for key in ("mean_test_neg_log_loss", "std_test_neg_log_loss", "split2_test_neg_log_loss"):
        np.testing.assert_allclose(found.cv_results_[key], expected.cv_results_[key], atol=2e-5)
    np.testing.assert_array_equal(found.cv_results_["rank_test_neg_log_loss"], expected.cv_results_["rank_test_neg_log_loss"])
    # One scaler for each of four folds serves four settings.
    assert found.cache_hits_ == 12
    np.testing.assert_array_equal(found.predict(x), expected.predict(x))
    assert found.score(x, y) == pytest.approx(expected.score(x, y), abs=1e-5)
    assert found.best_estimator_.get_params()["m__C"] == found.best_params_["m__C"]


def test_functions_of_the_user_score_and_raise(problem):
    x, y = problem

    def share(truth, predicted):
        assert set(truth) <= {0, 1}
        return (truth == predicted).mean()

    found = ours.cross_val_score(LogisticRegression(), x, y, scoring=share, cv=3)
    np.testing.assert_allclose(found, ours.cross_val_score(LogisticRegression(), x, y, scoring="accuracy", cv=3))

    def broken(truth, predicted):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        ours.GridSearchCV(LogisticRegression(), {"C": [1]}, scoring=broken, error_score="raise").fit(x, y)


def test_cross_validation_agrees(problem):
    x, y = problem
    mine, known = pipelines()
    found = ours.cross_validate(mine, x, y, scoring="neg_log_loss", cv=3, return_train_score=True, return_estimator=True)
    expected = theirs.cross_validate(known, x, y, scoring="neg_log_loss", cv=3, return_train_score=True)
    np.testing.assert_allclose(found["test_score"], expected["test_score"], atol=2e-5)
    np.testing.assert_allclose(found["train_score"], expected["train_score"], atol=2e-5)
    assert found["estimator"][0].predict(x[:2]).shape == (2,)
    answers = ours.cross_val_predict(mine, x, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(answers, theirs.cross_val_predict(known, x, y, cv=3, method="predict_proba"), atol=2e-4)


def test_searches_without_a_twin(problem):
    x, y = problem
    for search in (
        ours.TPESearchCV(LogisticRegression(), "C=log(1e-3,1e3)", n_iter=14, cv=3),
        ours.RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1.0, 10.0]}, n_iter=2, cv=3),
        ours.HalvingGridSearchCV(LogisticRegression(), {"C": [0.01, 0.1, 1, 10, 100]}, cv=3),
        ours.HyperbandSearchCV(LogisticRegression(), n_iter=2, cv=3),
    ):
        found = search.fit(x, y)
        assert found.best_estimator_.C == found.best_params_["C"] and found.score(x, y) > 0.5


def test_nested_and_curves(numbers):
    x, y = numbers
    found = ours.nested_cross_validate(Ridge(), x, y, "alpha=log(0.01,100)", scoring="rmse", cv=4)
    logs = np.log([r["setting"]["alpha"] for r in found["rounds"]])
    assert found["setting"]["alpha"] == pytest.approx(np.exp(logs.mean()))
    assert found["estimate"] == pytest.approx(np.mean([r["score"] for r in found["rounds"]]))
    sizes, train, test = ours.learning_curve(Ridge(), x, y, cv=3)
    assert list(sizes) == sorted(sizes) and train.shape == test.shape == (5, 3)
    train, test = ours.validation_curve(Ridge(), x, y, param_name="alpha", param_range=[0.1, 1e6], cv=3)
    assert test[0].mean() > test[1].mean()
    parts = ours.bias_variance(Ridge(), n_sets=60)
    assert abs(parts["total"] - parts["bias"] - parts["variance"] - parts["noise"]) < 6 * parts["error"]


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibration_is_that_of_scikit_learn(problem, method, ensemble):
    x, y = problem
    inner = sklearn.linear_model.LogisticRegression(tol=1e-12, max_iter=10000)
    found = CalibratedClassifierCV(LogisticRegression(tol=1e-12, max_iter=10000), method=method, ensemble=ensemble).fit(x, y)
    known = sklearn.calibration.CalibratedClassifierCV(inner, method=method, ensemble=ensemble).fit(x, y)
    # Isotonic steps magnify the last digits of the two solvers.
    np.testing.assert_allclose(found.predict_proba(x), known.predict_proba(x), atol=2e-3 if method == "isotonic" else 1e-5)


def test_thresholds_follow_costs(problem):
    x, y = problem
    cheap = ours.TunedThresholdClassifierCV(LogisticRegression(), costs=[0, 1, 20, 0]).fit(x, y)
    dear = ours.TunedThresholdClassifierCV(LogisticRegression(), costs=[0, 20, 1, 0]).fit(x, y)
    assert cheap.best_threshold_ < 0.5 < dear.best_threshold_
    assert cheap.predict(x).sum() > dear.predict(x).sum()
    fixed = ours.FixedThresholdClassifier(LogisticRegression(), threshold=0.9).fit(x, y)
    np.testing.assert_array_equal(fixed.predict(x), (fixed.predict_proba(x)[:, 1] >= 0.9).astype(int))


def test_columns_apart():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "k": list("xyxy"), "rest": [5.0, 6, 7, 8]})
    steps = [("n", StandardScaler(), ["a"]), ("k", OneHotEncoder(sparse_output=False), "categorical")]
    mine = ColumnTransformer(steps, remainder="passthrough").fit(frame)
    assert list(mine.get_feature_names_out()) == ["n__a", "k__k_x", "k__k_y", "remainder__rest"]
    np.testing.assert_allclose(mine.transform(frame)[:, 3], frame["rest"])
    assert mine.get_params()["n__with_mean"] is True
    mine.set_params(n__with_mean=False)
    assert mine.transformers[0][1].with_mean is False


@pytest.mark.parametrize("name", [n for n in datasets.__all__ if n.startswith("make_")])
def test_generators(name):
    x, y = getattr(datasets, name)(n_samples=30, random_state=1)
    again, _ = getattr(datasets, name)(n_samples=30, random_state=1)
    assert x.shape[0] == 30 and np.isfinite(x).all() and (y is None or len(y) == 30)
    np.testing.assert_array_equal(x, again)
