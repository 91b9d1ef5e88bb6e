"""How many clusters: criteria, the gap statistic, and stability, for any clusterer of Mercer's that is told their number."""

from mercer import _mercer
from mercer._base import seed_of, threads_of
from mercer._lazy import Lazy

np = Lazy("numpy")


class Criterion:
    """What one criterion says of each number of clusters.

    Attributes
    ----------
    values : ndarray
        Its value for each number of clusters; NaN where it has none.
    errors : ndarray or None
        The standard errors of the values, where it has them.
    chosen : int or None
        The number of clusters that it chooses.
    rule : str
        How it chooses.
    """

    def __init__(self, values, errors, chosen, rule):
        self.values, self.chosen, self.rule = np.asarray(values), chosen, rule
        self.errors = None if errors is None else np.asarray(errors)

    def __repr__(self):
        return f"<Criterion: chooses {self.chosen}>"


class CountChoice:
    """What several criteria say of how many clusters there are.

    Attributes
    ----------
    k : ndarray
        The numbers of clusters.
    criteria : dict
        A `Criterion` by name: silhouette, calinski_harabasz, davies_bouldin, gap, stability, and bic and aic of mixtures.
    best_k : int or None
        What the criterion chooses that decides where nobody says which: bic for mixtures, else the silhouette.
    n_rows : int
        How many rows were looked at.
    left_out : list of (str, str)
        What has nothing to say, and why.
    """

    def __init__(self, found):
        self.k, self.n_rows, self.left_out = np.asarray(found["counts"]), found["n_rows"], found["left_out"]
        self.criteria = {name: Criterion(*one) for name, one in found["criteria"].items()}
        self.best_k = self.criteria[found["usual"]].chosen if found["usual"] else None

    def __getitem__(self, name):
        return self.criteria[name]

    def __repr__(self):
        said = ", ".join(f"{name} {one.chosen}" for name, one in self.criteria.items())
        return f"<CountChoice: {said}>"


def _asked(estimator, X, what):
    """Learner and rows as the compiled part takes them; the estimator is left as it is."""
    if not hasattr(estimator, "_mercer_spec"):
        raise TypeError(f"{what} takes estimators of Mercer's, got a {type(estimator).__name__}")
    own = type(estimator)(**estimator.get_params(deep=False))
    if own._depends_on_rows():
        raise TypeError(f"{what} draws rows anew, and what {own!r} is told belongs to its own rows")
    x, _ = own._prepare_fit(X)
    return (own._mercer_name, own._core_params()), x


def _options(k, n_references=20, reference="principal", n_resamples=20, share=0.8, max_rows=5000):
    if reference not in ("principal", "features"):
        raise ValueError(f"`reference` must be 'principal' or 'features', got {reference!r}")
    for name, value in (("n_references", n_references), ("n_resamples", n_resamples), ("max_rows", max_rows)):
        if value < 0:
            raise ValueError(f"`{name}` must be at least 0, got {value}")
    counts = [int(one) for one in k]
    if any(one < 1 for one in counts):
        raise ValueError(f"`k` must hold numbers from 1 on, got {counts}")
    return counts, int(n_references), reference == "features", int(n_resamples), float(share), int(max_rows)


def choose_k(
    estimator, X, *, k=range(1, 11), n_references=20, reference="principal", n_resamples=20, share=0.8, max_rows=5000,
    random_state=None, n_jobs=None,
):
    """How many clusters there are, by several criteria.

    Parameters
    ----------
    estimator : clusterer with `n_clusters` or `n_components`
        Learnt anew with each number; it is left as it is.
    X : rows
    k : iterable of int, default=range(1, 11)
        The numbers of clusters.
    n_references : int, default=20
        Sets of rows without clusters for the gap statistic; 0 leaves it out.
    reference : {"principal", "features"}, default="principal"
        Whether those are even in the box of the rows along their principal axes, or along the features.
    n_resamples : int, default=20
        Pairs of subsamples for stability; 0 leaves it out.
    share : float, default=0.8
        The share of the rows in a subsample.
    max_rows : int, default=5000
        Of more rows so many are drawn.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None

    Returns
    -------
    CountChoice
    """
    what, x = _asked(estimator, X, "choose_k")
    options = _options(k, n_references, reference, n_resamples, share, max_rows)
    return CountChoice(_mercer.choose_k(what, x, options, (seed_of(random_state), threads_of(n_jobs))))


def gap_statistic(estimator, X, *, k=range(1, 11), n_references=20, reference="principal", random_state=None, n_jobs=None):
    """The gap statistic of Tibshirani, Walther and Hastie (2001): how much tighter clusters are than those of even rows.

    Returns
    -------
    dict
        ``k``, ``log_within``, ``expected``, ``errors``, ``gaps``: an array each, and ``chosen``: the smallest k whose gap is at least
        that of the next, but for one standard error.
    """
    what, x = _asked(estimator, X, "gap_statistic")
    options = _options(k, n_references, reference)
    return _arrays(_mercer.gap_statistic(what, x, options, (seed_of(random_state), threads_of(n_jobs))))


def stability(estimator, X, *, k=range(1, 11), n_resamples=20, share=0.8, random_state=None, n_jobs=None):
    """How alike the clusters of two subsamples are, by the adjusted Rand index on the rows that both have.

    Returns
    -------
    dict
        ``k``, ``means``, ``errors``: an array each, ``scores``: for each k those of all pairs, and ``chosen``: the largest k from 2 on
        that is as stable as the most stable one, but for its standard error.
    """
    what, x = _asked(estimator, X, "stability")
    options = _options(k, n_resamples=n_resamples, share=share)
    return _arrays(_mercer.stability(what, x, options, (seed_of(random_state), threads_of(n_jobs))))


def _arrays(found):
    out = {"k": found.pop("counts"), **found}
    keep = ("scores", "chosen")
    return {name: value if name in keep else np.asarray(value) for name, value in out.items()}
