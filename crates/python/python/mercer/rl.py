# Written by `cargo xtask python` from the catalogue; do not edit.
"""ValueIteration, PolicyIteration, FiniteHorizon, AverageReward, LinearProgramming, MonteCarloPrediction, MonteCarloControl, TDPrediction, Sarsa, ExpectedSarsa, QLearning, DoubleQLearning, DynaQ, PrioritizedSweeping, Reinforce, ActorCritic, ContextualBandit."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._environments import (
    environments,
    evaluate,
    make,
)
from mercer._environments import EnvironmentMixin
from mercer._mixins import MdpMixin, PredictMixin
from mercer._planning import (
    MDP,
    evaluate_policy,
    improve_policy,
)
from mercer._planning import HorizonMixin
from mercer._play import (
    AgentRuns,
    Runs,
    play,
)

__all__ = [
    "ValueIteration",
    "PolicyIteration",
    "FiniteHorizon",
    "AverageReward",
    "LinearProgramming",
    "MonteCarloPrediction",
    "MonteCarloControl",
    "TDPrediction",
    "Sarsa",
    "ExpectedSarsa",
    "QLearning",
    "DoubleQLearning",
    "DynaQ",
    "PrioritizedSweeping",
    "Reinforce",
    "ActorCritic",
    "ContextualBandit",
    "environments",
    "evaluate",
    "make",
    "AgentRuns",
    "Runs",
    "play",
    "MDP",
    "evaluate_policy",
    "improve_policy",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class ValueIteration(PredictMixin, MdpMixin, Estimator):
    """Value iteration: the optimal values and policy of a finite Markov decision process.

    Parameters
    ----------
    discount : number or none in [0, 1], default=None
        The discount of later rewards; none means the process's own, or 0.99.
    tol : number in (0, inf), default=1e-8
        How far from optimal a value may be; the distance between sweeps where the discount is 1.
    max_iter : integer in [1, inf), default=100000
        Sweep limit.
    order : synchronous | gauss_seidel | prioritised, default="synchronous"
        In which order values are made anew: all from those before, in place, or the most out of date first.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957.
    - MacQueen. A modified dynamic programming method for Markovian decision problems. J. Math. Anal. Appl. 14(1), 1966.
    """

    _mercer_name = "ValueIteration"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy"})

    def __init__(
        self,
        discount: float | None = None,
        *,
        tol: float = 1e-8,
        max_iter: int = 100000,
        order: Literal["synchronous", "gauss_seidel", "prioritised"] = "synchronous",
    ) -> None:
        self.discount = discount
        self.tol = tol
        self.max_iter = max_iter
        self.order = order

    def fit(self, X: Any, y: Any = None) -> ValueIteration:
        """Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)


class PolicyIteration(PredictMixin, MdpMixin, Estimator):
    """Policy iteration: a policy is evaluated and improved until nothing improves it.

    Parameters
    ----------
    discount : number or none in [0, 1], default=None
        The discount of later rewards; none means the process's own, or 0.99.
    evaluation : exact | iterative or number in [1, inf), default="exact"
        How a policy is evaluated: exactly, by sweeps to the tolerance, or by this many sweeps.
    tol : number in (0, inf), default=1e-8
        How far from optimal a value may be where evaluation is not exact; the distance between sweeps where the discount is 1.
    max_iter : integer in [1, inf), default=10000
        Limit of improvements.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.
    - Puterman, Shin. Modified policy iteration algorithms for discounted Markov decision problems. Management Science 24(11), 1978.
    """

    _mercer_name = "PolicyIteration"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy"})

    def __init__(
        self,
        discount: float | None = None,
        *,
        evaluation: Literal["exact", "iterative"] | float = "exact",
        tol: float = 1e-8,
        max_iter: int = 10000,
    ) -> None:
        self.discount = discount
        self.evaluation = evaluation
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> PolicyIteration:
        """Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)


class FiniteHorizon(HorizonMixin, PredictMixin, MdpMixin, Estimator):
    """Planning for a number of steps: what is best depends on how many are left.

    Parameters
    ----------
    horizon : integer in [1, inf), default=10
        The number of steps.
    discount : number or none in [0, 1], default=None
        The discount of later rewards; none means the process's own, or 1.
    average : true or false, default=False
        Whether a policy is worth the mean reward of a step, without a discount, rather than the sum of rewards.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bellman. Dynamic Programming. Princeton University Press, 1957.
    """

    _mercer_name = "FiniteHorizon"
    _mercer_task = "Planning"
    _mercer_can = frozenset()

    def __init__(
        self,
        horizon: int = 10,
        *,
        discount: float | None = None,
        average: bool = False,
    ) -> None:
        self.horizon = horizon
        self.discount = discount
        self.average = average

    def fit(self, X: Any, y: Any = None) -> FiniteHorizon:
        """Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)


