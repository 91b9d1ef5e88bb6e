"""What several tests share."""

import os

# Without it scikit-learn skips its checks of array API input; it must be set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from importlib import import_module  # noqa: E402

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import mercer  # noqa: E402


def classes():
    """Every class of the catalogue."""
    return {name: getattr(import_module(f"mercer.{module}"), name) for name, module in mercer.learners().items()}


def has(name):
    return name in mercer.learners()


def get(name):
    """A class, or a skip where the catalogue does not have it yet."""
    if not has(name):
        pytest.skip(f"{name} is not in the catalogue")
    return classes()[name]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def numbers(rng):
    """A regression problem."""
    x = rng.normal(size=(120, 5))
    return x, x @ np.array([1.0, -2.0, 0.0, 0.5, 3.0]) + 0.1 * rng.normal(size=120) + 2.0
