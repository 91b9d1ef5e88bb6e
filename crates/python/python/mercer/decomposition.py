# Written by `cargo xtask python` from the catalogue; do not edit.
"""KernelPCA, LatentDirichletAllocation, PCA."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._kernel_learners import ComponentsMixin
from mercer._mixins import InverseMixin, RowsMixin, TransformerMixin
from mercer._reduce import PCAMixin
from mercer._topics import LatentDirichletMixin, TopicsMixin

__all__ = [
    "KernelPCA",
    "LatentDirichletAllocation",
    "PCA",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class KernelPCA(ComponentsMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Kernel principal component analysis: the directions of largest variance in the feature space of a kernel.

    Parameters
    ----------
    n_components : integer or none in [1, inf), default=None
        How many components to keep; none means all whose variance is not zero.
    kernel : kernel, default="linear"
        The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)`.
    gamma : number or none in [0, inf), default=None
        The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    degree : number in [0, inf), default=3.0
        The degree of a polynomial kernel.
    coef0 : number in (-inf, inf), default=1.0
        The constant inside of the kernels polynomial and sigmoid.
    alpha : number in [0, inf), default=1.0
        The penalty of the regression that learns pre-images.
    fit_inverse_transform : true or false, default=False
        Whether to learn the way back from coordinates to points.
    eigen_solver : auto | dense | arpack | randomized, default="auto"
        How the eigenvectors are found.
    remove_zero_eig : true or false, default=False
        Whether components of variance zero are left out, also where a number of components is given.
    kernel_params : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    tol : default=0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    max_iter : default=None
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    iterated_power : default='auto'
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    copy_X : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Schölkopf, Smola, Müller. Nonlinear component analysis as a kernel eigenvalue problem. Neural Computation 10(5), 1998.
    """

    _mercer_name = "KernelPCA"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "sparse", "scaled", "counts_rows"})
    _mercer_door = {"kernel_params": None, "tol": 0, "max_iter": None, "iterated_power": 'auto', "copy_X": True}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3.0,
        coef0: float = 1.0,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        remove_zero_eig: bool = False,
        kernel_params: Any = None,
        tol: Any = 0,
        max_iter: Any = None,
        iterated_power: Any = 'auto',
        copy_X: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.remove_zero_eig = remove_zero_eig
        self.kernel_params = kernel_params
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.copy_X = copy_X
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class LatentDirichletAllocation(LatentDirichletMixin, TransformerMixin, TopicsMixin, RowsMixin, Estimator):
    """Latent Dirichlet allocation by variational Bayes.

    Parameters
    ----------
    n_components : integer in [1, inf), default=10
        Number of topics.
    doc_topic_prior : number or none in (0, inf), default=None
        The Dirichlet prior of a document's topics, one for all or a list of one for each; 1 / `n_components` where it is not given.
    topic_word_prior : number or none in (0, inf), default=None
        The Dirichlet prior of a topic's words; 1 / `n_components` where it is not given.
    learning_method : batch | online, default="batch"
        When topics move: after all documents, or online after each batch.
    learning_decay : number in [0, 1], default=0.7
        The power of the number of batches by which their weight falls, online; above 0.5 to converge.
    learning_offset : number in [1, inf), default=10.0
        What is added to the number of batches, so that early ones count less, online.
    max_iter : integer in [0, inf), default=10
        Passes over all documents.
    batch_size : integer in [1, inf), default=128
        Documents of a batch, online.
    evaluate_every : integer, default=-1
        Passes between two looks at the perplexity, by which training may end; 0 or less for none.
    total_samples : number in (0, inf), default=1000000.0
        The documents that batches of `partial_fit` are taken from.
    perp_tol : number in [0, inf), default=0.1
        The change of perplexity between two looks at which training ends.
    mean_change_tol : number in [0, inf), default=0.001
        The mean change of a document's γ at which its rounds end.
    max_doc_update_iter : integer in [0, inf), default=100
        The most rounds of a document.
    learn_prior : true or false, default=False
        Whether the prior of a document's topics is learnt, too, from what is given.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Blei, Ng, Jordan. Latent Dirichlet allocation. JMLR 3, 2003.
    - Hoffman, Blei, Bach. Online learning for latent Dirichlet allocation. NIPS 2010.
    """

    _mercer_name = "LatentDirichletAllocation"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "topics", "weights", "sparse", "by_sums", "nonnegative", "counts", "resumes", "random"})

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: float | None = None,
        topic_word_prior: float | None = None,
        learning_method: Literal["batch", "online"] = "batch",
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        max_iter: int = 10,
        batch_size: int = 128,
        evaluate_every: int = -1,
        total_samples: float = 1000000.0,
        perp_tol: float = 0.1,
        mean_change_tol: float = 0.001,
        max_doc_update_iter: int = 100,
        learn_prior: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.learn_prior = learn_prior
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LatentDirichletAllocation:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class PCA(PCAMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Principal component analysis: the directions of largest variance.

    Parameters
    ----------
    n_components : all | mle or number, default="all"
        How many components to keep: all, a number, or the share of variance to explain.
    whiten : true or false, default=False
        Whether to scale the coordinates to variance 1.
    svd_solver : auto | full | covariance_eigh | arpack | randomized, default="auto"
        How the components are found.
    iterated_power : auto or number in [0, 100], default="auto"
        Power iterations of the randomised solver.
    n_oversamples : integer in [1, 1000], default=10
        Extra directions of the randomised solver.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    tol : default=0.0
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    power_iteration_normalizer : default='auto'
        Accepted for scikit-learn's sake; QR is always used.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Jolliffe. Principal Component Analysis. Springer, 2002.
    - Halko, Martinsson, Tropp. Finding structure with randomness. SIAM Review 53(2), 2011.
    """

    _mercer_name = "PCA"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "by_sums", "scaled"})
    _mercer_door = {"copy": True, "tol": 0.0, "power_iteration_normalizer": 'auto'}

    def __init__(
        self,
        n_components: Literal["all", "mle"] | float = "all",
        *,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = "auto",
        iterated_power: Literal["auto"] | float = "auto",
        n_oversamples: int = 10,
        copy: Any = True,
        tol: Any = 0.0,
        power_iteration_normalizer: Any = 'auto',
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.copy = copy
        self.tol = tol
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PCA:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