class AverageReward(PredictMixin, MdpMixin, Estimator):
    """Planning for the average reward of a step, for ever.

    Parameters
    ----------
    method : policy_iteration | value_iteration, default="policy_iteration"
        How the best average reward is found: exactly by policies, or by sweeps where it is the same from every state.
    tol : number in (0, inf), default=1e-8
        Within how much value iteration encloses the gain.
    max_iter : integer in [1, inf), default=100000
        Limit of sweeps, or of improvements of the policy.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Howard. Dynamic Programming and Markov Processes. MIT Press, 1960.
    - Puterman. Markov Decision Processes. Wiley, 1994.
    """

    _mercer_name = "AverageReward"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy"})

    def __init__(
        self,
        method: Literal["policy_iteration", "value_iteration"] = "policy_iteration",
        *,
        tol: float = 1e-8,
        max_iter: int = 100000,
    ) -> None:
        self.method = method
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> AverageReward:
        """Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)


class LinearProgramming(PredictMixin, MdpMixin, Estimator):
    """Planning by a linear program: values and the occupation of states, each the proof of the other.

    Parameters
    ----------
    discount : number or none in [0, 1], default=None
        The discount of later rewards; none means the process's own, or 0.99.
    tol : number in (0, 0.01], default=1e-9
        By how much constraints and reduced costs may be missed, after scaling.
    max_iter : integer in [1, inf), default=100000
        Limit of the simplex method's iterations.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - d'Epenoux. A probabilistic production and inventory problem. Management Science 10(1), 1963.
    """

    _mercer_name = "LinearProgramming"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy"})

    def __init__(
        self,
        discount: float | None = None,
        *,
        tol: float = 1e-9,
        max_iter: int = 100000,
    ) -> None:
        self.discount = discount
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> LinearProgramming:
        """Plan in a decision process: an MDP, what one is made of, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)


