"""Frozen reference values of ensembles.

Run in a throwaway environment: pip install scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    python generate_ensemble.py > ensemble.json
"""

import json
import warnings

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier, GradientBoostingRegressor, StackingClassifier,
    StackingRegressor, VotingClassifier, VotingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.simplefilter("ignore")
rng = np.random.default_rng(3)
n, d = 90, 4
x = np.round(rng.normal(size=(n, d)), 6)
score = x @ [1.5, -2.0, 0.7, 0.0] + np.sin(3 * x[:, 0]) + 0.4 * rng.normal(size=n)
y2 = (score > 0).astype(int)
y3 = np.digitize(score, [-1.0, 1.0])
y = np.round(score, 6)
w = np.round(rng.uniform(0.2, 3, n), 3)
out = {"scikit-learn": "1.9.1", "x": x.ravel().tolist(), "n": n, "d": d,
       "y2": y2.tolist(), "y3": y3.tolist(), "y": y.tolist(), "w": w.tolist()}


def logistic():
    return LogisticRegression(tol=1e-10, max_iter=10000)


def tree(depth=2):
    # Ties between features are broken at random there: the data must have none.
    fits = [DecisionTreeClassifier(max_depth=depth, random_state=s).fit(x, y3).predict(x) for s in range(9)]
    assert all((f == fits[0]).all() for f in fits)
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


ada = []
for name, target, k, weights in [("two classes", y2, 1, None), ("two classes, weighted", y2, 1, w),
                                 ("three classes", y3, 2, None)]:
    m = AdaBoostClassifier(DecisionTreeClassifier(max_depth=k), n_estimators=12).fit(x, target, weights)
    ada.append(dict(name=name, depth=k, target="y2" if target is y2 else "y3", weighted=weights is not None,
                    alphas=m.estimator_weights_.tolist(), errors=m.estimator_errors_.tolist(),
                    decision=m.decision_function(x).ravel().tolist(), proba=m.predict_proba(x).ravel().tolist(),
                    predicted=m.predict(x).tolist()))
out["ada"] = ada

members = [("lr", logistic()), ("t", tree())]
out["vote_hard"] = VotingClassifier(members + [("d", tree(1))]).fit(x, y3).predict(x).tolist()
out["vote_soft"] = VotingClassifier(members, voting="soft", weights=[2, 1]).fit(x, y3).predict_proba(x).ravel().tolist()
numbers = [("r", Ridge()), ("t", DecisionTreeRegressor(max_depth=3))]
out["average"] = VotingRegressor(numbers, weights=[1, 3]).fit(x, y).predict(x).tolist()
m = StackingClassifier(members, final_estimator=logistic()).fit(x, y3)
out["stack"] = m.predict_proba(x).ravel().tolist()
m = StackingClassifier(members, final_estimator=logistic(), passthrough=True, cv=3).fit(x, y2)
out["stack_binary"] = m.predict_proba(x)[:, 1].tolist()
m = StackingRegressor(numbers, final_estimator=Ridge(), cv=4).fit(x, y)
out["stack_numbers"] = m.predict(x).tolist()
gb = []
for weights in [None, w]:
    m = GradientBoostingRegressor(n_estimators=30, max_depth=2, criterion="squared_error").fit(x, y, weights)
    gb.append(dict(weighted=weights is not None, predicted=m.predict(x).tolist()))
out["gradient"] = gb
print(json.dumps(out))
