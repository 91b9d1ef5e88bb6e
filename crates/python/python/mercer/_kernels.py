"""Kernels as objects: scikit-learn's names and manners over Mercer's values.

A kernel holds its parameters and says itself in Mercer's text grammar (``_mercer_kernel``); values and gradients are computed by
the compiled part. ``k1 + k2``, ``k1 * k2`` and ``k ** p`` make kernels of kernels.
"""

from __future__ import annotations

from mercer import _mercer
from mercer._kernel_base import (
    USUAL_BOUNDS,
    GenericKernelMixin,
    Hyperparameter,
    Kernel,
    NormalizedKernelMixin,
    StationaryKernelMixin,
    number,
)


def is_compiled(kernel):
    """Whether the compiled part can compute a kernel and move its hyper-parameters: the kernel and its parts are Mercer's own,
    and no classes that the user derived from them."""
    own = "_mercer_kernel" in vars(type(kernel)) and not isinstance(kernel, PairwiseKernel)
    return own and all(is_compiled(part) for _, part in kernel._parts())


class ConstantKernel(StationaryKernelMixin, GenericKernelMixin, Kernel):
    """c, for all pairs."""

    def __init__(self, constant_value=1.0, constant_value_bounds=USUAL_BOUNDS):
        self.constant_value = constant_value
        self.constant_value_bounds = constant_value_bounds

    @property
    def hyperparameter_constant_value(self):
        return self._hyper("constant_value")

    def _mercer_kernel(self):
        return f"constant({self._arguments('constant_value')})"

    def __repr__(self):
        import numpy as np

        return f"{np.sqrt(self.constant_value):.3g}**2"


class WhiteKernel(StationaryKernelMixin, GenericKernelMixin, Kernel):
    """The noise of each point: 0 between two sets of points, even where they are the same."""

    def __init__(self, noise_level=1.0, noise_level_bounds=USUAL_BOUNDS):
        self.noise_level = noise_level
        self.noise_level_bounds = noise_level_bounds

    @property
    def hyperparameter_noise_level(self):
        return self._hyper("noise_level")

    def _mercer_kernel(self):
        return f"white({self._arguments('noise_level')})"

    def __repr__(self):
        return f"{type(self).__name__}(noise_level={self.noise_level:.3g})"


class _Scaled(StationaryKernelMixin, NormalizedKernelMixin, Kernel):
    """Kernels of a distance in units of a length scale."""

    @property
    def anisotropic(self):
        """Whether each feature has a scale of its own."""
        import numpy as np

        return np.iterable(self.length_scale) and len(self.length_scale) > 1

    @property
    def hyperparameter_length_scale(self):
        return self._hyper("length_scale")

    def _scale(self):
        import numpy as np

        if self.anisotropic:
            return f"[{', '.join(f'{v:.3g}' for v in self.length_scale)}]"
        return f"{np.ravel(self.length_scale)[0]:.3g}"


class RBF(_Scaled):
    """exp(−‖x − y‖² / 2ℓ²), with one length scale or one for each feature."""

    def __init__(self, length_scale=1.0, length_scale_bounds=USUAL_BOUNDS):
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    def _mercer_kernel(self):
        return f"rbf({self._arguments('length_scale')})"

    def __repr__(self):
        return f"{type(self).__name__}(length_scale={self._scale()})"


class Matern(_Scaled):
    """Matérn's kernel of smoothness ν: ½ is the exponential, infinity the RBF kernel."""

    def __init__(self, length_scale=1.0, length_scale_bounds=USUAL_BOUNDS, nu=1.5):
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds
        self.nu = nu

    def _mercer_kernel(self):
        return f"matern({self._arguments('length_scale', nu=number(self.nu))})"

    def __repr__(self):
        return f"{type(self).__name__}(length_scale={self._scale()}, nu={self.nu:.3g})"


class RationalQuadratic(StationaryKernelMixin, NormalizedKernelMixin, Kernel):
    """(1 + ‖x − y‖² / 2αℓ²)^−α"""

    def __init__(self, length_scale=1.0, alpha=1.0, length_scale_bounds=USUAL_BOUNDS, alpha_bounds=USUAL_BOUNDS):
        self.length_scale = length_scale
        self.alpha = alpha
        self.length_scale_bounds = length_scale_bounds
        self.alpha_bounds = alpha_bounds

    @property
    def hyperparameter_length_scale(self):
        return self._hyper("length_scale")

    @property
    def hyperparameter_alpha(self):
        return self._hyper("alpha")

    def __call__(self, X, Y=None, eval_gradient=False):
        import numpy as np

        if len(np.atleast_1d(self.length_scale)) > 1:
            raise AttributeError("RationalQuadratic kernel only supports isotropic version, please use a single scalar for length_scale")
        return super().__call__(X, Y, eval_gradient)

    def _mercer_kernel(self):
        return f"rational_quadratic({self._arguments('alpha', 'length_scale')})"

    def __repr__(self):
        return f"{type(self).__name__}(alpha={self.alpha:.3g}, length_scale={self.length_scale:.3g})"


