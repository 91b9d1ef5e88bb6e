"""Many classes by learners of two: what the classes tell beside the compiled part, several labels at once, and batches."""

from __future__ import annotations

from mercer._exceptions import not_fitted
from mercer._members import Available, twin_of


def _partial(self, X, y, classes=None, sample_weight=None):
    """Learn from a batch of rows where the last one ended; there where the member can.

    Parameters
    ----------
    classes : array-like, optional
        All classes that will come; needed at the first call.

    Returns
    -------
    self
    """
    whole = self._around() if self.fitted else twin_of(type(self))(self)
    more = {} if sample_weight is None else {"sample_weight": sample_weight}
    whole.partial_fit(X, y, classes, **more)
    for name in ("_model", "feature_names_in_"):
        self.__dict__.pop(name, None)
    self.__dict__["_whole"] = whole
    return self


_partial.__name__ = "partial_fit"


def _goes_on(estimator):
    twin = twin_of(type(estimator))
    member = twin.member(estimator)
    return hasattr(twin, "partial_fit") and member.partial_fit is not None


class MulticlassMixin:
    """What one-against-rest, one-against-one and codes share."""

    partial_fit = Available(_partial, _goes_on)

    def _fit(self, X, y=None, sample_weight=None, **extra):
        if y is not None:
            y = self._checked_target(y)
        return super()._fit(X, y, sample_weight, **extra)

    def _checked_target(self, y):
        return y

    def _offers(self, name):
        wanted = {"predict_proba": "proba", "predict_log_proba": "proba", "decision_function": "decision"}.get(name)
        if wanted and "_whole" not in self.__dict__:
            can = self._model.can() if "_model" in self.__dict__ else self._mercer_can
            if "_model" in self.__dict__ or twin_of(type(self)).is_compiled(self):
                return wanted in can
        return super()._offers(name)

    @property
    def classes_(self):
        """The classes; of several labels at once, the places of the columns."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].classes_
        if not self.fitted:
            raise not_fitted(self)
        if self._model.n_targets < 2:
            return self._model.classes
        import numpy as np

        return np.arange(self._model.n_targets)

    @property
    def n_classes_(self):
        """The number of classes."""
        return len(self.classes_)

    def get_metadata_routing(self):
        """scikit-learn's router of parameters to the member."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        mapping = MethodMapping().add(caller="fit", callee="fit")
        if hasattr(twin_of(type(self)), "partial_fit"):
            mapping.add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self):
        made = super().__sklearn_tags__()
        member = self.estimator
        if hasattr(member, "__sklearn_tags__"):
            own = member.__sklearn_tags__().input_tags
            made.input_tags.sparse = own.sparse
            # Codes see rows as they are; the others may have to cut a kernel down to the rows of a pair.
            made.input_tags.pairwise = own.pairwise and hasattr(twin_of(type(self)), "partial_fit")
        return made


class OneVsOneMixin(MulticlassMixin):
    """One against one."""

    def _checked_target(self, y):
        import numpy as np

        rows = y if hasattr(y, "tocsr") else np.asarray(y)
        if rows.ndim == 1 and len(rows) and bool(np.all(rows == rows[0])):
            raise ValueError("OneVsOneClassifier can not be fit when only one class is present.")
        return y

    @property
    def pairwise_indices_(self):
        """The rows of each pair where rows are kernels, else None."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].pairwise_indices_
        self._model  # noqa: B018 - not fitted is said so
        return None


def _proba(self, X):
    """The probability of each class, in the order of ``classes_``; of several labels at once, of each label.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    shares = super(OneVsRestMixin, self).predict_proba(X)
    if not isinstance(shares, list):
        return shares
    import numpy as np

    return np.column_stack([own[:, 1] for own in shares])


_proba.__name__ = "predict_proba"


class OneVsRestMixin(MulticlassMixin):
    """One against the rest, or each of several labels on its own."""

    predict_proba = Available(_proba, lambda estimator: estimator._offers("predict_proba"))

    def _checked_target(self, y):
        """The target: several labels at once as zeros and ones."""
        from mercer._checks import is_sparse, type_of_target

        kind = type_of_target(y, "y")
        if "multioutput" in kind:
            raise ValueError("Multioutput target data is not supported with label binarization")
        if kind != "multilabel-indicator" or is_sparse(y):
            return y
        import numpy as np

        return (np.asarray(y) != 0).astype(np.int64)

    def _is_beyond(self, X, y):
        """Constant answers and sparse targets are Python's."""
        from mercer._checks import is_sparse

        if y is None or super()._is_beyond(X, y):
            return y is not None
        import numpy as np

        if is_sparse(y):
            return True
        rows = np.asarray(y)
        rows = rows.reshape(-1, 1) if rows.ndim == 1 else rows
        return len(rows) > 0 and bool((rows == rows[:1]).all(axis=0).any())

    @property
    def multilabel_(self):
        """Whether rows have several labels at once."""
        whole = self.__dict__.get("_whole")
        return whole.multilabel_ if whole is not None else self._model.n_targets > 1

    @property
    def label_binarizer_(self):
        """What makes columns of zeros and ones of the target, and classes of such columns."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].label_binarizer_
        from mercer._python_multiclass import Binarizer

        return Binarizer.of(self.classes_, self.multilabel_)

    def score(self, X, y, sample_weight=None):
        """The share of rows predicted rightly, in all of their labels."""
        import numpy as np

        found, y = (rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows) for rows in (self.predict(X), y))
        right = (found == y).all(axis=1) if found.ndim == 2 else found == y.ravel()
        return float(np.average(right, weights=sample_weight))
