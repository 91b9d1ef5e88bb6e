"""Gaussian processes in Python: where the kernel or the optimiser is the user's. Kernels need `theta`, `bounds`, `diag`,
`clone_with_theta` and values with gradients, as scikit-learn's have them."""

from __future__ import annotations

import numpy as np

from mercer._rows import clone

# Williams and Barber's approximation of the logistic function by error functions: scales and coefficients, by least squares.
SCALES = np.array([0.41, 0.4, 0.37, 0.44, 0.39])[:, np.newaxis]
COEFFICIENTS = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])[:, np.newaxis]


def search(process, optimizer, restarts, draws):
    """Moves the hyper-parameters of a process to the largest likelihood that is found: from the kernel as it is, and from drawn
    points. The likelihood there."""
    kernel = process.kernel_
    if optimizer is None or kernel.n_dims == 0:
        return process.log_marginal_likelihood(kernel.theta, clone_kernel=False)

    def objective(theta, eval_gradient=True):
        found = process.log_marginal_likelihood(theta, eval_gradient=eval_gradient, clone_kernel=False)
        return (-found[0], -found[1]) if eval_gradient else -found

    bounds = kernel.bounds
    found = [_minimum(optimizer, objective, kernel.theta, bounds)]
    for _ in range(restarts):
        found.append(_minimum(optimizer, objective, draws.uniform(bounds[:, 0], bounds[:, 1]), bounds))
    theta, value = min(found, key=lambda pair: pair[1])
    kernel.theta = theta
    return -value


def _minimum(optimizer, objective, start, bounds):
    if callable(optimizer):
        return optimizer(objective, start, bounds=bounds)
    if optimizer != "fmin_l_bfgs_b":
        raise ValueError(f"Unknown optimizer {optimizer}.")
    from scipy.optimize import minimize

    found = minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds)
    return found.x, found.fun


def _at(process, theta, clone_kernel):
    """The kernel of a process with other hyper-parameters: a copy, or itself."""
    if clone_kernel:
        return process.kernel_.clone_with_theta(theta)
    process.kernel_.theta = theta
    return process.kernel_


class Regression:
    """Gaussian process regression with a kernel of mean zero.

    Parameters
    ----------
    owner : GaussianProcessRegressor
        Whose parameters it follows.
    """

    def __init__(self, owner):
        self.owner = owner

    def fit(self, X, y):
        """Learns from points and targets, of one dimension or two."""
        owner = self.owner
        if owner.mean != "zero":
            raise NotImplementedError(f"`mean={owner.mean!r}` needs a kernel and an optimizer of Mercer's")
        self.kernel_ = clone(owner.kernel) if owner.kernel is not None else default_kernel()
        shape = y.shape[1:]
        self._y_train_mean, self._y_train_std = np.zeros(shape), np.ones(shape)
        if owner.normalize_y:
            self._y_train_mean, deviation = y.mean(axis=0), y.std(axis=0)
            varies = deviation > 10 * np.finfo(float).eps * np.abs(self._y_train_mean)
            self._y_train_std = np.where(varies, deviation, 1.0)
        self.X_train_, self.y_train_ = X, (y - self._y_train_mean) / self._y_train_std
        self.alpha = owner.alpha
        draws = np.random.RandomState(owner._seed())
        self.log_marginal_likelihood_value_ = search(self, owner.optimizer, owner.n_restarts_optimizer, draws)
        self.L_ = np.linalg.cholesky(self._gram(self.kernel_(X)))
        self.alpha_ = _solve(self.L_, self.y_train_)

    def _gram(self, values):
        values = np.array(values, dtype=float)
        values[np.diag_indices_from(values)] += np.ravel(self.alpha)
        return values

    def log_marginal_likelihood(self, theta, eval_gradient=False, clone_kernel=True):
        """The log marginal likelihood at hyper-parameters, and its gradient."""
        kernel = _at(self, theta, clone_kernel)
        values, slopes = kernel(self.X_train_, eval_gradient=True) if eval_gradient else (kernel(self.X_train_), None)
        try:
            factor = np.linalg.cholesky(self._gram(values))
        except np.linalg.LinAlgError:
            return (-np.inf, np.zeros_like(theta)) if eval_gradient else -np.inf
        y = self.y_train_.reshape(len(self.y_train_), -1)
        weights = _solve(factor, y)
        n, t = y.shape
        value = -0.5 * np.sum(y * weights) - t * (np.log(np.diag(factor)).sum() + n / 2 * np.log(2 * np.pi))
        if not eval_gradient:
            return value
        inner = weights @ weights.T - t * _solve(factor, np.eye(n))
        return value, 0.5 * np.einsum("ij,jik->k", inner, slopes)

    def predict(self, X, return_std=False, return_cov=False):
        """The mean at points, and the deviations or the covariance."""
        across = self.kernel_(X, self.X_train_)
        mean = self._y_train_std * (across @ self.alpha_) + self._y_train_mean
        if not (return_std or return_cov):
            return mean
        half = np.linalg.solve(self.L_, across.T)
        if return_cov:
            return mean, in_units(self.kernel_(X) - half.T @ half, self._y_train_std)
        variance = np.array(self.kernel_.diag(X), dtype=float) - np.sum(half * half, axis=0)
        return mean, np.sqrt(in_units(np.maximum(variance, 0.0), self._y_train_std))


