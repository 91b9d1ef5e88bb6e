"""Decision processes as arrays, dictionaries, environments and files have them, and what policies are worth in them."""

from __future__ import annotations

from mercer import _mercer


class MDP:
    """A finite Markov decision process.

    Parameters
    ----------
    transitions : array-like of shape (n_actions, n_states, n_states), or a matrix (dense or sparse) for each action
        The probability of each next state. A row of zeros is an action that is not available; a state without actions ends.
    rewards : array-like of shape (n_states,), (n_states, n_actions) or (n_actions, n_states, n_states), or a matrix for each action
        What a state, an action in it, or a transition pays.
    discount : float in [0, 1], optional
        The discount that planners take where they have none of their own.
    states, actions : sequence of str, optional
        Names; their numbers without.

    Attributes
    ----------
    states, actions : list of str
    discount : float or None

    Examples
    --------
    >>> from mercer.rl import MDP, PolicyIteration
    >>> mdp = MDP([[[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]], [[5.0, 10.0], [-1.0, 2.0]], 0.9)
    >>> PolicyIteration().fit(mdp).policy_.tolist()
    [1, 0]
    """

    def __init__(self, transitions, rewards, discount=None, *, states=None, actions=None):
        import numpy as np

        p = _by_action(transitions, "transitions")
        n_states, n_actions = p[0].shape[0], len(p)
        for a, matrix in enumerate(p):
            if matrix.shape != (n_states, n_states):
                raise ValueError(f"transitions of action {a} have the shape {matrix.shape}, expected {(n_states, n_states)}")
        parts = [_entries(matrix) for matrix in p]
        state, to, probability = (np.concatenate([part[i] for part in parts]) for i in range(3))
        action = np.repeat(np.arange(n_actions), [len(part[0]) for part in parts])
        reward = _rewards(rewards, state, action, to, n_states, n_actions)
        self._process = _process(
            _names(states, n_states, "states"), _names(actions, n_actions, "actions"), state, action, to, probability, reward, discount
        )

    @classmethod
    def _over(cls, process):
        made = cls.__new__(cls)
        made._process = process
        return made

    @classmethod
    def of(cls, process):
        """What describes a process, as an MDP.

        Parameters
        ----------
        process : MDP, dict, environment, path or str
            A dictionary as the JSON form has it, or as `from_dynamics` takes it; an environment of Gymnasium with ``P``; a
            path to a JSON file; the name of a bundled process, with its settings: ``"gambler:goal=50"``.
        """
        import json
        import os

        if isinstance(process, cls):
            return process
        if callable(getattr(process, "mdp", None)):
            return process.mdp()
        if isinstance(process, dict):
            return cls.from_json(json.dumps(process)) if "states" in process else cls.from_dynamics(process)
        dynamics = getattr(getattr(process, "unwrapped", process), "P", None)
        if isinstance(dynamics, dict):
            return cls.from_dynamics(dynamics)
        if isinstance(process, str) and not process.endswith(".json") and not os.path.exists(process):
            return cls._over(_mercer.Process.named(process))
        if not isinstance(process, (str, os.PathLike)):
            kinds = "an MDP, a dict, an environment with `P`, a path or a name"
            raise TypeError(f"a decision process is {kinds}, got a {type(process).__name__}")
        with open(process, encoding="utf-8") as file:
            return cls.from_json(file.read())

    @classmethod
    def from_json(cls, text):
        """The process of a JSON text: states, actions, discount, and transitions by name."""
        return cls._over(_mercer.Process.from_json(text))

    @classmethod
    def from_transitions(cls, transitions, discount=None, *, states=None, actions=None):
        """A process from rows (state, action, next state, probability, reward), by number or, with names, by name.

        Parameters
        ----------
        transitions : sequence of tuples
        discount : float, optional
        states, actions : sequence of str, optional
            Names; without them there are as many as the largest number says.
        """
        import numpy as np

        rows = list(transitions)
        columns = list(zip(*rows)) if rows else [[]] * 5
        if len(columns) != 5:
            raise ValueError(f"a transition is (state, action, next state, probability, reward), got {len(columns)} values")
        state, to = _numbered(columns[0], states), _numbered(columns[2], states)
        action = _numbered(columns[1], actions)
        n_states = max(state.max(initial=-1), to.max(initial=-1)) + 1
        n_actions = action.max(initial=-1) + 1
        states = _names(states, n_states if states is None else len(states), "states")
        actions = _names(actions, n_actions if actions is None else len(actions), "actions")
        numbers = (np.asarray(column, dtype=np.float64) for column in columns[3:])
        return cls._over(_process(states, actions, state, action, to, *numbers, discount))

    @classmethod
    def from_dynamics(cls, dynamics, discount=None):
        """A process from Gymnasium's ``env.P``: ``{state: {action: [(probability, next state, reward, terminated), …]}}``.

        What ends an episode leads to a state without actions: the next state itself, where it only stays there for nothing,
        else one more state called ``end``.
        """
        n_states = 1 + max(dynamics, default=-1)
        ended = {t[1] for ways in dynamics.values() for way in ways.values() for t in way if t[3]}

        def stays(s):
            ways = dynamics.get(s, {})
            return all(t[1] == s and t[2] == 0 for way in ways.values() for t in way)

        idle = all(stays(s) for s in ended)
        rows = []
        for s, ways in dynamics.items():
            for a, way in ways.items():
                if idle and s in ended:
                    continue
                rows.extend((s, a, n_states if t[3] and not idle else t[1], t[0], t[2]) for t in way)
        names = [str(s) for s in range(n_states)] + ([] if idle else ["end"])
        n_actions = 1 + max((a for ways in dynamics.values() for a in ways), default=-1)
        columns = zip(*rows) if rows else [[]] * 5
        return cls._over(_process(names, [str(a) for a in range(n_actions)], *columns, discount))

    @property
    def states(self):
        return self._process.states

    @property
    def actions(self):
        return self._process.actions

    @property
    def discount(self):
        return self._process.discount

    def to_transitions(self):
        """The transitions as arrays: state, action, next state, probability, reward."""
        return self._process.columns()

    def __reduce__(self):
        return _again, (self.states, self.actions, self.to_transitions(), self.discount)

    def __repr__(self):
        return f"MDP({len(self.states)} states, {len(self.actions)} actions, discount={self.discount})"


