"""Vectorisers of texts as scikit-learn has them."""


class VectorizerMixin:
    """What all vectorisers share."""


class TfidfMixin:
    """TF-IDF."""
