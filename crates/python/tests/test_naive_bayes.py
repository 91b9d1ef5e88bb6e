"""Naive Bayes: what Mercer has beyond scikit-learn, and what both say of the same rows."""

import numpy as np
import pytest

from mercer.inspection import shap_values
from mercer.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    return rng.poisson(2 + 2 * (np.arange(5) < 2 + y[:, None])).astype(float), y


@pytest.mark.parametrize("make", [BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB])
def test_same_as_scikit_learn(make, rows):
    theirs = pytest.importorskip("sklearn.naive_bayes")
    X, y = rows
    ours, peer = make().fit(X, y), getattr(theirs, make.__name__)().fit(X, y)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-9, atol=1e-12)
    assert (ours.predict(X) == peer.predict(X)).all()
    assert all(v.holds for v in ours.verify(X, y))


def test_log_probabilities_that_underflow_stay_finite():
    X = np.array([[0.0], [1.0], [1000.0], [1001.0]])
    model = GaussianNB().fit(X, [0, 0, 1, 1])
    assert model.predict_proba([[1000.0]])[0, 0] == 0.0
    assert np.isfinite(model.predict_log_proba([[1000.0]])).all()


def test_rows_that_no_class_allows_have_even_logarithms():
    """Without smoothing: neither class ever had both features."""
    model = BernoulliNB(alpha=0.0).fit([[1, 0], [1, 0], [0, 1], [0, 1]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_log_proba([[1, 1]]), np.log([[0.5, 0.5]]))
    np.testing.assert_allclose(model.predict_proba([[1, 1]]), [[0.5, 0.5]])


def test_linear_forms(rows):
    X, y = rows
    for model in (BernoulliNB(binarize=2.0), MultinomialNB(), GaussianNB(shared_variance=True)):
        model.fit(X, y)
        joint = model.predict_joint_log_proba(X)
        counted = (X > 2.0).astype(float) if isinstance(model, BernoulliNB) else X
        odds = counted @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(joint[:, 1] - joint[:, 0], odds, atol=1e-9)


def test_unseen_values_and_classes():
    X, y = np.array([[0], [0], [1], [1]]), [0, 0, 0, 1]
    model = CategoricalNB(unseen="smooth", prior_alpha=1.0).fit(X, y)
    np.testing.assert_allclose(np.exp(model.unseen_log_prob_).ravel(), [1 / 6, 1 / 4])
    np.testing.assert_allclose(np.exp(model.unseen_class_log_prior_), 1 / 7)
    assert model.predict_proba([[9]]).shape == (1, 2)
    with pytest.raises(ValueError, match="not seen in training"):
        CategoricalNB().fit(X, y).predict([[9]])


def test_contributions_add_up(rows):
    X, y = rows
    model = GaussianNB().fit(X, y)
    found = shap_values(model, X[:7])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_joint_log_proba(X[:7]), rtol=1e-9)


def test_sparse_batches_are_the_whole(rows):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = rows
    for make in (BernoulliNB, ComplementNB, MultinomialNB):
        whole, parts = make().fit(X, y), make()
        for at in range(0, 200, 60):
            parts.partial_fit(sparse.csr_matrix(X[at : at + 60]), y[at : at + 60], classes=[0, 1])
        np.testing.assert_allclose(parts.feature_log_prob_, whole.feature_log_prob_, rtol=1e-12)