def _again(states, actions, columns, discount):
    return MDP._over(_process(states, actions, *columns, discount))


def _process(states, actions, state, action, to, probability, reward, discount):
    import numpy as np

    places = (np.ascontiguousarray(column, dtype=np.int64) for column in (state, action, to))
    numbers = (np.ascontiguousarray(column, dtype=np.float64) for column in (probability, reward))
    return _mercer.Process(states, actions, *places, *numbers, None if discount is None else float(discount))


def _names(names, n, what):
    if names is None:
        return [str(i) for i in range(n)]
    names = [str(name) for name in names]
    if len(names) != n:
        raise ValueError(f"`{what}` has {len(names)} names for {n}")
    return names


def _numbered(column, names):
    """The numbers of what is given by name or by number."""
    import numpy as np

    if names is None:
        array = np.asarray(column)
        if array.size and array.dtype.kind not in "iu":
            raise TypeError("states and actions are whole numbers; give `states` and `actions` to call them by name")
        return array.astype(np.int64)
    places = {name: i for i, name in enumerate(names)}
    unknown = [name for name in column if name not in places]
    if unknown:
        raise KeyError(f"{unknown[0]!r} is not among the names")
    return np.asarray([places[name] for name in column], dtype=np.int64)


def _is_sparse(matrix):
    return hasattr(matrix, "tocoo")


def _by_action(matrices, what):
    """A matrix for each action."""
    import numpy as np

    if _is_sparse(matrices):
        raise ValueError(f"`{what}` is one sparse matrix for each action, not one")
    matrices = list(matrices)
    if not matrices:
        raise ValueError(f"`{what}` has no action")
    matrices = [matrix if _is_sparse(matrix) else np.asarray(matrix, dtype=np.float64) for matrix in matrices]
    if any(len(matrix.shape) != 2 for matrix in matrices):
        raise ValueError(f"`{what}` has the shape (n_actions, n_states, n_states)")
    return matrices


def _entries(matrix):
    """Rows, columns and values of what is not zero; what is no number stays, so that it is refused by name."""
    import numpy as np

    if _is_sparse(matrix):
        matrix = matrix.tocoo(copy=False)
        return matrix.row, matrix.col, np.asarray(matrix.data, dtype=np.float64)
    rows, columns = np.nonzero(matrix)
    return rows, columns, matrix[rows, columns]


