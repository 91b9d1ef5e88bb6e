"""Mercer: the whole classical canon of machine learning in one toolkit.

The modules follow scikit-learn's layout: ``mercer.linear_model.Ridge``, ``mercer.preprocessing.StandardScaler``, …;
what scikit-learn lacks has modules in the same style (``mercer.mcmc``, ``mercer.rl``, ``mercer.kernels``).
Modules, NumPy and everything else are imported when they are first used.
"""

from mercer._mercer import __version__
from mercer._registry import MODULES

__all__ = [
    "Certificate",
    "ConvergenceWarning",
    "NotFittedError",
    "__version__",
    "learners",
    "load",
    "read",
    "report",
    *MODULES,
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mercer._certificate import Certificate
    from mercer._exceptions import ConvergenceWarning, NotFittedError
    from mercer._load import learners, load, read
    from mercer._report import report

_ELSEWHERE = {
    "Certificate": "mercer._certificate",
    "ConvergenceWarning": "mercer._exceptions",
    "NotFittedError": "mercer._exceptions",
    "learners": "mercer._load",
    "load": "mercer._load",
    "read": "mercer._load",
    "report": "mercer._report",
}


def __getattr__(name):
    from importlib import import_module

    if name in MODULES:
        return import_module(f"mercer.{name}")
    if name in _ELSEWHERE:
        value = getattr(import_module(_ELSEWHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
