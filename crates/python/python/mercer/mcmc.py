# Written by `cargo xtask python` from the catalogue; do not edit.
"""Metropolis."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import DensityMixin

__all__ = [
    "Metropolis",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class Metropolis(DensityMixin, Estimator):
    """Random-walk Metropolis: draws from any density known up to its constant.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that adapt the proposal and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    step : number in (0, inf), default=1.0
        The first scale of the proposal.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Metropolis et al. Equation of state calculations by fast computing machines. J. Chem. Phys. 21, 1953.
    """

    _mercer_name = "Metropolis"
    _mercer_task = "Sampling"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        draws: int = 1000,
        *,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 1,
        step: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.step = step
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None) -> Metropolis:
        """Draw from a log density: a callable of a point, or the name of a bundled one."""
        return self._fit(X, dim=dim, start=start)
