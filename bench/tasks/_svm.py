"""What tasks of support vector machines share: their data, and the dual objective by which they are compared."""

import numpy as np

N, D = 20_000, 20


def rows():
    """Two classes in clusters on corners of a cube, with columns that repeat others and columns of noise."""
    from sklearn.datasets import make_classification

    return make_classification(N, D, n_informative=10, n_redundant=4, flip_y=0.05, random_state=0)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def square(model, x):
    """Half the squared length of the weights in the kernel's space, and the coefficients."""
    gamma = 1.0 / (x.shape[1] * x.var())
    vectors, coef = np.asarray(model.support_vectors_), np.ravel(model.dual_coef_)
    total = 0.0
    for start in range(0, len(vectors), 1000):
        some = vectors[start : start + 1000]
        far = (some**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)[None, :] - 2 * some @ vectors.T
        total += coef[start : start + 1000] @ (np.exp(-gamma * far) @ coef)
    return 0.5 * float(total), coef
