"""TF-IDF of 100,000 documents of about a hundred words."""

import numpy as np

TITLE = "TF-IDF, 100k documents"
WANTED = {"fit": 5.0}
REPEATS = 2


def read(folder):
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(letters[rng.integers(0, 26, rng.integers(2, 10))]) for _ in range(50_000)])
    weights = 1 / np.arange(1, len(words) + 1)
    weights /= weights.sum()
    drawn = words[rng.choice(len(words), size=100_000 * 100, p=weights)].reshape(100_000, 100)
    return [" ".join(row) for row in drawn]


def ours(documents):
    from mercer.feature_extraction.text import TfidfVectorizer

    return {"fit": lambda: TfidfVectorizer().fit_transform(documents)}


def sklearn(documents):
    from sklearn.feature_extraction.text import TfidfVectorizer

    return {"fit": lambda: TfidfVectorizer().fit_transform(documents)}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
