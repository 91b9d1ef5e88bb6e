"""Selection of features as scikit-learn has it: functions that score, and estimators of its contract."""


class UnivariateMixin:
    """Selection by the score of each feature alone."""


class EliminationMixin:
    """Recursive elimination."""


class EliminationCVMixin(EliminationMixin):
    """Recursive elimination with cross validation."""


class FromModelMixin:
    """Selection by the importances of a model."""


class SequentialMixin:
    """Selection one by one."""
