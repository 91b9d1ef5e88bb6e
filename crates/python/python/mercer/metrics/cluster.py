"""Metrics of groups: against known groups, or by the distances of rows."""

from __future__ import annotations

import warnings

import numpy as np

from mercer import _mercer
from mercer._checks import (
    check_finite,
    check_lengths,
    check_numbers,
    codes,
    column,
    is_sparse,
    plain,
    type_of_target,
    unique,
)
from mercer._scoring import spec

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]


def _groupings(labels_true, labels_pred):
    """Two groupings of the same rows, as codes."""
    given = [plain(labels) for labels in (labels_true, labels_pred)]
    for array in given:
        check_finite(array)
    kinds = [type_of_target(array) for array in given]
    if "continuous" in kinds:
        warnings.warn(
            f"Clustering metrics expects discrete values but received {kinds[0]} values for label, and {kinds[1]} values for "
            "target",
            UserWarning,
            stacklevel=4,
        )
    for name, array in zip(("labels_true", "labels_pred"), given):
        if array.ndim != 1:
            raise ValueError(f"{name} must be 1D: shape is {array.shape!r}")
    check_lengths(*given)
    return [codes(array, unique(array)) for array in given]


def _against(name, labels_true, labels_pred, empty=1.0):
    truth, found = _groupings(labels_true, labels_pred)
    return _mercer.metric(name, ("groups", found, truth, None), None) if len(truth) else empty


def contingency_matrix(labels_true, labels_pred, *, eps=None, sparse=False, dtype=np.int64):
    """Rows by known group and group found."""
    if eps is not None and sparse:
        raise ValueError("Cannot set 'eps' when sparse=True")
    rows, columns = (np.unique(labels, return_inverse=True)[1].ravel() for labels in (labels_true, labels_pred))
    shape = (int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1)
    if sparse:
        from scipy.sparse import coo_matrix

        made = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=shape, dtype=dtype).tocsr()
        made.sum_duplicates()
        return made
    counts = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape).astype(dtype)
    return counts if eps is None else counts + eps


def pair_confusion_matrix(labels_true, labels_pred):
    """Ordered pairs of rows by whether they are together in the truth (row) and in what was found (column)."""
    truth, found = _groupings(labels_true, labels_pred)
    if len(truth) == 0:
        return np.zeros((2, 2), dtype=np.int64)
    n = len(truth)
    _, sizes = np.unique(truth.astype(np.int64) * (int(found.max()) + 1) + found, return_counts=True)
    square = lambda counts: int((counts.astype(np.int64) ** 2).sum())  # noqa: E731
    both, of_truth, of_found = square(sizes), square(np.bincount(truth)), square(np.bincount(found))
    return np.array([[n * n - of_truth - of_found + both, of_found - both], [of_truth - both, both - n]], dtype=np.int64)


def rand_score(labels_true, labels_pred):
    """The share of pairs on which two groupings agree."""
    return _against("rand", labels_true, labels_pred)


def adjusted_rand_score(labels_true, labels_pred):
    """The Rand index adjusted for chance."""
    return _against("adjusted_rand", labels_true, labels_pred)


def mutual_info_score(labels_true, labels_pred, *, contingency=None):
    """The mutual information of two groupings, in nats; of their contingency matrix where that is given."""
    if contingency is not None:
        table = contingency.toarray() if is_sparse(contingency) else np.asarray(contingency)
        joint = table / table.sum()
        chance = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        some = joint > 0
        return float(max(0.0, np.sum(joint[some] * np.log(joint[some] / chance[some]))))
    return _against("mutual_info", labels_true, labels_pred, 0.0)


def _mean_of(average_method):
    if average_method not in ("min", "geometric", "arithmetic", "max"):
        raise ValueError("'average_method' must be 'min', 'geometric', 'arithmetic', or 'max'")
    return None if average_method == "arithmetic" else average_method


def adjusted_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """Mutual information adjusted for chance."""
    return _against(spec("ami", average=_mean_of(average_method)), labels_true, labels_pred)


def normalized_mutual_info_score(labels_true, labels_pred, *, average_method="arithmetic"):
    """Mutual information over a mean of the entropies."""
    return _against(spec("nmi", average=_mean_of(average_method)), labels_true, labels_pred)


