"""A seed means the same model wherever a learner stands: alone, in a pipeline, in a vote, in a fold."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier as PeerBoosting
from sklearn.metrics import log_loss

from mercer.ensemble import GradientBoostingClassifier, RandomForestRegressor, VotingRegressor
from mercer.model_selection import KFold, cross_val_score
from mercer.pipeline import make_pipeline
from mercer.preprocessing import MinMaxScaler


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 4))
    return x, x[:, 0] * x[:, 1] + rng.normal(size=200)


def test_forests_are_the_same_alone_and_inside(data):
    x, y = data
    forest = RandomForestRegressor(5, random_state=7)
    alone = forest.fit(x, y).predict(x)
    vote = VotingRegressor([("a", forest), ("b", forest)])
    vote.random_state = 7
    scaled = MinMaxScaler().fit_transform(x)
    inside = make_pipeline(MinMaxScaler(), forest).fit(x, y).predict(x)
    np.testing.assert_array_equal(inside, forest.fit(scaled, y).predict(scaled))
    np.testing.assert_array_equal(vote.fit(x, y).predict(x), alone)
    scores = cross_val_score(forest, x, y, cv=KFold(4))
    for score, (train, test) in zip(scores, KFold(4).split(x)):
        assert score == pytest.approx(forest.fit(x[train], y[train]).score(x[test], y[test]), rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_gradient_boosting_is_not_worse_than_its_peer_on_rows_held_out(classes):
    """To ties between splits, which scikit-learn breaks by chance and Mercer by the order of the columns."""
    ours, theirs, searched = [], [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(1500, 6))
        score = x[:, 0] + x[:, 1] * x[:, 2] + rng.logistic(size=1500)
        y = np.digitize(score, [0.0] if classes == 2 else [-0.7, 0.7])
        made = [
            GradientBoostingClassifier(),
            PeerBoosting(random_state=0),
            GradientBoostingClassifier(line_search="leaf"),
        ]
        for model, losses in zip(made, (ours, theirs, searched)):
            losses.append(log_loss(y[700:], model.fit(x[:700], y[:700]).predict_proba(x[700:])))
    assert np.mean(ours) < 1.015 * np.mean(theirs)
    assert np.mean(searched) > 1.03 * np.mean(theirs)
