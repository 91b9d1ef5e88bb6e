"""The Dirichlet process: weights by breaking sticks, draws from an urn, partitions at the tables of a restaurant."""

from mercer import _mercer
from mercer._base import seed_of
from mercer._lazy import Lazy

np = Lazy("numpy")


def _count(name, n):
    """A number of guests, sticks or draws."""
    if int(n) != n or n < 0:
        raise ValueError(f"`{name}` must be a whole number of at least 0, got {n}")
    return int(n)


def stick_breaking(alpha, n_sticks, random_state=None):
    """The first weights of GEM(alpha): each breaks Beta(1, alpha) off what the others have left.

    Returns
    -------
    ndarray of shape (n_sticks,)
    """
    return np.asarray(_mercer.stick_breaking(float(alpha), _count("n_sticks", n_sticks), seed_of(random_state)))


def crp(n, alpha, random_state=None):
    """The tables of n guests of a Chinese restaurant process.

    Returns
    -------
    ndarray of shape (n,)
        The table of each guest, in the order in which tables are taken.
    """
    return np.asarray(_mercer.crp(float(alpha), _count("n", n), seed_of(random_state)), dtype=np.int64)


def crp_log_probability(labels, alpha):
    """The logarithm of the probability of a partition, given as the table of each guest; the order of arrivals does not matter."""
    sizes = np.unique(np.asarray(labels), return_counts=True)[1]
    return _mercer.crp_log_probability(float(alpha), sizes.tolist())


def expected_tables(n, alpha):
    """The expected number of tables of n guests: the sum of alpha / (alpha + i - 1)."""
    return _mercer.expected_tables(float(alpha), _count("n", n))


def table_probabilities(n, alpha):
    """The probabilities of 0, 1, ..., n tables of n guests."""
    return np.asarray(_mercer.table_probabilities(float(alpha), _count("n", n)))


def polya_urn(n, alpha, base, random_state=None):
    """Draws from a Dirichlet process, with the process itself left out.

    Parameters
    ----------
    n : int
    alpha : float
    base : callable
        ``base(m)`` gives m independent draws from the base distribution.
    random_state : int, RandomState instance or None, default=None
        The seed of the urn; None is 0.

    Returns
    -------
    ndarray
        The draws, of which some are equal.
    """
    tables = crp(n, alpha, random_state)
    m = int(tables.max()) + 1 if len(tables) else 0
    drawn = np.asarray(base(m))
    if drawn.ndim == 0 or len(drawn) < m:
        raise ValueError(f"`base` must give {m} draws when it is asked for {m}, got an array of shape {drawn.shape}")
    return drawn[tables]


def dirichlet_marginals(alpha, masses):
    """The parameters of the Dirichlet distribution that the process has on a partition whose cells have these masses."""
    return np.asarray(_mercer.dirichlet_marginals(float(alpha), [float(m) for m in masses]))
