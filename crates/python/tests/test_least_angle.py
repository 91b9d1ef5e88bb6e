"""Least angles, matching pursuit, many classes and discriminants: what the Python door adds, against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.covariance
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.multiclass
from sklearn.datasets import load_diabetes, load_iris, make_multilabel_classification
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from mercer.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from mercer.linear_model import (
    Lars,
    LarsCV,
    LassoLars,
    LassoLarsCV,
    LassoLarsIC,
    LogisticRegression,
    OrdinalRegression,
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    PairwiseRanker,
    SGDClassifier,
    lars_path,
    lars_path_gram,
    orthogonal_mp,
    orthogonal_mp_gram,
)
from mercer.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

X, y = load_diabetes(return_X_y=True)
flowers, kinds = load_iris(return_X_y=True)


@pytest.mark.parametrize("ours, params", [(LarsCV, {}), (LassoLarsCV, {"max_n_alphas": 20}), (LassoLarsIC, {"criterion": "bic"})])
def test_chosen_strengths_are_scikit_learns(ours, params):
    # No coefficient crosses zero on the way, where scikit-learn turns its sign and the paper does not.
    draws = np.random.RandomState(0)
    rows = draws.normal(size=(120, 6))
    target = rows @ [3.0, -2.0, 1.0, 0.5, 0.0, 0.0] + draws.normal(size=120)
    theirs = getattr(sklearn.linear_model, ours.__name__)(**params).fit(rows, target)
    ours = ours(**params).fit(rows, target)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
    assert ours.certificate_.evidence[0].value < 1e-9


def test_a_splitter_of_the_users_parts_the_rows():
    cv = KFold(4, shuffle=True, random_state=0)
    for ours, theirs in [(LassoLarsCV, sklearn.linear_model.LassoLarsCV)]:
        a, b = ours(cv=cv).fit(X, y), theirs(cv=cv).fit(X, y)
        np.testing.assert_allclose(a.alpha_, b.alpha_, rtol=1e-6)
        np.testing.assert_allclose(a.mse_path_[-5:], b.mse_path_[-5:], rtol=1e-6)
    a = OrthogonalMatchingPursuitCV(cv=cv).fit(X, y)
    b = sklearn.linear_model.OrthogonalMatchingPursuitCV(cv=cv).fit(X, y)
    assert a.n_nonzero_coefs_ == b.n_nonzero_coefs_
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-8)
    with pytest.raises(ValueError, match="must part the rows"):
        LarsCV(cv=ShuffleSplit(3, random_state=0)).fit(X, y)


def test_jitter_is_drawn_as_in_scikit_learn():
    ours = Lars(jitter=1e-3, random_state=3).fit(X, y)
    theirs = sklearn.linear_model.Lars(jitter=1e-3, random_state=3).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert not np.array_equal(ours.coef_, Lars().fit(X, y).coef_)


def test_a_feature_that_others_span_is_told_of():
    twice = np.column_stack([X, X[:, 2]])
    with pytest.warns(UserWarning, match="degenerate"):
        LassoLars(alpha=0.0).fit(twice, y)


def test_paths_of_products():
    gram, xy = X.T @ X, X.T @ y
    for method in ("lar", "lasso"):
        rows = lars_path(X, y, method=method)
        products = lars_path_gram(xy, gram, n_samples=len(y), method=method)
        for a, b in zip(rows, products):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(orthogonal_mp(X, y, n_nonzero_coefs=4), orthogonal_mp_gram(gram, xy, n_nonzero_coefs=4), rtol=1e-8)
    with pytest.raises(ValueError, match="precomputed norms"):
        orthogonal_mp_gram(gram, xy, tol=1.0)


def test_pursuit_of_sparse_rows_and_a_tolerance():
    rows = scipy.sparse.random(60, 12, density=0.3, random_state=0, format="csr")
    target = rows @ np.arange(12.0)
    dense, sparse = (OrthogonalMatchingPursuit(tol=1.0).fit(r, target) for r in (rows.toarray(), rows))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    assert dense.n_nonzero_coefs_ is None and ((target - dense.predict(rows.toarray())) ** 2).sum() <= 1.0


def test_several_labels_at_once():
    rows, labels = make_multilabel_classification(n_samples=120, n_classes=4, random_state=0)
    ours = OneVsRestClassifier(LogisticRegression(tol=1e-8, max_iter=1000)).fit(rows, labels)
    theirs = sklearn.multiclass.OneVsRestClassifier(sklearn.linear_model.LogisticRegression(tol=1e-8, max_iter=1000))
    theirs.fit(rows, labels)
    assert ours.multilabel_ and ours.certificate_ is not None
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-2)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.score(rows, labels) == theirs.score(rows, labels)
    sparse = OneVsRestClassifier(LogisticRegression()).fit(rows, scipy.sparse.csr_matrix(labels))
    assert scipy.sparse.issparse(sparse.predict(rows)) and sparse.score(rows, scipy.sparse.csr_matrix(labels)) > 0.3


def test_members_need_not_be_mercers():
    for ours, theirs in [(OneVsRestClassifier, sklearn.multiclass.OneVsRestClassifier),
                         (OneVsOneClassifier, sklearn.multiclass.OneVsOneClassifier)]:
        a, b = ours(GaussianNB()).fit(flowers, kinds), theirs(GaussianNB()).fit(flowers, kinds)
        np.testing.assert_array_equal(a.predict(flowers), b.predict(flowers))
        assert len(a.estimators_) == len(b.estimators_) and a.n_classes_ == 3
        assert not hasattr(ours(sklearn.linear_model.LogisticRegression()), "partial_fit")
    a = OutputCodeClassifier(GaussianNB(), code_size=3, random_state=0).fit(flowers, kinds)
    b = sklearn.multiclass.OutputCodeClassifier(GaussianNB(), code_size=3, random_state=0).fit(flowers, kinds)
    np.testing.assert_array_equal(a.code_book_, b.code_book_)
    np.testing.assert_array_equal(a.predict(flowers), b.predict(flowers))


def test_batches_go_to_the_members():
    order = np.random.RandomState(0).permutation(len(kinds))
    for member in (MultinomialNB(), SGDClassifier(random_state=0)):
        for whole in (OneVsRestClassifier(member), OneVsOneClassifier(member)):
            whole.partial_fit(flowers[order[:100]], kinds[order[:100]], classes=[0, 1, 2])
            whole.partial_fit(flowers[order[100:]], kinds[order[100:]])
            assert whole.score(flowers, kinds) > 0.6
            with pytest.raises(ValueError, match="Mini-batch contains"):
                whole.partial_fit(flowers[:2], [0, 7])


def test_constant_labels_are_told_of():
    labels = np.column_stack([kinds == 0, np.ones_like(kinds)])
    with pytest.warns(UserWarning, match="Label 1 is present in all training examples"):
        whole = OneVsRestClassifier(LogisticRegression()).fit(flowers, labels)
    assert (whole.predict(flowers)[:, 1] == 1).all()


def test_covariances_of_the_users_estimator():
    for solver in ("lsqr", "eigen"):
        params = {"solver": solver, "covariance_estimator": sklearn.covariance.ShrunkCovariance(shrinkage=0.3)}
        ours = LinearDiscriminantAnalysis(**params).fit(flowers, kinds)
        theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**params).fit(flowers, kinds)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
        np.testing.assert_allclose(ours.predict_proba(flowers), theirs.predict_proba(flowers), atol=1e-8)
    params = {"solver": "eigen", "covariance_estimator": sklearn.covariance.OAS()}
    ours = QuadraticDiscriminantAnalysis(**params).fit(flowers, kinds)
    theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(**params).fit(flowers, kinds)
    np.testing.assert_allclose(ours.decision_function(flowers), theirs.decision_function(flowers), rtol=1e-6)
    with pytest.raises(ValueError, match="knows no weights"):
        ours.fit(flowers, kinds, sample_weight=np.ones(len(kinds)))


def test_sparse_rows_of_ordered_and_ranked_targets():
    rows = scipy.sparse.random(150, 8, density=0.4, random_state=1, format="csr")
    score = rows @ np.linspace(-3, 3, 8)
    ordered = np.digitize(score, np.quantile(score, [0.3, 0.7]))
    for made, target in [(OrdinalRegression(), ordered), (PairwiseRanker(), score)]:
        dense, sparse = (made.__class__().fit(r, target) for r in (rows.toarray(), rows))
        np.testing.assert_allclose(sparse.predict(rows), dense.predict(rows.toarray()), atol=1e-5)


def test_criteria_ask_for_the_noise_where_rows_are_few():
    with pytest.raises(ValueError, match="number of samples is smaller"):
        LassoLarsIC().fit(X[:8], y[:8])
    assert LassoLarsIC(noise_variance=3000.0).fit(X[:8], y[:8]).noise_variance_ == 3000.0
