"""Frozen diagnostics of chains: R-hat, effective sample sizes, standard errors, intervals and BFMI.

Pinned: arviz 0.22.0, numpy 2.4.6, scipy 1.17.1. Run: python generate_diagnostics.py > diagnostics.json
"""

import json

import arviz
import numpy as np

assert arviz.__version__ == "0.22.0", arviz.__version__
rng = np.random.default_rng(20261118)


def ar(phi, chains, draws):
    out = np.zeros((chains, draws))
    for t in range(1, draws):
        out[:, t] = phi * out[:, t - 1] + rng.normal(size=chains)
    return np.round(out, 8)


SETS = {
    "independent": ar(0.0, 4, 100),
    "slow": ar(0.9, 4, 120),
    "alternating": ar(-0.6, 3, 101),
    "apart": ar(0.3, 4, 80) + np.arange(4)[:, None],
    "spread": ar(0.2, 4, 90) * np.array([1, 1, 3, 5])[:, None],
    "two chains, heavy": np.round(rng.standard_t(1.5, size=(2, 75)), 8),
    "few": ar(0.5, 2, 6),
    "ties": rng.integers(0, 4, size=(4, 60)).astype(float),
}
cases = []
for name, x in SETS.items():
    cases.append({
        "name": name, "chains": x.tolist(), "r_hat": float(arviz.rhat(x)), "split": float(arviz.rhat(x, method="split")),
        "bulk": float(arviz.ess(x, method="bulk")), "tail": float(arviz.ess(x, method="tail")),
        "mean": float(arviz.ess(x, method="mean")), "q30": float(arviz.ess(x, method="quantile", prob=0.3)),
        "mcse_mean": float(arviz.mcse(x, method="mean")), "mcse_sd": float(arviz.mcse(x, method="sd")),
        "mcse_q30": float(arviz.mcse(x, method="quantile", prob=0.3)), "hdi": arviz.hdi(x.ravel(), hdi_prob=0.94).tolist(),
        "bfmi": arviz.bfmi(x).tolist(),
    })
json.dump({"arviz": arviz.__version__, "cases": cases}, __import__("sys").stdout)
