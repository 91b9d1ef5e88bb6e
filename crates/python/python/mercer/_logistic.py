"""Logistic regressions and linear machines: scikit-learn's rules and words, starts where the last fit ended, folds and scorers
of the user's."""

from __future__ import annotations

import functools
import numbers
import warnings

from mercer import _mercer
from mercer._exceptions import convergence_warning


# Coefficients


class CoefMixin:
    """Linear models whose coefficients can be shown sparse, and that can begin where the last fit ended."""

    def sparsify(self):
        """Show `coef_` as a sparse matrix; predictions are the same.

        Returns
        -------
        self
        """
        from scipy.sparse import csr_matrix

        self._model
        if "coef_" not in self.__dict__:
            self.__dict__["coef_"] = csr_matrix(self.coef_)
        return self

    def densify(self):
        """Show `coef_` as an array again.

        Returns
        -------
        self
        """
        self._model
        self.__dict__.pop("coef_", None)
        return self

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        start = self._start(X, y)
        if start is not None and fit is _mercer.fit:
            fit = functools.partial(fit, start=start)
        self.__dict__.pop("coef_", None)
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _start(self, X, y):
        """Coefficients, score by score, then intercepts to begin with; None begins anew."""
        if not (getattr(self, "warm_start", False) and self.fitted):
            return None
        return _as_start(self._model.attributes()["coef_"], self._model.attributes()["intercept_"])


def _as_start(coef, intercept):
    import numpy as np

    coef = np.atleast_2d(np.ascontiguousarray(coef, dtype=np.float64))
    # A class that did not occur has no score, and none to begin with.
    intercept = np.array(np.atleast_1d(intercept), dtype=np.float64)
    intercept[intercept <= -1e299] = 0.0
    return [*coef.ravel().tolist(), *intercept.tolist()]


# Logistic regression


