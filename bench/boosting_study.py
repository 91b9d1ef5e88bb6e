"""Boosting against LightGBM over several draws of the data of the two tasks: who is better, and by more than luck?

    python bench/boosting_study.py

For each task: held-out AUC or RMSE of both on every draw, and the mean difference with its standard error.
"""

import numpy as np

from tasks._boosting import higgs_like

DRAWS, TRAIN, TEST = 8, 100_000, 100_000


def draw(classes, seed):
    x, score, rng = higgs_like(TRAIN + TEST, 28 if classes else 50, 100 + seed)
    noise = rng.normal(size=len(score))
    return x, (score + noise > np.median(score)).astype(np.int64) if classes else score + 0.5 * noise


def quality(classes, model, x, y):
    from sklearn.metrics import roc_auc_score

    model.fit(x[:TRAIN], y[:TRAIN])
    if classes:
        return roc_auc_score(y[TRAIN:], model.predict_proba(x[TRAIN:])[:, 1])
    return float(np.sqrt(np.mean((model.predict(x[TRAIN:]) - y[TRAIN:]) ** 2)))


def main():
    import lightgbm
    from mercer import ensemble

    for classes in (True, False):
        kind = "Classifier" if classes else "Regressor"
        found = []
        for seed in range(DRAWS):
            x, y = draw(classes, seed)
            ours = getattr(ensemble, f"HistGradientBoosting{kind}")(max_iter=100, max_leaf_nodes=63, early_stopping=False)
            theirs = getattr(lightgbm, f"LGBM{kind}")(n_estimators=100, num_leaves=63, n_jobs=2, verbose=-1)
            found.append([quality(classes, model, x, y) for model in (ours, theirs)])
            print(f"{'AUC' if classes else 'RMSE'} of draw {seed}: mercer {found[-1][0]:.5f}, lightgbm {found[-1][1]:.5f}", flush=True)
        gap = np.subtract(*np.transpose(found))
        print(f"mercer less lightgbm: {gap.mean():+.5f} ± {gap.std(ddof=1) / np.sqrt(DRAWS):.5f}", flush=True)


if __name__ == "__main__":
    main()
