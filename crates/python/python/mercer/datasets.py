# Written by `cargo xtask python` from the catalogue; do not edit.
"""Generators of textbook data, and the sets that travel with Mercer.

Names and parameters are scikit-learn's; the random streams are Mercer's own, so the values are not.
"""

from __future__ import annotations

from mercer._generate import generate, load, load_svmlight_file

__all__ = [
    "load",
    "load_svmlight_file",
    "make_blobs",
    "make_moons",
    "make_circles",
    "make_classification",
    "make_gaussian_quantiles",
    "make_regression",
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_swiss_roll",
    "make_s_curve",
    "make_sparse_coded_signal",
    "make_low_rank",
    "make_checkerboard",
]


def make_blobs(
    n_samples=100,
    *,
    n_features=2,
    centers=3,
    cluster_std=1,
    center_box=(-10, 10),
    shuffle=True,
    random_state=None,
):
    """Gaussian blobs, one a class.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=2
        Number of features.
    centers : default=3
        Number of blobs.
    cluster_std : default=1
        Standard deviation of each blob.
    center_box : default=[-10, 10]
        The interval in which centres are drawn.
    shuffle : default=true
        Whether to shuffle the rows.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("blobs", {"n_samples": n_samples, "n_features": n_features, "centers": centers, "cluster_std": cluster_std, "center_box": center_box, "shuffle": shuffle}, random_state, False)


def make_moons(
    n_samples=100,
    *,
    shuffle=True,
    noise=0,
    random_state=None,
):
    """Two half circles that interleave.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    shuffle : default=true
        Whether to shuffle the rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("moons", {"n_samples": n_samples, "shuffle": shuffle, "noise": noise}, random_state, False)


def make_circles(
    n_samples=100,
    *,
    shuffle=True,
    noise=0,
    factor=0.8,
    random_state=None,
):
    """A circle inside another.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    shuffle : default=true
        Whether to shuffle the rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    factor : default=0.8
        The inner radius over the outer.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("circles", {"n_samples": n_samples, "shuffle": shuffle, "noise": noise, "factor": factor}, random_state, False)


def make_classification(
    n_samples=100,
    *,
    n_features=20,
    n_informative=2,
    n_redundant=2,
    n_repeated=0,
    n_classes=2,
    n_clusters_per_class=2,
    weights=None,
    flip_y=0.01,
    class_sep=1,
    hypercube=True,
    shuffle=True,
    random_state=None,
):
    """Clusters at the corners of a cube, with redundant, repeated and useless features (Guyon 2003).

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=20
        Number of features.
    n_informative : default=2
        Features that tell classes apart.
    n_redundant : default=2
        Random combinations of those.
    n_repeated : default=0
        Copies of any of both.
    n_classes : default=2
        Number of classes.
    n_clusters_per_class : default=2
        Clusters of each class.
    weights : default=none
        The share of each class; none means equal ones.
    flip_y : default=0.01
        The share of rows whose class is drawn again.
    class_sep : default=1
        Half the side of the cube.
    hypercube : default=true
        Whether clusters lie at the corners of a cube, else of a random polytope.
    shuffle : default=true
        Whether to shuffle the rows.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("classification", {"n_samples": n_samples, "n_features": n_features, "n_informative": n_informative, "n_redundant": n_redundant, "n_repeated": n_repeated, "n_classes": n_classes, "n_clusters_per_class": n_clusters_per_class, "weights": weights, "flip_y": flip_y, "class_sep": class_sep, "hypercube": hypercube, "shuffle": shuffle}, random_state, False)


def make_gaussian_quantiles(
    n_samples=100,
    *,
    n_features=2,
    n_classes=3,
    cov=1,
    shuffle=True,
    random_state=None,
):
    """One Gaussian cut into classes by the distance from its mean.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=2
        Number of features.
    n_classes : default=3
        Number of classes.
    cov : default=1
        Variance of each feature.
    shuffle : default=true
        Whether to shuffle the rows.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("gaussian_quantiles", {"n_samples": n_samples, "n_features": n_features, "n_classes": n_classes, "cov": cov, "shuffle": shuffle}, random_state, False)


def make_regression(
    n_samples=100,
    *,
    n_features=100,
    n_informative=10,
    n_targets=1,
    bias=0,
    effective_rank=None,
    tail_strength=0.5,
    noise=0,
    shuffle=True,
    return_more=False,
    random_state=None,
):
    """A linear target of some of the features.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=100
        Number of features.
    n_informative : default=10
        Features with a coefficient.
    n_targets : default=1
        Number of targets.
    bias : default=0
        The intercept.
    effective_rank : default=none
        About how many singular vectors explain the rows; none means independent features.
    tail_strength : default=0.5
        The weight of the noisy tail of the singular values.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    shuffle : default=true
        Whether to shuffle the rows.
    return_more : bool, default=False
        Whether to return what else is known, as a dict of arrays.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("regression", {"n_samples": n_samples, "n_features": n_features, "n_informative": n_informative, "n_targets": n_targets, "bias": bias, "effective_rank": effective_rank, "tail_strength": tail_strength, "noise": noise, "shuffle": shuffle}, random_state, return_more)


