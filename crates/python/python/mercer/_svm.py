"""Support vector machines under scikit-learn's rules: functions as kernels, sparse support vectors, probabilities where asked for."""

from __future__ import annotations

import functools
import warnings

from mercer._exceptions import convergence_warning, not_fitted_error
from mercer._kernel_learners import KernelMixin
from mercer._mixins import ProbaMixin


class SvmMixin(KernelMixin):
    """Machines whose model is made of support vectors."""

    def _prepare_fit(self, X):
        if isinstance(self.kernel, str) and self.kernel == "precomputed" and hasattr(X, "tocsr"):
            raise TypeError("Sparse precomputed kernels are not supported.")
        return super()._prepare_fit(X)

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if sample_weight is not None:
            sample_weight = self._positive(sample_weight, y)
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _positive(self, sample_weight, y):
        """Weights of which those below zero leave their rows out, as those of zero do: LIBSVM's rule."""
        import numpy as np

        weights = np.asarray(sample_weight)
        if weights.ndim != 1 or weights.dtype.kind not in "biuf" or not len(weights):
            return sample_weight
        if (weights <= 0).all():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        labels = np.asarray(y) if self._mercer_task == "Classification" else None
        if labels is not None and labels.shape == weights.shape and len(np.unique(labels[weights > 0])) < 2:
            told = ": the specified nu is infeasible" if hasattr(self, "nu") else ""
            raise ValueError(f"Invalid input - all samples with positive weights belong to the same class{told}")
        return np.where(weights < 0, 0, weights)

    def _facts(self):
        return self._model.attributes()

    def _shown(self, values):
        """As an array, or as a sparse matrix where the support vectors are sparse."""
        if "support_values_" not in self._facts():
            return values
        from scipy.sparse import csr_matrix

        return csr_matrix(values)

    @property
    def support_vectors_(self):
        """The support vectors: rows, a sparse matrix of them, strings, or nothing where the kernel is given."""
        import numpy as np

        facts = self._facts()
        if "support_values_" in facts:
            from scipy.sparse import csr_matrix

            parts = (facts["support_values_"], facts["support_columns_"], facts["support_starts_"])
            return csr_matrix(parts, shape=(len(facts["support_"]), self.n_features_in_))
        return facts.get("support_vectors_", np.empty((0, 0)))

    @property
    def dual_coef_(self):
        """The coefficients of the support vectors."""
        return self._shown(self._facts()["dual_coef_"])

    @property
    def coef_(self):
        """The coefficients of the features, where the kernel is linear."""
        facts = self._facts()
        if "coef_" not in facts:
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._shown(facts["coef_"])

    @property
    def shape_fit_(self):
        """The shape of the rows learnt from."""
        return tuple(int(n) for n in self._facts()["shape_fit_"])

    def _warn_unless_converged(self, model):
        if model.certificate()["shortfall"] is not None:
            told = (
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or "
                "MinMaxScaler."
            )
            warnings.warn(told, convergence_warning(), stacklevel=5)


class SvcMixin:
    """Machines that tell classes apart: probabilities are there where they were asked for."""

    def _ties_of_pairs(self):
        return self.break_ties is True and self.decision_function_shape == "ovo"

    def _core_params(self):
        # scikit-learn refuses the two together when classes are asked for, not before.
        params = super()._core_params()
        return {**params, "break_ties": False} if self._ties_of_pairs() else params

    def predict(self, X):
        """The class of each row."""
        if self._ties_of_pairs():
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return super().predict(X)

    def _check_probability(self, name):
        if not self.probability:
            raise AttributeError(f"{name} is not available when probability=False")

    def _learnt_probability(self, name, X):
        if self.fitted and not len(self._facts()["probA_"]):
            raise not_fitted_error(f"{name} is not available when fitted with probability=False")
        return getattr(ProbaMixin, name)(self, X)

    @property
    def predict_proba(self):
        """Class probabilities, in the order of ``classes_``, where ``probability=True``."""
        self._check_probability("predict_proba")
        return functools.partial(self._learnt_probability, "predict_proba")

    @property
    def predict_log_proba(self):
        """The logarithm of the class probabilities, where ``probability=True``."""
        self._check_probability("predict_log_proba")
        return functools.partial(self._learnt_probability, "predict_log_proba")
