# Written by `cargo xtask python` from the catalogue; do not edit.
"""CountVectorizer, TfidfVectorizer, HashingVectorizer, TfidfTransformer."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import RowsMixin, StringsMixin, TransformerMixin
from mercer._scale import StatelessMixin
from mercer._vectorize import TfidfMixin, VectorizerMixin

__all__ = [
    "CountVectorizer",
    "TfidfVectorizer",
    "HashingVectorizer",
    "TfidfTransformer",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class CountVectorizer(VectorizerMixin, TransformerMixin, StringsMixin, Estimator):
    """Term counts: a sparse row for each document, a column for each term.

    Parameters
    ----------
    strip_accents : ascii | unicode or none, default=None
        Whether accents are taken off, and how: ascii keeps ASCII only, unicode drops combining marks.
    lowercase : true or false, default=True
        Whether documents are made lower case.
    analyzer : word | char | char_wb, default="word"
        What terms are made of.
    stop_words : list of text or none, default=None
        Words that are no terms: english, or a list.
    token_pattern : text, default="(?u)\\b\\w\\w+\\b"
        The regular expression of a word, or of its only group.
    ngram_range : list of integer, default=(1, 1)
        The least and the greatest number of words or characters in a term.
    max_df : number in [0, inf), default=1.0
        Terms in more documents than this (a number, or a share) get no column.
    min_df : number in [0, inf), default=1
        Terms in fewer documents than this (a number, or a share) get no column.
    max_features : integer or none in [1, inf), default=None
        How many terms get a column, the most frequent first; none means all.
    vocabulary : list of text or none, default=None
        The terms, where they are not to be learnt; their order is that of the columns.
    binary : true or false, default=False
        Whether a term counts once in a document.
    input : default='content'
        What documents are: 'content', 'file' or 'filename'.
    encoding : default='utf-8'
        The encoding of documents that are bytes.
    decode_error : default='strict'
        What to do with bytes that cannot be decoded: 'strict', 'ignore' or 'replace'.
    preprocessor : default=None
        A function in place of lower-casing and stripping of accents.
    tokenizer : default=None
        A function in place of `token_pattern`.
    dtype : default=int
        The type of the numbers that come out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Harris. Distributional structure. Word 10, 1954.
    """

    _mercer_name = "CountVectorizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "fills", "encodes"})
    _mercer_door = {"input": 'content', "encoding": 'utf-8', "decode_error": 'strict', "preprocessor": None, "tokenizer": None, "dtype": int}

    def __init__(
        self,
        strip_accents: Literal["ascii", "unicode"] | None = None,
        *,
        lowercase: bool = True,
        analyzer: Literal["word", "char", "char_wb"] = "word",
        stop_words: Sequence[str] | None = None,
        token_pattern: str = "(?u)\\b\\w\\w+\\b",
        ngram_range: Sequence[int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Sequence[str] | None = None,
        binary: bool = False,
        input: Any = 'content',
        encoding: Any = 'utf-8',
        decode_error: Any = 'strict',
        preprocessor: Any = None,
        tokenizer: Any = None,
        dtype: Any = int,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.analyzer = analyzer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> CountVectorizer:
        """Learn from a sequence of strings."""
        return self._fit(X, y)


class TfidfVectorizer(VectorizerMixin, TransformerMixin, StringsMixin, Estimator):
    """TF-IDF of documents: a sparse row for each, rare terms weighing more.

    Parameters
    ----------
    strip_accents : ascii | unicode or none, default=None
        Whether accents are taken off, and how: ascii keeps ASCII only, unicode drops combining marks.
    lowercase : true or false, default=True
        Whether documents are made lower case.
    analyzer : word | char | char_wb, default="word"
        What terms are made of.
    stop_words : list of text or none, default=None
        Words that are no terms: english, or a list.
    token_pattern : text, default="(?u)\\b\\w\\w+\\b"
        The regular expression of a word, or of its only group.
    ngram_range : list of integer, default=(1, 1)
        The least and the greatest number of words or characters in a term.
    max_df : number in [0, inf), default=1.0
        Terms in more documents than this (a number, or a share) get no column.
    min_df : number in [0, inf), default=1
        Terms in fewer documents than this (a number, or a share) get no column.
    max_features : integer or none in [1, inf), default=None
        How many terms get a column, the most frequent first; none means all.
    vocabulary : list of text or none, default=None
        The terms, where they are not to be learnt; their order is that of the columns.
    binary : true or false, default=False
        Whether a term counts once in a document.
    norm : l1 | l2 or none, default="l2"
        To what length rows are scaled; none leaves them.
    use_idf : true or false, default=True
        Whether rare terms gain weight.
    smooth_idf : true or false, default=True
        Whether one document more, holding every term, is counted (formula log).
    sublinear_tf : true or false, default=False
        Whether a count x becomes 1 + ln x.
    formula : log | ratio, default="log"
        How rare terms gain weight: scikit-learn's smooth logarithm, or the plain ratio.
    input : default='content'
        What documents are: 'content', 'file' or 'filename'.
    encoding : default='utf-8'
        The encoding of documents that are bytes.
    decode_error : default='strict'
        What to do with bytes that cannot be decoded: 'strict', 'ignore' or 'replace'.
    preprocessor : default=None
        A function in place of lower-casing and stripping of accents.
    tokenizer : default=None
        A function in place of `token_pattern`.
    dtype : default=float
        The type of the numbers that come out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972.
    """

    _mercer_name = "TfidfVectorizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "fills", "encodes"})
    _mercer_door = {"input": 'content', "encoding": 'utf-8', "decode_error": 'strict', "preprocessor": None, "tokenizer": None, "dtype": float}

    def __init__(
        self,
        strip_accents: Literal["ascii", "unicode"] | None = None,
        *,
        lowercase: bool = True,
        analyzer: Literal["word", "char", "char_wb"] = "word",
        stop_words: Sequence[str] | None = None,
        token_pattern: str = "(?u)\\b\\w\\w+\\b",
        ngram_range: Sequence[int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Sequence[str] | None = None,
        binary: bool = False,
        norm: Literal["l1", "l2"] | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        formula: Literal["log", "ratio"] = "log",
        input: Any = 'content',
        encoding: Any = 'utf-8',
        decode_error: Any = 'strict',
        preprocessor: Any = None,
        tokenizer: Any = None,
        dtype: Any = float,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.analyzer = analyzer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.formula = formula
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> TfidfVectorizer:
        """Learn from a sequence of strings."""
        return self._fit(X, y)


class HashingVectorizer(StatelessMixin, VectorizerMixin, TransformerMixin, StringsMixin, Estimator):
    """Hashed term counts: a sparse row for each document, without a vocabulary.

    Parameters
    ----------
    strip_accents : ascii | unicode or none, default=None
        Whether accents are taken off, and how: ascii keeps ASCII only, unicode drops combining marks.
    lowercase : true or false, default=True
        Whether documents are made lower case.
    stop_words : list of text or none, default=None
        Words that are no terms: english, or a list.
    token_pattern : text, default="(?u)\\b\\w\\w+\\b"
        The regular expression of a word, or of its only group.
    ngram_range : list of integer, default=(1, 1)
        The least and the greatest number of words or characters in a term.
    analyzer : word | char | char_wb, default="word"
        What terms are made of.
    n_features : integer in [1, 2147483647], default=1048576
        Number of columns.
    binary : true or false, default=False
        Whether every entry is 1.
    norm : l1 | l2 or none, default="l2"
        To what length rows are scaled; none leaves them.
    alternate_sign : true or false, default=True
        Whether half of the terms count negatively, so that collisions cancel on average.
    input : default='content'
        What documents are: 'content', 'file' or 'filename'.
    encoding : default='utf-8'
        The encoding of documents that are bytes.
    decode_error : default='strict'
        What to do with bytes that cannot be decoded: 'strict', 'ignore' or 'replace'.
    preprocessor : default=None
        A function in place of lower-casing and stripping of accents.
    tokenizer : default=None
        A function in place of `token_pattern`.
    dtype : default=float
        The type of the numbers that come out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Weinberger et al. Feature hashing for large scale multitask learning. ICML 2009.
    """

    _mercer_name = "HashingVectorizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "fills", "encodes"})
    _mercer_door = {"input": 'content', "encoding": 'utf-8', "decode_error": 'strict', "preprocessor": None, "tokenizer": None, "dtype": float}

    def __init__(
        self,
        strip_accents: Literal["ascii", "unicode"] | None = None,
        *,
        lowercase: bool = True,
        stop_words: Sequence[str] | None = None,
        token_pattern: str = "(?u)\\b\\w\\w+\\b",
        ngram_range: Sequence[int] = (1, 1),
        analyzer: Literal["word", "char", "char_wb"] = "word",
        n_features: int = 1048576,
        binary: bool = False,
        norm: Literal["l1", "l2"] | None = "l2",
        alternate_sign: bool = True,
        input: Any = 'content',
        encoding: Any = 'utf-8',
        decode_error: Any = 'strict',
        preprocessor: Any = None,
        tokenizer: Any = None,
        dtype: Any = float,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> HashingVectorizer:
        """Learn from a sequence of strings."""
        return self._fit(X, y)


class TfidfTransformer(TfidfMixin, TransformerMixin, RowsMixin, Estimator):
    """TF-IDF: rows of counts weighted by how few rows hold a term.

    Parameters
    ----------
    norm : l1 | l2 or none, default="l2"
        To what length rows are scaled; none leaves them.
    use_idf : true or false, default=True
        Whether rare terms gain weight.
    smooth_idf : true or false, default=True
        Whether one row more, holding every term, is counted (formula log).
    sublinear_tf : true or false, default=False
        Whether a count x becomes 1 + ln x.
    formula : log | ratio, default="log"
        How rare terms gain weight: scikit-learn's smooth logarithm, or the plain ratio.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972.
    """

    _mercer_name = "TfidfTransformer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse"})

    def __init__(
        self,
        norm: Literal["l1", "l2"] | None = "l2",
        *,
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        formula: Literal["log", "ratio"] = "log",
    ) -> None:
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.formula = formula

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> TfidfTransformer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
