"""Decision processes from everything that describes one, planners, and the values of policies."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from mercer.rl import (
    MDP,
    AverageReward,
    FiniteHorizon,
    LinearProgramming,
    PolicyIteration,
    ValueIteration,
    evaluate_policy,
    improve_policy,
)

P = np.array([[[0.5, 0.5], [0.8, 0.2]], [[0.0, 1.0], [0.1, 0.9]]])
R = np.array([[5.0, 10.0], [-1.0, 2.0]])


def columns(mdp):
    return [np.asarray(column).tolist() for column in mdp.to_transitions()]


def test_every_layout_is_the_same_process():
    given = MDP(P, R, 0.9)
    by_transition = np.broadcast_to(R.T[:, :, None], (2, 2, 2))
    transitions = [(s, a, to, P[a, s, to], R[s, a]) for s in range(2) for a in range(2) for to in range(2) if P[a, s, to]]
    same = [
        MDP([sparse.csr_matrix(p) for p in P], R, 0.9),
        MDP(P, by_transition, 0.9),
        MDP([sparse.coo_matrix(p) for p in P], [sparse.csr_matrix(r) for r in by_transition], 0.9),
        MDP.from_transitions(transitions, 0.9),
        MDP.from_transitions(transitions[::-1], 0.9, states=[0, 1], actions=[0, 1]),
        pickle.loads(pickle.dumps(given)),
    ]
    for other in same:
        assert sorted(zip(*columns(other))) == sorted(zip(*columns(given)))
        assert PolicyIteration().fit(other).values_ == pytest.approx(PolicyIteration().fit(given).values_, abs=1e-12)
    state = MDP(P, [1.0, 2.0], 0.9, states=["low", "high"], actions=["wait", "go"])
    assert columns(state)[4] == [1, 1, 1, 2, 2, 2, 2] and state.states == ["low", "high"]
    assert repr(state) == "MDP(2 states, 2 actions, discount=0.9)"


def test_planners_agree():
    mdp = MDP(P, R, 0.9)
    exact = PolicyIteration().fit(mdp)
    q = R + 0.9 * np.einsum("ast,t->sa", P, exact.values_)
    assert exact.q_values_ == pytest.approx(q) and exact.values_ == pytest.approx(q.max(axis=1))
    assert exact.policy_.tolist() == q.argmax(axis=1).tolist() and exact.predict([0, 1]).tolist() == ["1", "0"]
    for other in (ValueIteration(), ValueIteration(order="prioritised"), PolicyIteration(evaluation=5), LinearProgramming()):
        assert other.fit(mdp).values_ == pytest.approx(exact.values_, abs=1e-7)
        assert all(claim.holds for claim in other.verify(mdp))
    assert LinearProgramming().fit(mdp).occupation_.sum() == pytest.approx(10)
    average = AverageReward().fit(mdp)
    assert average.gain_ == pytest.approx([7 / 1.8] * 2)


def test_plans_know_the_steps_that_are_left():
    ways = [(0, 0, 0, 1.0, 1.0), (0, 1, 1, 1.0, 0.0), (1, 0, 2, 1.0, 4.0)]
    mdp = MDP.from_transitions(ways)
    plan = FiniteHorizon(horizon=4).fit(mdp)
    assert [plan.predict([0], steps_left=t)[0] for t in (1, 2, 3, 4)] == ["0", "1", "0", "0"]
    assert plan.predict([0]).tolist() == ["0"] and plan.predict(["2"], steps_left=1).tolist() == ["(none)"]
    assert plan.values_by_steps_[:, 0].tolist() == [0, 1, 4, 5, 6]
    for steps in (0, 5):
        with pytest.raises(ValueError, match="steps_left"):
            plan.predict([0], steps_left=steps)
    with pytest.raises(KeyError, match="no state is called"):
        plan.predict(["nowhere"], steps_left=1)


def test_policies_are_evaluated_and_improved():
    mdp = MDP(P, R, 0.9)
    shares = np.array([[0.3, 0.7], [1.0, 0.0]])
    p, r = np.einsum("sa,ast->st", shares, P), (shares * R).sum(axis=1)
    values = np.linalg.solve(np.eye(2) - 0.9 * p, r)
    found, q = evaluate_policy(mdp, shares)
    assert found == pytest.approx(values) and (shares * q).sum(axis=1) == pytest.approx(values)
    assert evaluate_policy(mdp, shares, method="iterative", tol=1e-12)[0] == pytest.approx(values, abs=1e-9)
    assert improve_policy(mdp, values).tolist() == (R + 0.9 * np.einsum("ast,t->sa", P, values)).argmax(axis=1).tolist()
    mean = evaluate_policy(mdp, [0, 1], steps=2)[0]
    assert mean == pytest.approx([(5 + 0.5 * 5 + 0.5 * 2) / 2, (2 + 0.1 * 5 + 0.9 * 2) / 2])
    assert evaluate_policy("grid4x4")[0][1] == pytest.approx(-14)
    with pytest.warns(match="did not converge"):
        evaluate_policy(mdp, method="iterative", max_iter=1)
    for bad in ([0, 7], [[0.5, 0.6], [1.0, 0.0]], [[1.0, 0.0]]):
        with pytest.raises(ValueError):
            evaluate_policy(mdp, bad)


def test_environments_and_what_is_none():
    lake = {
        0: {0: [(1.0, 1, 0.0, False)], 1: [(0.5, 0, 0.0, False), (0.5, 2, 0.0, True)]},
        1: {0: [(1.0, 3, 1.0, True)], 1: [(1.0, 0, 0.0, False)]},
        2: {0: [(1.0, 2, 0, True)], 1: [(1.0, 2, 0, True)]},
        3: {0: [(1.0, 3, 0, True)], 1: [(1.0, 3, 0, True)]},
    }
    plan = ValueIteration(discount=0.5).fit(lake)
    assert plan.values_ == pytest.approx([0.5, 1, 0, 0]) and plan.policy_.tolist() == [0, 0, -1, -1]

    class Environment:
        P = {0: {0: [(1.0, 0, 3.0, True)]}}

    ending = ValueIteration(discount=0.9).fit(Environment())
    assert ending.values_ == pytest.approx([3, 0]) and ending.states_.tolist() == ["0", "end"]
    with pytest.raises(TypeError, match="decision process"):
        ValueIteration().fit(3)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: MDP(P * 0.9, R), "sum to 1"),
        (lambda: MDP(P[:, :1], R), "shape"),
        (lambda: MDP(P, R[:, :1]), "rewards"),
        (lambda: MDP(np.where(P == 0.5, np.nan, P), R), "probability"),
        (lambda: MDP(P, R * np.inf), "reward"),
        (lambda: MDP([], R), "no action"),
        (lambda: MDP(P, R, 1.5), "discount"),
        (lambda: MDP(P, R, states=["a", "a"]), "twice"),
        (lambda: MDP(P, R, states=["a"]), "names"),
        (lambda: MDP.from_transitions([(0, 0, 1)]), "transition is"),
        (lambda: MDP.from_transitions([]), "states"),
        (lambda: MDP.from_transitions([(-1, 0, 0, 1.0, 0.0)]), "state"),
    ],
)
def test_what_is_no_process_is_refused(make, match):
    with pytest.raises(ValueError, match=match):
        make()
