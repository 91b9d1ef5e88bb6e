"""The report of a fitted estimator: one HTML file, and its JSON twin."""

from __future__ import annotations

import os
from pathlib import Path

from mercer import _mercer
from mercer._base import Estimator, threads_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def report(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    path: str | os.PathLike[str] = "report.html",
    *,
    title: str | None = None,
    data_name: str = "",
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Path:
    """Write the report of a fitted estimator: one HTML file that opens anywhere, and its JSON twin beside it.

    It has what ``mercer fit --report`` has: the scores and plots of the task on the given rows, which features matter, the
    drawn tree, what features add, how the model depends on them, the columns of the data, the steps, the certificate, and how
    to get it again. What an estimator does not have is left out. Each file is written whole or not at all.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's; a search stands for its best one.
    X : array, sparse matrix or frame, default=None
        What it is asked about, best such rows that it has not seen. Samplers and planners need none; for others, everything
        that needs rows is left out without them.
    y : array, default=None
        The target of the rows, of classifiers and regressors.
    path : str or path-like, default="report.html"
        Where to write. The twin has the extension ``.json``.
    title : str or None, default=None
        The heading; None is the name of the data and of the model.
    data_name : str, default=""
        What the data are called.
    sample_weight : array, default=None
        Weights of the rows in the scores.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    pathlib.Path
        Where the report is.

    Examples
    --------
    >>> import mercer
    >>> from mercer.tree import DecisionTreeClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, ["low", "low", "high", "high"] * 5
    >>> mercer.report(DecisionTreeClassifier().fit(X, y), X, y, "tree.html").name
    'tree.html'
    """
    estimator = getattr(estimator, "best_estimator_", estimator)
    if not isinstance(estimator, Estimator):
        raise TypeError(f"{type(estimator).__name__} is no estimator of Mercer's, which alone have reports")
    model, path = estimator._model, Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no directory {str(path.parent)!r}")
    given = ["" if X is None else ", X", "" if y is None else ", y"]
    call = f"mercer.report({' '.join(repr(estimator).split())}{''.join(given)}, path={str(path)!r})"
    data = _rows(estimator, model, X, y, sample_weight)
    _mercer.report(model, data, path, (title, data_name, call), (model.seed, threads_of(n_jobs)))
    return path


def _rows(estimator, model, X, y, sample_weight):
    """Rows, target and weights for the compiled part; None where there are no rows."""
    if X is None:
        if y is not None or sample_weight is not None:
            raise ValueError("`y` and `sample_weight` belong to rows: give `X`, too")
        return None
    from mercer._target import prepare_known_target, prepare_weights

    x = estimator._prepare(X, "report")
    target = weights = None
    if y is not None and estimator._mercer_task in ("Classification", "Regression"):
        target = prepare_known_target(estimator, y, model, x)
    if sample_weight is not None:
        weights = prepare_weights(sample_weight, x)
    return x, target, weights
