# Written by `cargo xtask python` from the catalogue; do not edit.
"""PCA."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import InverseMixin, RowsMixin, TransformerMixin
from mercer._reduce import PCAMixin

__all__ = [
    "PCA",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class PCA(PCAMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Principal component analysis: the directions of largest variance.

    Parameters
    ----------
    n_components : all | mle or number, default="all"
        How many components to keep: all, a number, or the share of variance to explain.
    whiten : true or false, default=False
        Whether to scale the coordinates to variance 1.
    svd_solver : auto | full | covariance_eigh | arpack | randomized, default="auto"
        How the components are found.
    iterated_power : auto or number in [0, 100], default="auto"
        Power iterations of the randomised solver.
    n_oversamples : integer in [1, 1000], default=10
        Extra directions of the randomised solver.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    tol : default=0.0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    power_iteration_normalizer : default='auto'
        Accepted for scikit-learn's sake; QR is always used.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Jolliffe. Principal Component Analysis. Springer, 2002.
    - Halko, Martinsson, Tropp. Finding structure with randomness. SIAM Review 53(2), 2011.
    """

    _mercer_name = "PCA"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"copy": True, "tol": 0.0, "power_iteration_normalizer": 'auto'}

    def __init__(
        self,
        n_components: Literal["all", "mle"] | float = "all",
        *,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = "auto",
        iterated_power: Literal["auto"] | float = "auto",
        n_oversamples: int = 10,
        copy: Any = True,
        tol: Any = 0.0,
        power_iteration_normalizer: Any = 'auto',
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.copy = copy
        self.tol = tol
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PCA:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
