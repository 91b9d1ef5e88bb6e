"""Reference values for least squares and its summary: statsmodels' OLS, scikit-learn's LinearRegression and RidgeCV.

Pinned: statsmodels 0.15.0, scikit-learn 1.9.1. Run: python generate_squares.py > squares.json
"""

import json

import numpy as np
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV

assert sklearn.__version__.startswith("1.9.") and statsmodels.__version__.startswith("0.15."), (sklearn, statsmodels)
rng = np.random.default_rng(20261117)
out = {"versions": {"scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__,
                    "numpy": np.__version__}, "problems": []}
for n, d in [(40, 5), (15, 30)]:
    x = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0
    y = 1.0 + x @ rng.normal(size=d) + rng.normal(size=n)
    y2 = np.c_[y, x[:, 0] - 2 * x[:, 1] + rng.normal(size=n)]
    weights = rng.integers(1, 4, size=n).astype(float)
    classes = (y > np.median(y)).astype(int) + (y > np.quantile(y, 0.8))
    problem = {"x": x.tolist(), "y": y.tolist(), "y2": y2.T.tolist(), "weights": weights.tolist(),
               "classes": classes.tolist(), "squares": [], "summaries": [], "cv": []}
    for intercept in [True, False]:
        for positive in [False, True]:
            for weighted in [False, True]:
                m = LinearRegression(fit_intercept=intercept, positive=positive)
                m.fit(x, y2, sample_weight=weights if weighted else None)
                found = {"intercept": intercept, "positive": positive, "weighted": weighted,
                         "coef": m.coef_.tolist(), "b": np.broadcast_to(m.intercept_, 2).tolist()}
                if not positive:
                    found |= {"rank": int(m.rank_), "singular": m.singular_.tolist()}
                problem["squares"].append(found)
        if n > d:
            a = sm.add_constant(x) if intercept else x
            # Whole weights are copies of rows.
            for copies in [np.ones(n, dtype=int), weights.astype(int)]:
                rows = np.repeat(np.arange(n), copies)
                m = sm.OLS(y[rows], a[rows]).fit()
                influence = sm.OLS(y, a).fit().get_influence()
                ends = m.conf_int(0.1)
                problem["summaries"].append({
                    "intercept": intercept, "weights": copies.tolist(), "estimates": m.params.tolist(),
                    "errors": m.bse.tolist(), "t": m.tvalues.tolist(), "p": m.pvalues.tolist(),
                    "lower": ends[:, 0].tolist(), "upper": ends[:, 1].tolist(), "r2": m.rsquared,
                    "adjusted": m.rsquared_adj, "f": m.fvalue, "f_p": float(m.f_pvalue), "sigma": m.mse_resid ** 0.5,
                    "llf": m.llf, "aic": m.aic, "bic": m.bic, "leverage": influence.hat_matrix_diag.tolist(),
                    "cooks": influence.cooks_distance[0].tolist(),
                    "standardised": influence.resid_studentized_internal.tolist()})
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0]
    for intercept in [True, False]:
        for weighted in [False, True]:
            w = weights if weighted else None
            m = RidgeCV(alphas, fit_intercept=intercept, store_cv_results=True).fit(x, y, sample_weight=w)
            two = RidgeCV(alphas, fit_intercept=intercept, alpha_per_target=True).fit(x, y2, sample_weight=w)
            folds = RidgeCV(alphas, fit_intercept=intercept, cv=4).fit(x, y, sample_weight=None)
            problem["cv"].append({
                "intercept": intercept, "weighted": weighted, "alpha": m.alpha_, "score": m.best_score_,
                "coef": m.coef_.tolist(), "b": m.intercept_, "cv_results": m.cv_results_.tolist(),
                "alphas2": two.alpha_.tolist(), "coef2": two.coef_.tolist(), "scores2": two.best_score_.tolist(),
                "folds_alpha": folds.alpha_, "folds_score": folds.best_score_})
    problem["ridge"] = []
    for intercept in [True, False]:
        for positive in [True, False]:
            m = Ridge(alpha=2.0, fit_intercept=intercept, positive=positive, tol=1e-14, max_iter=100000).fit(x, y)
            problem["ridge"].append({"intercept": intercept, "positive": positive, "coef": m.coef_.tolist(),
                                     "b": m.intercept_})
        m = Ridge(alpha=[0.5, 20.0], fit_intercept=intercept, solver="cholesky").fit(x, y2)
        problem["ridge"].append({"intercept": intercept, "alphas": [0.5, 20.0], "coef": m.coef_.tolist(),
                                 "b": np.broadcast_to(m.intercept_, 2).tolist()})
    problem["classifiers"] = []
    for labels in [classes, np.minimum(classes, 1)]:
        m = RidgeClassifier(alpha=0.7).fit(x, labels)
        balanced = RidgeClassifier(alpha=0.7, class_weight="balanced").fit(x, labels)
        cv = RidgeClassifierCV(alphas).fit(x, labels)
        problem["classifiers"].append({
            "labels": labels.tolist(), "coef": m.coef_.tolist(), "b": m.intercept_.tolist(),
            "predicted": m.predict(x).tolist(), "balanced": balanced.coef_.tolist(), "alpha": float(cv.alpha_),
            "cv_coef": cv.coef_.tolist(), "score": float(cv.best_score_)})
    out["problems"].append(problem)
print(json.dumps(out, indent=0))
