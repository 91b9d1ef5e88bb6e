"""Mixtures of scikit-learn from given starts, and a t distribution of SciPy, frozen in mixture.json.

Versions: Python 3.11, scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6.
Run in a throwaway environment: MERCER_DATA=... python generate_mixture.py > mixture.json
"""
import csv
import json
import os
import pathlib
import warnings

import numpy as np
from scipy import stats
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

warnings.simplefilter("ignore")
SETS = pathlib.Path(__file__).parents[3] / "data" / "sets"
SHARED = pathlib.Path(os.environ["MERCER_DATA"])


def numbers(path, columns):
    with open(path, newline="") as f:
        rows = list(csv.reader(f))[1:]
    return np.array([[float(row[c]) for c in columns] for row in rows])


iris = numbers(SETS / "iris.csv", range(4))
faithful = numbers(SHARED / "faithful.csv", range(2))
cases = []
for name, x, k in [("iris", iris, 3), ("iris", iris, 5), ("faithful", faithful, 2)]:
    d = x.shape[1]
    means = x[np.arange(k) * (len(x) // k) + 3]
    weights = np.arange(1, k + 1) / (k * (k + 1) / 2)
    variance = x.var(axis=0)
    for form in ["full", "tied", "diag", "spherical"]:
        one = np.diag(1 / variance) + 0.1 / variance.mean()
        start = {"full": np.stack([one * (c + 1) for c in range(k)]), "tied": one,
                 "diag": np.stack([(c + 1) / variance for c in range(k)]),
                 "spherical": np.arange(1, k + 1) / variance.mean()}[form]
        for steps in [1, 7]:
            g = GaussianMixture(k, covariance_type=form, tol=0, max_iter=steps, weights_init=weights, means_init=means,
                                precisions_init=start).fit(x)
            cases.append({"name": f"{name} {k} {form} {steps}", "set": name, "k": k, "form": form, "steps": steps,
                          "weights_init": weights.tolist(), "means_init": means.tolist(), "precisions_init": start.ravel().tolist(),
                          "weights": g.weights_.tolist(), "means": g.means_.ravel().tolist(), "covariances": g.covariances_.ravel().tolist(),
                          "precisions_cholesky": g.precisions_cholesky_.ravel().tolist(), "lower_bound": g.lower_bound_,
                          "bic": g.bic(x), "aic": g.aic(x), "log_densities": g.score_samples(x)[:5].tolist(),
                          "shares": g.predict_proba(x)[:5].ravel().tolist()})
best = []
for form, k in [("tied", 3), ("full", 2)]:
    g = GaussianMixture(k, covariance_type=form, tol=1e-12, max_iter=5000, n_init=20, random_state=0, reg_covar=1e-10).fit(faithful)
    best.append({"set": "faithful", "form": form, "k": k, "log_likelihood": g.score(faithful) * len(faithful)})
t = np.sort(iris[:, 1])
t = np.concatenate([t, [0.5, 7.0, 9.0]])
degrees, mean, scale = stats.t.fit(t)
for _ in range(5):
    degrees, mean, scale = stats.t.fit(t, degrees, loc=mean, scale=scale)
student = {"x": t.tolist(), "degrees": degrees, "mean": mean, "scale": scale, "log_likelihood": stats.t.logpdf(t, degrees, mean, scale).sum()}


def state(g):
    """Where a variational fit stands, as Mercer's session takes a start."""
    parts = [g.lower_bound_, g.means_, g.precisions_cholesky_, np.ravel(g.weight_concentration_), g.mean_precision_,
             g.degrees_of_freedom_]
    return np.concatenate([np.ravel(part) for part in parts]).tolist()


bayes = []
for name, x, k in [("iris", iris, 4), ("faithful", faithful, 3)]:
    for form in ["full", "tied", "diag", "spherical"]:
        for prior in ["dirichlet_process", "dirichlet_distribution"]:
            g = BayesianGaussianMixture(n_components=k, covariance_type=form, weight_concentration_prior_type=prior, tol=0, max_iter=1,
                                        warm_start=True, random_state=0, mean_precision_prior=0.5).fit(x)
            first = state(g)
            g.set_params(max_iter=6).fit(x)
            bayes.append({"name": f"{name} {form} {prior}", "set": name, "k": k, "form": form, "prior": prior, "start": first,
                          "end": state(g), "weights": g.weights_.tolist(), "log_densities": g.score_samples(x)[:5].tolist()})
print(json.dumps({"bayes": bayes, "cases": cases, "best": best, "student": student}))
