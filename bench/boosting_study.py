"""Boosting against LightGBM at several numbers of bins: how much held-out AUC moves by luck, and where the means lie.

    python bench/run.py boosting_binary   # makes the data
    python bench/boosting_study.py
"""

from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data" / "boosting_binary"
BINS = (255, 250, 240, 230, 220)


def main():
    import lightgbm
    from mercer.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    x, y = np.load(DATA / "x.npy"), np.load(DATA / "y.npy")
    train, test = slice(0, 500_000), slice(500_000, None)
    found = []
    for bins in BINS:
        ours = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=63, max_bins=bins, early_stopping=False)
        theirs = lightgbm.LGBMClassifier(n_estimators=100, num_leaves=63, max_bin=bins, n_jobs=2, verbose=-1)
        scores = [m.fit(x[train], y[train]).predict_proba(x[test])[:, 1] for m in (ours, theirs)]
        found.append([roc_auc_score(y[test], s) for s in scores])
        print(f"{bins} bins: mercer {found[-1][0]:.5f}, lightgbm {found[-1][1]:.5f}", flush=True)
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    print(f"mean: mercer {mean[0]:.5f} ± {spread[0]:.5f}, lightgbm {mean[1]:.5f} ± {spread[1]:.5f}")


if __name__ == "__main__":
    main()
