"""ε-greedy, ε = 0.1, on the testbed of Sutton and Barto: 10 arms, 1000 rounds, 2000 runs.

The peer plays all runs at once, with a handful of operations on arrays a round. Both keep, round by round, mean reward, share of the best
arm and mean regret. `quality` is the regret at the end: 2000 runs leave a standard error of about 1 %, which is what the slack is for.
"""

import numpy as np

TITLE = "Bandit testbed, ε-greedy, 10 arms × 1000 rounds × 2000 runs"
WANTED = {"fit": 5.0}
REPEATS = 5
SLACK = 0.05

ARMS, ROUNDS, RUNS, EPSILON = 10, 1000, 2000, 0.1


def read(folder):
    return None


def ours(_):
    from mercer.bandits import EpsilonGreedy, Testbed

    strategy, arms = EpsilonGreedy(EPSILON), Testbed(ARMS)
    return {
        "fit": lambda: strategy.simulate(arms, ROUNDS, RUNS, seed=1),
        "quality": lambda curves: float(curves.regret[-1]),
    }


def numpy(_):
    def fit():
        rng = np.random.default_rng(1)
        means = rng.standard_normal((RUNS, ARMS))
        best = means.max(axis=1)
        # Arms that were never tried are worth 0, but for a crumb that draws lots among them.
        worth = 1e-12 * rng.random((RUNS, ARMS))
        counts = np.zeros(RUNS * ARMS)
        flat_means, flat_worth, rows = means.ravel(), worth.ravel(), np.arange(RUNS) * ARMS
        regret, regrets = np.zeros(RUNS), np.empty((ROUNDS, 2))
        rewards, shares = np.empty((ROUNDS, 2)), np.empty(ROUNDS)
        for t in range(ROUNDS):
            arms = worth.argmax(axis=1)
            explores = np.flatnonzero(rng.random(RUNS) < EPSILON)
            arms[explores] = rng.integers(ARMS, size=len(explores))
            at = rows + arms
            pulled = flat_means[at]
            reward = pulled + rng.standard_normal(RUNS)
            count = counts[at] + 1.0
            counts[at] = count
            value = flat_worth[at]
            flat_worth[at] = value + (reward - value) / count
            lost = best - pulled
            regret += lost
            rewards[t] = reward.sum(), reward @ reward
            regrets[t] = regret.sum(), regret @ regret
            shares[t] = np.count_nonzero(lost == 0.0)
        return rewards / RUNS, shares / RUNS, regrets / RUNS

    return {"fit": fit, "quality": lambda found: float(found[2][-1, 0])}


CONTENDERS = {"mercer": ours, "numpy": numpy}
