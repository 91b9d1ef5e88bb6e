"""Laws of chance, estimators, and the calculus of Gaussian laws.

A law of one number is a class with scipy's method names (``pdf`` or ``pmf``, ``logpdf``, ``cdf``, ``logcdf``, ``sf``, ``logsf``,
``ppf``, ``isf``, ``rvs``, ``mean``, ``median``, ``var``, ``std``, ``moment``, ``entropy``, ``interval``, ``support``), and with what
estimation needs: ``fit`` (the most likely parameters, or with priors the most probable ones), ``score`` and
``fisher_information``.

Parameters are those of textbooks, and all of them are estimated: there are no ``loc`` and ``scale`` beside them, except where a
family is one of location and scale. In scipy's words:

====================================  =============================================================
``Normal(mu, sigma)``                 ``norm(mu, sigma)``
``LogNormal(mu, sigma)``              ``lognorm(sigma, scale=exp(mu))``
``Uniform(low, high)``                ``uniform(low, high - low)``
``Exponential(rate)``                 ``expon(scale=1 / rate)``
``Gamma(shape, rate)``                ``gamma(shape, scale=1 / rate)``
``InverseGamma(shape, scale)``        ``invgamma(shape, scale=scale)``
``ChiSquared(df)``                    ``chi2(df)``
``Beta(a, b)``                        ``beta(a, b)``
``StudentT(df, location, scale)``     ``t(df, location, scale)``
``FisherF(df1, df2)``                 ``f(df1, df2)``
``Cauchy(location, scale)``           ``cauchy(location, scale)``; so, too, ``Laplace`` and ``Logistic``
``Weibull(shape, scale)``             ``weibull_min(shape, scale=scale)``
``Pareto(shape, scale)``              ``pareto(shape, scale=scale)``
``Bernoulli(p)``, ``Binomial(n, p)``  ``bernoulli(p)``, ``binom(n, p)``
``Geometric(p)``                      ``geom(p)``: the number of the first trial that succeeds
``NegativeBinomial(r, p)``            ``nbinom(r, p)``: failures before r successes
``Poisson(rate)``                     ``poisson(rate)``
====================================  =============================================================

>>> from mercer.stats import Gamma, Normal
>>> round(Normal(1.0, 2.0).cdf(1.0), 3)
0.5
>>> Gamma.fit([1.0, 2.0, 4.0]).law.shape > 0
True
"""

from __future__ import annotations

from typing import NamedTuple

from mercer import _mercer
from mercer._base import seed_of

__all__ = [
    "Definiteness",
    "Dirichlet",
    "Estimate",
    "Gaussian",
    "InverseWishart",
    "Law",
    "Multinomial",
    "MultivariateStudent",
    "Wishart",
    "average",
    "definiteness",
    "james_stein",
    "matrix_norm",
    "pseudo_inverse",
    "sherman_morrison",
    "study",
    "vector_norm",
    "woodbury",
]


class Estimate(NamedTuple):
    """A fitted law: ``law``, its ``log_likelihood``, the largest component of the mean ``score`` times the size of its parameter (zero
    at an optimum; None where the support depends on the parameters), large-sample ``standard_errors`` (None where there are none)."""

    law: Law
    log_likelihood: float
    score: float | None
    standard_errors: list[float] | None


