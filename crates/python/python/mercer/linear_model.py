# Written by `cargo xtask python` from the catalogue; do not edit.
"""LinearRegression, Ridge, RidgeCV, RidgeClassifier, RidgeClassifierCV, BayesianRidge, ARDRegression, BayesianLinearRegression, HuberRegressor, QuantileRegressor, LpRegressor, Lasso, ElasticNet, LassoCV, ElasticNetCV, MultiTaskLasso, MultiTaskElasticNet, MultiTaskLassoCV, MultiTaskElasticNetCV, Lars, LassoLars, LarsCV, LassoLarsCV, LassoLarsIC, OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV, PoissonRegressor, GammaRegressor, TweedieRegressor, LogisticRegression, LogisticRegressionCV, OrdinalRegression, PairwiseRanker, Perceptron, SGDClassifier, SGDRegressor, SGDOneClassSVM."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._least_angle import (
    lars_path,
    lars_path_gram,
    orthogonal_mp,
    orthogonal_mp_gram,
)
from mercer._least_angle import LarsCvMixin, LeastAngleMixin, PursuitCvMixin, PursuitMixin
from mercer._linear import (
    enet_path,
    lasso_path,
    ridge_regression,
)
from mercer._linear import GammaMixin, PoissonMixin, RidgeCvMixin, SparseCoefMixin, TweedieMixin
from mercer._logistic import LogisticCvMixin, LogisticMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, GroupsMixin, HuberMixin, OutlierMixin, ProbaMixin, RegressorMixin, RowsMixin, SolverMixin, SpreadMixin, SummaryMixin
from mercer._resume import DescentMixin, ResumeMixin, ResumeNumbersMixin, ResumeRowsMixin
from mercer._squares import NetCvMixin, NetMixin, RidgeMixin, SingleMixin, WarmMixin

__all__ = [
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "BayesianRidge",
    "ARDRegression",
    "BayesianLinearRegression",
    "HuberRegressor",
    "QuantileRegressor",
    "LpRegressor",
    "Lasso",
    "ElasticNet",
    "LassoCV",
    "ElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskElasticNet",
    "MultiTaskLassoCV",
    "MultiTaskElasticNetCV",
    "Lars",
    "LassoLars",
    "LarsCV",
    "LassoLarsCV",
    "LassoLarsIC",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "PoissonRegressor",
    "GammaRegressor",
    "TweedieRegressor",
    "LogisticRegression",
    "LogisticRegressionCV",
    "OrdinalRegression",
    "PairwiseRanker",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "SGDOneClassSVM",
    "enet_path",
    "lasso_path",
    "ridge_regression",
    "lars_path",
    "lars_path_gram",
    "orthogonal_mp",
    "orthogonal_mp_gram",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class LinearRegression(RegressorMixin, SummaryMixin, RowsMixin, Estimator):
    """Ordinary least squares.

    Parameters
    ----------
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    tol : number in (0, 1), default=1e-6
        Relative residual at which conjugate gradients on wide sparse rows stop; all else is exact.
    positive : true or false, default=False
        Whether coefficients may not be negative; for dense rows.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Golub, Van Loan. Matrix Computations. 4th ed., 2013.
    """

    _mercer_name = "LinearRegression"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"summary", "explain", "weights", "sparse", "multi_output", "by_sums"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        fit_intercept: bool = True,
        *,
        tol: float = 1e-6,
        positive: bool = False,
        copy_X: Any = True,
        n_jobs: int | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.positive = positive
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class Ridge(RidgeMixin, SolverMixin, RegressorMixin, RowsMixin, Estimator):
    """Ridge regression: least squares with an L2 penalty.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty, or a list with one for each target; 0 is ordinary least squares.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    solver : auto | cholesky | dual | svd | sparse_cg | lsqr | gradient_descent | sag | saga | lbfgs, default="auto"
        How the equations are solved.
    max_iter : integer or none in [1, inf), default=None
        Iteration limit of solvers that iterate; none means ten for each feature (conjugate gradients, LSQR), 1000 passes (SAG,
        SAGA), 15000 steps (L-BFGS) or 20000 (gradient descent).
    tol : number in [0, inf), default=1e-8
        Gradient, relative to that of zero coefficients, at which solvers that iterate stop.
    positive : true or false, default=False
        Whether coefficients may not be negative: exactly by pivoting (auto), or by L-BFGS.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "by_sums", "scaled"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        solver: Literal["auto", "cholesky", "dual", "svd", "sparse_cg", "lsqr", "gradient_descent", "sag", "saga", "lbfgs"] = "auto",
        max_iter: int | None = None,
        tol: float = 1e-8,
        positive: bool = False,
        copy_X: Any = True,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive
        self.copy_X = copy_X
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class RidgeCV(RidgeCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Ridge regression with the penalty that predicts rows left out best.

    Parameters
    ----------
    alphas : list of number in [0, inf), default=(0.1, 1.0, 10.0)
        The penalties that are tried; with rows left out one at a time they are positive.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    scoring : text or none, default=None
        The metric by name; none means the squared error of rows left out, and with folds R² or accuracy.
    cv : integer or none in [2, inf), default=None
        Number of folds; none leaves out one row at a time.
    gcv_mode : auto | svd | eigen or none, default=None
        How rows are left out; all ways give the same, the fastest is taken.
    store_cv_results : true or false, default=False
        Whether to keep what each row left out gives; not with folds.
    alpha_per_target : true or false, default=False
        Whether each target has a penalty of its own; not with folds.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Golub, Heath, Wahba. Generalized cross-validation as a method for choosing a good ridge parameter. Technometrics 21(2), 1979.
    """

    _mercer_name = "RidgeCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "scaled", "counts_rows"})

    def __init__(
        self,
        alphas: Sequence[float] = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | None = None,
        cv: int | None = None,
        gcv_mode: Literal["auto", "svd", "eigen"] | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class RidgeClassifier(RidgeMixin, SolverMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Ridge regression on classes, coded as +1 and −1.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty, or a list with one for each target; 0 is ordinary least squares.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer or none in [1, inf), default=None
        Iteration limit of solvers that iterate; none means ten for each feature (conjugate gradients, LSQR), 1000 passes (SAG,
        SAGA), 15000 steps (L-BFGS) or 20000 (gradient descent).
    tol : number in [0, inf), default=1e-8
        Gradient, relative to that of zero coefficients, at which solvers that iterate stop.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    solver : auto | cholesky | dual | svd | sparse_cg | lsqr | gradient_descent | sag | saga | lbfgs, default="auto"
        How the equations are solved.
    positive : true or false, default=False
        Whether coefficients may not be negative: exactly by pivoting (auto), or by L-BFGS.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rifkin, Yeo, Poggio. Regularized least-squares classification. 2003.
    """

    _mercer_name = "RidgeClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "multi_output", "scaled"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-8,
        class_weight: Literal["balanced"] | None = None,
        solver: Literal["auto", "cholesky", "dual", "svd", "sparse_cg", "lsqr", "gradient_descent", "sag", "saga", "lbfgs"] = "auto",
        positive: bool = False,
        copy_X: Any = True,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.copy_X = copy_X
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RidgeClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class RidgeClassifierCV(RidgeCvMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Ridge regression on classes with the penalty that predicts rows left out best.

    Parameters
    ----------
    alphas : list of number in [0, inf), default=(0.1, 1.0, 10.0)
        The penalties that are tried; with rows left out one at a time they are positive.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    scoring : text or none, default=None
        The metric by name; none means the squared error of rows left out, and with folds R² or accuracy.
    cv : integer or none in [2, inf), default=None
        Number of folds; none leaves out one row at a time.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    store_cv_results : true or false, default=False
        Whether to keep what each row left out gives; not with folds.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rifkin, Lippert. Notes on regularized least squares. 2007.
    """

    _mercer_name = "RidgeClassifierCV"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "multi_output", "scaled", "counts_rows"})

    def __init__(
        self,
        alphas: Sequence[float] = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | None = None,
        cv: int | None = None,
        class_weight: Literal["balanced"] | None = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeClassifierCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class BayesianRidge(SingleMixin, SpreadMixin, RegressorMixin, RowsMixin, Estimator):
    """Ridge regression with a penalty learnt from the data, and a distribution of its coefficients.

    Parameters
    ----------
    max_iter : integer in [1, inf), default=300
        Most iterations.
    tol : number in (0, inf), default=0.001
        Stop when the coefficients move by less than this, all together.
    alpha_1 : number in [0, inf), default=1e-6
        Shape of the Gamma prior of the precision of the noise.
    alpha_2 : number in [0, inf), default=1e-6
        Rate of the Gamma prior of the precision of the noise.
    lambda_1 : number in [0, inf), default=1e-6
        Shape of the Gamma prior of the precision of the coefficients.
    lambda_2 : number in [0, inf), default=1e-6
        Rate of the Gamma prior of the precision of the coefficients.
    alpha_init : number or none in (0, inf), default=None
        The precision of the noise to begin with; none means that of the target.
    lambda_init : number or none in (0, inf), default=None
        The precision of the coefficients to begin with; none means 1.
    compute_score : true or false, default=False
        Whether to keep the log marginal likelihood of every iteration.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - MacKay. Bayesian interpolation. Neural Computation 4(3), 1992.
    """

    _mercer_name = "BayesianRidge"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"intervals", "spread", "explain", "weights", "by_sums", "scaled"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        max_iter: int = 300,
        *,
        tol: float = 0.001,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: Any = True,
        verbose: int = 0,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianRidge:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ARDRegression(SingleMixin, SpreadMixin, RegressorMixin, RowsMixin, Estimator):
    """Bayesian regression that leaves features out by a precision for each of them.

    Parameters
    ----------
    max_iter : integer in [1, inf), default=300
        Most iterations.
    tol : number in (0, inf), default=0.001
        Stop when the coefficients move by less than this, all together.
    alpha_1 : number in [0, inf), default=1e-6
        Shape of the Gamma prior of the precision of the noise.
    alpha_2 : number in [0, inf), default=1e-6
        Rate of the Gamma prior of the precision of the noise.
    lambda_1 : number in [0, inf), default=1e-6
        Shape of the Gamma prior of the precision of the coefficients.
    lambda_2 : number in [0, inf), default=1e-6
        Rate of the Gamma prior of the precision of the coefficients.
    compute_score : true or false, default=False
        Whether to keep the log marginal likelihood of every iteration.
    threshold_lambda : number in [0, inf), default=10000.0
        Features whose precision exceeds this are left out.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Tipping. Sparse Bayesian learning and the relevance vector machine. JMLR 1, 2001.
    """

    _mercer_name = "ARDRegression"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"intervals", "spread", "explain", "weights", "by_sums", "scaled"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        max_iter: int = 300,
        *,
        tol: float = 0.001,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        compute_score: bool = False,
        threshold_lambda: float = 10000.0,
        fit_intercept: bool = True,
        copy_X: Any = True,
        verbose: int = 0,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.compute_score = compute_score
        self.threshold_lambda = threshold_lambda
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ARDRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class BayesianLinearRegression(SpreadMixin, RegressorMixin, RowsMixin, Estimator):
    """Bayesian linear regression with a Gaussian prior that is given, or whose variance is learnt.

    Parameters
    ----------
    prior_mean : list of number in (-inf, inf), default=()
        The prior mean of each coefficient; empty means zero.
    prior_variance : list of number in (0, inf), default=()
        The prior variance of the coefficients, one or one for each; empty means one that maximises the evidence.
    noise_variance : number or none in (0, inf), default=None
        The variance of the noise; none means the one that maximises the evidence.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, with a flat prior.
    max_iter : integer in [1, inf), default=1000
        Most iterations, where variances are learnt.
    tol : number in (0, 1), default=1e-8
        Stop when no variance that is learnt changes by more than this share.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bishop. Pattern Recognition and Machine Learning. 2006.
    """

    _mercer_name = "BayesianLinearRegression"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"intervals", "spread", "explain", "weights", "by_sums", "scaled"})

    def __init__(
        self,
        prior_mean: Sequence[float] = (),
        *,
        prior_variance: Sequence[float] = (),
        noise_variance: float | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-8,
    ) -> None:
        self.prior_mean = prior_mean
        self.prior_variance = prior_variance
        self.noise_variance = noise_variance
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLinearRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class HuberRegressor(HuberMixin, WarmMixin, RegressorMixin, RowsMixin, Estimator):
    """Huber's regression, which outliers draw with bounded force.

    Parameters
    ----------
    epsilon : number in [1, inf), default=1.35
        Residuals beyond this many scales are outliers.
    max_iter : integer in [1, inf), default=100
        Most iterations.
    alpha : number in [0, inf), default=0.0001
        Strength of the L2 penalty.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    tol : number in [0, inf), default=1e-5
        Relative gradient at which to stop.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Huber, Ronchetti. Robust Statistics. 2nd ed., 2009.
    """

    _mercer_name = "HuberRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "scaled"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        epsilon: float = 1.35,
        *,
        max_iter: int = 100,
        alpha: float = 0.0001,
        fit_intercept: bool = True,
        tol: float = 1e-5,
        warm_start: Any = False,
    ) -> None:
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HuberRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class QuantileRegressor(SolverMixin, RegressorMixin, RowsMixin, Estimator):
    """Linear quantile regression, exactly.

    Parameters
    ----------
    quantile : number in (0, 1), default=0.5
        The quantile of the target that is predicted.
    alpha : number in [0, inf), default=1.0
        Strength of the L1 penalty.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    solver : highs | highs_ds | highs_ipm | interior_point | revised_simplex, default="highs"
        Names of scikit-learn's solvers; all reach the same optimum by the interior point.
    solver_options : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Koenker, Bassett. Regression quantiles. Econometrica 46(1), 1978.
    """

    _mercer_name = "QuantileRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "scaled"})
    _mercer_door = {"solver_options": None}

    def __init__(
        self,
        quantile: float = 0.5,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: Literal["highs", "highs_ds", "highs_ipm", "interior_point", "revised_simplex"] = "highs",
        solver_options: Any = None,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuantileRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LpRegressor(RegressorMixin, RowsMixin, Estimator):
    """L_p regression; `p=1` is least absolute deviations.

    Parameters
    ----------
    p : number in [1, 100], default=1.0
        The power of the residuals; 1 is least absolute deviations.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [1, inf), default=1000
        Most iterations.
    tol : number in [0, inf), default=1e-8
        Relative gradient at which to stop.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Björck. Numerical Methods for Least Squares Problems. 1996.
    """

    _mercer_name = "LpRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse"})

    def __init__(
        self,
        p: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-8,
    ) -> None:
        self.p = p
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LpRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class Lasso(NetMixin, SparseCoefMixin, RegressorMixin, RowsMixin, Estimator):
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
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default=False
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "by_sums", "scaled", "zeroes"})
    _mercer_door = {"precompute": False, "copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        positive: bool = False,
        precompute: Any = False,
        copy_X: Any = True,
        warm_start: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.positive = positive
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Lasso:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, check_input=check_input)


class ElasticNet(NetMixin, SparseCoefMixin, RegressorMixin, RowsMixin, Estimator):
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
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default=False
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "by_sums", "scaled"})
    _mercer_door = {"precompute": False, "copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        positive: bool = False,
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
        self.selection = selection
        self.positive = positive
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> ElasticNet:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, check_input=check_input)


class LassoCV(NetCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Lasso whose strength is chosen by cross-validation along the path.

    Parameters
    ----------
    eps : number in (0, inf), default=0.001
        The smallest strength over the largest, where strengths are not given.
    alphas : list of number in [0, inf), default=100
        How many strengths, or which.
    cv : integer or none in [2, inf), default=None
        Number of folds; none means 5.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010.
    """

    _mercer_name = "LassoCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "scaled", "counts_rows", "ordered", "zeroes"})
    _mercer_door = {"precompute": 'auto', "copy_X": True}

    def __init__(
        self,
        eps: float = 0.001,
        *,
        alphas: Sequence[float] = 100,
        cv: int | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        positive: bool = False,
        precompute: Any = 'auto',
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.positive = positive
        self.precompute = precompute
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> LassoCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class ElasticNetCV(NetCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Elastic net whose strength and share are chosen by cross-validation along the path.

    Parameters
    ----------
    l1_ratio : list of number in [0, 1], default=0.5
        The share of the L1 penalty, or several to choose from.
    eps : number in (0, inf), default=0.001
        The smallest strength over the largest, where strengths are not given.
    alphas : list of number in [0, inf), default=100
        How many strengths, or which.
    cv : integer or none in [2, inf), default=None
        Number of folds; none means 5.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010.
    """

    _mercer_name = "ElasticNetCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "scaled", "counts_rows", "ordered"})
    _mercer_door = {"precompute": 'auto', "copy_X": True}

    def __init__(
        self,
        l1_ratio: Sequence[float] = 0.5,
        *,
        eps: float = 0.001,
        alphas: Sequence[float] = 100,
        cv: int | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        positive: bool = False,
        precompute: Any = 'auto',
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.positive = positive
        self.precompute = precompute
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> ElasticNetCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class MultiTaskLasso(NetMixin, RegressorMixin, RowsMixin, Estimator):
    """Lasso for several targets that share their features.

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
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010.
    """

    _mercer_name = "MultiTaskLasso"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "by_sums", "scaled", "zeroes"})
    _mercer_door = {"copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        copy_X: Any = True,
        warm_start: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> MultiTaskLasso:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, check_input=check_input)


class MultiTaskElasticNet(NetMixin, RegressorMixin, RowsMixin, Estimator):
    """Elastic net for several targets that share their features.

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
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010.
    """

    _mercer_name = "MultiTaskElasticNet"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "by_sums", "scaled"})
    _mercer_door = {"copy_X": True, "warm_start": False}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        copy_X: Any = True,
        warm_start: Any = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> MultiTaskElasticNet:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, check_input=check_input)


class MultiTaskLassoCV(NetCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Lasso for several targets, whose strength is chosen by cross-validation along the path.

    Parameters
    ----------
    eps : number in (0, inf), default=0.001
        The smallest strength over the largest, where strengths are not given.
    alphas : list of number in [0, inf), default=100
        How many strengths, or which.
    cv : integer or none in [2, inf), default=None
        Number of folds; none means 5.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010.
    """

    _mercer_name = "MultiTaskLassoCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "scaled", "counts_rows", "ordered", "zeroes"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        eps: float = 0.001,
        *,
        alphas: Sequence[float] = 100,
        cv: int | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> MultiTaskLassoCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class MultiTaskElasticNetCV(NetCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Elastic net for several targets, whose strength and share are chosen by cross-validation along the path.

    Parameters
    ----------
    l1_ratio : list of number in [0, 1], default=0.5
        The share of the L1 penalty, or several to choose from.
    eps : number in (0, inf), default=0.001
        The smallest strength over the largest, where strengths are not given.
    alphas : list of number in [0, inf), default=100
        How many strengths, or which.
    cv : integer or none in [2, inf), default=None
        Number of folds; none means 5.
    fit_intercept : true or false, default=True
        Whether to fit an unpenalised intercept.
    max_iter : integer in [1, inf), default=1000
        Most passes over the coefficients.
    tol : number in [0, inf), default=0.0001
        Duality gap, relative to the sum of squares of the target, at which to stop.
    selection : cyclic | random, default="cyclic"
        The order in which coefficients are visited.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Obozinski, Taskar, Jordan. Joint covariate selection and joint subspace selection for multiple classification problems. Statistics and Computing 20, 2010.
    """

    _mercer_name = "MultiTaskElasticNetCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "multi_output", "scaled", "counts_rows", "ordered"})
    _mercer_door = {"copy_X": True}

    def __init__(
        self,
        l1_ratio: Sequence[float] = 0.5,
        *,
        eps: float = 0.001,
        alphas: Sequence[float] = 100,
        cv: int | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        selection: Literal["cyclic", "random"] = "cyclic",
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> MultiTaskElasticNetCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class Lars(LeastAngleMixin, RegressorMixin, RowsMixin, Estimator):
    """Least angle regression.

    Parameters
    ----------
    n_nonzero_coefs : integer in [1, inf), default=500
        Most features in use.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    fit_path : true or false, default=True
        Whether to keep the whole path.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    eps : default=2.220446049250313e-16
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    jitter : default=None
        The most noise that is added to the target, which parts features that tie; none adds none.
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
    - Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
    """

    _mercer_name = "Lars"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "multi_output"})
    _mercer_door = {"precompute": 'auto', "eps": 2.220446049250313e-16, "copy_X": True, "jitter": None}

    def __init__(
        self,
        n_nonzero_coefs: int = 500,
        *,
        fit_intercept: bool = True,
        fit_path: bool = True,
        precompute: Any = 'auto',
        eps: Any = 2.220446049250313e-16,
        copy_X: Any = True,
        jitter: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_nonzero_coefs = n_nonzero_coefs
        self.fit_intercept = fit_intercept
        self.fit_path = fit_path
        self.precompute = precompute
        self.eps = eps
        self.copy_X = copy_X
        self.jitter = jitter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Lars:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class LassoLars(LeastAngleMixin, RegressorMixin, RowsMixin, Estimator):
    """The lasso by least angles: exact, with its whole path.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the penalty.
    max_iter : integer in [1, inf), default=500
        Most knots.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    fit_path : true or false, default=True
        Whether to keep the whole path.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    eps : default=2.220446049250313e-16
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    jitter : default=None
        The most noise that is added to the target, which parts features that tie; none adds none.
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
    - Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
    """

    _mercer_name = "LassoLars"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "multi_output", "scaled", "zeroes"})
    _mercer_door = {"precompute": 'auto', "eps": 2.220446049250313e-16, "copy_X": True, "jitter": None}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        max_iter: int = 500,
        fit_intercept: bool = True,
        fit_path: bool = True,
        positive: bool = False,
        precompute: Any = 'auto',
        eps: Any = 2.220446049250313e-16,
        copy_X: Any = True,
        jitter: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.fit_path = fit_path
        self.positive = positive
        self.precompute = precompute
        self.eps = eps
        self.copy_X = copy_X
        self.jitter = jitter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> LassoLars:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class LarsCV(LarsCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Least angle regression that ends where cross-validation says.

    Parameters
    ----------
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [0, inf), default=500
        Most knots of each path.
    cv : integer or none in [2, inf), default=None
        Number of folds that whole paths are tried on; none means 5.
    max_n_alphas : integer in [1, inf), default=1000
        Most strengths that are tried; of more, evenly many are left out.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    eps : default=2.220446049250313e-16
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
    """

    _mercer_name = "LarsCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "counts_rows", "ordered"})
    _mercer_door = {"precompute": 'auto', "eps": 2.220446049250313e-16, "copy_X": True}

    def __init__(
        self,
        fit_intercept: bool = True,
        *,
        max_iter: int = 500,
        cv: int | None = None,
        max_n_alphas: int = 1000,
        precompute: Any = 'auto',
        eps: Any = 2.220446049250313e-16,
        copy_X: Any = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.precompute = precompute
        self.eps = eps
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> LarsCV:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class LassoLarsCV(LarsCvMixin, RegressorMixin, RowsMixin, Estimator):
    """The lasso by least angles, whose strength is chosen by cross-validation.

    Parameters
    ----------
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [0, inf), default=500
        Most knots of each path.
    cv : integer or none in [2, inf), default=None
        Number of folds that whole paths are tried on; none means 5.
    max_n_alphas : integer in [1, inf), default=1000
        Most strengths that are tried; of more, evenly many are left out.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    eps : default=2.220446049250313e-16
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
    """

    _mercer_name = "LassoLarsCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "scaled", "counts_rows", "ordered", "zeroes"})
    _mercer_door = {"precompute": 'auto', "eps": 2.220446049250313e-16, "copy_X": True}

    def __init__(
        self,
        fit_intercept: bool = True,
        *,
        max_iter: int = 500,
        cv: int | None = None,
        max_n_alphas: int = 1000,
        positive: bool = False,
        precompute: Any = 'auto',
        eps: Any = 2.220446049250313e-16,
        copy_X: Any = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.positive = positive
        self.precompute = precompute
        self.eps = eps
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> LassoLarsCV:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class LassoLarsIC(LeastAngleMixin, RegressorMixin, RowsMixin, Estimator):
    """The lasso by least angles, whose strength an information criterion chooses.

    Parameters
    ----------
    criterion : aic | bic, default="aic"
        What a coefficient in use costs.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [0, inf), default=500
        Most knots.
    positive : true or false, default=False
        Whether coefficients may not be negative.
    noise_variance : number or none in (0, inf), default=None
        The variance of the noise; none takes that of the residuals of least squares.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.
    eps : default=2.220446049250313e-16
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Zou, Hastie, Tibshirani. On the "degrees of freedom" of the lasso. Annals of Statistics 35(5), 2007.
    """

    _mercer_name = "LassoLarsIC"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "scaled", "counts_rows", "zeroes"})
    _mercer_door = {"precompute": 'auto', "eps": 2.220446049250313e-16, "copy_X": True}

    def __init__(
        self,
        criterion: Literal["aic", "bic"] = "aic",
        *,
        fit_intercept: bool = True,
        max_iter: int = 500,
        positive: bool = False,
        noise_variance: float | None = None,
        precompute: Any = 'auto',
        eps: Any = 2.220446049250313e-16,
        copy_X: Any = True,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.positive = positive
        self.noise_variance = noise_variance
        self.precompute = precompute
        self.eps = eps
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> LassoLarsIC:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class OrthogonalMatchingPursuit(PursuitMixin, RegressorMixin, RowsMixin, Estimator):
    """Orthogonal matching pursuit: least squares on few features, chosen one after the other.

    Parameters
    ----------
    n_nonzero_coefs : integer or none in [1, inf), default=None
        Most features in use; none means a tenth of them, or one. Not asked for where `tol` is given.
    tol : number or none in [0, inf), default=None
        The squared length of the residual at which to stop; none stops at the number of features.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    precompute : default='auto'
        Changes nothing of the result, since what pays is decided by the shape of the data; a Gram matrix must be that of the rows.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Pati, Rezaiifar, Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993.
    """

    _mercer_name = "OrthogonalMatchingPursuit"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "multi_output", "scaled"})
    _mercer_door = {"precompute": 'auto'}

    def __init__(
        self,
        n_nonzero_coefs: int | None = None,
        *,
        tol: float | None = None,
        fit_intercept: bool = True,
        precompute: Any = 'auto',
    ) -> None:
        self.n_nonzero_coefs = n_nonzero_coefs
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.precompute = precompute

    def fit(self, X: Any, y: Any) -> OrthogonalMatchingPursuit:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class OrthogonalMatchingPursuitCV(PursuitCvMixin, RegressorMixin, RowsMixin, Estimator):
    """Orthogonal matching pursuit with as many features as cross-validation says.

    Parameters
    ----------
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer or none in [1, inf), default=None
        Most features tried; none means a tenth of them, at least 5 where there are as many.
    cv : integer or none in [2, inf), default=None
        Number of folds that whole paths are tried on; none means 5.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
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
    - Pati, Rezaiifar, Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993.
    """

    _mercer_name = "OrthogonalMatchingPursuitCV"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "sparse", "scaled", "counts_rows", "ordered"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        fit_intercept: bool = True,
        *,
        max_iter: int | None = None,
        cv: int | None = None,
        copy: Any = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.cv = cv
        self.copy = copy
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> OrthogonalMatchingPursuitCV:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class PoissonRegressor(PoissonMixin, WarmMixin, SolverMixin, RegressorMixin, SummaryMixin, RowsMixin, Estimator):
    """Poisson regression: counts and rates whose logarithm is linear.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty beside the mean deviance; 0 is maximum likelihood.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    solver : auto | lbfgs | newton_cholesky, default="auto"
        How the optimum is found.
    max_iter : integer in [1, inf), default=100
        Most steps of the solver.
    tol : number in (0, inf), default=0.0001
        Largest entry of the relative gradient at which the fit stops.
    offset : text or none, default=None
        The column that is added to the score as it is, such as the logarithm of an exposure: it is no feature, its coefficient is
        1, in training and in prediction. None means that there is no such column.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
    verbose : default=0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - McCullagh, Nelder. Generalized Linear Models. 2nd ed., 1989.
    """

    _mercer_name = "PoissonRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"summary", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"warm_start": False, "verbose": 0}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        solver: Literal["auto", "lbfgs", "newton_cholesky"] = "auto",
        max_iter: int = 100,
        tol: float = 0.0001,
        offset: str | None = None,
        warm_start: Any = False,
        verbose: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.offset = offset
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PoissonRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GammaRegressor(GammaMixin, WarmMixin, SolverMixin, RegressorMixin, SummaryMixin, RowsMixin, Estimator):
    """Gamma regression: positive numbers whose spread grows with their mean, which is the exponential of a linear score.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty beside the mean deviance; 0 is maximum likelihood.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    solver : auto | lbfgs | newton_cholesky, default="auto"
        How the optimum is found.
    max_iter : integer in [1, inf), default=100
        Most steps of the solver.
    tol : number in (0, inf), default=0.0001
        Largest entry of the relative gradient at which the fit stops.
    offset : text or none, default=None
        The column that is added to the score as it is, such as the logarithm of an exposure: it is no feature, its coefficient is
        1, in training and in prediction. None means that there is no such column.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
    verbose : default=0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - McCullagh, Nelder. Generalized Linear Models. 2nd ed., 1989.
    """

    _mercer_name = "GammaRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"summary", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"warm_start": False, "verbose": 0}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        solver: Literal["auto", "lbfgs", "newton_cholesky"] = "auto",
        max_iter: int = 100,
        tol: float = 0.0001,
        offset: str | None = None,
        warm_start: Any = False,
        verbose: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.offset = offset
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GammaRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class TweedieRegressor(TweedieMixin, WarmMixin, SolverMixin, RegressorMixin, SummaryMixin, RowsMixin, Estimator):
    """Tweedie regression: any power of the mean for a variance.

    Parameters
    ----------
    power : number in (-inf, inf), default=0.0
        The power of the mean that the variance grows with: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian.
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty beside the mean deviance; 0 is maximum likelihood.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    link : auto | identity | log, default="auto"
        What the score of a row is: its mean or the logarithm of it.
    solver : auto | lbfgs | newton_cholesky, default="auto"
        How the optimum is found.
    max_iter : integer in [1, inf), default=100
        Most steps of the solver.
    tol : number in (0, inf), default=0.0001
        Largest entry of the relative gradient at which the fit stops.
    offset : text or none, default=None
        The column that is added to the score as it is, such as the logarithm of an exposure: it is no feature, its coefficient is
        1, in training and in prediction. None means that there is no such column.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
    verbose : default=0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Jørgensen. Exponential dispersion models. J. R. Stat. Soc. B 49(2), 1987.
    """

    _mercer_name = "TweedieRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"summary", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"warm_start": False, "verbose": 0}

    def __init__(
        self,
        power: float = 0.0,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: Literal["auto", "identity", "log"] = "auto",
        solver: Literal["auto", "lbfgs", "newton_cholesky"] = "auto",
        max_iter: int = 100,
        tol: float = 0.0001,
        offset: str | None = None,
        warm_start: Any = False,
        verbose: Any = 0,
    ) -> None:
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.offset = offset
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TweedieRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LogisticRegression(LogisticMixin, ClassifierMixin, ProbaMixin, DecisionMixin, SummaryMixin, RowsMixin, Estimator):
    """Logistic regression: linear classification by maximum likelihood, for two classes or more.

    Parameters
    ----------
    penalty : l2 | l1 | elasticnet or none, default="l2"
        The penalty; none is plain maximum likelihood.
    l1_ratio : number in [0, 1], default=0.0
        The share of the L1 part in the penalty: 0 is L2, 1 is L1. The penalty l1 has no other part.
    C : number in (0, inf], default=1.0
        Weight of the loss against the penalty: smaller is simpler, infinity leaves the penalty out.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    intercept_scaling : number in (0, inf), default=1.0
        With the solver liblinear, the constant feature whose coefficient the intercept is: the larger, the less it is
        penalised. Other solvers penalise no intercept, and this changes nothing.
    tol : number in [0, inf), default=0.0001
        Largest entry of the gradient of the mean objective at which a fit stops; coordinate descent asks for a tenth of it as
        the relative duality gap, too. Of sag and saga the largest change of a coefficient in a pass, in units of the largest.
    max_iter : integer in [0, inf), default=100
        Most steps of the solver, of sag and saga passes over the rows; none of them leaves the start.
    solver : auto | lbfgs | newton_cholesky | newton_cg | coordinate | liblinear | sag | saga, default="auto"
        How the optimum is found.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    dual : default=False
        Whether LIBLINEAR would solve the dual, whose optimum is the same: allowed for the solver liblinear.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    _mercer_can = frozenset({"proba", "decision", "summary", "explain", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"dual": False, "warm_start": False}

    def __init__(
        self,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        *,
        l1_ratio: float = 0.0,
        C: float = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 0.0001,
        max_iter: int = 100,
        solver: Literal["auto", "lbfgs", "newton_cholesky", "newton_cg", "coordinate", "liblinear", "sag", "saga"] = "auto",
        class_weight: Literal["balanced"] | None = None,
        dual: Any = False,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.class_weight = class_weight
        self.dual = dual
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LogisticRegressionCV(LogisticCvMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Logistic regression whose penalty is chosen by cross-validation along a path.

    Parameters
    ----------
    Cs : list of number in (0, inf], default=10
        How many weights of the loss against the penalty, evenly between 1e-4 and 1e4 by their logarithms, or which.
    l1_ratios : list of number or none in [0, 1], default=None
        The shares of the L1 part that are tried; none means that of the penalty.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    cv : integer or none in [2, inf), default=None
        Number of folds; none means 5.
    penalty : l2 | l1 | elasticnet or none, default="l2"
        The penalty, where no shares are given; none is plain maximum likelihood.
    scoring : text or none, default=None
        The metric by name; none means accuracy.
    solver : auto | lbfgs | newton_cholesky | newton_cg | coordinate | liblinear | sag | saga, default="auto"
        How the optimum is found.
    tol : number in [0, inf), default=0.0001
        Largest entry of the gradient of the mean objective at which a fit stops; coordinate descent asks for a tenth of it as
        the relative duality gap, too. Of sag and saga the largest change of a coefficient in a pass, in units of the largest.
    max_iter : integer in [0, inf), default=100
        Most steps of the solver, of sag and saga passes over the rows; none of them leaves the start.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    refit : true or false, default=True
        Whether to fit all rows with the best setting; else what was best in each fold is averaged.
    intercept_scaling : number in (0, inf), default=1.0
        With the solver liblinear, the constant feature whose coefficient the intercept is: the larger, the less it is
        penalised. Other solvers penalise no intercept, and this changes nothing.
    dual : default=False
        Whether LIBLINEAR would solve the dual, whose optimum is the same: allowed for the solver liblinear.
    use_legacy_attributes : default=False
        Whether scores_, coefs_paths_, C_, l1_ratio_ and n_iter_ are laid out by class, as scikit-learn did before 1.10.
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
    - Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010.
    """

    _mercer_name = "LogisticRegressionCV"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "explain", "weights", "sparse", "scaled", "counts_rows", "ordered"})
    _mercer_door = {"dual": False, "use_legacy_attributes": False}

    def __init__(
        self,
        Cs: Sequence[float] = 10,
        *,
        l1_ratios: Sequence[float] | None = None,
        fit_intercept: bool = True,
        cv: int | None = None,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        scoring: str | None = None,
        solver: Literal["auto", "lbfgs", "newton_cholesky", "newton_cg", "coordinate", "liblinear", "sag", "saga"] = "auto",
        tol: float = 0.0001,
        max_iter: int = 100,
        class_weight: Literal["balanced"] | None = None,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = False,
        use_legacy_attributes: Any = False,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.use_legacy_attributes = use_legacy_attributes
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> LogisticRegressionCV:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, **params)


class OrdinalRegression(ClassifierMixin, ProbaMixin, RowsMixin, Estimator):
    """Ordinal regression: thresholds on a linear score tell classes apart that have an order.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        Strength of the L2 penalty.
    loss : logit | immediate_logistic | immediate_hinge | all_logistic | all_hinge, default="logit"
        The likelihood of proportional odds, or a loss of margins at thresholds.
    max_iter : integer in [1, inf), default=1000
        Most iterations of the solver.
    tol : number in [0, inf), default=1e-8
        Largest entry of the gradient of the mean objective, in units of the columns, at which to stop.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - McCullagh. Regression models for ordinal data. JRSS B 42(2), 1980.
    - Rennie, Srebro. Loss functions for preference levels. IJCAI workshop, 2005.
    """

    _mercer_name = "OrdinalRegression"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "weights", "sparse", "scaled"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        loss: Literal["logit", "immediate_logistic", "immediate_hinge", "all_logistic", "all_hinge"] = "logit",
        max_iter: int = 1000,
        tol: float = 1e-8,
    ) -> None:
        self.alpha = alpha
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalRegression:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class PairwiseRanker(GroupsMixin, RegressorMixin, RowsMixin, Estimator):
    """Ranking by pairs: a linear score by which the more relevant row of a query comes first.

    Parameters
    ----------
    loss : squared_hinge | logistic, default="squared_hinge"
        What is paid for a pair in the wrong order, or too near to it.
    C : number in (0, inf), default=1.0
        Weight of the pairs against the penalty: smaller is simpler.
    max_iter : integer in [1, inf), default=1000
        Most iterations of the solver.
    tol : number in [0, inf), default=1e-8
        Largest entry of the gradient of the mean objective, in units of the columns, at which to stop.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Joachims. Optimizing search engines using clickthrough data. KDD, 2002.
    - Burges et al. Learning to rank using gradient descent. ICML, 2005.
    """

    _mercer_name = "PairwiseRanker"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"explain", "weights", "sparse", "scaled"})

    def __init__(
        self,
        loss: Literal["squared_hinge", "logistic"] = "squared_hinge",
        *,
        C: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-8,
    ) -> None:
        self.loss = loss
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> PairwiseRanker:
        """Learn from rows and their targets; rows with the same value of `groups` are one query of a ranking."""
        return self._fit(X, y, sample_weight, groups=groups)


