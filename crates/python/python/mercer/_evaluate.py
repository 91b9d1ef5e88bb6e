"""The score of a fitted estimator on data."""

import numpy as np

from mercer import _mercer
from mercer._scoring import codes, matrix, vector


def score(estimator, scorer, X, y):
    """A metric of a fitted estimator's answers for some rows."""
    if estimator._mercer_task != "Classification":
        answer = ("numbers", vector(y), vector(estimator.predict(X)))
        return scorer.sign * _mercer.metric(scorer.bind("Regression", None), answer)
    classes = np.asarray(estimator.classes_)
    truth, can = codes(y, classes), estimator._mercer_can
    predicted = codes(estimator.predict(X), classes)
    proba = matrix(estimator.predict_proba(X)) if "proba" in can else None
    decision = matrix(estimator.decision_function(X)) if "decision" in can else None
    if decision is not None and decision.ndim == 1:
        decision = decision.reshape(-1, 1)
    answer = ("classes", truth, len(classes), predicted, proba, decision)
    return scorer.sign * _mercer.metric(scorer.bind("Classification", classes), answer)
