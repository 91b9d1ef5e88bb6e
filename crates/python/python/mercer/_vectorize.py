"""Vectorisers of texts as scikit-learn has them: documents from files and bytes, functions that take them apart, and the
vocabulary as a dict. What a function takes apart goes to the compiled part as terms joined by a mark."""

import re
import unicodedata
import warnings
from collections.abc import Mapping
from functools import partial

from mercer._lazy import Lazy

np = Lazy("numpy")
_output = Lazy("mercer._output")

# Between terms that are found already; no text holds it but by malice.
_MARK = "\x1f"
_WORDS = r"(?u)\b\w\w+\b"


def _unicode_accents(text):
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _ascii_accents(text):
    return unicodedata.normalize("NFKD", text).encode("ASCII", "ignore").decode("ASCII")


def _no_frames(self):
    raise AttributeError(f"{type(self).__name__!r} object has no attribute 'set_output'")


def _prepared(text, lower, strip):
    text = text.lower() if lower else text
    return strip(text) if strip is not None else text


def _analyzed(doc, decode, prepare=None, split=None, stop=None, grams=None, lengths=(1, 1)):
    """The terms of a document: decoded, prepared, taken apart, without stop words, in runs."""
    found = decode(doc)
    found = prepare(found) if prepare is not None else found
    found = split(found) if split is not None else found
    if stop is not None:
        found = [word for word in found if word not in stop]
    return grams(found, *lengths) if grams is not None else found


