"""References for learners from neighbours and for kernel densities, by scikit-learn 1.9.1 (numpy 2.4.6, scipy 1.17.1).

    python generate_neighbors.py > neighbors.json
"""

import json
import sys

import numpy as np
from sklearn.neighbors import (
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

rng = np.random.default_rng(5)
x = np.round(rng.standard_normal((60, 3)), 6)
new = np.round(rng.standard_normal((15, 3)), 6)
# Duplicates and ties: the last rows repeat the first, and some lie on a grid.
x[50:] = x[:10]
x[30:40] = np.round(x[30:40])
new[:5] = np.round(new[:5])
score = x[:, 0] - x[:, 1] ** 2
labels = np.where(score > 0, "up", np.where(score > -1, "level", "down"))
y = np.round(score + 0.1 * rng.standard_normal(60), 6)
two = np.column_stack([y, np.round(x[:, 2] ** 3, 6)])
weights = np.round(rng.uniform(0.2, 3.0, 60), 6)
inverse = [[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]]

METRICS = [
    ("minkowski", 2.0, None),
    ("minkowski", 1.0, None),
    ("minkowski", 3.5, None),
    ("chebyshev", 2.0, None),
    ("minkowski", 3.0, {"w": [0.5, 2.0, 1.0]}),
    ("seuclidean", 2.0, {"V": [0.5, 2.0, 1.0]}),
    ("mahalanobis", 2.0, {"VI": inverse}),
    ("cosine", 2.0, None),
    ("canberra", 2.0, None),
    ("braycurtis", 2.0, None),
    ("hamming", 2.0, None),
    ("sqeuclidean", 2.0, None),
]


def lists(a):
    """Nested lists; what is not finite becomes null."""
    a = np.asarray(a)
    return a.tolist() if a.dtype.kind != "f" else np.where(np.isfinite(a), a, None).tolist()


def searches():
    for metric, p, params in METRICS:
        given = None if params is None else {k: np.asarray(v) for k, v in params.items()}
        search = NearestNeighbors(n_neighbors=6, radius=1.1, metric=metric, p=p, metric_params=given).fit(x)
        distances, _ = search.kneighbors(new)
        own, _ = search.kneighbors()
        within = [sorted(d.tolist()) for d in search.radius_neighbors(new)[0]]
        yield {"metric": metric, "p": p, "params": params, "distances": lists(distances), "own": lists(own), "within": within}


def learners():
    for weighting in ["uniform", "distance"]:
        for k in [1, 4, 9]:
            # A little noise on the rows, so that no tie is left to the order in which scikit-learn finds them.
            classifier = KNeighborsClassifier(k, weights=weighting).fit(noisy, labels)
            regressor = KNeighborsRegressor(k, weights=weighting).fit(noisy, two)
            yield {
                "weights": weighting,
                "k": k,
                "classes": lists(classifier.predict(new)),
                "shares": lists(classifier.predict_proba(new)),
                "numbers": lists(regressor.predict(new)),
            }


def radius_learners():
    for weighting in ["uniform", "distance"]:
        classifier = RadiusNeighborsClassifier(0.9, weights=weighting, outlier_label="most_frequent").fit(noisy, labels)
        regressor = RadiusNeighborsRegressor(2.5, weights=weighting).fit(noisy, two)
        yield {
            "weights": weighting,
            "classes": lists(classifier.predict(new)),
            "numbers": lists(regressor.predict(new)),
        }


def densities():
    for kernel in ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]:
        for metric in ["euclidean", "manhattan"]:
            for given in [None, weights]:
                density = KernelDensity(kernel=kernel, bandwidth=1.3, metric=metric).fit(x, sample_weight=given)
                logs = density.score_samples(np.vstack([new, [[40.0, 0.0, 0.0]]]))
                yield {
                    "kernel": kernel,
                    "metric": metric,
                    "weighted": given is not None,
                    "logs": lists(logs),
                }
    for rule in ["scott", "silverman"]:
        density = KernelDensity(bandwidth=rule).fit(x)
        yield {"kernel": "gaussian", "rule": rule, "bandwidth": float(density.bandwidth_), "logs": lists(density.score_samples(new))}


noisy = np.round(x + 1e-3 * rng.standard_normal(x.shape), 9)
json.dump(
    {
        "x": lists(x),
        "noisy": lists(noisy),
        "new": lists(new),
        "labels": lists(labels),
        "two": lists(two),
        "weights": lists(weights),
        "searches": list(searches()),
        "learners": list(learners()),
        "radius_learners": list(radius_learners()),
        "densities": list(densities()),
    },
    sys.stdout,
)
