"""Series: distances after warping, their lower bounds, and kernels of series.

Series are arrays of shape (length,) or (length, coordinates), of any length; data sets are sequences of them, or arrays of shape (n, length) or
(n, length, coordinates).
"""

from __future__ import annotations

from mercer import _mercer
from mercer._base import threads_of
from mercer._lazy import Lazy
from mercer._structures import StructureKernel, series

np = Lazy("numpy")

__all__ = [
    "DTWKernel",
    "GlobalAlignment",
    "cdist_dtw",
    "cdist_gak",
    "dtw",
    "dtw_path",
    "gak",
    "lb_envelope",
    "lb_keogh",
]


def _radius(radius):
    if radius is None:
        return None
    if radius != int(radius) or radius < 0:
        raise ValueError(f"`sakoe_chiba_radius` must be a whole number of at least 0, got {radius!r}")
    return int(radius)


def dtw(s1, s2, *, window=None, sakoe_chiba_radius=None):
    """The distance of two series after warping: the root of the least sum of squared distances along an alignment.

    Parameters
    ----------
    s1, s2 : series
    window : float or None
        How far alignments may stray from the diagonal, as a share of the longer series.
    sakoe_chiba_radius : int or None
        The same as a number of places; it goes before ``window``. Alignments may always stray by the difference of the lengths.

    Returns
    -------
    float
    """
    return float(_mercer.series_distances(series([s1]), series([s2]), window, _radius(sakoe_chiba_radius))[0, 0])


def dtw_path(s1, s2, *, window=None, sakoe_chiba_radius=None):
    """The best alignment of two series, and their distance.

    Returns
    -------
    path : list of pairs of places
    distance : float
    """
    own, other, distance = _mercer.series_path(series([s1, s2]), window, _radius(sakoe_chiba_radius))
    return list(zip(own.tolist(), other.tolist())), distance


def cdist_dtw(dataset1, dataset2=None, *, window=None, sakoe_chiba_radius=None, n_jobs=None):
    """The distances after warping of all series of one data set from all of another, or from each other, in parallel.

    Returns
    -------
    ndarray of shape (n1, n2)
    """
    second = None if dataset2 is None else series(dataset2)
    return _mercer.series_distances(series(dataset1), second, window, _radius(sakoe_chiba_radius), threads_of(n_jobs))


def lb_envelope(ts, radius=1):
    """The envelope of a series of single numbers: the least and the largest value within ``radius`` places.

    Returns
    -------
    lower, upper : arrays of shape (length,)
    """
    values = _single(ts)
    lower, upper = _mercer.series_envelope(values, _radius(radius))
    return np.array(lower), np.array(upper)


def lb_keogh(ts_query, ts_candidate=None, radius=1, envelope_candidate=None):
    """Keogh's lower bound of the distance after warping of two series of equal length, where alignments stray by at most ``radius``.

    Returns
    -------
    float
    """
    if envelope_candidate is None:
        if ts_candidate is None:
            raise ValueError("give `ts_candidate`, or its envelope as `envelope_candidate`")
        envelope_candidate = lb_envelope(ts_candidate, radius)
    query, (lower, upper) = _single(ts_query), (_single(side) for side in envelope_candidate)
    if not len(query) == len(lower) == len(upper):
        raise ValueError(f"series of equal length are compared, got {len(query)} and {len(lower)} points")
    return _mercer.series_bound(query, lower, upper)


def _single(ts):
    _, _, values, coordinates = series([ts])
    if coordinates != 1:
        raise ValueError(f"envelopes are of series of single numbers, got {coordinates} coordinates")
    return values.tolist()


def gak(s1, s2, sigma=1.0):
    """The global alignment kernel of two series, 1 for equal ones (Cuturi 2011).

    Returns
    -------
    float
    """
    return float(GlobalAlignment(sigma)([s1], [s2])[0, 0])


def cdist_gak(dataset1, dataset2=None, sigma=1.0):
    """The global alignment kernel of all series of one data set with all of another, or with each other.

    Returns
    -------
    ndarray of shape (n1, n2)
    """
    return GlobalAlignment(sigma)(dataset1, dataset2)


class _SeriesKernel(StructureKernel):
    _kind = "series"


class GlobalAlignment(_SeriesKernel):
    """The global alignment kernel: all alignments of two series, as a share of those of each with itself (Cuturi 2011).

    Parameters
    ----------
    sigma : float, default=1.0
        How far apart points may be.
    """

    def __init__(self, sigma=1.0):
        self.sigma = sigma

    def _grammar(self):
        return f"ga(sigma={float(self.sigma)!r})"


class DTWKernel(_SeriesKernel):
    """exp(−γ d²) with d the distance after warping. It is indefinite in general: matrices of it may have negative eigenvalues.

    Parameters
    ----------
    gamma : float, default=1.0
    window : float or None
        How far alignments may stray from the diagonal, as a share of the longer series.
    sakoe_chiba_radius : int or None
        The same as a number of places; it goes before ``window``.
    """

    def __init__(self, gamma=1.0, window=None, sakoe_chiba_radius=None):
        self.gamma = gamma
        self.window = window
        self.sakoe_chiba_radius = sakoe_chiba_radius

    def _grammar(self):
        radius = _radius(self.sakoe_chiba_radius)
        more = "" if radius is None else f", radius={radius}"
        if radius is None and self.window is not None:
            more = f", window={float(self.window)!r}"
        return f"dtw(gamma={float(self.gamma)!r}{more})"