def homogeneity_score(labels_true, labels_pred):
    """Whether each group found holds one known group only."""
    return _against("homogeneity", labels_true, labels_pred)


def completeness_score(labels_true, labels_pred):
    """Whether each known group lies in one group found."""
    return _against("completeness", labels_true, labels_pred)


def v_measure_score(labels_true, labels_pred, *, beta=1.0):
    """The harmonic mean of homogeneity and completeness."""
    return _against(spec("v_measure", beta=None if beta == 1.0 else beta), labels_true, labels_pred)


def homogeneity_completeness_v_measure(labels_true, labels_pred, *, beta=1.0):
    """Homogeneity, completeness and their harmonic mean."""
    return (
        homogeneity_score(labels_true, labels_pred),
        completeness_score(labels_true, labels_pred),
        v_measure_score(labels_true, labels_pred, beta=beta),
    )


def fowlkes_mallows_score(labels_true, labels_pred):
    """The geometric mean of precision and recall over pairs."""
    return _against("fowlkes_mallows", labels_true, labels_pred, 0.0)


# By distances


def _rows(X, labels, dense=True):
    """Rows, and codes of the groups that they are in, of which there are several but fewer than rows."""
    if is_sparse(X) and not dense:
        X = X.toarray()
    rows, given = check_numbers(X, "X", ndim=(2,)), column(labels)
    check_lengths(rows, given)
    check_finite(given, "y")
    known = unique(given)
    if not 1 < len(known) < len(given):
        raise ValueError(f"Number of labels is {len(known)}. Valid values are 2 to n_samples - 1 (inclusive)")
    return np.ascontiguousarray(rows, dtype=np.float64), codes(given, known)


def silhouette_score(X, labels, *, metric="euclidean", sample_size=None, random_state=None, **kwds):
    """The mean silhouette of the rows, or of `sample_size` of them."""
    if sample_size is not None:
        rng = random_state if hasattr(random_state, "permutation") else np.random.RandomState(random_state)
        labels = column(labels)
        chosen = rng.permutation(len(labels))[:sample_size]
        X = X.toarray() if is_sparse(X) else plain(X)
        X, labels = X[chosen][:, chosen] if isinstance(metric, str) and metric == "precomputed" else X[chosen], labels[chosen]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))


def silhouette_samples(X, labels, *, metric="euclidean", **kwds):
    """The silhouette of every row; `metric` "euclidean", "precomputed", or any that SciPy's ``cdist`` takes."""
    if isinstance(metric, str) and metric == "euclidean":
        return _mercer.silhouette_samples(*_rows(X, labels, dense=False))
    if is_sparse(X) and isinstance(metric, str) and metric == "precomputed" and X.format not in ("csr", "csc", "coo"):
        X = X.tocsr()
    rows, groups = _rows(X, labels, dense=False)
    if isinstance(metric, str) and metric == "precomputed":
        if np.abs(np.diagonal(rows)).max() > 100 * np.finfo(plain(X).dtype if plain(X).dtype.kind == "f" else np.float64).eps:
            raise ValueError(
                "The precomputed distance matrix contains non-zero elements on the diagonal. Use np.fill_diagonal(X, 0)."
            )
        return _silhouettes(rows, groups)
    from scipy.spatial.distance import cdist

    names = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}
    return _silhouettes(cdist(rows, rows, names.get(metric, metric), **kwds), groups)


def _silhouettes(distances, groups):
    sizes = np.bincount(groups)
    sums = np.stack([distances[:, groups == g].sum(axis=1) for g in range(len(sizes))], axis=1)
    own = np.arange(len(groups)), groups
    alone = sizes[groups] == 1
    inside = sums[own] / np.maximum(sizes[groups] - 1, 1)
    means = sums / sizes
    means[own] = np.inf
    outside = means.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (outside - inside) / np.maximum(inside, outside)
    return np.where(alone, 0.0, np.nan_to_num(found))


def _of_distances(name, X, labels):
    rows, groups = _rows(X, labels)
    return _mercer.metric(name, ("groups", groups, None, rows), None)


def davies_bouldin_score(X, labels):
    """How alike each group is to the one most like it: smaller is better."""
    return _of_distances("davies_bouldin", X, labels)


def calinski_harabasz_score(X, labels):
    """The spread between groups over the spread within."""
    return _of_distances("calinski_harabasz", X, labels)
