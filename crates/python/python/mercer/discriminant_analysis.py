# Written by `cargo xtask python` from the catalogue; do not edit.
"""LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, FisherDiscriminant."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._discriminant import GaussianClassesMixin, ProjectingClassesMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RowsMixin, TransformerMixin

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "FisherDiscriminant",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class LinearDiscriminantAnalysis(ProjectingClassesMixin, ClassifierMixin, ProbaMixin, DecisionMixin, TransformerMixin, RowsMixin, Estimator):
    """Linear discriminant analysis: Gaussian classes with one covariance.

    Parameters
    ----------
    solver : svd | lsqr | eigen, default="svd"
        How the coefficients are found.
    shrinkage : auto | oas or number or none, default=None
        How much covariances are drawn towards a multiple of the identity: auto (Ledoit-Wolf), oas, or by a share; not with `svd`.
    priors : list of number or none, default=None
        The share of each class; none takes those of the training rows.
    n_components : integer or none in [1, inf), default=None
        Most directions that `transform` gives; none gives one fewer than there are classes.
    store_covariance : true or false, default=False
        Whether `svd` keeps the covariance, too.
    tol : number in [0, inf), default=0.0001
        Directions whose spread within classes is at most this share of their columns' do not count with `svd`.
    covariances : list of number or none, default=None
        The covariance of each class row by row, one class after the other, in place of what the rows say; that of all rows may
        follow, which `eigen` of linear discriminants asks for. Not with `svd` or shrinkage.
    covariance_estimator : default=None
        What estimates the covariance of each class in place of `shrinkage`: its `fit(X)` leaves `covariance_`. Not with `svd`.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936.
    """

    _mercer_name = "LinearDiscriminantAnalysis"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "transform", "weights"})
    _mercer_door = {"covariance_estimator": None}

    def __init__(
        self,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        *,
        shrinkage: Literal["auto", "oas"] | float | None = None,
        priors: Sequence[float] | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 0.0001,
        covariances: Sequence[float] | None = None,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariances = covariances
        self.covariance_estimator = covariance_estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearDiscriminantAnalysis:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class QuadraticDiscriminantAnalysis(GaussianClassesMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Quadratic discriminant analysis: Gaussian classes, each with a covariance of its own.

    Parameters
    ----------
    solver : svd | eigen, default="svd"
        How the covariances are found.
    shrinkage : auto | oas or number or none, default=None
        How much covariances are drawn towards a multiple of the identity: auto (Ledoit-Wolf), oas, or by a share; not with `svd`.
    priors : list of number or none, default=None
        The share of each class; none takes those of the training rows.
    reg_param : number in [0, 1], default=0.0
        How much eigenvalues of the covariances are drawn towards 1, with `svd`.
    store_covariance : true or false, default=False
        Whether the covariances are kept, too.
    tol : number in [0, inf), default=0.0001
        Eigenvalues of at most this, or of at most this share of the largest where that is below 1, are refused.
    covariances : list of number or none, default=None
        The covariance of each class row by row, one class after the other, in place of what the rows say; that of all rows may
        follow, which `eigen` of linear discriminants asks for. Not with `svd` or shrinkage.
    covariance_estimator : default=None
        What estimates the covariance of each class in place of `shrinkage`: its `fit(X)` leaves `covariance_`. Not with `svd`.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Friedman. Regularized discriminant analysis. JASA 84(405), 1989.
    """

    _mercer_name = "QuadraticDiscriminantAnalysis"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "weights", "scaled"})
    _mercer_door = {"covariance_estimator": None}

    def __init__(
        self,
        solver: Literal["svd", "eigen"] = "svd",
        *,
        shrinkage: Literal["auto", "oas"] | float | None = None,
        priors: Sequence[float] | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 0.0001,
        covariances: Sequence[float] | None = None,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariances = covariances
        self.covariance_estimator = covariance_estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuadraticDiscriminantAnalysis:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class FisherDiscriminant(ClassifierMixin, DecisionMixin, TransformerMixin, RowsMixin, Estimator):
    """Fisher's discriminant: two classes, one direction, and the nearer of two projected centres.

    Parameters
    ----------
    norm : unit | within, default="within"
        How long the direction is: so that the scatter of the projected classes is 1, or 1.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936.
    """

    _mercer_name = "FisherDiscriminant"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "transform", "weights", "binary"})

    def __init__(
        self,
        norm: Literal["unit", "within"] = "within",
    ) -> None:
        self.norm = norm

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FisherDiscriminant:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
