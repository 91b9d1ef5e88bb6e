//! Kernels and margins: learners that reach their data through a kernel.

mod gp;
mod kernel;
mod perceptron;
mod spectrum;

pub use gp::{
    Distribution, GaussianProcessClassifier, GaussianProcessClassifierModel, GaussianProcessModel,
    GaussianProcessRegressor, GpMultiClass, Inducing, KernelOptimizer, LeftOut, MeanFunction, Noise,
    SparseGaussianProcessModel, SparseGaussianProcessRegressor, SparseMethod,
};
pub use kernel::{
    Definiteness, Gamma, Held, Hyper, Kernel, KernelParams, KernelSpec, Named, PairwiseParams, Points,
    PointsRef, PolynomialMap, Side, USUAL_BOUNDS, definiteness, marginalised,
};
pub use perceptron::{SpectrumPerceptron, SpectrumPerceptronModel};
pub use spectrum::{Spectrum, spectrum_kernel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<GaussianProcessClassifier>(),
            Entry::of::<GaussianProcessRegressor>(),
            Entry::of::<SparseGaussianProcessRegressor>(),
            Entry::of::<SpectrumPerceptron>(),
        ]
    }
}
