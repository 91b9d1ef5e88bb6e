"""Agents in an environment by many runs: what `mercer play` prints, as numbers."""

from __future__ import annotations

from mercer import _mercer
from mercer._base import Estimator, threads_of
from mercer._environments import prepare_environment
from mercer.bandits import _count, _seed


class AgentRuns:
    """What came of one agent.

    Attributes
    ----------
    name : str
        What it was called.
    learner : str
        The name of its class.
    scores : ndarray of shape (runs,)
        The mean return of each run's policy, judged without exploration; one for a planner, and none for what has no policy.
    score : float
        Their interquartile mean; NaN where nothing was judged.
    interval : tuple of float
        The ends of its 95 % interval, by a bootstrap over runs.
    curve : ndarray of shape (points, 4)
        While learning: steps, the interquartile mean of the returns of episodes that ended about then, and the ends of its interval.
    endless : int
        How many of the episodes that judged the runs were left after 10,000 steps, since nothing ended them.
    best : estimator
        The fitted agent of the best run.
    """

    def __init__(self, name, learner, told, best):
        self.name, self.learner, self.best = name, learner, best
        self.scores, self.curve, self.endless = told["scores"], told["curve"], told["endless"]
        nan = float("nan")
        self.score, *ends = told["interval"] or (nan, nan, nan)
        self.interval = tuple(ends)

    def __repr__(self):
        low, high = self.interval
        return f"AgentRuns({self.name!r}: return {self.score:.4g}, 95 % interval {low:.4g} to {high:.4g})"


class Runs:
    """What came of several agents in an environment.

    Attributes
    ----------
    agents : list of AgentRuns
        The best one first.
    environment : str
    runs, judged, seed : int
        How many runs each agent had, by how many episodes each was judged, and the seed.
    random : float
        What actions earn that are drawn at random.
    """

    def __init__(self, agents, environment, runs, judged, seed, random):
        self.agents, self.environment, self.runs = agents, environment, runs
        self.judged, self.seed, self.random = judged, seed, random

    def __getitem__(self, name):
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(f"no agent is called {name!r}; there are {', '.join(agent.name for agent in self.agents)}")

    def to_dict(self):
        """All numbers, as ``mercer play --json`` writes them.

        Returns
        -------
        dict
        """

        def number(value):
            return None if value != value else value

        def told(agent):
            low, high = agent.interval
            return {
                "agent": agent.name,
                "learner": agent.learner,
                "scores": agent.scores.tolist(),
                "endless": agent.endless,
                "return": number(agent.score),
                "low": number(low),
                "high": number(high),
                "curve": agent.curve.tolist(),
            }

        return {
            "environment": self.environment,
            "runs": self.runs,
            "judged": self.judged,
            "seed": self.seed,
            "random": self.random,
            "agents": [told(agent) for agent in self.agents],
        }

    def to_csv(self, path=None):
        """The learning curves, a row for each point, as ``mercer play --csv`` writes them.

        Parameters
        ----------
        path : str or path-like or None, default=None
            Where to write; None gives the text.

        Returns
        -------
        str or None
        """
        import csv
        import io

        text = io.StringIO()
        out = csv.writer(text, lineterminator="\n")
        out.writerow(["agent", "step", "return", "low", "high"])
        for agent in self.agents:
            out.writerows([agent.name, *(repr(value).removesuffix(".0") for value in point)] for point in agent.curve.tolist())
        if path is None:
            return text.getvalue()
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
        return None

    def __repr__(self):
        rows = "".join(f"\n  {agent!r}" for agent in self.agents)
        return f"Runs({self.environment}: {self.runs} runs, actions at random earn {self.random:.4g}{rows})"


def play(environment, agents, runs=10, *, judge=100, points=50, seed=0, n_jobs=None):
    """Train agents in several runs, and judge the policy of each run without exploration: the numbers of ``mercer play``.

    Parameters
    ----------
    environment : str, environment, MDP, or function that makes one
        The name of one of Mercer's environments, or one with Gymnasium's interface. Runs are side by side in the former; in the
        latter, which is Python's, one after the other.
    agents : estimator, list or dict of str to estimator
        Agents and planners, with their settings, ``steps`` among them. Their ``random_state`` does not matter: each run has a
        seed of its own. A planner of a known process has one run.
    runs : int, default=10
        How many runs each agent has.
    judge : int, default=100
        By how many episodes the policy of each run is judged.
    points : int, default=50
        At how many places the learning curve is read.
    seed : int, default=0
        What all seeds follow from: the same gives the same numbers for any number of threads.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    Runs
        Interquartile means with their intervals, curves, the returns of each run, and the fitted agent of the best one.

    Examples
    --------
    >>> from mercer.rl import QLearning, Sarsa, play
    >>> found = play("cliff", [QLearning(alpha=0.5, discount=1.0), Sarsa(alpha=0.5, discount=1.0)], runs=4)
    >>> found["QLearning"].score
    -13.0
    >>> found.agents[0].name
    'QLearning'
    """
    named = _named(agents)
    counts = {name: _count(name, value) for name, value in (("runs", runs), ("judge", judge), ("points", points))}
    for name, value in counts.items():
        if value == 0:
            raise ValueError(f"`{name}` must be at least 1, got 0")
    seed, threads = _seed(seed), threads_of(n_jobs)
    trials = (counts["runs"], counts["judge"], counts["points"])
    world, played = prepare_environment(environment), []
    random = _mercer.play_random(world, counts["judge"], (seed, threads))
    for name, agent in named.items():
        told, model = _mercer.play_runs(agent._mercer_spec(), world, trials, (seed, threads))
        best = type(agent)(**agent.get_params(deep=False))
        best._model = model
        played.append(AgentRuns(name, type(agent).__name__, told, best))
    played.sort(key=lambda agent: float("-inf") if agent.score != agent.score else agent.score, reverse=True)
    name = world[1] if isinstance(world[1], str) else getattr(world[1], "name", "mdp")
    return Runs(played, name, counts["runs"], counts["judge"], seed, random)


def _named(agents):
    """Agents by name; those without one are called by their class."""
    if isinstance(agents, dict):
        named = list(agents.items())
    else:
        several = list(agents) if isinstance(agents, (list, tuple)) else [agents]
        named = [(type(agent).__name__, agent) for agent in several]
    if not named:
        raise ValueError("`agents` is empty")
    for name, agent in named:
        if not isinstance(agent, Estimator) or agent._mercer_task != "Planning":
            raise TypeError(f"`agents` are agents and planners of mercer.rl, got {agent!r}")
    out = dict(named)
    if len(out) < len(named):
        raise ValueError("two of `agents` have the same name: give a dict of names")
    return out


__all__ = ["AgentRuns", "Runs", "play"]