class MonteCarloPrediction(PredictMixin, EnvironmentMixin, Estimator):
    """Monte Carlo prediction: what states are worth under a given policy, as averages of returns.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    policy : list of integer or none, default=None
        The action in each state, by number; none means any action with the same probability. An end has any number.
    epsilon : number in [0, 1], default=0.0
        The probability of a random action in place of the policy's.
    behaviour : policy | uniform, default="policy"
        Who acts.
    visits : first | every, default="first"
        Which visits of an episode count.
    alpha : number or none in (0, 1], default=None
        A constant rate in place of averages; none means averages.
    importance : weighted | ordinary, default="weighted"
        How returns off the policy are averaged.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018.
    """

    _mercer_name = "MonteCarloPrediction"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        policy: Sequence[int] | None = None,
        epsilon: float = 0.0,
        behaviour: Literal["policy", "uniform"] = "policy",
        visits: Literal["first", "every"] = "first",
        alpha: float | None = None,
        importance: Literal["weighted", "ordinary"] = "weighted",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.policy = policy
        self.epsilon = epsilon
        self.behaviour = behaviour
        self.visits = visits
        self.alpha = alpha
        self.importance = importance
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> MonteCarloPrediction:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class MonteCarloControl(PredictMixin, EnvironmentMixin, Estimator):
    """Monte Carlo control: the values of actions as averages of the returns that followed them.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    visits : first | every, default="first"
        Which visits of an episode count.
    alpha : number or none in (0, 1], default=None
        A constant rate in place of averages; none means averages.
    importance : weighted | ordinary, default="weighted"
        How returns off the policy are averaged.
    off_policy : true or false, default=False
        Learn the greedy policy while the one that explores acts.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018.
    """

    _mercer_name = "MonteCarloControl"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        initial: float = 0.0,
        visits: Literal["first", "every"] = "first",
        alpha: float | None = None,
        importance: Literal["weighted", "ordinary"] = "weighted",
        off_policy: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.initial = initial
        self.visits = visits
        self.alpha = alpha
        self.importance = importance
        self.off_policy = off_policy
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> MonteCarloControl:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class TDPrediction(PredictMixin, EnvironmentMixin, Estimator):
    """Temporal differences: what states are worth under a given policy, each learnt from the value of the next.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    policy : list of integer or none, default=None
        The action in each state, by number; none means any action with the same probability. An end has any number.
    epsilon : number in [0, 1], default=0.0
        The probability of a random action in place of the policy's.
    behaviour : policy | uniform, default="policy"
        Who acts.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    n_step : integer in [1, inf), default=1
        Over how many rewards a value is learnt, before values are trusted.
    lambda_ : number in [0, 1], default=0.0
        How much of an error reaches the step before: 0 is one step, 1 all steps of the episode.
    traces : accumulating | replacing | dutch, default="accumulating"
        How traces grow.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sutton. Learning to predict by the methods of temporal differences. Machine Learning 3, 1988.
    """

    _mercer_name = "TDPrediction"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        policy: Sequence[int] | None = None,
        epsilon: float = 0.0,
        behaviour: Literal["policy", "uniform"] = "policy",
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        n_step: int = 1,
        lambda_: float = 0.0,
        traces: Literal["accumulating", "replacing", "dutch"] = "accumulating",
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.policy = policy
        self.epsilon = epsilon
        self.behaviour = behaviour
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.n_step = n_step
        self.lambda_ = lambda_
        self.traces = traces
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> TDPrediction:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class Sarsa(PredictMixin, EnvironmentMixin, Estimator):
    """SARSA: the values of the policy that acts, learnt from what is done next.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    n_step : integer in [1, inf), default=1
        Over how many rewards a value is learnt, before values are trusted.
    lambda_ : number in [0, 1], default=0.0
        How much of an error reaches the step before: 0 is one step, 1 all steps of the episode.
    traces : accumulating | replacing | dutch, default="accumulating"
        How traces grow.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sutton, Barto. Reinforcement Learning: An Introduction. MIT Press, 2018.
    """

    _mercer_name = "Sarsa"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        n_step: int = 1,
        lambda_: float = 0.0,
        traces: Literal["accumulating", "replacing", "dutch"] = "accumulating",
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.n_step = n_step
        self.lambda_ = lambda_
        self.traces = traces
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Sarsa:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class ExpectedSarsa(PredictMixin, EnvironmentMixin, Estimator):
    """Expected SARSA: the values of the policy that acts, learnt from what it would do next on average.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    n_step : integer in [1, inf), default=1
        Over how many rewards a value is learnt, before values are trusted.
    lambda_ : number in [0, 1], default=0.0
        How much of an error reaches the step before: 0 is one step, 1 all steps of the episode.
    traces : accumulating | replacing | dutch, default="accumulating"
        How traces grow.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - van Seijen et al. A theoretical and empirical analysis of Expected Sarsa. ADPRL, 2009.
    """

    _mercer_name = "ExpectedSarsa"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        n_step: int = 1,
        lambda_: float = 0.0,
        traces: Literal["accumulating", "replacing", "dutch"] = "accumulating",
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.n_step = n_step
        self.lambda_ = lambda_
        self.traces = traces
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ExpectedSarsa:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class QLearning(PredictMixin, EnvironmentMixin, Estimator):
    """Q-learning: the values of the best policy, learnt while another one explores.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    lambda_ : number in [0, 1], default=0.0
        How much of an error reaches the step before: 0 is one step, 1 all steps of the episode.
    traces : accumulating | replacing | dutch, default="accumulating"
        How traces grow.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Watkins, Dayan. Q-learning. Machine Learning 8, 1992.
    """

    _mercer_name = "QLearning"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        lambda_: float = 0.0,
        traces: Literal["accumulating", "replacing", "dutch"] = "accumulating",
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.lambda_ = lambda_
        self.traces = traces
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> QLearning:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class DoubleQLearning(PredictMixin, EnvironmentMixin, Estimator):
    """Double Q-learning: two sets of values that judge each other's choices, so that luck is not taken for worth.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - van Hasselt. Double Q-learning. NIPS, 2010.
    """

    _mercer_name = "DoubleQLearning"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> DoubleQLearning:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class DynaQ(PredictMixin, EnvironmentMixin, Estimator):
    """Dyna-Q: Q-learning that remembers what it saw and learns from memories between its steps.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    alpha : number in (0, 1], default=0.1
        The share of an error that one step takes away.
    alpha_power : number in [0, 1], default=0.0
        Divides the rate by so high a power of how often state and action were met; above ½ values of a table converge.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    planning_steps : integer in [0, inf), default=10
        How many memories are learnt from after each step.
    bonus : number in [0, inf), default=0.0
        What waiting pays: this times the root of the steps since a pair was tried.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Sutton. Integrated architectures for learning, planning, and reacting. ICML, 1990.
    """

    _mercer_name = "DynaQ"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        alpha: float = 0.1,
        alpha_power: float = 0.0,
        initial: float = 0.0,
        planning_steps: int = 10,
        bonus: float = 0.0,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.initial = initial
        self.planning_steps = planning_steps
        self.bonus = bonus
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> DynaQ:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class PrioritizedSweeping(PredictMixin, EnvironmentMixin, Estimator):
    """Prioritised sweeping: a model of what was seen, whose values are backed up where they would move most.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    epsilon : number in [0, 1], default=0.1
        The probability of a random action in the beginning.
    epsilon_end : number or none in [0, 1], default=None
        The probability in the end; none means as in the beginning.
    epsilon_share : number in (0, 1], default=0.5
        The share of the steps in which it falls.
    temperature : number or none in (0, inf), default=None
        Draws actions by the exponentials of their values over this temperature instead; none means not.
    initial : number in (-inf, inf), default=0.0
        The value of everything in the beginning: above what can be earned, it makes the agent try everything.
    planning_steps : integer in [1, inf), default=10
        How many backups are made after each step.
    threshold : number in (0, inf), default=0.0001
        By how much a backup must move a value to be worth its time.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Moore, Atkeson. Prioritized sweeping. Machine Learning 13, 1993.
    """

    _mercer_name = "PrioritizedSweeping"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        epsilon: float = 0.1,
        epsilon_end: float | None = None,
        epsilon_share: float = 0.5,
        temperature: float | None = None,
        initial: float = 0.0,
        planning_steps: int = 10,
        threshold: float = 0.0001,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.epsilon = epsilon
        self.epsilon_end = epsilon_end
        self.epsilon_share = epsilon_share
        self.temperature = temperature
        self.initial = initial
        self.planning_steps = planning_steps
        self.threshold = threshold
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> PrioritizedSweeping:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class Reinforce(PredictMixin, EnvironmentMixin, Estimator):
    """REINFORCE: a policy that climbs the gradient of what whole episodes earned.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    alpha : number in (0, inf), default=0.1
        The rate of the policy.
    baseline : true or false, default=True
        Whether values of states are learnt and taken off the returns.
    alpha_baseline : number in (0, 1], default=0.1
        The rate of those values.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Williams. Simple statistical gradient-following algorithms. Machine Learning 8, 1992.
    """

    _mercer_name = "Reinforce"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        alpha: float = 0.1,
        baseline: bool = True,
        alpha_baseline: float = 0.1,
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.alpha = alpha
        self.baseline = baseline
        self.alpha_baseline = alpha_baseline
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Reinforce:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class ActorCritic(PredictMixin, EnvironmentMixin, Estimator):
    """Actor and critic: a policy that climbs a gradient at every step, judged by values that are learnt beside it.

    Parameters
    ----------
    steps : integer in [1, inf), default=100000
        How many steps to act.
    episodes : integer or none in [1, inf), default=None
        How many episodes to act at most; none means as many as the steps allow.
    discount : number in [0, 1], default=0.99
        The discount of later rewards.
    alpha : number in (0, inf), default=0.1
        The rate of the policy.
    alpha_critic : number in (0, 1], default=0.2
        The rate of the values.
    lambda_ : number in [0, 1], default=0.0
        How much of an error reaches the step before.
    features : auto | table | tiles | fourier | rbf | linear, default="auto"
        What values are sums of.
    tilings : integer in [1, inf), default=8
        Tiles: how many tilings.
    tiles : integer in [1, inf), default=8
        Tiles: how many tiles across each number.
    order : integer in [0, inf), default=3
        Cosines: the highest frequency.
    centers : integer in [2, inf), default=5
        Radial functions: how many centres across each number.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Barto, Sutton, Anderson. Neuronlike adaptive elements that can solve difficult learning control problems. IEEE Trans. SMC 13, 1983.
    """

    _mercer_name = "ActorCritic"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        steps: int = 100000,
        *,
        episodes: int | None = None,
        discount: float = 0.99,
        alpha: float = 0.1,
        alpha_critic: float = 0.2,
        lambda_: float = 0.0,
        features: Literal["auto", "table", "tiles", "fourier", "rbf", "linear"] = "auto",
        tilings: int = 8,
        tiles: int = 8,
        order: int = 3,
        centers: int = 5,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.steps = steps
        self.episodes = episodes
        self.discount = discount
        self.alpha = alpha
        self.alpha_critic = alpha_critic
        self.lambda_ = lambda_
        self.features = features
        self.tilings = tilings
        self.tiles = tiles
        self.order = order
        self.centers = centers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ActorCritic:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)


class ContextualBandit(PredictMixin, EnvironmentMixin, Estimator):
    """A strategy for bandits as an agent: observations are contexts, actions are arms, steps are rounds.

    Parameters
    ----------
    strategy : text, default="lin-ucb"
        The strategy by name, with its settings behind a colon.
    steps : integer in [1, inf), default=10000
        How many steps to act, each a round.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Li, Chu, Langford, Schapire. A contextual-bandit approach to personalized news article recommendation. WWW, 2010.
    """

    _mercer_name = "ContextualBandit"
    _mercer_task = "Planning"
    _mercer_can = frozenset({"policy", "random"})

    def __init__(
        self,
        strategy: str = "lin-ucb",
        *,
        steps: int = 10000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.strategy = strategy
        self.steps = steps
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ContextualBandit:
        """Learn by acting in an environment: the name of one, one of Gymnasium's or a function that makes it, or a decision process."""
        return self._fit(X, y)
