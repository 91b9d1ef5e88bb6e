"""Frozen reference values of laws of chance: densities, distribution functions, quantiles, moments, fits, and matrix laws.

Pinned: scipy 1.17.1. Run: python generate_laws.py > laws.json
"""

import json

import numpy as np
import scipy
from scipy import stats

assert scipy.__version__ == "1.17.1", scipy.__version__

# Our name, our parameters, scipy's law.
LAWS = [
    ("normal", [1.5, 0.7], stats.norm(1.5, 0.7)),
    ("normal", [-3.0, 20.0], stats.norm(-3, 20)),
    ("log_normal", [0.4, 0.9], stats.lognorm(0.9, scale=np.exp(0.4))),
    ("uniform", [-1.0, 2.5], stats.uniform(-1, 3.5)),
    ("exponential", [2.5], stats.expon(scale=1 / 2.5)),
    ("gamma", [0.3, 2.0], stats.gamma(0.3, scale=0.5)),
    ("gamma", [250.0, 0.1], stats.gamma(250, scale=10)),
    ("inverse_gamma", [3.5, 2.0], stats.invgamma(3.5, scale=2)),
    ("chi_squared", [4.5], stats.chi2(4.5)),
    ("beta", [0.5, 2.5], stats.beta(0.5, 2.5)),
    ("beta", [40.0, 300.0], stats.beta(40, 300)),
    ("student_t", [3.5, 1.0, 2.0], stats.t(3.5, 1, 2)),
    ("student_t", [60.0, 0.0, 1.0], stats.t(60)),
    ("fisher_f", [5.0, 9.0], stats.f(5, 9)),
    ("cauchy", [1.0, 2.0], stats.cauchy(1, 2)),
    ("laplace", [1.0, 2.0], stats.laplace(1, 2)),
    ("logistic", [-1.0, 0.5], stats.logistic(-1, 0.5)),
    ("weibull", [1.7, 3.0], stats.weibull_min(1.7, scale=3)),
    ("pareto", [2.6, 1.5], stats.pareto(2.6, scale=1.5)),
    ("bernoulli", [0.3], stats.bernoulli(0.3)),
    ("binomial", [12.0, 0.35], stats.binom(12, 0.35)),
    ("binomial", [100000.0, 0.02], stats.binom(100000, 0.02)),
    ("geometric", [0.2], stats.geom(0.2)),
    ("negative_binomial", [3.5, 0.4], stats.nbinom(3.5, 0.4)),
    ("poisson", [3.2], stats.poisson(3.2)),
    ("poisson", [5000.0], stats.poisson(5000)),
]
SHARES = [1e-9, 1e-3, 0.05, 0.3, 0.5, 0.77, 0.95, 0.999]


def finite(values):
    return [float(v) if np.isfinite(v) else None for v in np.atleast_1d(values)]


def upper(name, parameters, law):
    """Upper quantiles; scipy's own of the F law take 1 - q, which loses the digits of a small q."""
    return 1 / stats.f(parameters[1], parameters[0]).ppf(SHARES) if name == "fisher_f" else law.isf(SHARES)


laws = []
for name, parameters, law in LAWS:
    discrete = hasattr(law.dist, "pmf")
    points = np.unique(law.ppf([0.001, 0.1, 0.37, 0.5, 0.8, 0.99, 0.99999]))
    # scipy's probabilities of the binomial law have more digits than its logarithms of them.
    log = (lambda x, law=law: np.log(law.pmf(x))) if discrete else law.logpdf
    laws.append({
        "name": name, "parameters": parameters, "x": finite(points), "log_density": finite(log(points)),
        "cdf": finite(law.cdf(points)), "survival": finite(law.sf(points)), "p": SHARES, "quantile": finite(law.ppf(SHARES)),
        "upper": finite(upper(name, parameters, law)), "log_cdf": finite(law.logcdf(points)), "log_survival": finite(law.logsf(points)),
        # scipy integrates powers of Pareto's law beyond its shape, too, and gets numbers.
        "moments": finite([law.moment(order) if name != "pareto" or order < parameters[0] else np.inf for order in (1, 2, 3, 4)]),
        "mean": finite(law.mean())[0], "variance": finite(law.var())[0], "entropy": finite(law.entropy())[0],
    })

rng = np.random.default_rng(20261118)
x = rng.gamma(2.3, 1.7, 60)
unit = rng.beta(1.4, 3.2, 60)
heavy = rng.standard_t(4, 80) * 1.5 + 2
fits = [
    {"name": "gamma", "x": x.tolist(), "parameters": (lambda a, _, s: [a, 1 / s])(*stats.gamma.fit(x, floc=0))},
    {"name": "weibull", "x": x.tolist(), "parameters": (lambda k, _, s: [k, s])(*stats.weibull_min.fit(x, floc=0))},
    {"name": "inverse_gamma", "x": x.tolist(), "parameters": (lambda a, _, s: [a, s])(*stats.invgamma.fit(x, floc=0))},
    {"name": "beta", "x": unit.tolist(), "parameters": list(stats.beta.fit(unit, floc=0, fscale=1)[:2])},
    {"name": "logistic", "x": heavy.tolist(), "parameters": list(stats.logistic.fit(heavy))},
    {"name": "cauchy", "x": heavy.tolist(), "parameters": list(stats.cauchy.fit(heavy))},
]

scale = np.array([[2.0, 0.3, -0.2], [0.3, 1.0, 0.1], [-0.2, 0.1, 0.7]])
point = np.array([[5.0, 0.5, 0.1], [0.5, 4.0, -0.3], [0.1, -0.3, 3.0]])
alpha, share = [0.7, 2.0, 4.5], [0.2, 0.3, 0.5]
many = {
    "scale": scale.tolist(), "point": point.tolist(), "df": 5.5,
    "wishart": float(stats.wishart(5.5, scale).logpdf(point)), "wishart_entropy": float(stats.wishart(5.5, scale).entropy()),
    "inverse_wishart": float(stats.invwishart(5.5, scale).logpdf(point)),
    "alpha": alpha, "share": share, "dirichlet": float(stats.dirichlet(alpha).logpdf(share)),
    "dirichlet_entropy": float(stats.dirichlet(alpha).entropy()),
    "multinomial": float(stats.multinomial(10, [0.2, 0.3, 0.5]).logpmf([1, 4, 5])),
    "location": [1.0, -1.0, 0.5], "at": [0.3, 0.2, 0.1],
    "normal": float(stats.multivariate_normal([1.0, -1.0, 0.5], scale).logpdf([0.3, 0.2, 0.1])),
    "normal_entropy": float(stats.multivariate_normal([1.0, -1.0, 0.5], scale).entropy()),
    "inverse_wishart_entropy": float(stats.invwishart(5.5, scale).entropy()),
    "multinomial_entropy": float(stats.multinomial(10, [0.2, 0.3, 0.5]).entropy()),
    "student_entropy": float(stats.multivariate_t([1.0, -1.0, 0.5], scale, 4.5).entropy()),
    "student": float(stats.multivariate_t([1.0, -1.0, 0.5], scale, 4.5).logpdf([0.3, 0.2, 0.1])),
}
print(json.dumps({"versions": {"scipy": scipy.__version__}, "laws": laws, "fits": fits, "many": many}))
