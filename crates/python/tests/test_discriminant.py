"""Discriminants against scikit-learn's, on real data."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as theirs
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine

from mercer import discriminant_analysis as ours

LINEAR = [
    {},
    {"solver": "lsqr"},
    {"solver": "eigen"},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.3},
]
QUADRATIC = [{}, {"reg_param": 0.2}, {"solver": "eigen"}, {"solver": "eigen", "shrinkage": "auto"}]


@pytest.fixture(params=[load_iris, load_wine], ids=["iris", "wine"])
def rows(request):
    return request.param(return_X_y=True)


@pytest.mark.parametrize("params", LINEAR, ids=str)
def test_linear(rows, params):
    x, y = rows
    own = ours.LinearDiscriminantAnalysis(**params).fit(x, y)
    wanted = theirs.LinearDiscriminantAnalysis(**params).fit(x, y)
    scale = np.abs(wanted.coef_).max()
    assert_allclose(own.coef_ / scale, wanted.coef_ / scale, atol=1e-9)
    assert_allclose(own.predict_proba(x), wanted.predict_proba(x), atol=1e-9)
    if params.get("solver") != "lsqr":
        assert_allclose(own.explained_variance_ratio_, wanted.explained_variance_ratio_, atol=1e-9)
        assert_allclose(np.abs(own.transform(x)), np.abs(wanted.transform(x)), atol=1e-7)


@pytest.mark.parametrize("params", QUADRATIC, ids=str)
def test_quadratic(rows, params):
    x, y = rows
    own = ours.QuadraticDiscriminantAnalysis(store_covariance=True, **params).fit(x, y)
    wanted = theirs.QuadraticDiscriminantAnalysis(store_covariance=True, **params).fit(x, y)
    assert_allclose(own.predict_proba(x), wanted.predict_proba(x), atol=1e-9)
    assert_allclose(own.covariance_, wanted.covariance_, rtol=1e-9, atol=1e-9)


def test_one_direction_parts_two_classes():
    x, y = load_iris(return_X_y=True)
    x, y = x[50:], y[50:]
    own = ours.FisherDiscriminant(norm="unit").fit(x, y)
    wanted = theirs.LinearDiscriminantAnalysis(solver="lsqr").fit(x, y).coef_[0]
    assert_allclose(own.direction_, wanted / np.linalg.norm(wanted), atol=1e-9)
