"""Settings of parameters: every combination of a grid, or some drawn."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from mercer._splits import generator


class ParameterGrid:
    """Every combination of the values of a grid, or of several."""

    def __init__(self, param_grid):
        if not isinstance(param_grid, (Mapping, Iterable)):
            raise TypeError(
                f"Parameter grid should be a dict or a list, got: {param_grid!r} of type {type(param_grid).__name__}"
            )
        self.param_grid = [param_grid] if isinstance(param_grid, Mapping) else list(param_grid)
        for grid in self.param_grid:
            if not isinstance(grid, dict):
                raise TypeError(f"Parameter grid is not a dict ({grid!r})")
            for name, values in grid.items():
                _check_values(name, values)

    def __iter__(self):
        for grid in self.param_grid:
            names = sorted(grid)
            for values in product(*(grid[name] for name in names)):
                yield dict(zip(names, values))

    def __len__(self):
        return sum(prod(len(values) for values in grid.values()) for grid in self.param_grid)

    def __getitem__(self, index):
        for grid in self.param_grid:
            size = prod(len(values) for values in grid.values())
            if index >= size:
                index -= size
                continue
            made = {}
            # The last name, in alphabetical order, runs fastest.
            for name in sorted(grid, reverse=True):
                index, at = divmod(index, len(grid[name]))
                made[name] = grid[name][at]
            return made
        raise IndexError("ParameterGrid index out of range")


def _check_values(name, values):
    if isinstance(values, np.ndarray) and values.ndim > 1:
        raise ValueError(
            f"Parameter array for {name!r} should be one-dimensional, got: {values!r} with shape {values.shape}"
        )
    if isinstance(values, str) or not isinstance(values, (np.ndarray, Sequence)):
        raise TypeError(
            f"Parameter grid for parameter {name!r} needs to be a list or a numpy array, but got {values!r} (of type "
            f"{type(values).__name__}) instead. Single values need to be wrapped in a list with one element."
        )
    if len(values) == 0:
        raise ValueError(f"Parameter grid for parameter {name!r} need to be a non-empty sequence, got: {values!r}")


class ParameterSampler:
    """Settings drawn from lists or from distributions with an ``rvs`` method."""

    def __init__(self, param_distributions, n_iter, *, random_state=None):
        if not isinstance(param_distributions, (Mapping, Iterable)):
            raise TypeError(
                f"Parameter distribution is not a dict or a list, got: {param_distributions!r} of type "
                f"{type(param_distributions).__name__}"
            )
        spaces = [param_distributions] if isinstance(param_distributions, Mapping) else list(param_distributions)
        for space in spaces:
            if not isinstance(space, dict):
                raise TypeError(f"Parameter distribution is not a dict ({space!r})")
            for name, values in space.items():
                if not isinstance(values, Iterable) and not hasattr(values, "rvs"):
                    raise TypeError(
                        f"Parameter grid for parameter {name!r} is not iterable or a distribution (value={values})"
                    )
        self.param_distributions, self.n_iter, self.random_state = spaces, n_iter, random_state

    def _lists(self):
        """Whether there are lists only, of which none is drawn twice."""
        return all(not hasattr(values, "rvs") for space in self.param_distributions for values in space.values())

    def __len__(self):
        return min(self.n_iter, len(ParameterGrid(self.param_distributions))) if self._lists() else self.n_iter

    def __iter__(self):
        rng = generator(self.random_state)
        if self._lists():
            grid = ParameterGrid(self.param_distributions)
            if len(grid) < self.n_iter:
                warnings.warn(
                    f"The total space of parameters {len(grid)} is smaller than n_iter={self.n_iter}. Running {len(grid)} "
                    "iterations. For exhaustive searches, use GridSearchCV.",
                    UserWarning,
                    stacklevel=2,
                )
            for i in _distinct(rng, len(grid), len(self)):
                yield grid[i]
            return
        for _ in range(self.n_iter):
            space = self.param_distributions[rng.randint(len(self.param_distributions))]
            yield {
                name: values.rvs(random_state=rng) if hasattr(values, "rvs") else values[rng.randint(len(values))]
                for name, values in sorted(space.items())
            }


def _distinct(rng, n, k):
    """k numbers below n, none twice, in order where that is all of them; a large n is not listed."""
    if k >= n:
        return range(n)
    if n < 100 * k or n < 100_000:
        return rng.permutation(n)[:k].tolist()
    chosen = {}
    while len(chosen) < k:
        chosen[int(rng.random_sample() * n)] = None
    return list(chosen)
