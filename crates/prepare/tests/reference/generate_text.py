"""What scikit-learn makes of awkward documents, frozen in text.json.

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.
Run in a throwaway environment: python generate_text.py > text.json
"""
import json
import warnings

from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

warnings.simplefilter("ignore")

DOCUMENTS = [
    "The quick brown fox jumps over the lazy dog; the dog sleeps.",
    "It's the dog's life, isn't it? A b c 1 22 333 a_b __init__ x_",
    "Café CAFÉ cafe\u0301 naïve Ærøskøbing Straße STRASSE ﬁne ½ ² Ⅷ",
    "ΟΔΥΣΣΕΥΣ Σ ΣΑΣ ὈΔΥΣΣΕΎΣ İstanbul ISTANBUL ıI",
    "日本語 テキスト 中文 한국어 العربية ١٢٣ हिन्दी",
    "emoji 🙂 ok🙂ok 👩‍👩‍👧 e\u0301clair ⒶⒷ ab\u200bcd non\u00a0breaking",
    "",
    "   ",
    "a b c",
    "tabs\tand\n\nnew  lines\r\n \x1c sep \u2003 wide",
    "word " * 300 + "end",
    "the the the dog dog fox",
    "CamelCase snake_case kebab-case 3.14 1e-5 user@example.com http://x.y/z?q=1",
    "quick brown fox quick brown fox",
]
NEW = ["the unknown dog", "", "quick brown cat 日本語", "ok ok OK caFÉ"]

VECTORS = [
    {},
    {"lowercase": False},
    {"strip_accents": "ascii"},
    {"strip_accents": "unicode"},
    {"strip_accents": "unicode", "lowercase": False},
    {"stop_words": "english"},
    {"stop_words": ["dog", "the", "日本語"], "ngram_range": [1, 2]},
    {"ngram_range": [1, 3]},
    {"ngram_range": [2, 2], "stop_words": "english"},
    {"analyzer": "char"},
    {"analyzer": "char", "ngram_range": [2, 4]},
    {"analyzer": "char", "ngram_range": [1, 2], "strip_accents": "unicode"},
    {"analyzer": "char_wb", "ngram_range": [2, 4]},
    {"analyzer": "char_wb", "ngram_range": [1, 5], "strip_accents": "ascii"},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-z]+'?[a-z]*"},
    {"token_pattern": r"(\w)\w*"},
    {"token_pattern": r"\S+"},
    {"min_df": 2},
    {"max_df": 2, "binary": True},
    {"min_df": 0.15, "max_df": 0.3},
    {"max_features": 6},
    {"max_features": 3, "binary": True},
    {"vocabulary": ["dog", "the", "zebra", "quick", "日本語"]},
    {"vocabulary": ["dog the", "quick brown"], "ngram_range": [2, 2]},
    {"binary": True},
]
WEIGHTS = [
    {},
    {"norm": "l1"},
    {"norm": None},
    {"use_idf": False},
    {"smooth_idf": False},
    {"sublinear_tf": True},
    {"sublinear_tf": True, "smooth_idf": False, "norm": None},
    {"ngram_range": [1, 2], "min_df": 2, "stop_words": "english"},
    {"binary": True, "norm": "l1", "use_idf": False},
    {"analyzer": "char_wb", "ngram_range": [3, 3], "max_features": 4},
    {"vocabulary": ["dog", "the", "quick", "word"]},
]
HASHES = [
    {"n_features": 32},
    {"n_features": 1048576},
    {"n_features": 16, "alternate_sign": False, "norm": None},
    {"n_features": 7, "norm": "l1", "ngram_range": [1, 2]},
    {"n_features": 64, "binary": True, "analyzer": "char", "ngram_range": [2, 3]},
    {"n_features": 50, "alternate_sign": False, "binary": True, "norm": None, "stop_words": "english"},
]


def arguments(params):
    return {k: tuple(v) if k == "ngram_range" else v for k, v in params.items()}


def triples(x):
    x = x.tocsr()
    x.sum_duplicates()
    x = x.tocoo()
    return sorted([int(i), int(j), float(v)] for i, j, v in zip(x.row, x.col, x.data))


def check_no_tie(kind, params):
    """numpy's sort is not stable: which of equally frequent terms stay would be luck."""
    if "max_features" in params:
        free = {k: v for k, v in params.items() if k in ("analyzer", "ngram_range", "binary")}
        totals = sorted(CountVectorizer(**arguments(free)).fit_transform(DOCUMENTS).sum(axis=0).tolist()[0])[::-1]
        most = params["max_features"]
        assert totals[most - 1] != totals[most], (params, totals[:60])


def case(kind, params):
    check_no_tie(kind, params)
    made = kind(**arguments(params))
    train = triples(made.fit_transform(DOCUMENTS))
    out = {"learner": kind.__name__, "params": params, "train": train, "new": triples(made.transform(NEW))}
    if kind is not HashingVectorizer:
        out["names"] = list(made.get_feature_names_out())
    return out


cases = [case(CountVectorizer, p) for p in VECTORS]
cases += [case(TfidfVectorizer, p) for p in WEIGHTS]
cases += [case(HashingVectorizer, p) for p in HASHES]
counts = CountVectorizer(max_features=12).fit(DOCUMENTS)
table = counts.transform(DOCUMENTS)
transformed = []
for p in [{}, {"norm": "l1"}, {"norm": None, "smooth_idf": False}, {"sublinear_tf": True, "use_idf": False}]:
    made = TfidfTransformer(**p).fit(table)
    transformed.append({"params": p, "train": triples(made.transform(table))})
print(
    json.dumps(
        {
            "documents": DOCUMENTS,
            "new": NEW,
            "cases": cases,
            "counts": table.toarray().tolist(),
            "transformed": transformed,
        },
        ensure_ascii=True,
    )
)
