"""What estimators can do: each class gets the methods that its learner's capabilities have, and no others."""

from mercer._base import Estimator


def _careful(estimator, method, X):
    """The way of everything that is not a small float64 matrix."""
    return getattr(estimator._model, method)(estimator._prepare(X, method))


def _by_target(model, shares):
    """The class probabilities of several targets as a list, one array for each, as scikit-learn has them."""
    if model.n_targets < 2:
        return shares
    ends = [0]
    for classes in model.classes:
        ends.append(ends[-1] + len(classes))
    return [shares[:, start:end] for start, end in zip(ends, ends[1:])]


class PredictMixin:
    """Models that predict."""

    def predict(self, X):
        """Predict for new data.

        Returns
        -------
        ndarray
        """
        answer = self._model.predict_now(X)
        return _careful(self, "predict", X) if answer is None else answer


class ClassifierMixin(PredictMixin):
    """Classifiers."""

    _estimator_type = "classifier"

    def score(self, X, y, sample_weight=None):
        """The share of rows predicted rightly, in all of their targets."""
        import numpy as np

        predicted, y = self.predict(X), np.asarray(y)
        right = (predicted == y).all(axis=1) if predicted.ndim == 2 else predicted == y.ravel()
        return float(np.average(right, weights=sample_weight))


class IntervalMixin:
    """Models that give prediction intervals: regressors in `ConformalRegressor`, and forests with ``quantiles=True``."""

    def predict_interval(self, X, coverage=0.9):
        """The ends of a prediction interval for each row; they hold the share `coverage` of the answers.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The lower and the upper ends.
        """
        return self._model.intervals(self._prepare(X, "predict_interval"), coverage)

    def predict_quantiles(self, X, quantiles):
        """Quantiles of the answer of each row, by forests with ``quantiles=True``.

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles)
        """
        return self._model.quantiles(self._prepare(X, "predict_quantiles"), [float(q) for q in quantiles])


class Summary:
    """A statistical summary: its text by ``str()``, its numbers as attributes and by ``to_dict()``."""

    def __init__(self, facts):
        self._text = facts.pop("text")
        self.__dict__.update(facts)

    def __str__(self):
        return self._text

    __repr__ = __str__

    def to_dict(self):
        """All numbers, the table as a list of dicts."""
        return {name: value for name, value in self.__dict__.items() if name != "_text"}


class SummaryMixin:
    """Models whose coefficients have standard errors, tests and confidence intervals."""

    def summary(self, level=0.95):
        """Estimates with standard errors, tests and confidence intervals of a level; fit and information criteria.

        Returns
        -------
        Summary
            ``print`` shows the table; `coefficients` is a list of dicts, and the rest are numbers.
        """
        return Summary(self._model.summary(float(level)))

    def influence(self, X, y):
        """How much each row draws the fit to itself.

        Returns
        -------
        dict of ndarray
            `leverage`, `residuals`, `standardised` and `cooks_distance`.
        """
        import numpy as np

        target = np.asarray(y, dtype=float).ravel().tolist()
        found = self._model.influence(self._prepare(X, "influence"), target)
        return dict(zip(["leverage", "residuals", "standardised", "cooks_distance"], found))


