"""Frozen transitions of Gymnasium's toy texts and control problems, from states that are set.

Pinned: gymnasium 1.4.0, numpy. Run: python generate_gymnasium.py > gymnasium.json
"""

import json
from fractions import Fraction
from functools import cache
from importlib.metadata import version

import gymnasium as gym
import numpy as np

assert version("gymnasium") == "1.4.0"


def table(env):
    """Of every state and action the outcomes [next, reward, terminated, probability], equal ones added up."""
    out = []
    for s in range(env.observation_space.n):
        row = []
        for a in range(env.action_space.n):
            sums = {}
            for p, to, reward, over in env.P[s][a]:
                key = (int(to), float(reward), bool(over))
                sums[key] = sums.get(key, 0.0) + float(p)
            row.append([[*key, p] for key, p in sorted(sums.items())])
        out.append(row)
    return {"outcomes": out, "start": np.asarray(env.initial_state_distrib).tolist()}


def made(name, **options):
    return gym.make(name, disable_env_checker=True, **options).unwrapped


def control(name, low, high, n=40, steps=5):
    """Courses of some steps from states that are drawn: [state, action, next state, observation, reward, terminated]."""
    env = made(name)
    env.reset(seed=0)
    rng = np.random.default_rng(7)
    out = []
    for _ in range(n):
        env.state = rng.uniform(low, high)
        env.steps_beyond_terminated = None
        for _ in range(steps):
            before = [float(v) for v in env.state]
            action = int(rng.integers(env.action_space.n))
            seen, reward, over, _, _ = env.step(action)
            after = [float(v) for v in env.state]
            out.append([before, action, after, [float(v) for v in seen], float(reward), bool(over)])
            if over:
                break
    return out


CARDS = [(c, Fraction(1 if c < 10 else 4, 13)) for c in range(1, 11)]


@cache
def dealer(total, ace):
    """The probabilities of the dealer's last sum (0: over 21), exactly."""
    seen = total + 10 if ace and total + 10 <= 21 else total
    if seen >= 17:
        return {seen if seen <= 21 else 0: Fraction(1)}
    out = {}
    for card, p in CARDS:
        for last, q in dealer(total + card, ace or card == 1).items():
            out[last] = out.get(last, 0) + p * q
    return out


def stick(total, shown):
    ends = {}
    for card, p in CARDS:
        for last, q in dealer(shown + card, 1 in (shown, card)).items():
            ends[last] = ends.get(last, 0) + p * q
    return float(sum(p * ((total > last) - (total < last)) for last, p in ends.items()))


pi = np.pi
json.dump(
    {
        "frozen-lake": table(made("FrozenLake-v1")),
        "frozen-lake:slippery=false": table(made("FrozenLake-v1", is_slippery=False)),
        "frozen-lake:size=8": table(made("FrozenLake8x8-v1")),
        "cliff": table(made("CliffWalking-v1")),
        "cliff:slippery=true": table(made("CliffWalking-v1", is_slippery=True)),
        "taxi": table(made("Taxi-v4")),
        "taxi:rainy=true": table(made("Taxi-v4", is_rainy=True)),
        "mountain-car": control("MountainCar-v0", [-1.2, -0.07], [0.6, 0.07]),
        "cart-pole": control("CartPole-v1", [-2.3, -2, -0.2, -2], [2.3, 2, 0.2, 2]),
        "acrobot": control("Acrobot-v1", [-pi, -pi, -12, -28], [pi, pi, 12, 28]),
        "stick": {f"{total} {shown}": stick(total, shown) for total in (12, 17, 19, 20, 21) for shown in range(1, 11)},
    },
    __import__("sys").stdout,
)
