"""Multinomial naive Bayes on 100,000 texts of 20 classes as sparse counts of 50,000 words."""

import numpy as np

TITLE = "Multinomial naive Bayes, 100k texts"
WANTED = {"fit": 3.0, "predict": 3.0}
REPEATS = 10


def data(folder):
    import scipy.sparse as sp

    rng = np.random.default_rng(9)
    n, words, length = 100_000, 50_000, 80
    y = rng.integers(0, 20, n)
    # Words by Zipf's law, some of them shifted by class.
    drawn = np.minimum((words ** rng.random((n, length))).astype(np.int64), words - 1)
    drawn = np.where(rng.random((n, length)) < 0.2, (drawn + 37 * y[:, None]) % words, drawn)
    x = sp.csr_matrix((np.ones(drawn.size), drawn.ravel(), np.arange(0, drawn.size + 1, length)), shape=(n, words))
    x.sum_duplicates()
    sp.save_npz(folder / "x.npz", x, compressed=False)
    np.save(folder / "y.npy", y)


def read(folder):
    import scipy.sparse as sp

    return sp.csr_matrix(sp.load_npz(folder / "x.npz")), np.load(folder / "y.npy")


def _contender(module):
    def build(arrays):
        import importlib

        x, y = arrays
        make = importlib.import_module(module).MultinomialNB
        quality = lambda model: float(model.score(x, y))
        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


CONTENDERS = {"mercer": _contender("mercer.naive_bayes"), "scikit-learn": _contender("sklearn.naive_bayes")}
