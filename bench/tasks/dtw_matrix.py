"""The distances after warping of all pairs of 300 series of 150 points, without a band."""

import numpy as np

TITLE = "distances after warping, 300 series of 150 points"
WANTED = {"fit": 2.0}
REPEATS = 3


def data(folder):
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.standard_normal((300, 150)), axis=1)
    np.save(folder / "x.npy", (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True))


def read(folder):
    return np.load(folder / "x.npy")


def _contender(distances):
    def build(x):
        of_all = distances(x)
        # Peers compile on their first call.
        of_all(x[:4])
        return {"fit": lambda: of_all(x), "quality": lambda found: float(np.mean(found))}

    return build


def _mercer(x):
    from mercer.timeseries import cdist_dtw

    return cdist_dtw


def _aeon(x):
    from aeon.distances import dtw_pairwise_distance

    # aeon's distances are squared.
    return lambda x: np.sqrt(dtw_pairwise_distance(x, n_jobs=-1))


def _tslearn(x):
    from tslearn.metrics import cdist_dtw

    return lambda x: cdist_dtw(x, n_jobs=-1)


CONTENDERS = {"mercer": _contender(_mercer), "aeon": _contender(_aeon), "tslearn": _contender(_tslearn)}
