"""Samplers on densities of the user's, and diagnostics of any draws."""

import warnings

import numpy as np
import pytest

from mercer import mcmc


def normal(x):
    return -0.5 * float(x @ x)


def both(x):
    return normal(x), -x


@pytest.mark.parametrize(
    "sampler, given",
    [
        (mcmc.Metropolis(draws=400), {}),
        (mcmc.MetropolisHastings(draws=200, warmup=200, proposal="langevin"), {"gradient": lambda x: -x}),
        (mcmc.Slice(draws=200, warmup=100), {}),
        (mcmc.HMC(draws=200, warmup=150), {"gradient": lambda x: -x}),
        (mcmc.Gibbs(draws=300, warmup=0), {"conditionals": [lambda x, rng: rng.normal()] * 2}),
    ],
)
def test_densities_written_in_python(sampler, given):
    model = sampler.fit(normal, dim=2, **given)
    error = 6 * model.mcse_mean_
    assert (abs(model.mean_) < error).all(), (model.mean_, error)
    again = type(sampler)(**sampler.get_params()).fit(normal, dim=2, **given)
    assert (again.samples_ == model.samples_).all()


def test_value_and_gradient_of_one_function():
    model = mcmc.NUTS(draws=200, warmup=150, chains=2).fit(both, dim=3, gradient=True)
    assert model.samples_.shape == (2, 200, 3)
    assert (abs(model.mean_) < 6 * model.mcse_mean_).all()
    assert model.divergences_.sum() == 0 and (model.step_size_ > 0).all()
    assert all(v.holds for v in model.verify("normal"))


def test_what_is_missing_is_named():
    with pytest.raises(RuntimeError, match="gradient.*Slice"):
        mcmc.NUTS().fit(normal, dim=2)
    with pytest.raises(RuntimeError, match="conditionals"):
        mcmc.Gibbs().fit(normal, dim=2)
    with pytest.raises(ValueError, match="one callable for each of 2"):
        mcmc.Gibbs().fit(normal, dim=2, conditionals=[lambda x, rng: 0.0])
    with pytest.raises(TypeError, match="gradient"):
        mcmc.NUTS().fit(normal, dim=2, gradient="no")
    with pytest.raises(ValueError, match="dimensions"):
        mcmc.Metropolis().fit(normal, dim=0)
    with pytest.raises(TypeError, match="3 numbers"):
        mcmc.NUTS().fit(normal, dim=2, gradient=lambda x: [0.0] * 3)


def test_draws_in_the_layout_of_arviz():
    model = mcmc.NUTS(draws=50, warmup=50).fit("eight-schools")
    parts = model.to_dict()
    assert parts["posterior"]["mu"].shape == (4, 50) and len(parts["posterior"]) == 10
    assert parts["sample_stats"]["diverging"].dtype == bool
    assert parts["sample_stats"]["energy"].shape == (4, 50)
    plain = mcmc.Slice(draws=20, warmup=10, chains=2).fit(normal, dim=2).to_dict()
    assert plain["posterior"]["x"].shape == (2, 20, 2) and "energy" not in plain["sample_stats"]
    import arviz

    assert arviz.summary(model.to_arviz()).shape[0] == 10


def test_diagnostics_of_arrays():
    draws = np.random.default_rng(3).normal(size=(4, 500))
    assert abs(mcmc.rhat(draws) - 1) < 0.02 and abs(mcmc.rhat(draws, method="split") - 1) < 0.02
    assert 1200 < mcmc.ess(draws) < 3500 and 1000 < mcmc.ess(draws, method="quantile", prob=0.3) < 3500
    assert abs(mcmc.mcse(draws) - 1 / 2000**0.5) < 0.01 and mcmc.mcse(draws, method="sd") > 0
    low, high = mcmc.hdi(draws)
    assert low < -1.5 and high > 1.5
    assert mcmc.bfmi(draws).shape == (4,)
    assert mcmc.rhat(draws + np.arange(4)[:, None]) > 1.2
    with pytest.raises(ValueError, match="method"):
        mcmc.ess(draws, method="other")
    with pytest.raises(TypeError, match="prob"):
        mcmc.mcse(draws, prob=0.5)
    with pytest.raises(ValueError, match="chains × draws"):
        mcmc.rhat(draws[None])


def test_chains_that_have_not_mixed_are_warned_of():
    with pytest.warns(UserWarning, match="Metropolis: R-hat .* above 1.01"):
        mcmc.Metropolis(draws=50, warmup=0, step=1e-3).fit("normal")
    with pytest.warns(UserWarning, match="no R-hat"):
        mcmc.Metropolis(draws=50, warmup=0, step=1e300, chains=1).fit("normal")
    with pytest.warns(UserWarning, match="divergent steps"):
        mcmc.NUTS(draws=300, warmup=300).fit("eight-schools-centred")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mcmc.NUTS().fit("normal")
