"""A pytest plugin: in scikit-learn's own test modules, names imported from scikit-learn become Mercer's.

Only imports of test modules are swapped: scikit-learn's internals keep their own names. A name is swapped where Mercer's
module of the same public name has it; a class that a test imports from a private module counts as its public twin. Tests
that touch nothing of Mercer's, or that look up private attributes, are left out.
Results go to the file that ``COMPAT_RESULTS`` names, one JSON line when a test starts and one when it ends, so that whoever
started this process knows what ran when it had to be killed.
"""

import builtins
import functools
import importlib
import json
import os
import re
import signal
import sys
import types
import zlib

import pytest
from _pytest.assertion import rewrite

TEST_MODULE = re.compile(r"^sklearn\.(.*\.)?tests\.test_\w+$")
LIMIT = int(os.environ.get("COMPAT_LIMIT", "20"))
SAMPLE = int(os.environ.get("COMPAT_SAMPLE", "1"))
_import = builtins.__import__


def twin(module, name):
    """Mercer's object for a name that a test imports from a module of scikit-learn, or None."""
    parts = module.__name__.split(".")[1:]
    public = []
    for part in parts:
        if part.startswith("_"):
            break
        public.append(part)
    if not public:
        return None
    theirs = sys.modules.get(".".join(["sklearn", *public]))
    if len(public) < len(parts) and getattr(theirs, name, None) is not getattr(module, name, ...):
        return None
    try:
        ours = importlib.import_module(".".join(["mercer", *public]))
    except ModuleNotFoundError:
        return None
    if name not in getattr(ours, "__all__", ()):
        return None
    return getattr(ours, name)


# Classes whose own tests are not listed yet: scikit-learn's stand in the tests of others.
KERNELS = frozenset(
    "KNeighborsClassifier KNeighborsRegressor KernelDensity KernelPCA KernelRidge NearestNeighbors Nystroem NuSVR RBFSampler "
    "RadiusNeighborsClassifier RadiusNeighborsRegressor SVC SVR".split()
)


class Proxy(types.ModuleType):
    """A module of scikit-learn as a test sees it."""

    def __init__(self, module, importer):
        super().__init__(module.__name__)
        self.__dict__.update(_module=module, _importer=importer)

    def twin(self, name):
        """Mercer's object of a name. Generated data are other numbers, which only their own tests expect."""
        made = self._module.__name__.split(".")[1:2] == ["datasets"]
        if name in KERNELS:
            return None
        return None if made and ".datasets." not in self._importer else twin(self._module, name)

    def __getattr__(self, name):
        ours = self.twin(name)
        if ours is not None:
            return ours
        theirs = getattr(self._module, name)
        inner = isinstance(theirs, types.ModuleType) and theirs.__name__.startswith("sklearn.")
        return Proxy(theirs, self._importer) if inner else theirs


def swapping_import(name, globals=None, locals=None, fromlist=(), level=0):
    """`__import__` that hands proxies to test modules."""
    module = _import(name, globals, locals, fromlist, level)
    importer = (globals or {}).get("__name__", "")
    if name.split(".")[0] == "sklearn" and fromlist and level == 0 and TEST_MODULE.match(importer):
        return Proxy(module, importer)
    return module


def loss_of_glm(model):
    """scikit-learn's own object for the loss of a generalised linear model: fixtures ask the estimator for it, to find the
    optimum that is expected by a way of their own."""
    from sklearn._loss import HalfGammaLoss, HalfPoissonLoss, HalfSquaredError, HalfTweedieLoss, HalfTweedieLossIdentity

    link, power = getattr(model, "link", "auto"), model._power
    if link == "identity" or (link == "auto" and power <= 0):
        return HalfSquaredError() if power == 0 else HalfTweedieLossIdentity(power=power)
    return {1: HalfPoissonLoss, 2: HalfGammaLoss}.get(power, lambda: HalfTweedieLoss(power=power))()


def pytest_configure(config):
    from mercer._linear import GlmMixin

    GlmMixin._get_loss = loss_of_glm
    builtins.__import__ = swapping_import


def is_ours(value, depth=3):
    """Whether a value is Mercer's, or holds something that is."""
    if isinstance(value, functools.partial):
        return is_ours(value.func, depth)
    if isinstance(value, (list, tuple, set, frozenset)) and depth:
        return any(is_ours(v, depth - 1) for v in value)
    if isinstance(value, dict) and depth:
        return any(is_ours(v, depth - 1) for v in value.values())
    if isinstance(value, Proxy):
        return False
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", None)
    return isinstance(module, str) and (module == "mercer" or module.startswith("mercer."))


def names_of(code):
    """All names that a function's code looks up, those of functions inside it included."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of(constant)
    return names


def touches(function, space, seen):
    """Whether a function of a test module reaches one of Mercer's objects, itself or through its helpers."""
    names = names_of(function.__code__)
    for name in names:
        if name in seen or name not in space:
            continue
        seen.add(name)
        value = space[name]
        if is_ours(value) or (isinstance(value, Proxy) and any(value.twin(inner) is not None for inner in names)):
            return True
        value = getattr(value, "__wrapped__", value)
        if isinstance(value, types.FunctionType) and value.__module__ == space["__name__"] and touches(value, space, seen):
            return True
        if isinstance(value, type) and value.__module__ == space["__name__"]:
            if any(is_ours(base) for base in value.__mro__):
                return True
    return False


def is_private(function, space):
    """Whether a test looks up private attributes (`est._validate_y`): these are scikit-learn's inside, not its contract."""
    private = (name for name in names_of(function.__code__) if name.startswith("_") and not name.startswith("__"))
    # Rewritten assertions look up names of pytest's own.
    return any(name not in space and name != "_" and not hasattr(rewrite, name) for name in private)


def pytest_collection_modifyitems(config, items):
    done = set()
    if os.environ.get("COMPAT_DONE"):
        done = set(json.loads(open(os.environ["COMPAT_DONE"]).read()))
    kept, verdicts = [], {}
    for item in items:
        if item.nodeid in done or zlib.crc32(item.nodeid.encode()) % SAMPLE:
            continue
        function = getattr(item, "function", None)
        if function is None:
            continue
        function = getattr(function, "__wrapped__", function)
        if function not in verdicts:
            space = item.module.__dict__
            verdicts[function] = None if is_private(function, space) else touches(function, space, set())
        params = getattr(getattr(item, "callspec", None), "params", {})
        if verdicts[function] or (verdicts[function] is False and is_ours(params)):
            kept.append(item)
    items[:] = kept


def _write(**line):
    with open(os.environ["COMPAT_RESULTS"], "a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    def late(*_):
        raise TimeoutError(f"longer than {LIMIT} s")

    _write(start=item.nodeid)
    signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)


_outcome, _seconds = {}, {}


def pytest_runtest_logreport(report):
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    if report.when == "setup" or report.outcome != "passed":
        said = "skipped" if report.skipped else report.outcome
        why = "" if report.outcome == "passed" else str(getattr(report.longrepr, "reprcrash", "") or report.longrepr)[:400]
        if _outcome.get(report.nodeid, ("passed",))[0] == "passed":
            _outcome[report.nodeid] = (said, why)
    if report.when == "teardown":
        said, why = _outcome.pop(report.nodeid, ("passed", ""))
        _write(end=report.nodeid, outcome=said, why=why, seconds=round(_seconds.pop(report.nodeid), 3))
