"""Gaussian classes: estimators of covariances that are the user's, and scikit-learn's words for what does not fit."""

from __future__ import annotations


class GaussianClassesMixin:
    """Linear and quadratic discriminant analysis."""

    # It is asked here, class by class; what it says goes to the compiled part as numbers.
    _door_meant = frozenset({"covariance_estimator"})

    def _fit(self, X, y=None, sample_weight=None, **extra):
        self._check_settings()
        if self.covariance_estimator is None or y is None:
            return super()._fit(X, y, sample_weight, **extra)
        if sample_weight is not None:
            raise ValueError("`covariance_estimator` knows no weights: give rows of weight 2 twice, or take `shrinkage`")
        self.__dict__["_covariances"] = self._estimated(X, y)
        try:
            return super()._fit(X, y, sample_weight, **extra)
        finally:
            del self.__dict__["_covariances"]

    def _core_params(self):
        params, given = super()._core_params(), self.__dict__.get("_covariances")
        return params if given is None else {**params, "covariances": given, "shrinkage": None}

    def _check_settings(self):
        import numpy as np

        linear, asked = hasattr(self, "n_components"), self.covariance_estimator is not None
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and asked:
            raise ValueError(
                "covariance estimator is not supported with svd solver. Try another solver"
                if linear
                else "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."
            )
        if asked and self.shrinkage is not None and self.shrinkage != 0:
            raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
        if asked and self.covariances is not None:
            raise ValueError("covariance_estimator and covariances are not None. Only one of the two can be set.")
        if self.priors is not None:
            priors = np.asarray(self.priors, dtype=float)
            if (priors < 0).any():
                raise ValueError("priors must be non-negative")
            if abs(priors.sum() - 1.0) > 1e-5:
                import warnings

                warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)

    def _estimated(self, X, y):
        """The covariances of the classes by the user's estimator, row by row; `eigen` of one covariance wants that of all rows,
        too."""
        import numpy as np

        from mercer._checks import check_lengths, check_numbers, column

        rows, y = check_numbers(X, "X", ndim=(2,)), column(y)
        check_lengths(rows, y)
        parts = [rows[y == label] for label in np.unique(y)]
        if hasattr(self, "n_components") and self.solver == "eigen":
            parts.append(rows)
        return np.concatenate([self._covariance(part).ravel() for part in parts]).tolist()

    def _covariance(self, rows):
        import numpy as np

        self.covariance_estimator.fit(rows)
        if not hasattr(self.covariance_estimator, "covariance_"):
            raise ValueError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute")
        made = np.atleast_2d(np.asarray(self.covariance_estimator.covariance_, dtype=float))
        if made.shape != (rows.shape[1], rows.shape[1]):
            raise ValueError(f"covariance_ has shape {made.shape}, where {rows.shape[1]} rows and columns are wanted")
        return made


class ProjectingClassesMixin(GaussianClassesMixin):
    """Linear discriminant analysis."""

    def transform(self, X):
        """Rows along the directions that part the classes; there with the solvers `svd` and `eigen`."""
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        return super().transform(X)
