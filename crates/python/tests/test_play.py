"""Many runs from Python: the numbers of the command line, at any number of threads, in Mercer's environments and in Gymnasium's."""

import csv
import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import mercer
from mercer.linear_model import Ridge
from mercer.rl import QLearning, Reinforce, Sarsa, TDPrediction, ValueIteration, evaluate, make, play


def test_runs_are_those_of_the_command_line():
    """The file is what `mercer play` printed; its own test in `crates/cli/tests/play.rs` holds it to the same."""
    known = json.loads((Path(__file__).parent / "reference" / "play.json").read_text())
    agents = {"q-learning:steps=20000": QLearning(steps=20_000), "value-iteration": ValueIteration()}
    found = play("frozen-lake", agents, runs=5, judge=50, seed=3)
    assert found.to_dict() == known
    one = play("frozen-lake", agents, runs=5, judge=50, seed=3, n_jobs=1)
    assert one.to_dict() == known
    # A planner plans once, and the best agent is a fitted one.
    assert len(found["value-iteration"].scores) == 1 and found["value-iteration"].curve.shape == (0, 4)
    best = found["q-learning:steps=20000"].best
    assert best.policy_.shape == (16,) and best.get_params() == QLearning(steps=20_000).get_params()
    rows = list(csv.DictReader(found.to_csv().splitlines()))
    curve = found["q-learning:steps=20000"].curve
    np.testing.assert_array_equal([[float(r[k]) for k in ("step", "return", "low", "high")] for r in rows], curve)
    assert {row["agent"] for row in rows} == {"q-learning:steps=20000"}


def test_interquartile_means_are_those_of_the_scores():
    found = play("frozen-lake", QLearning(steps=3_000), runs=8, judge=20, seed=1)
    agent = found["QLearning"]
    assert agent.scores.shape == (8,) and len(set(agent.scores)) > 1
    np.testing.assert_allclose(agent.score, np.sort(agent.scores)[2:6].mean())
    assert agent.interval[0] <= agent.score <= agent.interval[1]
    other = play("frozen-lake", QLearning(steps=3_000), runs=8, judge=20, seed=2)["QLearning"]
    assert not np.array_equal(agent.scores, other.scores)


def test_environments_of_gymnasium_and_processes_are_played():
    agent = QLearning(alpha=0.5, discount=1.0, steps=20_000)
    for world in (lambda: gymnasium.make("CliffWalking-v1", max_episode_steps=500), gymnasium.make("CliffWalking-v1", max_episode_steps=500)):
        found = play(world, agent, runs=3, judge=5)
        assert found["QLearning"].scores.tolist() == [-13.0] * 3 and found.environment == "CliffWalking-v1"
        assert found.random < -100 and found["QLearning"].curve.shape[1] == 4
    best = found["QLearning"].best
    assert evaluate(best, make("cliff"), 1).tolist() == [-13.0]
    walk = play(make("frozen-lake", slippery=False).mdp(), ValueIteration(discount=0.9), judge=5)
    assert walk.environment == "mdp" and walk["ValueIteration"].endless == 0
    judges = play("random-walk", TDPrediction(steps=500), runs=2)["TDPrediction"]
    assert np.isnan(judges.score) and judges.scores.size == 0
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        play(Broken(), agent, runs=2)


class Broken(gymnasium.Env):
    observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: play("frozen-lak", QLearning()), "frozen-lake"),
        (lambda: play("cliff", []), "empty"),
        (lambda: play("cliff", Ridge()), "agents and planners"),
        (lambda: play("cliff", [Sarsa(), Sarsa()]), "same name"),
        (lambda: play("cliff", Sarsa(), runs=0), "runs"),
        (lambda: play("cliff", Sarsa(), judge=1.5), "judge"),
        (lambda: play("cliff", Sarsa(), points=0), "points"),
        (lambda: play("cliff", Sarsa(alpha=2.0)), "alpha"),
        (lambda: play("cart-pole", ValueIteration()), "decision process"),
        (lambda: play(gymnasium.make("CliffWalking-v1", max_episode_steps=50), ValueIteration()), "decision process"),
        (lambda: play(gymnasium.make("Pendulum-v1"), QLearning()), "Discrete action space"),
    ],
)
def test_what_cannot_be_played_is_refused(call, words):
    with pytest.raises((ValueError, TypeError, KeyError), match=words):
        call()


def test_reports_show_maps_and_curves(tmp_path):
    def twin(estimator, world=None):
        page = mercer.report(estimator, world, path=tmp_path / "r.html")
        return page.read_text(), json.loads(page.with_suffix(".json").read_text())

    page, told = twin(QLearning(steps=5_000).fit("frozen-lake"), "frozen-lake")
    assert told["policy"]["grid"]["n_columns"] == 4 and "Return while learning" in page
    page, told = twin(ValueIteration().fit("grid4x4"), "grid4x4")
    assert told["policy"]["grid"]["n_columns"] == 4 and told["policy"]["grid"]["moves"][1] == [-1.0, 0.0]
    # Without the process, there are the names that a planner knows, and the curve of an agent.
    page, told = twin(ValueIteration().fit("grid4x4"))
    assert len(told["policy"]["states"]) == 16
    page, told = twin(Reinforce(steps=3_000).fit(gymnasium.make("CartPole-v1")))
    assert told["policy"] is None and "Return while learning" in page
