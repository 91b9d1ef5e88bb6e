"""Frozen reference values of many classes by learners of two.

Pinned: scikit-learn 1.9.1. Run: python generate_multiclass.py > multiclass.json
"""

import json

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261117)
n, d, k = 120, 4, 4
x = np.round(rng.normal(size=(n, d)), 6)
y = np.argmax(x @ rng.normal(size=(d, k)) + 0.8 * rng.normal(size=(n, k)), axis=1)
out = {"scikit-learn": sklearn.__version__, "x": x.tolist(), "y": y.tolist(), "cases": []}
logistic = LogisticRegression(tol=1e-12, max_iter=10000)
for classes in (2, 4):
    target = np.minimum(y, classes - 1)
    rest = OneVsRestClassifier(logistic).fit(x, target)
    out["cases"].append({"name": f"rest {classes}", "predict": rest.predict(x).tolist(),
                         "decision": rest.decision_function(x).ravel().tolist(),
                         "proba": rest.predict_proba(x).ravel().tolist()})
    pairs = OneVsOneClassifier(logistic).fit(x, target)
    out["cases"].append({"name": f"pairs {classes}", "predict": pairs.predict(x).tolist(),
                         "decision": pairs.decision_function(x).ravel().tolist()})
numbers = OneVsRestClassifier(Ridge(alpha=1.0)).fit(x, y)
out["cases"].append({"name": "rest of ridge", "predict": numbers.predict(x).tolist()})
print(json.dumps(out))
