"""The Dirichlet process of mercer.mixture: probabilities enumerated, draws by their counts, and what is refused."""

import itertools

import numpy as np
import pytest

from mercer import mixture


def _partitions(n):
    """All ways to seat n guests, tables in the order of their first guest."""
    seated = [[0]]
    for _ in range(n - 1):
        seated = [[*p, c] for p in seated for c in range(max(p) + 2)]
    return seated


def test_probabilities_of_partitions_sum_to_one_and_do_not_depend_on_arrivals():
    alpha = 1.7
    for n in range(1, 7):
        logs = [mixture.crp_log_probability(p, alpha) for p in _partitions(n)]
        assert np.exp(logs).sum() == pytest.approx(1.0, rel=1e-12)
        tables = [max(p) + 1 for p in _partitions(n)]
        by_count = np.bincount(tables, np.exp(logs), minlength=n + 1)
        np.testing.assert_allclose(mixture.table_probabilities(n, alpha), by_count, atol=1e-14)
        assert mixture.expected_tables(n, alpha) == pytest.approx(sum(alpha / (alpha + i) for i in range(n)))
    orders = {round(mixture.crp_log_probability(p, alpha), 12) for p in itertools.permutations([0, 0, 0, 1, 1, 2])}
    assert len(orders) == 1


def test_draws_repeat_by_seed_and_have_the_expected_tables():
    draws = [len(np.unique(mixture.crp(40, 2.0, random_state=seed))) for seed in range(600)]
    variance = sum(2.0 * i / (2.0 + i) ** 2 for i in range(40))
    # Five standard errors of the mean number of tables.
    assert abs(np.mean(draws) - mixture.expected_tables(40, 2.0)) < 5 * np.sqrt(variance / 600)
    np.testing.assert_array_equal(mixture.crp(9, 1.0, random_state=3), mixture.crp(9, 1.0, random_state=3))
    sticks = mixture.stick_breaking(2.0, 200, random_state=1)
    assert sticks.sum() == pytest.approx(1.0) and (sticks >= 0).all()
    drawn = mixture.polya_urn(50, 1.0, np.random.default_rng(0).standard_normal)
    assert 1 < len(np.unique(drawn)) < 50
    np.testing.assert_allclose(mixture.dirichlet_marginals(2.0, [0.2, 0.8]), [0.4, 1.6])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: mixture.crp(-3, 1.0), "`n`"),
        (lambda: mixture.crp(3, 0.0), "alpha"),
        (lambda: mixture.stick_breaking(1.0, 2.5), "n_sticks"),
        (lambda: mixture.table_probabilities(-1, 1.0), "`n`"),
        (lambda: mixture.polya_urn(30, 5.0, lambda m: [1.0]), "`base` must give"),
        (lambda: mixture.dirichlet_marginals(1.0, [0.5, 0.6]), "sum"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_far_rows_have_no_density_and_even_shares():
    rows = np.random.default_rng(0).standard_normal((60, 2))
    for make in (mixture.GaussianMixture, mixture.BayesianGaussianMixture):
        model = make(n_components=2, max_iter=1000, random_state=0).fit(rows)
        np.testing.assert_array_equal(model.predict_proba([[1e200, -1e200]]), [[0.5, 0.5]])
        assert model.score_samples([[1e200, -1e200]])[0] == -np.inf
        assert isinstance(model.lower_bounds_, list) and len(model.lower_bounds_) == model.n_iter_
