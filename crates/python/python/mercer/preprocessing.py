# Written by `cargo xtask python` from the catalogue; do not edit.
"""StandardScaler, OneHotEncoder, SelectColumns."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import InverseMixin, RowsMixin, TransformerMixin

__all__ = ["StandardScaler", "OneHotEncoder", "SelectColumns"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class StandardScaler(TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Standardisation: each numeric feature to mean 0 and standard deviation 1; other columns pass through.

    Parameters
    ----------
    with_mean : true or false, default=True
        Whether to subtract the mean; not possible on sparse rows.
    with_std : true or false, default=True
        Whether to divide by the standard deviation.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Chan, Golub, LeVeque. Updating formulae and a pairwise algorithm for computing sample variances. 1979.
    """

    _mercer_name = "StandardScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "by_sums"})

    def __init__(
        self,
        with_mean: bool = True,
        *,
        with_std: bool = True,
    ) -> None:
        self.with_mean = with_mean
        self.with_std = with_std

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> StandardScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class OneHotEncoder(TransformerMixin, RowsMixin, Estimator):
    """One-hot encoding: a 0/1 column for each level.

    Parameters
    ----------
    columns : auto | all, default="auto"
        Which columns are encoded.
    drop : first | if_binary or none, default=None
        Which level gets no column; none means that all do.
    handle_unknown : error | ignore, default="error"
        What to do with a level that training did not see.
    sparse_output : true or false, default=True
        Whether the result is sparse.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Suits. Use of dummy variables in regression equations. JASA 52, 1957.
    """

    _mercer_name = "OneHotEncoder"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "encodes"})

    def __init__(
        self,
        columns: Literal["auto", "all"] = "auto",
        *,
        drop: Literal["first", "if_binary"] | None = None,
        handle_unknown: Literal["error", "ignore"] = "error",
        sparse_output: bool = True,
    ) -> None:
        self.columns = columns
        self.drop = drop
        self.handle_unknown = handle_unknown
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneHotEncoder:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class SelectColumns(TransformerMixin, RowsMixin, Estimator):
    """Column selection by name: keeps some columns, or drops some.

    Parameters
    ----------
    keep : list of text or none, default=None
        The columns to keep, in this order; none means all that are not dropped.
    drop : list of text, default=()
        The columns to leave out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.
    """

    _mercer_name = "SelectColumns"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "text"})

    def __init__(
        self,
        keep: Sequence[str] | None = None,
        *,
        drop: Sequence[str] = (),
    ) -> None:
        self.keep = keep
        self.drop = drop

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SelectColumns:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
