"""Environments: Mercer's as Gymnasium's, Gymnasium's as Mercer's agents see them, and what policies earn in them."""

from __future__ import annotations

from mercer import _mercer


def environments():
    """Names and meanings of the environments that `make` knows.

    Returns
    -------
    dict of str to str
    """
    return dict(_mercer.environment_names())


_CLASSES = {}


def _gymnasium():
    try:
        import gymnasium
    except ImportError:
        return None
    return gymnasium


def make(name, *, render_mode=None, **options):
    """One of Mercer's environments, with Gymnasium's interface; where Gymnasium is installed, one of its environments.

    Parameters
    ----------
    name : str
        One of `environments`, with options behind a colon: ``"frozen-lake:size=8"``.
    render_mode : {None, "ansi"}
        Whether `render` gives a text.
    **options
        Options, as the environment has them: ``slippery=False``.

    Returns
    -------
    Environment
        With ``observation_space``, ``action_space``, ``reset(seed=)``, ``step(action)``, ``set_state(state)``, ``actions`` and
        ``mdp()``.

    Examples
    --------
    >>> from mercer.rl import make
    >>> env = make("frozen-lake", slippery=False)
    >>> observation, info = env.reset(seed=1)
    >>> env.step(1)
    (4, 0.0, False, False, {})
    """
    gymnasium = _gymnasium()
    if gymnasium not in _CLASSES:
        base = () if gymnasium is None else (gymnasium.Env,)
        _CLASSES[gymnasium] = type("Environment", (_Environment, *base), {"__module__": __name__})
    return _CLASSES[gymnasium](name, render_mode, options)


def _again(name, render_mode, options):
    return make(name, render_mode=render_mode, **options)


def _spec(name, options):
    if not options:
        return name
    word = {True: "true", False: "false"}
    parts = [f"{key}={word[value] if isinstance(value, bool) else _word(value)}" for key, value in options.items()]
    return f"{name}{',' if ':' in name else ':'}{','.join(parts)}"


def _word(value):
    if not isinstance(value, str):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


class _Environment:
    """One of Mercer's environments."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, name, render_mode=None, options=None):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"`render_mode` is None or 'ansi', got {render_mode!r}")
        self._made = (name, render_mode, dict(options or {}))
        self.name = _spec(name, self._made[2])
        self.render_mode = render_mode
        self._play = _mercer.Play(self.name, _fresh_seed())
        self._kind, counts, low, high = self._play.space
        self.n_actions = self._play.n_actions
        self.actions = self._play.actions or [str(a) for a in range(self.n_actions)]
        self.feature_names = self._play.names
        self._seen = None
        gymnasium = _gymnasium()
        if gymnasium is not None:
            self.action_space = gymnasium.spaces.Discrete(self.n_actions)
            self.observation_space = _space(gymnasium.spaces, self._kind, counts, low, high)

    def _show(self, numbers):
        self._seen = numbers
        if self._kind == "discrete":
            return int(numbers[0])
        return tuple(int(v) for v in numbers) if self._kind == "several" else numbers

    def reset(self, *, seed=None, options=None):
        """Begin an episode.

        Returns
        -------
        observation, info
        """
        if hasattr(super(), "reset"):
            super().reset(seed=seed)
        return self._show(self._play.reset(seed)), self._info()

    def _info(self):
        """The mask of the actions that are there, where some are not, as Gymnasium's own environments have it."""
        import numpy as np

        mask = self._play.mask()
        return {} if mask is None else {"action_mask": np.asarray(mask, dtype=np.int8)}

    def step(self, action):
        """Act, by the number of an action or by its name.

        Returns
        -------
        observation, reward, terminated, truncated, info
        """
        if isinstance(action, str):
            if action not in self.actions:
                raise ValueError(f"no action is called {action!r}; there are {', '.join(self.actions)}")
            action = self.actions.index(action)
        if self._seen is None:
            raise RuntimeError("call `reset` before `step`")
        numbers, reward, terminated, truncated = self._play.step(int(action))
        return self._show(numbers), reward, terminated, truncated, self._info()

    def set_state(self, state):
        """Put the environment into a state, from which the next step goes on."""
        import numpy as np

        if self._seen is None:
            self.reset()
        self._play.set_state(np.atleast_1d(np.asarray(state, dtype=np.float64)).tolist())

    def mdp(self):
        """The decision process that it follows, where it is known."""
        from mercer._planning import MDP

        return MDP._over(self._play.process())

    def render(self):
        """What is observed, as text."""
        if self.render_mode is None or self._seen is None:
            return None
        return "  ".join(f"{name} {value:g}" for name, value in zip(self.feature_names, self._seen, strict=True))

    def close(self):
        """Nothing has to be closed."""

    def __reduce__(self):
        return _again, self._made

    def __repr__(self):
        return f"make({self.name!r})"


def _fresh_seed():
    import secrets

    return secrets.randbits(63)


def _space(spaces, kind, counts, low, high):
    import numpy as np

    if kind == "discrete":
        return spaces.Discrete(counts[0])
    if kind == "several":
        return spaces.Tuple([spaces.Discrete(n) for n in counts])
    return spaces.Box(np.asarray(low), np.asarray(high), dtype=np.float64)


