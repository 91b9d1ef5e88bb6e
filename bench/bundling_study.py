"""Bundling of sparse columns: time and memory of boosting on one-hot rows, with and without, and against LightGBM.

    python bench/bundling_study.py

Each fit runs on one thread, in a process of its own, so that its peak of memory is its own.
"""

import os
import resource
import subprocess
import sys
import time

import numpy as np

ROWS, FACTORS, LEVELS = 100_000, 10, 100
WAYS = ("mercer bundled", "mercer unbundled", "lightgbm bundled", "lightgbm unbundled")


def example():
    """Ten factors of a hundred levels each, one-hot: a hundred thousand rows of a thousand columns."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    # Levels by a power law, as in most logs.
    codes = (LEVELS * rng.random((ROWS, FACTORS)) ** 2).astype(np.int32)
    columns = (codes + LEVELS * np.arange(FACTORS, dtype=np.int32)).ravel()
    starts = np.arange(0, ROWS * FACTORS + 1, FACTORS)
    x = csr_matrix((np.ones(ROWS * FACTORS), columns, starts), shape=(ROWS, FACTORS * LEVELS))
    effects = rng.standard_normal((FACTORS, LEVELS))
    score = effects[np.arange(FACTORS), codes].sum(axis=1)
    return x, score + rng.standard_normal(ROWS)


def fit(way):
    """Fits in one way and prints seconds (clock and processor), megabytes beyond the data, and the error."""
    x, y = example()
    library, bundled = way.split()
    shared = {"num_leaves": 31, "learning_rate": 0.1, "min_data_in_leaf": 20, "enable_bundle": bundled == "bundled"}
    if library == "mercer":
        from mercer.boosting import Booster

        model = Booster(num_iterations=100, **shared)
        model.fit(x[:100], y[:100])
    else:
        from lightgbm import LGBMRegressor

        model = LGBMRegressor(n_estimators=100, verbose=-1, **shared)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, (time.perf_counter(), time.process_time())
    model.fit(x, y)
    clock, processor = time.perf_counter() - start[0], time.process_time() - start[1]
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    error = np.sqrt(np.mean((model.predict(x) - y) ** 2))
    print(f"{way}: {clock:.2f} s ({processor:.2f} s of the processor), {memory:.0f} MB, error {error:.4f}", flush=True)


def main():
    for way in WAYS:
        subprocess.run([sys.executable, __file__, way], check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    fit(sys.argv[1]) if len(sys.argv) > 1 else main()
