# Written by `cargo xtask python` from the catalogue; do not edit.
"""ValueIteration, PolicyIteration, FiniteHorizon, AverageReward, LinearProgramming."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import MdpMixin, PredictMixin
from mercer._planning import (
    MDP,
    evaluate_policy,
    improve_policy,
)
from mercer._planning import HorizonMixin

__all__ = [
    "ValueIteration",
    "PolicyIteration",
    "FiniteHorizon",
    "AverageReward",
    "LinearProgramming",
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
    _mercer_can = frozenset()

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
    _mercer_can = frozenset()

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
    _mercer_can = frozenset()

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
    _mercer_can = frozenset()

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
