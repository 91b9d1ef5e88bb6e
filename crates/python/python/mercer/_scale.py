"""What scalers and expansions have beyond `fit` and `transform`, as scikit-learn has it."""

import itertools
import math
import warnings

from mercer._lazy import Lazy
from mercer._members import Available, when

np = Lazy("numpy")
_data = Lazy("mercer._data")
_output = Lazy("mercer._output")


class StatelessMixin:
    """Transformers that learn nothing: they transform without `fit`, too."""

    _requires_fit = False

    def __sklearn_is_fitted__(self):
        return True

    def transform(self, X, *arguments, **options):
        """Transform rows; nothing has to be learnt before."""
        if self.fitted:
            return super().transform(X, *arguments, **options)
        own = type(self)(**self.get_params(deep=False))
        own.__dict__.update({k: v for k, v in self.__dict__.items() if k == "_sklearn_output_config"})
        return own.fit(X).transform(X, *arguments, **options)


class ScalerMixin:
    """Scalers: what they cannot centre, and attributes that are None where nothing is learnt."""

    # What is None, by the switch that turns it off.
    _switched = {"mean_": "with_std", "var_": "with_std", "scale_": "with_std with_scaling", "center_": "with_centering"}

    def _prepare_fit(self, X):
        self._refuse_sparse(X)
        self._check_zeros(X)
        return super()._prepare_fit(X.toarray() if self._counts_zeros(X) else X)

    def _prepare(self, X, method):
        self._model
        self._refuse_sparse(X)
        return super()._prepare(X, method)

    def _counts_zeros(self, X):
        """Whether zeros of sparse rows are values like any other, so that the quantiles are those of dense rows."""
        return getattr(self, "ignore_implicit_zeros", None) is False and _data.is_sparse(X)

    def _check_zeros(self, X):
        ignores = getattr(self, "ignore_implicit_zeros", None)
        if ignores is None:
            return
        if _data.is_sparse(X):
            if not ignores and (X.tocsc().data < 0).any():
                raise ValueError("QuantileTransformer only accepts non-negative sparse matrices.")
        elif ignores:
            warnings.warn(
                "'ignore_implicit_zeros' takes effect only with sparse matrix. This parameter has no effect.",
                UserWarning,
                stacklevel=6,
            )

    def _stored(self, X, change):
        """Sparse rows whose stored values are changed as those of dense rows are."""
        self._check_zeros(X)
        made = X.tocsc().astype(np.float64 if X.dtype.kind != "f" else X.dtype)
        rows, columns = made.tocoo().row, np.repeat(np.arange(made.shape[1]), np.diff(made.indptr))
        made.data = np.asarray(change(made.toarray()))[rows, columns].astype(made.dtype)
        return made

    def _refuse_sparse(self, X):
        centres = next((n for n in ("with_mean", "with_centering") if getattr(self, n, False)), None)
        if centres is None or not _data.is_sparse(X):
            return
        verb = "pass" if centres == "with_mean" else "use"
        raise ValueError(
            f"Cannot center sparse matrices: {verb} `{centres}=False` instead. See docstring for motivation and alternatives."
        )

    def __getattr__(self, name):
        switches = self._switched.get(name, "").split()
        if "_model" in self.__dict__ and any(s in self.__dict__ for s in switches) and name not in self._model.attributes():
            return None
        return super().__getattr__(name)

    def transform(self, X, copy=None):
        """Scale rows; without `copy` the result is written to what was given, where it is of a type that holds it."""
        if self._counts_zeros(X):
            self._model
            return self._stored(X, super().transform)
        made = super().transform(X)
        if hasattr(self, "norm") and hasattr(made, "tocsr"):
            made = made.tocsr()
        copies = self.__dict__.get("copy", True) if copy is None else copy
        return made if copies or type(made) is not type(X) else _written(made, X)

    def _invert(self, X, copy=None):
        """The rows that would be scaled to these."""
        self._model
        self._refuse_sparse(X)
        shape = getattr(X, "shape", None)
        if shape is not None and len(shape) == 2:
            _data.check_width(self, shape[1])
        if self._counts_zeros(X):
            return self._stored(X, super().inverse_transform)
        return super().inverse_transform(X)

    _invert.__name__ = "inverse_transform"
    inverse_transform = Available(_invert, when("inverse"))


def _written(made, X):
    """A result in the memory of what was given, where that can hold it; else the result."""
    if _data.is_sparse(X):
        if X.format == made.format and X.dtype == made.dtype:
            X.data, X.indices, X.indptr = made.data, made.indices, made.indptr
            return X
        return made
    fits = X.dtype.kind == "f" or (made == np.round(made)).all()
    if X.shape != made.shape or not X.flags.writeable or not fits or X.dtype.kind not in "iuf":
        return made
    X[...] = made
    return X