def in_units(values, deviations):
    """Variances in the units of the targets, which stand in a last dimension where there are several."""
    return np.squeeze(np.multiply.outer(values, np.square(deviations).reshape(-1)), axis=-1) if np.size(deviations) == 1 else (
        np.multiply.outer(values, np.square(deviations))
    )


def default_kernel(fixed=False):
    """The kernel where none is given."""
    from mercer._kernels import RBF, ConstantKernel

    return ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed") if fixed else ConstantKernel(1.0) * RBF(1.0)


def _solve(factor, right):
    """(L Lᵀ)⁻¹ B"""
    return np.linalg.solve(factor.T, np.linalg.solve(factor, right))


class Binary:
    """A process of two classes by Laplace's approximation.

    Parameters
    ----------
    kernel : kernel
        The kernel, which is its own to change.
    X : points
    y : ndarray of bool
        Whether each point is of the positive class.
    max_iter : int
        Most steps of Newton's method for a mode.
    warm_start : bool
        Whether the search for a mode begins at the last mode.
    """

    def __init__(self, kernel, X, y, max_iter, warm_start=False):
        self.kernel_, self.X_train_, self.y_train_ = kernel, X, np.asarray(y, dtype=float)
        self.max_iter, self.warm_start, self.last = max_iter, warm_start, None

    def fit(self, optimizer, restarts, draws):
        """Moves the hyper-parameters."""
        self.log_marginal_likelihood_value_ = search(self, optimizer, restarts, draws)
        return self.settled()

    def settled(self):
        """The process at its kernel as it is."""
        value, (self.pi_, self.W_sr_, self.L_, _, _) = self._mode(self.kernel_(self.X_train_))
        self.log_marginal_likelihood_value_ = value
        return self

    def _mode(self, K):
        """Newton's method for the mode (Rasmussen and Williams, algorithm 3.1)."""
        y = self.y_train_
        f = self.last if self.warm_start and self.last is not None else np.zeros(len(y))
        value = -np.inf
        for _ in range(self.max_iter):
            pi = 1 / (1 + np.exp(-f))
            root = np.sqrt(pi * (1 - pi))
            factor = np.linalg.cholesky(np.eye(len(y)) + root[:, np.newaxis] * K * root)
            b = root * root * f + y - pi
            a = b - root * _solve(factor, root * (K @ b))
            f = K @ a
            new = -0.5 * a @ f - np.logaddexp(0, -(2 * y - 1) * f).sum() - np.log(np.diag(factor)).sum()
            done, value = new - value < 1e-10, new
            if done:
                break
        self.last = f
        return value, (pi, root, factor, b, a)

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """The approximate log marginal likelihood at hyper-parameters, and its gradient (algorithm 5.1)."""
        if theta is None:
            return self.log_marginal_likelihood_value_
        kernel = _at(self, theta, clone_kernel)
        K, slopes = kernel(self.X_train_, eval_gradient=True) if eval_gradient else (kernel(self.X_train_), None)
        value, (pi, root, factor, b, a) = self._mode(K)
        if not eval_gradient:
            return value
        R = root[:, np.newaxis] * _solve(factor, np.diag(root))
        C = np.linalg.solve(factor, root[:, np.newaxis] * K)
        third = -0.5 * (np.diag(K) - np.sum(C * C, axis=0)) * (pi * (1 - pi) * (1 - 2 * pi))
        explicit = 0.5 * (np.einsum("i,ijk,j->k", a, slopes, a) - np.einsum("ij,jik->k", R, slopes))
        pulled = np.einsum("ijk,j->ik", slopes, self.y_train_ - pi)
        return value, explicit + third @ (pulled - K @ (R @ pulled))

    def latent_mean_and_variance(self, X):
        """Mean and variance of the latent function at points (algorithm 3.2)."""
        across = self.kernel_(X, self.X_train_)
        half = np.linalg.solve(self.L_, self.W_sr_[:, np.newaxis] * across.T)
        return across @ (self.y_train_ - self.pi_), self.kernel_.diag(X) - np.sum(half * half, axis=0)

    def positive(self, X):
        """The probability of the positive class: the logistic function averaged over the latent Gaussian."""
        from math import erf

        mean, variance = self.latent_mean_and_variance(X)
        precision = 1 / (2 * np.maximum(variance, np.finfo(float).tiny))
        shrunk = 1 / np.sqrt(1 + SCALES**2 / precision)
        parts = COEFFICIENTS * 0.5 * np.vectorize(erf, otypes=[float])(SCALES * mean * shrunk)
        return np.clip(parts.sum(axis=0) + 0.5 * COEFFICIENTS.sum(), 0.0, 1.0)


