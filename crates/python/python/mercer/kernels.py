# Written by `cargo xtask python` from the catalogue; do not edit.
"""SpectrumPerceptron."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, DecisionMixin, StringsMixin

__all__ = [
    "SpectrumPerceptron",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class SpectrumPerceptron(ClassifierMixin, DecisionMixin, StringsMixin, Estimator):
    """A multiclass perceptron on strings, through the spectrum kernel.

    Parameters
    ----------
    length : integer in [1, 64], default=3
        The length of the substrings that are counted, in characters.
    blended : true or false, default=True
        Whether shorter substrings count, too.
    normalize : true or false, default=True
        Whether strings are scaled to length one in feature space.
    averaged : true or false, default=True
        Whether predictions use the mean of the weights over all steps, which errs less on new strings.
    max_iter : integer in [1, inf), default=50
        Limit of passes over the strings.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Leslie, Eskin, Noble. The spectrum kernel. PSB 2002.
    - Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
    """

    _mercer_name = "SpectrumPerceptron"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"decision", "ordered", "random"})

    def __init__(
        self,
        length: int = 3,
        *,
        blended: bool = True,
        normalize: bool = True,
        averaged: bool = True,
        max_iter: int = 50,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.length = length
        self.blended = blended
        self.normalize = normalize
        self.averaged = averaged
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> SpectrumPerceptron:
        """Learn from a sequence of strings and their classes."""
        return self._fit(X, y)
