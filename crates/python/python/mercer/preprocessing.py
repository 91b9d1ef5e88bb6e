# Written by `cargo xtask python` from the catalogue; do not edit.
"""StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, DecimalScaler, LogScaler, Normalizer, QuantileTransformer, PowerTransformer, Binarizer, KBinsDiscretizer, PolynomialFeatures, SplineTransformer, OneHotEncoder, OrdinalEncoder, TargetEncoder, DateFeatures, SelectColumns."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._encode import EncoderMixin, TargetEncoderMixin
from mercer._mixins import InverseMixin, RowsMixin, TransformerMixin
from mercer._scale import BinsMixin, PartialMixin, PolynomialMixin, ScalerMixin, SplineMixin, StatelessMixin

__all__ = [
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "DecimalScaler",
    "LogScaler",
    "Normalizer",
    "QuantileTransformer",
    "PowerTransformer",
    "Binarizer",
    "KBinsDiscretizer",
    "PolynomialFeatures",
    "SplineTransformer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "TargetEncoder",
    "DateFeatures",
    "SelectColumns",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class StandardScaler(PartialMixin, ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Standardisation: each numeric feature to mean 0 and standard deviation 1; other columns pass through.

    Parameters
    ----------
    with_mean : true or false, default=True
        Whether to subtract the mean; not possible on sparse rows.
    with_std : true or false, default=True
        Whether to divide by the standard deviation.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Chan, Golub, LeVeque. Updating formulae and a pairwise algorithm for computing sample variances. 1979.
    """

    _mercer_name = "StandardScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "by_sums"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        with_mean: bool = True,
        *,
        with_std: bool = True,
        copy: Any = True,
    ) -> None:
        self.with_mean = with_mean
        self.with_std = with_std
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> StandardScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class MinMaxScaler(PartialMixin, ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Min-max normalisation: each numeric feature to a given range; other columns pass through.

    Parameters
    ----------
    feature_range : list of number in (-inf, inf), default=(0.0, 1.0)
        The range that features are mapped to: its lower and its upper end.
    clip : true or false, default=False
        Whether values beyond those of training are moved to the nearer end of the range.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Han, Kamber, Pei. Data Mining: Concepts and Techniques, 3rd ed. 2012.
    """

    _mercer_name = "MinMaxScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "missing", "categorical", "text", "by_sums"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        feature_range: Sequence[float] = (0.0, 1.0),
        *,
        clip: bool = False,
        copy: Any = True,
    ) -> None:
        self.feature_range = feature_range
        self.clip = clip
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MinMaxScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class MaxAbsScaler(PartialMixin, ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Scaling by the largest absolute value: each numeric feature into [-1, 1]; other columns pass through.

    Parameters
    ----------
    clip : true or false, default=False
        Whether values beyond those of training are moved to the nearer end of [-1, 1].
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011.
    """

    _mercer_name = "MaxAbsScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "by_sums"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        clip: bool = False,
        *,
        copy: Any = True,
    ) -> None:
        self.clip = clip
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MaxAbsScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class RobustScaler(ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Robust scaling: each numeric feature by its median and quantile range; other columns pass through.

    Parameters
    ----------
    with_centering : true or false, default=True
        Whether to subtract the median; not possible on sparse rows.
    with_scaling : true or false, default=True
        Whether to divide by the quantile range.
    quantile_range : list of number in [0, 100], default=(25.0, 75.0)
        The two percentiles between which the range is taken.
    unit_variance : true or false, default=False
        Whether normal data come out with variance 1.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Hyndman, Fan. Sample quantiles in statistical packages. The American Statistician 50(4), 1996.
    """

    _mercer_name = "RobustScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        with_centering: bool = True,
        *,
        with_scaling: bool = True,
        quantile_range: Sequence[float] = (25.0, 75.0),
        unit_variance: bool = False,
        copy: Any = True,
    ) -> None:
        self.with_centering = with_centering
        self.with_scaling = with_scaling
        self.quantile_range = quantile_range
        self.unit_variance = unit_variance
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> RobustScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class DecimalScaler(TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Decimal scaling: each numeric feature times a power of ten, into (-1, 1); other columns pass through.

    Parameters
    ----------
    absolute : true or false, default=False
        Whether absolute values are scaled, so that signs are lost and nothing can be undone.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Han, Kamber, Pei. Data Mining: Concepts and Techniques, 3rd ed. 2012.
    """

    _mercer_name = "DecimalScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "by_sums"})

    def __init__(
        self,
        absolute: bool = False,
    ) -> None:
        self.absolute = absolute

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DecimalScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class LogScaler(TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Logarithmic scaling: each numeric feature by its logarithm; other columns pass through.

    Parameters
    ----------
    method : log | log1p | signed, default="signed"
        Which logarithm: log (values above 0), log1p (values from 0) or signed (all values).
    base : number in (1, inf), default=2.718281828459045
        The base of the logarithm.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Tukey. Exploratory Data Analysis. Addison-Wesley, 1977.
    """

    _mercer_name = "LogScaler"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "by_sums"})

    def __init__(
        self,
        method: Literal["log", "log1p", "signed"] = "signed",
        *,
        base: float = 2.718281828459045,
    ) -> None:
        self.method = method
        self.base = base

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LogScaler:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class Normalizer(StatelessMixin, ScalerMixin, TransformerMixin, RowsMixin, Estimator):
    """Unit norm: each row divided by its norm; columns that are no numbers pass through.

    Parameters
    ----------
    norm : l1 | l2 | max, default="l2"
        The norm: l1, l2 or max.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Salton, McGill. Introduction to Modern Information Retrieval. McGraw-Hill, 1983.
    """

    _mercer_name = "Normalizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse", "categorical", "text", "by_sums"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        norm: Literal["l1", "l2", "max"] = "l2",
        *,
        copy: Any = True,
    ) -> None:
        self.norm = norm
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Normalizer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class QuantileTransformer(ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Quantile transformation: each numeric feature to a uniform or normal distribution; other columns pass through.

    Parameters
    ----------
    n_quantiles : integer in [1, 1000000], default=1000
        Number of quantiles kept; no more than there are rows.
    output_distribution : uniform | normal, default="uniform"
        The distribution of the result.
    ignore_implicit_zeros : true or false, default=False
        Whether quantiles of sparse rows are those of the stored values; sparse rows are taken only so.
    subsample : integer or none in [1, inf), default=10000
        Number of rows that quantiles are computed from, at most; none means all.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Bolstad et al. A comparison of normalization methods. Bioinformatics 19(2), 2003.
    """

    _mercer_name = "QuantileTransformer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "sparse", "missing", "categorical", "text", "random"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        n_quantiles: int = 1000,
        *,
        output_distribution: Literal["uniform", "normal"] = "uniform",
        ignore_implicit_zeros: bool = False,
        subsample: int | None = 10000,
        copy: Any = True,
        random_state: Any = None,
    ) -> None:
        self.n_quantiles = n_quantiles
        self.output_distribution = output_distribution
        self.ignore_implicit_zeros = ignore_implicit_zeros
        self.subsample = subsample
        self.copy = copy
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> QuantileTransformer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class PowerTransformer(ScalerMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Power transformation: each numeric feature to most nearly normal; other columns pass through.

    Parameters
    ----------
    method : yeo-johnson | box-cox, default="yeo-johnson"
        The family of powers: yeo-johnson (all values) or box-cox (values above 0).
    standardize : true or false, default=True
        Whether the result has mean 0 and variance 1.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Box, Cox. An analysis of transformations. JRSS B 26(2), 1964.
    - Yeo, Johnson. A new family of power transformations. Biometrika 87(4), 2000.
    """

    _mercer_name = "PowerTransformer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "missing", "categorical", "text"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        method: Literal["yeo-johnson", "box-cox"] = "yeo-johnson",
        *,
        standardize: bool = True,
        copy: Any = True,
    ) -> None:
        self.method = method
        self.standardize = standardize
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PowerTransformer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class Binarizer(StatelessMixin, ScalerMixin, TransformerMixin, RowsMixin, Estimator):
    """Binarisation: each numeric value to 1 above a threshold, else to 0; other columns pass through.

    Parameters
    ----------
    threshold : number in (-inf, inf), default=0.0
        Values above it become 1, others 0; sparse rows need one from 0.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Pedregosa et al. Scikit-learn: Machine Learning in Python. JMLR 12, 2011.
    """

    _mercer_name = "Binarizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse", "categorical", "text", "by_sums"})
    _mercer_door = {"copy": True}

    def __init__(
        self,
        threshold: float = 0.0,
        *,
        copy: Any = True,
    ) -> None:
        self.threshold = threshold
        self.copy = copy

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Binarizer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class KBinsDiscretizer(BinsMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Binning: each numeric feature into intervals; other columns pass through.

    Parameters
    ----------
    n_bins : integer in [2, 1000000], default=5
        Number of bins of every feature, or of each.
    encode : onehot | onehot-dense | ordinal, default="onehot"
        How bins come out: onehot (sparse columns), onehot-dense or ordinal (numbers).
    strategy : uniform | quantile | kmeans, default="quantile"
        How edges are found: uniform, quantile or kmeans.
    quantile_method : inverted_cdf | averaged_inverted_cdf | interpolated_inverted_cdf | hazen | weibull | linear | median_unbiased | normal_unbiased, default="averaged_inverted_cdf"
        How a quantile is read between two values, for strategy quantile.
    subsample : integer or none in [1, inf), default=None
        Number of rows that edges are computed from, at most; none means all.
    dtype : default=None
        The type of the numbers that come out.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Dougherty, Kohavi, Sahami. Supervised and unsupervised discretization of continuous features. ICML, 1995.
    """

    _mercer_name = "KBinsDiscretizer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "categorical", "text", "random"})
    _mercer_door = {"dtype": None}

    def __init__(
        self,
        n_bins: int = 5,
        *,
        encode: Literal["onehot", "onehot-dense", "ordinal"] = "onehot",
        strategy: Literal["uniform", "quantile", "kmeans"] = "quantile",
        quantile_method: Literal["inverted_cdf", "averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased"] = "averaged_inverted_cdf",
        subsample: int | None = None,
        dtype: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.encode = encode
        self.strategy = strategy
        self.quantile_method = quantile_method
        self.subsample = subsample
        self.dtype = dtype
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KBinsDiscretizer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class PolynomialFeatures(PolynomialMixin, TransformerMixin, RowsMixin, Estimator):
    """Polynomial features: all products of numeric features up to a degree; other columns pass through.

    Parameters
    ----------
    degree : integer in [0, inf), default=2
        The largest degree, or the smallest and the largest: 2 or [2, 3].
    interaction_only : true or false, default=False
        Whether powers of single features are left out.
    include_bias : true or false, default=True
        Whether the first column is 1.
    order : C | F, default="C"
        The layout that scikit-learn gives a dense result; here it is by rows in either case.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Gergonne. The application of the method of least squares to the interpolation of sequences. 1815.
    """

    _mercer_name = "PolynomialFeatures"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse", "categorical", "text", "by_sums"})

    def __init__(
        self,
        degree: int = 2,
        *,
        interaction_only: bool = False,
        include_bias: bool = True,
        order: Literal["C", "F"] = "C",
    ) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> PolynomialFeatures:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class SplineTransformer(SplineMixin, TransformerMixin, RowsMixin, Estimator):
    """Spline features: B-splines of each numeric feature; other columns pass through.

    Parameters
    ----------
    n_knots : integer in [2, 1000000], default=5
        Number of knots of a feature, both ends of its range among them.
    degree : integer in [0, 100], default=3
        The degree of the polynomials.
    knots : uniform | quantile, default="uniform"
        Where knots lie: uniform or quantile.
    knot_positions : list of list of number or none, default=None
        The knots of each feature, in place of `n_knots` and `knots`: one list of rising numbers for each.
    extrapolation : error | constant | linear | continue | periodic, default="constant"
        What splines are beyond the range of training: error, constant, linear, continue or periodic.
    include_bias : true or false, default=True
        Whether the last spline of each feature is kept; without it they do not sum to 1.
    order : C | F, default="C"
        The layout that scikit-learn gives a dense result; here it is by rows in either case.
    handle_missing : error | zeros, default="error"
        Whether missing values are refused (error) or have splines of zero (zeros).
    sparse_output : true or false, default=False
        Whether the result is sparse.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - de Boor. On calculating with B-splines. J. Approximation Theory 6(1), 1972.
    - Eilers, Marx. Flexible smoothing with B-splines and penalties. Statistical Science 11(2), 1996.
    """

    _mercer_name = "SplineTransformer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "text"})

    def __init__(
        self,
        n_knots: int = 5,
        *,
        degree: int = 3,
        knots: Literal["uniform", "quantile"] = "uniform",
        knot_positions: Sequence[Sequence[float]] | None = None,
        extrapolation: Literal["error", "constant", "linear", "continue", "periodic"] = "constant",
        include_bias: bool = True,
        order: Literal["C", "F"] = "C",
        handle_missing: Literal["error", "zeros"] = "error",
        sparse_output: bool = False,
    ) -> None:
        self.n_knots = n_knots
        self.degree = degree
        self.knots = knots
        self.knot_positions = knot_positions
        self.extrapolation = extrapolation
        self.include_bias = include_bias
        self.order = order
        self.handle_missing = handle_missing
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SplineTransformer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class OneHotEncoder(EncoderMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """One-hot encoding: a 0/1 column for each level.

    Parameters
    ----------
    columns : auto | categorical | all, default="auto"
        Which columns are encoded.
    drop : first | if_binary or none, default=None
        Which level gets no column; none means that all do.
    drop_levels : list of text or none, default=None
        The level of each column that gets no column, in place of `drop`.
    handle_unknown : error | ignore | infrequent_if_exist, default="error"
        What to do with a level that training did not see.
    missing : level | zeros, default="level"
        What a missing value is: a level of its own in columns that had any in training, or zeros.
    min_frequency : number or none in [0, inf), default=None
        Levels of fewer rows than this (a number, or a share) share one column.
    max_categories : integer or none in [1, inf), default=None
        The most columns of a feature, that of the rare levels counted; none means any number.
    sparse_output : true or false, default=True
        Whether the result is sparse.
    categories : default='auto'
        The levels of each column in their order, one array a column; 'auto' takes those of the data.
    dtype : default=float
        The type of the numbers that come out.
    feature_name_combiner : default='concat'
        How a column's name is made: 'concat', or a function of the feature and its level.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Suits. Use of dummy variables in regression equations. JASA 52, 1957.
    """

    _mercer_name = "OneHotEncoder"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "missing", "categorical", "encodes"})
    _mercer_door = {"categories": 'auto', "dtype": float, "feature_name_combiner": 'concat'}

    def __init__(
        self,
        columns: Literal["auto", "categorical", "all"] = "auto",
        *,
        drop: Literal["first", "if_binary"] | None = None,
        drop_levels: Sequence[str] | None = None,
        handle_unknown: Literal["error", "ignore", "infrequent_if_exist"] = "error",
        missing: Literal["level", "zeros"] = "level",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        sparse_output: bool = True,
        categories: Any = 'auto',
        dtype: Any = float,
        feature_name_combiner: Any = 'concat',
    ) -> None:
        self.columns = columns
        self.drop = drop
        self.drop_levels = drop_levels
        self.handle_unknown = handle_unknown
        self.missing = missing
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.sparse_output = sparse_output
        self.categories = categories
        self.dtype = dtype
        self.feature_name_combiner = feature_name_combiner

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneHotEncoder:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class OrdinalEncoder(EncoderMixin, TransformerMixin, InverseMixin, RowsMixin, Estimator):
    """Ordinal encoding: one number for each level.

    Parameters
    ----------
    columns : auto | categorical | all, default="auto"
        Which columns are encoded.
    handle_unknown : error | use_encoded_value, default="error"
        What to do with a level that training did not see.
    unknown_value : number or none, default=None
        The number of levels that training did not see; none means NaN.
    encoded_missing_value : number or none, default=None
        The number of a missing level; none means NaN.
    min_frequency : number or none in [0, inf), default=None
        Levels of fewer rows than this (a number, or a share) share one number.
    max_categories : integer or none in [1, inf), default=None
        The most numbers of a feature, that of the rare levels counted; none means any number.
    categories : default='auto'
        The levels of each column in their order, one array a column; 'auto' takes those of the data.
    dtype : default=float
        The type of the numbers that come out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Stevens. On the theory of scales of measurement. Science 103, 1946.
    """

    _mercer_name = "OrdinalEncoder"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "inverse", "weights", "missing", "categorical", "encodes"})
    _mercer_door = {"categories": 'auto', "dtype": float}

    def __init__(
        self,
        columns: Literal["auto", "categorical", "all"] = "auto",
        *,
        handle_unknown: Literal["error", "use_encoded_value"] = "error",
        unknown_value: float | None = None,
        encoded_missing_value: float | None = None,
        min_frequency: float | None = None,
        max_categories: int | None = None,
        categories: Any = 'auto',
        dtype: Any = float,
    ) -> None:
        self.columns = columns
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.categories = categories
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OrdinalEncoder:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class TargetEncoder(TargetEncoderMixin, TransformerMixin, RowsMixin, Estimator):
    """Target encoding: the mean of the target over the rows of a level, out of fold for the rows learnt from.

    Parameters
    ----------
    columns : auto | categorical | all, default="auto"
        Which columns are encoded.
    target_type : auto | continuous | binary | multiclass, default="auto"
        What the target is.
    smooth : auto or number in [0, inf), default="auto"
        How far levels are drawn towards the mean of all: auto, or a number of rows.
    cv : integer in [2, inf), default=5
        Number of folds in which the rows learnt from are encoded.
    shuffle : true or false, default=True
        Whether the folds are of shuffled rows.
    categories : default='auto'
        The levels of each column in their order, one array a column; 'auto' takes those of the data.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Micci-Barreca. A preprocessing scheme for high-cardinality categorical attributes. 2001.
    """

    _mercer_name = "TargetEncoder"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "supervised", "cross_fits", "random", "encodes"})
    _mercer_door = {"categories": 'auto'}

    def __init__(
        self,
        columns: Literal["auto", "categorical", "all"] = "auto",
        *,
        target_type: Literal["auto", "continuous", "binary", "multiclass"] = "auto",
        smooth: Literal["auto"] | float = "auto",
        cv: int = 5,
        shuffle: bool = True,
        categories: Any = 'auto',
        random_state: Any = None,
    ) -> None:
        self.columns = columns
        self.target_type = target_type
        self.smooth = smooth
        self.cv = cv
        self.shuffle = shuffle
        self.categories = categories
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> TargetEncoder:
        """Learn from rows and their targets."""
        return self._fit(X, y, **fit_params)


