"""Imputation as scikit-learn has it: what stands for a missing value, and columns that have none."""


class ImputerMixin:
    """What all imputers share."""

    _door_meant = frozenset({"missing_values", "keep_empty_features"})
