"""Gaussian processes: kernels as objects, the marginal likelihood, the prior before any data, and draws. Where the kernel or the
optimiser is the user's, the process runs in Python, as `_whole`."""

from __future__ import annotations

import numbers
import warnings

from mercer import _mercer
from mercer._exceptions import convergence_warning, not_fitted
from mercer._kernel_base import are_strings
from mercer._kernels import CompoundKernel, Values, is_compiled
from mercer._python_processes import Processes, Regression, default_kernel, in_units


def _is_mercers(process):
    """Whether kernel and optimiser are such that the compiled part can have the whole process."""
    kernel = process.kernel
    return (kernel is None or isinstance(kernel, str) or is_compiled(kernel)) and not callable(process.optimizer)


def _found(given, text, default):
    """The kernel of a fitted model: the one that was given, with the hyper-parameters of a text."""
    if isinstance(given, str):
        return Values(text)
    return (default if given is None else given).clone_with_theta(_mercer.kernel_theta(text)[0])


def _warn_at_bounds(kernel):
    """Warns of hyper-parameters that ended at a bound."""
    import numpy as np

    close = np.isclose(kernel.bounds, np.atleast_2d(kernel.theta).T) if len(kernel.theta) else []
    free = [(h, d) for h in kernel.hyperparameters if not h.fixed for d in range(h.n_elements)]
    for (hyper, d), (low, high) in zip(free, close):
        if low or high:
            end, way, value = ("lower", "Decreasing", 0) if low else ("upper", "Increasing", 1)
            message = (
                f"The optimal value found for dimension {d} of parameter {hyper.name} is close to the specified {end} bound "
                f"{hyper.bounds[d][value]}. {way} the bound and calling fit again may find a better value."
            )
            warnings.warn(message, convergence_warning(), stacklevel=5)


class ProcessMixin:
    """What processes of numbers and of classes share."""

    _door_meant = frozenset({"copy_X_train"})

    @property
    def fitted(self):
        """Whether `fit` has been called."""
        return "_model" in self.__dict__ or "_whole" in self.__dict__

    def _check_search(self):
        """Refuses kernels that cannot be searched."""
        import numpy as np

        if isinstance(self.kernel, CompoundKernel):
            raise ValueError("kernel cannot be a CompoundKernel")
        if self.n_restarts_optimizer > 0 and hasattr(self.kernel, "bounds") and self.optimizer is not None:
            with np.errstate(invalid="ignore"):
                finite = np.isfinite(self.kernel.bounds).all()
            if not finite:
                raise ValueError("Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite.")

    def _fit(self, X, y=None):
        self._check_search()
        for name in ("_kernel", "_alone", "_base"):
            self.__dict__.pop(name, None)
        if _is_mercers(self):
            super()._fit(X, y)
            self.__dict__.pop("_whole", None)
        else:
            self._fit_whole(X, y)
            for name in ("_model", "feature_names_in_"):
                self.__dict__.pop(name, None)
        if self.optimizer is not None:
            _warn_at_bounds(self.kernel_)
        return self

    def _prepare_fit(self, X):
        if are_strings(X):
            from mercer._data import prepare_strings

            return prepare_strings(self, X), None
        return super()._prepare_fit(X)

    def _prepare(self, X, method):
        if are_strings(X):
            self._model
            return self._prepare_fit(X)[0]
        return super()._prepare(X, method)

    def _points(self, X):
        """Points for a kernel of the user's: rows of numbers, or whatever it takes."""
        import numpy as np

        if self.kernel is not None and not self.kernel.requires_vector_input:
            return X
        from mercer._data import prepare_plain

        X = prepare_plain(self, X)
        known = getattr(self.__dict__.get("_whole"), "X_train_", None)
        if known is not None and X.shape[1] != known.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {known.shape[1]} features as input."
            )
        if not np.isfinite(X).all():
            raise ValueError("Input X contains NaN or infinity.")
        return X

    def __getattr__(self, name):
        whole = self.__dict__.get("_whole")
        if whole is not None:
            if name in ("_model", "certificate_"):
                from mercer._parts import not_compiled

                raise not_compiled(self)
            if name == "n_features_in_" and hasattr(whole.X_train_, "shape"):
                return whole.X_train_.shape[1]
            if hasattr(whole, name):
                return getattr(whole, name)
        return super().__getattr__(name)

    def _likelihood(self, kernel, X, y, **params):
        """The log marginal likelihood of data at a kernel and its gradient, by the compiled part."""
        import numpy as np

        params = {**self._core_params(), "kernel": kernel, "optimizer": None, "n_restarts_optimizer": 0, **params}
        x = self._prepare_fit(X)[0]
        found = _mercer.process_likelihood(self._mercer_name, params, (x, self._prepare_target(y, x)[0], None))
        return (-np.inf, np.zeros(len(kernel.theta))) if found is None else (np.float64(found[0]), np.array(found[1]))


