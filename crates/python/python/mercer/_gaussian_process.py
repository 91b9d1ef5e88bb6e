"""Gaussian processes: what their classes tell beside the compiled part."""

from __future__ import annotations

import numbers


class GaussianProcessMixin:
    """Gaussian process regression: deviations and covariances without `alpha`, as scikit-learn gives them, and draws."""

    def _jitter(self):
        # What the compiled part adds to the noise of new rows, in the units of the target.
        return float(self.alpha) if isinstance(self.alpha, numbers.Real) else 0.0

    def _unit(self):
        """The square of the target's unit where targets are brought to variance 1; 1 otherwise."""
        import numpy as np

        if not self.normalize_y:
            return 1.0
        return float(np.asarray(self._model.attributes()["_y_train_std"]).ravel()[0]) ** 2

    def predict(self, X, return_std=False, return_cov=False):
        """Predict, with the standard deviation of each answer or the covariance of all of them where asked for: the noise of
        the kernel included, `alpha` not.

        Returns
        -------
        ndarray, or a tuple of two
        """
        import numpy as np

        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not (return_std or return_cov):
            return super().predict(X)
        rows = self._prepare(X, "predict")
        mean, epistemic, aleatoric = self._model.spread(rows)
        jitter = self._jitter() * self._unit()
        if return_std:
            return mean, np.sqrt(epistemic + np.maximum(aleatoric - jitter, 0.0))
        covariance = np.array(self._model.covariance(rows))
        np.fill_diagonal(covariance, epistemic + np.maximum(aleatoric - jitter, 0.0))
        return mean, covariance

    def sample_y(self, X, n_samples=1, random_state=0):
        """Functions drawn from the posterior, at the rows of X.

        Returns
        -------
        ndarray of shape (n_rows, n_samples)
        """
        import numpy as np

        mean, covariance = self.predict(X, return_cov=True)
        if isinstance(random_state, np.random.RandomState):
            rng = random_state
        else:
            rng = np.random.RandomState(random_state)
        return rng.multivariate_normal(mean, covariance, n_samples).T
