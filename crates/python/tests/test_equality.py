"""The same numbers as scikit-learn on small data."""

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.dummy
import sklearn.impute
import sklearn.linear_model
import sklearn.preprocessing
import sklearn.tree
from conftest import get
from numpy.testing import assert_allclose


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_ridge(numbers, rng, fit_intercept, weighted):
    x, y = numbers
    w = rng.uniform(0.1, 2.0, size=len(y)) if weighted else None
    ours = get("Ridge")(alpha=0.7, fit_intercept=fit_intercept).fit(x, y, sample_weight=w)
    theirs = sklearn.linear_model.Ridge(alpha=0.7, fit_intercept=fit_intercept).fit(x, y, sample_weight=w)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)
    assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9)
    assert_allclose(ours.score(x, y, w), theirs.score(x, y, w), rtol=1e-9)


def test_ridge_with_two_targets(numbers):
    x, y = numbers
    both = np.column_stack([y, -2 * y + x[:, 0]])
    ours, theirs = get("Ridge")().fit(x, both), sklearn.linear_model.Ridge().fit(x, both)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)
    assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-8)
    assert_allclose(ours.score(x, both), theirs.score(x, both))


def test_pca(numbers):
    x, _ = numbers
    ours = get("PCA")(n_components=3).fit(x)
    theirs = sklearn.decomposition.PCA(n_components=3).fit(x)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    assert_allclose(np.abs(ours.transform(x)), np.abs(theirs.transform(x)), rtol=1e-7, atol=1e-9)
    back = ours.inverse_transform(ours.transform(x))
    assert_allclose(back, theirs.inverse_transform(theirs.transform(x)), rtol=1e-7, atol=1e-9)
    assert get("PCA")(n_components=None).fit(x).transform(x).shape == x.shape


def test_standard_scaler(numbers):
    x, _ = numbers
    ours, theirs = get("StandardScaler")().fit(x), sklearn.preprocessing.StandardScaler().fit(x)
    assert_allclose(ours.transform(x), theirs.transform(x), rtol=1e-10, atol=1e-12)
    assert_allclose(ours.inverse_transform(ours.transform(x)), x, rtol=1e-10)
    assert_allclose(ours.mean_, theirs.mean_, rtol=1e-10, atol=1e-12)


def test_one_hot_encoder(rng):
    x = rng.integers(0, 4, size=(50, 3)).astype(float)
    ours, theirs = get("OneHotEncoder")().fit(x), sklearn.preprocessing.OneHotEncoder().fit(x)
    assert_allclose(ours.transform(x).toarray(), theirs.transform(x).toarray())
    words = np.array([["a", "x"], ["b", "y"], ["a", "z"]], dtype=object)
    ours = get("OneHotEncoder")(sparse_output=False).fit(words)
    theirs = sklearn.preprocessing.OneHotEncoder(sparse_output=False).fit(words)
    assert_allclose(ours.transform(words), theirs.transform(words))
    assert ours.get_feature_names_out().tolist() == ["x0_a", "x0_b", "x1_x", "x1_y", "x1_z"]
    with pytest.raises(ValueError, match="not seen in training"):
        get("OneHotEncoder")().fit(x).transform(x + 10)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_simple_imputer(rng, strategy):
    x = rng.integers(0, 5, size=(40, 3)).astype(float)
    x[rng.random(x.shape) < 0.2] = np.nan
    ours = get("SimpleImputer")(strategy=strategy).fit_transform(x)
    assert_allclose(ours, sklearn.impute.SimpleImputer(strategy=strategy).fit_transform(x))


def test_dummies(numbers):
    x, y = numbers
    assert_allclose(get("DummyRegressor")().fit(x, y).predict(x), np.full(len(y), y.mean()))
    labels = np.where(y > 1, "big", "small")
    ours, theirs = get("DummyClassifier")().fit(x, labels), sklearn.dummy.DummyClassifier().fit(x, labels)
    assert (ours.predict(x) == theirs.predict(x)).all()
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_regression(rng, n_classes):
    x = rng.normal(size=(150, 4))
    y = np.digitize(x[:, 0] + 0.5 * rng.normal(size=150), np.linspace(-0.5, 0.5, n_classes - 1))
    ours = get("LogisticRegression")(tol=1e-8).fit(x, y)
    theirs = sklearn.linear_model.LogisticRegression(tol=1e-8, max_iter=1000).fit(x, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), rtol=1e-4, atol=1e-6)
    assert (ours.predict(x) == theirs.predict(x)).all()
    assert ours.decision_function(x).shape == theirs.decision_function(x).shape


def test_decision_trees(rng, numbers):
    x, y = numbers
    labels = (y > y.mean()).astype(int)
    ours = get("DecisionTreeClassifier")(max_depth=3)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=3, random_state=0)
    assert ours.fit(x, labels).score(x, labels) == theirs.fit(x, labels).score(x, labels)
    ours = get("DecisionTreeRegressor")(max_depth=3)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0)
    assert_allclose(ours.fit(x, y).score(x, y), theirs.fit(x, y).score(x, y), rtol=1e-9)


def test_k_means(rng):
    x = np.concatenate([rng.normal(loc=c, size=(40, 2)) for c in (-8.0, 0.0, 8.0)])
    ours = get("KMeans")(n_clusters=3, random_state=0).fit(x)
    theirs = sklearn.cluster.KMeans(n_clusters=3, n_init=10, random_state=0).fit(x)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-6)
    labels = get("KMeans")(n_clusters=3, random_state=0).fit_predict(x)
    assert len(np.unique(labels)) == 3 and (ours.predict(x) == ours.labels_).all()
