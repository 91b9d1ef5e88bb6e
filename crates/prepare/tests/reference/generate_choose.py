"""Reference values for imputation and feature selection.

Pinned: scikit-learn 1.9.1, numpy as it brings. Run: python generate_choose.py > choose.json
"""

import json

import numpy as np
import sklearn
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import (
    RFE, RFECV, SelectFdr, SelectFpr, SelectFromModel, SelectFwe, SelectKBest, SelectPercentile,
    SequentialFeatureSelector, VarianceThreshold, chi2, f_classif, f_regression, mutual_info_classif,
    mutual_info_regression, r_regression,
)
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
rng = np.random.default_rng(20261116)


def floats(a):
    return [None if np.isnan(v) else (float(v) if np.isfinite(v) else str(v)) for v in np.asarray(a, float).ravel()]


n, d = 80, 7
z = rng.normal(size=(n, 2))
full = z @ rng.normal(size=(2, d)) + 0.4 * rng.normal(size=(n, d)) + rng.normal(size=d) * 3
y = full[:, 0] - 0.6 * full[:, 3] + 0.5 * rng.normal(size=n)
c = (y > np.median(y)).astype(int) + (full[:, 5] > full[:, 5].mean() + 0.8).astype(int)
counts = rng.poisson(np.abs(full) + (c[:, None] == 1) * np.arange(d)[None, :] * 0.3).astype(float)
holes = full.copy()
holes[rng.random(size=(n, d)) < 0.15] = np.nan
holes[3, :] = np.nan  # shares no column with any donor
holes[:, 6] = full[:, 6]
holes[3, 6] = np.nan

out = {"versions": {"scikit-learn": sklearn.__version__, "numpy": np.__version__}, "n": n, "d": d}
out["x"], out["y"], out["c"], out["counts"], out["holes"] = (
    floats(full), floats(y), c.tolist(), floats(counts), floats(holes))

out["impute"] = {
    "simple_mean": floats(SimpleImputer().fit_transform(holes)),
    "simple_median": floats(SimpleImputer(strategy="median").fit_transform(holes)),
    "simple_most_frequent": floats(SimpleImputer(strategy="most_frequent").fit_transform(np.round(holes))),
    "knn_uniform": floats(KNNImputer().fit_transform(holes)),
    "knn_distance": floats(KNNImputer(n_neighbors=3, weights="distance").fit_transform(holes)),
    "knn_new": floats(KNNImputer(n_neighbors=4).fit(holes[:50]).transform(holes[50:])),
}
for order in ["ascending", "descending", "roman", "arabic"]:
    imputer = IterativeImputer(Ridge(alpha=1e-3), imputation_order=order, max_iter=6, tol=1e-3)
    out["impute"]["iterative_" + order] = floats(imputer.fit_transform(holes))
    out["impute"]["n_iter_" + order] = imputer.n_iter_
limited = IterativeImputer(Ridge(alpha=1e-3), min_value=-1.0, max_value=2.0, initial_strategy="median", max_iter=3,
                           tol=0.0)
out["impute"]["iterative_limited"] = floats(limited.fit(holes[:60]).transform(holes[60:]))

scores = {}
for name, function, x, t in [
    ("f_classif", f_classif, full, c), ("f_regression", f_regression, full, y), ("chi2", chi2, counts, c),
]:
    s, p = function(x, t)
    scores[name] = {"scores": floats(s), "pvalues": floats(p)}
scores["r_regression"] = {"scores": floats(r_regression(full, y))}
scores["mutual_info_classif"] = {"scores": floats(mutual_info_classif(full, c, random_state=0))}
scores["mutual_info_regression"] = {"scores": floats(mutual_info_regression(full, y, random_state=0))}
out["scores"] = scores

support = {}
for name, selector, x, t in [
    ("SelectKBest(k=3)", SelectKBest(f_classif, k=3), full, c),
    ("SelectKBest(k=2,score_func=r_regression)", SelectKBest(r_regression, k=2), full, y),
    ("SelectPercentile(percentile=40)", SelectPercentile(f_classif, percentile=40), full, c),
    ("SelectPercentile(percentile=30,score_func=chi2)", SelectPercentile(chi2, percentile=30), counts, c),
    ("SelectFpr(alpha=0.001)", SelectFpr(f_classif, alpha=0.001), full, c),
    ("SelectFdr(alpha=0.01,score_func=f_regression)", SelectFdr(f_regression, alpha=0.01), full, y),
    ("SelectFwe(alpha=0.01,score_func=f_regression)", SelectFwe(f_regression, alpha=0.01), full, y),
    ("VarianceThreshold(threshold=1.2)", VarianceThreshold(1.2), full, None),
    ("RFE(estimator=Ridge(alpha=1.0),n_features_to_select=2)", RFE(Ridge(), n_features_to_select=2), full, y),
    ("RFE(estimator=Ridge(alpha=1.0),step=2)", RFE(Ridge(), step=2), full, y),
    ("RFECV(estimator=Ridge(alpha=1.0),cv=4)", RFECV(Ridge(), cv=4), full, y),
    ("SelectFromModel(estimator=Lasso(alpha=0.1,tol=1e-10))", SelectFromModel(Lasso(alpha=0.1, tol=1e-10)), full, y),
    ("SelectFromModel(estimator=Ridge(alpha=1.0),threshold='1.25*mean')",
     SelectFromModel(Ridge(), threshold="1.25*mean"), full, y),
    ("SelectFromModel(estimator=Ridge(alpha=1.0),threshold=median,max_features=2)",
     SelectFromModel(Ridge(), threshold="median", max_features=2), full, y),
    ("SequentialFeatureSelector(estimator=Ridge(alpha=1.0),n_features_to_select=3)",
     SequentialFeatureSelector(Ridge(), n_features_to_select=3), full, y),
    ("SequentialFeatureSelector(estimator=Ridge(alpha=1.0),direction=backward,n_features_to_select=0.4)",
     SequentialFeatureSelector(Ridge(), direction="backward", n_features_to_select=0.4), full, y),
    ("SequentialFeatureSelector(estimator=Ridge(alpha=1.0),tol=0.01)",
     SequentialFeatureSelector(Ridge(), tol=0.01), full, y),
    ("SequentialFeatureSelector(estimator=Ridge(alpha=1.0),scoring=neg_mean_absolute_error,cv=3)",
     SequentialFeatureSelector(Ridge(), scoring="neg_mean_absolute_error", cv=3), full, y),
    ("RFE(estimator=LogisticRegression(tol=1e-10),n_features_to_select=3)",
     RFE(LogisticRegression(tol=1e-10, max_iter=5000), n_features_to_select=3), full, c),
]:
    selector.fit(x, t)
    entry = {"support": [int(v) for v in selector.get_support()], "target": "none" if t is None else ("c" if t is c else "y"),
             "x": "counts" if x is counts else "x"}
    if hasattr(selector, "ranking_"):
        entry["ranking"] = [int(v) for v in selector.ranking_]
    if hasattr(selector, "cv_results_"):
        entry["cv_scores"] = floats(selector.cv_results_["mean_test_score"])
    support[name] = entry
out["support"] = support
print(json.dumps(out, indent=0))
