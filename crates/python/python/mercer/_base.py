"""The base of every estimator: constructors only store, `fit` asks the compiled part, everything learnt lies in one
frozen model. Nothing here imports NumPy or scikit-learn before it is needed."""

from mercer import _mercer
from mercer._exceptions import convergence_warning, not_fitted

_SESSION = ("random_state", "n_jobs", "verbose")
_SIGNATURES = {}
# They change how scikit-learn computes, not what.
_HARMLESS = frozenset(
    "copy copy_x copy_X memory precompute warm_start power_iteration_normalizer store_cv_results".split()
)


# They change the type and the names of what comes out, which nobody sees inside of a whole.
_COSMETIC = frozenset({"dtype", "feature_name_combiner"})


def _same(value, default):
    if value is default or value != value and default != default:
        return True
    return isinstance(value, (bool, int, float, str)) and value == default


def is_plain(estimator):
    """Whether what comes out of a transformer has the types and names that the compiled part gives it."""
    door = estimator._mercer_door
    return all(_same(getattr(estimator, name), door[name]) for name in _COSMETIC if name in door)


def parameter_names(cls):
    """The names of the constructor's parameters, in their order."""
    names = _SIGNATURES.get(cls)
    if names is None:
        code = cls.__init__.__code__
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        _SIGNATURES[cls] = names
    return names


def seed_of(random_state):
    """A seed from what scikit-learn calls `random_state`."""
    if random_state is None:
        return 0
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**31 - 1))
    seed = int(random_state)
    if seed < 0:
        raise ValueError(f"`random_state` must be at least 0, got {seed}")
    return seed


def threads_of(n_jobs):
    """A number of threads from what scikit-learn calls `n_jobs`; 0 means the default."""
    if n_jobs is None:
        return 0
    if n_jobs < 0:
        import os

        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    if n_jobs == 0:
        raise ValueError("`n_jobs` must not be 0")
    return int(n_jobs)


