"""Reference values for the summary of logistic regression and its cross-validation along a path: statsmodels' Logit and
MNLogit, scikit-learn's LogisticRegressionCV.

Pinned: statsmodels 0.15.0, scikit-learn 1.9.1. Run: python generate_logistic_summary.py > logistic_summary.json
"""

import json
import warnings

import numpy as np
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegressionCV

assert sklearn.__version__.startswith("1.9.") and statsmodels.__version__.startswith("0.15."), (sklearn, statsmodels)
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261119)
n, d = 120, 3
x = rng.normal(size=(n, d)) * [1.0, 2.0, 0.5] + [0.0, 1.0, -1.0]
z = np.c_[np.zeros(n), 0.8 * x[:, 0] - 0.3 * x[:, 1], 0.5 * x[:, 2] + 0.4]
classes = (z + rng.gumbel(size=z.shape)).argmax(axis=1)
weights = rng.integers(1, 4, size=n)
out = {"versions": {"scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__,
                    "numpy": np.__version__},
       "x": x.tolist(), "classes": classes.tolist(), "weights": weights.astype(float).tolist(), "summaries": [], "cv": []}
for two in [True, False]:
    y = (classes > 0).astype(int) if two else classes
    for intercept in [True, False]:
        for copies in [np.ones(n, dtype=int), weights]:
            rows = np.repeat(np.arange(n), copies)
            a = (sm.add_constant(x) if intercept else x)[rows]
            m = (sm.Logit if two else sm.MNLogit)(y[rows], a).fit(method="newton", tol=1e-14, maxiter=200, disp=0)
            ends = np.asarray(m.conf_int(0.1))
            flat = lambda v: np.asarray(v).ravel(order="F").tolist()
            out["summaries"].append({
                "two": two, "intercept": intercept, "weights": copies.tolist(), "estimates": flat(m.params),
                "errors": flat(m.bse), "z": flat(m.tvalues), "p": flat(m.pvalues),
                "lower": ends[..., 0].ravel().tolist(), "upper": ends[..., 1].ravel().tolist(),
                "llf": m.llf, "llnull": m.llnull, "aic": m.aic, "bic": m.bic, "mcfadden": m.prsquared})
for two in [True, False]:
    y = (classes > 0).astype(int) if two else classes
    for l1_ratios in [np.array([0.0]), np.array([0.0, 0.5, 1.0])]:
        for scoring in ["accuracy", "neg_log_loss"]:
            for refit in [True, False]:
                # SAGA does not look at the intercept where all coefficients are zero, so that C is not that small.
                cs = [0.01, 0.1, 1.0, 10.0] if len(l1_ratios) == 1 else [0.5, 1.0, 3.0, 10.0]
                m = LogisticRegressionCV(Cs=cs, l1_ratios=l1_ratios, cv=4, scoring=scoring, refit=refit,
                                         solver="saga", tol=1e-9, max_iter=200000, use_legacy_attributes=False,
                                         random_state=0).fit(x, y)
                out["cv"].append({"two": two, "Cs": cs, "l1_ratios": list(l1_ratios), "scoring": scoring, "refit": refit,
                                  "C": float(m.C_), "l1_ratio": float(m.l1_ratio_), "coef": m.coef_.tolist(),
                                  "b": m.intercept_.tolist(), "scores": m.scores_.ravel().tolist(),
                                  "paths": m.coefs_paths_.ravel().tolist(), "shape": list(m.coefs_paths_.shape)})
print(json.dumps(out))