class _Foreign:
    """What the compiled part asks of an environment that is written in Python."""

    def __init__(self, source):
        self._source = source
        env = source if hasattr(source, "step") else source()
        if not hasattr(env, "step") or not hasattr(env, "reset"):
            raise TypeError(f"an environment has `reset` and `step`; {type(env).__name__} lacks them")
        self._first = env
        self.name = str(getattr(getattr(env, "spec", None), "id", None) or type(env).__name__)
        actions = env.action_space
        if type(actions).__name__ != "Discrete":
            raise TypeError(f"agents take a Discrete action space, not {actions}")
        self.n_actions, self._first_action = int(actions.n), int(getattr(actions, "start", 0))
        self.kind, self.counts, self.low, self.high, self._flat = _read_space(env.observation_space)

    def make(self):
        """A copy to act in: a new one where a function makes them."""
        env, self._first = self._first, None
        if env is None:
            env = self._source if hasattr(self._source, "step") else self._source()
        return _Running(env, self._flat, self._first_action)


class _Running:
    def __init__(self, env, flat, first_action):
        self._env, self._flat, self._first_action = env, flat, first_action

    def reset(self, seed):
        return self._flat(self._env.reset(seed=seed)[0])

    def step(self, action):
        seen, reward, terminated, truncated, _ = self._env.step(action + self._first_action)
        return self._flat(seen), float(reward), bool(terminated), bool(truncated)


def _read_space(space):
    """Kind, counts, ends, and what makes numbers of an observation."""
    import numpy as np

    kind = type(space).__name__
    if kind == "Discrete":
        start = int(getattr(space, "start", 0))
        return "discrete", [int(space.n)], [], [], lambda seen: [float(int(seen) - start)]
    if kind == "Box":
        low, high = (np.asarray(end, dtype=np.float64).ravel().tolist() for end in (space.low, space.high))
        return "box", [], low, high, lambda seen: np.asarray(seen, dtype=np.float64).ravel().tolist()
    if kind == "MultiBinary":
        counts = [2] * int(np.prod(space.shape))
        return "several", counts, [], [], lambda seen: np.asarray(seen, dtype=np.float64).ravel().tolist()
    if kind == "MultiDiscrete":
        counts, start = np.asarray(space.nvec).ravel().astype(int).tolist(), np.ravel(getattr(space, "start", 0))
        return "several", counts, [], [], lambda seen: (np.ravel(seen) - start).astype(np.float64).tolist()
    if kind == "Tuple" and all(type(part).__name__ == "Discrete" for part in space.spaces):
        starts = [int(getattr(part, "start", 0)) for part in space.spaces]
        counts = [int(part.n) for part in space.spaces]
        return "several", counts, [], [], lambda seen: [float(v - s) for v, s in zip(seen, starts, strict=True)]
    raise TypeError(f"agents observe Discrete, Box, MultiDiscrete, MultiBinary, or Tuple of Discrete spaces, not {space}")


def prepare_environment(environment):
    """An environment as the compiled part takes it."""
    from mercer._planning import MDP

    if isinstance(environment, str):
        return "environment", environment
    if isinstance(environment, _Environment):
        return "environment", environment.name
    if isinstance(environment, (MDP, dict)):
        return "walk", MDP.of(environment)._process
    if hasattr(environment, "step") or callable(environment):
        return "foreign", _Foreign(environment)
    kinds = "the name of an environment, an environment, a function that makes one, or an MDP"
    raise TypeError(f"expected {kinds}, got a {type(environment).__name__}")


class EnvironmentMixin:
    """Agents, which learn by acting in an environment."""

    def _prepare_fit(self, X):
        return prepare_environment(X), None

    def _prepare(self, X, method):
        self._model
        if method in ("verify", "report"):
            return self._prepare_fit(X)[0]
        return self._observations(X)

    def _observations(self, X):
        import numpy as np

        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim == 1 and self.n_features_in_ == 1:
            rows = rows.reshape(-1, 1)
        if rows.ndim != 2:
            raise ValueError("expected a row for each observation; `act` takes one observation")
        return rows

    def act(self, observation):
        """The action for one observation, as `step` takes it.

        Parameters
        ----------
        observation : int, tuple or array-like
            What the environment showed.

        Returns
        -------
        int
        """
        import numpy as np

        numbers = np.ravel(np.asarray(observation, dtype=np.float64)).tolist()
        # Policies that draw draw anew each time, and the same again after the same fit.
        self.__dict__["_acted"] = self.__dict__.get("_acted", 0) + 1
        return _mercer.policy_act(self._model, numbers, self.__dict__["_acted"])


def evaluate(agent, environment, episodes=100, *, seed=0, max_steps=10_000):
    """What a fitted agent or planner earns in an environment, without exploration.

    Parameters
    ----------
    agent : estimator
        With ``act``; or a function of an observation.
    environment : str or environment
        The name of one of Mercer's environments, or one with Gymnasium's interface.
    episodes : int, default=100
    seed : int, default=0
        Of the first episode.
    max_steps : int, default=10000
        Episodes are left after so many steps.

    Returns
    -------
    ndarray of shape (episodes,)
        The sum of the rewards of each episode.
    """
    import numpy as np

    env = make(environment) if isinstance(environment, str) else environment
    act = getattr(agent, "act", agent)
    returns = np.zeros(episodes)
    for k in range(episodes):
        observation, _ = env.reset(seed=seed if k == 0 else None)
        for _ in range(max_steps):
            observation, reward, terminated, truncated, _ = env.step(act(observation))
            returns[k] += reward
            if terminated or truncated:
                break
    return returns


__all__ = ["EnvironmentMixin", "environments", "evaluate", "make"]