class DateFeatures(TransformerMixin, RowsMixin, Estimator):
    """Features of dates and times: year, month, weekday, hour, elapsed days and the like.

    Parameters
    ----------
    features : list of year | month | day | weekday | dayofyear | hour | minute | elapsed_days | is_weekend, default="auto"
        Which parts become features: auto takes those that vary in training.
    cyclic : true or false, default=False
        Whether parts that come round again get a sine and a cosine, too.
    columns : list of text or none, default=None
        Columns of text or categories that hold times, beside the time columns.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Reingold, Dershowitz. Calendrical Calculations. Cambridge, 2018.
    """

    _mercer_name = "DateFeatures"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "text", "times"})

    def __init__(
        self,
        features: Sequence[Literal["year", "month", "day", "weekday", "dayofyear", "hour", "minute", "elapsed_days", "is_weekend"]] = "auto",
        *,
        cyclic: bool = False,
        columns: Sequence[str] | None = None,
    ) -> None:
        self.features = features
        self.cyclic = cyclic
        self.columns = columns

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DateFeatures:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class SelectColumns(TransformerMixin, RowsMixin, Estimator):
    """Column selection by name: keeps some columns, or drops some.

    Parameters
    ----------
    keep : list of text or none, default=None
        The columns to keep, in this order; none means all that are not dropped.
    drop : list of text, default=()
        The columns to leave out.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.
    """

    _mercer_name = "SelectColumns"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "missing", "categorical", "text", "times"})

    def __init__(
        self,
        keep: Sequence[str] | None = None,
        *,
        drop: Sequence[str] = (),
    ) -> None:
        self.keep = keep
        self.drop = drop

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SelectColumns:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
