"""What the boosting tasks share: the peers with the same rounds, leaves, rate and bins."""

import numpy as np

ROUNDS, LEAVES, RATE = 100, 63, 0.1


def higgs_like(n, d, seed):
    """Features of which some matter alone and some together, with noise.

    Every feature that matters does so alone, too: where a product of two has no effect of its own, greedy trees find it
    by luck, and the luck decides which booster is better.
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float64)
    score = (x[:, 0] + 0.5) * (x[:, 1] + 0.5) + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] ** 2 - 0.5 * np.abs(x[:, 4]) * (x[:, 5] > 0)
    score += 0.3 * x[:, 6 : min(d, 14)].sum(axis=1) + 0.5 * x[:, 7] * x[:, 8]
    return x, score, rng


def contenders(task):
    """All boosters for `task`, "binary" or "regression", from (x, y, train, test, quality)."""
    classes = task == "binary"

    def build(make):
        def made(arrays):
            x, y = arrays
            cut = int(0.8 * len(x)) if len(x) > 600_000 else len(x) - 100_000
            train, test = slice(0, cut), slice(cut, None)

            def scores(model):
                return model.predict_proba(x[test])[:, 1] if classes else model.predict(x[test])

            def quality(model):
                if classes:
                    from sklearn.metrics import roc_auc_score

                    return 1 - roc_auc_score(y[test], scores(model))
                return float(np.sqrt(np.mean((scores(model) - y[test]) ** 2)))

            return {
                "fit": lambda: make().fit(x[train], y[train]),
                "predict": scores,
                "quality": quality,
            }

        return made

    def mercer():
        from mercer import ensemble

        kind = ensemble.HistGradientBoostingClassifier if classes else ensemble.HistGradientBoostingRegressor
        return kind(max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False)

    def sklearn():
        from sklearn import ensemble

        kind = ensemble.HistGradientBoostingClassifier if classes else ensemble.HistGradientBoostingRegressor
        return kind(max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False)

    def lightgbm(**options):
        import lightgbm

        kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        return kind(n_estimators=ROUNDS, num_leaves=LEAVES, learning_rate=RATE, n_jobs=2, verbose=-1, **options)

    def xgboost():
        import xgboost

        kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        return kind(
            n_estimators=ROUNDS, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", learning_rate=RATE,
            tree_method="hist", n_jobs=2,
        )

    return {
        "mercer": build(mercer),
        "lightgbm": build(lightgbm),
        "lightgbm, quantised": build(lambda: lightgbm(use_quantized_grad=True)),
        "xgboost": build(xgboost),
        "sklearn": build(sklearn),
    }
