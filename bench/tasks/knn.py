"""The five nearest neighbours, 200,000 × 3 by a tree and 20,000 × 50 by brute force: classes of 20,000 and 5,000 new rows."""

import numpy as np

TITLE = "k nearest neighbours, 200k×3 and 20k×50"
WANTED = {"predict": 1.5}
REPEATS = 3


def data(folder):
    rng = np.random.default_rng(0)
    for name, n, m, d in [("few", 200_000, 20_000, 3), ("many", 20_000, 5_000, 50)]:
        x = rng.standard_normal((n + m, d))
        y = (x[:, 0] + x[:, 1] ** 2 + 0.5 * rng.standard_normal(n + m) > 1).astype(int)
        np.savez(folder / f"{name}.npz", x=x[:n], y=y[:n], new=x[n:], truth=y[n:])


def read(folder):
    return [dict(np.load(folder / f"{name}.npz")) for name in ("few", "many")]


def _contender(make):
    def build(sets):
        def quality(models):
            errors = [np.mean(model.predict(one["new"]) != one["truth"]) for model, one in zip(models, sets)]
            return float(np.mean(errors))

        return {
            "fit": lambda: [make().fit(one["x"], one["y"]) for one in sets],
            "predict": lambda models: [model.predict(one["new"]) for model, one in zip(models, sets)],
            "quality": quality,
        }

    return build


def _mercer():
    from mercer.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(5)


def _sklearn():
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(5, n_jobs=-1)


def _intelex():
    from sklearnex.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(5, n_jobs=-1)


CONTENDERS = {"mercer": _contender(_mercer), "sklearn": _contender(_sklearn), "intelex": _contender(_intelex)}
