"""Kernels as objects: scikit-learn's names and manners over Mercer's values.

A kernel holds its parameters and says itself in Mercer's text grammar (``_mercer_kernel``); values and gradients are computed by
the compiled part. ``k1 + k2``, ``k1 * k2`` and ``k ** p`` make kernels of kernels.
"""

from __future__ import annotations

import inspect
from collections import namedtuple

from mercer import _mercer

USUAL_BOUNDS = (1e-5, 1e5)


class Hyperparameter(namedtuple("Hyperparameter", ("name", "value_type", "bounds", "n_elements", "fixed"))):
    """A number, or several, that an optimiser may move between bounds."""

    __slots__ = ()

    def __new__(cls, name, value_type, bounds, n_elements=1, fixed=None):
        import numpy as np

        if not isinstance(bounds, str):
            bounds = np.atleast_2d(bounds)
            if n_elements > 1 and bounds.shape[0] not in (1, n_elements):
                raise ValueError(f"Bounds on {name} should have either 1 or {n_elements} dimensions. Given are {bounds.shape[0]}")
            if n_elements > 1 and bounds.shape[0] == 1:
                bounds = np.repeat(bounds, n_elements, 0)
        if fixed is None:
            fixed = isinstance(bounds, str) and bounds == "fixed"
        return super().__new__(cls, name, value_type, bounds, n_elements, fixed)

    def __eq__(self, other):
        import numpy as np

        return (
            self.name == other.name
            and self.value_type == other.value_type
            and np.all(self.bounds == other.bounds)
            and self.n_elements == other.n_elements
            and self.fixed == other.fixed
        )

    __hash__ = None


def _number(value):
    value = float(value)
    return "inf" if value == float("inf") else repr(value)


def _list(values):
    return "[" + ", ".join(_number(v) for v in values) + "]"


class Kernel:
    """A kernel: a function of two points with hyper-parameters."""

    def get_params(self, deep=True):
        """The parameters by name."""
        names = [p for p in inspect.signature(type(self).__init__).parameters if p != "self"]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params):
        """Sets parameters by name; those of parts by path, as in ``k1__length_scale``."""
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in self.get_params(deep=False):
                raise ValueError(
                    f"Invalid parameter {first} for kernel {type(self).__name__}. Check the list of available parameters with "
                    "`kernel.get_params().keys()`."
                )
            if rest:
                getattr(self, first).set_params(**{rest: value})
            else:
                setattr(self, first, value)
        return self

    def clone_with_theta(self, theta):
        """A copy with other hyper-parameters, by their logarithms."""
        copy = self._copy()
        copy.theta = theta
        return copy

    def _copy(self):
        import copy

        params = {k: v._copy() if isinstance(v, Kernel) else copy.deepcopy(v) for k, v in self.get_params(deep=False).items()}
        return type(self)(**params)

    @property
    def hyperparameters(self):
        """The hyper-parameters, by name."""
        return [getattr(self, name) for name in dir(type(self)) if name.startswith("hyperparameter_")]

    def _hyper(self, name):
        import numpy as np

        value = getattr(self, name)
        several = np.iterable(value) and len(value) > 1
        return Hyperparameter(name, "numeric", getattr(self, f"{name}_bounds"), len(value) if several else 1)

    @property
    def n_dims(self):
        """How many hyper-parameters may be moved."""
        return self.theta.shape[0]

    @property
    def theta(self):
        """The logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        values = [np.ravel(getattr(self, h.name)) for h in self.hyperparameters if not h.fixed]
        return np.log(np.hstack(values)) if values else np.array([])

    @theta.setter
    def theta(self, theta):
        import numpy as np

        theta = np.asarray(theta, dtype=float)
        at = 0
        for h in self.hyperparameters:
            if h.fixed:
                continue
            if h.n_elements > 1:
                setattr(self, h.name, np.exp(theta[at : at + h.n_elements]))
            else:
                setattr(self, h.name, np.exp(theta[at]))
            at += h.n_elements
        if at != len(theta):
            raise ValueError(f"theta has not the correct number of entries. Should be {at}; given are {len(theta)}")

    @property
    def bounds(self):
        """The bounds of the logarithms of the hyper-parameters that may be moved."""
        import numpy as np

        bounds = [h.bounds for h in self.hyperparameters if not h.fixed]
        return np.log(np.vstack(bounds)) if bounds else np.array([])

    @property
    def requires_vector_input(self):
        """Whether points are rows of numbers."""
        return True

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values for all pairs, and their derivatives by the logarithms of the hyper-parameters."""
        if eval_gradient and Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        text = self._mercer_kernel()
        if eval_gradient:
            return _mercer.kernel_gradient(text, _points(X))
        return _mercer.kernel_matrix(text, _points(X), None if Y is None else _points(Y))

    def diag(self, X):
        """The value of each point with itself."""
        return _mercer.kernel_diagonal(self._mercer_kernel(), _points(X))

    def _arguments(self, *names, **others):
        import numpy as np

        parts = []
        for name in names:
            value = getattr(self, name)
            parts.append(f"{name}={_list(np.ravel(value)) if np.ndim(value) > 0 else _number(value)}")
            bounds = getattr(self, f"{name}_bounds")
            if isinstance(bounds, str):
                parts.append(f"{name}_bounds={bounds}")
            else:
                pairs = np.atleast_2d(bounds)
                text = _list(pairs[0]) if len(pairs) == 1 else "[" + ", ".join(_list(p) for p in pairs) + "]"
                parts.append(f"{name}_bounds={text}")
        parts.extend(f"{name}={value}" for name, value in others.items())
        return ", ".join(parts)

    def __eq__(self, other):
        import numpy as np

        if type(self) is not type(other):
            return False
        own, others = self.get_params(), other.get_params()
        return own.keys() == others.keys() and all(np.any(own[k] == others[k]) for k in own)

    __hash__ = None

    def __add__(self, other):
        return Sum(self, _kernel(other))

    def __radd__(self, other):
        return Sum(_kernel(other), self)

    def __mul__(self, other):
        return Product(self, _kernel(other))

    def __rmul__(self, other):
        return Product(_kernel(other), self)

    def __pow__(self, exponent):
        return Exponentiation(self, exponent)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{t:.3g}' for t in self.theta)})"


