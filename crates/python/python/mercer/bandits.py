"""Bandits: arms that pay at random, strategies that choose among them, and what that costs.

A strategy is a class with its settings. It is played by hand, round by round, or in many runs against arms whose law is known:

>>> from mercer.bandits import BernoulliArms, EpsilonGreedy, UCB1
>>> game = EpsilonGreedy(epsilon=0.0).begin(3, seed=1)
>>> game.update(arm=2, reward=0.7)
>>> game.choose()
2
>>> game.policy().act(0)
2
>>> curves = UCB1().simulate(BernoulliArms([0.2, 0.8]), steps=500, runs=50)
>>> bool(curves.best[-1] > 0.8)
True
"""

from __future__ import annotations

from typing import NamedTuple

from mercer import _mercer
from mercer._base import seed_of, threads_of

__all__ = ["Curves", "Estimate", "Game", "direct", "doubly_robust", "ips", "snips"]


class _Declared:
    """A class whose parameters are declared in the compiled part."""

    _defaults: dict[str, object] = {}

    def __init__(self, *values, **named):
        bound = self.__signature__.bind(*values, **named)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def get_params(self, deep=True):
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._defaults}

    def __repr__(self):
        import numpy as np

        changed = (f"{n}={getattr(self, n)!r}" for n, d in self._defaults.items() if not np.array_equal(getattr(self, n), d))
        return f"{type(self).__name__}({', '.join(changed)})"

    def __eq__(self, other):
        import numpy as np

        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(value, getattr(other, name)) for name, value in self.get_params().items())

    __hash__ = None

    def __reduce__(self):
        return type(self), tuple(self.get_params().values())


class Strategy(_Declared):
    """How arms are chosen; each strategy is a class."""

    def set_params(self, **params):
        """Set parameters by name.

        Returns
        -------
        self
        """
        for name, value in params.items():
            if name not in self._defaults:
                raise ValueError(f"Invalid parameter {name!r} for {self}. Valid parameters are: {list(self._defaults)!r}.")
            setattr(self, name, value)
        return self

    def begin(self, n_arms, n_features=0, *, steps=1000, seed=0):
        """Begin a game that is played by hand.

        Parameters
        ----------
        n_arms : int
        n_features : int, default=0
            How many numbers a context has.
        steps : int, default=1000
            How many rounds are to be played; `EXP3` makes its rate of them.
        seed : int, default=0

        Returns
        -------
        Game
        """
        numbers = [_count(name, value) for name, value in (("n_arms", n_arms), ("n_features", n_features), ("steps", steps))]
        return Game(_mercer.BanditGame(type(self).__name__, self.get_params(), *numbers, _seed(seed)))

    def simulate(self, arms, steps=1000, runs=100, *, seed=0, n_jobs=None):
        """Play many games, each with random numbers of its own: the same for any number of threads.

        Parameters
        ----------
        arms : Arms
        steps : int, default=1000
            Rounds of a game.
        runs : int, default=100
        seed : int, default=0
        n_jobs : int or None, default=None

        Returns
        -------
        Curves
        """
        if not isinstance(arms, Arms):
            kinds = ", ".join(c.__name__ for c in Arms.__subclasses__())
            raise ValueError(f"`arms` are one of {kinds}, got a {type(arms).__name__}")
        steps, runs = _count("steps", steps), _count("runs", runs)
        told = _mercer.bandit_simulate(type(self).__name__, self.get_params(), arms._arms, steps, runs, _seed(seed), threads_of(n_jobs))
        return Curves(**told)


class Arms(_Declared):
    """What may be chosen; each kind of arms is a class, and does not change."""

    def __init__(self, *values, **named):
        super().__init__(*values, **named)
        self._arms = _mercer.Arms(type(self).__name__, self.get_params())

    @property
    def n_arms(self):
        """How many there are."""
        return self._arms.n_arms

    @property
    def n_features(self):
        """How many numbers a context has."""
        return self._arms.n_features