class Law:
    """The law of a random number; each family is a class.

    Methods take a number or an array, and give NaN where they are given NaN.
    """

    _family = ""
    _discrete = False
    _names: tuple[str, ...] = ()
    _defaults: dict[str, float] = {}

    def __init__(self, *values, **named):
        if len(values) > len(self._names):
            raise TypeError(f"{type(self).__name__} takes {len(self._names)} parameters, got {len(values)}")
        given = dict(zip(self._names, values)) | named
        unknown = set(given) - set(self._names)
        if unknown or len(values) + len(named) > len(given):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self._names)}, each once, got {sorted(unknown) or list(named)}")
        missing = [name for name in self._names if name not in given and name not in self._defaults]
        if missing:
            raise TypeError(f"{type(self).__name__} needs {', '.join(missing)}")
        for name in self._names:
            setattr(self, name, float(given.get(name, self._defaults.get(name))))
        _mercer.law_moments(self._family, self.parameters)  # Refuses parameters outside of their domains.

    @property
    def parameters(self):
        """The parameters, in order."""
        return [getattr(self, name) for name in self._names]

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self._names)})"

    def __eq__(self, other):
        return type(self) is type(other) and self.parameters == other.parameters

    def __hash__(self):
        return hash((self._family, *self.parameters))

    def _values(self, what, x):
        import numpy as np

        x = np.asarray(x, dtype=np.float64)
        found = _mercer.law_values(self._family, self.parameters, what, np.ascontiguousarray(x.ravel())).reshape(x.shape)
        return found if found.ndim else float(found)

    def pdf(self, x):
        """The density, or the probability of `x`."""
        return self._values("density", x)

    def logpdf(self, x):
        """The logarithm of the density, or of the probability."""
        return self._values("log_density", x)

    pmf, logpmf = pdf, logpdf

    def cdf(self, x):
        """The probability of at most `x`."""
        return self._values("cdf", x)

    def sf(self, x):
        """The probability of more than `x`."""
        return self._values("survival", x)

    def logcdf(self, x):
        """The logarithm of the probability of at most `x`, also far below, where closed forms reach."""
        return self._values("log_cdf", x)

    def logsf(self, x):
        """The logarithm of the probability of more than `x`, also far above, where closed forms reach."""
        return self._values("log_survival", x)

    def ppf(self, q):
        """The quantile of a share `q`: the number that at most this share lies below."""
        return self._values("quantile", q)

    def isf(self, q):
        """The quantile of 1 - `q`, whose digits a small `q` keeps: the number that a share `q` lies above."""
        return self._values("upper_quantile", q)

    def median(self):
        """The quantile of one half."""
        return self.ppf(0.5)

    def interval(self, confidence):
        """The two numbers between which a share of the law lies, and equal shares outside of them."""
        import numpy as np

        outside = (1 - np.asarray(confidence, dtype=np.float64)) / 2
        return self.ppf(outside), self.isf(outside)

    def support(self):
        """The least and the largest number of the support."""
        return _mercer.law_support(self._family, self.parameters)

    def moment(self, order):
        """The mean of the `order`-th power, not centred; infinite or NaN where there is none."""
        if int(order) != order or order < 0:
            raise ValueError(f"`order` must be a whole number of at least 0, got {order}")
        return _mercer.law_moment(self._family, self.parameters, int(order))

    def rvs(self, size=None, random_state=None):
        """Draws; without a `random_state` they are those of the seed 0, the same at every call."""
        import numpy as np

        n = 1 if size is None else _count(np.prod(size), size)
        draws = _mercer.law_draws(self._family, self.parameters, n, seed_of(random_state))
        return float(draws[0]) if size is None else draws.reshape(size)

    def mean(self):
        """The mean; NaN where there is none."""
        return _mercer.law_moments(self._family, self.parameters)[0]

    def var(self):
        """The variance; NaN where there is none."""
        return _mercer.law_moments(self._family, self.parameters)[1]

    def std(self):
        """The standard deviation."""
        return self.var() ** 0.5

    def entropy(self):
        """The entropy in nats."""
        return _mercer.law_moments(self._family, self.parameters)[2]

    def score(self, x):
        """The derivatives of the log density by the parameters, numbers × parameters."""
        import numpy as np

        return _mercer.law_score(self._family, self.parameters, np.ascontiguousarray(np.ravel(x), dtype=np.float64))

    def fisher_information(self):
        """Fisher's information of one observation; None where the support depends on the parameters."""
        return _mercer.law_information(self._family, self.parameters)

    @classmethod
    def fit(cls, x, weights=None, priors=None, **fixed):
        """The most likely law of some numbers; with `priors`, a dict of laws by the name of a parameter, the most probable one.

        Parameters are held by name: ``Normal.fit(x, mu=0)``. Returns an `Estimate`.
        """
        import numpy as np

        priors = dict(priors or {})
        unknown = (set(fixed) | set(priors)) - set(cls._names)
        if unknown:
            raise TypeError(f"{cls.__name__} has the parameters {', '.join(cls._names)}, not {', '.join(sorted(unknown))}")
        told = _mercer.law_fit(
            cls._family,
            np.ascontiguousarray(np.ravel(x), dtype=np.float64),
            None if weights is None else [float(w) for w in np.ravel(weights)],
            [None if fixed.get(name) is None else float(fixed[name]) for name in cls._names],
            [(priors[name]._family, priors[name].parameters) if name in priors else None for name in cls._names],
        )
        return Estimate(cls(*told["parameters"]), told["log_likelihood"], told["score"], told["standard_errors"])


