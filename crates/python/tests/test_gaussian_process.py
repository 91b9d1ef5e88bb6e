"""Gaussian processes: kernels by text and by the user, against scikit-learn's own and against each other."""

import pickle

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as TheirRegressor
from sklearn.gaussian_process import kernels as theirs

from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern, PairwiseKernel, WhiteKernel
from mercer.kernels import Values

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 2))
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.normal(size=40)
NEW = RNG.normal(size=(7, 2))


class Linear(Kernel):
    """A kernel of the user's."""

    def __init__(self, scale=1.0, scale_bounds=(1e-3, 1e3)):
        self.scale = scale
        self.scale_bounds = scale_bounds

    @property
    def hyperparameter_scale(self):
        return self._hyper("scale")

    def __call__(self, X, Y=None, eval_gradient=False):
        K = self.scale * (X @ (X if Y is None else Y).T)
        return (K, K[..., np.newaxis]) if eval_gradient else K

    def diag(self, X):
        return self.scale * np.sum(X * X, axis=1)


@pytest.mark.parametrize("kernel", ["1.0*rbf(1.0)+white(0.1)", Values("1.0*rbf(1.0)+white(0.1)")])
def test_a_kernel_by_text_becomes_an_object(kernel):
    model = GaussianProcessRegressor(kernel).fit(X, Y)
    other = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(0.1)).fit(X, Y)
    np.testing.assert_allclose(model.kernel_.theta, other.kernel_.theta, rtol=1e-6)
    np.testing.assert_allclose(model.kernel_.bounds, other.kernel_.bounds)
    np.testing.assert_allclose(model.kernel_(NEW), other.kernel_(NEW), rtol=1e-6)
    assert len(model.kernel_.hyperparameters) == 3
    assert model.log_marginal_likelihood(other.kernel_.theta) == pytest.approx(other.log_marginal_likelihood(), rel=1e-9)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_likelihood_and_predictions_are_those_of_scikit_learn(normalize_y):
    kernel, their_kernel = 2.0 * Matern([1.0, 2.0], nu=2.5) + WhiteKernel(0.2), 2.0 * theirs.Matern([1.0, 2.0], nu=2.5) + theirs.WhiteKernel(0.2)
    ours = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=normalize_y).fit(X, np.column_stack([Y, 3 * Y - 1]))
    them = TheirRegressor(their_kernel, optimizer=None, normalize_y=normalize_y).fit(X, np.column_stack([Y, 3 * Y - 1]))
    theta = kernel.theta + 0.1
    for found, expected in zip(ours.log_marginal_likelihood(theta, True), them.log_marginal_likelihood(theta, True)):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    for ask in ({"return_std": True}, {"return_cov": True}):
        for found, expected in zip(ours.predict(NEW, **ask), them.predict(NEW, **ask)):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)


def test_a_mean_function_widens_the_band_of_several_targets_as_of_one():
    settings = {"kernel": RBF() + WhiteKernel(0.1), "mean": "linear", "optimizer": None}
    one = GaussianProcessRegressor(**settings).fit(X, Y)
    two = GaussianProcessRegressor(**settings).fit(X, np.column_stack([Y, 2 * Y]))
    np.testing.assert_allclose(two.predict(NEW, return_std=True)[1][:, 1], one.predict(NEW, return_std=True)[1])
    assert (one.predict(NEW, return_std=True)[1] > GaussianProcessRegressor(**{**settings, "mean": "zero"}).fit(X, Y).predict(
        NEW, return_std=True)[1]).all()


@pytest.mark.parametrize("kernel", [Linear() + WhiteKernel(0.1), Linear() * RBF() + WhiteKernel(0.1), Linear() ** 2 + WhiteKernel(0.1)])
def test_kernels_of_the_users_are_searched(kernel):
    step = 1e-6
    values, slopes = kernel(X, eval_gradient=True)
    for k in range(len(kernel.theta)):
        moved = kernel.clone_with_theta(kernel.theta + step * np.eye(len(kernel.theta))[k])
        np.testing.assert_allclose(slopes[..., k], (moved(X) - values) / step, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(kernel.diag(X), np.diag(values))
    model = GaussianProcessRegressor(kernel).fit(X, Y)
    slope = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)[1]
    inside = np.all((model.kernel_.theta > model.kernel_.bounds[:, 0] + 1e-6) & (model.kernel_.theta < model.kernel_.bounds[:, 1] - 1e-6))
    assert not inside or np.abs(slope).max() < 1e-2
    assert pickle.loads(pickle.dumps(model)).predict(NEW).shape == (7,)


