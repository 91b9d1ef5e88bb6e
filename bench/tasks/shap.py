"""Exact Shapley values of a booster of 100 trees with 63 leaves, 10,000 rows of 28 features.

Each explains its own model of the same size; quality is the largest gap between the sum of a row's values and its score.
"""

import numpy as np

from tasks._boosting import LEAVES, RATE, ROUNDS, higgs_like

TITLE = "TreeSHAP, 100 trees of 63 leaves, 10k×28"
WANTED = {"predict": 1.5}
SLACK = 1e-5
ROWS = 10_000


def data(folder):
    x, score, rng = higgs_like(100_000, 28, 3)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", score + 0.5 * rng.normal(size=len(score)))


def read(folder):
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def _contender(make, explain):
    """`explain` gives the values of each row's features and, last, the base."""

    def build(arrays):
        x, y = arrays
        rows = x[:ROWS]

        def gap(model):
            return float(np.abs(explain(model, rows).sum(axis=1) - model.predict(rows)).max())

        return {"fit": lambda: make().fit(x, y), "predict": lambda m: explain(m, rows), "quality": gap}

    return build


def _mercer():
    from mercer.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False)


def _explain_mercer(model, rows):
    from mercer.inspection import shap_values

    found = shap_values(model, rows)
    return np.column_stack([found.values, np.broadcast_to(found.base_values, len(rows))])


def _lightgbm():
    import lightgbm

    return lightgbm.LGBMRegressor(n_estimators=ROUNDS, num_leaves=LEAVES, learning_rate=RATE, n_jobs=2, verbose=-1)


def _xgboost():
    import xgboost

    return xgboost.XGBRegressor(
        n_estimators=ROUNDS, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", learning_rate=RATE,
        tree_method="hist", n_jobs=2,
    )


def _explain_xgboost(model, rows):
    import xgboost

    return model.get_booster().predict(xgboost.DMatrix(rows), pred_contribs=True)


CONTENDERS = {
    "mercer": _contender(_mercer, _explain_mercer),
    "lightgbm": _contender(_lightgbm, lambda model, rows: model.predict(rows, pred_contrib=True)),
    "xgboost": _contender(_xgboost, _explain_xgboost),
}