_SPELLINGS = "lbfgs liblinear newton-cg newton-cholesky sag saga".split()
_UNFINISHED = {
    "lbfgs": "lbfgs failed to converge after {n} iteration(s)",
    "newton-cg": "newton-cg failed to converge. Increase the number of iterations",
    "newton-cholesky": "Newton solver did not converge after {n} iterations",
    "liblinear": "Liblinear failed to converge, increase the number of iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}


def _spelt(solver):
    """A solver as scikit-learn spells it."""
    return solver.replace("_", "-") if isinstance(solver, str) else solver


class _SolverRules:
    """What both logistic regressions say of their solvers."""

    _door_meant = frozenset({"dual"})

    def _core_params(self):
        params = super()._core_params()
        if params["solver"] in _SPELLINGS:
            params["solver"] = params["solver"].replace("-", "_")
        return params

    def _check_solver(self, penalty):
        """Refuses what does not go together, in scikit-learn's words. `penalty` is l1, l2, elasticnet or None."""
        solver = _spelt(self.solver)
        if solver in ("newton-cg", "newton-cholesky", "sag") and penalty not in ("l2", None):
            raise ValueError(f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty.")
        if self.dual and solver != "liblinear":
            raise ValueError(f"Solver {solver} supports only dual=False, got dual={self.dual}")
        if solver != "liblinear":
            return
        if penalty == "elasticnet":
            raise ValueError("Only 'saga' solver supports elasticnet penalty, got solver=liblinear.")
        if penalty is None:
            raise ValueError("C=np.inf as well as penalty=None is not supported for the liblinear solver")

    def _refused(self, y):
        """The exception in scikit-learn's words where the classes are too few or too many; None for another reason."""
        import numpy as np

        classes = np.unique(np.asarray(y))
        if len(classes) == 1:
            return ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{classes[0]!r}"
            )
        if len(classes) > 2 and self.solver == "liblinear":
            return ValueError(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use another "
                "solver or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest scheme."
            )
        return None

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if self.solver == "liblinear":
            _check_size(X)
        try:
            rows = super()._learn(fit, X, y, sample_weight, **extra)
        except (TypeError, ValueError) as error:
            refused = self._refused(y) if y is not None and "class" in str(error) else None
            if refused is None:
                raise
            raise refused from error
        if self.solver == "liblinear":
            # LIBLINEAR has double coefficients of single rows, too.
            self.__dict__["_single"] = False
        return rows

    def _warn_unless_converged(self, model):
        shortfall = model.certificate()["shortfall"]
        if shortfall is None:
            return
        words = _UNFINISHED.get(_spelt(self.solver))
        told = f"{type(self).__name__} {shortfall}; see `certificate_`."
        if words is not None:
            told = f"{words.format(n=model.certificate()['iterations'])}. {told}"
        warnings.warn(told, convergence_warning(), stacklevel=6)


def _check_size(X):
    """LIBLINEAR's limit of the size of a value."""
    import numpy as np

    values = getattr(X, "data", X) if hasattr(X, "tocsr") else X
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or not values.size:
        return
    if np.max(values) > 1e30:
        raise ValueError(
            "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please choose "
            "another solver or rescale the input X."
        )


class LogisticMixin(CoefMixin, _SolverRules):
    """Logistic regression under scikit-learn's rules."""

    def _core_params(self):
        params = super()._core_params()
        if params["l1_ratio"] is None:
            params["l1_ratio"] = 0.0
        return params

    def _penalty(self):
        """The penalty by scikit-learn's word for what `penalty`, `l1_ratio` and `C` make together."""
        if self.penalty is None or self.C == float("inf"):
            return None
        if self.penalty == "l1" or self.l1_ratio in (0, 1, None):
            return "l1" if self.penalty == "l1" or self.l1_ratio == 1 else "l2"
        return "elasticnet"

    def _fit(self, X, y=None, sample_weight=None, **extra):
        if self.l1_ratio is None:
            if self.penalty == "elasticnet":
                raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
            warnings.warn(
                "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. Use 0<=l1_ratio<=1 instead.",
                FutureWarning,
                stacklevel=3,
            )
        if isinstance(self.solver, str):
            self._check_solver(self._penalty())
        if self.penalty == "l1" and self.l1_ratio is not None and 0 < self.l1_ratio < 1:
            warnings.warn(
                "l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty=l1)", UserWarning, stacklevel=3
            )
        if self.penalty is None and self.C != 1.0:
            message = "Setting penalty=None will ignore the C and l1_ratio parameters"
            warnings.warn(message, UserWarning, stacklevel=3)
        return super()._fit(X, y, sample_weight, **extra)

    def _start(self, X, y):
        # LIBLINEAR begins anew, in scikit-learn, too.
        return None if self.solver == "liblinear" else super()._start(X, y)


# Choice among many


_LEGACY = ("C_", "l1_ratio_", "scores_", "coefs_paths_", "n_iter_")


class LogisticCvMixin(_SolverRules):
    """The choice of a penalty. Folds of a number and scores by name are the compiled part's; splitters, iterables, functions
    and routed parameters are asked here, and the compiled part fits the paths of all folds side by side."""

    _door_meant = frozenset({"dual", "use_legacy_attributes"})

    def _core_params(self):
        params = super()._core_params()
        if params["cv"] is not None and not _is_number(params["cv"]):
            params["cv"] = None
        if params["scoring"] is not None and not isinstance(params["scoring"], str):
            params["scoring"] = None
        for name in ("Cs", "l1_ratios"):
            if params[name] is not None and not isinstance(params[name], (numbers.Number, str)):
                params[name] = [float(v) for v in params[name]]
        return params

    def _penalty(self):
        shares = None if self.l1_ratios is None else [float(v) for v in self.l1_ratios]
        if self.penalty is None:
            return None
        if shares is None:
            return self.penalty
        return {(0.0,): "l2", (1.0,): "l1"}.get(tuple(sorted(set(shares))), "elasticnet")

    def _check_shares(self):
        if self.penalty == "elasticnet" or self.l1_ratios is not None:
            given = self.l1_ratios
            good = given is not None and len(given) > 0
            good = good and all(isinstance(v, numbers.Number) and 0 <= v <= 1 for v in given)
            if not good:
                raise ValueError(f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r})")

    def _searches(self, params):
        """Whether folds or scores are such that only Python knows them."""
        from mercer import _routing

        foreign = self.cv is not None and not _is_number(self.cv)
        return foreign or bool(params) or _routing.is_on() or _is_function(self.scoring)

    def _fit(self, X, y=None, sample_weight=None, **params):
        self._refuse_extra("fit", params)
        if isinstance(self.solver, str):
            self._check_shares()
            self._check_solver(self._penalty())
        self.__dict__.pop("_classes_seen", None)
        if not self._searches(params):
            return super()._fit(X, y, sample_weight)
        self._learn(self._search(X, y, sample_weight, params), X, y, sample_weight)
        return self

    def _search(self, X, y, sample_weight, params):
        """What stands in for the compiled `fit`: folds and scores from here, paths and the last fit from there."""
        import numpy as np

        from mercer.model_selection import check_cv

        cv = check_cv(self.cv, y, classifier=True)
        split_params, score_params = self._routed(cv, sample_weight, params)
        scorer = self._scorer()

        def fit(name, settings, x, target, weights, **session):
            pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(X, y, **split_params)]
            as_rows = [np.flatnonzero(p[0]) if p[0].dtype == bool else p[0] for p in pairs]
            trains = [[int(i) for i in rows] for rows in as_rows]
            found = _mercer.logistic_folds(settings, x, target, weights, trains, **session)
            scores = self._score_all(found, pairs, scorer, X, y, score_params)
            return found.conclude(scores, x, target, weights)

        return fit

    def _score_all(self, found, pairs, scorer, X, y, score_params):
        from mercer._rows import take
        from mercer.linear_model import LogisticRegression

        each = len(found) // max(1, len(pairs))
        scores = []
        scorer = _of_all_classes(scorer, y)
        for fold, (_, test) in enumerate(pairs):
            part, truth = take(X, test), take(y, test)
            given = {k: take(v, test) if _is_by_row(v, y) else v for k, v in score_params.items()}
            for at in range(each):
                one = LogisticRegression(solver=self.solver)
                one._adopt(found.model(fold * each + at), getattr(part, "columns", None))
                scores.append(float(scorer(one, part, truth, **given)))
        return scores

    def _routed(self, cv, sample_weight, params):
        """Parameters of the splitter and of the scorer."""
        from mercer import _routing

        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if not _routing.is_on():
            return {}, weights
        from sklearn.utils.metadata_routing import process_routing

        found = process_routing(self, "fit", **weights, **params)
        return found.splitter.split, found.scorer.score

    def get_metadata_routing(self):
        """scikit-learn's router to the splitter and the scorer."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        splits = MethodMapping().add(caller="fit", callee="split")
        scores = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        from sklearn.utils._metadata_requests import MetadataRequest

        # The fits themselves take weights.
        own = MetadataRequest(owner=self)
        own.fit.add_request(param="sample_weight", alias=True)
        router = MetadataRouter(owner=self).add_self_request(own)
        return router.add(splitter=self.cv, method_mapping=splits).add(scorer=self._scorer(), method_mapping=scores)

    def _scorer(self):
        from mercer.metrics import get_scorer

        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def _refuse_extra(self, method, params):
        from mercer import _routing

        if params and not _routing.is_on():
            raise ValueError(
                f"Passing extra keyword arguments to {type(self).__name__}.{method} is only supported if "
                "enable_metadata_routing=True, which you can set using `sklearn.set_config`. Extra parameters passed are: "
                f"{set(params)}"
            )

    def score(self, X, y, sample_weight=None, **score_params):
        """The score by `scoring` on some rows; accuracy where it is none."""
        from mercer import _routing

        self._refuse_extra("score", score_params)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if _routing.is_on():
            from sklearn.utils.metadata_routing import process_routing

            weights = process_routing(self, "score", **weights, **score_params).scorer["score"]
        return self._scorer()(self, X, y, **weights)

    def __getattr__(self, name):
        value = super().__getattr__(name)
        if name in ("C_", "l1_ratio_") and not self.use_legacy_attributes:
            return float(value)
        if name in _LEGACY and self.use_legacy_attributes:
            return self._legacy(name, value)
        return value

    def _legacy(self, name, value):
        """An attribute in the layout that scikit-learn had before 1.10: by class, shares last where there are some."""
        import numpy as np

        rows = self._model.attributes()["coef_"].shape[0]
        if name in ("C_", "l1_ratio_"):
            return np.full(rows, float(value))
        several = self.l1_ratios is not None
        # folds × shares × strengths becomes folds × strengths × shares.
        turned = np.moveaxis(np.asarray(value), 1, 2)
        turned = turned if several else turned[:, :, 0]
        if name == "n_iter_":
            return turned[None]
        labels = self.classes_[-rows:] if rows == 1 else self.classes_
        if name == "scores_":
            return {label: turned.copy() for label in labels.tolist()}
        axis = 3 if several else 2
        return {label: np.take(turned, k, axis=axis) for k, label in enumerate(labels.tolist())}


def _of_all_classes(scorer, y):
    """A scorer that is told all classes, where it asks for them: the rows held out may lack some."""
    import inspect

    import numpy as np

    from mercer._scoring import Scorer

    function = getattr(scorer, "_score_func", None)
    asked = inspect.signature(function).parameters if function is not None else {}
    if "labels" not in asked:
        return scorer
    classes = np.unique(np.asarray(y))
    told = {"labels": classes, **({"pos_label": classes[-1]} if len(classes) <= 2 and "pos_label" in asked else {})}
    return Scorer(
        function, scorer._sign, {**told, **getattr(scorer, "_kwargs", {})}, response_method=scorer._response_method
    )


def _is_number(cv):
    return isinstance(cv, numbers.Integral) and not isinstance(cv, bool)


def _is_function(scoring):
    if scoring is None or callable(scoring):
        return callable(scoring)
    from mercer.metrics import get_scorer

    # A name that the compiled part does not know.
    return isinstance(scoring, str) and getattr(get_scorer(scoring), "metric", None) is None


def _is_by_row(value, y):
    return hasattr(value, "__len__") and not isinstance(value, str) and len(value) == len(y)


# Linear machines


class MachineMixin(CoefMixin):
    """Linear support vector machines under LIBLINEAR's rules."""

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_form()
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _check_form(self):
        penalty, loss, dual = getattr(self, "penalty", "l2"), self.loss, self.dual
        if getattr(self, "multi_class", "ovr") == "crammer_singer" or not isinstance(dual, bool):
            bad = (penalty, loss) == ("l1", "hinge")
        else:
            bad = (penalty, loss) == ("l1", "hinge") or (penalty, dual) == ("l1", True)
            bad = bad or not dual and loss in ("hinge", "epsilon_insensitive")
        if bad and getattr(self, "multi_class", "ovr") != "crammer_singer":
            raise ValueError(
                "Unsupported set of arguments: The combination of "
                f"penalty={penalty!r} and loss={loss!r} is not supported, Parameters: penalty={penalty!r}, loss={loss!r}, "
                f"dual={dual}"
            )

    def _warn_unless_converged(self, model):
        shortfall = model.certificate()["shortfall"]
        if shortfall is not None:
            told = f"Liblinear failed to converge, increase the number of iterations. {type(self).__name__} {shortfall}"
            warnings.warn(f"{told}; see `certificate_`.", convergence_warning(), stacklevel=6)


