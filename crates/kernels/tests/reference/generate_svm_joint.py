"""Reference values for the machine of Crammer and Singer: LIBLINEAR as scikit-learn brings it, on shared data sets.

Pinned: scikit-learn 1.9.1, numpy 2.4.6. Run: python generate_svm_joint.py DATA_FOLDER > svm_joint.json
Columns are centred and divided by their standard deviations; the kernel is linear, without intercepts.
"""

import json
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.svm import LinearSVC

assert sklearn.__version__ == "1.9.1", sklearn.__version__
folder = Path(sys.argv[1])


def table(name):
    lines = (folder / f"{name}.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:] if line]
    x = np.array([[float(v) for v in row[:-1]] for row in rows])
    return (x - x.mean(axis=0)) / x.std(axis=0), np.array([row[-1].strip('"') for row in rows])


def objective(model, x, y, weights):
    scores = x @ model.coef_.T
    own = np.array([list(model.classes_).index(label) for label in y])
    slack = scores + 1.0
    slack[np.arange(len(y)), own] -= 1.0
    loss = slack.max(axis=1) - scores[np.arange(len(y)), own]
    return 0.5 * (model.coef_**2).sum() + model.C * weights @ loss


out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "cases": []}
for name in ["iris", "wine"]:
    x, y = table(name)
    for c in [0.02, 1.0]:
        for weighted in [False, True]:
            weights = np.array([1.0 + i % 3 for i in range(len(y))]) if weighted else np.ones(len(y))
            model = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=1e-11, max_iter=10_000_000, random_state=0)
            model.fit(x, y, sample_weight=weights)
            out["cases"].append({
                "data": name, "C": c, "weighted": weighted, "coef": model.coef_.tolist(),
                "objective": objective(model, x, y, weights),
            })
print(json.dumps(out, indent=0))