def _rewards(rewards, state, action, to, n_states, n_actions):
    """The reward of each transition."""
    import numpy as np

    if _is_sparse(rewards):
        rewards = rewards.toarray()
    several = isinstance(rewards, (list, tuple)) and any(map(_is_sparse, rewards))
    if not several:
        rewards = np.asarray(rewards, dtype=np.float64)
        if rewards.shape == (n_states,):
            return rewards[state]
        if rewards.shape == (n_states, n_actions):
            return rewards[state, action]
        if rewards.shape == (n_actions, n_states, n_states):
            return rewards[action, state, to]
        shapes = f"({n_states},), ({n_states}, {n_actions}) or ({n_actions}, {n_states}, {n_states})"
        raise ValueError(f"`rewards` has the shape {rewards.shape}, expected {shapes}")
    if len(rewards) != n_actions:
        raise ValueError(f"`rewards` has {len(rewards)} matrices for {n_actions} actions")
    out = np.empty(len(state))
    for a, matrix in enumerate(rewards):
        if matrix.shape != (n_states, n_states):
            raise ValueError(f"rewards of action {a} have the shape {matrix.shape}, expected {(n_states, n_states)}")
        of = action == a
        matrix = matrix.tocsr() if _is_sparse(matrix) else np.asarray(matrix, dtype=np.float64)
        out[of] = np.asarray(matrix[state[of], to[of]]).ravel()
    return out


def _discount(process, discount):
    """The given discount, else that of the process, else 0.99."""
    given = discount if discount is not None else process.discount
    return 0.99 if given is None else float(given)


def evaluate_policy(mdp, policy=None, *, discount=None, steps=None, method="exact", tol=1e-8, max_iter=100000):
    """What a policy is worth: the value of each state, and of each action in it.

    Parameters
    ----------
    mdp : MDP, or what one is made of
    policy : array-like of shape (n_states,) or (n_states, n_actions), optional
        The number of an action for each state, or probabilities; every action alike without.
    discount : float, optional
        The discount of later rewards; that of the process, or 0.99, without.
    steps : int, optional
        Values are the mean reward of this many steps, without a discount.
    method : {"exact", "iterative"}, default="exact"
        By the linear system of the policy, or by sweeps until no value moves by `tol`.
    tol : float, default=1e-8
    max_iter : int, default=100000

    Returns
    -------
    values : ndarray of shape (n_states,)
    action_values : ndarray of shape (n_states, n_actions)
        -inf where an action is not available.
    """
    import numpy as np

    if method not in ("exact", "iterative"):
        raise ValueError(f"method must be 'exact' or 'iterative', got {method!r}")
    mdp = MDP.of(mdp)
    n_states, n_actions = len(mdp.states), len(mdp.actions)
    if policy is not None:
        policy = np.asarray(policy)
        if policy.ndim == 1 and policy.dtype.kind in "iu":
            if policy.size and not (-1 <= policy.min() and policy.max() < n_actions):
                raise ValueError(f"actions are numbers below {n_actions}, or -1 where there is none")
            policy = (policy[:, None] == np.arange(n_actions)).astype(np.float64)
        policy = np.ascontiguousarray(policy, dtype=np.float64)
        if policy.shape != (n_states, n_actions):
            raise ValueError(f"`policy` has the shape {policy.shape}, expected {(n_states, n_actions)}")
    sweeps = (float(tol), int(max_iter)) if method == "iterative" else None
    values, action_values, converged = _mercer.evaluate_policy(mdp._process, policy, _discount(mdp, discount), steps, sweeps)
    if not converged:
        import warnings

        from mercer._exceptions import convergence_warning

        message = "values of the policy did not converge: raise max_iter or tol"
        warnings.warn(message, convergence_warning(), stacklevel=2)
    return values, action_values


def improve_policy(mdp, values, *, discount=None):
    """The policy that is greedy for values of states: never worse than the policy that has these values.

    Parameters
    ----------
    mdp : MDP, or what one is made of
    values : array-like of shape (n_states,)
    discount : float, optional
        The discount of later rewards; that of the process, or 0.99, without.

    Returns
    -------
    ndarray of shape (n_states,)
        The number of an action for each state; -1 where there is none.
    """
    import numpy as np

    mdp = MDP.of(mdp)
    values = np.asarray(values, dtype=np.float64).ravel().tolist()
    return _mercer.improve_policy(mdp._process, _discount(mdp, discount), values)


class HorizonMixin:
    """Plans that depend on the steps that are left."""

    def predict(self, X, steps_left=None):
        """The action in each state, with all steps left or with some.

        Returns
        -------
        ndarray
        """
        if steps_left is None:
            return super().predict(X)
        import numpy as np

        policies = self.policy_by_steps_
        if not 1 <= steps_left <= len(policies):
            raise ValueError(f"`steps_left` must be in [1, {len(policies)}], got {steps_left}")
        places = {name: i for i, name in enumerate(self.states_)}
        array = np.asarray([X] if isinstance(X, str) else X).ravel().tolist()
        asked = [places[str(state)] if str(state) in places else state for state in array]
        unknown = [state for state in asked if not isinstance(state, int) or not 0 <= state < len(places)]
        if unknown:
            raise KeyError(f"no state is called `{unknown[0]}`")
        names = np.asarray([*self.actions_, "(none)"])
        return names[policies[steps_left - 1][asked]]
