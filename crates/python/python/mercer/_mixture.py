"""What mixtures have beyond `fit` and `predict`, as scikit-learn has it."""

import warnings

from mercer._lazy import Lazy
from mercer._reduce import SingleMixin

np = Lazy("numpy")


def _shape(X):
    """The shape of rows; what tells its shape is not made an array of."""
    return X.shape if hasattr(X, "shape") else np.asarray(X).shape


def _size(X, axis):
    """The length of an axis."""
    return _shape(X)[axis]


class MixtureMixin(SingleMixin):
    """Mixtures: densities of rows, shares of the components, draws."""

    _estimator_type = "density_estimator"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags

    @property
    def converged_(self):
        """Whether the run that was kept reached the tolerance."""
        return bool(self._model.attributes()["converged_"])

    @property
    def lower_bounds_(self):
        """The objective at each iteration of the run that was kept, a list."""
        return self._model.attributes()["lower_bounds_"].tolist()

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        shape = _shape(X)
        n = shape[0] if len(shape) == 2 else 0
        if n == 1:
            raise ValueError(
                f"Found array with 1 sample(s) (shape={tuple(shape)}) while a minimum of 2 is required by {type(self).__name__}."
            )
        if isinstance(self.n_components, int) and n and n < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {n}"
            )
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _core_params(self):
        params = super()._core_params()
        if params.get("labels") is not None:
            params["labels"] = np.asarray(params["labels"]).astype(int).tolist()
        return params

    def _warn_unless_converged(self, model):
        if self.max_iter > 0 and model.certificate()["shortfall"] is not None:
            from mercer._exceptions import convergence_warning

            message = (
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, "
                "tol, or check for degenerate data."
            )
            warnings.warn(message, convergence_warning(), stacklevel=5)

    def fit_predict(self, X, y=None, **fit_params):
        """Learn, and give the likeliest component of each row."""
        return self.fit(X, **fit_params).predict(X)

    def score_samples(self, X):
        """The logarithm of the density at each row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        found = super().score_samples(X)
        return found.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else found

    def score(self, X, y=None):
        """The mean of the rows' log-likelihoods."""
        return self.score_samples(X).mean()

    def _n_parameters(self):
        """The free numbers of the model."""
        k, d = self.means_.shape if hasattr(self, "means_") else self.probabilities_.shape
        if not hasattr(self, "covariance_type"):
            return k * d + k - 1
        own = {"full": k * d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diag": k * d, "spherical": k}
        learnt = k if hasattr(self, "degrees_") and self.degrees is None else 0
        return int(own[self.covariance_type] + k * d + k - 1 + learnt)

    def bic(self, X):
        """Bayes' information criterion on rows: the lower, the better."""
        return -2 * self.score(X) * _size(X, 0) + self._n_parameters() * np.log(_size(X, 0))

    def aic(self, X):
        """Akaike's information criterion on rows: the lower, the better."""
        return -2 * self.score(X) * _size(X, 0) + 2 * self._n_parameters()

    def sample(self, n_samples=1):
        """Draw rows, those of one component after those of the other.

        Returns
        -------
        X, y : rows, and the component of each
        """
        self._model
        if n_samples < 1:
            raise ValueError(f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample.")
        state = self.random_state
        rng = state if hasattr(state, "multinomial") else np.random.RandomState(state)
        counts = rng.multinomial(n_samples, np.asarray(self.weights_, dtype=float) / np.sum(self.weights_, dtype=float))
        rows = np.vstack([self._drawn(rng, k, int(n)) for k, n in enumerate(counts)])
        return rows, np.repeat(np.arange(len(counts)), counts)

    def _drawn(self, rng, k, n):
        """So many rows of one component."""
        if hasattr(self, "probabilities_"):
            chances = self.probabilities_[k]
            return (rng.uniform(size=(n, len(chances))) < chances).astype(float)
        mean, form = self.means_[k], self.covariance_type
        if form in ("full", "tied"):
            steps = rng.multivariate_normal(np.zeros(len(mean)), self.covariances_ if form == "tied" else self.covariances_[k], n)
        else:
            steps = rng.standard_normal(size=(n, len(mean))) * np.sqrt(self.covariances_[k])
        if hasattr(self, "degrees_"):
            degrees = self.degrees_[k]
            steps = steps / np.sqrt(rng.chisquare(degrees, size=(n, 1)) / degrees)
        return mean + steps


def _check_shape(value, shape, name):
    if np.shape(value) != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {np.shape(value)}")


def _check_weights(weights, k):
    _check_shape(weights, (k,), "weights")
    if np.any(weights < 0) or np.any(weights > 1):
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{np.min(weights):.5f}, min value {np.max(weights):.5f}"
        )
    if not np.allclose(np.abs(1 - np.sum(weights)), 0.0, atol=1e-6):
        raise ValueError(f"The parameter 'weights' should be normalized, but got sum(weights) = {np.sum(weights):.5f}")


def _check_precisions(precisions, form, k, d):
    shapes = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}
    _check_shape(precisions, shapes[form], f"{form} precision")
    if form in ("diag", "spherical"):
        if np.any(precisions <= 0):
            raise ValueError(f"'{form} precision' should be positive")
        return
    for one in precisions if form == "full" else [precisions]:
        if not (np.allclose(one, one.T) and np.all(np.linalg.eigvalsh(one) > 0)):
            raise ValueError(f"'{form} precision' should be symmetric, positive-definite")


