"""Topics by Gibbs sampling: 20,000 documents of a hundred words, 100 topics, 100 sweeps; quality is held-out perplexity.

Perplexities of single chains differ by chance: chains of several seeds are run, and all count.
"""

import numpy as np

from tasks import _topics

TITLE = "LDA by Gibbs, 19k documents, 1.9M words, 100 topics"
WANTED = {"fit": 1.2}
REPEATS, SEEDS = 1, 4
SLACK = 0.01
SWEEPS, TOPICS = 100, 100


def data(folder):
    _topics.write(folder, 20_000, 80, 100, 11)


read = _topics.read


def ours(arrays):
    from mercer.topics import GibbsTopics

    x, held_out = arrays
    options = dict(doc_topic_prior=0.1, topic_word_prior=0.01, learn_prior=False, burn_in=SWEEPS - 1, n_samples=1, thin=1)

    def fit():
        return [GibbsTopics(TOPICS, random_state=seed, **options).fit(x) for seed in range(SEEDS)]

    def quality(models):
        return np.mean([_topics.perplexity(m.components_, m.doc_topic_prior_, held_out) for m in models])

    return {"fit": fit, "predict": lambda models: models[0].transform(held_out), "quality": quality}


def tomotopy(arrays):
    import tomotopy

    x, held_out = arrays
    # Reading documents is not counted.
    documents = [[str(j) for j in np.repeat(row.indices, row.data.astype(int))] for row in x]

    def model(seed):
        out = tomotopy.LDAModel(k=TOPICS, alpha=0.1, eta=0.01, seed=seed)
        out.optim_interval = 0
        for document in documents:
            out.add_doc(document)
        out.train(0)
        return out

    models = [model(seed) for seed in range(1, SEEDS + 1)]

    def fit():
        for one in models:
            one.train(SWEEPS, workers=2)
        return models

    def perplexity(m):
        words = np.full((TOPICS, x.shape[1]), 1e-12)
        words[:, [int(word) for word in m.used_vocabs]] = [m.get_topic_word_dist(t) for t in range(TOPICS)]
        return _topics.perplexity(words, np.array(m.alpha), held_out)

    def quality(models):
        return np.mean([perplexity(m) for m in models])

    return {"fit": fit, "quality": quality}


CONTENDERS = {"mercer": ours, "tomotopy": tomotopy}
