# Written by `cargo xtask python` from the catalogue; do not edit.
"""BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import ClassifierMixin, JointMixin, ProbaMixin, RowsMixin
from mercer._naive_bayes import CategoriesMixin, CountsMixin, MomentsMixin

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MultinomialNB",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class BernoulliNB(CountsMixin, ClassifierMixin, JointMixin, ProbaMixin, RowsMixin, Estimator):
    """Bernoulli naive Bayes: features that are there or not.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        The pseudo-count of each feature in each class (Laplace smoothing): one for all, or a list of one for each; 0 smooths
        nothing.
    force_alpha : true or false, default=True
        Whether pseudo-counts below 1e-10, even 0, are taken as they are; else they become 1e-10.
    binarize : number or none in [0, inf), default=0.0
        Above which value a feature is there; none takes values between 0 and 1 as they are.
    fit_prior : true or false, default=True
        Whether classes have the shares of the training rows; else all have the same.
    class_prior : list of number or none in [0, inf), default=None
        The share of each class, in place of what the rows say.
    prior_alpha : number in [0, inf), default=0.0
        The pseudo-count of each class and of one that was never seen, which then has a probability, too; 0 counts rows alone.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Manning, Raghavan, Schütze. Introduction to Information Retrieval, chapter 13. Cambridge, 2008.
    """

    _mercer_name = "BernoulliNB"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "joint", "explain", "weights", "sparse", "by_sums", "resumes"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BernoulliNB:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class CategoricalNB(CategoriesMixin, ClassifierMixin, JointMixin, ProbaMixin, RowsMixin, Estimator):
    """Categorical naive Bayes: features of several values, as categories or numbers from 0 on.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        The pseudo-count of each value of a feature in each class (Laplace smoothing).
    force_alpha : true or false, default=True
        Whether pseudo-counts below 1e-10, even 0, are taken as they are; else they become 1e-10.
    fit_prior : true or false, default=True
        Whether classes have the shares of the training rows; else all have the same.
    class_prior : list of number or none in [0, inf), default=None
        The share of each class, in place of what the rows say.
    min_categories : integer or none in [1, inf), default=None
        The least number of values of each feature, one for all or a list; more where more are seen.
    prior_alpha : number in [0, inf), default=0.0
        The pseudo-count of each class and of one that was never seen, which then has a probability, too; 0 counts rows alone.
    unseen : error | smooth, default="error"
        What to do with a value that training did not see.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Mitchell. Machine Learning, chapter 6. McGraw-Hill, 1997.
    """

    _mercer_name = "CategoricalNB"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "joint", "explain", "weights", "categorical", "by_sums", "scaled", "nonnegative", "resumes"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        min_categories: int | None = None,
        prior_alpha: float = 0.0,
        unseen: Literal["error", "smooth"] = "error",
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.prior_alpha = prior_alpha
        self.unseen = unseen

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CategoricalNB:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class ComplementNB(CountsMixin, ClassifierMixin, JointMixin, ProbaMixin, RowsMixin, Estimator):
    """Complement naive Bayes: counts, each class by what the others have.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        The pseudo-count of each feature in each class (Laplace smoothing): one for all, or a list of one for each; 0 smooths
        nothing.
    force_alpha : true or false, default=True
        Whether pseudo-counts below 1e-10, even 0, are taken as they are; else they become 1e-10.
    fit_prior : true or false, default=True
        Whether classes have the shares of the training rows; else all have the same.
    class_prior : list of number or none in [0, inf), default=None
        The share of each class, in place of what the rows say.
    prior_alpha : number in [0, inf), default=0.0
        The pseudo-count of each class and of one that was never seen, which then has a probability, too; 0 counts rows alone.
    norm : true or false, default=False
        Whether the weights of each class are divided by their sum.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Rennie, Shih, Teevan, Karger. Tackling the poor assumptions of naive Bayes text classifiers. ICML 2003.
    """

    _mercer_name = "ComplementNB"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "joint", "explain", "weights", "sparse", "by_sums", "scaled", "nonnegative", "resumes"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        prior_alpha: float = 0.0,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha
        self.norm = norm

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ComplementNB:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class GaussianNB(MomentsMixin, ClassifierMixin, JointMixin, ProbaMixin, RowsMixin, Estimator):
    """Gaussian naive Bayes: features that are normal within each class.

    Parameters
    ----------
    priors : list of number or none, default=None
        The share of each class, in place of what the rows say; they sum to 1.
    var_smoothing : number in [0, inf), default=1e-9
        The share of the largest variance of any feature that is added to all variances.
    shared_variance : true or false, default=False
        Whether a feature has one variance for all classes, which makes the log odds linear.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Chan, Golub, LeVeque. Updating formulae and a pairwise algorithm for computing sample variances. 1979.
    """

    _mercer_name = "GaussianNB"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "joint", "explain", "weights", "by_sums", "scaled", "resumes"})

    def __init__(
        self,
        priors: Sequence[float] | None = None,
        *,
        var_smoothing: float = 1e-9,
        shared_variance: bool = False,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.shared_variance = shared_variance

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GaussianNB:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)


class MultinomialNB(CountsMixin, ClassifierMixin, JointMixin, ProbaMixin, RowsMixin, Estimator):
    """Multinomial naive Bayes: rows of counts, such as words of texts.

    Parameters
    ----------
    alpha : number in [0, inf), default=1.0
        The pseudo-count of each feature in each class (Laplace smoothing): one for all, or a list of one for each; 0 smooths
        nothing.
    force_alpha : true or false, default=True
        Whether pseudo-counts below 1e-10, even 0, are taken as they are; else they become 1e-10.
    fit_prior : true or false, default=True
        Whether classes have the shares of the training rows; else all have the same.
    class_prior : list of number or none in [0, inf), default=None
        The share of each class, in place of what the rows say.
    prior_alpha : number in [0, inf), default=0.0
        The pseudo-count of each class and of one that was never seen, which then has a probability, too; 0 counts rows alone.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - McCallum, Nigam. A comparison of event models for naive Bayes text classification. AAAI Workshop, 1998.
    """

    _mercer_name = "MultinomialNB"
    _mercer_task = "Classification"
    _mercer_can = frozenset({"proba", "joint", "explain", "weights", "sparse", "by_sums", "scaled", "nonnegative", "resumes"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultinomialNB:
        """Learn from rows and their targets."""
        return self._fit(X, y, sample_weight)
