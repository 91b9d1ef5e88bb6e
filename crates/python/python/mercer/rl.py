# Written by `cargo xtask python` from the catalogue; do not edit.
"""ValueIteration."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import MdpMixin, PredictMixin

__all__ = [
    "ValueIteration",
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

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bellman. A Markovian decision process. J. Math. Mech. 6(5), 1957.
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
    ) -> None:
        self.discount = discount
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> ValueIteration:
        """Plan in a decision process: a dict, a path to its JSON, or the name of a bundled one."""
        return self._fit(X, y)
