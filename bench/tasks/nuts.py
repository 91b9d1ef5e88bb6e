"""The no-U-turn sampler on Rubin's eight schools, not centred: 4 chains of 1000 draws after 1000 steps of warm-up.

`fit` is the time for 1000 effective draws: of several seeds, the time of all over the sum of the smallest effective sample sizes of the
bulk of any coordinate. Warm-up counts, compiling does not.
"""

import time

TITLE = "NUTS, eight schools, for 1000 effective draws"
WANTED = {"fit": 1.0}
SEEDS = 16

Y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]
SIGMA = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]


def read(folder):
    return None


def _figures(draw, smallest):
    """`draw` samples with a seed; `smallest` is the smallest effective sample size of what it gave."""

    def figures():
        draw(SEEDS)
        started = time.perf_counter()
        samples = [draw(seed) for seed in range(SEEDS)]
        took = time.perf_counter() - started
        return {"fit": 1000 * took / sum(map(smallest, samples))}

    return {"figures": figures}


def ours(_):
    from mercer.mcmc import NUTS

    return _figures(lambda seed: NUTS(random_state=seed).fit("eight-schools"), lambda m: float(m.ess_bulk_.min()))


def blackjax(_):
    import jax
    import jax.numpy as jnp
    from mercer.mcmc import ess

    import blackjax

    jax.config.update("jax_enable_x64", True)
    y, sigma = jnp.array(Y), jnp.array(SIGMA)

    def log_density(x):
        mu, log_tau, effects = x[0], x[1], x[2:]
        tau = jnp.exp(log_tau)
        prior = -0.5 * (mu / 5) ** 2 - jnp.log1p((tau / 5) ** 2) + log_tau
        return prior - 0.5 * jnp.sum(effects**2) - 0.5 * jnp.sum(((y - mu - tau * effects) / sigma) ** 2)

    def chain(key):
        start, warm, run = jax.random.split(key, 3)
        adaptation = blackjax.window_adaptation(blackjax.nuts, log_density)
        (state, tuned), _ = adaptation.run(warm, jax.random.normal(start, (10,)), num_steps=1000)
        step = blackjax.nuts(log_density, **tuned).step

        def one(state, key):
            state, _ = step(key, state)
            return state, state.position

        return jax.lax.scan(one, state, jax.random.split(run, 1000))[1]

    # Compiled before it is timed.
    chains = jax.jit(jax.vmap(chain)).lower(jax.random.split(jax.random.key(0), 4)).compile()

    def draw(seed):
        return jax.block_until_ready(chains(jax.random.split(jax.random.key(seed), 4)))

    return _figures(draw, lambda draws: float(min(ess(draws[:, :, j]) for j in range(10))))


CONTENDERS = {"mercer": ours, "blackjax": blackjax}
