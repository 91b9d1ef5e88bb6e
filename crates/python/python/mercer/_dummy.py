"""Baselines as scikit-learn has them: several targets, sparse ones, and what they answered with."""

import sys


class DummyMixin:
    """What both baselines share."""

    def _core_params(self):
        params = super()._core_params()
        constant = params["constant"]
        if constant is not None:
            import numpy as np

            values = np.ravel(constant).tolist()
            params["constant"] = values if self._mercer_task == "Regression" else [_text(v) for v in values]
        return params

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_constant(y)
        self.__dict__["sparse_output_"] = _is_sparse(y)
        if _is_sparse(y):
            if self.strategy == "uniform":
                import warnings

                warnings.warn(
                    "A local copy of the target data has been converted to a numpy array. Predicting on sparse target data "
                    "with the uniform strategy would not save memory and would be slower.",
                    UserWarning,
                    stacklevel=5,
                )
                self.__dict__["sparse_output_"] = False
            y = y.toarray()
        self.__dict__["_n_rows"] = len(y) if hasattr(y, "__len__") else None
        made = super()._learn(fit, X, y, sample_weight, **extra)
        return made

    def _check_constant(self, y):
        import numpy as np

        if self.strategy == "quantile" and self.quantile is None:
            raise ValueError("When using `strategy='quantile', you have to specify the desired quantile in the range [0, 1]")
        if self.strategy != "constant":
            return
        if self.constant is None:
            if self._mercer_task == "Regression":
                raise TypeError("Constant target value has to be specified when the constant strategy is used.")
            raise ValueError("Constant target value has to be specified when the constant strategy is used.")
        dense = y.toarray() if _is_sparse(y) else np.asarray(y)
        width = dense.shape[1] if dense.ndim == 2 else 1
        given = np.ravel(self.constant)
        if len(given) != width:
            raise ValueError(f"Constant target value should have shape ({width}, 1).")
        columns = dense.reshape(len(dense), -1)
        if self._mercer_task == "Classification":
            for k, value in enumerate(given.tolist()):
                if not any(value == known for known in columns[:, k].tolist()):
                    raise ValueError(
                        "The constant target value must be present in the training data. You provided constant="
                        f"{self.constant}. Possible values are: {sorted(set(columns[:, k].tolist()))}."
                    )

    def _prepare_fit(self, X):
        return super()._prepare_fit(_rows(X, self.__dict__.get("_n_rows")))

    def _prepare(self, X, method):
        self._model
        return super()._prepare(_rows(X, 1, self._model.n_features), method)

    @property
    def n_outputs_(self):
        """The number of targets."""
        return self._model.n_targets

    @property
    def n_classes_(self):
        """The number of classes, a list for several targets."""
        classes = self._model.classes
        if classes is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_classes_'")
        return [len(own) for own in classes] if isinstance(classes, list) else len(classes)

    def predict(self, X, return_std=False):
        """The answer for each row; with `return_std` beside their deviations, which are 0."""
        import numpy as np

        y = super().predict(X)
        if self.__dict__.get("sparse_output_"):
            from scipy.sparse import csc_matrix

            return csc_matrix(y.reshape(len(y), -1))
        return (y, np.zeros_like(y)) if return_std else y

    def score(self, X, y, sample_weight=None):
        """The mean accuracy or the coefficient of determination; rows may be left out, since they are not looked at."""
        if X is None:
            import numpy as np

            X = np.zeros((len(y), self._model.n_features))
        return super().score(X, y, sample_weight)


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _rows(X, n, width=1):
    """Rows that can be counted, in place of what is no table: baselines do not look at rows."""
    import numpy as np

    if X is None:
        return np.zeros((n, width))
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return X if len(shape) == 2 or not shape else np.zeros((shape[0], width))


def _is_sparse(y):
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(y)
