"""Frozen reference values of warping and of the global alignment kernel.

Pinned: aeon 1.4.0, tslearn 0.10.0. Run: python generate_series.py > series.json
"""

import json
from importlib.metadata import version

import numpy as np
from aeon.distances import dtw_pairwise_distance
from tslearn.metrics import cdist_gak, dtw, dtw_path, lb_keogh, lb_envelope

assert version("aeon") == "1.4.0" and version("tslearn") == "0.10.0"
rng = np.random.default_rng(31)
equal = np.round(np.cumsum(rng.normal(size=(8, 30)), axis=1), 6)
ragged = [np.round(np.cumsum(rng.normal(size=n)), 6) for n in (5, 9, 9, 14, 20)]
several = [np.round(np.cumsum(rng.normal(size=(n, 3)), axis=0), 6) for n in (6, 6, 11)]
out = {"equal": equal.tolist(), "ragged": [s.tolist() for s in ragged], "several": [s.tolist() for s in several]}
# aeon's distances are squared.
out["aeon"] = {
    str(window): np.sqrt(dtw_pairwise_distance(equal, window=window)).tolist() for window in (0.1, 0.2, 1.0)
}
out["aeon_several"] = np.sqrt(dtw_pairwise_distance([s.T for s in several])).tolist()
out["ragged_dtw"] = [[dtw(a, b) for b in ragged] for a in ragged]
out["several_dtw"] = [[dtw(a, b) for b in several] for a in several]
out["radius_3"] = [[dtw(a, b, global_constraint="sakoe_chiba", sakoe_chiba_radius=3) for b in equal] for a in equal]
path, distance = dtw_path(equal[0], equal[1])
out["path"] = {"path": [[int(i), int(j)] for i, j in path], "distance": float(distance)}
lower, upper = lb_envelope(equal[1], radius=4)
out["envelope"] = {"lower": lower.ravel().tolist(), "upper": upper.ravel().tolist()}
out["lb_keogh"] = [[float(lb_keogh(a, b, radius=4)) for b in equal] for a in equal]
scaled = [s / 3 for s in ragged]
out["gak"] = {str(sigma): cdist_gak(scaled, sigma=sigma).tolist() for sigma in (0.5, 1.0, 2.0)}
json.dump(out, __import__("sys").stdout)