def _classes():
    for family, doc, parameters, discrete in _mercer.law_families():
        name = "".join(part.capitalize() for part in family.split("_"))
        body = {
            "__doc__": doc.strip(),
            "__module__": __name__,
            "_family": family,
            "_discrete": discrete,
            "_names": tuple(parameter for parameter, _ in parameters),
            "_defaults": {parameter: default for parameter, default in parameters if default is not None},
        }
        yield name, type(name, (Law,), body)


for _name, _class in _classes():
    globals()[_name] = _class
    __all__.append(_name)
__all__.sort()


class _Many:
    """A law of vectors or matrices."""

    def logpdf(self, x):
        """The logarithm of the density at a point, or at each of several."""
        import numpy as np

        x = np.asarray(x, dtype=np.float64)
        one = x.ndim == self._ndim
        found = self._law.log_density(np.ascontiguousarray((x[None] if one else x).reshape(1 if one else len(x), -1)))
        return float(found[0]) if one else found

    def pdf(self, x):
        """The density at a point, or at each of several."""
        import numpy as np

        return np.exp(self.logpdf(x))

    pmf, logpmf = pdf, logpdf

    def rvs(self, size=None, random_state=None):
        """Draws, along the first axis; without a `random_state` they are those of the seed 0, the same at every call."""
        draws = self._law.draws(1 if size is None else _count(size, size), seed_of(random_state))
        draws = draws.reshape((len(draws), *self._shape))
        return draws[0] if size is None else draws

    def entropy(self):
        """The entropy in nats."""
        return self._law.entropy()

    def _mean(self):
        return self._law.moments()[0].reshape(self._shape)

    def _spread(self):
        return self._law.moments()[1]

    _ndim = 1

    def _make(self, name, number, values, square):
        import numpy as np

        square = np.zeros((0, 0)) if square is None else np.ascontiguousarray(square, dtype=np.float64)
        if square.ndim != 2:
            raise ValueError(f"expected a matrix, got {square.ndim} dimensions")
        values = [float(v) for v in np.ravel(values)]
        self._law = _mercer.ManyLaw(name, float(number), values, square)
        self._shape = square.shape if self._ndim == 2 else (len(values),)

    def __reduce__(self):
        return type(self), self._arguments()


class Gaussian(_Many):
    """A Gaussian law of several numbers, with its calculus: marginals, conditionals, products, linear maps.

    >>> import numpy as np
    >>> law = Gaussian([0.0, 0.0], [[1.0, 0.5], [0.5, 2.0]])
    >>> float(np.round(law.conditional([1], [2.0]).mean[0], 12))
    0.5
    """

    def __init__(self, mean, cov):
        import numpy as np

        self.mean = np.array(mean, dtype=np.float64).ravel()
        self.cov = np.array(cov, dtype=np.float64)
        self._make("gaussian", 0.0, self.mean, self.cov)

    def _arguments(self):
        return self.mean, self.cov

    @classmethod
    def fit(cls, X):
        """The most likely law of some rows."""
        import numpy as np

        X = np.asarray(X, dtype=np.float64)
        return cls(X.mean(axis=0), np.atleast_2d(np.cov(X, rowvar=False, bias=True)))

    @classmethod
    def completed(cls, a, b, c=0.0):
        """Completes the square: the law that exp(-x'Ax/2 + b'x + c) is proportional to, and the logarithm of that function's integral."""
        mean, cov, log_integral = _mercer.complete_square(_matrix(a), _vector(b), float(c))
        return cls(mean, cov), log_integral

    def _both(self):
        return self.mean.tolist(), self.cov

    def marginal(self, keep):
        """The law of some of the numbers."""
        return Gaussian(*_mercer.gaussian_marginal(*self._both(), list(keep)))

    def conditional(self, known, values):
        """The law of the other numbers, given the values of some."""
        return Gaussian(*_mercer.gaussian_conditional(*self._both(), list(known), [float(v) for v in values]))

    def map(self, a, b=None):
        """The law of Ax + b."""
        import numpy as np

        a = np.ascontiguousarray(np.atleast_2d(a), dtype=np.float64)
        b = [0.0] * len(a) if b is None else [float(v) for v in np.ravel(b)]
        return Gaussian(*_mercer.gaussian_map(*self._both(), a, b))

    def joined(self, a, b, noise):
        """The joint law of x and y = Ax + b + noise: first x, then y."""
        import numpy as np

        a, noise = (np.ascontiguousarray(np.atleast_2d(m), dtype=np.float64) for m in (a, noise))
        return Gaussian(*_mercer.gaussian_joined(*self._both(), a, [float(v) for v in np.ravel(b)], noise))

    def plus(self, other):
        """The law of the sum of two independent vectors."""
        return Gaussian(*_mercer.gaussian_plus(self._both(), other._both()))

    def product(self, other):
        """The law that the product of two densities is proportional to, and the logarithm of the product's integral."""
        mean, cov, log_integral = _mercer.gaussian_product(self._both(), other._both())
        return Gaussian(mean, cov), log_integral

    def divergence(self, other):
        """Kullback and Leibler's divergence from this law to another."""
        return _mercer.gaussian_divergence(self._both(), other._both())

    def quadratic_form(self, a):
        """Mean and variance of xᵀAx."""
        import numpy as np

        return _mercer.gaussian_quadratic_form(*self._both(), np.ascontiguousarray(a, dtype=np.float64))