class PartialMixin:
    """Scalers that learn from rows by parts."""

    @property
    def n_samples_seen_(self):
        """The number of rows seen, of each feature where values are missing."""
        seen = np.asarray(self._model.attributes()["n_samples_seen_"])
        if (seen == np.round(seen)).all():
            seen = seen.astype(np.int64)
        return seen.item() if seen.ndim == 0 else seen

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from more rows, as if they had come with those seen before.

        Returns
        -------
        self
        """
        if not self.fitted:
            return self._fit(X, y, sample_weight)
        self._prepare(X, "partial_fit")
        rows, weights = self._summary()
        names = self.__dict__.get("feature_names_in_")
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        more = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if _data.is_sparse(X):
            from scipy.sparse import csr_matrix, vstack

            rows = vstack([csr_matrix(rows), X]).tocsr()
        else:
            rows = np.vstack([rows, np.asarray(X, dtype=np.float64)])
        self._fit(rows, None, np.concatenate([weights, more]))
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _summary(self):
        """Rows and weights that stand for all rows seen: of each feature they have the same weight, and the same mean and
        variance, or the same extremes."""
        found = self._model.attributes()
        if "data_min_" in found:
            low, high = found["data_min_"], found["data_max_"]
        elif "max_abs_" in found:
            low = high = found["max_abs_"]
        else:
            middle = found.get("mean_", np.zeros(self._model.n_features))
            spread = np.sqrt(found["var_"]) if "var_" in found else 0.0
            low, high = middle - spread, middle + spread
        seen = np.broadcast_to(np.asarray(found["n_samples_seen_"], dtype=np.float64), low.shape)
        rows, weights, before = [np.empty((0, len(low)))], [np.empty(0)], 0.0
        # A feature of which fewer values were seen is missing in some of the rows.
        for weight in np.unique(seen[seen > 0]):
            kept = seen >= weight
            rows.append(np.where(kept, np.vstack([low, high]), np.nan))
            weights.append(np.full(2, (weight - before) / 2))
            before = weight
        return np.vstack(rows), np.concatenate(weights)


class BinsMixin:
    """Binning."""

    _door_meant = frozenset({"dtype"})

    @property
    def bin_edges_(self):
        """The edges of the bins of each feature, an array of arrays."""
        edges = self._model.attributes()["bin_edges_"]
        out = np.empty(len(edges), dtype=object)
        out[:] = edges
        return out

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float64, np.float32):
            from mercer._exceptions import invalid_parameter

            raise invalid_parameter(self, "dtype", "numpy.float32, numpy.float64 or None")
        made = super()._learn(fit, X, y, sample_weight, **extra)
        self._tell_merged()
        return made

    def _tell_merged(self):
        """Warns of bins that could not be told apart."""
        wanted = np.broadcast_to(np.asarray(self.n_bins), (self._model.n_features,))
        for j, (edges, n) in enumerate(zip(self.bin_edges_, wanted)):
            if len(edges) == 2 and np.isinf(edges).all():
                warnings.warn(f"Feature {j} is constant and will be replaced with 0.", UserWarning, stacklevel=6)
            elif 0 < len(edges) - 1 < n:
                warnings.warn(
                    f"Bins whose width are too small (i.e., <= 1e-8) in feature {j} are removed. Consider decreasing the "
                    "number of bins.",
                    UserWarning,
                    stacklevel=6,
                )

    def transform(self, X):
        """The bin of each value, as `encode` says, of type `dtype`."""
        model, dtype = self._model, self.dtype
        if dtype is None:
            dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        return _output.transformed(self, model.transform(self._prepare(X, "transform")), X, dtype=dtype)


class PolynomialMixin:
    """Products of features."""

    @staticmethod
    def _combinations(n_features, min_degree, max_degree, interaction_only, include_bias):
        """The features of each term."""
        choose = itertools.combinations if interaction_only else itertools.combinations_with_replacement
        start = max(1, min_degree)
        terms = itertools.chain.from_iterable(choose(range(n_features), k) for k in range(start, max_degree + 1))
        return itertools.chain([()], terms) if include_bias else terms

    @staticmethod
    def _num_combinations(n_features, min_degree, max_degree, interaction_only, include_bias):
        """The number of terms."""
        if interaction_only:
            low, high = max(1, min_degree), min(max_degree, n_features)
            count = sum(math.comb(n_features, k) for k in range(low, high + 1))
        else:
            count = math.comb(n_features + max_degree, max_degree) - 1
            if min_degree > 0:
                d = min_degree - 1
                count -= math.comb(n_features + d, d) - 1
        return count + bool(include_bias)

    def _degrees(self):
        degree = self.degree
        return (0, degree) if isinstance(degree, int) else tuple(degree)

    def _learn(self, fit, X, y=None, sample_weight=None, **extra):
        self._check_degrees(X)
        return super()._learn(fit, X, y, sample_weight, **extra)

    def _check_degrees(self, X):
        """scikit-learn's checks of `degree`, with its words."""
        degree = self.degree
        whole = isinstance(degree, int)
        if not whole and not (hasattr(degree, "__len__") and len(degree) == 2):
            raise ValueError(f"degree must be a non-negative int or tuple (min_degree, max_degree), got {degree}.")
        low, high = self._degrees()
        if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high):
            raise ValueError(
                "degree=(min_degree, max_degree) must be non-negative integers that fulfil min_degree <= max_degree, got "
                f"{degree}."
            )
        if high == 0 and not self.include_bias:
            what = "degree" if whole else "both min_degree and max_degree"
            raise ValueError(f"Setting {what} to zero and include_bias to False would result in an empty output array.")
        width = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
        terms = self._num_combinations(width, low, high, self.interaction_only, self.include_bias)
        if terms > np.iinfo(np.intp).max:
            raise ValueError(
                "The output that would result from the current configuration would have "
                f"{terms} features which is too large to be indexed by {np.intp().dtype.name}. Please change some or all of "
                f"the following:\n- The number of features in the input, currently n_features={width}\n- The range of "
                f"degrees to calculate, currently [{low}, {high}]\n- Whether to include only interaction terms, currently "
                f"{self.interaction_only}\n- Whether to include a bias term, currently {self.include_bias}."
            )

    @property
    def powers_(self):
        """The power of each feature in each term."""
        low, high = self._degrees()
        n = self._model.n_features
        terms = self._combinations(n, low, high, self.interaction_only, self.include_bias)
        return np.vstack([np.bincount(np.asarray(term, dtype=np.intp), minlength=n) for term in terms])