class GaussianProcessMixin(ProcessMixin):
    """Gaussian process regression: deviations and covariances without `alpha`, as scikit-learn gives them, the prior, and draws."""

    _requires_fit = False

    def _check_target(self, y):
        import numpy as np

        shape = np.asarray(y).shape
        targets = shape[1] if len(shape) > 1 else 1
        if self.n_targets is not None and targets != self.n_targets:
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. Got "
                f"{targets} != {self.n_targets}."
            )
        alphas = np.size(self.alpha)
        if np.iterable(self.alpha) and alphas not in (1, shape[0]):
            raise ValueError(f"alpha must be a scalar or an array with same number of entries as y. ({alphas} != {shape[0]})")

    def _fit(self, X, y=None):
        import numpy as np

        if y is not None:
            self._check_target(y)
        try:
            return super()._fit(X, y)
        except ValueError as error:
            # NumPy's error is a `ValueError`, too; the compiled part says the same of its own.
            if "not positive definite" not in str(error).lower():
                raise
            kernel = default_kernel() if self.kernel is None else self.kernel
            message = (
                f"The kernel, {kernel}, is not returning a positive definite matrix. Try gradually increasing the 'alpha' "
                f"parameter of your {type(self).__name__} estimator."
            )
            raise np.linalg.LinAlgError(message) from error

    def _fit_whole(self, X, y):
        import numpy as np

        whole = Regression(self)
        whole.fit(self._points(X), np.asarray(y, dtype=float))
        self.__dict__["_whole"] = whole

    @property
    def kernel_(self):
        """The kernel with the hyper-parameters found."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].kernel_
        if "_kernel" not in self.__dict__:
            [text] = self._model.attributes()["kernel_"]
            self.__dict__["_kernel"] = _found(self.kernel, str(text), default_kernel())
        return self.__dict__["_kernel"]

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """The log marginal likelihood of the training data, of targets as they are learnt from.

        Parameters
        ----------
        theta : array-like or None, default=None
            The logarithms of hyper-parameters; None is what was found.
        eval_gradient : bool, default=False
            Whether to give the gradient, too.
        clone_kernel : bool, default=True
            Whether `kernel_` stays as it is.

        Returns
        -------
        float, or a tuple with the gradient
        """
        import numpy as np

        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return np.float64(self.log_marginal_likelihood_value_)
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].log_marginal_likelihood(theta, eval_gradient, clone_kernel)
        kernel = self.kernel_.clone_with_theta(theta)
        if not clone_kernel:
            self.kernel_.theta = theta
        found = self._likelihood(kernel, self.X_train_, self.y_train_, normalize_y=False)
        return found if eval_gradient else found[0]

    def _variances(self, X, whole):
        """The variance of the function and of the noise at points, before units; the covariance where `whole`."""
        import numpy as np

        model = self._model
        if model.n_targets > 1:
            # They are those of any one target alone.
            if "_alone" not in self.__dict__:
                x = self._prepare_fit(self.X_train_)[0]
                params = {**self._core_params(), "kernel": self.kernel_, "optimizer": None, "n_restarts_optimizer": 0}
                params.update(n_targets=None, normalize_y=False)
                target = self._prepare_target(np.asarray(self.y_train_)[:, 0], x)[0]
                self.__dict__["_alone"] = _mercer.fit(self._mercer_name, params, x, target, None, seed=0)
            model = self.__dict__["_alone"]
        rows = self._prepare(X, "predict")
        _, epistemic, aleatoric = model.spread(rows)
        unit = 1.0 if model is not self._model or not self.normalize_y else self._units()[0] ** 2
        # What the compiled part adds to the noise of new rows is left out.
        jitter = float(self.alpha) * unit if isinstance(self.alpha, numbers.Real) else 0.0
        own = (epistemic + np.maximum(aleatoric - jitter, 0.0)) / unit
        if not whole:
            return own
        covariance = np.array(model.covariance(rows)) / unit
        np.fill_diagonal(covariance, own)
        return covariance

    def _units(self):
        """What targets were divided by."""
        import numpy as np

        return np.asarray(self._model.attributes()["_y_train_std"]).ravel()

    def _prior(self, X, return_std, return_cov):
        import numpy as np

        kernel = default_kernel() if self.kernel is None else Values(self.kernel) if isinstance(self.kernel, str) else self.kernel
        X = self._points(X) if kernel.requires_vector_input and not are_strings(X) else X
        targets = self.n_targets or 1
        mean = np.squeeze(np.zeros((len(X), targets)), axis=1) if targets == 1 else np.zeros((len(X), targets))
        if not (return_std or return_cov):
            return mean
        found = kernel(X) if return_cov else np.sqrt(kernel.diag(X))
        return mean, in_units(found, np.ones(targets))

    def predict(self, X, return_std=False, return_cov=False):
        """Predict, with the standard deviation of each answer or the covariance of all of them where asked for: the noise of
        the kernel included, `alpha` not. Before `fit` the answer is that of the prior.

        Returns
        -------
        ndarray, or a tuple of two
        """
        import numpy as np

        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not self.fitted:
            return self._prior(X, return_std, return_cov)
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].predict(self._points(X), return_std, return_cov)
        mean = super().predict(X)
        if not (return_std or return_cov):
            return mean
        found = in_units(self._variances(X, return_cov), self._units())
        return mean, found if return_cov else np.sqrt(found)

    def sample_y(self, X, n_samples=1, random_state=0):
        """Functions drawn from the posterior, or before `fit` from the prior, at the rows of X.

        Returns
        -------
        ndarray of shape (n_rows, n_samples), or of several targets (n_rows, n_targets, n_samples)
        """
        import numpy as np

        mean, covariance = self.predict(X, return_cov=True)
        draws = random_state if isinstance(random_state, np.random.RandomState) else np.random.RandomState(random_state)
        if mean.ndim == 1:
            return draws.multivariate_normal(mean, covariance, n_samples).T
        every = range(mean.shape[1])
        return np.stack([draws.multivariate_normal(mean[:, k], covariance[..., k], n_samples).T for k in every], axis=1)


class GaussianProcessClassifierMixin(ProcessMixin):
    """Gaussian process classification: the latent function and its likelihood."""

    def _fit_whole(self, X, y):
        import numpy as np

        from mercer._checks import codes

        y = np.asarray(y).ravel()
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} requires 2 or more distinct classes; got {len(classes)} class (only class {classes[0]} "
                "is present)"
            )
        whole = Processes(self, classes)
        whole.fit(self._points(X), codes(y, classes))
        self.__dict__["_whole"] = whole

    def _processes(self):
        """The processes of two classes, with the kernels found; those of a compiled model are not at their modes."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"]
        if "_base" not in self.__dict__:
            import numpy as np

            facts = self._model.attributes()
            kernels = [_found(self.kernel, str(text), default_kernel(fixed=True)) for text in facts["kernel_"]]
            made = Processes(self, self.classes_)
            self.__dict__["_base"] = made.made(facts["X_train_"], np.asarray(facts["_codes"]).astype(int), kernels)
        return self.__dict__["_base"]

    @property
    def n_classes_(self):
        """The number of classes."""
        return len(self.classes_)

    @property
    def kernel_(self):
        """The kernel with the hyper-parameters found; of several processes all of theirs."""
        if not self.fitted:
            raise not_fitted(self)
        kernels = [process.kernel_ for process in self._processes().estimators_]
        if len(kernels) == 1:
            return kernels[0]
        if "_kernel" not in self.__dict__:
            self.__dict__["_kernel"] = CompoundKernel(kernels)
        return self.__dict__["_kernel"]

    @property
    def base_estimator_(self):
        """The process of two classes, or all of them as `estimators_`."""
        if not self.fitted:
            raise not_fitted(self)
        processes = self._processes()
        for process in processes.estimators_:
            if not hasattr(process, "L_"):
                process.settled()
        return processes.estimators_[0] if len(processes.estimators_) == 1 else processes

    def latent_mean_and_variance(self, X):
        """Mean and variance of the latent function at rows, of two classes.

        Returns
        -------
        tuple of two ndarrays
        """
        if not self.fitted:
            raise not_fitted(self)
        if self.n_classes_ > 2:
            raise ValueError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, received "
                f"{self.n_classes_} classes. Support for multi-class is not implemented."
            )
        X = X if are_strings(X) else self._points(X)
        return self.base_estimator_.latent_mean_and_variance(X)

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """The approximate log marginal likelihood, averaged over the processes of two classes.

        Parameters
        ----------
        theta : array-like or None, default=None
            The logarithms of the hyper-parameters of one process, which all have then, or of all; None is what was found.
        eval_gradient : bool, default=False
            Whether to give the gradient, too; of two classes only.
        clone_kernel : bool, default=True
            Whether `kernel_` stays as it is.

        Returns
        -------
        float, or a tuple with the gradient
        """
        import numpy as np

        if not self.fitted:
            raise not_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return np.float64(self.log_marginal_likelihood_value_)
        processes, theta = self._processes().estimators_, np.asarray(theta)
        if eval_gradient and len(processes) > 1:
            raise NotImplementedError("Gradient of log-marginal-likelihood not implemented for multi-class GPC.")
        n = len(processes[0].kernel_.theta)
        if n and theta.shape[0] not in (n, n * len(processes)):
            raise ValueError(f"Shape of theta must be either {n} or {n * len(processes)}. Obtained theta with shape {theta.shape[0]}.")
        parts = np.split(theta, len(processes)) if theta.shape[0] == n * len(processes) else [theta] * len(processes)
        found = [self._value(process, part, clone_kernel) for process, part in zip(processes, parts)]
        return found[0] if eval_gradient else np.mean([value for value, _ in found])

    def _value(self, process, theta, clone_kernel):
        if "_whole" in self.__dict__:
            return process.log_marginal_likelihood(theta, True, clone_kernel)
        kernel = process.kernel_.clone_with_theta(theta)
        if not clone_kernel:
            process.kernel_.theta = theta
        return self._likelihood(kernel, process.X_train_, process.y_train_.astype(int))

    def predict(self, X):
        """The class of each row.

        Returns
        -------
        ndarray
        """
        whole = self.__dict__.get("_whole")
        return super().predict(X) if whole is None else whole.predict(self._points(X))

    def predict_proba(self, X):
        """Class probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if self.fitted and self.n_classes_ > 2 and self.multi_class == "one_vs_one":
            raise ValueError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode instead."
            )
        whole = self.__dict__.get("_whole")
        return super().predict_proba(X) if whole is None else whole.predict_proba(self._points(X))
