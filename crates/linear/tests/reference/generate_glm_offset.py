"""Reference values for generalised linear models with an offset: statsmodels' GLM.

Pinned: statsmodels 0.15.0. Run: python generate_glm_offset.py > glm_offset.json
"""

import json

import numpy as np
import statsmodels
import statsmodels.api as sm

assert statsmodels.__version__.startswith("0.15."), statsmodels
rng = np.random.default_rng(1118)
n, d = 80, 3
x = rng.normal(size=(n, d)) * [1.0, 4.0, 0.2] + [0.0, 10.0, -1.0]
exposure = rng.gamma(2.0, 3.0, size=n) + 0.1
rate = np.exp(0.5 * x[:, 0] - 0.1 * x[:, 1] + 1.0 * x[:, 2] + 1.5)
counts = rng.poisson(rate * exposure).astype(float)
positive = rate * exposure * rng.gamma(5.0, 0.2, size=n)
shifted = x @ [1.0, -0.5, 2.0] + 3.0 + exposure + rng.normal(size=n)
out = {"versions": {"statsmodels": statsmodels.__version__, "numpy": np.__version__}, "x": x.tolist(),
       "exposure": exposure.tolist(), "counts": counts.tolist(), "positive": positive.tolist(),
       "shifted": shifted.tolist(), "fits": []}
log = sm.families.links.Log()
cases = [(1, "log", "counts", sm.families.Poisson()), (2, "log", "positive", sm.families.Gamma(log)),
         (3, "log", "positive", sm.families.InverseGaussian(log)), (0, "identity", "shifted", sm.families.Gaussian()),
         (1.5, "log", "positive", sm.families.Tweedie(var_power=1.5, link=log))]
targets = {"counts": counts, "positive": positive, "shifted": shifted}
for power, link, y, family in cases:
    offset = np.log(exposure) if link == "log" else exposure
    for intercept in [True, False]:
        a = sm.add_constant(x) if intercept else x
        m = sm.GLM(targets[y], a, family=family, offset=offset).fit(tol=1e-14, maxiter=1000)
        fit = {"power": power, "link": link, "y": y, "intercept": intercept, "estimates": m.params.tolist(),
               "errors": m.bse.tolist(), "deviance": m.deviance, "scale": m.scale,
               "predicted": m.predict(a[:6], offset=offset[:6]).tolist()}
        if power != 1.5:
            fit.update(llf=m.llf, aic=m.aic)
        out["fits"].append(fit)
# With a penalty: the gradient of (1/n) Σ d/2 + α/2 ‖w‖² is zero, which statsmodels' elastic net with no L1 part solves.
m = sm.GLM(counts, sm.add_constant(x), family=sm.families.Poisson(), offset=np.log(exposure))
alpha = 0.3
found = m.fit_regularized(alpha=alpha * np.r_[0.0, np.ones(d)], L1_wt=0.0, cnvrg_tol=1e-14, maxiter=5000)
out["penalised"] = {"alpha": alpha, "estimates": np.asarray(found.params).tolist()}
print(json.dumps(out))
