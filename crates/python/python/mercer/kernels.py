# Written by `cargo xtask python` from the catalogue; do not edit.
"""KernelMachineClassifier, KernelMachineRegressor, KernelPerceptron, SpectrumPerceptron."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._kernel_learners import KernelMixin
from mercer._kernels import (
    RBF,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Exponentiation,
    Matern,
    PairwiseKernel,
    Product,
    RationalQuadratic,
    Sum,
    Values,
    WhiteKernel,
)
from mercer._mixins import ClassifierMixin, DecisionMixin, ProbaMixin, RegressorMixin, RowsMixin, StringsMixin

__all__ = [
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "KernelPerceptron",
    "SpectrumPerceptron",
    "RBF",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "Matern",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "Sum",
    "Values",
    "WhiteKernel",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KernelMachineClassifier(KernelMixin, ClassifierMixin, ProbaMixin, DecisionMixin, RowsMixin, Estimator):
    """Classification with any convex loss through a kernel.

    Parameters
    ----------
    loss : log_loss | hinge | squared_hinge | modified_huber, default="log_loss"
        The loss.
    alpha : number in (0, inf), default=1.0
        Strength of the L2 penalty.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    tol : number in (0, inf), default=1e-6
        Stop when the duality gap is at most this, relative to the loss of the function that is zero.
    max_iter : integer in [1, inf), default=1000
        Limit of passes over the points.
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
    - Schölkopf, Herbrich, Smola. A generalized representer theorem. COLT 2001.
    - Shalev-Shwartz, Zhang. Stochastic dual coordinate ascent methods for regularized loss minimization. JMLR 14, 2013.
    """

    _mercer_name = "KernelMachineClassifier"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "decision", "weights", "sparse", "scaled", "ordered", "random"})

    def __init__(
        self,
        loss: Literal["log_loss", "hinge", "squared_hinge", "modified_huber"] = "log_loss",
        *,
        alpha: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachineClassifier:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class KernelMachineRegressor(KernelMixin, RegressorMixin, RowsMixin, Estimator):
    """Regression with any convex loss through a kernel.

    Parameters
    ----------
    loss : squared_error | huber | epsilon_insensitive | squared_epsilon_insensitive | quantile, default="squared_error"
        The loss.
    epsilon : number in [0, inf), default=0.1
        Where Huber's loss becomes linear, and up to what residuals the insensitive ones are zero.
    quantile : number in (0, 1), default=0.5
        The quantile of the loss of that name.
    alpha : number in (0, inf), default=1.0
        Strength of the L2 penalty.
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    tol : number in (0, inf), default=1e-6
        Stop when the duality gap is at most this, relative to the loss of the function that is zero.
    max_iter : integer in [1, inf), default=1000
        Limit of passes over the points.
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
    - Schölkopf, Herbrich, Smola. A generalized representer theorem. COLT 2001.
    - Shalev-Shwartz, Zhang. Stochastic dual coordinate ascent methods for regularized loss minimization. JMLR 14, 2013.
    """

    _mercer_name = "KernelMachineRegressor"
    _mercer_task = "Regression"
    _mercer_can = frozenset({"weights", "sparse", "multi_output", "scaled", "ordered", "random"})

    def __init__(
        self,
        loss: Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "quantile"] = "squared_error",
        *,
        epsilon: float = 0.1,
        quantile: float = 0.5,
        alpha: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.epsilon = epsilon
        self.quantile = quantile
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachineRegressor:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class KernelPerceptron(KernelMixin, ClassifierMixin, DecisionMixin, RowsMixin, Estimator):
    """A perceptron in the feature space of a kernel, for two or more classes.

    Parameters
    ----------
    kernel : kernel, default="rbf"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    gamma : scale | auto or number in [0, inf), default="scale"
        The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    coef0 : number in (-inf, inf), default=0.0
        The constant inside of the kernels poly and sigmoid.
    averaged : true or false, default=True
        Whether predictions use the mean of the coefficients over all steps, which errs less on new points.
    max_iter : integer in [1, inf), default=100
        Limit of passes over the points.
    cache_size : number in (0, inf), default=200.0
        Memory for rows of the kernel, in megabytes.
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
    - Aizerman, Braverman, Rozonoer. Theoretical foundations of the potential function method. 1964.
    - Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
    """

    _mercer_name = "KernelPerceptron"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "sparse", "scaled", "counts_rows", "ordered", "random"})

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: float = 3.0,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        averaged: bool = True,
        max_iter: int = 100,
        cache_size: float = 200.0,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.averaged = averaged
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> KernelPerceptron:
        """Learn from rows and their targets."""
        return self._fit(X, y)


class SpectrumPerceptron(ClassifierMixin, DecisionMixin, StringsMixin, Estimator):
    """A multiclass perceptron on strings, through the spectrum kernel.

    Parameters
    ----------
    length : integer in [1, 64], default=3
        The length of the substrings that are counted, in characters.
    blended : true or false, default=True
        Whether shorter substrings count, too.
    normalize : true or false, default=True
        Whether strings are scaled to length one in feature space.
    averaged : true or false, default=True
        Whether predictions use the mean of the weights over all steps, which errs less on new strings.
    max_iter : integer in [1, inf), default=50
        Limit of passes over the strings.
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
    - Leslie, Eskin, Noble. The spectrum kernel. PSB 2002.
    - Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
    """

    _mercer_name = "SpectrumPerceptron"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "ordered", "random"})

    def __init__(
        self,
        length: int = 3,
        *,
        blended: bool = True,
        normalize: bool = True,
        averaged: bool = True,
        max_iter: int = 50,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.length = length
        self.blended = blended
        self.normalize = normalize
        self.averaged = averaged
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> SpectrumPerceptron:
        """Learn from a sequence of strings and their classes."""
        return self._fit(X, y)
