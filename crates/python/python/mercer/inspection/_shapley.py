"""Exact Shapley values of trees and of ensembles that are sums of them."""

from __future__ import annotations

import numpy as np

from mercer import _mercer
from mercer._base import threads_of
from mercer.inspection._common import fitted, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Explanation:
    """What each feature adds to each prediction.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
        The Shapley values. A row's values and its base value add up to what the model says of it.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The mean over the training rows.
    data : ndarray or None
        The rows, where the features are the columns of `X`; a pipeline explains the features that it makes.
    feature_names : list of str
    output_names : list or None
        The classes whose probabilities or scores these are; None for numbers.
    explains : {"probabilities", "scores", "numbers"}
        What the values add up to: probabilities of trees and forests, decision values of boosted classifiers (raw scores
        of boosted regressors, before the link), predicted numbers.
    """

    def __init__(self, values, base_values, data, feature_names, output_names, explains):
        self.values = values
        self.base_values = base_values
        self.data = data
        self.feature_names = feature_names
        self.output_names = output_names
        self.explains = explains

    @property
    def shape(self):
        """The shape of the values."""
        return self.values.shape

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        data = None if self.data is None else self.data[rows]
        return Explanation(
            self.values[rows], self.base_values[rows], data, self.feature_names, self.output_names, self.explains
        )

    def __repr__(self):
        return f"<Explanation of {self.explains}: values of shape {self.shape}>"


def shap_values(estimator: Any, X: Any, *, n_jobs: int | None = None) -> Explanation:
    """Exact Shapley values of trees, forests and boosters, of ensembles that are sums of such, and of pipelines.

    Bagging, averages (`VotingRegressor`, soft `VotingClassifier`), gradient boosting and `AdaBoostClassifier` (its decision
    values) are sums; the weighted median of `AdaBoostRegressor` and counted votes are not.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's.
    X : array, sparse matrix or frame
        The rows to explain.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    Explanation

    References
    ----------
    - Lundberg, Erion, Lee. Consistent individualized feature attribution for tree ensembles. 2018. arXiv:1802.03888
    - Yu, Bifet, Read, Xu. Linear tree Shap. NeurIPS 2022. arXiv:2209.08192
    """
    estimator = fitted(estimator)
    model = estimator._model
    x = estimator._prepare(X, "shap_values")
    values, base, names, explains = _mercer.contributions(model, x, threads_of(n_jobs))
    classes = None if model.classes is None else model.classes.tolist()
    if classes is not None and values.shape[2] == 1:
        # The score of two classes is that of the second.
        classes = classes[-1:]
    base = np.tile(base, (len(values), 1))
    if values.shape[2] == 1:
        values, base = values[:, :, 0], base[:, 0]
    data = _shown(X) if names == names_of(model) else None
    return Explanation(values, base, data, names, classes, explains)


def _shown(X):
    """Rows as an array, as they are shown beside what they add."""
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def shap_interaction_values(estimator: Any, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """Exact Shapley interaction values of what `shap_values` explains.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of Mercer's.
    X : array, sparse matrix or frame
        The rows to explain.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_samples, n_features, n_features) or (n_samples, n_features, n_features, n_outputs)
        Each row of a sample's matrix adds up to the Shapley value of its feature; off the diagonal stands half of what a
        pair does beyond its two features alone.
    """
    estimator = fitted(estimator)
    x = estimator._prepare(X, "shap_interaction_values")
    values = _mercer.interactions(estimator._model, x, threads_of(n_jobs))
    return values[..., 0] if values.shape[-1] == 1 else values
