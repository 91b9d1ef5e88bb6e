"""What PCA and k-means have beyond `fit` and `transform`, as scikit-learn has it."""

import warnings

from mercer._lazy import Lazy

np = Lazy("numpy")
_data = Lazy("mercer._data")


def _float32(X):
    return getattr(X, "dtype", None) == np.float32


class SingleMixin:
    """Arrays that are learnt from float32 are float32."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        made = super()._learn(fit, X, y, sample_weight, **extra)
        self.__dict__["_single"] = _float32(X)
        return made

    def __getattr__(self, name):
        value = super().__getattr__(name)
        if self.__dict__.get("_single") and isinstance(value, np.ndarray) and value.dtype == np.float64:
            return value.astype(np.float32)
        return value


class PCAMixin(SingleMixin):
    """Principal components as a model of the rows: a Gaussian whose noise is alike in all other directions."""

    _door_meant = frozenset({"tol"})

    def _core_params(self):
        params = super()._core_params()
        return {**params, "n_components": "all" if params["n_components"] is None else params["n_components"]}

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_components(X)
        made = super()._learn(fit, X, y, sample_weight, **extra)
        self.__dict__["n_samples_"] = len(np.asarray(X)) if not hasattr(X, "shape") else X.shape[0]
        return made

    def _check_components(self, X):
        """scikit-learn's checks of `n_components`, with its words."""
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        if len(shape) != 2 or 0 in shape or getattr(getattr(X, "dtype", None), "kind", "f") == "c":
            return
        k, solver, most = self.n_components, self.svd_solver, min(shape)
        if _data.is_sparse(X) and solver in ("full", "randomized"):
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{solver}" was passed. See TruncatedSVD for a possible alternative.'
            )
        if k == "mle":
            if shape[0] < shape[1]:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            if solver in ("arpack", "randomized"):
                raise ValueError(f"n_components='mle' cannot be used with svd_solver='{solver}'")
        if isinstance(k, str) or k is None:
            return
        if solver in ("arpack", "randomized"):
            if not 1 <= k <= most:
                raise ValueError(
                    f"n_components={k!r} must be between 1 and min(n_samples, n_features)={most!r} with svd_solver='{solver}'"
                )
            if solver == "arpack" and k == most:
                raise ValueError(
                    f"n_components={k!r} must be strictly less than min(n_samples, n_features)={most!r} with "
                    "svd_solver='arpack'"
                )
        elif not 0 <= k <= most:
            raise ValueError(
                f"n_components={k!r} must be between 0 and min(n_samples, n_features)={most!r} with svd_solver='{solver}'"
            )

    @property
    def n_features_(self):
        """The number of features."""
        return self._model.n_features

    def get_covariance(self):
        """The covariance of the model.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        components, noise = self.components_, self.noise_variance_
        spread = np.maximum(self.explained_variance_ - noise, 0.0)
        return components.T @ (components * spread[:, None]) + noise * np.eye(components.shape[1])

    def get_precision(self):
        """The inverse of the covariance of the model.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        components, noise = self.components_, self.noise_variance_
        if noise == 0.0 or components.shape[0] == components.shape[1]:
            return np.linalg.inv(self.get_covariance())
        # Along a component its own variance, in all other directions the noise.
        gain = 1.0 / np.maximum(self.explained_variance_, noise) - 1.0 / noise
        return components.T @ (components * gain[:, None]) + np.eye(components.shape[1]) / noise

    def score_samples(self, X):
        """The log-likelihood of each row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        self._prepare(X, "score_samples")
        rows = X.toarray() if _data.is_sparse(X) else np.asarray(X)
        centred = rows - self.mean_
        precision = self.get_precision()
        quadratic = (centred * (centred @ precision)).sum(axis=1)
        return -0.5 * (quadratic + rows.shape[1] * np.log(2.0 * np.pi) - np.linalg.slogdet(precision)[1])

    def score(self, X, y=None):
        """The mean log-likelihood of the rows."""
        return float(np.mean(self.score_samples(X)))


class KMeansMixin(SingleMixin):
    """k-means."""

    def _core_params(self):
        params = super()._core_params()
        if not isinstance(params["init"], str):
            params["init"], params["centres"] = "k-means++", None if callable(params["init"]) else params["init"]
        return params

    def _depends_on_rows(self):
        return not isinstance(self.init, str)

    def _fit_params(self, X):
        params = self._core_params()
        if isinstance(self.init, str):
            return params
        given = self.init
        if callable(given):
            given = given(X, self.n_clusters, random_state=self._random_state())
        centres = np.asarray(given, dtype=np.float64)
        d = np.shape(X)[1]
        if centres.ndim != 2 or centres.shape[0] != self.n_clusters:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of clusters {self.n_clusters}."
            )
        if centres.shape[1] != d:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of features of the data {d}."
            )
        if not np.isfinite(centres).all():
            raise ValueError("Input contains NaN or infinity: the initial centers must be finite.")
        if isinstance(self.n_init, int) and self.n_init > 1 and not callable(self.init):
            warnings.warn(
                "Explicit initial center position passed: performing only one init in KMeans instead of "
                f"n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=6,
            )
        return {**params, "centres": centres.tolist()}

    def _random_state(self):
        return np.random.RandomState(self._seed())

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        n = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        if n and isinstance(self.n_clusters, int) and n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        made = super()._learn(fit, X, y, sample_weight, **extra)
        self._tell_duplicates()
        return made

    def _tell_duplicates(self):
        from mercer._exceptions import convergence_warning

        distinct = len(np.unique(self._model.attributes()["labels_"]))
        if distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({self.n_clusters}). Possibly due "
                "to duplicate points in X.",
                convergence_warning(),
                stacklevel=5,
            )

    @property
    def labels_(self):
        """The cluster of each training row."""
        return self._model.attributes()["labels_"].astype(np.int32)

    def predict(self, X):
        """The nearest cluster of each row."""
        return super().predict(X).astype(np.int32)

    def score(self, X, y=None, sample_weight=None):
        """Minus the sum of squared distances from the nearest centres."""
        nearest = self.transform(X).min(axis=1).astype(np.float64) ** 2
        return -float(nearest.sum() if sample_weight is None else nearest @ np.asarray(sample_weight))
