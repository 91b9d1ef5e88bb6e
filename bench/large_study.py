"""What is made for many rows, at many rows: a support vector machine within a bounded cache, sparse Gaussian processes, and an exact
process with a length scale for each feature. Prints seconds, memory beyond the data, and quality on new rows.

    target/venv-bench/bin/python bench/large_study.py
"""

import resource
import time

import numpy as np


def main():
    rng = np.random.default_rng(0)
    _machine(rng)
    x, new = rng.normal(size=(100_000, 8)), rng.normal(size=(5000, 8))
    for method in ("vfe", "fitc"):
        _process(f"sparse process, {method}, 100k×8, 200 points", _sparse(method, 8), x, new, rng)
    _process("exact process, a scale for each feature, 3k×10", _exact(10), rng.normal(size=(3000, 10)), rng.normal(size=(1000, 10)), rng)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _timed(name, learner, x, y, quality):
    before, wall, cpu = _peak(), time.perf_counter(), time.process_time()
    model = learner.fit(x, y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{name}: {wall:.1f} s ({cpu:.1f} CPU-s), {_peak() - before:.0f} MB beyond the data, {quality(model)}", flush=True)


def _machine(rng):
    from mercer.svm import SVC

    x = rng.normal(size=(101_000, 20))
    y = (x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.3 * rng.normal(size=len(x)) > 0).astype(int)
    quality = lambda model: f"accuracy {model.score(x[100_000:], y[100_000:]):.3f}, {model.n_support_.sum()} support vectors"
    _timed("SVC RBF 100k×20, cache_size=200", SVC(cache_size=200), x[:100_000], y[:100_000], quality)


def _truth(x):
    return np.sin(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2]


def _scales(n):
    return f"1.0*rbf([{', '.join(['1.0'] * n)}])+white(1.0)"


def _sparse(method, n):
    from mercer.gaussian_process import SparseGaussianProcessRegressor

    return SparseGaussianProcessRegressor(kernel=_scales(n), n_inducing=200, method=method, random_state=0)


def _exact(n):
    from mercer.gaussian_process import GaussianProcessRegressor

    return GaussianProcessRegressor(kernel=_scales(n))


def _process(name, learner, x, new, rng):
    y = _truth(x) + 0.1 * rng.normal(size=len(x))
    error = lambda model: f"root mean squared error {np.sqrt(np.mean((model.predict(new) - _truth(new)) ** 2)):.4f}"
    _timed(name, learner, x, y, error)


if __name__ == "__main__":
    main()