def _count(name, value):
    import operator

    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"`{name}` must be a whole number, got {value!r}") from None
    if not 0 <= number < 2**63:
        raise ValueError(f"`{name}` must be a whole number of at least 0, got {value!r}")
    return number


def _seed(seed):
    return _count("seed", seed_of(seed) if seed is None or hasattr(seed, "random") else seed)


class Game:
    """A game that is played by hand: ask for an arm, pull it, tell what it paid.

    What it has come to is a policy like that of any agent, which a model file holds, and from which the game goes on:

    >>> from mercer.bandits import Game, LinUCB
    >>> game = LinUCB().begin(2, 1)
    >>> for arm, reward in [(0, 0.1), (1, 0.9)]:
    ...     game.update(arm, reward, [1.0])
    >>> Game.of(game.policy()).choose([1.0]) == game.choose([1.0]) == 1
    True
    """

    def __init__(self, game):
        self._game = game

    def policy(self):
        """What the game has come to: the arm that is expected to pay the most in each context, without exploration.

        Returns
        -------
        mercer.rl.ContextualBandit
            Fitted: with ``act(context)``, ``predict(contexts)``, ``save(path)``. A game without contexts is asked about the state 0.
        """
        from mercer._load import fitted

        return fitted(self._game.model())

    def save(self, path):
        """Write the game to a model file, from which `load` goes on, and of which `mercer.load` reads the policy."""
        self.policy().save(path)

    @classmethod
    def of(cls, policy):
        """The game that a policy was made of, to go on with.

        Parameters
        ----------
        policy : mercer.rl.ContextualBandit
            Fitted.

        Returns
        -------
        Game
        """
        from mercer.rl import ContextualBandit

        if not isinstance(policy, ContextualBandit):
            raise TypeError(f"a game goes on from a fitted mercer.rl.ContextualBandit, not from a {type(policy).__name__}")
        return cls(_mercer.BanditGame.of(policy._model))

    @classmethod
    def load(cls, path):
        """The game of a model file, to go on with.

        Returns
        -------
        Game
        """
        from mercer._load import load

        return cls.of(load(path))

    def __reduce__(self):
        return Game.of, (self.policy(),)

    def choose(self, context=None):
        """The arm of this round.

        Parameters
        ----------
        context : array-like of shape (n_features,) or None

        Returns
        -------
        int
        """
        return self._game.choose([] if context is None else _numbers("context", context))

    def update(self, arm, reward, context=None):
        """Tell what an arm paid.

        Parameters
        ----------
        arm : int
        reward : float
        context : array-like of shape (n_features,) or None
            None is the context of the last choice.
        """
        reward = _numbers("reward", reward)
        if len(reward) != 1:
            raise ValueError(f"`reward` must be one number, got {len(reward)}")
        self._game.update(_count("arm", arm), reward[0], None if context is None else _numbers("context", context))


def _numbers(name, values):
    import numpy as np

    try:
        return np.ravel(np.asarray(values, dtype=np.float64)).tolist()
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must be numbers, got {values!r}") from None


class Curves:
    """What many runs of a strategy came to.

    Attributes
    ----------
    reward, reward_error : ndarray of shape (steps,)
        The mean reward of each round, and its standard error over the runs.
    best : ndarray of shape (steps,)
        The share of runs that chose a best arm.
    regret, regret_error : ndarray of shape (steps,)
        The mean regret up to each round, and its standard error.
    final_regret : ndarray of shape (runs,)
        The regret of each run at its end.
    ucb1_bound, lai_robbins, exp3_bound : ndarray of shape (steps,) or None
        What theory says of the expected regret, where it does.
    notes : list of str
        Which bounds are left out, and why.
    """

    def __init__(
        self, *, reward, reward_error, best, regret, regret_error, final_regret, ucb1_bound, lai_robbins, exp3_bound, notes
    ):
        self.reward, self.reward_error, self.best = reward, reward_error, best
        self.regret, self.regret_error, self.final_regret = regret, regret_error, final_regret
        self.ucb1_bound, self.lai_robbins, self.exp3_bound = ucb1_bound, lai_robbins, exp3_bound
        self.notes = notes

    def regret_interval(self, level=0.95):
        """The ends of an interval that holds the mean regret of each round with probability `level`, by the normal law."""
        if not 0 < level < 1:
            raise ValueError(f"`level` must be in (0, 1), got {level!r}")
        width = _mercer.law_values("normal", [0.0, 1.0], "quantile", _matrix("level", [[0.5 + 0.5 * level]])[0])[0]
        return self.regret - width * self.regret_error, self.regret + width * self.regret_error

    def __repr__(self):
        low, high = self.regret_interval()
        runs, steps = len(self.final_regret), len(self.regret)
        return f"Curves({runs} runs of {steps} steps: regret {self.regret[-1]:.4g}, 95 % interval {low[-1]:.4g} to {high[-1]:.4g})"


