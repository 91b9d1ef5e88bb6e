"""Frozen plans of random and published decision processes.

Pinned: pymdptoolbox 4.0b3, numpy 2.4.6, scipy 1.17.1. Run: python generate_planning.py > planning.json
"""

import json
import sys
from math import exp, factorial

import mdptoolbox
import mdptoolbox.example
import numpy as np

rng = np.random.default_rng(20261118)


def lists(values):
    return np.asarray(values, dtype=float).tolist()


def solved(p, r, discount):
    """What the toolbox makes of P[a, s, s'] and R[s, a]."""
    howard = mdptoolbox.mdp.PolicyIteration(p, r, discount)
    howard.run()
    values = mdptoolbox.mdp.ValueIteration(p, r, discount, epsilon=1e-9, max_iter=100000)
    values.max_iter = 100000
    values.run()
    modified = mdptoolbox.mdp.PolicyIterationModified(p, r, discount, epsilon=1e-10)
    modified.run()
    finite = mdptoolbox.mdp.FiniteHorizon(p, r, discount, 6)
    finite.run()
    relative = mdptoolbox.mdp.RelativeValueIteration(p, r, epsilon=1e-11, max_iter=1000000)
    relative.run()
    return {
        "policy": list(howard.policy), "values": lists(howard.V), "policy_by_values": list(values.policy),
        "policy_modified": list(modified.policy), "finite_values": lists(finite.V.T), "finite_policy": lists(finite.policy.T),
        "gain": float(relative.average_reward), "policy_average": list(relative.policy),
    }


def random_process(n, k):
    p = rng.dirichlet(np.full(n, 0.4), size=(k, n)).round(6)
    p[:, :, -1] += 1 - p.sum(axis=2)
    p = np.abs(p)
    p /= p.sum(axis=2, keepdims=True)
    return p, rng.normal(size=(n, k)).round(6)


def case(name, p, r, discount):
    return {"name": name, "discount": discount, "p": lists(p), "r": lists(r)} | solved(p, r, discount)


def car_rental():
    """Jack's car rental by sums over requests and returns, each cut off far out: apart from the lumping of Mercer's."""
    room, cut = 20, 60

    def law(mean):
        return np.array([exp(-mean) * mean**k / factorial(k) for k in range(cut)])

    def place(requests, returns):
        rented, night = np.zeros(room + 1), np.zeros((room + 1, room + 1))
        a, b = law(requests), law(returns)
        for cars in range(room + 1):
            for asked in range(cut):
                out = min(asked, cars)
                rented[cars] += a[asked] * out
                for back in range(cut):
                    night[cars, min(room, cars - out + back)] += a[asked] * b[back]
        return rented, night / night.sum(axis=1, keepdims=True)

    (rent1, night1), (rent2, night2) = place(3, 3), place(4, 2)
    n = (room + 1) ** 2
    p, r = np.zeros((11, n, n)), np.full((n, 11), -1e6)
    for i in range(room + 1):
        for j in range(room + 1):
            s = i * (room + 1) + j
            for a, move in enumerate(range(-5, 6)):
                p[a, s, s] = 1
                if move > i or -move > j:
                    continue
                x, y = min(i - move, room), min(j + move, room)
                p[a, s] = np.outer(night1[x], night2[y]).ravel()
                r[s, a] = 10 * (rent1[x] + rent2[y]) - 2 * abs(move)
    howard = mdptoolbox.mdp.PolicyIteration(p, r, 0.9)
    howard.run()
    return {"policy": [a - 5 for a in howard.policy], "values": lists(howard.V)}


cases = [case("forest", *mdptoolbox.example.forest(S=10), 0.9)]
for name, n, k, discount in [("small", 4, 3, 0.8), ("middle", 12, 4, 0.95), ("patient", 7, 5, 0.999), ("blind", 5, 2, 0.0001)]:
    cases.append(case(name, *random_process(n, k), discount))


def plain(value):
    return value.item() if hasattr(value, "item") else value


json.dump({"pymdptoolbox": "4.0b3", "cases": cases, "car_rental": car_rental()}, sys.stdout, default=plain)
