"""Environments and agents: Mercer's under Gymnasium's checks, Gymnasium's under Mercer's agents, the same numbers as the textbook."""

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mercer.rl import (
    MDP,
    ActorCritic,
    ContextualBandit,
    DynaQ,
    MonteCarloPrediction,
    QLearning,
    Sarsa,
    TDPrediction,
    ValueIteration,
    environments,
    evaluate,
    make,
)


# Their actions depend on the state, of which Gymnasium's check, which draws any action, knows nothing.
MASKED = {"gambler", "car-rental"}


@pytest.mark.parametrize("name", sorted(environments()))
def test_gymnasium_checks_every_environment(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name not in MASKED:
            check_env(make(name), skip_render_check=True)
    copy = pickle.loads(pickle.dumps(make(name, render_mode="ansi")))
    seen, _ = copy.reset(seed=3)
    again, _ = make(name).reset(seed=3)
    np.testing.assert_array_equal(seen, again)
    assert isinstance(copy.render(), str)


@pytest.mark.parametrize("name", sorted(MASKED))
def test_actions_that_are_not_there_are_masked(name):
    env, rng, masks = make(name), np.random.default_rng(0), 0
    for seed in range(20):
        _, info = env.reset(seed=seed)
        for _ in range(50):
            there = info.get("action_mask", np.ones(env.n_actions, dtype=np.int8))
            masks += "action_mask" in info
            _, _, over, cut, info = env.step(int(rng.choice(np.flatnonzero(there))))
            if over or cut:
                break
    assert masks > 20
    _, info = env.reset(seed=0)
    with pytest.raises(ValueError, match="action"):
        env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))


@pytest.mark.parametrize("ours, theirs", [("mountain-car", "MountainCar-v0"), ("cart-pole", "CartPole-v1"), ("acrobot", "Acrobot-v1")])
def test_control_problems_move_alike_from_the_same_states(ours, theirs):
    env, other = make(ours), gymnasium.make(theirs, disable_env_checker=True).unwrapped
    env.reset(seed=0)
    other.reset(seed=0)
    rng = np.random.default_rng(5)
    for _ in range(200):
        state = rng.uniform(-0.15, 0.15, size=2 if ours == "mountain-car" else 4)
        if ours == "mountain-car":
            state[1] = np.clip(state[1], -0.07, 0.07)
        env.set_state(state)
        other.state = state.copy()
        action = int(rng.integers(env.n_actions))
        mine, other_step = env.step(action), other.step(action)
        np.testing.assert_allclose(mine[0], other_step[0], atol=3e-6)
        assert mine[1:3] == (other_step[1], other_step[2])


def test_agents_learn_from_environments_by_name_and_by_object():
    by_name = QLearning(alpha=0.5, discount=1.0, random_state=0).fit("cliff")
    by_object = QLearning(alpha=0.5, discount=1.0, random_state=0).fit(make("cliff"))
    np.testing.assert_array_equal(by_name.q_values_, by_object.q_values_)
    assert by_name.q_values_.shape == (48, 4) and by_name.policy_.shape == (48,)
    assert evaluate(by_name, "cliff", 3).tolist() == [-13.0] * 3
    assert by_name.predict([36, 24]).tolist() == ["up", "right"]
    assert by_name.act(36) == 0
    planner = ValueIteration(discount=0.99).fit(make("cliff"))
    assert planner.policy_[36] == 0
    again = pickle.loads(pickle.dumps(by_name))
    np.testing.assert_array_equal(again.predict([36, 24]), by_name.predict([36, 24]))


def test_agents_learn_from_gymnasium():
    agent = QLearning(alpha=0.5, discount=1.0, steps=30_000, random_state=1).fit(gymnasium.make("CliffWalking-v1"))
    assert agent.predict([36]).tolist() == [0]
    assert evaluate(agent, gymnasium.make("CliffWalking-v1"), 2).tolist() == [-13.0, -13.0]
    made = []

    def maker():
        made.append(1)
        return gymnasium.make("FrozenLake-v1", is_slippery=False)

    dyna = DynaQ(steps=3_000, planning_steps=20, random_state=0).fit(maker)
    assert made and evaluate(dyna, maker(), 2).mean() == 1.0
    cards = MonteCarloPrediction(steps=20_000, discount=1.0).fit(gymnasium.make("Blackjack-v1"))
    assert cards.values_.shape == (32 * 11 * 2,)
    pole = ActorCritic(steps=3_000, random_state=0).fit(gymnasium.make("CartPole-v1"))
    assert pole.n_features_in_ == 4 and pole.act(np.zeros(4, dtype=np.float32)) in (0, 1)