def l1_min_c(X, y, *, loss="squared_hinge", fit_intercept=True, intercept_scaling=1.0):
    """The lowest `C` at which a machine or a logistic regression with an L1 penalty has a coefficient that is not zero.

    Parameters
    ----------
    X : rows
    y : their classes
    loss : {"squared_hinge", "log"}, default="squared_hinge"
    fit_intercept : bool, default=True
        Whether the intercept, which is penalised, too, counts as a coefficient.
    intercept_scaling : float, default=1.0
        The constant feature whose coefficient the intercept is.

    Returns
    -------
    float
    """
    import numpy as np

    from mercer._checks import is_sparse

    if loss not in ("squared_hinge", "log"):
        raise ValueError(f"The 'loss' parameter of l1_min_c must be a str among {{'squared_hinge', 'log'}}. Got {loss!r} instead.")
    rows = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if rows.shape[0] != len(codes):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.shape[0]}, {len(codes)}]")
    which = [len(classes) - 1] if len(classes) <= 2 else range(len(classes))
    signs = np.array([np.where(codes == k, 1.0, -1.0) for k in which])
    steepest = np.abs(rows.T @ signs.T).max()
    if fit_intercept:
        steepest = max(steepest, intercept_scaling * np.abs(signs.sum(axis=1)).max())
    if steepest == 0.0:
        raise ValueError("Ill-posed l1_min_c calculation: l1 will always select zero coefficients for this data")
    return (0.5 if loss == "squared_hinge" else 2.0) / steepest
