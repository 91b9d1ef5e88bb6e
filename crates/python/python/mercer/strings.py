"""Kernels of strings, for every learner that takes a kernel: ``SVC(kernel=Subsequence(length=3))``."""

from __future__ import annotations

from mercer._structures import StructureKernel, truth

__all__ = ["Mismatch", "Spectrum", "Subsequence"]


class _StringKernel(StructureKernel):
    _kind = "strings"


class Spectrum(_StringKernel):
    """The number of common substrings (Leslie, Eskin and Noble 2002).

    Parameters
    ----------
    length : int, default=3
        The length of the substrings.
    blended : bool, default=False
        Whether shorter substrings count, too.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both strings with themselves.
    """

    def __init__(self, length=3, blended=False, normalize=False):
        self.length = length
        self.blended = blended
        self.normalize = normalize

    def _grammar(self):
        return f"spectrum(length={self.length}, blended={truth(self.blended)})"


class Mismatch(_StringKernel):
    """The number of common substrings, each of which stands for all that differ from it in at most ``m`` letters (Leslie et al. 2004).

    Parameters
    ----------
    k : int, default=3
        The length of the substrings.
    m : int, default=1
        In how many letters they may differ.
    alphabet : int, default=20
        How many letters there are: 4 for DNA, 20 for proteins.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both strings with themselves.
    """

    def __init__(self, k=3, m=1, alphabet=20, normalize=False):
        self.k = k
        self.m = m
        self.alphabet = alphabet
        self.normalize = normalize

    def _grammar(self):
        return f"mismatch(k={self.k}, m={self.m}, alphabet={self.alphabet})"


class Subsequence(_StringKernel):
    """Common subsequences with gaps, those that are spread out counting less (Lodhi et al. 2002).

    Parameters
    ----------
    length : int, default=3
        The number of letters.
    decay : float, default=0.5
        Each letter that a subsequence spans counts this factor.
    normalize : bool, default=False
        Whether values are divided by the roots of those of both strings with themselves.
    """

    def __init__(self, length=3, decay=0.5, normalize=False):
        self.length = length
        self.decay = decay
        self.normalize = normalize

    def _grammar(self):
        return f"subsequence(length={self.length}, decay={float(self.decay)!r})"
