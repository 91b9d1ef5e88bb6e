"""`mercer.inspection` against scikit-learn's functions, the shap package (frozen values) and closed forms."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import inspection as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from mercer import inspection
from mercer.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from mercer.linear_model import LogisticRegression, Ridge
from mercer.model_selection import GridSearchCV
from mercer.pipeline import Pipeline
from mercer.preprocessing import OneHotEncoder, StandardScaler
from mercer.svm import LinearSVR
from mercer.tree import DecisionTreeClassifier, DecisionTreeRegressor

REFERENCE = json.loads(Path(__file__).with_name("reference").joinpath("shap.json").read_text())


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


# Shapley values


@pytest.mark.parametrize(
    ("name", "model", "target"),
    [
        ("regressor", DecisionTreeRegressor(), "score"),
        ("classifier", DecisionTreeClassifier(), "kind"),
        ("forest", RandomForestRegressor(n_estimators=3, bootstrap=False), "score"),
    ],
)
def test_shapley_values_are_those_of_the_shap_package(name, model, target):
    x, wanted = np.array(REFERENCE["x"]), REFERENCE[name]
    model.set_params(**REFERENCE["limits"]).fit(x, np.array(REFERENCE[target]), sample_weight=REFERENCE["weight"])
    found = inspection.shap_values(model, x[::5])
    assert np.allclose(found.values, wanted["values"], rtol=0, atol=1e-10)
    assert np.allclose(found.base_values[0], wanted["base"], rtol=0, atol=1e-10)
    pairs = inspection.shap_interaction_values(model, x[::5])
    assert np.allclose(pairs, wanted["interactions"], rtol=0, atol=1e-10)
    assert np.array_equal(found.data, x[::5])


def test_shapley_values_of_ensembles_add_up(iris, diabetes):
    x, y = iris
    tree = DecisionTreeClassifier(max_depth=2)
    soft = VotingClassifier([("a", tree), ("b", RandomForestClassifier(n_estimators=5))], voting="soft")
    for model, said in [
        (BaggingClassifier(max_features=2), "predict_proba"),
        (soft, "predict_proba"),
        (AdaBoostClassifier(tree, n_estimators=5), "decision_function"),
        (GradientBoostingClassifier(n_estimators=5), "decision_function"),
    ]:
        model.fit(x, y)
        found = inspection.shap_values(model, x)
        total = found.base_values + found.values.sum(axis=1)
        assert found.shape == (150, 4, 3) and np.allclose(total, getattr(model, said)(x), atol=1e-10)
    x, y = diabetes
    model = GradientBoostingRegressor(n_estimators=5).fit(x, y)
    found = inspection.shap_values(model, x)
    assert found.explains == "numbers" and np.allclose(found.base_values + found.values.sum(axis=1), model.predict(x))
    with pytest.raises(Exception, match="AdaBoostRegressor"):
        inspection.shap_values(AdaBoostRegressor(n_estimators=3).fit(x, y), x)


def test_shapley_values_add_up(iris, diabetes):
    x, y = iris
    forest = RandomForestClassifier(n_estimators=10).fit(x, y)
    found = inspection.shap_values(forest, x)
    assert found.shape == (150, 4, 3) and found.output_names == [0, 1, 2] and found.explains == "probabilities"
    assert np.allclose(found.values.sum(axis=1) + found.base_values, forest.predict_proba(x), atol=1e-10)
    two = HistGradientBoostingClassifier(max_iter=20).fit(x, y == 1)
    found = inspection.shap_values(two, x)
    assert found.shape == (150, 4) and found.output_names == [True] and found.explains == "scores"
    assert np.allclose(found.values.sum(axis=1) + found.base_values, two.decision_function(x), atol=1e-6)
    pairs = inspection.shap_interaction_values(two, x[:9])
    assert pairs.shape == (9, 4, 4) and np.allclose(pairs.sum(axis=2), found.values[:9], atol=1e-10)
    assert np.allclose(pairs, pairs.transpose(0, 2, 1))
    x, y = diabetes
    boosted = HistGradientBoostingRegressor(max_iter=20).fit(x, y)
    found = inspection.shap_values(boosted, x)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, boosted.predict(x), atol=1e-4)
    assert np.array_equal(found.values, inspection.shap_values(boosted, x, n_jobs=1).values)
    assert len(found[:5]) == 5 and found[3].values.shape == (10,) and "numbers" in repr(found)


def test_pipelines_explain_the_features_that_they_make(diabetes):
    frame = pd.DataFrame({"kind": list("aabbcc") * 20, "size": np.arange(120.0)})
    y = np.where(frame["kind"] == "b", 5.0, 0.0) + frame["size"].to_numpy() / 100
    tree = DecisionTreeRegressor(max_depth=3).fit(frame, y)
    own = inspection.shap_values(tree, frame)
    assert own.feature_names == ["kind", "size"] and own.data.shape == (120, 2)
    from mercer.compose import ColumnTransformer

    coded = ColumnTransformer([("kind", OneHotEncoder(), ["kind"])], remainder="passthrough")
    piped = Pipeline([("coded", coded), ("tree", DecisionTreeRegressor(max_depth=3))]).fit(frame, y)
    found = inspection.shap_values(piped, frame)
    assert found.values.shape == (120, 4) and found.data is None and any("b" in n for n in found.feature_names)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, piped.predict(frame), atol=1e-10)
    x, y = diabetes
    scaled = Pipeline([("scale", StandardScaler()), ("tree", DecisionTreeRegressor(max_depth=3))]).fit(x, y)
    plain = DecisionTreeRegressor(max_depth=3).fit(x, y)
    assert np.allclose(inspection.shap_values(scaled, x).values, inspection.shap_values(plain, x).values)


def test_models_that_cannot_explain_themselves_say_who_can(diabetes):
    x, y = diabetes
    for function in (inspection.shap_values, inspection.shap_interaction_values):
        with pytest.raises(TypeError, match="LinearSVR cannot explain itself"):
            function(LinearSVR().fit(x, y), x)
        with pytest.raises(ValueError, match="not fitted"):
            function(DecisionTreeRegressor(), x)


# Partial dependence


def agree(model, x, features, **how):
    ours = inspection.partial_dependence(model, x, features, **how)
    wanted = theirs.partial_dependence(model, x, features, method="brute", **how)
    assert len(ours.grid_values) == len(wanted.grid_values)
    for grid, other in zip(ours.grid_values, wanted.grid_values):
        assert np.allclose(grid, other, rtol=0, atol=1e-12)
    for key in ("average", "individual"):
        assert (key in ours) == (key in wanted)
        if key in ours:
            assert ours[key].shape == wanted[key].shape
            assert np.allclose(ours[key], wanted[key], rtol=1e-10, atol=1e-10)
    return ours


@pytest.mark.parametrize("model", [Ridge(), DecisionTreeRegressor(max_depth=5)], ids=lambda m: type(m).__name__)
def test_dependence_of_numbers(model, diabetes, rng):
    x, y = diabetes
    model.fit(x, y)
    weights = rng.uniform(size=len(y))
    agree(model, x, [2])
    agree(model, x, 1)  # a feature of two values
    agree(model, x, [2, 8], grid_resolution=9)
    agree(model, x, [2], kind="both", grid_resolution=17, percentiles=(0.1, 0.8), sample_weight=weights)
    agree(model, x, [2, 1], kind="individual", grid_resolution=5)
    agree(model, x, [3], custom_values={3: [-0.05, 0.0, 0.05]})
    # Arrays may be given names, which scikit-learn does not look features up by.
    named = inspection.partial_dependence(model, x, ["b"], feature_names=list("abcdefghij"))
    assert np.array_equal(named.average, inspection.partial_dependence(model, x, 1).average)


def test_dependence_of_classes(iris):
    x, y = iris
    agree(LogisticRegression().fit(x, y), x, [0], kind="both", grid_resolution=12)
    agree(LogisticRegression().fit(x, y == 2), x, [0, 3], grid_resolution=6)
    agree(LogisticRegression().fit(x, y == 2), x, [3], response_method="decision_function", grid_resolution=6)
    agree(DecisionTreeClassifier(max_depth=3).fit(x, y), x, [2], kind="both", grid_resolution=12)
    whole = np.round(x)
    agree(DecisionTreeClassifier(max_depth=3).fit(whole, y), whole, [2], categorical_features=[2], grid_resolution=3)


def test_dependence_of_frames(diabetes):
    frame = pd.DataFrame({"kind": list("abc") * 30, "size": np.arange(90.0), "on": [True, False, True] * 30})
    tree = DecisionTreeRegressor(max_depth=2).fit(frame, np.where(frame["kind"] == "b", 3.0, 1.0))
    found = inspection.partial_dependence(tree, frame, "kind")
    assert found.grid_values[0].tolist() == ["a", "b", "c"] and found["average"].tolist() == [[1.0, 3.0, 1.0]]
    found = inspection.partial_dependence(tree, frame, ["kind", "on"], custom_values={"kind": ["c", "b"]})
    assert found.average.shape == (1, 2, 2) and found.average[0, :, 0].tolist() == [1.0, 3.0]
    with pytest.raises((ValueError, KeyError), match="z"):
        inspection.partial_dependence(tree, frame, "kind", custom_values={"kind": ["z"]})
    x, y = diabetes
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}).fit(x, y)
    assert inspection.partial_dependence(search, x, 2, grid_resolution=5).average.shape == (1, 5)


def test_accumulated_effects_of_a_line_are_a_line(diabetes):
    x, y = diabetes
    model = Ridge(alpha=0.0).fit(x, y)
    found = inspection.accumulated_local_effects(model, x, 2, n_bins=11)
    slopes = np.diff(found.effects[0]) / np.diff(found.grid_values)
    assert np.allclose(slopes, model.coef_[2])
    probabilities = LogisticRegression().fit(x, y > 150)
    assert inspection.accumulated_local_effects(probabilities, x, 2).effects.shape[0] == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": "bni"}, "did you mean 'bmi'"),
        ({"features": [99]}, "99 is out of range: there are 10"),
        ({"features": []}, "at least one"),
        ({"features": [1, 1]}, "none twice"),
        ({"features": [0.5]}, "name or its place"),
        ({"percentiles": (0.9, 0.1)}, "percentiles"),
        ({"grid_resolution": 1}, "grid_resolution"),
        ({"kind": "all"}, "kind"),
        ({"method": "recursion"}, "method"),
        ({"response_method": "predict_proba"}, "ignored for regressors"),
        ({"custom_values": {"bmi": [[1.0]]}}, "one-dimensional"),
        ({"estimator": object()}, "not an estimator instance"),
    ],
)
def test_mistakes_are_named(change, words):
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    asked = {"estimator": Ridge().fit(frame, y), "X": frame, "features": "bmi", **change}
    with pytest.raises((ValueError, TypeError), match=words):
        inspection.partial_dependence(**asked)


# Permutation importance


def test_importance_is_what_theory_says(rng):
    x = rng.normal(size=(400, 3))
    model = Ridge(alpha=0.0).fit(x, 3 * x[:, 0] - x[:, 1])
    y = model.predict(x)
    found = inspection.permutation_importance(model, x, y, scoring="neg_mean_squared_error", n_repeats=40)
    # E (x - x')² = 2 n/(n-1) · n-variance over all permutations that may leave rows in place: 2 var.
    wanted = 2 * np.square(model.coef_) * x.var(axis=0)
    error = found.importances_std / np.sqrt(40)
    assert found.importances.shape == (3, 40)
    assert (np.abs(found.importances_mean - wanted) <= 5 * error + 1e-9 + wanted / 200).all()
    unused = DecisionTreeRegressor(max_depth=1).fit(x, (x[:, 0] > 0) * 1.0)
    exact = inspection.permutation_importance(unused, x, (x[:, 0] > 0) * 1.0)
    assert (exact.importances[1:] == 0).all() and (exact.importances[0] > 0.5).all()


def test_importance_agrees_with_scikit_learn():
    x, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=4).fit(x[::2], y[::2])
    x, y = x[1::2], y[1::2]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    for how in ({}, {"scoring": "roc_auc"}, {"sample_weight": weights}):
        ours = inspection.permutation_importance(model, x, y, n_repeats=30, random_state=1, **how)
        wanted = theirs.permutation_importance(model, x, y, n_repeats=30, random_state=1, **how)
        noise = np.hypot(ours.importances_std, wanted.importances_std) / np.sqrt(30)
        assert (np.abs(ours.importances_mean - wanted.importances_mean) <= 5 * noise + 1e-12).all()


def test_importance_by_seed_threads_and_scores(iris):
    x, y = iris
    model = RandomForestClassifier(n_estimators=10).fit(x, y)
    one = inspection.permutation_importance(model, x, y, random_state=3)
    same = inspection.permutation_importance(model, x, y, random_state=3, n_jobs=1)
    other = inspection.permutation_importance(model, x, y, random_state=4)
    assert np.array_equal(one.importances, same.importances)
    assert not np.array_equal(one.importances, other.importances)
    several = inspection.permutation_importance(model, x, y, scoring=["accuracy", "neg_log_loss"], random_state=3)
    assert np.array_equal(several["accuracy"].importances, one.importances)
    own = inspection.permutation_importance(
        model, x, y, scoring=lambda truth, said: np.mean(truth == said), random_state=3
    )
    assert np.allclose(own.importances, one.importances)

    def broken(truth, said):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        inspection.permutation_importance(model, x, y, scoring=broken)
    with pytest.raises(ValueError, match="n_repeats"):
        inspection.permutation_importance(model, x, y, n_repeats=0)