class Perceptron(DescentMixin, ResumeMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """The perceptron, for two classes or more.

    Parameters
    ----------
    penalty : l2 | l1 | elasticnet or none, default=None
        The penalty; none leaves it out.
    alpha : number in [0, inf), default=0.0001
        Strength of the penalty; the step size `optimal` depends on it, too.
    l1_ratio : number in [0, 1], default=0.15
        The share of the L1 part in the penalty elasticnet.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows.
    tol : number or none in [0, inf), default=0.001
        By how much the mean objective met on the way (or the score of held out rows) must improve; none makes all passes.
    shuffle : true or false, default=True
        Whether rows are visited in another order in each pass.
    average : true | false or number, default=False
        Whether the coefficients are the mean over all steps; a number says from which step on.
    early_stopping : true or false, default=False
        Whether to stop by the score of rows that are held out.
    validation_fraction : number in (0, 1), default=0.1
        The share of rows held out for that.
    n_iter_no_change : integer in [1, inf), default=5
        Passes without improvement after which to stop.
    eta0 : number in (0, inf), default=1.0
        The length of a step.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    - Rosenblatt. The perceptron. Psychological Review 65(6), 1958.
    - Freund, Schapire. Large margin classification using the perceptron algorithm. Machine Learning 37(3), 1999.
    """

    _mercer_name = "Perceptron"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "resumes", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        penalty: Literal["l2", "l1", "elasticnet"] | None = None,
        *,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        shuffle: bool = True,
        average: Literal["true", "false"] | float = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        eta0: float = 1.0,
        class_weight: Literal["balanced"] | None = None,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.average = average
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.eta0 = eta0
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Perceptron:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)


