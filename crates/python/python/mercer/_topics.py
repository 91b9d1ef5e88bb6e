"""Topics: their words, how likely they make documents, and what latent Dirichlet allocation has as scikit-learn has it."""

from __future__ import annotations

import numbers

from mercer import _mercer
from mercer._base import seed_of
from mercer._lazy import Lazy
from mercer._reduce import SingleMixin

np = Lazy("numpy")


def _lengths(X):
    """The number of words of each row."""
    return np.asarray(X.sum(axis=1) if hasattr(X, "sum") else np.asarray(X, dtype=float).sum(axis=1), dtype=float).ravel()


class TopicsMixin:
    """Models of rows of counts as mixtures of topics."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @property
    def topic_sizes_(self):
        """The share of each topic among all words learnt from."""
        return _mercer.topics(self._model)[1]

    @property
    def topic_shares_(self):
        """The share of each word in each topic, topics × words."""
        return _mercer.topics(self._model)[0]

    def top_words(self, n=10, names=None):
        """The words with the largest shares in each topic, the largest first.

        Parameters
        ----------
        n : int, default=10
            Words of a topic.
        names : array-like of str, optional
            The words of the columns, where the rows learnt from had no names.

        Returns
        -------
        list of lists of str
        """
        return top_words(self, n, names)

    def bounds(self, X):
        """A lower bound on the logarithm of each row's probability under the topics.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return _mercer.topic_bounds(self._model, self._prepare(X, "bounds"))

    def _told(self, work, where):
        """What is refused for its sign, in scikit-learn's words, too."""
        try:
            return work()
        except ValueError as error:
            if "the negative value" not in str(error):
                raise
            raise ValueError(f"Negative values in data passed to {type(self).__name__}.{where}: {error}") from error

    def _fit(self, X, y=None, sample_weight=None, **extra):
        return self._told(lambda: super(TopicsMixin, self)._fit(X, y, sample_weight, **extra), "fit")


class LatentDirichletMixin(SingleMixin):
    """Latent Dirichlet allocation: bounds, and shares that are not normalised."""

    def _core_params(self):
        params = super()._core_params()
        prior = params["doc_topic_prior"]
        if prior is not None and not isinstance(prior, (numbers.Number, str)):
            params["doc_topic_prior"] = np.asarray(prior, dtype=float).tolist()
        return params

    def _fit(self, X, y=None, sample_weight=None, **extra):
        made = super()._fit(X, y, sample_weight, **extra)
        if self.verbose:
            self._tell()
        return made

    def _tell(self):
        """Iterations and perplexities on standard output, as scikit-learn tells them."""
        looks = iter(self._model.attributes()["perplexities_"])
        for i in range(1, self.n_iter_ + 1):
            looked = self.evaluate_every > 0 and i % self.evaluate_every == 0
            told = f", perplexity: {next(looks):.4f}" if looked else ""
            print(f"iteration: {i} of max_iter: {self.max_iter}{told}")

    def _warn_unless_converged(self, model):
        # Without looks at the perplexity, ending at `max_iter` is what was asked for.
        if self.evaluate_every > 0:
            super()._warn_unless_converged(model)

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from a batch of rows, online, where the last one ended; `y` is ignored.

        Returns
        -------
        self
        """
        from mercer._resume import _go_on

        return self._told(lambda: _go_on(self, X, None, None, sample_weight), "partial_fit")

    def transform(self, X, *, normalize=True):
        """The shares of the topics in each row.

        Parameters
        ----------
        normalize : bool, default=True
            Whether shares sum to 1; else they are the pseudo-counts of a Dirichlet posterior.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        shares = self._told(lambda: super(LatentDirichletMixin, self).transform(X), "transform")
        if normalize:
            return shares
        if self.max_doc_update_iter == 0:
            return shares * self.n_components
        prior = np.sum(np.broadcast_to(self.doc_topic_prior_, (self.n_components,)))
        return shares * (prior + _lengths(X)).astype(shares.dtype)[:, None]

    def fit_transform(self, X, y=None, *, normalize=True, **fit_params):
        """Learn, and give the shares of the topics in the same rows."""
        return self.fit(X, y, **fit_params).transform(X, normalize=normalize)

    def score(self, X, y=None):
        """The variational bound on the log likelihood of rows and topics."""
        return self._bound(X, False)

    def perplexity(self, X, sub_sampling=False):
        """e to minus the bound per word.

        Parameters
        ----------
        sub_sampling : bool, default=False
            Whether the rows stand for `total_samples` of them.
        """
        return self._perplexity_precomp_distr(X, sub_sampling=sub_sampling)

    def _bound(self, X, sub_sampling):
        bounds = self._told(lambda: self.bounds(X), "score")
        scale = float(self.total_samples) / len(bounds) if sub_sampling else 1.0
        return scale * float(bounds.sum()) + float(self._model.attributes()["topics_bound_"])

    def _perplexity_precomp_distr(self, X, doc_topic_distr=None, sub_sampling=False):
        """The perplexity; scikit-learn's users and tests ask for it."""
        if doc_topic_distr is not None:
            if len(doc_topic_distr) != X.shape[0]:
                raise ValueError("Number of samples in X and doc_topic_distr do not match.")
            if np.shape(doc_topic_distr)[1] != self.n_components:
                raise ValueError("Number of topics does not match.")
            raise NotImplementedError("the bound of shares that are given")
        bound, lengths = self._bound(X, sub_sampling), _lengths(X)
        words = lengths.sum() * (float(self.total_samples) / len(lengths) if sub_sampling else 1.0)
        return np.exp(-bound / words)


