"""Reading model files, and the list of learners."""

from importlib import import_module

from mercer import _mercer
from mercer._registry import LEARNERS


def learners():
    """The names of all learners, each with its module.

    Returns
    -------
    dict of str to str
    """
    return dict(LEARNERS)


def class_of(name):
    """The class of a learner."""
    return getattr(import_module(f"mercer.{LEARNERS[name]}"), name)


def unfitted(name, params):
    """An estimator with the parameters of a model."""
    made = {key: _value(value) for key, value in params.items()}
    return class_of(name)(**made)


def _value(value):
    if isinstance(value, tuple):
        return unfitted(*value)
    if isinstance(value, list):
        items = [_value(item) for item in value]
        # Named steps are pairs, which scikit-learn writes as tuples.
        return [tuple(i) if isinstance(i, list) and len(i) == 2 and hasattr(i[1], "fit") else i for i in items]
    return value


def load(path):
    """Read a model file. Nothing in the file is executed.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``, by the command line, or from Rust.

    Returns
    -------
    estimator
        A fitted estimator of the class that was saved.
    """
    return fitted(_mercer.load(path))


def fitted(model):
    """A fitted estimator around a model."""
    estimator = unfitted(model.name, model.params())
    if "random_state" in estimator.get_params(deep=False) and model.seed:
        estimator.random_state = model.seed
    names = None
    if model.feature_names is not None:
        from mercer._data import names_array

        names = names_array(model.feature_names)
    estimator._adopt(model, names)
    return estimator


def read(source):
    """Read a table: a file (.csv, .tsv, .parquet, also with .gz), or a bundled data set by its name.

    Parameters
    ----------
    source : str or path-like
        The file or the name, for instance ``"penguins"``.

    Returns
    -------
    dict of str to numpy.ndarray
        A column each: float64 where all values are numbers (missing ones are NaN), else objects (missing ones are
        ``None``). ``pandas.DataFrame(mercer.read(source))`` makes a frame of it.
    """
    return _mercer.read(str(source))
