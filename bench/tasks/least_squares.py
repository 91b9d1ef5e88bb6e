"""Least squares, 500,000 × 200 dense: the rows of `ridge`."""

from tasks import ridge

TITLE = "least squares 500k×200"
WANTED = {"fit": 2.0, "predict": 1.5}

data, read = ridge.data, ridge.read


def _contender(make):
    def build(arrays):
        x, y = arrays

        def quality(model):
            residual = y - model.predict(x)
            return 0.5 * residual @ residual

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: m.predict(x), "quality": quality}

    return build


def _mercer():
    from mercer.linear_model import LinearRegression

    return LinearRegression()


def _sklearn():
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _intelex():
    from sklearnex.linear_model import LinearRegression

    return LinearRegression()


CONTENDERS = {
    "mercer": _contender(_mercer),
    "sklearn": _contender(_sklearn),
    "intelex": _contender(_intelex),
}
