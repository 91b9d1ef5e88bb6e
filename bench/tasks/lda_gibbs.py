"""Topics by Gibbs sampling: 20,000 documents of a hundred words, 100 topics, 100 sweeps; quality is held-out perplexity."""

import numpy as np

from tasks import _topics

TITLE = "LDA by Gibbs, 19k documents, 1.9M words, 100 topics"
WANTED = {"fit": 1.2}
REPEATS = 2
# Perplexities of single chains differ by chance.
SLACK = 0.01
SWEEPS, TOPICS = 100, 100


def data(folder):
    _topics.write(folder, 20_000, 80, 100, 11)


read = _topics.read


def ours(arrays):
    from mercer.topics import GibbsTopics

    x, held_out = arrays
    options = dict(doc_topic_prior=0.1, topic_word_prior=0.01, learn_prior=False, burn_in=SWEEPS - 1, n_samples=1, thin=1)

    def quality(model):
        return _topics.perplexity(model.components_, model.doc_topic_prior_, held_out)

    return {"fit": lambda: GibbsTopics(TOPICS, random_state=1, **options).fit(x), "predict": lambda m: m.transform(held_out),
            "quality": quality}


def tomotopy(arrays):
    import tomotopy

    x, held_out = arrays
    # Reading documents is not counted.
    documents = [[str(j) for j in np.repeat(row.indices, row.data.astype(int))] for row in x]

    def model():
        out = tomotopy.LDAModel(k=TOPICS, alpha=0.1, eta=0.01, seed=1)
        out.optim_interval = 0
        for document in documents:
            out.add_doc(document)
        out.train(0)
        return out

    made = [model() for _ in range(REPEATS)]

    def fit():
        out = made.pop()
        out.train(SWEEPS, workers=2)
        return out

    def quality(m):
        words = np.full((TOPICS, x.shape[1]), 1e-12)
        words[:, [int(word) for word in m.used_vocabs]] = [m.get_topic_word_dist(t) for t in range(TOPICS)]
        return _topics.perplexity(words, np.array(m.alpha), held_out)

    return {"fit": fit, "quality": quality}


CONTENDERS = {"mercer": ours, "tomotopy": tomotopy}