def make_friedman1(
    n_samples=100,
    *,
    n_features=10,
    noise=0,
    random_state=None,
):
    """10 sin(π x₀ x₁) + 20 (x₂ − ½)² + 10 x₃ + 5 x₄ (Friedman 1991).

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=10
        Number of features, five of them of use.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("friedman1", {"n_samples": n_samples, "n_features": n_features, "noise": noise}, random_state, False)


def make_friedman2(
    n_samples=100,
    *,
    noise=0,
    random_state=None,
):
    """√(x₀² + (x₁x₂ − 1/(x₁x₃))²) (Friedman 1991).

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("friedman2", {"n_samples": n_samples, "noise": noise}, random_state, False)


def make_friedman3(
    n_samples=100,
    *,
    noise=0,
    random_state=None,
):
    """atan((x₁x₂ − 1/(x₁x₃)) / x₀) (Friedman 1991).

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("friedman3", {"n_samples": n_samples, "noise": noise}, random_state, False)


def make_swiss_roll(
    n_samples=100,
    *,
    noise=0,
    hole=False,
    random_state=None,
):
    """A sheet rolled up in three dimensions; the target is the place along the roll.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    hole : default=false
        Whether the sheet has a hole.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("swiss_roll", {"n_samples": n_samples, "noise": noise, "hole": hole}, random_state, False)


def make_s_curve(
    n_samples=100,
    *,
    noise=0,
    random_state=None,
):
    """A sheet bent into an S; the target is the place along the curve.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("s_curve", {"n_samples": n_samples, "noise": noise}, random_state, False)


def make_sparse_coded_signal(
    n_samples=100,
    *,
    n_components=20,
    n_features=10,
    n_nonzero_coefs=3,
    return_more=False,
    random_state=None,
):
    """Signals that are sparse combinations of the atoms of a dictionary.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_components : default=20
        Atoms of the dictionary.
    n_features : default=10
        Number of features.
    n_nonzero_coefs : default=3
        Atoms in each signal.
    return_more : bool, default=False
        Whether to return what else is known, as a dict of arrays.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("sparse_coded_signal", {"n_samples": n_samples, "n_components": n_components, "n_features": n_features, "n_nonzero_coefs": n_nonzero_coefs}, random_state, return_more)


def make_low_rank(
    n_samples=100,
    *,
    n_features=100,
    effective_rank=10,
    tail_strength=0.5,
    random_state=None,
):
    """A matrix of bell-shaped singular values.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=100
        Number of features.
    effective_rank : default=10
        About how many singular vectors explain the rows.
    tail_strength : default=0.5
        The weight of the noisy tail of the singular values.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("low_rank", {"n_samples": n_samples, "n_features": n_features, "effective_rank": effective_rank, "tail_strength": tail_strength}, random_state, False)


def make_checkerboard(
    n_samples=100,
    *,
    n_features=100,
    n_row_clusters=3,
    n_column_clusters=3,
    noise=0,
    minval=10,
    maxval=100,
    shuffle=True,
    return_more=False,
    random_state=None,
):
    """A matrix of constant blocks, rows and columns shuffled, for biclustering; the target is the block of the row.

    Parameters
    ----------
    n_samples : default=100
        Number of rows.
    n_features : default=100
        Number of columns.
    n_row_clusters : default=3
        Blocks of rows.
    n_column_clusters : default=3
        Blocks of columns.
    noise : default=0
        Standard deviation of the Gaussian noise that is added.
    minval : default=10
        Least value of a block.
    maxval : default=100
        Largest value of a block.
    shuffle : default=true
        Whether to shuffle the rows.
    return_more : bool, default=False
        Whether to return what else is known, as a dict of arrays.
    random_state : int, RandomState instance or None, default=None
        The seed; None is 0.

    Returns
    -------
    X, y : arrays
        Rows, and their target (None where there is none).
    """
    return generate("checkerboard", {"n_samples": n_samples, "n_features": n_features, "n_row_clusters": n_row_clusters, "n_column_clusters": n_column_clusters, "noise": noise, "minval": minval, "maxval": maxval, "shuffle": shuffle}, random_state, return_more)
