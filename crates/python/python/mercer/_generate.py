"""Generated and bundled data as arrays."""

from mercer import _mercer
from mercer._base import seed_of


def generate(name, params, random_state, more):
    """Data of a generator; with `more`, a dict of what else is known follows."""
    X, y, known = _mercer.generate(name, params, seed_of(random_state))
    return (X, y, known) if more else (X, y)


def load_svmlight_file(path, *, query_id=False):
    """An svmlight file as a sparse matrix and its labels; with `query_id`, the query of each row follows."""
    import numpy as np

    from mercer._output import plain

    rows, y, queries = _mercer.read_svmlight(path)
    X = plain(rows, None)
    return (X, y, np.asarray(queries or [], dtype=np.int64)) if query_id else (X, y)


def load(name):
    """A bundled data set as a dict of columns; ``pandas.DataFrame(load("penguins"))`` makes a frame of it."""
    return _mercer.read(str(name))