class Estimator:
    """What all estimators share."""

    _mercer_name = ""
    _mercer_task = ""
    _mercer_can = frozenset()
    # What the class takes for scikit-learn's sake alone, with the defaults; and what of it this class gives a meaning.
    _mercer_door = {}
    _door_meant = frozenset()
    _requires_fit = True
    # scikit-learn's classes list what their parameters may be; subclasses written for them extend the list.
    _parameter_constraints: dict = {}
    _keeps_dtype = True

    # Parameters

    def get_params(self, deep=True):
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list the parameters of nested estimators, too, as ``name__parameter``.

        Returns
        -------
        dict
        """
        params = {}
        for name in parameter_names(type(self)):
            value = getattr(self, name)
            params[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def set_params(self, **params):
        """Set parameters by name; nested ones as ``name__parameter``.

        Returns
        -------
        self
        """
        if not params:
            return self
        known = self.get_params(deep=True)
        nested = {}
        for path, value in params.items():
            name, _, rest = path.partition("__")
            if name not in known:
                valid = list(parameter_names(type(self)))
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {valid!r}.")
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                self._set_param(name, value)
                known[name] = value
        for name, inner in nested.items():
            known[name].set_params(**inner)
        return self

    def _set_param(self, name, value):
        setattr(self, name, value)

    def _core_params(self):
        """The parameters that the compiled part takes: those of Mercer's class, to which subclasses may add their own."""
        ours = parameter_names(next(c for c in type(self).__mro__ if c.__module__.startswith("mercer.")))
        return {n: getattr(self, n) for n in ours if n not in _SESSION and n not in self._mercer_door}

    def _fit_options(self):
        """What the compiled part takes beside rows, target and weights."""
        return {}

    def _fit_params(self, X):
        """The parameters for the compiled part, where they depend on the rows."""
        return self._core_params()

    def _levels_wanted(self, X):
        """Which columns are to be read as categories while learning; None leaves it to their types."""
        return None

    def _is_pairwise(self):
        """Whether rows are distances or kernels of all pairs, of which the columns are taken with the rows."""
        return False

    def _depends_on_rows(self):
        """Whether the compiled part can be given the parameters only together with the rows."""
        return False

    def _check_door(self):
        """Refuses what would be ignored: a parameter that is there for scikit-learn's sake, and has no meaning here."""
        for name, default in self._mercer_door.items():
            value = getattr(self, name)
            if name not in _HARMLESS and name not in self._door_meant and not _same(value, default):
                raise NotImplementedError(f"`{name}={value!r}` of {type(self).__name__}: only {default!r} is supported")

    def __setattr__(self, name, value):
        if name.endswith("_") and not name.startswith("_") and name in self._learnt():
            raise AttributeError(f"{name!r} of {type(self).__name__} is part of the fitted model and cannot be set")
        object.__setattr__(self, name, value)

    def _learnt(self):
        """The names of what the fitted model tells."""
        model = self.__dict__.get("_model")
        if model is None:
            return ()
        return (*model.attributes(), "certificate_", "classes_", "n_features_in_")

    def _mercer_spec(self):
        """Name and parameters, as the compiled part takes a nested learner; refused where that would change the meaning."""
        for name in parameter_names(type(self)):
            value, default = getattr(self, name), self._mercer_door.get(name)
            ours = isinstance(value, (Estimator, type))
            foreign = not ours and (callable(value) or hasattr(value, "fit"))
            if foreign or name in self._mercer_door and name not in _HARMLESS | _COSMETIC and not _same(value, default):
                raise TypeError(
                    f"`{name}={value!r}` of {type(self).__name__} works for it alone, not inside of a compiled whole"
                )
        return self._mercer_name, self._core_params()

    # Learning

    def _fit(self, X, y=None, sample_weight=None, **extra):
        """Learn. Whatever goes wrong on the way, the estimator stays as it was."""
        self._learn(_mercer.fit, X, y, sample_weight, **extra)
        return self

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        """Learn by `fit` or `fit_transform` of the compiled part; what comes back beside the model is returned."""
        if self._mercer_door:
            self._check_door()
        x, names = self._prepare_fit(X, **extra)
        target, dtype = self._prepare_target(y, x)
        weights = None
        if sample_weight is not None:
            from mercer._target import prepare_weights

            weights = prepare_weights(sample_weight, x)
        made = fit(
            self._mercer_name,
            self._fit_params(X),
            x,
            target,
            weights,
            seed=self._seed(),
            threads=threads_of(getattr(self, "n_jobs", None)),
            verbose=bool(getattr(self, "verbose", 0)),
            dtype=dtype,
            **self._fit_options(),
        )
        model, rows = made if isinstance(made, tuple) else (made, None)
        self._model = model
        # Coefficients of single rows are single, as in scikit-learn.
        self.__dict__["_single"] = getattr(getattr(X, "dtype", None), "name", None) == "float32"
        if names is not None:
            self.feature_names_in_ = names
        else:
            self.__dict__.pop("feature_names_in_", None)
        self._warn_unless_converged(model)
        return rows

    def _seed(self):
        return seed_of(getattr(self, "random_state", None))

    def _prepare_target(self, y, x):
        from mercer._target import prepare_any_target, prepare_target

        if self._mercer_task not in ("Classification", "Regression"):
            return prepare_any_target(self, y, x) if "supervised" in self._mercer_can else (None, None)

        return prepare_target(self, y, x)

    def _warn_unless_converged(self, model):
        shortfall = model.certificate()["shortfall"]
        if shortfall is not None:
            import warnings

            message = f"{type(self).__name__} {shortfall}; see `certificate_`."
            warnings.warn(message, convergence_warning(), stacklevel=4)

    @property
    def fitted(self):
        """Whether `fit` has been called."""
        return "_model" in self.__dict__

    def __sklearn_is_fitted__(self):
        return self.fitted

    def _adopt(self, model, names=None):
        """Become the estimator that learnt a model, as a step of a compiled whole does."""
        for name in ("_whole", "_tree", "_parts", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self.__dict__["_model"] = model
        if names is not None:
            self.__dict__["feature_names_in_"] = names

    # What was learnt

    def __getattr__(self, name):
        model = self.__dict__.get("_model")
        if name == "_model" or (model is None and isinstance(getattr(type(self), name, None), property)):
            raise not_fitted(self)
        if model is not None and name.endswith("_") and not name.startswith("_"):
            attributes = model.attributes()
            if name == "vocabulary_" and name in attributes:
                # The compiled part keeps terms in the order of their columns; scikit-learn's users look columns up.
                return {term: column for column, term in enumerate(attributes[name].tolist())}
            if name in attributes:
                single = name in ("coef_", "intercept_") and self.__dict__.get("_single")
                return attributes[name].astype("float32") if single and hasattr(attributes[name], "astype") else attributes[name]
            if name == "certificate_":
                from mercer._certificate import Certificate

                return Certificate(model.certificate())
            if name == "n_features_in_" and model.n_features:
                return model.n_features
            if name == "classes_" and model.classes is not None:
                return model.classes
            if name == "n_iter_" and hasattr(self, "max_iter"):
                # A closed form counts as one iteration.
                return model.certificate()["iterations"] or 1
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self):
        names = set(super().__dir__())
        model = self.__dict__.get("_model")
        if model is not None:
            names.update(model.attributes(), ("certificate_", "n_features_in_"))
            names.update(("classes_",) if model.classes is not None else ())
        return sorted(names)

    def verify(self, X, y=None, sample_weight=None):
        """Recompute each piece of evidence of the certificate from data.

        Returns
        -------
        list of Verified
            Each with ``name``, ``claimed``, ``found`` and ``holds``.
        """
        from mercer._certificate import Verified

        x = self._prepare(X, "verify")
        target = weights = None
        if y is not None and (self._mercer_task in ("Classification", "Regression") or "supervised" in self._mercer_can):
            from mercer._target import prepare_any_target, prepare_known_target

            if self._mercer_task in ("Classification", "Regression"):
                target = prepare_known_target(self, y, self._model, x)
            else:
                target = prepare_any_target(self, y, x)[0]
        if sample_weight is not None:
            from mercer._target import prepare_weights

            weights = prepare_weights(sample_weight, x)
        return [Verified(*one) for one in self._model.verify(x, target, weights)]

    def save(self, path):
        """Write the fitted model to a file that :func:`mercer.load`, the command line and Rust can read.

        Parameters
        ----------
        path : str or path-like
        """
        self._model.save(path)

    # scikit-learn

    def __sklearn_tags__(self):
        from mercer._sklearn import tags

        return tags(self)

    # Looks

    def __repr__(self, N_CHAR_MAX=None):
        from mercer._show import text

        return text(self)

    def _repr_html_(self):
        from mercer._show import html

        return html(self)

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __getstate__(self):
        # What is made of the model when it is asked for can be made again.
        return {name: value for name, value in self.__dict__.items() if name not in ("_tree", "_parts")}

    def __setstate__(self, state):
        self.__dict__.update(state)