class SpreadMixin:
    """Models with a predictive distribution."""

    def predict(self, X, return_std=False, return_cov=False):
        """Predict, with the standard deviation of each answer or the covariance of all of them where asked for.

        Returns
        -------
        ndarray, or a tuple of two
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not (return_std or return_cov):
            return super().predict(X)
        rows = self._prepare(X, "predict")
        mean, epistemic, aleatoric = self._model.spread(rows)
        return (mean, self._model.covariance(rows)) if return_cov else (mean, (epistemic + aleatoric) ** 0.5)

    def predict_spread(self, X):
        """The mean of each row's predictive distribution and the two parts of its variance.

        Returns
        -------
        dict of ndarray
            `mean`; `epistemic`, for want of data; `aleatoric`, by noise.
        """
        found = self._model.spread(self._prepare(X, "predict_spread"))
        return dict(zip(["mean", "epistemic", "aleatoric"], found))


class RegressorMixin(IntervalMixin, PredictMixin):
    """Regressors."""

    _estimator_type = "regressor"

    def score(self, X, y, sample_weight=None):
        """The coefficient of determination, averaged over the targets; NaN of fewer than two rows."""
        from mercer.metrics import r2_score

        return r2_score(y, self.predict(X), sample_weight=sample_weight)


class ClusterMixin(PredictMixin):
    """Clusterers."""

    _estimator_type = "clusterer"

    def fit_predict(self, X, y=None, **fit_params):
        """Learn, and give the cluster of each row."""
        return self.fit(X, **fit_params).labels_


class OutlierMixin(PredictMixin):
    """Detectors of outliers: 1 for rows like the others, -1 for outliers."""

    _estimator_type = "outlier_detector"

    def fit_predict(self, X, y=None, **fit_params):
        """Learn, and tell the outliers among the rows: -1, the others 1."""
        return self.fit(X, **fit_params).predict(X)

    def score_samples(self, X):
        """How usual each row is: the lower, the more of an outlier."""
        return self.decision_function(X) + self.offset_


class ProbaMixin:
    """Models that give class probabilities."""

    def predict_proba(self, X):
        """Class probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or for several targets a list of them
        """
        answer = self._model.predict_proba_now(X)
        return _by_target(self._model, _careful(self, "predict_proba", X) if answer is None else answer)

    def predict_log_proba(self, X):
        """The logarithm of the class probabilities."""
        import numpy as np

        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(own) for own in shares] if isinstance(shares, list) else np.log(shares)


class JointMixin:
    """Models of rows and classes together."""

    def predict_joint_log_proba(self, X):
        """The logarithm of the joint probability of each row and each class, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._model.log_joint(self._prepare(X, "predict_joint_log_proba"))

    def predict_log_proba(self, X):
        """The logarithm of the class probabilities, which is finite where the probability itself is too small to tell.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        import numpy as np

        joint = self.predict_joint_log_proba(X)
        most = joint.max(axis=1, keepdims=True)
        most[~np.isfinite(most)] = 0.0
        total = np.exp(joint - most).sum(axis=1, keepdims=True)
        # Where no class has any probability, all have the same.
        joint[total[:, 0] == 0] = 0.0
        total[total == 0] = joint.shape[1]
        return joint - (most + np.log(total))


class DecisionMixin:
    """Models that give decision values."""

    def decision_function(self, X):
        """Decision values: one a row for two classes (positive means the second), else one for each class."""
        answer = self._model.decision_function_now(X)
        return _careful(self, "decision_function", X) if answer is None else answer


class TransformerMixin:
    """Models that transform rows."""

    # scikit-learn asks for these names.
    _sklearn_auto_wrap_output_keys = frozenset({"transform"})

    def transform(self, X):
        """Transform rows.

        Returns
        -------
        ndarray, sparse matrix or data frame
            As `set_output` asks; float32 stays float32.
        """
        from mercer._output import transformed

        model = self._model
        return transformed(self, model.transform(self._prepare(X, "transform")), X)

    def fit_transform(self, X, y=None, **fit_params):
        """Learn, and transform the same rows: out of fold where the transformer learns from the target."""
        if "cross_fits" not in self._mercer_can:
            return self.fit(X, y, **fit_params).transform(X)
        from mercer._mercer import fit_transform
        from mercer._output import transformed

        return transformed(self, self._learn(fit_transform, X, y, **fit_params), X)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that come out."""
        from mercer._output import names_out

        return names_out(self, input_features)

    def set_output(self, *, transform=None):
        """Choose what `transform` returns: ``"default"``, ``"pandas"`` or ``"polars"``; None changes nothing."""
        if transform is not None:
            if transform not in ("default", "pandas", "polars"):
                raise ValueError(f"transform must be 'default', 'pandas' or 'polars', got {transform!r}")
            config = dict(getattr(self, "_sklearn_output_config", {}))
            config["transform"] = transform
            self._sklearn_output_config = config
        return self


class LossMixin:
    """Learners whose loss has a parameter that scikit-learn keeps apart: the quantile of the quantile loss."""

    _door_meant = frozenset({"alpha"})

    def _core_params(self):
        params = super()._core_params()
        if params["loss"] == "quantile":
            params["loss"] = f"quantile(alpha={self.alpha})"
        return params


_SOLVERS = {}


