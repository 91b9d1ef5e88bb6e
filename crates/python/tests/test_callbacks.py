"""Code of the user's that Mercer calls: whatever it does, fits of Mercer's included, it returns, its exceptions come back as
they are, and calls in several threads never meet. Each case runs in a process of its own, at the default number of threads,
since a deadlock could not be ended from inside."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from mercer import inspection, metrics, model_selection
from mercer.ensemble import HistGradientBoostingRegressor
from mercer.linear_model import LogisticRegression, Ridge

START = """
import numpy as np
from sklearn.datasets import make_classification, make_regression
import mercer.metrics as metrics
from mercer.ensemble import RandomForestRegressor
from mercer.inspection import partial_dependence, permutation_importance
from mercer.linear_model import LogisticRegression, Ridge
from mercer.mcmc import Metropolis
from mercer.model_selection import *

X, y = make_regression(300, 5, noise=1.0, random_state=0)
XC, yc = make_classification(300, 5, random_state=0)

def fits(estimator, rows, target):
    "A scorer that fits."
    return Ridge().fit(rows, target).score(rows, target) + metrics.r2_score(target, estimator.predict(rows))

class Splitter:
    "A splitter that fits and cross-validates."
    def split(self, X, y=None, groups=None):
        Ridge().fit(X, y)
        cross_val_score(Ridge(), X, y, cv=2, scoring=metrics.r2_score)
        return KFold(3).split(X)
    def get_n_splits(self, X=None, y=None, groups=None):
        return 3

def refit(results):
    Ridge().fit(X, y)
    return int(np.argmax(results["mean_test_score"]))

def density(x):
    return -0.5 * x[0] ** 2 + 0 * metrics.mean_squared_error([1.0, 2.0], [1.0, 2.5])

grid = {"alpha": [0.1, 1.0, 10.0]}
"""

CASES = {
    "metric of Mercer's": "cross_val_score(Ridge(), X, y, cv=3, scoring=metrics.r2_score)",
    "scorer that fits": "cross_val_score(Ridge(), X, y, cv=3, scoring=fits)",
    "scorer made of a metric": "cross_val_score(LogisticRegression(), XC, yc, scoring=metrics.make_scorer(metrics.log_loss, "
    "response_method='predict_proba', greater_is_better=False))",
    "several": "cross_validate(Ridge(), X, y, scoring={'a': metrics.make_scorer(metrics.r2_score), 'b': 'r2', 'c': fits})",
    "grid search": "GridSearchCV(Ridge(), grid, scoring=fits, cv=Splitter(), refit=refit).fit(X, y)",
    "grid search, named metric": "GridSearchCV(Ridge(), grid, scoring='r2', cv=Splitter(), refit=refit).fit(X, y)",
    "random search": "RandomizedSearchCV(RandomForestRegressor(n_estimators=5), {'max_depth': [1, 2]}, n_iter=2, cv=3, scoring=fits).fit(X, y)",
    "halving": "HalvingGridSearchCV(Ridge(), grid, scoring=fits, cv=3).fit(X, y)",
    "search in a search": "cross_val_score(GridSearchCV(Ridge(), grid, cv=2), X, y, cv=3, scoring=metrics.r2_score)",
    "curves": "learning_curve(Ridge(), X, y, scoring=fits, cv=3); "
    "validation_curve(Ridge(), X, y, param_name='alpha', param_range=[1, 2], scoring=fits, cv=3)",
    "permutations of the target": "permutation_test_score(Ridge(), X, y, n_permutations=3, scoring=fits, cv=Splitter())",
    "answers of folds": "cross_val_predict(Ridge(), X, y, cv=Splitter())",
    "importance": "permutation_importance(Ridge().fit(X, y), X, y, scoring=fits)",
    "dependence": "partial_dependence(GridSearchCV(Ridge(), grid, scoring=fits).fit(X, y), X, [0])",
    "metric at thresholds": "metrics.metric_at_thresholds(yc, XC[:, 0], metrics.accuracy_score)",
    "density": "Metropolis(draws=200).fit(density, dim=1)",
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_code_of_the_user_returns(case):
    subprocess.run([sys.executable, "-c", START + CASES[case]], check=True, timeout=120)


def test_exceptions_come_back_and_metrics_never_meet():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    y = x @ [1.0, 2.0, 3.0]
    found = model_selection.cross_validate(Ridge(), x, y, cv=2, scoring={"A": lambda t, p: 1.0, "a": lambda t, p: 2.0})
    assert found["test_A"].tolist() == [1.0, 1.0] and found["test_a"].tolist() == [2.0, 2.0]

    def broken(truth, predicted):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        model_selection.cross_val_score(Ridge(), x, y, scoring=broken, error_score="raise")
    wrong = []

    def work(value):
        for _ in range(50):
            scores = model_selection.cross_val_score(Ridge(), x, y, cv=2, scoring=lambda t, p: value)
            wrong.extend(score for score in scores if score != value)

    threads = [threading.Thread(target=work, args=(float(value),)) for value in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def slow():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60_000, 20)), rng.integers(0, 5, 60_000)
    yield "silhouette", lambda: metrics.silhouette_score(rows, labels)
    truth, said = rng.normal(size=200_000), rng.normal(size=200_000)
    yield "bootstrap", lambda: metrics.bootstrap_interval("r2", truth, said, n_draws=20_000)
    booster = HistGradientBoostingRegressor(max_iter=300, max_leaf_nodes=63).fit(rows[:5000], rows[:5000, 0] * rows[:5000, 1])
    yield "shap", lambda: inspection.shap_values(booster, rows)
    yield "interactions", lambda: inspection.shap_interaction_values(booster, rows[:5000])
    yield "importance", lambda: inspection.permutation_importance(booster, rows[:10_000], rows[:10_000, 0], n_repeats=500)
    search = model_selection.GridSearchCV(LogisticRegression(), {"C": np.logspace(-3, 3, 500)}, scoring=metrics.accuracy_score)
    yield "search", lambda: search.fit(rows[:20_000], labels[:20_000])


@pytest.mark.parametrize("work", [case[1] for case in slow()], ids=[case[0] for case in slow()])
def test_ctrl_c_is_answered_at_once(work):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = []

    def send():
        time.sleep(0.5)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        # Tests share their cores with others; on an idle machine it is a tenth of this.
        assert time.perf_counter() - sent[0] < 0.5
    finally:
        signal.signal(signal.SIGINT, before)
