"""Reference values for support vector machines: LIBSVM as scikit-learn brings it, on shared data sets.

Pinned: scikit-learn 1.9.1, numpy 2.4.6. Run: python generate_svm.py DATA_FOLDER > svm.json
Columns are centred and divided by their standard deviations (of constant ones, by 1), but for heart-scale, which is scaled.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

assert sklearn.__version__ == "1.9.1", sklearn.__version__
warnings.simplefilter("ignore")
folder = Path(sys.argv[1])


def table(name):
    lines = (folder / f"{name}.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:] if line]
    x = np.array([[float(v) for v in row[:-1]] for row in rows])
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    last = [row[-1].strip('"') for row in rows]
    return x, last


def gram(model, a, b):
    if model.kernel == "linear":
        return a @ b.T
    args = {"rbf": {}, "poly": {"degree": model.degree, "coef0": model.coef0}, "sigmoid": {"coef0": model.coef0}}
    return pairwise_kernels(a, b, metric=model.kernel, gamma=model._gamma, **args[model.kernel])


def objective(model, x, y):
    """The dual objective of all machines, as LIBSVM leaves it: numbers and one class, or the sum over pairs."""
    sv = model.support_vectors_
    k = gram(model, sv, sv)
    if not hasattr(model, "classes_"):
        c = model.dual_coef_[0]
        value = 0.5 * c @ k @ c
        if isinstance(model, SVR):
            value += model.epsilon * np.abs(c).sum() - y[model.support_] @ c
        elif isinstance(model, NuSVR):
            value -= y[model.support_] @ c
        return value
    total, ends = 0.0, np.cumsum(np.hstack([[0], model.n_support_]))
    classes = len(model.classes_)
    for i in range(classes):
        for j in range(i + 1, classes):
            own = np.zeros(len(sv))
            own[ends[i]:ends[i + 1]] = model._dual_coef_[j - 1, ends[i]:ends[i + 1]]
            own[ends[j]:ends[j + 1]] = model._dual_coef_[i, ends[j]:ends[j + 1]]
            total += 0.5 * own @ k @ own - (np.abs(own).sum() if isinstance(model, SVC) else 0.0)
    return total


out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "cases": []}


def add(data, model, x, y, weights=None, **settings):
    model.set_params(tol=1e-9, cache_size=500, **settings)
    model.fit(x, y, sample_weight=weights)
    numbers = np.asarray(y, dtype=float) if not hasattr(model, "classes_") and y is not None else None
    decisions = model.decision_function(x) if hasattr(model, "decision_function") else model.predict(x)
    settings = {k: v for k, v in settings.items() if k != "class_weight"} | (
        {"class_weight": settings["class_weight"]} if isinstance(settings.get("class_weight"), str) else {})
    out["cases"].append({
        "data": data, "learner": type(model).__name__, "settings": settings, "weighted": weights is not None,
        "objective": objective(model, x, numbers), "intercept": model.intercept_.tolist(),
        "n_support": model.n_support_.tolist(), "support": model.support_.tolist(),
        "dual_sum": np.abs(model.dual_coef_).sum(axis=1).tolist(),
        "decisions": np.round(np.asarray(decisions)[::7], 12).tolist(),
        "classes": [str(c) for c in getattr(model, "classes_", [])],
    })


heart, labels = load_svmlight_file(str(folder / "heart-scale.svm"), n_features=13)
heart, labels = heart.toarray(), [str(int(v)) for v in labels]
for kernel in ["rbf", "linear", "poly", "sigmoid"]:
    add("heart-scale", SVC(), heart, labels, kernel=kernel)
add("heart-scale", SVC(), heart, labels, C=100.0, gamma=0.1)
add("heart-scale", NuSVC(), heart, labels, nu=0.4)
add("heart-scale", OneClassSVM(), heart, None, nu=0.2)
every = [1.0 + i % 3 for i in range(270)]
add("heart-scale", SVC(), heart, labels, weights=np.array(every), C=2.0, class_weight="balanced")
for name in ["sonar", "ionosphere", "iris", "wine"]:
    x, y = table(name)
    add(name, SVC(), x, y)
    add(name, SVC(), x, y, C=10.0, kernel="poly", coef0=1.0)
    add(name, NuSVC(), x, y, nu=0.3, gamma="auto")
    add(name, OneClassSVM(), x, None, nu=0.1, gamma="auto")
for name in ["yacht", "boston-housing"]:
    x, y = table(name)
    y = np.array([float(v) for v in y])
    add(name, SVR(), x, y, C=10.0)
    add(name, SVR(), x, y, C=1.0, kernel="linear", epsilon=1.0)
    add(name, NuSVR(), x, y, C=10.0, nu=0.3)
    add(name, SVR(), x, y, weights=np.array([1.0 + i % 3 for i in range(len(y))]), C=5.0, epsilon=0.5)
print(json.dumps(out, indent=0))