class MultivariateStudent(_Many):
    """Student's t law of several numbers."""

    def __init__(self, df, location, shape):
        import numpy as np

        self.df, self.location, self.shape = float(df), np.array(location, dtype=np.float64).ravel(), np.array(shape, dtype=np.float64)
        self._make("student", df, self.location, self.shape)

    def _arguments(self):
        return self.df, self.location, self.shape

    def mean(self):
        """The mean, which is the location; NaN where the degrees of freedom are too few."""
        return self._mean()

    def cov(self):
        """The covariance; infinite where the degrees of freedom are too few."""
        return self._spread()


class Dirichlet(_Many):
    """Dirichlet's law of shares that sum to one."""

    def __init__(self, alpha):
        import numpy as np

        self.alpha = np.array(alpha, dtype=np.float64).ravel()
        self._make("dirichlet", 0.0, self.alpha, None)

    def _arguments(self):
        return (self.alpha,)

    @classmethod
    def fit(cls, X):
        """The most likely law of rows of shares."""
        import numpy as np

        return cls(_mercer.dirichlet_fit(np.ascontiguousarray(X, dtype=np.float64)))

    def mean(self):
        """The mean."""
        return self._mean()

    def cov(self):
        """The covariance."""
        return self._spread()

    def var(self):
        """The variance of each share."""
        return self._spread().diagonal().copy()

    def marginal(self, j):
        """The law of one share."""
        return globals()["Beta"](*_mercer.dirichlet_marginal(self.alpha.tolist(), int(j)))

    def merged(self, parts):
        """The law of the sums of shares over the parts of a partition, each a list of places.

        >>> Dirichlet([1.0, 2.0, 3.0]).merged([[0, 1], [2]]).alpha
        array([3., 3.])
        """
        return Dirichlet(_mercer.dirichlet_merged(self.alpha.tolist(), [[int(j) for j in part] for part in parts]))

    def posterior(self, counts):
        """The law after counts of each outcome were seen."""
        return Dirichlet(_mercer.dirichlet_posterior(self.alpha.tolist(), _vector(counts)))


class Multinomial(_Many):
    """How often each of some outcomes comes up in n trials; of one trial it is the categorical law."""

    def __init__(self, n, p):
        import numpy as np

        self.n, self.p = int(n), np.array(p, dtype=np.float64).ravel()
        self._make("multinomial", n, self.p, None)

    def _arguments(self):
        return self.n, self.p

    def mean(self):
        """The mean."""
        return self._mean()

    def cov(self):
        """The covariance."""
        return self._spread()


class Wishart(_Many):
    """Wishart's law of matrices: sums of xxᵀ over Gaussian vectors."""

    _ndim = 2

    def __init__(self, df, scale):
        import numpy as np

        self.df, self.scale = float(df), np.array(scale, dtype=np.float64)
        self._make("wishart", df, [], self.scale)

    def _arguments(self):
        return self.df, self.scale

    def mean(self):
        """The mean."""
        return self._mean()

    def var(self):
        """The variance of each number."""
        return self._spread()