class SplineMixin:
    """Splines."""

    def _core_params(self):
        params = super()._core_params()
        if not isinstance(params["knots"], str):
            knots = np.asarray(params["knots"], dtype=np.float64)
            params.update(knots="uniform", n_knots=len(knots), knot_positions=knots.T.tolist())
        return params

    def _prepare_fit(self, X):
        self._check_knots(X)
        return super()._prepare_fit(X)

    def _prepare(self, X, method):
        self._model
        self._refuse_missing(X)
        rows = super()._prepare(X, method)
        if self.extrapolation == "error" and method == "transform":
            knots, k = self._model.attributes()["knots_"], self.degree
            values = rows if isinstance(rows, np.ndarray) else rows[1]
            if getattr(values, "ndim", 0) == 2:
                low, high = knots[:, k], knots[:, -k - 1] if k else knots[:, -1]
                if ((values < low) | (values > high)).any():
                    raise ValueError("`X` contains values beyond the limits of the knots.")
        return rows

    def _check_knots(self, X):
        """scikit-learn's checks of the knots, with its words."""
        self._refuse_missing(X)
        n_knots = self.n_knots
        if not isinstance(self.knots, str):
            knots = np.asarray(self.knots, dtype=np.float64)
            n_knots = len(knots)
            if n_knots < 2:
                raise ValueError("Number of knots, knots.shape[0], must be >= 2.")
            if knots.ndim != 2 or knots.shape[1] != np.shape(X)[1]:
                raise ValueError("knots.shape[1] == n_features is violated.")
            if not (np.diff(knots, axis=0) > 0).all():
                raise ValueError("knots must be sorted without duplicates.")
        if self.extrapolation == "periodic" and n_knots <= self.degree:
            raise ValueError(
                f"Periodic splines require degree < n_knots. Got n_knots={n_knots} and degree={self.degree}."
            )

    def _refuse_missing(self, X):
        if self.handle_missing != "error" or getattr(getattr(X, "dtype", None), "kind", "") != "f":
            return
        if np.isnan(X).any():
            raise ValueError(
                "Input X contains NaN values and `SplineTransformer` is configured to error in this case "
                "(handle_missing='error'). To avoid this error, set handle_missing='zeros' to encode missing values as "
                "splines with value 0 or ensure no missing values in X."
            )

    @property
    def bsplines_(self):
        """The splines of each feature, as SciPy's objects."""
        from scipy.interpolate import BSpline

        knots = self._model.attributes()["knots_"]
        width = knots.shape[1] - self.degree - 1
        periodic = self.extrapolation == "periodic"
        whole = np.eye(width)
        if periodic:
            n = width - self.degree
            whole = np.concatenate([np.eye(n), np.eye(n)[: self.degree]])
        extrapolate = "periodic" if periodic else self.extrapolation == "continue"
        return [BSpline.construct_fast(own, whole, self.degree, extrapolate=extrapolate) for own in knots]