def test_python_and_the_compiled_part_agree():
    def by_hand(objective, start, bounds):
        return start, objective(start, eval_gradient=False)

    kernel = 1.5 * RBF([1.0, 2.0]) + WhiteKernel(0.1)
    compiled = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True).fit(X, Y)
    python = GaussianProcessRegressor(kernel, optimizer=by_hand, normalize_y=True).fit(X, Y)
    for ask in ({"return_std": True}, {"return_cov": True}):
        for a, b in zip(compiled.predict(NEW, **ask), python.predict(NEW, **ask)):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
    assert python.log_marginal_likelihood() == pytest.approx(compiled.log_marginal_likelihood(), rel=1e-10)
    classes = np.array(["a", "b", "c"])[np.digitize(Y, [-0.4, 0.4])]
    for multi_class in ("one_vs_rest", "one_vs_one"):
        compiled = GaussianProcessClassifier(kernel, optimizer=None, multi_class=multi_class).fit(X, classes)
        python = GaussianProcessClassifier(kernel, optimizer=by_hand, multi_class=multi_class).fit(X, classes)
        np.testing.assert_array_equal(compiled.predict(NEW), python.predict(NEW))
        assert python.log_marginal_likelihood() == pytest.approx(compiled.log_marginal_likelihood(), rel=1e-9)
        if multi_class == "one_vs_rest":
            np.testing.assert_allclose(compiled.predict_proba(NEW), python.predict_proba(NEW), rtol=1e-8)


def test_latent_functions_are_those_of_scikit_learn():
    classes = Y > 0
    ours = GaussianProcessClassifier(1.5 * RBF(1.2), optimizer=None).fit(X, classes)
    them = TheirClassifier(1.5 * theirs.RBF(1.2), optimizer=None).fit(X, classes)
    for found, expected in zip(ours.latent_mean_and_variance(NEW), them.latent_mean_and_variance(NEW)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    for found, expected in zip(ours.log_marginal_likelihood([0.1, 0.2], True), them.log_marginal_likelihood([0.1, 0.2], True)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_kernels_of_scikit_learn_are_taken():
    ours = GaussianProcessRegressor(theirs.RBF(0.7) + theirs.WhiteKernel(0.1)).fit(X, Y)
    them = TheirRegressor(theirs.RBF(0.7) + theirs.WhiteKernel(0.1)).fit(X, Y)
    np.testing.assert_allclose(ours.predict(NEW), them.predict(NEW), rtol=1e-6)


def test_strings_have_a_prior_and_a_posterior():
    words, numbers = ["abc", "abd", "xyz", "xyw"], np.array([1.0, 1.1, -1.0, -1.2])
    learner = GaussianProcessRegressor("spectrum(length=2)+white(0.1)")
    assert learner.predict(words, return_std=True)[1].shape == (4,)
    model = learner.fit(words, numbers)
    assert model.predict(["abe"])[0] > 0 > model.predict(["xyv"])[0]
    assert model.log_marginal_likelihood(model.kernel_.theta) == pytest.approx(model.log_marginal_likelihood())
    classifier = GaussianProcessClassifier("spectrum(length=2)").fit(words, ["a", "a", "x", "x"])
    mean, variance = classifier.latent_mean_and_variance(["abe", "xyv"])
    assert mean[0] < 0 < mean[1] and (variance > 0).all()


def test_pairwise_kernels_have_the_values_of_scikit_learn():
    for metric, more in [("poly", {"degree": 2}), ("poly", None), ("sigmoid", None), ("laplacian", None), ("rbf", None)]:
        ours, them = PairwiseKernel(0.3, metric=metric, pairwise_kernels_kwargs=more), theirs.PairwiseKernel(
            0.3, metric=metric, pairwise_kernels_kwargs=more)
        np.testing.assert_allclose(ours(X, NEW), them(X, NEW), rtol=1e-12)


def test_single_precision_is_double_precision_rounded():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((50, 6)), rng.standard_normal((9, 6))
    kernel = 2.0 * RBF(1.5) + WhiteKernel(0.1)
    gram, cross = kernel.single(x), kernel.single(x, y)
    assert gram.dtype == cross.dtype == np.float32
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_allclose(gram, kernel(x), rtol=1.2e-7)
    np.testing.assert_allclose(cross, kernel(x, y), rtol=1.2e-7)
    with pytest.raises(ValueError, match="features"):
        kernel.single(x, y[:, :3])