class VectorizerMixin:
    """What all vectorisers share."""

    _door_meant = frozenset("input encoding decode_error preprocessor tokenizer dtype".split())

    # Documents

    def decode(self, doc):
        """A document as text: read from a file or its name, decoded from bytes."""
        if self.input == "filename":
            with open(doc, "rb") as file:
                doc = file.read()
        elif self.input == "file":
            doc = doc.read()
        if isinstance(doc, bytes):
            doc = doc.decode(self.encoding, self.decode_error)
        if doc is np.nan or isinstance(doc, float):
            raise ValueError("np.nan is an invalid document, expected byte or unicode string.")
        return doc

    def build_preprocessor(self):
        """The function that prepares a text: lower case, without accents."""
        if self.preprocessor is not None:
            return self.preprocessor
        strip = self.strip_accents
        named = {None: None, "ascii": _ascii_accents, "unicode": _unicode_accents}
        if not callable(strip) and strip not in named:
            raise ValueError(f'Invalid value for "strip_accents": {strip}')
        return partial(_prepared, lower=self.lowercase, strip=strip if callable(strip) else named[strip])

    def build_tokenizer(self):
        """The function that takes a text apart into words."""
        if self.tokenizer is not None:
            return self.tokenizer
        pattern = re.compile(self.token_pattern)
        if pattern.groups > 1:
            raise ValueError("More than 1 capturing group in token pattern. Only a single group should be captured.")
        return pattern.findall

    def get_stop_words(self):
        """The words that are left out, or None."""
        given = self.stop_words
        if given == "english":
            from mercer import _mercer

            return frozenset(_mercer.stop_words())
        if isinstance(given, str):
            raise ValueError(f"not a built-in stop list: {given}")
        return None if given is None else frozenset(given)

    def build_analyzer(self):
        """The function that takes a document apart into terms."""
        if callable(self.analyzer):
            return partial(_analyzed, decode=self.decode, split=self.analyzer)
        prepare = self.build_preprocessor()
        if self.analyzer in ("char", "char_wb"):
            grams = _char_grams if self.analyzer == "char" else _char_grams_in_words
            return partial(_analyzed, decode=self.decode, prepare=prepare, grams=grams, lengths=self.ngram_range)
        if self.analyzer != "word":
            raise ValueError(f"{self.analyzer} is not a valid tokenization scheme/analyzer")
        stop, split = self.get_stop_words(), self.build_tokenizer()
        self._check_stop_words_consistency(stop, prepare, split)
        steps = {"prepare": prepare, "split": split, "stop": stop, "grams": _word_grams, "lengths": self.ngram_range}
        return partial(_analyzed, decode=self.decode, **steps)

    def _check_stop_words_consistency(self, stop_words, preprocess, tokenize):
        """Warns where stop words are no words after preparation; None where that was told already."""
        if id(self.stop_words) == self.__dict__.get("_stop_words_id"):
            return None
        try:
            strange = {word for given in stop_words or () for word in tokenize(preprocess(given)) if word not in stop_words}
        except Exception:  # What a user's function makes of a stop word alone is its own affair.
            return "error"
        self.__dict__["_stop_words_id"] = id(self.stop_words)
        if strange:
            warnings.warn(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words generated tokens "
                f"{sorted(strange)!r} not in stop_words.",
                UserWarning,
                stacklevel=3,
            )
        return not strange

    # What goes to the compiled part

    def _by_function(self):
        return callable(self.analyzer) or self.tokenizer is not None or self.preprocessor is not None or callable(self.strip_accents)

    def _core_params(self):
        params = super()._core_params()
        stop = params["stop_words"]
        if self._by_function():
            params.update(analyzer="word", token_pattern=f"[^{_MARK}]+", lowercase=False, strip_accents=None)
            params.update(stop_words=None, ngram_range=(1, 1))
        elif isinstance(stop, (set, frozenset)):
            params["stop_words"] = sorted(stop)
        if params.get("vocabulary") is not None:
            params["vocabulary"] = self._terms_given()
        return params

    def _terms_given(self):
        """The terms of a given vocabulary, in the order of their columns."""
        given = self.vocabulary
        kept = self.__dict__.get("_terms")
        if kept is not None and kept[0] is given:
            return kept[1]
        terms = self._checked_terms(given)
        if not isinstance(given, (Mapping, list, tuple, set, frozenset)):
            # What can be read once is read once.
            self.__dict__["_terms"] = given, terms
        return terms

    def _checked_terms(self, given):
        if isinstance(given, Mapping):
            places = set(given.values())
            if len(places) != len(given):
                raise ValueError("Vocabulary contains repeated indices.")
            for i in range(len(given)):
                if i not in places:
                    raise ValueError(f"Vocabulary of size {len(given)} doesn't contain index {i}.")
            given = sorted(given, key=given.get)
        else:
            given = sorted(given) if isinstance(given, (set, frozenset)) else list(given)
            seen = set()
            for term in given:
                if term in seen:
                    raise ValueError(f"Duplicate term in vocabulary: {term!r}")
                seen.add(term)
        if not given:
            raise ValueError("empty vocabulary passed to fit")
        return given

    def _prepare_fit(self, X):
        return self._documents(X), None

    def _documents(self, X):
        from mercer._data import prepare_strings

        if isinstance(X, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        low, high = self.ngram_range
        if low > high:
            raise ValueError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the upper boundary."
            )
        if self._by_function():
            analyze = self.build_analyzer()
            return prepare_strings(self, [_MARK.join(analyze(doc)) for doc in X])
        texts = [doc if type(doc) is str and self.input == "content" else self.decode(doc) for doc in X]
        for doc in texts:
            if not isinstance(doc, str):
                raise AttributeError(f"{type(doc).__name__!r} object has no attribute 'lower'")
        if self.stop_words is not None and self.analyzer == "word":
            prepare, split = self.build_preprocessor(), self.build_tokenizer()
            self._check_stop_words_consistency(self.get_stop_words(), prepare, split)
        return prepare_strings(self, texts)

    def _warn_unused(self):
        by_words = self.analyzer == "word"
        unused = [
            ("token_pattern", self.tokenizer is not None and self.token_pattern is not None, "'tokenizer' is not None'"),
            ("preprocessor", self.preprocessor is not None and callable(self.analyzer), "'analyzer' is callable'"),
            ("ngram_range", tuple(self.ngram_range) != (1, 1) and callable(self.analyzer), "'analyzer' is callable'"),
            ("stop_words", self.stop_words is not None and not by_words, "'analyzer' != 'word'"),
            ("token_pattern", self.token_pattern not in (None, _WORDS) and not by_words, "'analyzer' != 'word'"),
            ("tokenizer", self.tokenizer is not None and not by_words, "'analyzer' != 'word'"),
        ]
        for name, is_unused, why in unused:
            if is_unused:
                warnings.warn(f"The parameter {name!r} will not be used since {why}", UserWarning, stacklevel=5)

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._warn_unused()
        if not self._by_function() and self.analyzer == "word":
            self.build_tokenizer()
        if getattr(self, "vocabulary", None) is not None and self.lowercase:
            if any(any(c.isupper() for c in term) for term in map(str, self._terms_given())):
                warnings.warn(
                    "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be matched "
                    "with any documents",
                    UserWarning,
                    stacklevel=5,
                )
        if hasattr(self, "use_idf") and np.dtype(self.dtype) not in (np.float64, np.float32):
            warnings.warn(
                f"Only (float64, float32) 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
                stacklevel=5,
            )
        try:
            return super()._learn(fit, X, y, sample_weight, **extra)
        except ValueError as error:
            raise _in_scikit_words(error) from None

    @property
    def fixed_vocabulary_(self):
        """Whether the vocabulary was given."""
        return self.vocabulary is not None

    @property
    def vocabulary_(self):
        """The column of each term."""
        terms = self._ready().attributes()["vocabulary_"]
        return {term: column for column, term in enumerate(terms.tolist())}

    def _ready(self):
        """The model; one that only knows the given vocabulary where nothing was learnt yet."""
        if not self.fitted and getattr(self, "vocabulary", None) is not None and not self._mercer_weighs:
            self._fit([" ".join(self._terms_given())])
        elif not self.fitted:
            from mercer._exceptions import not_fitted_error

            if self._mercer_weighs:
                raise not_fitted_error("The TF-IDF vectorizer is not fitted")
            raise not_fitted_error("Vocabulary not fitted or provided")
        return self._model

    @property
    def _mercer_weighs(self):
        return hasattr(self, "use_idf") and self.use_idf

    def fit_transform(self, X, y=None):
        """Learn the vocabulary, and count the terms of the same documents."""
        if not isinstance(X, (list, tuple, str)) and not hasattr(X, "shape"):
            X = list(X)
        return self.fit(X, y).transform(X)

    def transform(self, X):
        """The terms of documents, as a sparse matrix of type `dtype`."""
        if isinstance(X, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        model = self._ready()
        dtype = self.dtype
        if hasattr(self, "use_idf") and np.dtype(dtype).kind != "f":
            dtype = np.float64
        return _output.transformed(self, model.transform(self._documents(X)), None, dtype=dtype)

    # Rows of terms are sparse, which no frame is.
    set_output = property(_no_frames)

    def inverse_transform(self, X):
        """The terms of each row that are not zero."""
        self._ready()
        from scipy.sparse import csr_matrix

        rows, terms = csr_matrix(X), self._model.attributes()["vocabulary_"]
        terms = np.asarray(terms.tolist())
        return [terms[np.sort(rows.indices[a:b][rows.data[a:b] != 0])] for a, b in zip(rows.indptr, rows.indptr[1:])]


def _in_scikit_words(error):
    """Errors that scikit-learn's users know by its words."""
    text = str(error)
    for ours, theirs in (
        ("term", "empty vocabulary; perhaps the documents only contain stop words"),
        ("max_df", "max_df corresponds to < documents than min_df"),
    ):
        if ours in text and ("needs at least" in text or "min_df" in text):
            return ValueError(f"{theirs} ({text})")
    return error


def _word_grams(words, low, high):
    """Runs of words, joined by blanks."""
    if high == 1:
        return list(words)
    words = list(words)
    grams = list(words) if low == 1 else []
    for n in range(max(low, 2), min(high, len(words)) + 1):
        grams += [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    return grams


_BLANKS = re.compile(r"\s\s+")


def _char_grams(text, low, high):
    """Runs of characters."""
    text = _BLANKS.sub(" ", text)
    grams = list(text) if low == 1 else []
    for n in range(max(low, 2), min(high, len(text)) + 1):
        grams += [text[i : i + n] for i in range(len(text) - n + 1)]
    return grams


def _char_grams_in_words(text, low, high):
    """Runs of characters within words, which have a blank at either side."""
    grams = []
    for word in _BLANKS.sub(" ", text).split():
        word = f" {word} "
        for n in range(low, high + 1):
            grams.append(word[:n])
            for i in range(1, len(word) - n + 1):
                grams.append(word[i : i + n])
            if n >= len(word):
                # A short word is counted once.
                break
    return grams


class TfidfMixin:
    """TF-IDF."""

    set_output = property(_no_frames)

    def transform(self, X, copy=True):
        """Weigh counts; `copy` is there for scikit-learn's sake: what is given is never written to."""
        made = super().transform(X)
        return made.tocsr() if hasattr(made, "tocsr") else made