class ExpSineSquared(StationaryKernelMixin, NormalizedKernelMixin, Kernel):
    """exp(−2 Σⱼ sin²(π(xⱼ − yⱼ)/p) / ℓ²): a product over the features, so that it is a kernel in any number of them."""

    def __init__(self, length_scale=1.0, periodicity=1.0, length_scale_bounds=USUAL_BOUNDS, periodicity_bounds=USUAL_BOUNDS):
        self.length_scale = length_scale
        self.periodicity = periodicity
        self.length_scale_bounds = length_scale_bounds
        self.periodicity_bounds = periodicity_bounds

    @property
    def hyperparameter_length_scale(self):
        return self._hyper("length_scale")

    @property
    def hyperparameter_periodicity(self):
        return self._hyper("periodicity")

    def _mercer_kernel(self):
        return f"periodic({self._arguments('length_scale', 'periodicity')})"

    def __repr__(self):
        return f"{type(self).__name__}(length_scale={self.length_scale:.3g}, periodicity={self.periodicity:.3g})"


class DotProduct(Kernel):
    """σ₀² + x·y"""

    def __init__(self, sigma_0=1.0, sigma_0_bounds=USUAL_BOUNDS):
        self.sigma_0 = sigma_0
        self.sigma_0_bounds = sigma_0_bounds

    @property
    def hyperparameter_sigma_0(self):
        return self._hyper("sigma_0")

    def _mercer_kernel(self):
        return f"dot_product({self._arguments('sigma_0')})"

    def __repr__(self):
        return f"{type(self).__name__}(sigma_0={self.sigma_0:.3g})"


class PairwiseKernel(Kernel):
    """One of the kernels of ``pairwise_kernels`` by name, with its γ as hyper-parameter."""

    def __init__(self, gamma=1.0, gamma_bounds=USUAL_BOUNDS, metric="linear", pairwise_kernels_kwargs=None):
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds
        self.metric = metric
        self.pairwise_kernels_kwargs = pairwise_kernels_kwargs

    @property
    def hyperparameter_gamma(self):
        return self._hyper("gamma")

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return self.metric == "rbf"

    def _mercer_kernel(self):
        if self.metric in ("linear", "cosine", "additive_chi2"):
            return self.metric
        more = {"gamma": number(self.gamma), **(self.pairwise_kernels_kwargs or {})}
        if self.metric in ("poly", "polynomial", "sigmoid"):
            # These have a free γ where bounds are given, and the constant of `pairwise_kernels` is 1.
            more = {"coef0": 1.0, "gamma_bounds": "[1e-5, 1e5]", **more}
        return f"{self.metric}({', '.join(f'{name}={value}' for name, value in more.items())})"

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values for all pairs, and their derivatives by the logarithms of the hyper-parameters."""
        import numpy as np

        if callable(self.metric):
            raise ValueError("a function of two points is no metric here: name one of pairwise_kernels")
        if not eval_gradient:
            return super().__call__(X, Y)
        if self.hyperparameter_gamma.fixed:
            values = super().__call__(X, Y)
            return values, np.empty((*values.shape, 0))
        values, gradient = super().__call__(X, Y, True)
        if gradient.shape[2] == 0:
            gradient = np.zeros((*values.shape, 1))
        # The length scale of the RBF kernel is (2γ)^−½.
        return values, -0.5 * gradient if self.metric == "rbf" else gradient[..., :1]

    def __repr__(self):
        return f"{type(self).__name__}(gamma={self.gamma}, metric={self.metric})"


class _Composite(Kernel):
    """Kernels of kernels: hyper-parameters are those of the parts."""

    def get_params(self, deep=True):
        """The parameters by name, with those of the parts by path."""
        own = super().get_params(deep)
        if deep:
            for name, part in list(own.items()):
                if isinstance(part, Kernel):
                    own.update({f"{name}__{key}": value for key, value in part.get_params().items()})
        return own

    @property
    def hyperparameters(self):
        """The hyper-parameters of the parts, by path."""
        return [
            Hyperparameter(f"{name}__{h.name}", h.value_type, h.bounds, h.n_elements)
            for name, part in self._parts()
            for h in part.hyperparameters
        ]

    @property
    def theta(self):
        """The logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        return np.concatenate([part.theta for _, part in self._parts()])

    @theta.setter
    def theta(self, theta):
        at = 0
        for _, part in self._parts():
            n = part.n_dims
            part.theta = theta[at : at + n]
            at += n

    @property
    def bounds(self):
        """The bounds of the logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        found = [part.bounds for _, part in self._parts() if part.bounds.size > 0]
        return np.vstack(found) if found else np.array([])

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values for all pairs, and their derivatives by the logarithms of the hyper-parameters."""
        if is_compiled(self):
            return super().__call__(X, Y, eval_gradient)
        found = [part(X, Y, eval_gradient=True) if eval_gradient else (part(X, Y), None) for _, part in self._parts()]
        values, gradients = self._joined([value for value, _ in found], [gradient for _, gradient in found])
        return (values, gradients) if eval_gradient else values

    def diag(self, X):
        """The value of each point with itself."""
        if is_compiled(self):
            return super().diag(X)
        return self._joined([part.diag(X) for _, part in self._parts()], [None] * len(self._parts()))[0]

    @property
    def requires_vector_input(self):
        """Whether points are rows of numbers."""
        return any(part.requires_vector_input for _, part in self._parts())

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return all(part.is_stationary() for _, part in self._parts())


