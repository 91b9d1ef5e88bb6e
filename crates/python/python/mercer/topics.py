# Written by `cargo xtask python` from the catalogue; do not edit.
"""GibbsTopics."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._mixins import RowsMixin, TransformerMixin
from mercer._topics import (
    coherence,
    document_completion,
    left_to_right,
    top_words,
)
from mercer._topics import TopicsMixin
from mercer.decomposition import (
    LatentDirichletAllocation,
)

__all__ = [
    "GibbsTopics",
    "coherence",
    "document_completion",
    "left_to_right",
    "top_words",
    "LatentDirichletAllocation",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class GibbsTopics(TransformerMixin, TopicsMixin, RowsMixin, Estimator):
    """Latent Dirichlet allocation by collapsed Gibbs sampling.

    Parameters
    ----------
    n_components : integer in [1, 65535], default=10
        Number of topics.
    doc_topic_prior : number or none in [1e-6, 1e6], default=None
        The Dirichlet prior of a document's topics, one for all or a list of one for each; 0.1 where it is not given.
    topic_word_prior : number in [1e-6, 1e6], default=0.01
        The Dirichlet prior of a topic's words.
    learn_prior : true or false, default=True
        Whether the prior of documents is learnt, for each topic, from what is given.
    learn_word_prior : true or false, default=False
        Whether the prior of topics is learnt, from what is given.
    learn_every : integer in [1, inf), default=10
        Sweeps between two steps of learning the priors.
    burn_in : integer in [0, inf), default=200
        Sweeps before a state is kept.
    n_samples : integer in [1, inf), default=10
        States that are kept and averaged.
    thin : integer in [1, inf), default=10
        Sweeps from one state that is kept to the next.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.
    n_jobs : int or None, default=None
        Number of threads; -1 means all cores, None no more of them than OMP_NUM_THREADS says.
    verbose : int, default=0
        Whether to tell of progress on standard error.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Griffiths, Steyvers. Finding scientific topics. PNAS 101, 2004.
    - Wallach, Mimno, McCallum. Rethinking LDA: why priors matter. NIPS 2009.
    - Newman, Asuncion, Smyth, Welling. Distributed algorithms for topic models. JMLR 10, 2009.
    """

    _mercer_name = "GibbsTopics"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "topics", "sparse", "nonnegative", "counts", "ordered", "random"})

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: float | None = None,
        topic_word_prior: float = 0.01,
        learn_prior: bool = True,
        learn_word_prior: bool = False,
        learn_every: int = 10,
        burn_in: int = 200,
        n_samples: int = 10,
        thin: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_prior = learn_prior
        self.learn_word_prior = learn_word_prior
        self.learn_every = learn_every
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thin = thin
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> GibbsTopics:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)
