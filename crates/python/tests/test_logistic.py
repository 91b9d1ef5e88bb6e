"""Logistic regressions, descents and linear machines in Python: starts, folds, scorers, layouts, scikit-learn's words."""

import warnings

import numpy as np
import pytest

from mercer.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from mercer.svm import LinearSVC, LinearSVR, l1_min_c

sparse = pytest.importorskip("scipy.sparse")


def rows(n=120, d=6, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    y = np.argmax(x[:, :classes] + 0.7 * rng.standard_normal((n, classes)), axis=1)
    return x, y


@pytest.mark.parametrize("solver", ["auto", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "coordinate"])
def test_a_second_fit_begins_where_the_first_ended(solver):
    x, y = rows()
    model = LogisticRegression(solver=solver, warm_start=True, tol=1e-7, max_iter=2000).fit(x, y)
    first = model.coef_.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(max_iter=1).fit(x, y)
    assert np.abs(model.coef_ - first).max() < 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anew = LogisticRegression(solver=solver, max_iter=1, tol=1e-7).fit(x, y)
    if solver in ("sag", "saga", "lbfgs"):
        assert np.abs(anew.coef_ - first).max() > 1e-3


def test_liblinear_minimises_its_own_objective():
    x, y = rows()
    x = x + 1.0
    signs = np.where(y == 1, 1.0, -1.0)

    def objective(w, b, c, scaling, l1):
        loss = c * np.logaddexp(0, -signs * (x @ w + b)).sum()
        own = np.append(w, b / scaling)
        return loss + (np.abs(own).sum() if l1 else 0.5 * own @ own)

    rng = np.random.default_rng(1)
    for l1 in (False, True):
        for scaling in (1.0, 5.0):
            params = dict(C=0.3, l1_ratio=float(l1), tol=1e-9, max_iter=5000)
            own = LogisticRegression(solver="liblinear", intercept_scaling=scaling, **params).fit(x, y)
            free = LogisticRegression(**params).fit(x, y)
            least = objective(own.coef_[0], own.intercept_[0], 0.3, scaling, l1)
            assert least <= objective(free.coef_[0], free.intercept_[0], 0.3, scaling, l1) + 1e-9
            for _ in range(20):
                w = own.coef_[0] + 0.01 * rng.standard_normal(x.shape[1])
                assert least <= objective(w, own.intercept_[0] + 0.01 * rng.standard_normal(), 0.3, scaling, l1)
            # The larger the constant, the less the intercept is penalised.
            assert abs(own.intercept_[0]) <= abs(free.intercept_[0]) + 1e-6
            assert all(v.holds for v in own.verify(x, y))


def test_solvers_of_the_l1_penalty_agree_and_prove_it():
    x, y = rows(300, 30)
    found = {}
    for solver in ("coordinate", "lbfgs", "saga"):
        model = LogisticRegression(l1_ratio=1.0, C=0.1, solver=solver, tol=1e-9, max_iter=20_000).fit(sparse.csr_matrix(x), y)
        found[solver] = model.coef_
        assert all(v.holds for v in model.verify(sparse.csr_matrix(x), y))
    assert np.abs(found["coordinate"] - found["lbfgs"]).max() < 1e-5
    assert np.abs(found["coordinate"] - found["saga"]).max() < 1e-5
    assert (found["coordinate"] == 0).sum() > 5
    named = {e.name: e.value for e in LogisticRegression(l1_ratio=1.0, C=0.1, tol=1e-9).fit(x, y).certificate_.evidence}
    assert named["relative duality gap"] < 1e-9


def test_coefficients_can_be_shown_sparse():
    x, y = rows()
    for model in (LogisticRegression(l1_ratio=1.0, C=0.1), SGDClassifier(penalty="l1"), LinearSVC(penalty="l1", C=0.1)):
        model.fit(x, y)
        scores, coef = model.decision_function(x), model.coef_
        model.sparsify()
        assert sparse.issparse(model.coef_) and np.array_equal(model.coef_.toarray(), coef)
        assert np.array_equal(model.decision_function(x), scores)
        model.densify()
        assert np.array_equal(model.coef_, coef)
        model.sparsify().fit(x, y)
        assert isinstance(model.coef_, np.ndarray)


def test_folds_and_scorers_of_the_user():
    x, y = rows(90, 4, 3)
    pairs = [(np.arange(30, 90), np.arange(30)), (np.r_[0:30, 60:90], np.arange(30, 60))]
    model = LogisticRegressionCV(Cs=[0.01, 1.0, 100.0], cv=pairs, scoring="neg_log_loss", tol=1e-8).fit(x, y)
    assert model.scores_.shape == (2, 1, 3)
    for fold, (train, test) in enumerate(pairs):
        for at, c in enumerate(model.Cs_):
            one = LogisticRegression(C=c, tol=1e-8).fit(x[train], y[train])
            p = one.predict_proba(x[test])[np.arange(len(test)), y[test]]
            assert model.scores_[fold, 0, at] == pytest.approx(np.log(p).mean(), abs=1e-6)
    assert model.C_ == model.Cs_[np.argmax(model.scores_[:, 0].mean(axis=0))]
    again = LogisticRegression(C=model.C_, tol=1e-8).fit(x, y)
    assert np.abs(again.coef_ - model.coef_).max() < 1e-4

    calls = []

    def score(estimator, X, y):
        calls.append(estimator.coef_.shape)
        return -abs(float(np.abs(estimator.coef_).sum()) - 1.0)

    chosen = LogisticRegressionCV(Cs=4, cv=3, scoring=score).fit(x, y)
    assert calls == [(3, 4)] * 12 and chosen.score(x, y) == score(chosen, x, y)


def test_layouts_of_old():
    x, y = rows(90, 4, 3)
    new = LogisticRegressionCV(Cs=3, cv=2, l1_ratios=(0.0, 1.0), tol=1e-3).fit(x, y)
    old = LogisticRegressionCV(Cs=3, cv=2, l1_ratios=(0.0, 1.0), tol=1e-3, use_legacy_attributes=True).fit(x, y)
    assert isinstance(new.C_, float) and isinstance(new.l1_ratio_, float)
    assert old.C_.shape == (3,) and set(old.scores_) == {0, 1, 2}
    assert old.scores_[1].shape == (2, 3, 2) and old.n_iter_.shape == (1, 2, 3, 2)
    for k in range(3):
        assert np.array_equal(old.scores_[k], np.moveaxis(new.scores_, 1, 2))
        assert np.array_equal(old.coefs_paths_[k], np.moveaxis(new.coefs_paths_, 1, 2)[:, :, :, k])
    plain = LogisticRegressionCV(Cs=3, cv=2, use_legacy_attributes=True).fit(x, y)
    assert plain.scores_[0].shape == (2, 3) and plain.coefs_paths_[2].shape == (2, 3, 5)


def test_what_does_not_go_together_is_said():
    x, y = rows(60, 4, 3)
    with pytest.raises(ValueError, match="does not support multiclass"):
        LogisticRegression(solver="liblinear").fit(x, y)
    with pytest.raises(ValueError, match="supports only dual=False"):
        LogisticRegression(solver="lbfgs", dual=True).fit(x, y)
    with pytest.raises(ValueError, match="Solver sag supports only 'l2'"):
        LogisticRegression(solver="sag", l1_ratio=1.0).fit(x, y)
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegression(solver="saga").fit(x, np.zeros(60))
    with pytest.raises(ValueError, match="Only 'saga'"):
        LogisticRegression(solver="liblinear", l1_ratio=0.5).fit(x, y == 1)
    with pytest.raises(ValueError, match="Unsupported set of arguments"):
        LinearSVC(penalty="l1", loss="hinge").fit(x, y)
    with pytest.warns(UserWarning, match="Liblinear failed to converge"):
        LinearSVR(max_iter=1, tol=1e-9).fit(x, y)
    with pytest.warns(UserWarning, match="The max_iter was reached"):
        LogisticRegression(solver="saga", max_iter=1, tol=1e-12).fit(x, y)
    with pytest.warns(UserWarning, match="will ignore the C"):
        LogisticRegression(penalty=None, C=3.0).fit(x, y)


def test_descents_begin_at_given_coefficients():
    x, y = rows()
    for cls in (SGDClassifier, Perceptron):
        once = cls(max_iter=3, tol=None, shuffle=False).fit(x, y)
        given = cls(max_iter=3, tol=None, shuffle=False).fit(x, y, coef_init=once.coef_, intercept_init=once.intercept_)
        warm = cls(max_iter=3, tol=None, shuffle=False, warm_start=True).fit(x, y).fit(x, y)
        assert np.array_equal(given.coef_, warm.coef_) and not np.array_equal(given.coef_, once.coef_)
        assert given.t_ == once.t_
        with pytest.raises(ValueError, match="coef_init does not match"):
            cls().fit(x, y, coef_init=np.zeros(3))
        with pytest.raises(ValueError, match="intercept_init does not match"):
            cls().fit(x, y, intercept_init=np.zeros(3))
    number = SGDRegressor(max_iter=2, tol=None).fit(x, x[:, 0], coef_init=np.eye(6)[0])
    assert np.abs(number.coef_ - np.eye(6)[0]).max() < 0.1


def test_probabilities_only_where_the_loss_has_some():
    x, y = rows()
    model = SGDClassifier(loss="hinge").fit(x, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as raised:
        model.predict_proba
    assert "not available for loss='hinge'" in str(raised.value.__cause__)
    p = SGDClassifier(loss="log_loss").fit(x, y).predict_proba(x)
    assert p.shape == (120, 2) and np.allclose(p.sum(axis=1), 1.0)


def test_outliers_by_one_class_machines():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((200, 3)) + 4.0
    for data in (x, sparse.csr_matrix(x)):
        model = SGDOneClassSVM(nu=0.2, learning_rate="constant", eta0=1e-3, average=200_000, max_iter=3000, tol=None).fit(data)
        said = model.predict(data)
        assert set(said) == {-1, 1} and abs((said == -1).mean() - 0.2) < 0.05
        assert np.allclose(model.decision_function(data), model.score_samples(data) - model.offset_)
        assert model.coef_.shape == (3,) and model.offset_.shape == (1,)
    begun = SGDOneClassSVM(nu=0.2, shuffle=False)
    for part in (x[:100], x[100:]):
        begun.partial_fit(part)
    assert begun.t_ == 201
    whole = SGDOneClassSVM(nu=0.2, shuffle=False, max_iter=1, tol=None).fit(x)
    assert np.allclose(begun.coef_, whole.coef_) and np.allclose(begun.offset_, whole.offset_)
    warm = SGDOneClassSVM(nu=0.2, shuffle=False, max_iter=2, tol=None, warm_start=True).fit(x).fit(x)
    again = SGDOneClassSVM(nu=0.2, shuffle=False, max_iter=2, tol=None).fit(x)
    again.fit(x, coef_init=again.coef_, offset_init=again.offset_)
    assert np.array_equal(warm.coef_, again.coef_)


def test_below_the_least_c_all_coefficients_are_zero():
    x, y = rows()
    c = l1_min_c(x, y, loss="log")
    params = dict(l1_ratio=1.0, solver="liblinear", tol=1e-10)
    none = LogisticRegression(C=0.999 * c, **params).fit(x, y)
    some = LogisticRegression(C=1.01 * c, **params).fit(x, y)
    assert (none.coef_ == 0).all() and none.intercept_ == 0
    assert (some.coef_ != 0).any() or some.intercept_ != 0
