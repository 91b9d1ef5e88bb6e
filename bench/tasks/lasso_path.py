"""The path of the lasso, 2,000 × 10,000 dense, 50 strengths down to 1 % of the largest, duality gap 1e-6 ‖y‖²."""

import numpy as np

TITLE = "lasso path 2k×10k"
WANTED = {"fit": 1.2}
N_ALPHAS, EPS, TOL = 50, 0.01, 1e-6


def data(folder):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2_000, 10_000))
    w = np.zeros(10_000)
    w[rng.choice(10_000, 100, replace=False)] = rng.standard_normal(100)
    y = x @ w
    y += rng.standard_normal(2_000) * np.std(y) / 3
    np.save(folder / "x.npy", np.asfortranarray(x))
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(path):
    def build(arrays):
        x, y = arrays
        largest = np.max(np.abs(x.T @ y)) / len(y)
        alphas = np.geomspace(largest, EPS * largest, N_ALPHAS)

        def quality(coefs):
            # The mean objective over all strengths.
            residual = y[:, None] - x @ coefs
            return float(np.mean(0.5 * (residual**2).mean(axis=0) + alphas * np.abs(coefs).sum(axis=0)))

        return {"fit": lambda: path(x, y, alphas), "quality": quality}

    return build


def _mercer(x, y, alphas):
    from mercer.linear_model import lasso_path

    return lasso_path(x, y, alphas=alphas, tol=TOL, max_iter=10_000)[1]


def _sklearn(x, y, alphas):
    from sklearn.linear_model import lasso_path

    return lasso_path(x, y, alphas=alphas, tol=TOL, max_iter=10_000)[1]


def _celer(x, y, alphas):
    from celer import celer_path

    return celer_path(x, y, pb="lasso", alphas=alphas, tol=TOL)[1]


def _skglm(x, y, alphas):
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    solver = AndersonCD(tol=TOL, fit_intercept=False, warm_start=True)
    return solver.path(x, y, compiled_clone(Quadratic()), compiled_clone(L1(1.0)), alphas)[1]


CONTENDERS = {
    "mercer": _contender(_mercer),
    "sklearn": _contender(_sklearn),
    "celer": _contender(_celer),
    "skglm": _contender(_skglm),
}
