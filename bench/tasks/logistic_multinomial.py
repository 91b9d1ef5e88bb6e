"""Multinomial logistic regression, 60,000 × 784 dense, 10 classes: pictures of strokes, as hand-written digits are."""

import numpy as np

TITLE = "logistic 60k×784, 10 classes"
WANTED = {"fit": 2.0, "predict": 1.5}
SLACK = 1e-6
C = 1e-2


def data(folder):
    rng = np.random.default_rng(7)
    n = 60_000
    y = rng.integers(0, 10, n)
    # Each class has a few strokes; a picture has most of its class's, some of others', moved by up to two pixels.
    strokes = np.zeros((40, 28, 28))
    for stroke in strokes:
        at, step = rng.uniform(6, 22, 2), rng.standard_normal(2)
        for _ in range(14):
            at = np.clip(at + step / np.linalg.norm(step), 2, 25)
            step += 0.5 * rng.standard_normal(2)
            stroke[int(at[0]) - 1:int(at[0]) + 2, int(at[1]) - 1:int(at[1]) + 2] += 0.4
    strokes = np.minimum(strokes, 1)
    own = rng.choice(40, (10, 5))
    x = np.zeros((n, 28, 28))
    for i in range(n):
        used = np.append(own[y[i]][rng.random(5) < 0.7], rng.choice(40))
        picture = np.minimum(strokes[used].sum(axis=0), 1)
        x[i] = np.roll(picture, rng.integers(-2, 3, 2), (0, 1))
    np.save(folder / "x.npy", np.round(x.reshape(n, 784), 2))
    np.save(folder / "y.npy", y)


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(module, **options):
    def build(arrays):
        import importlib

        x, y = arrays
        make = importlib.import_module(module).LogisticRegression

        def quality(model):
            z = model.decision_function(x)
            top = z.max(axis=1)
            loss = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top - z[np.arange(len(y)), y]
            return float(C * loss.sum() + 0.5 * (np.asarray(model.coef_) ** 2).sum()) / (C * len(y))

        return {"fit": lambda: make(C=C, **options).fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


CONTENDERS = {
    "mercer": _contender("mercer.linear_model", tol=1e-5, max_iter=1000),
    "sklearn lbfgs": _contender("sklearn.linear_model", tol=1e-5, max_iter=1000),
    "sklearn newton-cg": _contender("sklearn.linear_model", solver="newton-cg", tol=1e-4, max_iter=1000),
    "intelex": _contender("sklearnex.linear_model", tol=1e-5, max_iter=1000),
}
