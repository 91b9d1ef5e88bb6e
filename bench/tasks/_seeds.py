"""Contenders whose luck decides both time and quality: several seeds are fitted, and all count."""

import numpy as np


def contender(make, seeds):
    """`make(seed)` is fitted with each seed; `quality` is the mean inertia a row."""

    def build(x):
        def fit():
            return [make(seed).fit(x) for seed in range(seeds)]

        def quality(models):
            return float(np.mean([m.inertia_ for m in models])) / len(x)

        return {"fit": fit, "predict": lambda ms: ms[0].predict(x), "quality": quality}

    return build