def test_what_an_environment_raises_comes_through():
    class Broken(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            raise ZeroDivisionError("on purpose")

    agent = Sarsa()
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        agent.fit(Broken())
    assert not hasattr(agent, "q_values_")


@pytest.mark.parametrize(
    "seen, reward, words",
    [
        (0, float("nan"), "reward NaN is not finite"),
        (0, float("-inf"), "reward -inf is not finite"),
        (2, 1.0, "observation"),
        (-1, 1.0, "observation"),
    ],
)
def test_environments_that_show_what_they_must_not_are_refused(seen, reward, words):
    class Odd(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            return seen, reward, False, False, {}

    for agent in (QLearning(steps=10), DynaQ(steps=10), MonteCarloPrediction(steps=10), ContextualBandit(steps=10)):
        with pytest.raises(ValueError, match=words):
            agent.fit(Odd())


def test_predictions_judge_a_policy_while_another_acts():
    """Gambler's ruin with three chances of four to the right."""
    learner = TDPrediction(policy=[1] * 7, epsilon=0.5, behaviour="uniform", discount=1.0, alpha=1.0, alpha_power=0.8, steps=600_000)
    worth = (1 - 3.0 ** -np.arange(1, 6)) / (1 - 3.0**-6)
    np.testing.assert_allclose(learner.fit("random-walk").values_[1:6], worth, atol=0.03)


def test_processes_are_environments_and_predictions_judge_policies():
    mdp = MDP([[[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]], [[5.0, 10.0], [-1.0, 2.0]], 0.9)
    exact = ValueIteration(discount=0.9).fit(mdp)
    agent = QLearning(discount=0.9, alpha=1.0, alpha_power=0.6, epsilon=1.0, steps=400_000, random_state=0).fit(mdp)
    np.testing.assert_allclose(agent.values_, exact.values_, rtol=0.02)
    walk = TDPrediction(discount=1.0, alpha=1.0, alpha_power=0.8, steps=200_000).fit("random-walk")
    np.testing.assert_allclose(walk.predict([1, 2, 3, 4, 5]), np.arange(1, 6) / 6, atol=0.04)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: make("frozen-lak"), "frozen-lake"),
        (lambda: make("frozen-lake", wet=True), "wet"),
        (lambda: make("cliff").step(0), "reset"),
        (lambda: make("cliff", render_mode="human"), "ansi"),
        (lambda: QLearning().fit(3), "expected the name"),
        (lambda: QLearning().fit(gymnasium.make("Pendulum-v1")), "Discrete action space"),
        (lambda: QLearning(features="table").fit("cart-pole"), "cannot be counted"),
        (lambda: QLearning(alpha=2.0).fit("cliff"), "alpha"),
        (lambda: QLearning(steps=100).fit("cliff").predict([[1.0, 2.0]]), "features"),
        (lambda: QLearning(steps=100).fit("cliff").act(99), "observation"),
        (lambda: QLearning(steps=100).fit("cliff").act([1, 2]), "observation"),
        (lambda: ValueIteration().fit("cart-pole"), "decision process"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises((ValueError, TypeError, RuntimeError, KeyError), match=words):
        call()


def test_a_fickle_taxi_is_gymnasiums():
    ours, theirs = make("taxi", fickle=1.0), gymnasium.make("Taxi-v4", fickle_passenger=True, fickle_probability=1.0).unwrapped
    rng, changed = np.random.default_rng(3), 0
    for seed in range(60):
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        # A passenger inside, away from all walls.
        state = theirs.encode(2, 2, 4, int(rng.integers(4)))
        ours.set_state(state)
        theirs.s = state
        for step in range(3):
            action = int(rng.integers(4))
            mine, other = ours.step(action), theirs.step(action)
            assert mine[0] // 4 == other[0] // 4 and mine[1:3] == (other[1], other[2])
            if step == 0:
                # Both draw another destination; which one is their own draw.
                assert mine[0] % 4 != state % 4 and other[0] % 4 != state % 4
                changed += 1
                before = (mine[0] % 4, other[0] % 4)
            assert (mine[0] % 4, other[0] % 4) == before
    assert changed == 60