def top_words(model, n=10, names=None):
    """The words with the largest shares in each topic of a fitted model, the largest first.

    Parameters
    ----------
    model : estimator
        Fitted topics, or a pipeline that ends in them.
    n : int, default=10
        Words of a topic.
    names : array-like of str, optional
        The words of the columns, where the rows learnt from had no names.

    Returns
    -------
    list of lists of str
    """
    shares, _, _, words = _mercer.topics(model._model)
    words = words if names is None else [str(name) for name in names]
    if len(words) != shares.shape[1]:
        raise ValueError(f"names has {len(words)} words, the topics have {shares.shape[1]}")
    return [[words[j] for j in row] for row in np.argsort(-shares, axis=1, kind="stable")[:, :n]]


def coherence(topics, X, measure="c_npmi", n=10):
    """How often the top words of each topic occur in the same rows.

    Parameters
    ----------
    topics : estimator, or list of lists of int
        A fitted model of topics, or the columns of the top words of each topic.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts of words; a row has a word where its value is positive.
    measure : {"u_mass", "c_npmi", "c_v"}, default="c_npmi"
    n : int, default=10
        Top words of a topic, where a model is given.

    Returns
    -------
    ndarray of shape (n_topics,)
    """
    from mercer._data import csr, is_sparse

    if hasattr(topics, "_model"):
        topics = np.argsort(-_mercer.topics(topics._model)[0], axis=1, kind="stable")[:, :n].tolist()
    rows = csr(X)[0] if is_sparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    return _mercer.coherence([[int(j) for j in top] for top in topics], rows, measure)


def document_completion(model, X):
    """The perplexity of every other word of each row, given the rest of the row.

    Parameters
    ----------
    model : estimator
        A fitted model of topics.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Counts of words that were not learnt from.

    Returns
    -------
    float
    """
    bound, words = _mercer.document_completion(model._model, model._prepare(X, "document_completion"))
    return float(np.exp(-bound / words))


def left_to_right(model, X, particles=20, random_state=None):
    """Estimates of the log likelihood of each row, word for word, by particles (Wallach et al. 2009).

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    rows = model._prepare(X, "left_to_right")
    return _mercer.left_to_right(model._model, rows, int(particles), seed_of(random_state))
