"""Frozen reference values of LogisticRegression.

Run in a throwaway environment: pip install scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    python generate_logistic.py > logistic.json
"""

import json
import warnings

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("ignore")
rng = np.random.default_rng(5)


def problem(n, d, k):
    x = np.round(rng.normal(size=(n, d)) * rng.uniform(0.5, 3, d) + rng.normal(size=d), 3)
    score = x @ rng.normal(size=(d, k)) / 2 + rng.gumbel(size=(n, k)) * 1.5
    y = score.argmax(axis=1)
    return x, y, np.round(rng.uniform(0, 3, n), 2)


def gradient(x, y, s, model, c, l1=0.0):
    z = x @ model.coef_.T + model.intercept_
    if z.shape[1] == 1:
        r = 1 / (1 + np.exp(-z)) - y[:, None]
    else:
        r = softmax(z, axis=1) - np.eye(z.shape[1])[y]
    g = (r * s[:, None]).T @ x / s.sum()
    if not np.isinf(c):
        strength, w = 1 / (c * s.sum()), model.coef_
        g = g + (1 - l1) * strength * w
        flat = np.sign(g) * np.maximum(np.abs(g) - l1 * strength, 0)
        g = np.where(w != 0, g + l1 * strength * np.sign(w), flat)
    b = np.abs((r * s[:, None]).sum(axis=0) / s.sum()).max() if model.fit_intercept else 0
    return max(np.abs(g).max(), b)


def case(name, k, c=1.0, weighted=False, balanced=False, intercept=True, n=80, d=4, l1=0.0):
    x, y, w = problem(n, d, k)
    sample = w if weighted else None
    model = LogisticRegression(
        C=c, fit_intercept=intercept, class_weight="balanced" if balanced else None,
        solver="saga" if l1 else "newton-cg", l1_ratio=l1, tol=1e-15 if l1 else 1e-13, max_iter=1000000,
    ).fit(x, y, sample_weight=sample)
    s = np.ones(n) if sample is None else sample.copy()
    if balanced:
        total = np.bincount(y, weights=s)
        s = s * (total.sum() / (k * total))[y]
    g = gradient(x, y, s, model, c, l1)
    assert g < (1e-8 if l1 else 1e-10), (name, g)
    return dict(
        name=name, n=n, d=d, k=k, l1_ratio=l1, C=None if np.isinf(c) else c, balanced=balanced, intercept=intercept,
        x=x.ravel().tolist(), y=y.tolist(), weights=None if sample is None else sample.tolist(),
        coef=model.coef_.ravel().tolist(), intercept_=np.ravel(model.intercept_).tolist(),
        proba=model.predict_proba(x[:10]).ravel().tolist(),
        decision=model.decision_function(x[:10]).ravel().tolist(),
        predicted=model.predict(x[:10]).tolist(),
    )


cases = [
    case("binary", 2),
    case("binary, weighted", 2, weighted=True),
    case("binary, balanced and weighted", 2, weighted=True, balanced=True),
    case("binary, no intercept, C = 0.01", 2, c=0.01, intercept=False),
    case("binary, no penalty", 2, c=np.inf),
    case("multinomial", 3),
    case("multinomial, weighted, C = 10", 4, c=10.0, weighted=True),
    case("multinomial, balanced", 3, balanced=True, n=120),
    case("multinomial, no intercept", 3, intercept=False),
    case("multinomial, wide", 3, c=0.3, n=60, d=80),
    case("binary, L1", 2, c=0.2, l1=1.0, d=8),
    case("binary, L1, weighted and balanced", 2, c=0.1, l1=1.0, d=8, weighted=True, balanced=True),
    case("binary, elastic net, no intercept", 2, c=0.1, l1=0.5, d=8, intercept=False),
    case("multinomial, elastic net", 3, c=0.1, l1=0.7, d=6),
]
print(json.dumps({"scikit-learn": "1.9.1", "cases": cases}))
