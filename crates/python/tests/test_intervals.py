"""Prediction intervals, and several targets at once."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier as Peer

from mercer.calibration import ConformalRegressor
from mercer.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from mercer.linear_model import Ridge
from mercer.pipeline import make_pipeline
from mercer.preprocessing import StandardScaler
from mercer.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def diabetes():
    x, y = load_diabetes(return_X_y=True)
    return x[::2], y[::2], x[1::2], y[1::2]


@pytest.mark.parametrize(
    "model",
    [
        ConformalRegressor(Ridge(), random_state=0),
        ConformalRegressor(Ridge(), method="cv_plus", random_state=0),
        ConformalRegressor(HistGradientBoostingRegressor(max_iter=20), conformity="quantile", random_state=0),
        make_pipeline(StandardScaler(), ConformalRegressor(Ridge(), random_state=0)),
        RandomForestRegressor(n_estimators=50, quantiles=True, min_samples_leaf=5, random_state=0),
    ],
)
def test_intervals_hold_their_share(diabetes, model):
    x, y, new_x, new_y = diabetes
    assert model.fit(x, y).score(x, y) > 0.2
    ends = model.predict_interval(new_x, coverage=0.8)
    assert ends.shape == (len(new_x), 2)
    share = np.mean((ends[:, 0] <= new_y) & (new_y <= ends[:, 1]))
    # 221 answers of share 0.8 have the deviation 0.027, and 55 calibration rows add 0.054.
    assert abs(share - 0.8) < 4 * 0.06
    wide = model.predict_interval(new_x, coverage=0.95)
    assert (wide[:, 0] <= ends[:, 0]).all() and (ends[:, 1] <= wide[:, 1]).all()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_interval(new_x, 0.8), ends)
    with pytest.raises(ValueError, match=r"in \(0, 1\)"):
        model.predict_interval(new_x, coverage=1.5)


def test_models_without_intervals_say_what_gives_some(diabetes):
    x, y, _, _ = diabetes
    with pytest.raises(Exception, match="ConformalRegressor"):
        Ridge().fit(x, y).predict_interval(x)
    assert not hasattr(make_pipeline(StandardScaler(), Ridge()), "predict_interval")


def test_quantiles_of_a_forest(diabetes):
    x, y, new_x, _ = diabetes
    forest = RandomForestRegressor(n_estimators=30, quantiles=True, random_state=0).fit(x, y)
    found = forest.predict_quantiles(new_x, [0.0, 0.5, 1.0])
    assert found.shape == (len(new_x), 3) and (np.diff(found, axis=1) >= 0).all()
    assert set(found.ravel()) <= set(y)
    np.testing.assert_array_equal(forest.predict_interval(new_x, 0.5), forest.predict_quantiles(new_x, [0.25, 0.75]))


def test_several_class_targets():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 4))
    y = np.c_[np.digitize(x[:, 0] + x[:, 1], [-0.7, 0.7]), (x[:, 2] > 0).astype(int)]
    options = {"max_depth": 3, "min_samples_leaf": 20}
    model, peer = DecisionTreeClassifier(**options).fit(x, y), Peer(**options).fit(x, y)
    np.testing.assert_array_equal(model.predict(x), peer.predict(x))
    for own, other in zip(model.predict_proba(x), peer.predict_proba(x)):
        np.testing.assert_allclose(own, other, atol=1e-12)
    assert [len(c) for c in model.classes_] == [3, 2]
    assert list(model.n_classes_) == [3, 2]
    assert model.score(x, y) == np.mean((model.predict(x) == y).all(axis=1))
    assert all(one.holds for one in model.verify(x, y))
    names = np.array(["ant", "bee", "cat"])[y]
    forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(x, names)
    assert forest.predict(x).dtype == names.dtype
    assert (forest.predict(x) == names).mean() > 0.95
    assert len(forest.predict_log_proba(x)) == 2


def test_several_number_targets_of_a_booster():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 3))
    y = np.c_[x[:, 0] * x[:, 1], np.sin(2 * x[:, 2])]
    model = HistGradientBoostingRegressor(max_iter=30).fit(x, y)
    for k in range(2):
        alone = HistGradientBoostingRegressor(max_iter=30).fit(x, y[:, k])
        np.testing.assert_array_equal(model.predict(x)[:, k], alone.predict(x))
