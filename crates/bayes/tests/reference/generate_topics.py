"""Frozen reference values of topics: variational updates of scikit-learn, and held-out perplexities of tomotopy's Gibbs sampler.

Pinned: scikit-learn 1.9.1, tomotopy 0.14.0, numpy 2.4.6. Run: python generate_topics.py lee-news.csv > topics.json

scikit-learn draws a document's first γ in training; here it begins at 1, as in its `transform`, and topics begin at values that are
frozen, too. Documents of lee-news are rows of counts; of each the perplexity of every other word is told, given the rest.
"""

import csv
import json
import sys

import numpy as np
import sklearn
import tomotopy
from scipy.special import psi
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
assert tomotopy.__version__ == "0.14.0", tomotopy.__version__
rng = np.random.default_rng(20261118)
k, n, d = 3, 24, 9
share = rng.dirichlet(np.full(d, 0.3), k)
x = np.array([rng.multinomial(rng.integers(0, 30), rng.dirichlet(np.full(k, 0.2)) @ share) for _ in range(n)]).astype(float)
x[5] = 0
x[7, 2] = 1.5
start = rng.gamma(100, 0.01, (k, d))


class FromOnes(LatentDirichletAllocation):
    def _init_latent_vars(self, n_features, dtype=np.float64):
        super()._init_latent_vars(n_features, dtype)
        self.components_ = start.copy()
        from sklearn.decomposition._online_lda_fast import _dirichlet_expectation_2d

        self.exp_dirichlet_component_ = np.exp(_dirichlet_expectation_2d(self.components_))

    def _e_step(self, X, cal_sstats, random_init, parallel=None):
        return super()._e_step(X, cal_sstats, False, parallel)


cases = []
for name, params, batches in [
    ("batch", {"max_iter": 7}, None),
    ("one pass", {"max_iter": 1, "doc_topic_prior": 0.7, "topic_word_prior": 0.05}, None),
    ("no pass", {"max_iter": 0}, None),
    ("exact documents", {"max_iter": 30, "mean_change_tol": 1e-12, "max_doc_update_iter": 5000}, None),
    ("few rounds", {"max_iter": 4, "max_doc_update_iter": 2}, None),
    ("ends early", {"max_iter": 200, "evaluate_every": 3, "perp_tol": 1e-3}, None),
    ("online", {"max_iter": 3, "learning_method": "online", "batch_size": 7, "learning_decay": 0.6, "learning_offset": 4.0}, None),
    ("batch by batch", {"batch_size": 5, "total_samples": 100.0, "doc_topic_prior": 0.2}, [(0, 10), (10, 24)]),
]:
    model = FromOnes(n_components=k, random_state=0, **params)
    if batches is None:
        model.fit(x)
    else:
        for a, b in batches:
            model.partial_fit(x[a:b])
    case = {"name": name, "params": params, "batches": batches, "components_": model.components_.tolist(),
            "exp_dirichlet_component_": model.exp_dirichlet_component_.tolist(), "n_batch_iter_": model.n_batch_iter_,
            "shares": model.transform(x).tolist(), "score": model.score(x), "perplexity": model.perplexity(x)}
    if batches is None:
        case["bound_"] = model.bound_
    cases.append(case)

texts = [row["text"] for row in csv.DictReader(open(sys.argv[1], encoding="utf-8"))]
counter = CountVectorizer(min_df=12, max_df=0.5, stop_words="english")
counts = counter.fit_transform(texts).tocsr()
counts.sort_indices()
names = counter.get_feature_names_out()
documents = [np.repeat(row.indices, row.data).tolist() for row in counts]
train, test = documents[: len(documents) * 4 // 5], documents[len(documents) * 4 // 5:]


def completion(words, alpha):
    """The perplexity of every other word of test documents under topics × words, and the prior of shares."""
    log, total = 0.0, 0
    for document in test:
        first, second = document[0::2], document[1::2]
        weights, gamma = words[:, first], np.ones(len(alpha))
        for _ in range(1000):
            theta = np.exp(psi(gamma) - psi(gamma.sum()))
            new = alpha + theta * (weights / (theta @ weights + np.finfo(float).eps)).sum(axis=1)
            change, gamma = np.abs(new - gamma).mean(), new
            if change < 1e-6:
                break
        log += np.log(gamma / gamma.sum() @ words[:, second]).sum()
        total += len(second)
    return float(np.exp(-log / total))


def tomotopy_perplexity(seed):
    model = tomotopy.LDAModel(k=10, alpha=0.1, eta=0.01, seed=seed)
    model.optim_interval = 0
    for document in train:
        model.add_doc([names[j] for j in document])
    model.train(300, workers=1)
    # Words of test documents alone have what is left of the prior.
    totals = np.array(model.get_count_by_topics())[:, None]
    words = np.full((10, len(names)), 0.01) / (totals + 0.01 * len(names))
    places = {name: j for j, name in enumerate(names)}
    at = [places[word] for word in model.used_vocabs]
    own = np.array([model.get_topic_word_dist(t) for t in range(10)]) * (totals + 0.01 * len(model.used_vocabs))
    words[:, at] = own / (totals + 0.01 * len(names))
    return completion(words, np.array(model.alpha))


# tomotopy numbers words as they come: those that are in test documents alone count in its prior as ours do.
perplexities = [tomotopy_perplexity(seed) for seed in range(1, 13)]
json.dump({"scikit-learn": sklearn.__version__, "tomotopy": tomotopy.__version__, "x": x.tolist(), "start": start.tolist(),
           "cases": cases, "words": len(names), "train": train, "test": test, "perplexities": perplexities}, sys.stdout,
          separators=(",", ":"))
