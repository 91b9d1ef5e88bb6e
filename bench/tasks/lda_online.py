"""Topics by variational Bayes, online and in batches: 20,000 documents of a hundred words, 20 topics; quality is held-out perplexity.

It differs by the seed, which says where topics begin: several are fitted, and all count.
"""

import numpy as np

from tasks import _topics

TITLE = "LDA by variational Bayes, 19k documents, 20 topics"
WANTED = {"fit": 3, "predict": 3}
REPEATS, SEEDS = 1, 4
SLACK = 0.01


def data(folder):
    _topics.write(folder, 20_000, 80, 100, 12)


read = _topics.read


def _contender(module, **options):
    def build(arrays):
        import importlib

        x, held_out = arrays
        make = importlib.import_module(module).LatentDirichletAllocation

        def fit():
            return [make(20, random_state=seed, **options).fit(x) for seed in range(SEEDS)]

        def perplexity(model):
            return _topics.perplexity(
                model.components_ / model.components_.sum(axis=1, keepdims=True), [1 / 20] * 20, held_out
            )

        def quality(models):
            return np.mean([perplexity(m) for m in models])

        return {"fit": fit, "predict": lambda models: models[0].transform(held_out), "quality": quality}

    return build


ONLINE = {"learning_method": "online", "batch_size": 512, "max_iter": 2}
BATCH = {"max_iter": 5}
CONTENDERS = {
    "mercer": _contender("mercer.topics", **ONLINE),
    "mercer batch": _contender("mercer.topics", **BATCH),
    "sklearn": _contender("sklearn.decomposition", n_jobs=2, **ONLINE),
    "sklearn batch": _contender("sklearn.decomposition", n_jobs=2, **BATCH),
}
