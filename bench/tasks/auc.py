"""ROC-AUC of five million scores."""

import numpy as np

TITLE = "ROC-AUC, 5M scores"
WANTED = {"fit": 3.0}


def read(folder):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 5_000_000)
    return truth, rng.normal(size=len(truth)) + 0.5 * truth


def ours(arrays):
    from mercer.metrics import roc_auc_score

    return {"fit": lambda: roc_auc_score(*arrays), "quality": lambda auc: -auc}


def sklearn(arrays):
    from sklearn.metrics import roc_auc_score

    return {"fit": lambda: roc_auc_score(*arrays), "quality": lambda auc: -auc}


CONTENDERS = {"mercer": ours, "scikit-learn": sklearn}
