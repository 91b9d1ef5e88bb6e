"""mercer.stats beside scipy, live; frozen values stand with the Rust tests."""

import pickle

import numpy as np
import pytest
from scipy import stats as theirs

from mercer import stats


@pytest.mark.parametrize(
    "ours, scipy_law",
    [
        (stats.Normal(1.0, 2.0), theirs.norm(1, 2)),
        (stats.Gamma(2.5, rate=0.5), theirs.gamma(2.5, scale=2)),
        (stats.Beta(a=2.0, b=0.7), theirs.beta(2, 0.7)),
        (stats.StudentT(4.0), theirs.t(4)),
        (stats.Poisson(3.5), theirs.poisson(3.5)),
        (stats.Binomial(n=9, p=0.3), theirs.binom(9, 0.3)),
    ],
)
def test_values_are_those_of_scipy(ours, scipy_law):
    x = np.unique(scipy_law.ppf(np.linspace(0.05, 0.95, 12)))
    np.testing.assert_allclose(ours.cdf(x), scipy_law.cdf(x), rtol=1e-10)
    np.testing.assert_allclose(ours.sf(x), scipy_law.sf(x), rtol=1e-10)
    log = scipy_law.logpmf if ours._discrete else scipy_law.logpdf
    np.testing.assert_allclose(ours.logpdf(x), log(x), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.ppf([0.1, 0.5, 0.99]), scipy_law.ppf([0.1, 0.5, 0.99]), rtol=1e-10)
    assert ours.mean() == pytest.approx(scipy_law.mean()) and ours.std() == pytest.approx(scipy_law.std())
    assert ours.entropy() == pytest.approx(float(scipy_law.entropy()), rel=1e-8)
    np.testing.assert_allclose(ours.isf([1e-8, 0.5, 0.99]), scipy_law.isf([1e-8, 0.5, 0.99]), rtol=1e-10)
    np.testing.assert_allclose(ours.logcdf(x), scipy_law.logcdf(x), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(ours.logsf(x), scipy_law.logsf(x), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(ours.interval(0.9), scipy_law.interval(0.9), rtol=1e-10)
    assert ours.median() == pytest.approx(scipy_law.median()) and ours.support() == scipy_law.support()
    for order in range(1, 4):
        assert ours.moment(order) == pytest.approx(scipy_law.moment(order), rel=1e-9, abs=1e-12)
    assert isinstance(ours.cdf(x[0]), float) and ours.cdf(x.reshape(-1, 1)).shape == (len(x), 1)
    assert pickle.loads(pickle.dumps(ours)) == ours
    draws = ours.rvs((50, 2), random_state=3)
    assert draws.shape == (50, 2) and np.array_equal(draws, ours.rvs((50, 2), random_state=3))


def test_fits_hold_what_is_fixed_and_take_priors():
    x = [0.5, 2.0, 3.5, 1.0]
    free = stats.Normal.fit(x)
    assert free.law == stats.Normal(np.mean(x), np.std(x)) and free.score < 1e-12
    np.testing.assert_allclose(free.standard_errors, [np.std(x) / 2, np.std(x) / np.sqrt(8)])
    assert stats.Normal.fit(x, mu=0.0).law.sigma == pytest.approx(np.sqrt(np.mean(np.square(x))), rel=1e-8)
    coins = stats.Bernoulli.fit([1, 1, 0, 1, 0], priors={"p": stats.Beta(2.0, 3.0)})
    assert coins.law.p == pytest.approx(0.5, rel=1e-7)
    assert np.allclose(stats.Poisson(4.0).fisher_information(), 0.25)
    assert stats.Uniform().fisher_information() is None


def test_gaussian_calculus():
    law = stats.Gaussian([1.0, -1.0, 0.5], [[2.0, 0.3, -0.2], [0.3, 1.0, 0.1], [-0.2, 0.1, 0.7]])
    x = np.array([0.3, 0.2, 0.1])
    assert law.logpdf(x) == pytest.approx(theirs.multivariate_normal(law.mean, law.cov).logpdf(x), rel=1e-12)
    split = law.conditional([2], [0.1]).logpdf(x[:2]) + law.marginal([2]).logpdf(x[2:])
    assert split == pytest.approx(law.logpdf(x), rel=1e-12)
    other = stats.Gaussian(np.zeros(3), np.eye(3))
    product, log_integral = law.product(other)
    assert product.logpdf(x) + log_integral == pytest.approx(law.logpdf(x) + other.logpdf(x), rel=1e-12)
    mapped = law.map([[1.0, 1.0, 0.0]], [2.0])
    np.testing.assert_allclose([mapped.mean[0], mapped.cov[0, 0]], [2.0, 3.6])
    assert law.divergence(law) == pytest.approx(0.0, abs=1e-12) and other.quadratic_form(np.eye(3)) == (3.0, 6.0)
    assert law.rvs(5, random_state=0).shape == (5, 3) and pickle.loads(pickle.dumps(law)).logpdf(x) == law.logpdf(x)
    drawn = stats.Gaussian.fit(law.rvs(20_000, random_state=1))
    np.testing.assert_allclose(drawn.cov, law.cov, atol=0.1)


def test_laws_of_many_numbers():
    scale = np.array([[2.0, 0.3], [0.3, 1.0]])
    point = np.array([[3.0, 0.2], [0.2, 2.0]])
    assert stats.Wishart(4.0, scale).logpdf(point) == pytest.approx(theirs.wishart(4, scale).logpdf(point), rel=1e-12)
    assert stats.InverseWishart(4.0, scale).logpdf(point) == pytest.approx(theirs.invwishart(4, scale).logpdf(point), rel=1e-12)
    assert stats.Wishart(4.0, scale).rvs(3).shape == (3, 2, 2)
    assert stats.Dirichlet([1.0, 2.0, 3.0]).logpdf([0.2, 0.3, 0.5]) == pytest.approx(theirs.dirichlet([1, 2, 3]).logpdf([0.2, 0.3, 0.5]))
    rows = stats.Dirichlet([1.0, 2.0, 3.0]).rvs(5000, random_state=0)
    np.testing.assert_allclose(stats.Dirichlet.fit(rows).alpha, [1, 2, 3], rtol=0.1)
    assert stats.Multinomial(5, [0.2, 0.8]).rvs(10, random_state=0).sum(axis=1).tolist() == [5.0] * 10
    student = stats.MultivariateStudent(4.0, [0.0, 0.0], scale)
    assert student.logpdf([0.5, 0.1]) == pytest.approx(theirs.multivariate_t([0, 0], scale, 4).logpdf([0.5, 0.1]), rel=1e-12)


def test_laws_of_many_numbers_tell_mean_spread_and_entropy():
    scale = np.array([[2.0, 0.3], [0.3, 1.0]])
    for ours, scipys in [
        (stats.Wishart(7.0, scale), theirs.wishart(7, scale)),
        (stats.InverseWishart(7.0, scale), theirs.invwishart(7, scale)),
    ]:
        np.testing.assert_allclose(ours.mean(), scipys.mean(), rtol=1e-12)
        np.testing.assert_allclose(ours.var(), scipys.var(), rtol=1e-12)
        assert ours.entropy() == pytest.approx(float(scipys.entropy()), rel=1e-12)
    shares, counts = stats.Dirichlet([1.0, 2.0, 3.5]), stats.Multinomial(12, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(shares.mean(), theirs.dirichlet([1, 2, 3.5]).mean())
    np.testing.assert_allclose(shares.var(), theirs.dirichlet([1, 2, 3.5]).var())
    np.testing.assert_allclose(counts.mean(), [2.4, 3.6, 6.0])
    np.testing.assert_allclose(counts.cov(), theirs.multinomial(12, [0.2, 0.3, 0.5]).cov(), rtol=1e-12)
    assert counts.entropy() == pytest.approx(float(theirs.multinomial(12, [0.2, 0.3, 0.5]).entropy()), rel=1e-12)
    student = stats.MultivariateStudent(4.0, [1.0, 0.0], scale)
    np.testing.assert_allclose(student.cov(), 2 * scale)
    assert student.mean().tolist() == [1.0, 0.0]
    assert student.entropy() == pytest.approx(float(theirs.multivariate_t([1, 0], scale, 4).entropy()), rel=1e-12)
    many = stats.Gaussian([1.0, 0.0], scale)
    rows = many.rvs(400, random_state=1)
    np.testing.assert_allclose(many.logpdf(rows), theirs.multivariate_normal([1, 0], scale).logpdf(rows), rtol=1e-11)
    sum_of_two = many.plus(many)
    np.testing.assert_allclose([sum_of_two.mean[0], sum_of_two.cov[0, 1]], [2.0, 0.6])


def test_shares_are_merged_and_updated():
    law = stats.Dirichlet([1.0, 2.0, 3.5])
    assert law.merged([[0, 2], [1]]).alpha.tolist() == [4.5, 2.0]
    assert law.posterior([1, 0, 2]).alpha.tolist() == [2.0, 2.0, 5.5]
    assert law.marginal(1) == stats.Beta(2.0, 4.5)


def test_observations_that_are_silent_leave_the_word_to_the_prior():
    found = stats.Poisson.fit([0, 0, 0], priors={"rate": stats.Gamma(2.0, 1.0)})
    assert found.law.rate == pytest.approx(0.25, rel=1e-6)
    tiny = stats.Gamma.fit(np.array([1.0, 2.0, 4.0]) * 1e-25)
    assert tiny.law.shape == pytest.approx(stats.Gamma.fit([1.0, 2.0, 4.0]).law.shape, rel=1e-7)


def test_inverses_definiteness_and_norms_are_those_of_numpy():
    rng = np.random.default_rng(4)
    a = rng.standard_normal((4, 4)) + 4 * np.eye(4)
    u, v, c = rng.standard_normal((4, 2)), rng.standard_normal((2, 4)), np.array([[2.0, 0.5], [0.0, 1.0]])
    inverse = np.linalg.inv(a)
    found = stats.sherman_morrison(inverse, u[:, 0], v[0])
    np.testing.assert_allclose(found, np.linalg.inv(a + np.outer(u[:, 0], v[0])), atol=1e-12)
    found = stats.woodbury(inverse, u, np.linalg.inv(c), v)
    np.testing.assert_allclose(found, np.linalg.inv(a + u @ c @ v), atol=1e-12)
    assert stats.sherman_morrison([[1.0]], [1.0], [-1.0]) is None
    told = stats.definiteness(a @ a.T)
    np.testing.assert_allclose(told[:2], np.linalg.eigvalsh(a @ a.T)[[0, -1]], rtol=1e-12)
    assert told.positive_definite and not stats.definiteness(-np.eye(2)).positive_semidefinite
    for kind, order in [("fro", "fro"), ("nuc", "nuc"), ("2", 2), ("1", 1), ("inf", np.inf)]:
        np.testing.assert_allclose(stats.matrix_norm(u, kind), np.linalg.norm(u, order), rtol=1e-12)
    for p in (0, 1, 2, 3.5, np.inf):
        np.testing.assert_allclose(stats.vector_norm(v[0], p), np.linalg.norm(v[0], p), rtol=1e-12)
    assert np.isnan(stats.vector_norm([np.nan, 3.0], np.inf))
    np.testing.assert_allclose(stats.pseudo_inverse(u @ v), np.linalg.pinv(u @ v), atol=1e-12)
    # At zero the function is 1, so that the density there is one over its integral.
    b = np.array([1.0, -0.5, 0.25, 2.0])
    law, log_integral = stats.Gaussian.completed(a @ a.T, b)
    np.testing.assert_allclose(law.mean, np.linalg.solve(a @ a.T, b), rtol=1e-10)
    np.testing.assert_allclose(law.logpdf(np.zeros((1, 4)))[0], -log_integral, rtol=1e-10)


def test_a_study_of_an_estimator_of_the_users():
    told = stats.study(np.median, stats.Normal(), 0.0, [1.0, 0.0], sizes=(51,), repeats=2000, random_state=0)
    assert told[0]["efficiency"] == pytest.approx(2 / np.pi, rel=0.15)
    np.testing.assert_allclose(stats.james_stein([3.0, 0.0, 4.0]), [2.88, 0.0, 3.84])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: stats.Normal(0.0, -1.0), "sigma"),
        (lambda: stats.Gamma(), "shape"),
        (lambda: stats.Normal(1, 2, 3), "2 parameters"),
        (lambda: stats.Normal(1, mu=2), "each once"),
        (lambda: stats.Normal(scale=2), "scale"),
        (lambda: stats.NegativeBinomial(2.0, 0.0), r"\(0, 1\]"),
        (lambda: stats.Normal().moment(1.5), "whole"),
        (lambda: stats.Normal().moment(2000), "1000"),
        (lambda: stats.Normal().rvs(-1), "size"),
        (lambda: stats.pseudo_inverse(np.eye(2), rcond=2.0), "rcond"),
        (lambda: stats.Pareto.fit([2.0, 3.0, 5.0], scale=2.5), "impossible"),
        (lambda: stats.Dirichlet([1.0, 2.0]).merged([[0]]), "partition"),
        (lambda: stats.Beta.fit([0.2, 1.5]), "row 1"),
        (lambda: stats.Normal.fit([]), "observations"),
        (lambda: stats.Normal.fit([1.0, 2.0], shape=3), "shape"),
        (lambda: stats.Gaussian([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "eigenvalue"),
        (lambda: stats.Gaussian([0.0, 0.0], [[1.0, 0.0]]), "rows of covariance"),
        (lambda: stats.Gaussian([0.0, 0.0], np.eye(2)).marginal([2]), "below 2"),
        (lambda: stats.Dirichlet([1.0]), "concentrations"),
        (lambda: stats.woodbury(np.eye(2), np.eye(2), np.eye(3), np.eye(2)), "columns of U"),
        (lambda: stats.Gaussian.completed(np.eye(2), [1.0, np.nan]), "finite"),
        (lambda: stats.average([1.0, 2.0], 1.0, -2.0), "correlation"),
        (lambda: stats.matrix_norm(np.eye(2), "max"), "fro, nuc, 2, 1 or inf"),
        (lambda: stats.vector_norm([1.0], 0.5), "'p' parameter"),
        (lambda: stats.study(np.mean, stats.Normal(), 0.0, [1.0], sizes=(5,)), "derivatives"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
