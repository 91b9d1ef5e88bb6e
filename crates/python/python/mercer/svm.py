# Written by `cargo xtask python` from the catalogue; do not edit.
"""LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM, SVC, SVR."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._logistic import (
    l1_min_c,
)
from mercer._logistic import MachineMixin
from mercer._mixins import ClassifierMixin, DecisionMixin, OutlierMixin, RegressorMixin, RowsMixin
from mercer._svm import SvcMixin, SvmMixin

__all__ = [
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "SVC",
    "SVR",
    "l1_min_c",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class LinearSVC(MachineMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Linear support vector classification, for two classes or more.

    Parameters
    ----------
    penalty : l1 | l2, default="l2"
        The penalty.
    loss : hinge | squared_hinge, default="squared_hinge"
        What a row within the margin costs.
    C : number in (0, inf), default=1.0
        Weight of the loss against the penalty: smaller is simpler.
    tol : number in (0, inf), default=0.0001
        Where the solver stops.
    fit_intercept : true or false, default=True
        Whether to fit an intercept.
    intercept_scaling : number in (0, inf), default=1.0
        The constant that stands behind the features of each row; the larger, the less the intercept is penalised.
    dual : auto | true | false, default="auto"
        Whether the dual problem is solved; auto does where there are more features than rows, if the problem has both forms.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows or coefficients, or Newton steps.
    multi_class : ovr | crammer_singer, default="ovr"
        How more than two classes are taken.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
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
    - Hsieh, Chang, Lin, Keerthi, Sundararajan. A dual coordinate descent method for large-scale linear SVM. ICML 2008.
    - Fan, Chang, Hsieh, Wang, Lin. LIBLINEAR. JMLR 9, 2008.
    """

    _mercer_name = "LinearSVC"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled"})

    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
        *,
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        C: float = 1.0,
        tol: float = 0.0001,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Literal["auto", "true", "false"] = "auto",
        max_iter: int = 1000,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        class_weight: Literal["balanced"] | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.max_iter = max_iter
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class LinearSVR(MachineMixin, RegressorMixin, RowsMixin, Estimator):
    """Linear support vector regression.

    Parameters
    ----------
    epsilon : number in [0, inf), default=0.0
        Half the width of the tube in which errors are free.
    loss : epsilon_insensitive | squared_epsilon_insensitive, default="epsilon_insensitive"
        What a row beyond the tube costs.
    C : number in (0, inf), default=1.0
        Weight of the loss against the penalty: smaller is simpler.
    tol : number in (0, inf), default=0.0001
        Where the solver stops.
    fit_intercept : true or false, default=True
        Whether to fit an intercept.
    intercept_scaling : number in (0, inf), default=1.0
        The constant that stands behind the features of each row; the larger, the less the intercept is penalised.
    dual : auto | true | false, default="auto"
        Whether the dual problem is solved; auto does where there are more features than rows, if the problem has both forms.
    max_iter : integer in [1, inf), default=1000
        Most passes over the rows or coefficients, or Newton steps.
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
    - Ho, Lin. Large-scale linear support vector regression. JMLR 13, 2012.
    """

    _mercer_name = "LinearSVR"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "scaled"})

    def __init__(
        self,
        epsilon: float = 0.0,
        *,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        C: float = 1.0,
        tol: float = 0.0001,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Literal["auto", "true", "false"] = "auto",
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class NuSVC(SvmMixin, SvcMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Support vector classification with a share of support vectors in place of a cost.

    Parameters
    ----------
    nu : number in (0, 1], default=0.5
        At most the share of support vectors, at least the share of rows within the margin.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    shrinking : true or false, default=True
        Whether rows that are settled at a bound are left out until the others are solved for.
    tol : number in (0, inf), default=0.001
        The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    max_iter : integer in [-1, inf), default=-1
        Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    probability : true or false, default=False
        Whether to learn probabilities, from decisions on five folds (Platt's sigmoids); they may disagree with the classes.
    decision_function_shape : ovr | ovo, default="ovr"
        Whether decision values of several classes are told for each class, or for each pair of classes (in Python; elsewhere
        always for each class).
    break_ties : true or false, default=False
        Whether votes of pairs that are equal are decided by the decision values.
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
    - Schölkopf, Smola, Williamson, Bartlett. New support vector algorithms. Neural Computation 12(5), 2000.
    """

    _mercer_name = "NuSVC"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "ordered"})

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 0.001,
        cache_size: float = 200.0,
        max_iter: int = -1,
        class_weight: Literal["balanced"] | None = None,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NuSVC:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class NuSVR(SvmMixin, RegressorMixin, RowsMixin, Estimator):
    """Support vector regression with a share of support vectors in place of a tube's width.

    Parameters
    ----------
    nu : number in (0, 1], default=0.5
        At most the share of support vectors, at least the share of rows beyond the tube.
    C : number in (0, inf), default=1.0
        The cost of errors beyond the tube: smaller is simpler.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    shrinking : true or false, default=True
        Whether rows that are settled at a bound are left out until the others are solved for.
    tol : number in (0, inf), default=0.001
        The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    max_iter : integer in [-1, inf), default=-1
        Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Schölkopf, Smola, Williamson, Bartlett. New support vector algorithms. Neural Computation 12(5), 2000.
    """

    _mercer_name = "NuSVR"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "scaled", "ordered"})

    def __init__(
        self,
        nu: float = 0.5,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 0.001,
        cache_size: float = 200.0,
        max_iter: int = -1,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NuSVR:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class OneClassSVM(SvmMixin, OutlierMixin, DecisionMixin, RowsMixin, Estimator):
    """A one-class machine: rows beyond a surface in the kernel's space are outliers.

    Parameters
    ----------
    nu : number in (0, 1], default=0.5
        At least the share of outliers, at most the share of support vectors.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    shrinking : true or false, default=True
        Whether rows that are settled at a bound are left out until the others are solved for.
    tol : number in (0, inf), default=0.001
        The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    max_iter : integer in [-1, inf), default=-1
        Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
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

    _mercer_name = "OneClassSVM"
    _mercer_task = "Outliers"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "ordered"})

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 0.001,
        cache_size: float = 200.0,
        max_iter: int = -1,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class SVC(SvmMixin, SvcMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """Support vector classification through a kernel, for two classes or more.

    Parameters
    ----------
    C : number in (0, inf], default=1.0
        The cost of rows within the margin: smaller is simpler, infinity allows none.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    shrinking : true or false, default=True
        Whether rows that are settled at a bound are left out until the others are solved for.
    tol : number in (0, inf), default=0.001
        The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    max_iter : integer in [-1, inf), default=-1
        Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
    class_weight : balanced or none, default=None
        How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
        them as they are.
    probability : true or false, default=False
        Whether to learn probabilities, from decisions on five folds (Platt's sigmoids); they may disagree with the classes.
    decision_function_shape : ovr | ovo, default="ovr"
        Whether decision values of several classes are told for each class, or for each pair of classes (in Python; elsewhere
        always for each class).
    break_ties : true or false, default=False
        Whether votes of pairs that are equal are decided by the decision values.
    multi_class : ovo | ovr | crammer_singer, default="ovo"
        How more than two classes are told apart.
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
    - Cortes, Vapnik. Support-vector networks. Machine Learning 20, 1995.
    - Chang, Lin. LIBSVM: a library for support vector machines. ACM TIST 2(3), 2011.
    - Fan, Chen, Lin. Working set selection using second order information for training support vector machines. JMLR 6, 2005.
    - Platt. Probabilistic outputs for support vector machines. 1999.
    """

    _mercer_name = "SVC"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "weights", "sparse", "scaled", "ordered"})

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 0.001,
        cache_size: float = 200.0,
        max_iter: int = -1,
        class_weight: Literal["balanced"] | None = None,
        probability: bool = False,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        multi_class: Literal["ovo", "ovr", "crammer_singer"] = "ovo",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multi_class = multi_class
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVC:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class SVR(SvmMixin, RegressorMixin, RowsMixin, Estimator):
    """Support vector regression through a kernel.

    Parameters
    ----------
    C : number in (0, inf), default=1.0
        The cost of errors beyond the tube: smaller is simpler.
    epsilon : number in [0, inf), default=0.1
        Half the width of the tube in which errors are free.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    shrinking : true or false, default=True
        Whether rows that are settled at a bound are left out until the others are solved for.
    tol : number in (0, inf), default=0.001
        The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    max_iter : integer in [-1, inf), default=-1
        Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Drucker, Burges, Kaufman, Smola, Vapnik. Support vector regression machines. NIPS 9, 1996.
    - Smola, Schölkopf. A tutorial on support vector regression. Statistics and Computing 14, 2004.
    """

    _mercer_name = "SVR"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "scaled", "ordered"})

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 0.001,
        cache_size: float = 200.0,
        max_iter: int = -1,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVR:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
