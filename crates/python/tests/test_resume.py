"""Learning in batches."""

import pickle

import numpy as np
import pytest
from mercer.linear_model import Perceptron, SGDClassifier, SGDRegressor


def rows(n=60):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    return x, x @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("make", [SGDClassifier, Perceptron])
def test_batches_of_classes(make):
    x, z = rows()
    y = np.where(z > 0, "yes", "no")
    model = make(random_state=0)
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(x, y)
    first = np.flatnonzero(y == "yes")[:5]
    model.partial_fit(x[first], y[first], classes=["yes", "no"])
    assert model.classes_.tolist() == ["no", "yes"]
    for _ in range(20):
        copy = pickle.loads(pickle.dumps(model))
        model.partial_fit(x, y)
        copy.partial_fit(x, y)
        assert (model.coef_ == copy.coef_).all()
    assert model.score(x, y) > 0.9
    assert model.t_ == 1 + 5 + 20 * len(x)
    with pytest.raises(ValueError, match="not the same"):
        model.partial_fit(x, y, classes=["yes", "maybe"])
    with pytest.raises(ValueError, match="maybe"):
        model.partial_fit(x[:1], ["maybe"])


def test_batches_of_numbers():
    x, y = rows()
    model = SGDRegressor(random_state=0, eta0=0.05, penalty=None)
    for _ in range(100):
        model.partial_fit(x, y, np.ones(len(x)))
    assert model.score(x, y) > 0.98