def _kernel(value):
    return value if isinstance(value, Kernel) else ConstantKernel(value)


def _points(X):
    import numpy as np

    if hasattr(X, "tocsr"):
        from mercer._data import csr

        return csr(X)[0]
    if len(X) > 0 and isinstance(X[0], str):
        return "strings", list(X)
    if len(X) > 0 and hasattr(X[0], "_mercer_graph"):
        return "graphs", [graph._mercer_graph() for graph in X]
    X = np.asarray(X, dtype=np.float64)
    return np.atleast_2d(X) if X.ndim != 1 else X.reshape(-1, 1)


class StationaryKernelMixin:
    """k(x, y) depends on x − y alone."""

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return True


class NormalizedKernelMixin:
    """k(x, x) = 1."""


class GenericKernelMixin:
    """Points may be anything."""

    @property
    def requires_vector_input(self):
        """Whether points are rows of numbers."""
        return False


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
        return f"matern({self._arguments('length_scale', nu=_number(self.nu))})"

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

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return False

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
        gamma = _number(self.gamma)
        more = "".join(f", {name}={value}" for name, value in (self.pairwise_kernels_kwargs or {}).items())
        if self.metric in ("linear", "cosine", "additive_chi2"):
            return self.metric
        bounds = ", gamma_bounds=[1e-5, 1e5]" if self.metric in ("poly", "polynomial", "sigmoid") else ""
        return f"{self.metric}(gamma={gamma}{bounds}{more})"

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

    def _parts(self):
        raise NotImplementedError

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

    __hash__ = None


class Sum(KernelOperator):
    """k₁ + k₂"""

    def _mercer_kernel(self):
        return f"sum({self.k1._mercer_kernel()}, {self.k2._mercer_kernel()})"

    def __repr__(self):
        return f"{self.k1} + {self.k2}"


class Product(KernelOperator):
    """k₁ · k₂"""

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

    def _mercer_kernel(self):
        return f"power({self.kernel._mercer_kernel()}, exponent={_number(self.exponent)})"

    def __eq__(self, other):
        return type(self) is type(other) and self.kernel == other.kernel and self.exponent == other.exponent

    __hash__ = None

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

    def _copy(self):
        return CompoundKernel([kernel._copy() for kernel in self.kernels])

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

    __hash__ = None


class Values(Kernel):
    """Any kernel in Mercer's text grammar: ``Values("2*rbf(gamma=0.1)+spectrum(length=3)")``."""

    def __init__(self, text):
        self.text = text

    def is_stationary(self):
        """Not known from outside."""
        return False

    def _mercer_kernel(self):
        return self.text

    def __repr__(self):
        return f"Values({self.text!r})"