class SGDClassifier(DescentMixin, ResumeMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Linear classification by stochastic gradient descent, for two classes or more.

    Parameters
    ----------
    loss : text, default="hinge"
        The loss by name, of the margin or of the residual: hinge, log_loss, modified_huber, squared_hinge, perceptron,
        squared_error, huber, epsilon_insensitive and others.
    penalty : l2 | l1 | elasticnet or none, default="l2"
        The penalty; none leaves it out.
    epsilon : number in [0, inf), default=0.1
        The width of the losses that have one: huber and both that are insensitive.
    eta0 : number in [0, inf), default=0.01
        The first step, where the learning rate has one.
    batch_size : integer in [1, inf), default=1
        Rows of a step.
    n_partitions : integer in [1, inf), default=1
        Partitions of the rows that are learnt from side by side and averaged after each pass.
    alpha : number in [0, inf), default=0.0001
        Strength of the penalty; the step size `optimal` depends on it, too.
    l1_ratio : number in [0, 1], default=0.15
        The share of the L1 part in the penalty elasticnet.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows.
    tol : number or none in [0, inf), default=0.001
        By how much the mean objective met on the way (or the score of held out rows) must improve; none makes all passes.
    shuffle : true or false, default=True
        Whether rows are visited in another order in each pass.
    average : true | false or number, default=False
        Whether the coefficients are the mean over all steps; a number says from which step on.
    early_stopping : true or false, default=False
        Whether to stop by the score of rows that are held out.
    validation_fraction : number in (0, 1), default=0.1
        The share of rows held out for that.
    n_iter_no_change : integer in [1, inf), default=5
        Passes without improvement after which to stop.
    learning_rate : constant | optimal | invscaling | adaptive | pa1 | pa2 | robbins_monro, default="optimal"
        How long steps are.
    power_t : number, default=0.5
        How fast the learning rate invscaling falls.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    - Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012.
    - Tsuruoka, Tsujii, Ananiadou. Stochastic gradient descent training for L1-regularized log-linear models. ACL 2009.
    """

    _mercer_name = "SGDClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "resumes", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        epsilon: float = 0.1,
        eta0: float = 0.01,
        batch_size: int = 1,
        n_partitions: int = 1,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        shuffle: bool = True,
        average: Literal["true", "false"] | float = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2", "robbins_monro"] = "optimal",
        power_t: float = 0.5,
        class_weight: Literal["balanced"] | None = None,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.epsilon = epsilon
        self.eta0 = eta0
        self.batch_size = batch_size
        self.n_partitions = n_partitions
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.average = average
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.learning_rate = learning_rate
        self.power_t = power_t
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> SGDClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)


class SGDRegressor(DescentMixin, ResumeNumbersMixin, RegressorMixin, RowsMixin, Estimator):
    """Linear regression by stochastic gradient descent.

    Parameters
    ----------
    loss : text, default="squared_error"
        The loss by name: squared_error, huber, epsilon_insensitive, squared_epsilon_insensitive and others of the residual or
        of the logarithm of a mean.
    penalty : l2 | l1 | elasticnet or none, default="l2"
        The penalty; none leaves it out.
    epsilon : number in [0, inf), default=0.1
        The width of the losses that have one: huber and both that are insensitive.
    eta0 : number in [0, inf), default=0.01
        The first step, where the learning rate has one.
    batch_size : integer in [1, inf), default=1
        Rows of a step.
    n_partitions : integer in [1, inf), default=1
        Partitions of the rows that are learnt from side by side and averaged after each pass.
    alpha : number in [0, inf), default=0.0001
        Strength of the penalty; the step size `optimal` depends on it, too.
    l1_ratio : number in [0, 1], default=0.15
        The share of the L1 part in the penalty elasticnet.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows.
    tol : number or none in [0, inf), default=0.001
        By how much the mean objective met on the way (or the score of held out rows) must improve; none makes all passes.
    shuffle : true or false, default=True
        Whether rows are visited in another order in each pass.
    average : true | false or number, default=False
        Whether the coefficients are the mean over all steps; a number says from which step on.
    early_stopping : true or false, default=False
        Whether to stop by the score of rows that are held out.
    validation_fraction : number in (0, 1), default=0.1
        The share of rows held out for that.
    n_iter_no_change : integer in [1, inf), default=5
        Passes without improvement after which to stop.
    learning_rate : constant | optimal | invscaling | adaptive | pa1 | pa2 | robbins_monro, default="invscaling"
        How long steps are.
    power_t : number, default=0.25
        How fast the learning rate invscaling falls.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    - Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012.
    """

    _mercer_name = "SGDRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "scaled", "resumes", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        epsilon: float = 0.1,
        eta0: float = 0.01,
        batch_size: int = 1,
        n_partitions: int = 1,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        shuffle: bool = True,
        average: Literal["true", "false"] | float = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2", "robbins_monro"] = "invscaling",
        power_t: float = 0.25,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.epsilon = epsilon
        self.eta0 = eta0
        self.batch_size = batch_size
        self.n_partitions = n_partitions
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.average = average
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.learning_rate = learning_rate
        self.power_t = power_t
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> SGDRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)


class SGDOneClassSVM(DescentMixin, ResumeRowsMixin, OutlierMixin, DecisionMixin, RowsMixin, Estimator):
    """A linear one-class machine by stochastic gradient descent: rows beyond its plane are outliers.

    Parameters
    ----------
    nu : number in (0, 1], default=0.5
        The share of rows that may lie beyond the plane, at most.
    fit_intercept : true or false, default=True
        Whether to fit an intercept, which no penalty draws to zero.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows.
    tol : number or none in [0, inf), default=0.001
        By how much the mean objective met on the way (or the score of held out rows) must improve; none makes all passes.
    shuffle : true or false, default=True
        Whether rows are visited in another order in each pass.
    average : true | false or number, default=False
        Whether the coefficients are the mean over all steps; a number says from which step on.
    learning_rate : constant | optimal | invscaling | adaptive | pa1 | pa2 | robbins_monro, default="optimal"
        How long steps are.
    power_t : number, default=0.5
        How fast the learning rate invscaling falls.
    eta0 : number in (0, inf), default=0.01
        The first step, where the learning rate has one.
    warm_start : default=False
        Whether a fit begins where the one before ended, at `coef_`.
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
    - Schölkopf, Platt, Shawe-Taylor, Smola, Williamson. Estimating the support of a high-dimensional distribution. Neural Computation 13(7), 2001.
    """

    _mercer_name = "SGDOneClassSVM"
    _mercer_task = "Outliers"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "resumes", "counts_rows", "ordered", "random"})
    _mercer_door = {"warm_start": False}

    def __init__(
        self,
        nu: float = 0.5,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        shuffle: bool = True,
        average: Literal["true", "false"] | float = False,
        learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2", "robbins_monro"] = "optimal",
        power_t: float = 0.5,
        eta0: float = 0.01,
        warm_start: Any = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.average = average
        self.learning_rate = learning_rate
        self.power_t = power_t
        self.eta0 = eta0
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, coef_init: Any = None, offset_init: Any = None, sample_weight: Any = None) -> SGDOneClassSVM:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight, coef_init=coef_init, intercept_init=offset_init)