class Estimate(NamedTuple):
    """The value of a policy, the mean reward of a round, and the `standard_error` of that."""

    value: float
    standard_error: float


def _matrix(name, rows):
    import numpy as np

    try:
        matrix = np.ascontiguousarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must be a matrix of numbers") from None
    if matrix.ndim != 2:
        raise ValueError(f"`{name}` must have a row for each round and a column for each arm, got {matrix.ndim} dimensions")
    return matrix


def _value(how, arms, rewards, propensities, target, predicted=None):
    import numpy as np

    numbers = np.ravel(arms).tolist()
    told = _mercer.bandit_value(
        how,
        [_count("arms", arm) for arm in numbers],
        _numbers("rewards", rewards),
        _numbers("propensities", propensities),
        _matrix("target", target),
        None if predicted is None else _matrix("predicted", predicted),
    )
    return Estimate(*told)


def ips(arms, rewards, propensities, target):
    """The value of another policy by importance: without bias, where every arm that it takes had a chance.

    Parameters
    ----------
    arms : array-like of int of shape (rounds,)
        The arms that were chosen.
    rewards : array-like of shape (rounds,)
        What they paid.
    propensities : array-like of shape (rounds,)
        With what probability they were chosen.
    target : array-like of shape (rounds, arms)
        The probability of each arm under the other policy.

    Returns
    -------
    Estimate
    """
    return _value("ips", arms, rewards, propensities, target)


def snips(arms, rewards, propensities, target):
    """As `ips`, with weights that are made to sum to the rounds: a little bias for much less variance."""
    return _value("snips", arms, rewards, propensities, target)


def direct(arms, rewards, propensities, target, predicted):
    """By `predicted` rewards of each arm in each round alone (rounds × arms): as right as they are. Else as `ips`."""
    return _value("direct", arms, rewards, propensities, target, predicted)


def doubly_robust(arms, rewards, propensities, target, predicted):
    """By `predicted` rewards, and by importance of what they missed: without bias where either they or the propensities are right."""
    return _value("doubly_robust", arms, rewards, propensities, target, predicted)


def _classes(base, declared):
    from inspect import Parameter, Signature

    for name, doc, parameters in declared:
        defaults = {parameter: default for parameter, _, _, default in parameters}
        # Lists of numbers have no default that means something.
        asked = {p: Parameter.empty if d == [] else d for p, d in defaults.items()}
        lines = [f"    {p} : {allowed}\n        {meaning}" for p, meaning, allowed, _ in parameters]
        told = f"{doc}\n\n    Parameters\n    ----------\n" + "\n".join(lines) if lines else doc
        body = {
            "__doc__": told,
            "__module__": __name__,
            "__signature__": Signature([Parameter(p, Parameter.POSITIONAL_OR_KEYWORD, default=d) for p, d in asked.items()]),
            "_defaults": defaults,
        }
        yield name, type(name, (base,), body)


for _base, _declarations in ((Strategy, _mercer.bandit_strategies()), (Arms, _mercer.bandit_arms())):
    for _name, _class in _classes(_base, _declarations):
        globals()[_name] = _class
        __all__.append(_name)
__all__.sort()
