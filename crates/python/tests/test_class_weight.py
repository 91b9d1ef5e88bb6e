"""Weights of classes by label are parameters like any other: through every door, and after loading."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.tree import DecisionTreeClassifier as PeerTree

import mercer
from mercer.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from mercer.linear_model import LogisticRegression
from mercer.model_selection import GridSearchCV, cross_val_score
from mercer.pipeline import make_pipeline
from mercer.preprocessing import StandardScaler
from mercer.tree import DecisionTreeClassifier

WEIGHTS = {"no": 1, "yes": 5.0}
LEARNERS = [
    LogisticRegression(class_weight=WEIGHTS),
    DecisionTreeClassifier(max_depth=3, class_weight=WEIGHTS),
    RandomForestClassifier(8, random_state=0, min_samples_leaf=10, class_weight=WEIGHTS),
    ExtraTreesClassifier(8, random_state=0, min_samples_leaf=10, class_weight=WEIGHTS),
    HistGradientBoostingClassifier(max_iter=10, class_weight=WEIGHTS),
]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = np.where(x[:, 0] + rng.normal(size=300) > 1.0, "yes", "no")
    return x, y


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_it_is_kept_proved_and_felt(learner, data, tmp_path):
    x, y = data
    model = learner.fit(x, y)
    assert all(v.holds for v in model.verify(x, y))
    model.save(tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.get_params()["class_weight"] == WEIGHTS
    assert (loaded.predict(x) == model.predict(x)).all()
    plain = type(learner)(**{**learner.get_params(), "class_weight": None}).fit(x, y)
    assert (model.predict(x) == "yes").sum() > (plain.predict(x) == "yes").sum()
    for door in (make_pipeline(StandardScaler(), learner), BaggingClassifier(learner, n_estimators=3)):
        assert all(v.holds for v in door.fit(x, y).verify(x, y))
    assert len(cross_val_score(learner, x, y, cv=3)) == 3
    search = GridSearchCV(learner, {"class_weight": [None, WEIGHTS]}, cv=3).fit(x, y)
    assert search.best_params_["class_weight"] in (None, WEIGHTS)


def test_it_is_what_scikit_learn_makes_of_it(data):
    x, y = data
    own = LogisticRegression(class_weight=WEIGHTS, tol=1e-10).fit(x, y)
    peer = PeerLogistic(class_weight=WEIGHTS, tol=1e-10).fit(x, y)
    np.testing.assert_allclose(own.coef_, peer.coef_, rtol=1e-5)
    own = DecisionTreeClassifier(max_depth=3, class_weight=WEIGHTS).fit(x, y)
    peer = PeerTree(max_depth=3, class_weight=WEIGHTS).fit(x, y)
    np.testing.assert_allclose(own.predict_proba(x), peer.predict_proba(x), rtol=1e-9)
    own = RandomForestClassifier(100, random_state=0, class_weight=WEIGHTS).fit(x, y)
    peer = PeerForest(100, random_state=0, class_weight=WEIGHTS).fit(x, y)
    assert abs(own.predict_proba(x)[:, 1].mean() - peer.predict_proba(x)[:, 1].mean()) < 0.05


def test_labels_of_every_kind(data):
    x, y = data
    for labels in ([1, 2], [1.0, 2.0], [False, True], [-1, 1]):
        codes = np.asarray(labels)[(y == "yes").astype(int)]
        weights = {labels[0]: 1.0, labels[1]: 5.0}
        model = LogisticRegression(class_weight=weights, tol=1e-10).fit(x, codes)
        peer = PeerLogistic(class_weight=weights, tol=1e-10).fit(x, codes)
        np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5)
        assert model.get_params()["class_weight"] == weights
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(class_weight={"no": 1, "maybe": 2}).fit(x, y)
