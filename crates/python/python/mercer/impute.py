# Written by `cargo xtask python` from the catalogue; do not edit.
"""SimpleImputer."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import RowsMixin, TransformerMixin

__all__ = ["SimpleImputer"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class SimpleImputer(TransformerMixin, RowsMixin, Estimator):
    """Imputation: the mean, median, most frequent value or a constant in place of what is missing.

    Parameters
    ----------
    strategy : mean | median | most_frequent | constant, default="mean"
        What stands in for a missing value; columns that are no numbers take the most frequent one.
    fill_value : number in (-inf, inf), default=0.0
        The number used by the strategy `constant`.
    add_indicator : true or false, default=False
        Whether to add a 0/1 column for each column that had missing values in training.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019.
    """

    _mercer_name = "SimpleImputer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "text", "fills"})

    def __init__(
        self,
        strategy: Literal["mean", "median", "most_frequent", "constant"] = "mean",
        *,
        fill_value: float = 0.0,
        add_indicator: bool = False,
    ) -> None:
        self.strategy = strategy
        self.fill_value = fill_value
        self.add_indicator = add_indicator

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SimpleImputer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
