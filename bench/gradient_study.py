"""Held-out log loss of GradientBoostingClassifier with its defaults over scikit-learn's: ``python bench/gradient_study.py [SPLITS]``.

Prints for each data set the mean ratio over stratified splits, with its standard error; 1 is equal, below 1 is better.
"""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.ensemble import GradientBoostingClassifier as Theirs
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from mercer.ensemble import GradientBoostingClassifier as Ours

SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits, 600 rows": tuple(part[:600] for part in load_digits(return_X_y=True)),
    "made, two classes": make_classification(2000, 20, n_informative=6, flip_y=0.05, random_state=0),
    "made, four classes": make_classification(1500, 20, n_informative=8, n_classes=4, random_state=1),
}


def main(splits=12):
    """Prints a line for each set."""
    for name, (X, y) in SETS.items():
        losses = []
        for seed in range(splits):
            train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
            made = (kind(random_state=seed).fit(train, y_train).predict_proba(test) for kind in (Ours, Theirs))
            losses.append([log_loss(y_test, proba) for proba in made])
        ours, theirs = np.mean(losses, axis=0)
        # The ratio of means, with the jack-knife over splits.
        left = [np.divide(*np.delete(losses, i, axis=0).mean(axis=0)) for i in range(splits)]
        error = np.sqrt((splits - 1) * np.var(left))
        print(f"{name:20} ours {ours:.4f}  scikit-learn {theirs:.4f}  ratio {ours / theirs:.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
