"""What kernels as objects share: hyper-parameters, parameters by name, values and gradients by the compiled part."""

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


def number(value):
    """A number in the text grammar."""
    value = float(value)
    return "inf" if value == float("inf") else repr(value)


def _list(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


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
        from mercer._rows import clone

        copy = clone(self)
        copy.theta = theta
        return copy

    def _parts(self):
        """The kernels that it is made of, by name."""
        return []

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

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return False

    def __call__(self, X, Y=None, eval_gradient=False):
        """The values for all pairs, and their derivatives by the logarithms of the hyper-parameters."""
        import numpy as np

        if eval_gradient and Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        text = self._mercer_kernel()
        if eval_gradient:
            return _mercer.kernel_gradient(text, points_of(X))
        found = _mercer.kernel_matrix(text, points_of(X), None if Y is None else points_of(Y))
        # Functions that are handed a kernel as any function of two rows expect a number.
        two_rows = Y is not None and np.ndim(X) == 1 == np.ndim(Y) and not are_strings(X)
        return found[0, 0] if two_rows else found

    def single(self, X, Y=None):
        """The values for all pairs, rounded to single precision as they are computed: half the memory."""
        return _mercer.kernel_matrix(self._mercer_kernel(), points_of(X), None if Y is None else points_of(Y), True)

    def diag(self, X):
        """The value of each point with itself."""
        return _mercer.kernel_diagonal(self._mercer_kernel(), points_of(X))

    def _arguments(self, *names, **others):
        import numpy as np

        parts = []
        for name in names:
            value = getattr(self, name)
            parts.append(f"{name}={_list(np.ravel(value)) if np.ndim(value) > 0 else number(value)}")
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
        return own.keys() == others.keys() and all(np.array_equal(own[k], others[k]) for k in own)

    def __hash__(self):
        # Parameters may be set, so that kernels that are equal now have no more in common for good than their type.
        return hash(type(self))

    def __add__(self, other):
        return _joined("Sum", self, other)

    def __radd__(self, other):
        return _joined("Sum", other, self)

    def __mul__(self, other):
        return _joined("Product", self, other)

    def __rmul__(self, other):
        return _joined("Product", other, self)

    def __pow__(self, exponent):
        return _joined("Exponentiation", self, exponent)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{t:.3g}' for t in self.theta)})"


def _joined(rule, first, second):
    """The kernel that a rule makes of two; a number is a constant kernel, but for an exponent."""
    from mercer import _kernels

    made = getattr(_kernels, rule)
    if rule == "Exponentiation":
        return made(first, second)
    return made(*(k if hasattr(k, "theta") else _kernels.ConstantKernel(k) for k in (first, second)))


def points_of(X):
    """Points as the compiled part takes them: rows of numbers, sparse rows, strings, graphs. One row alone may be flat."""
    import numpy as np

    if hasattr(X, "tocsr"):
        from mercer._data import csr

        return csr(X)[0]
    if are_strings(X):
        return "strings", [str(x) for x in X]
    if isinstance(X, (list, tuple)) and len(X) > 0 and hasattr(X[0], "_mercer_graph"):
        return "graphs", [graph._mercer_graph() for graph in X]
    return np.atleast_2d(np.asarray(X, dtype=np.float64))


def are_strings(X):
    """Whether points are strings, one each."""
    if hasattr(X, "ndim"):
        X = X.tolist() if X.ndim == 1 and hasattr(X, "tolist") else ()
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], str)


class StationaryKernelMixin:
    """k(x, y) depends on x − y alone."""

    def is_stationary(self):
        """Whether k(x, y) depends on x − y alone."""
        return True


class NormalizedKernelMixin:
    """k(x, x) = 1."""

    def diag(self, X):
        """The value of each point with itself."""
        import numpy as np

        return np.ones(len(X))


class GenericKernelMixin:
    """Points may be anything."""

    @property
    def requires_vector_input(self):
        """Whether points are rows of numbers."""
        return False
