# Written by `cargo xtask python` from the catalogue; do not edit.
"""Ridge, Lasso, ElasticNet, LogisticRegression."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RegressorMixin, RowsMixin, SolverMixin

__all__ = [
    "Ridge",
    "Lasso",
    "ElasticNet",
    "LogisticRegression",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class Ridge(SolverMixin, RegressorMixin, RowsMixin, Estimator):
    """Ridge regression: least squares with an L2 penalty.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty; 0 is ordinary least squares.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    solver : auto | cholesky | dual | svd | sparse_cg, default="auto"
        How the equations are solved.
    max_iter : integer or none in [1, inf), default=None
        Iteration limit of the conjugate gradients; none means ten for each feature.
    tol : number in (0, 1), default=1e-8
        Relative residual at which conjugate gradients stop.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    positive : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hoerl, Kennard. Ridge regression. Technometrics 12(1), 1970.
    """

    _mercer_name = "Ridge"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "multi_output", "by_sums", "scaled"})
    _mercer_door = {"copy_X": True, "positive": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        solver: Literal["auto", "cholesky", "dual", "svd", "sparse_cg"] = "auto",
        max_iter: int | None = None,
        tol: float = 1e-8,
        copy_X: Any = True,
        positive: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.positive = positive
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class Lasso(RegressorMixin, RowsMixin, Estimator):
    """Lasso: least squares with an L1 penalty, which sets coefficients to zero.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the penalty.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    precompute : default=False
        Accepted for scikit-learn's sake; what pays is decided by the shape of the data.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996.
    """

    _mercer_name = "Lasso"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "by_sums", "scaled", "zeroes"})
    _mercer_door = {"precompute": False, "copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        positive: bool = False,
        selection: Literal["cyclic", "random"] = "cyclic",
        precompute: Any = False,
        copy_X: Any = True,
        warm_start: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive
        self.selection = selection
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Lasso:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ElasticNet(RegressorMixin, RowsMixin, Estimator):
    """Elastic net: least squares with an L1 and an L2 penalty.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the penalties.
    l1_ratio : number in [0, 1], default=0.5
        The share of the L1 penalty: 0 is ridge regression, 1 the lasso.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    precompute : default=False
        Accepted for scikit-learn's sake; what pays is decided by the shape of the data.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Zou, Hastie. Regularization and variable selection via the elastic net. JRSS B 67(2), 2005.
    """

    _mercer_name = "ElasticNet"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"precompute": False, "copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        positive: bool = False,
        selection: Literal["cyclic", "random"] = "cyclic",
        precompute: Any = False,
        copy_X: Any = True,
        warm_start: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive
        self.selection = selection
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ElasticNet:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LogisticRegression(SolverMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Logistic regression: linear classification by maximum likelihood, for two classes or more.

    Parameters
    ----------
    penalty : l2 | l1 | elasticnet or none, default="l2"
        The penalty; none is plain maximum likelihood.
    l1_ratio : number in [0, 1], default=0.0
        The share of the L1 part in the penalty: 0 is L2, 1 is L1. The penalty l1 has no other part.
    C : number in (0, inf), default=1.0
        Weight of the loss against the penalty: smaller is simpler.
    fit_intercept : true or false, default=True
        Whether to fit unpenalised intercepts.
    tol : number in (0, inf), default=0.0001
        Largest entry of the gradient of the mean objective at which the fit stops.
    max_iter : integer in [1, inf), default=100
        Most steps of the solver.
    solver : auto | lbfgs | newton_cholesky | newton_cg, default="auto"
        How the optimum is found.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    dual : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    intercept_scaling : default=1
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    warm_start : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Cox. The regression analysis of binary sequences. J. R. Stat. Soc. B 20(2), 1958.
    """

    _mercer_name = "LogisticRegression"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"dual": False, "intercept_scaling": 1, "warm_start": False}

    def __init__(
        self,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        *,
        l1_ratio: float = 0.0,
        C: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 0.0001,
        max_iter: int = 100,
        solver: Literal["auto", "lbfgs", "newton_cholesky", "newton_cg"] = "auto",
        class_weight: Literal["balanced"] | None = None,
        dual: Any = False,
        intercept_scaling: Any = 1,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.class_weight = class_weight
        self.dual = dual
        self.intercept_scaling = intercept_scaling
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
