"""Naive Bayes: scikit-learn's words for what does not fit, and attributes in its shapes."""

from __future__ import annotations

import warnings

from mercer._resume import ResumeMixin

_LEAST = 1e-10


class NaiveBayesMixin(ResumeMixin):
    """All naive Bayes classifiers: classes that the first batch does not have are told of as scikit-learn does."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch of rows: what all batches hold together, in any order.

        Parameters
        ----------
        classes : array-like, optional
            All classes that will come; needed at the first call.

        Returns
        -------
        self
        """
        try:
            return super().partial_fit(X, y, classes, sample_weight)
        except ValueError as error:
            if "which was not seen in training" not in str(error) or "y has the class" not in str(error):
                raise
            import numpy as np

            known = self.classes_ if self.fitted else np.unique(classes)
            strange = np.setdiff1d(np.unique(np.asarray(y)), known)
            told = f"The target label(s) {strange} in y do not exist in the initial classes {known}"
            raise ValueError(told) from error


class MomentsMixin(NaiveBayesMixin):
    """Gaussian naive Bayes: what is learnt from single rows is single."""

    def __getattr__(self, name):
        value = super().__getattr__(name)
        if name in ("theta_", "var_", "class_prior_") and self.__dict__.get("_single"):
            return value.astype("float32")
        return value


class CountsMixin(NaiveBayesMixin):
    """Naive Bayes of counts: pseudo-counts are checked and raised as scikit-learn does it, and told of."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Features that are there or not tell little of rows of any numbers.
        tags.classifier_tags.poor_score = True
        return tags

    def _fit(self, X, y=None, sample_weight=None, **extra):
        return self._checked(X, lambda: super(CountsMixin, self)._fit(X, y, sample_weight, **extra))

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch of rows: what all batches hold together, in any order.

        Parameters
        ----------
        classes : array-like, optional
            All classes that will come; needed at the first call.

        Returns
        -------
        self
        """
        return self._checked(X, lambda: super(CountsMixin, self).partial_fit(X, y, classes, sample_weight))

    def _checked(self, X, learn):
        import numpy as np

        alpha = self._alphas(_width(X))
        if alpha is not None and not self.force_alpha and np.min(alpha) < _LEAST:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_LEAST:.1e}. Use `force_alpha=True` to keep "
                "alpha unchanged.",
                stacklevel=4,
            )
        return self._told(learn)

    def _told(self, work):
        """What is refused for its sign, in scikit-learn's words, too."""
        try:
            return work()
        except ValueError as error:
            if "the negative value" not in str(error):
                raise
            raise ValueError(f"Negative values in data passed to {type(self).__name__} (input X): {error}") from error

    def _alphas(self, width):
        """The pseudo-counts as an array or a number; None where they are neither, which the compiled part refuses."""
        import numpy as np

        if not isinstance(self.alpha, (list, tuple, np.ndarray)):
            return self.alpha if isinstance(self.alpha, (int, float, np.number)) else None
        alpha = np.asarray(self.alpha, dtype=float)
        if width is not None and alpha.shape[0] != width:
            raise ValueError(
                f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead of {width}."
            )
        if alpha.size and np.min(alpha) < 0:
            raise ValueError("All values in alpha must be greater than 0.")
        return alpha

    def _check_alpha(self):
        """The pseudo-counts as they count; scikit-learn's users and tests ask for it."""
        import numpy as np

        alpha = self._alphas(self.__dict__.get("n_features_in_") or (self._model.n_features if self.fitted else None))
        if self.force_alpha or np.min(alpha) >= _LEAST:
            return alpha
        warnings.warn(
            f"alpha too small will result in numeric errors, setting alpha = {_LEAST:.1e}. Use `force_alpha=True` to keep alpha "
            "unchanged.",
            stacklevel=2,
        )
        return np.maximum(alpha, _LEAST)


class CategoriesMixin(CountsMixin):
    """Categorical naive Bayes: numbers are cut to whole ones, and counts have a row for each class."""

    def _fit(self, X, y=None, sample_weight=None, **extra):
        self._check_least(X)
        return super()._fit(X, y, sample_weight, **extra)

    def _prepare_fit(self, X):
        return super()._prepare_fit(_whole(X))

    def _prepare(self, X, method):
        return super()._prepare(_whole(X), method)

    def predict(self, X):
        """Predict for new data.

        Returns
        -------
        ndarray
        """
        return self._told(lambda: super(CategoriesMixin, self).predict(_whole(X)))

    def predict_proba(self, X):
        """Class probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._told(lambda: super(CategoriesMixin, self).predict_proba(_whole(X)))

    def _check_least(self, X):
        import numpy as np

        if self.min_categories is None or np.ndim(self.min_categories) == 0:
            return
        given = np.asarray(self.min_categories)
        if given.dtype.kind not in "iu":
            raise ValueError(f"'min_categories' should have integral type. Got {given.dtype} instead.")
        width = _width(X)
        if width is not None and given.shape != (width,):
            raise ValueError(
                f"'min_categories' should have shape ({width},) when an array-like is provided. Got {given.shape} instead."
            )

    def _by_class(self, name):
        return [part.reshape(len(self.class_count_), -1) for part in self._model.attributes()[name]]

    @property
    def category_count_(self):
        """How often each value occurs in each class: for each feature, classes × values."""
        return self._by_class("category_count_")

    @property
    def feature_log_prob_(self):
        """The logarithm of the chance of each value in each class: for each feature, classes × values."""
        return self._by_class("feature_log_prob_")


def _width(X):
    """The number of columns, where that is plain; what is no matrix is refused elsewhere."""
    if isinstance(X, (list, tuple)):
        return len(X[0]) if X and isinstance(X[0], (list, tuple)) else None
    shape = getattr(X, "shape", ())
    return shape[1] if len(shape) == 2 else None


def _whole(X):
    """Numbers cut to whole ones, as scikit-learn takes them; what is no array of numbers stays as it is."""
    import numpy as np

    if isinstance(X, (list, tuple)):
        try:
            X = np.asarray(X, dtype=float)
        except (TypeError, ValueError):
            return X
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2:
        return np.trunc(X)
    return X