class Processes:
    """Processes of two classes that tell several apart: each class against the rest, or each pair.

    Parameters
    ----------
    owner : GaussianProcessClassifier
        Whose parameters it follows.
    classes : ndarray
    """

    def __init__(self, owner, classes):
        self.owner, self.classes_ = owner, classes

    def sides(self):
        """The positive class of each process and the negative one, which may be all others."""
        k = len(self.classes_)
        if k == 2:
            return [(1, None)]
        if self.owner.multi_class == "one_vs_rest":
            return [(a, None) for a in range(k)]
        return [(b, a) for a in range(k) for b in range(a + 1, k)]

    def rows(self, codes, side):
        """Which points a process learns from."""
        return np.arange(len(codes)) if side[1] is None else np.flatnonzero(np.isin(codes, side))

    def made(self, X, codes, kernels):
        """The processes with these kernels, not yet at a mode."""
        from mercer._rows import take

        self.X_train_, self.codes = X, codes
        self.estimators_ = []
        for side, kernel in zip(self.sides(), kernels):
            rows = self.rows(codes, side)
            own = X if side[1] is None else take(X, rows)
            self.estimators_.append(
                Binary(kernel, own, codes[rows] == side[0], self.owner.max_iter_predict, self.owner.warm_start)
            )
        return self

    def fit(self, X, codes):
        """Learns from points and the places of their classes."""
        owner, given = self.owner, self.owner.kernel
        copy = (lambda: clone(given)) if given is not None else (lambda: default_kernel(fixed=True))
        draws = np.random.RandomState(owner._seed())
        for process in self.made(X, codes, (copy() for _ in self.sides())).estimators_:
            process.fit(owner.optimizer, owner.n_restarts_optimizer, draws)

    @property
    def log_marginal_likelihood_value_(self):
        """The approximate log marginal likelihood, averaged over processes."""
        return float(np.mean([process.log_marginal_likelihood_value_ for process in self.estimators_]))

    def predict(self, X):
        """The class of each point."""
        if len(self.estimators_) == 1:
            return self.classes_[(self.estimators_[0].latent_mean_and_variance(X)[0] > 0).astype(int)]
        if self.owner.multi_class == "one_vs_rest":
            return self.classes_[np.argmax([process.positive(X) for process in self.estimators_], axis=0)]
        n = self.estimators_[0].kernel_.diag(X).shape[0]
        votes, sure = np.zeros((n, len(self.classes_))), np.zeros((n, len(self.classes_)))
        for (b, a), process in zip(self.sides(), self.estimators_):
            p = process.positive(X)
            votes[np.arange(n), np.where(process.latent_mean_and_variance(X)[0] > 0, b, a)] += 1
            sure[:, b] += p
            sure[:, a] -= p
        return self.classes_[np.argmax(votes + sure / (3 * (np.abs(sure) + 1)), axis=1)]

    def predict_proba(self, X):
        """The probabilities of the classes."""
        if len(self.estimators_) == 1:
            p = self.estimators_[0].positive(X)
            return np.column_stack([1 - p, p])
        if self.owner.multi_class != "one_vs_rest":
            raise ValueError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode instead."
            )
        p = np.column_stack([process.positive(X) for process in self.estimators_])
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1), 1 / p.shape[1])
