"""Corners that once gave wrong answers: Poisson leaves, several labels out of bag, scores of one row, targets of Arrow."""

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.metrics import accuracy_score

from mercer.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from mercer.linear_model import Ridge
from mercer.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.mark.parametrize("weighted", [False, True])
def test_poisson_trees_never_predict_zero(weighted):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 4))
    y = rng.poisson(np.exp(x[:, 0] - 1)).astype(float)
    weights = rng.random(500) if weighted else None
    for model in (
        DecisionTreeRegressor(criterion="poisson"),
        DecisionTreeRegressor(criterion="poisson", max_bins=64),
        ExtraTreesRegressor(20, criterion="poisson", random_state=0),
    ):
        assert (model.fit(x, y, sample_weight=weights).predict(x) > 0).all()


def test_the_score_out_of_bag_of_several_labels_is_of_whole_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    y = (x[:, :4] + rng.normal(size=(300, 4)) > 0).astype(int)
    own = RandomForestClassifier(100, oob_score=True, random_state=0).fit(x, y)
    peer = PeerForest(100, oob_score=True, random_state=0).fit(x, y)
    assert own.oob_score_ == pytest.approx(peer.oob_score_, abs=0.07)
    assert own.oob_score_ < accuracy_score(y[:, 0], peer.predict(x)[:, 0]) - 0.3


def test_one_row_has_no_r2():
    x, y = np.arange(10.0)[:, None], np.arange(10.0)
    with pytest.warns(UserWarning, match="less than two samples"):
        assert np.isnan(Ridge().fit(x, y).score(x[:1], y[:1]))


def test_more_draws_than_can_be_counted_take_no_time():
    started = time.perf_counter()
    RandomForestRegressor(1, max_samples=2**31).fit(np.arange(2.0)[:, None], np.arange(2.0))
    assert time.perf_counter() - started < 2


def test_targets_of_arrow_and_missing_ones():
    x, labels = np.arange(20.0).reshape(10, 2), ["a", "b"] * 5
    expected = DecisionTreeClassifier().fit(x, labels).predict(x).tolist()
    for y in (pa.array(labels), pa.chunked_array([labels]), pd.Series(labels, dtype="string")):
        assert DecisionTreeClassifier().fit(x, y).predict(x).tolist() == expected
    for y in (pa.array([*labels[:9], None]), pd.Series([*labels[:9], None], dtype="string")):
        with pytest.raises(ValueError, match="NaN or None"):
            DecisionTreeClassifier().fit(x, y)
    with pytest.raises(ValueError, match="text"):
        DecisionTreeClassifier().fit(x, np.array([3, 2**63 + 1] * 5, dtype=np.uint64))


def test_nanoseconds_of_arrow_are_read():
    from mercer._frames import adapter

    moments = pd.Series(pd.to_datetime([1_577_836_800_000_000_003, None]))
    name, kind, values = adapter(pa.table({"t": pa.array(moments)})).column(0, "t")
    assert kind == "time"
    assert values[0] == 1_577_836_800_000_000


def test_places_are_places_whatever_columns_are_called():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    y = x[:, 0] * x[:, 1] + x[:, 2]
    turned = pd.DataFrame(x, columns=["2", "1", "0"])
    plain = HistGradientBoostingRegressor(max_iter=20, interaction_cst=[[0, 1], [2]]).fit(x, y)
    named = HistGradientBoostingRegressor(max_iter=20, interaction_cst=[[0, 1], [2]]).fit(turned, y)
    np.testing.assert_array_equal(plain.predict(x), named.predict(turned))


def test_rankings_take_the_queries_of_their_rows():
    """The order within queries is learnt, and rows without queries are refused."""
    from mercer.boosting import Booster
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(3)
    groups = np.repeat([f"q{i}" for i in range(60)], 8)
    x = rng.normal(size=(480, 3))
    y = np.digitize(x[:, 0] + 0.3 * rng.normal(size=480), [-1, 0, 1])
    ranker = Booster(objective="lambdarank", num_iterations=30, min_data_in_leaf=5)
    model = ranker.fit(x, y, groups=groups)
    scores = model.predict(x).reshape(60, 8)
    assert ndcg_score(y.reshape(60, 8), scores) > 0.9 > ndcg_score(y.reshape(60, 8), -scores)
    with pytest.raises((TypeError, ValueError), match="groups"):
        ranker.fit(x, y)
    with pytest.raises(ValueError, match="480"):
        ranker.fit(x, y, groups=groups[:-1])
