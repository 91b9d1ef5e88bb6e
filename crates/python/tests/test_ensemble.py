"""Ensembles, boosting and trees from Python: the names of scikit-learn, and what they promise."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from mercer.boosting import Booster
from mercer.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from mercer.linear_model import LogisticRegression, Ridge
from mercer.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor, ModelTree


@pytest.fixture(scope="module")
def cancer():
    x, y = load_breast_cancer(return_X_y=True)
    return x[::2], y[::2], x[1::2], y[1::2]


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(n_estimators=50, random_state=1, oob_score=True),
        ExtraTreesClassifier(n_estimators=50, random_state=1),
        HistGradientBoostingClassifier(max_iter=50),
        AdaBoostClassifier(n_estimators=30),
        BaggingClassifier(n_estimators=20, random_state=1),
        Booster(objective="binary"),
        C45(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_classifiers_learn(model, cancer):
    x, y, new, truth = cancer
    fitted = clone(model).fit(x, y)
    assert fitted.score(new, truth) > 0.9
    p = fitted.predict_proba(new)
    assert p.shape == (len(new), 2) and np.allclose(p.sum(axis=1), 1)
    assert (fitted.predict(new) == fitted.classes_[p.argmax(axis=1)]).mean() > 0.99


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(n_estimators=50, random_state=1),
        HistGradientBoostingRegressor(max_iter=50),
        GradientBoostingRegressor(n_estimators=50),
        Booster(objective="regression"),
        ModelTree(min_instances=20.0),
        VotingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor(max_depth=4))]),
    ],
    ids=lambda m: type(m).__name__,
)
def test_regressors_learn(model):
    x, y = load_diabetes(return_X_y=True)
    fitted = clone(model).fit(x[::2], y[::2])
    assert fitted.score(x[1::2], y[1::2]) > 0.25


def test_members_have_names_and_parameters(cancer):
    x, y, new, truth = cancer
    members = [("lr", LogisticRegression(max_iter=500)), ("tree", DecisionTreeClassifier(max_depth=3))]
    hard = VotingClassifier(members)
    assert not hasattr(hard, "predict_proba") and hard.get_params()["tree__max_depth"] == 3
    hard.set_params(tree__max_depth=2, voting="soft")
    assert hard.estimators[1][1].max_depth == 2 and hasattr(hard, "predict_proba")
    assert hard.fit(x, y).score(new, truth) > 0.9
    stack = StackingClassifier(members, final_estimator=LogisticRegression(), cv=3).fit(x, y)
    assert stack.score(new, truth) > 0.9
    with pytest.raises(TypeError, match="estimators"):
        VotingClassifier("logistic").fit(x, y)
    with pytest.raises(ValueError, match="The estimator object should be a classifier"):
        VotingClassifier([("a", object())]).fit(x, y)


def test_a_booster_is_what_its_objective_says():
    x, y = load_iris(return_X_y=True)
    classes = Booster(objective="multiclass").fit(x, y)
    assert classes.predict_proba(x).shape == (150, 3) and classes.score(x, y) > 0.95
    numbers = Booster(objective="regression")
    assert not hasattr(numbers, "predict_proba")
    assert numbers.fit(x, x[:, 0]).predict(x).dtype == np.float64


def test_isolation_forest_finds_what_is_apart():
    rng = np.random.default_rng(0)
    x = np.vstack([rng.normal(size=(200, 2)), [[8, 8], [-9, 7]]])
    model = IsolationForest(random_state=0).fit(x)
    assert (model.predict(x)[-2:] == -1).all() and set(model.fit_predict(x)) <= {-1, 1}
    scores = model.score_samples(x)
    assert np.allclose(scores - model.offset_, model.decision_function(x)) and scores[-2:].max() < np.median(scores)


def test_constraints_by_name_hold():
    import pandas as pd

    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.uniform(0, 1, 500), "size": rng.uniform(0, 1, 500)})
    y = frame["age"] + 0.3 * np.sin(20 * frame["age"]) + frame["size"] + 0.1 * rng.normal(size=500)
    model = HistGradientBoostingRegressor(max_iter=50, monotonic_cst=[["age", 1]]).fit(frame, y)
    grid = pd.DataFrame({"age": np.linspace(0, 1, 50), "size": np.full(50, 0.5)})
    assert (np.diff(model.predict(grid)) >= -1e-12).all()