class KernelOperator(_Composite):
    """Two kernels joined by an operator."""

    def __init__(self, k1, k2):
        self.k1 = k1
        self.k2 = k2

    def _parts(self):
        return [("k1", self.k1), ("k2", self.k2)]

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        return (self.k1 == other.k1 and self.k2 == other.k2) or (self.k1 == other.k2 and self.k2 == other.k1)

    __hash__ = Kernel.__hash__


class Sum(KernelOperator):
    """k₁ + k₂"""

    def _joined(self, values, gradients):
        import numpy as np

        return values[0] + values[1], None if gradients[0] is None else np.dstack(gradients)

    def _mercer_kernel(self):
        return f"sum({self.k1._mercer_kernel()}, {self.k2._mercer_kernel()})"

    def __repr__(self):
        return f"{self.k1} + {self.k2}"


class Product(KernelOperator):
    """k₁ · k₂"""

    def _joined(self, values, gradients):
        import numpy as np

        if gradients[0] is None:
            return values[0] * values[1], None
        others = zip(gradients, reversed(values))
        return values[0] * values[1], np.dstack([gradient * value[..., np.newaxis] for gradient, value in others])

    def _mercer_kernel(self):
        return f"product({self.k1._mercer_kernel()}, {self.k2._mercer_kernel()})"

    def __repr__(self):
        return f"{self.k1} * {self.k2}"


class Exponentiation(_Composite):
    """k^p"""

    def __init__(self, kernel, exponent):
        self.kernel = kernel
        self.exponent = exponent

    def _parts(self):
        return [("kernel", self.kernel)]

    def _joined(self, values, gradients):
        import numpy as np

        [value], [gradient], p = values, gradients, self.exponent
        return value**p, None if gradient is None else gradient * (p * value ** (p - 1))[..., np.newaxis]

    def _mercer_kernel(self):
        return f"power({self.kernel._mercer_kernel()}, exponent={number(self.exponent)})"

    def __eq__(self, other):
        return type(self) is type(other) and self.kernel == other.kernel and self.exponent == other.exponent

    __hash__ = Kernel.__hash__

    def __repr__(self):
        return f"{self.kernel} ** {self.exponent}"


class CompoundKernel(_Composite):
    """Several kernels side by side: values stand in a last dimension."""

    def __init__(self, kernels):
        self.kernels = kernels

    def _parts(self):
        return [(f"kernels_{i}", kernel) for i, kernel in enumerate(self.kernels)]

    def get_params(self, deep=True):
        """The kernels."""
        return {"kernels": self.kernels}

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values of each kernel, stacked."""
        import numpy as np

        if not eval_gradient:
            return np.dstack([kernel(X, Y) for kernel in self.kernels])
        found = [kernel(X, Y, True) for kernel in self.kernels]
        return np.dstack([value for value, _ in found]), np.concatenate([g[..., np.newaxis] for _, g in found], 3)

    def diag(self, X):
        """The value of each point with itself, by kernel."""
        import numpy as np

        return np.vstack([kernel.diag(X) for kernel in self.kernels]).T

    def __eq__(self, other):
        return type(self) is type(other) and len(self.kernels) == len(other.kernels) and all(
            a == b for a, b in zip(self.kernels, other.kernels)
        )

    __hash__ = Kernel.__hash__


class Values(Kernel):
    """Any kernel in Mercer's text grammar: ``Values("2*rbf(gamma=0.1)+spectrum(length=3)")``."""

    def __init__(self, text):
        self.text = text

    @property
    def hyperparameters(self):
        """The hyper-parameters that may be moved, a number each."""
        import numpy as np

        _, bounds, names, _ = _mercer.kernel_theta(self.text)
        return [Hyperparameter(name, "numeric", np.exp([own])) for name, own in zip(names, bounds)]

    @property
    def theta(self):
        """The logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        return np.array(_mercer.kernel_theta(self.text)[0])

    @theta.setter
    def theta(self, theta):
        if len(theta) != len(self.theta):
            raise ValueError(f"theta has not the correct number of entries. Should be {len(self.theta)}; given are {len(theta)}")
        self.text = _mercer.kernel_with_theta(self.text, [float(t) for t in theta])

    @property
    def bounds(self):
        """The bounds of the logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        return np.array(_mercer.kernel_theta(self.text)[1])

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return _mercer.kernel_theta(self.text)[3]

    def _mercer_kernel(self):
        return self.text

    def __repr__(self):
        return f"Values({self.text!r})"
