"""Ensembles and forests: their members, and what fitting them asks and tells beyond other estimators."""

from __future__ import annotations

import numbers
import pickle
import zlib

from mercer import _mercer
from mercer._base import threads_of
from mercer._trees import paths


class EnsembleMixin:
    """Models that are made of other models."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_fit(y)
        print_of = None
        if getattr(self, "warm_start", False):
            print_of = zlib.crc32(pickle.dumps((X, y, sample_weight)))
            if self._goes_on(print_of):
                return None
        rows = super()._learn(fit, X, y, sample_weight, **extra)
        self.__dict__["_learnt_from"] = print_of
        self._finish_fit(y)
        return rows

    def _goes_on(self, print_of):
        """Whether there is nothing to add to what a warm start goes on from. The same rows with the same seed give the same
        members again, so that going on is to fit the larger whole; other rows would not, and are refused."""
        before = self.__dict__.get("_model") and _mercer.n_members(self._model)
        if not before or "_learnt_from" not in self.__dict__:
            return False
        if isinstance(self, StagesMixin):
            before = self.n_estimators_
        if self.n_estimators < before:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={before} when warm_start==True"
            )
        if self.n_estimators == before and self._is_finished():
            import warnings

            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warnings.warn(message, UserWarning, stacklevel=5)
            return True
        if self.__dict__["_learnt_from"] not in (None, print_of):
            raise ValueError("warm_start=True goes on with the rows of the fit before; these are others")
        return False

    def _is_finished(self):
        """Whether the fit before worked out all that is wanted now."""
        return True

    def _check_fit(self, y):
        """Refuses settings that contradict each other or the target."""

    def _finish_fit(self, y):
        """What is worked out after learning."""

    def _learnt_attribute(self, name):
        attributes = self._model.attributes() if "_model" in self.__dict__ else {}
        if name not in attributes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return attributes[name]

    @property
    def estimators_(self):
        """The fitted members, each an estimator of its own."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].estimators_
        model = self._model
        if self.__dict__.get("_parts", (None,))[0] is not model:
            self.__dict__["_parts"] = model, self._made_members()
        return self.__dict__["_parts"][1]

    def _made_members(self):
        """The fitted members, made anew from the model."""
        from mercer._load import fitted

        model = self._model
        if "members" not in model.can():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimators_'")
        return [fitted(_mercer.member(model, i)) for i in range(_mercer.n_members(model))]

    @property
    def estimator_(self):
        """An unfitted member."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].estimator_
        from mercer._rows import clone

        given = getattr(self, "estimator", None)
        return clone(self.estimators_[0] if given is None else given)

    @property
    def estimators_features_(self):
        """The columns that each member sees."""
        if "_whole" in self.__dict__:
            return self.__dict__["_whole"].estimators_features_
        import numpy as np

        columns = (_mercer.member_columns(self._model, i) for i in range(_mercer.n_members(self._model)))
        return [np.arange(self.n_features_in_) if own is None else np.asarray(own) for own in columns]

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, index):
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)

    def __bool__(self):
        return True


class StagesMixin(EnsembleMixin):
    """Boosting by stages: in each, one member for every score."""

    @property
    def estimators_(self):
        """The fitted members: rounds × scores."""
        import numpy as np

        members = super().estimators_
        stages = np.empty(len(members), dtype=object)
        stages[:] = members
        return stages.reshape(self.n_estimators_, -1)

    @property
    def feature_importances_(self):
        """The mean share of each feature in what the trees gain; of trees alone."""
        import numpy as np

        if self.estimator is not None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'feature_importances_': its members are no trees")
        trees = [tree.tree_ for tree in self.estimators_.ravel() if tree.tree_.node_count > 1]
        if not trees:
            return np.zeros(self.n_features_in_)
        total = np.mean([tree.compute_feature_importances(normalize=False) for tree in trees], axis=0)
        return total / total.sum()

    def apply(self, X):
        """The leaf of each tree that each row ends in: rows × rounds, × scores for classes."""
        import numpy as np

        stages = self.estimators_
        leaves = np.array([[tree.apply(X) for tree in stage] for stage in stages], dtype=float).transpose(2, 0, 1)
        return leaves if self._mercer_task == "Classification" else leaves[:, :, 0]


class ForestMixin(EnsembleMixin):
    """Forests."""

    def _core_params(self):
        params = super()._core_params()
        if callable(params.get("oob_score")):
            params["oob_score"] = True
        return params

    def _check_fit(self, y):
        if not hasattr(self, "oob_score"):
            return
        if hasattr(y, "tocsr"):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        if self.oob_score:
            if not self.bootstrap:
                raise ValueError("Out of bag estimation only available if bootstrap=True")
            if self._mercer_task == "Classification":
                from mercer._checks import type_of_target

                if (kind := type_of_target(y)) in ("multiclass-multioutput", "unknown"):
                    raise ValueError(f"The type of target cannot be used to compute OOB estimates. Got {kind} while only the following "
                                     "are supported: continuous, continuous-multioutput, binary, multiclass, multilabel-indicator.")
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError("`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`.")

    def _finish_fit(self, y):
        if not hasattr(self, "oob_score"):
            return self._tell_fewer_rows()
        if not self.oob_score:
            return
        import numpy as np

        classes = self._mercer_task == "Classification"
        found = self.oob_decision_function_ if classes else self.oob_prediction_
        if np.isnan(found).any():
            import warnings

            message = "Some inputs do not have OOB scores. This probably means too few trees were used to compute any reliable OOB estimates."
            warnings.warn(message, UserWarning, stacklevel=5)
        if callable(self.oob_score):
            said = found
            if classes:
                said = found.argmax(axis=1)
                y = np.asarray(y)
                said = np.asarray(self.classes_)[said] if said.ndim == 1 else np.stack(
                    [np.asarray(own)[said[:, k]] for k, own in enumerate(self.classes_)], axis=1)
            self.__dict__["_oob_score"] = self.oob_score(y, said)

    def _tell_fewer_rows(self):
        """Trees that draw without replacement cannot draw more rows than there are."""
        most = self._model.attributes().get("max_samples_")
        if most is not None and isinstance(self.max_samples, numbers.Integral) and self.max_samples > most:
            import warnings

            message = (
                f"max_samples ({self.max_samples}) is greater than the total number of samples ({most}). max_samples will be set "
                "to n_samples for estimation."
            )
            warnings.warn(message, UserWarning, stacklevel=5)

    def _is_finished(self):
        return not getattr(self, "oob_score", False) or "oob_score_" in self._model.attributes()

    @property
    def estimator(self):
        """An unfitted estimator with the parameters of the members."""
        from mercer._rows import clone

        return clone(self.estimators_[0])

    @property
    def oob_decision_function_(self):
        """The shares of the classes of each row by the trees that did not see it; of several targets, rows × classes × targets."""
        shares = self._learnt_attribute("oob_decision_function_")
        counts = self._model.attributes().get("n_classes_")
        if getattr(counts, "ndim", 0) and len(set(counts.tolist())) == 1:
            return shares.reshape(len(shares), len(counts), -1).transpose(0, 2, 1)
        return shares

    @property
    def oob_score_(self):
        """The score of the rows by the trees that did not see them."""
        if callable(self.oob_score) and "_oob_score" in self.__dict__:
            return self.__dict__["_oob_score"]
        return self._learnt_attribute("oob_score_")

    @property
    def feature_importances_(self):
        """The decrease of impurity that each feature brought, a mean over the trees, summing to 1."""
        self._model  # noqa: B018 - not fitted is said so
        return self._learnt_attribute("feature_importances_")

    def apply(self, X):
        """The leaf of every row in every tree, by its node.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        return _mercer.leaves(self._model, self._prepare(X, "apply"), threads_of(self.n_jobs))

    def decision_path(self, X):
        """Which nodes of which trees each row comes by.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_samples, nodes of all trees)
            1 where a row comes by a node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns of tree t are those from ``n_nodes_ptr[t]`` to ``n_nodes_ptr[t + 1]``.
        """
        return paths(self, X)

    def proximity(self, X, Y=None):
        """How alike rows are to the forest: the share of trees in which two end in the same leaf.

        Returns
        -------
        ndarray of shape (n_samples of X, n_samples of Y)
            `Y` is `X` where it is not given.
        """
        x = self._prepare(X, "proximity")
        y = x if Y is None else self._prepare(Y, "proximity")
        return _mercer.proximity(self._model, x, y, threads_of(self.n_jobs))
