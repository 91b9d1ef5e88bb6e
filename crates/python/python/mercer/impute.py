# Written by `cargo xtask python` from the catalogue; do not edit.
"""SimpleImputer, KNNImputer, IterativeImputer, MissingIndicator."""

from __future__ import annotations

from mercer._base import Estimator
from mercer._impute import ImputerMixin
from mercer._members import WrapperMixin
from mercer._mixins import RowsMixin, TransformerMixin

__all__ = [
    "SimpleImputer",
    "KNNImputer",
    "IterativeImputer",
    "MissingIndicator",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


class SimpleImputer(ImputerMixin, TransformerMixin, RowsMixin, Estimator):
    """Imputation: the mean, median, most frequent value or a constant in place of what is missing.

    Parameters
    ----------
    strategy : mean | median | most_frequent | constant, default="mean"
        What stands in for a missing value; columns that are no numbers take the most frequent one.
    fill_value : number in (-inf, inf), default=0.0
        The number used by the strategy `constant`.
    add_indicator : true or false, default=False
        Whether to add a 0/1 column for each column that had missing values in training.
    missing_values : default=float('nan')
        What stands for a missing value: NaN, None, pandas.NA, a number or a text.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    keep_empty_features : default=False
        Whether columns without any value are kept.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019.
    """

    _mercer_name = "SimpleImputer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse", "missing", "categorical", "text", "times", "fills"})
    _mercer_door = {"missing_values": float('nan'), "copy": True, "keep_empty_features": False}

    def __init__(
        self,
        strategy: Literal["mean", "median", "most_frequent", "constant"] = "mean",
        *,
        fill_value: float = 0.0,
        add_indicator: bool = False,
        missing_values: Any = float('nan'),
        copy: Any = True,
        keep_empty_features: Any = False,
    ) -> None:
        self.strategy = strategy
        self.fill_value = fill_value
        self.add_indicator = add_indicator
        self.missing_values = missing_values
        self.copy = copy
        self.keep_empty_features = keep_empty_features

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SimpleImputer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class KNNImputer(ImputerMixin, TransformerMixin, RowsMixin, Estimator):
    """Imputation from the rows that are most alike.

    Parameters
    ----------
    n_neighbors : integer in [1, inf), default=5
        The number of neighbours.
    weights : uniform | distance, default="uniform"
        How much each neighbour counts.
    metric : nan_euclidean, default="nan_euclidean"
        How near two rows are.
    add_indicator : true or false, default=False
        Whether to add a 0/1 column for each column that had missing values in training.
    missing_values : default=float('nan')
        What stands for a missing value: NaN, None, pandas.NA, a number or a text.
    copy : default=True
        Accepted for scikit-learn's sake; what is given is never written to.
    keep_empty_features : default=False
        Whether columns without any value are kept.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Troyanskaya et al. Missing value estimation methods for DNA microarrays. Bioinformatics 17(6), 2001.
    """

    _mercer_name = "KNNImputer"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "missing", "categorical", "text", "times"})
    _mercer_door = {"missing_values": float('nan'), "copy": True, "keep_empty_features": False}

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Literal["nan_euclidean"] = "nan_euclidean",
        add_indicator: bool = False,
        missing_values: Any = float('nan'),
        copy: Any = True,
        keep_empty_features: Any = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.add_indicator = add_indicator
        self.missing_values = missing_values
        self.copy = copy
        self.keep_empty_features = keep_empty_features

    def fit(self, X: Any, y: Any = None) -> KNNImputer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y)


