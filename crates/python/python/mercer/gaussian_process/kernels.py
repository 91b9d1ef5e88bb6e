"""Kernels of Gaussian processes, by scikit-learn's names."""

from mercer._kernel_base import GenericKernelMixin, Hyperparameter, Kernel, NormalizedKernelMixin, StationaryKernelMixin
from mercer._kernels import (
    RBF,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    ExpSineSquared,
    KernelOperator,
    Matern,
    PairwiseKernel,
    Product,
    RationalQuadratic,
    Sum,
    WhiteKernel,
)

__all__ = [
    "RBF",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "GenericKernelMixin",
    "Hyperparameter",
    "Kernel",
    "KernelOperator",
    "Matern",
    "NormalizedKernelMixin",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "StationaryKernelMixin",
    "Sum",
    "WhiteKernel",
]