class SolverMixin:
    """Solvers by scikit-learn's names. Those that Mercer lacks reach the same optimum by whichever of its own is fastest."""

    def _core_params(self):
        params = super()._core_params()
        solver = params["solver"]
        known = "lbfgs liblinear newton-cg newton-cholesky sag saga lsqr highs-ds highs-ipm interior-point revised-simplex"
        if isinstance(solver, str) and solver in known.split():
            params["solver"] = self._own_solver(solver.replace("-", "_"))
        return params

    def _own_solver(self, word):
        """The word where the learner has such a solver, else `auto`."""
        from mercer import _mercer

        key = self._mercer_name, word
        if key not in _SOLVERS:
            try:
                _mercer.capabilities(self._mercer_name, {"solver": word})
                _SOLVERS[key] = word
            except ValueError:
                _SOLVERS[key] = "auto"
        return _SOLVERS[key]


class HuberMixin:
    """Which training rows lie beyond the border of Huber's loss."""

    @property
    def outliers_(self):
        """A mask of the training rows: those whose residual exceeds `epsilon` times `scale_`."""
        import numpy as np

        return np.asarray(self._model.attributes()["outliers_"], dtype=bool)


class SelectorMixin:
    """Models that select features: columns come out as they went in."""

    def get_support(self, indices=False):
        """Which features are kept: a mask, or with `indices` their places."""
        import numpy as np

        self._model
        mask = np.asarray(self.support_, dtype=bool)
        return np.flatnonzero(mask) if indices else mask

    def transform(self, X):
        """The selected columns of rows, of the type that they have."""
        from mercer._output import selected

        return selected(self, X, self.get_support())

    def inverse_transform(self, X):
        """Rows with zeros in place of the columns that were left out."""
        from mercer._output import unselected

        return unselected(X, self.get_support())

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that are kept."""
        from mercer._output import input_names

        return input_names(self, input_features)[self.get_support()]


class InverseMixin:
    """Models that undo their transformation."""

    def inverse_transform(self, X):
        """The rows that would be transformed into these."""
        from mercer._data import prepare_plain
        from mercer._output import inverted

        model = self._model
        return inverted(model.inverse_transform(prepare_plain(self, X)), X)


class RowsMixin:
    """Learners that take rows."""

    _mercer_takes_rows = True

    def _prepare_fit(self, X):
        from mercer._data import prepare_rows

        other = self._no_rows(X)
        return prepare_rows(self, X, fitting=True) if other is None else (other, None)

    def _prepare(self, X, method):
        self._model  # raises where there is none yet
        from mercer._data import prepare_rows

        other = self._no_rows(X)
        return prepare_rows(self, X, fitting=False)[0] if other is None else other

    def _no_rows(self, X):
        """Strings, series or graphs, where a kernel or a metric takes them."""
        if not hasattr(self, "kernel") and not hasattr(self, "metric"):
            return None
        from mercer._structures import kind_of, prepared

        return prepared(X, kind_of(self))


class StringsMixin:
    """Learners that take strings."""

    def _prepare_fit(self, X):
        from mercer._data import prepare_strings

        return prepare_strings(self, X), None

    def _prepare(self, X, method):
        self._model
        return self._prepare_fit(X)[0]


class DensityMixin:
    """Samplers, which take a log density."""

    def _prepare_fit(self, X, dim=None, start=None, gradient=None, conditionals=None):
        from mercer._data import prepare_density

        return prepare_density(X, dim, start, gradient, conditionals), None

    def _prepare(self, X, method):
        samples = self.samples_
        if callable(X):
            return self._prepare_fit(X, dim=samples.shape[2])[0]
        return self._prepare_fit(X)[0]


class MdpMixin:
    """Planners, which take a decision process."""

    def _prepare_fit(self, X):
        from mercer._data import prepare_process

        return prepare_process(X), None

    def _prepare(self, X, method):
        self._model
        if method in ("verify", "report"):
            return self._prepare_fit(X)[0]
        from mercer._data import prepare_states

        return prepare_states(X)


__all__ = [name for name in dir() if name.endswith("Mixin")] + ["Estimator"]


class GroupsMixin:
    """Learners whose rows may come in groups: the queries of a ranking."""

    _groups = None

    def _fit(self, X, y=None, sample_weight=None, groups=None, **extra):
        if groups is None:
            return super()._fit(X, y, sample_weight, **extra)
        import numpy as np

        self.__dict__["_groups"] = np.unique(np.asarray(groups), return_inverse=True)[1].ravel().astype(np.uint32)
        try:
            return super()._fit(X, y, sample_weight, **extra)
        finally:
            del self.__dict__["_groups"]

    def _fit_options(self):
        return super()._fit_options() if self._groups is None else {"groups": self._groups}