class IterativeImputer(ImputerMixin, WrapperMixin, TransformerMixin, RowsMixin, Estimator):
    """Iterative imputation: each column is predicted from the others, until nothing changes.

    Parameters
    ----------
    estimator : learner or none, default=None
        The regression of one column on the others; none means ridge regression with alpha = 1e-3.
    max_iter : integer in [0, inf), default=10
        Most rounds.
    tol : number in [0, inf), default=0.001
        The change of a round, relative to the largest present value, at which to stop.
    n_nearest_features : integer or none in [1, inf), default=None
        How many other columns a column is predicted from, drawn by their correlation with it; none means all.
    initial_strategy : mean | median | most_frequent | constant, default="mean"
        What missing places start from.
    fill_value : number in (-inf, inf), default=0.0
        The number used by the initial strategy `constant`.
    imputation_order : ascending | descending | roman | arabic | random, default="ascending"
        The order in which columns are imputed.
    skip_complete : true or false, default=False
        Whether columns without missing values in training are left out; they then keep their initial value later, too.
    min_value : number or none, default=None
        The least value that is imputed.
    max_value : number or none, default=None
        The largest value that is imputed.
    add_indicator : true or false, default=False
        Whether to add a 0/1 column for each column that had missing values in training.
    missing_values : default=float('nan')
        What stands for a missing value: NaN, None, pandas.NA, a number or a text.
    sample_posterior : default=False
        Accepted for scikit-learn's sake; any value but the default is refused where it would change the result.
    keep_empty_features : default=False
        Whether columns without any value are kept.
    verbose : int, default=0
        Whether to tell of progress on standard error.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same result on any number of threads; None is the seed 0.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - van Buuren, Groothuis-Oudshoorn. mice. JSS 45(3), 2011.
    """

    _mercer_name = "IterativeImputer"
    _mercer_task = "Transformation"
    _mercer_declared = frozenset({"transform", "weights", "missing", "categorical", "text", "times"})
    _mercer_door = {"missing_values": float('nan'), "sample_posterior": False, "keep_empty_features": False}

    def __init__(
        self,
        estimator: Any | None = None,
        *,
        max_iter: int = 10,
        tol: float = 0.001,
        n_nearest_features: int | None = None,
        initial_strategy: Literal["mean", "median", "most_frequent", "constant"] = "mean",
        fill_value: float = 0.0,
        imputation_order: Literal["ascending", "descending", "roman", "arabic", "random"] = "ascending",
        skip_complete: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
        add_indicator: bool = False,
        missing_values: Any = float('nan'),
        sample_posterior: Any = False,
        keep_empty_features: Any = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_iter = max_iter
        self.tol = tol
        self.n_nearest_features = n_nearest_features
        self.initial_strategy = initial_strategy
        self.fill_value = fill_value
        self.imputation_order = imputation_order
        self.skip_complete = skip_complete
        self.min_value = min_value
        self.max_value = max_value
        self.add_indicator = add_indicator
        self.missing_values = missing_values
        self.sample_posterior = sample_posterior
        self.keep_empty_features = keep_empty_features
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> IterativeImputer:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)


class MissingIndicator(ImputerMixin, TransformerMixin, RowsMixin, Estimator):
    """Missing indicators: a 0/1 column for each column that can be missing.

    Parameters
    ----------
    features : missing-only | all, default="missing-only"
        Which columns have an indicator.
    sparse : auto | true | false, default="auto"
        Whether indicators come as sparse rows; auto means as the input does.
    error_on_new : true or false, default=True
        Whether a missing value in a column that had none in training is an error, where such columns have no indicator.
    missing_values : default=float('nan')
        What stands for a missing value: NaN, None, pandas.NA, a number or a text.

    Attributes
    ----------
    certificate_ : Certificate
        How training ended, and what is proved of the model.

    References
    ----------
    - Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019.
    """

    _mercer_name = "MissingIndicator"
    _mercer_task = "Transformation"
    _mercer_can = frozenset({"transform", "weights", "sparse", "missing", "categorical", "text", "times", "fills", "encodes"})
    _mercer_door = {"missing_values": float('nan')}

    def __init__(
        self,
        features: Literal["missing-only", "all"] = "missing-only",
        *,
        sparse: Literal["auto", "true", "false"] = "auto",
        error_on_new: bool = True,
        missing_values: Any = float('nan'),
    ) -> None:
        self.features = features
        self.sparse = sparse
        self.error_on_new = error_on_new
        self.missing_values = missing_values

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MissingIndicator:
        """Learn from rows; `y` is there for pipelines and ignored."""
        return self._fit(X, y, sample_weight)