class GaussianMixtureMixin(MixtureMixin):
    """Gaussian mixtures: first components that are given, and those of an earlier fit."""

    def _core_params(self):
        params = super()._core_params()
        for name in ("weights_init", "precisions_init"):
            if params[name] is not None:
                params[name] = np.asarray(params[name], dtype=float).ravel().tolist()
        if params["means_init"] is not None:
            params["means_init"] = np.asarray(params["means_init"], dtype=float).tolist()
        return params

    def _fit_params(self, X):
        k, d = self.n_components, _size(X, 1)
        if self.weights_init is not None:
            _check_weights(np.asarray(self.weights_init, dtype=float), k)
        if self.means_init is not None:
            _check_shape(self.means_init, (k, d), "means")
        if self.precisions_init is not None:
            _check_precisions(np.asarray(self.precisions_init, dtype=float), self.covariance_type, k, d)
        return self._core_params()

    def _fit_options(self):
        options = super()._fit_options()
        if not (self.warm_start and self.fitted):
            return options
        known = self._model.attributes()
        names = ("lower_bound_", "weights_", "means_", "precisions_cholesky_")
        return {**options, "start": np.concatenate([np.ravel(known[name]) for name in names]).tolist()}


class BayesianMixtureMixin(MixtureMixin):
    """Variational mixtures: priors that are given, and where an earlier fit ended."""

    def _core_params(self):
        params = super()._core_params()
        for name in ("mean_prior", "covariance_prior"):
            if params[name] is not None:
                params[name] = np.asarray(params[name], dtype=float).ravel().tolist()
        return params

    def _fit_params(self, X):
        d, form = _size(X, 1), self.covariance_type
        if self.mean_prior is not None:
            _check_shape(self.mean_prior, (d,), "means")
        if self.degrees_of_freedom_prior is not None and self.degrees_of_freedom_prior <= d - 1.0:
            raise ValueError(
                f"The parameter 'degrees_of_freedom_prior' should be greater than {d - 1}, but got "
                f"{self.degrees_of_freedom_prior:.3f}."
            )
        if self.covariance_prior is not None:
            shape = {"full": (d, d), "tied": (d, d), "diag": (d,), "spherical": ()}[form]
            _check_shape(self.covariance_prior, shape, f"{form} covariance_prior")
        return self._core_params()

    @property
    def weight_concentration_(self):
        """Concentrations of the weights: of each component, or of each stick and of those after it."""
        found = self._model.attributes()["weight_concentration_"]
        return found if found.ndim == 1 else (found[0], found[1])

    def _fit_options(self):
        options = super()._fit_options()
        if not (self.warm_start and self.fitted):
            return options
        known = self._model.attributes()
        names = ("lower_bound_", "means_", "precisions_cholesky_", "weight_concentration_", "mean_precision_", "degrees_of_freedom_")
        return {**options, "start": np.concatenate([np.ravel(known[name]) for name in names]).tolist()}


class DirichletMixtureMixin(SingleMixin):
    """Dirichlet process mixtures: densities are averages over the posterior."""

    def _core_params(self):
        params = super()._core_params()
        for name in ("mean", "covariance"):
            if params[name] is not None:
                params[name] = np.asarray(params[name], dtype=float).ravel().tolist()
        return params

    def score(self, X, y=None):
        """The mean of the rows' log-likelihoods."""
        return float(np.mean(self.score_samples(X)))
