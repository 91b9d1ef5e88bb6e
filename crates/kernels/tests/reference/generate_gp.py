"""Frozen reference values of Gaussian processes.

Pinned: scikit-learn 1.9.1, scipy 1.17.1. Run: python generate_gp.py > gp.json
"""

import json
import warnings

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process import kernels as gp

assert sklearn.__version__.startswith("1.9."), sklearn.__version__
warnings.filterwarnings("ignore")
rng = np.random.default_rng(8)
n = 40
x = np.round(rng.normal(size=(n, 2)) * [1, 2], 6)
f = np.sin(1.5 * x[:, 0]) + 0.3 * x[:, 1]
y = np.round(f + 0.2 * rng.normal(size=n), 6)
both = np.round(np.column_stack([y, 10 + 5 * np.cos(x[:, 1]) + 0.1 * rng.normal(size=n)]), 6)
new = np.round(rng.normal(size=(9, 2)) * [1.5, 2.5], 6)
each = np.round(rng.uniform(0.01, 0.3, size=n), 6)
out = {"scikit-learn": sklearn.__version__, "x": x, "y": y, "both": both, "new": new, "each": each}

regression = {
    "1.5*rbf(length_scale=1.2)+white(noise_level=0.1)": gp.ConstantKernel(1.5) * gp.RBF(1.2) + gp.WhiteKernel(0.1),
    "2.0*rbf(length_scale=[0.8, 2.0])+white(noise_level=0.05)": gp.ConstantKernel(2.0) * gp.RBF([0.8, 2.0]) + gp.WhiteKernel(0.05),
    "matern(length_scale=[1.1, 1.9], nu=2.5)+white(noise_level=0.05)": gp.Matern([1.1, 1.9], nu=2.5) + gp.WhiteKernel(0.05),
    "rational_quadratic(length_scale=1.4, alpha=0.8)*dot_product(sigma_0=1.2)+white(noise_level=0.2)": gp.RationalQuadratic(1.4, 0.8)
    * gp.DotProduct(1.2)
    + gp.WhiteKernel(0.2),
    "rbf(length_scale=1.5)": gp.RBF(1.5),
}


def described(kernel, target, alpha, normalize):
    """At the hyper-parameters as given, and at the maximum."""
    fixed = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None, normalize_y=normalize).fit(x, target)
    value, slopes = fixed.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    mean, std = fixed.predict(new, return_std=True)
    _, covariance = fixed.predict(new, return_cov=True)
    best = GaussianProcessRegressor(kernel, alpha=alpha, normalize_y=normalize).fit(x, target)
    at_best, std_at_best = best.predict(new, return_std=True)
    return {
        "lml": value,
        "gradient": slopes,
        "mean": mean,
        "std": std,
        "covariance": covariance,
        "alpha": fixed.alpha_,
        "best": best.log_marginal_likelihood_value_,
        "theta": best.kernel_.theta,
        "best_mean": at_best,
        "best_std": std_at_best,
    }


out["regression"] = {
    text: {
        "plain": described(kernel, y, 0.1 if "white" not in text else 1e-10, False),
        "normalised": described(kernel, y, 0.05, True),
        "each": described(kernel, y, each, False),
        "both": described(kernel, both, 0.1, True),
    }
    for text, kernel in regression.items()
}

# Classes.
wave = np.sin(1.2 * x[:, 0]) + 0.4 * x[:, 1] + 0.5 * rng.normal(size=n)
two = (wave > 0.1).astype(int)
three = np.digitize(wave, [-0.5, 0.6])
out["two"], out["three"] = two, three
classification = {
    "1.0*rbf(length_scale=1.0)": gp.ConstantKernel(1.0) * gp.RBF(1.0),
    "2.0*rbf(length_scale=[0.8, 2.0])": gp.ConstantKernel(2.0) * gp.RBF([0.8, 2.0]),
    "3.0*matern(length_scale=1.3, nu=1.5)": gp.ConstantKernel(3.0) * gp.Matern(1.3, nu=1.5),
}


def classes(kernel):
    fixed = GaussianProcessClassifier(kernel, optimizer=None).fit(x, two)
    value, slopes = fixed.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    best = GaussianProcessClassifier(kernel).fit(x, two)
    latent, variance = fixed.latent_mean_and_variance(new)
    made = {
        "lml": value,
        "gradient": slopes,
        "proba": fixed.predict_proba(new),
        "latent": latent,
        "variance": variance,
        "best": best.log_marginal_likelihood_value_,
        "best_proba": best.predict_proba(new),
    }
    rest = GaussianProcessClassifier(kernel, optimizer=None, multi_class="one_vs_rest").fit(x, three)
    made["rest"] = rest.predict_proba(new)
    made["rest_lml"] = rest.log_marginal_likelihood_value_
    pairs = GaussianProcessClassifier(kernel, optimizer=None, multi_class="one_vs_one").fit(x, three)
    made["pairs"] = pairs.predict(new)
    made["pairs_lml"] = pairs.log_marginal_likelihood_value_
    return made


out["classification"] = {text: classes(kernel) for text, kernel in classification.items()}
print(json.dumps(out, default=lambda a: a.tolist()))