class InverseWishart(_Many):
    """The law of inverses of Wishart matrices: the conjugate prior of a Gaussian covariance."""

    _ndim = 2

    def __init__(self, df, scale):
        import numpy as np

        self.df, self.scale = float(df), np.array(scale, dtype=np.float64)
        self._make("inverse_wishart", df, [], self.scale)

    def _arguments(self):
        return self.df, self.scale

    def mean(self):
        """The mean; infinite where the degrees of freedom are too few."""
        return self._mean()

    def var(self):
        """The variance of each number; infinite where the degrees of freedom are too few."""
        return self._spread()


def _count(n, size):
    """A number of draws."""
    if n < 0:
        raise ValueError(f"`size` must be at least 0, got {size}")
    return int(n)


def _matrix(a):
    import numpy as np

    return np.ascontiguousarray(np.atleast_2d(a), dtype=np.float64)


def _vector(x):
    import numpy as np

    return [float(v) for v in np.ravel(x)]


def average(estimates, variance, correlation=0.0):
    """The mean of unbiased estimates and its variance, given the variance of each and the correlation of every two.

    >>> average([1.0, 2.0, 3.0, 2.0], variance=4.0, correlation=0.5)
    (2.0, 2.5)
    """
    return _mercer.average(_vector(estimates), float(variance), float(correlation))


class Definiteness(NamedTuple):
    """The ``smallest`` and the ``largest`` eigenvalue of a symmetric matrix, and what they say but for rounding."""

    smallest: float
    largest: float
    positive_definite: bool
    positive_semidefinite: bool


def definiteness(a):
    """Whether a symmetric matrix is positive definite or semi-definite, by its eigenvalues.

    >>> definiteness([[2.0, 0.0], [0.0, -1.0]]).positive_semidefinite
    False
    """
    return Definiteness(*_mercer.definiteness(_matrix(a)))


def sherman_morrison(inverse, u, v):
    """The inverse of A + uv' from that of A; None where A + uv' is singular.

    >>> sherman_morrison([[0.5]], [1.0], [2.0])
    array([[0.25]])
    """
    return _mercer.sherman_morrison(_matrix(inverse), _vector(u), _vector(v))


def woodbury(a_inverse, u, c_inverse, v):
    """The inverse of A + UCV from those of A and C; None where A + UCV is singular."""
    return _mercer.woodbury(*map(_matrix, (a_inverse, u, c_inverse, v)))


def pseudo_inverse(a, rcond=None):
    """The Moore-Penrose inverse; singular values up to `rcond` times the largest count as zero.

    >>> pseudo_inverse([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    return _mercer.pseudo_inverse(_matrix(a), None if rcond is None else float(rcond))


def vector_norm(x, p=2.0):
    """The p-norm of a vector for p ≥ 1; p = 0 counts values other than zero, infinity takes the largest."""
    return _mercer.vector_norm(_vector(x), float(p))


def matrix_norm(a, kind="fro"):
    """A norm of a matrix: ``fro``, ``nuc``, ``2`` (the largest singular value), ``1`` (largest column), ``inf`` (largest row)."""
    return _mercer.matrix_norm(_matrix(a), str(kind))


def james_stein(x, variance=1.0, positive_part=False):
    """The estimator of James and Stein of the means of independent normal numbers of one variance; three or more of them."""
    return _mercer.james_stein(_vector(x), float(variance), bool(positive_part))


def study(estimator, law, truth, slopes, sizes=(10, 100, 1000), repeats=1000, random_state=None):
    """Runs an estimator of g(θ) on samples of a law and tells bias, variance, squared error and efficiency by sample size.

    `truth` is g(θ), `slopes` its derivatives by the parameters of the law, which the bound of Cramér and Rao needs. Returns a list
    of dicts, one for each size; each figure has its standard error over the runs beside it.

    >>> import numpy as np
    >>> told = study(np.mean, globals()["Normal"](), 0.0, [1.0, 0.0], sizes=(20,), repeats=500)
    >>> 0.7 < told[0]["efficiency"] < 1.4
    True
    """
    if repeats < 2:
        raise ValueError(f"`repeats` must be at least 2, got {repeats}")
    seed, told = seed_of(random_state), []
    for place, n in enumerate(sizes):
        if int(n) < 1:
            raise ValueError(f"`sizes` must be at least 1 each, got {n}")
        samples = (_mercer.study_sample(law._family, law.parameters, int(n), place, run, seed) for run in range(repeats))
        errors = [float(estimator(sample)) - truth for sample in samples]
        slopes = [float(s) for s in slopes]
        told.append(_mercer.study_errors(law._family, law.parameters, int(n), float(truth), errors, slopes))
    return told
