# Written by `cargo xtask python` from the catalogue; do not edit.
"""Gibbs, HMC, Metropolis, MetropolisHastings, NUTS, ParallelTempering, Slice."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mcmc import (
    bfmi,
    ess,
    hdi,
    mcse,
    rhat,
)
from mercer._mcmc import ChainsMixin
from mercer._mixins import DensityMixin

__all__ = [
    "Gibbs",
    "HMC",
    "Metropolis",
    "MetropolisHastings",
    "NUTS",
    "ParallelTempering",
    "Slice",
    "bfmi",
    "ess",
    "hdi",
    "mcse",
    "rhat",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class Gibbs(ChainsMixin, DensityMixin, Estimator):
    """Gibbs sampling: draws from a density whose conditionals are known.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
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
    - Geman, Geman. Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of images. IEEE TPAMI 6(6), 1984.
    """

    _mercer_name = "Gibbs"
    _mercer_task = "Sampling"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        draws: int = 1000,
        *,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> Gibbs:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class HMC(ChainsMixin, DensityMixin, Estimator):
    """Hamiltonian Monte Carlo with paths of a fixed length.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    target_accept : number in (0, 1), default=0.8
        The acceptance that the step size is steered towards during warm-up: higher means shorter steps.
    mass_matrix : diagonal | dense | unit, default="diagonal"
        What the mass matrix adapts to during warm-up: the variance of each coordinate, the covariance of all, or nothing.
    step_size : number or none in (0, inf), default=None
        The first step size; found by doubling and halving where there is none.
    path_length : number in (0, inf), default=3.0
        The longest path, in units in which the density has about deviation 1; each goes a random share of it.
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
    - Neal. MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte Carlo, 2011.
    """

    _mercer_name = "HMC"
    _mercer_task = "Sampling"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        draws: int = 1000,
        *,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 1,
        target_accept: float = 0.8,
        mass_matrix: Literal["diagonal", "dense", "unit"] = "diagonal",
        step_size: float | None = None,
        path_length: float = 3.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.target_accept = target_accept
        self.mass_matrix = mass_matrix
        self.step_size = step_size
        self.path_length = path_length
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> HMC:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class Metropolis(ChainsMixin, DensityMixin, Estimator):
    """Random-walk Metropolis: draws from any density known up to its constant.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
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

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> Metropolis:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class MetropolisHastings(ChainsMixin, DensityMixin, Estimator):
    """Metropolis-Hastings: draws from any density by a proposal that need not be symmetric.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    step : number in (0, inf), default=1.0
        The first scale of the proposal.
    proposal : walk | langevin, default="walk"
        How points are proposed: a random walk, or one along the gradient.
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
    - Hastings. Monte Carlo sampling methods using Markov chains and their applications. Biometrika 57(1), 1970.
    """

    _mercer_name = "MetropolisHastings"
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
        proposal: Literal["walk", "langevin"] = "walk",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.step = step
        self.proposal = proposal
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> MetropolisHastings:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class NUTS(ChainsMixin, DensityMixin, Estimator):
    """The no-U-turn sampler: draws from any density whose gradient is known.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    target_accept : number in (0, 1), default=0.8
        The acceptance that the step size is steered towards during warm-up: higher means shorter steps.
    mass_matrix : diagonal | dense | unit, default="diagonal"
        What the mass matrix adapts to during warm-up: the variance of each coordinate, the covariance of all, or nothing.
    step_size : number or none in (0, inf), default=None
        The first step size; found by doubling and halving where there is none.
    max_depth : integer in [1, 20], default=10
        The most doublings of a path.
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
    - Hoffman, Gelman. The no-U-turn sampler. JMLR 15, 2014.
    - Betancourt. A conceptual introduction to Hamiltonian Monte Carlo. arXiv:1701.02434, 2017.
    """

    _mercer_name = "NUTS"
    _mercer_task = "Sampling"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        draws: int = 1000,
        *,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 1,
        target_accept: float = 0.8,
        mass_matrix: Literal["diagonal", "dense", "unit"] = "diagonal",
        step_size: float | None = None,
        max_depth: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.target_accept = target_accept
        self.mass_matrix = mass_matrix
        self.step_size = step_size
        self.max_depth = max_depth
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> NUTS:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class ParallelTempering(ChainsMixin, DensityMixin, Estimator):
    """Parallel tempering: draws from densities with modes far apart, by walks at several temperatures that trade places.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    step : number in (0, inf), default=1.0
        The first scale of the proposal.
    n_temperatures : integer in [2, 1000], default=8
        Number of walks, each at a temperature of its own.
    max_temperature : number in (1, 1e12], default=100.0
        The temperature of the hottest walk; the coldest has 1.
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
    - Geyer. Markov chain Monte Carlo maximum likelihood. Computing Science and Statistics 23, 1991.
    - Syed, Bouchard-Côté, Deligiannidis, Doucet. Non-reversible parallel tempering. JRSS B 84(2), 2022.
    """

    _mercer_name = "ParallelTempering"
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
        n_temperatures: int = 8,
        max_temperature: float = 100.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.step = step
        self.n_temperatures = n_temperatures
        self.max_temperature = max_temperature
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> ParallelTempering:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)


class Slice(ChainsMixin, DensityMixin, Estimator):
    """Slice sampling with stepping out and shrinking: draws from any density known up to its constant.

    Parameters
    ----------
    draws : integer in [4, inf), default=1000
        Draws kept of each chain.
    warmup : integer in [0, inf), default=1000
        Steps of each chain that tune the sampler and are not kept.
    chains : integer in [1, 1000], default=4
        Number of chains.
    thin : integer in [1, inf), default=1
        Steps between two draws that are kept.
    width : number in (0, inf), default=1.0
        The first width of the intervals.
    max_steps_out : integer in [1, inf), default=100
        The most steps out for both ends of an interval together.
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
    - Neal. Slice sampling. Ann. Statist. 31(3), 2003.
    """

    _mercer_name = "Slice"
    _mercer_task = "Sampling"
    _mercer_can = frozenset({"random"})

    def __init__(
        self,
        draws: int = 1000,
        *,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 1,
        width: float = 1.0,
        max_steps_out: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.width = width
        self.max_steps_out = max_steps_out
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, dim: int | None = None, start: Any = None, gradient: Any = None, conditionals: Any = None) -> Slice:
        """Draw from a log density: a callable of a point, or the name of a bundled one. `gradient` is a callable, too, or True where the density gives value and gradient; `conditionals` has a callable of a point and a NumPy generator for each coordinate."""
        return self._fit(X, dim=dim, start=start, gradient=gradient, conditionals=conditionals)
