"""Penalised least squares and generalised linear models: starts, folds, offsets, penalties by target, single precision."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from mercer.linear_model import (
    ElasticNet,
    ElasticNetCV,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LassoCV,
    LpRegressor,
    MultiTaskLasso,
    MultiTaskLassoCV,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    TweedieRegressor,
    enet_path,
    ridge_regression,
)
from mercer.model_selection import KFold, ShuffleSplit

SOLVERS = ["svd", "cholesky", "dual", "sparse_cg", "lsqr", "gradient_descent", "sag", "saga"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(60, 6))
    y = X @ [1.0, -2.0, 0.0, 0.5, 0.0, 3.0] + 1.0 + rng.normal(size=60)
    return X, y


# Starts


@pytest.mark.parametrize("learner", [Lasso(alpha=0.05), ElasticNet(alpha=0.05), HuberRegressor(), PoissonRegressor(alpha=0.1)])
def test_a_warm_start_begins_where_the_last_fit_ended(data, learner):
    X, y = data
    y = np.exp(0.2 * y) if isinstance(learner, PoissonRegressor) else y
    cold = learner.fit(X, y)
    coef, passes = cold.coef_.copy(), cold.n_iter_
    assert passes > 0
    cold.fit(X, y)
    assert cold.n_iter_ == passes
    warm = cold.set_params(warm_start=True).fit(X, y)
    assert warm.n_iter_ == 0
    np.testing.assert_allclose(warm.coef_, coef, rtol=1e-8, atol=1e-10)


def test_coefficients_may_be_set_to_begin_at(data):
    X, y = data
    cold = Lasso(alpha=0.1, tol=1e-10).fit(X, y)
    warm = Lasso(alpha=0.1, tol=1e-10, warm_start=True)
    warm.coef_ = np.full(6, 100.0)
    warm.fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-6)
    with pytest.raises(ValueError, match="start from"):
        warm.fit(X[:, :3], y)


# Folds


@pytest.mark.parametrize("tall", [True, False])
def test_splitters_and_iterables_are_the_folds(data, tall):
    X, y = data
    X, y = (X, y) if tall else (X[:5], y[:5])
    cv = KFold(3)
    plain = LassoCV(cv=3, alphas=8).fit(X, y)
    for folds in (cv, list(cv.split(X)), cv.split(X)):
        given = LassoCV(cv=folds, alphas=8).fit(X, y)
        np.testing.assert_array_equal(given.mse_path_, plain.mse_path_)
        assert given.alpha_ == plain.alpha_


def test_shuffled_folds_are_fitted_one_by_one(data):
    X, y = data
    cv = ShuffleSplit(3, random_state=1)
    found = ElasticNetCV(cv=cv, alphas=[0.3, 0.1], tol=1e-8).fit(X, y)
    for f, (train, test) in enumerate(cv.split(X)):
        for a, alpha in enumerate([0.3, 0.1]):
            model = ElasticNet(alpha=alpha, tol=1e-10).fit(X[train], y[train])
            error = np.mean((model.predict(X[test]) - y[test]) ** 2)
            assert found.mse_path_[a, f] == pytest.approx(error, rel=1e-4)
    Y = np.c_[y, -y]
    assert MultiTaskLassoCV(cv=cv, alphas=4).fit(X, Y).mse_path_.shape == (4, 3)


def test_parameters_of_fit_are_refused_unless_they_are_routed(data):
    X, y = data
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        LassoCV().fit(X, y, groups=np.arange(60) % 3)
    sklearn = pytest.importorskip("sklearn")
    from sklearn.model_selection import GroupKFold

    with sklearn.config_context(enable_metadata_routing=True):
        groups = np.arange(60) % 3
        found = LassoCV(cv=GroupKFold(3), alphas=5).fit(X, y, groups=groups)
        folds = list(GroupKFold(3).split(X, y, groups))
    np.testing.assert_array_equal(found.mse_path_, LassoCV(cv=folds, alphas=5).fit(X, y).mse_path_)


# Ridge regression


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_target_may_have_its_penalty(data, solver):
    X, y = data
    Y = np.c_[y, y[::-1]]
    both = Ridge(alpha=[0.5, 9.0], solver=solver, tol=1e-12).fit(X, Y)
    for k, alpha in enumerate([0.5, 9.0]):
        alone = Ridge(alpha=alpha, solver="cholesky").fit(X, Y[:, k])
        np.testing.assert_allclose(both.coef_[k], alone.coef_, rtol=1e-8, atol=1e-10)
    assert both.solver_ == solver
    with pytest.raises(ValueError, match="penalties do not correspond: 3 != 2"):
        Ridge(alpha=[1, 2, 3], solver=solver).fit(X, Y)


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_positive_coefficients_of_sparse_rows(data, solver):
    X, y = data
    dense = Ridge(positive=True).fit(X, y)
    found = Ridge(positive=True, solver=solver, tol=1e-12).fit(sparse.csr_matrix(X), y)
    assert (dense.coef_ >= 0).all() and (dense.coef_ == 0).any()
    np.testing.assert_allclose(found.coef_, dense.coef_, atol=1e-8)


def test_single_rows_have_single_answers(data):
    X, y = data
    X32, y32 = X.astype(np.float32), y.astype(np.float32)
    for learner in (Ridge(), Lasso(), RidgeCV(), LassoCV()):
        model = learner.fit(X32, y32)
        assert model.coef_.dtype == model.predict(X32).dtype == np.float32
        assert model.predict(X).dtype == np.float64


def test_a_column_is_told_from_a_vector(data):
    X, y = data
    assert isinstance(Ridge().fit(X, y).intercept_, float)
    column = Ridge().fit(X, y[:, None])
    assert column.coef_.shape == (6,) and column.intercept_.shape == (1,)
    tasks = MultiTaskLasso().fit(X, y[:, None])
    assert tasks.coef_.shape == (1, 6) and tasks.intercept_.shape == (1,)


@pytest.mark.parametrize("learner", [RidgeClassifier(), RidgeClassifierCV(), RidgeClassifierCV(cv=3)])
def test_labels_of_several_targets(data, learner):
    X, y = data
    Y = np.c_[y > 0, y > 1, X[:, 0] > 0].astype(int)
    said = learner.fit(X, Y).predict(X)
    assert said.shape == Y.shape and (said == Y).mean() > 0.85
    for k in range(3):
        if learner.__class__ is RidgeClassifier:
            np.testing.assert_array_equal(RidgeClassifier().fit(X, Y[:, k]).predict(X), said[:, k])


def test_a_scorer_of_the_users_sees_rows_left_out(data):
    X, y = data

    def least(estimator, rows, target):
        return -np.abs(estimator.predict(rows) - target).max()

    alphas = [0.1, 10.0, 1000.0]
    found = RidgeCV(alphas=alphas, scoring=least, store_cv_results=True).fit(X, y)
    assert found.cv_results_.shape == (60, 3)
    worst = []
    for alpha in alphas:
        off = [abs(Ridge(alpha=alpha).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] - y[i]) for i in range(60)]
        worst.append(-max(off))
    assert found.alpha_ == alphas[int(np.argmax(worst))]
    assert found.best_score_ == pytest.approx(max(worst))


def test_ridge_regression_says_what_it_does_not_take(data):
    X, y = data
    coef, intercept = ridge_regression(X, y, 1.0, return_intercept=True)
    model = Ridge().fit(X, y)
    np.testing.assert_allclose(coef, model.coef_)
    assert intercept == pytest.approx(model.intercept_)
    with pytest.raises(ValueError, match="only 'sag' solver"):
        ridge_regression(X, y, 1.0, solver="svd", return_intercept=True)


# Nets


def test_a_gram_matrix_must_be_that_of_the_rows(data):
    X, y = data
    X = X - X.mean(axis=0)
    plain = ElasticNet(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(ElasticNet(alpha=0.1, precompute=X.T @ X).fit(X, y).coef_, plain.coef_)
    with pytest.raises(ValueError, match="did not pass validation"):
        ElasticNet(alpha=0.1, precompute=X.T @ X + 1.0).fit(X, y)
    with pytest.warns(UserWarning, match="recomputing"):
        ElasticNet(alpha=0.1, precompute=X.T @ X).fit(X + 1.0, y)


def test_warnings_of_nets(data):
    X, y = data
    with pytest.warns(UserWarning, match="With alpha=0"):
        Lasso(alpha=0.0).fit(X, y)
    with pytest.warns(UserWarning, match="did not converge"):
        Lasso(alpha=1e-9, max_iter=1, tol=1e-14).fit(X[:4], y[:4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enet_path(X, y, alphas=5)
    with pytest.raises(ValueError, match="not allowed for multi-output"):
        enet_path(X, np.c_[y, y], positive=True)


# Generalised linear models


@pytest.mark.parametrize("learner", [PoissonRegressor, GammaRegressor, TweedieRegressor])
def test_an_offset_is_added_to_the_score(data, learner):
    rng = np.random.default_rng(0)
    X = data[0]
    exposure = rng.gamma(2.0, 3.0, size=60) + 0.1
    mean = np.exp(0.3 * X[:, 0]) * exposure
    y = rng.poisson(mean) + 1.0
    power = {"power": 1.5} if learner is TweedieRegressor else {}
    rows = np.c_[X, np.log(exposure)]
    model = learner(alpha=0.0, offset=6, tol=1e-9, **power).fit(rows, y)
    assert model.coef_[6] == 1.0
    score = X @ model.coef_[:6] + model.intercept_ + np.log(exposure)
    np.testing.assert_allclose(model.predict(rows), np.exp(score), rtol=1e-10)
    # The gradient of the deviance is zero.
    p = {PoissonRegressor: 1.0, GammaRegressor: 2.0, TweedieRegressor: 1.5}[learner]
    mu = np.exp(score)
    pull = (y - mu) * mu ** (1.0 - p)
    np.testing.assert_allclose(np.c_[np.ones(60), X].T @ pull, 0.0, atol=1e-6 * np.abs(pull).sum())
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=[*"abcdef", "log_exposure"])
    for offset in ("log_exposure", 6, -1):
        named = learner(alpha=0.0, offset=offset, tol=1e-9, **power).fit(frame, y)
        np.testing.assert_allclose(named.coef_, model.coef_, rtol=1e-8)
    with pytest.raises(ValueError, match="offset"):
        learner(offset="age", **power).fit(frame, y)


# Sparse rows


@pytest.mark.parametrize("learner", [HuberRegressor(), QuantileRegressor(alpha=0.01), LpRegressor(p=1.5), LpRegressor()])
def test_robust_regressions_take_sparse_rows_as_they_are(data, learner):
    X, y = data
    X = np.where(X > 0.3, X, 0.0)
    dense = learner.fit(X, y).coef_
    found = learner.fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(found.coef_, dense, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found.predict(sparse.csr_matrix(X)), found.predict(X))
