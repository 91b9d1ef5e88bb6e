//! Kernels and margins: learners that reach their data through a kernel.

mod local;
mod neighbors;
mod perceptron;
mod spectrum;

pub use local::{
    Bandwidth, KernelDensity, KernelDensityModel, LocalKernelName, LocalLinearRegression, LocalParams,
    NadarayaWatson, NetworkCenters, NetworkOutput, NetworkParams, NetworkWidth, RBFNetworkClassifier,
    RBFNetworkRegressor, RbfNetworkModel, SmootherModel,
};
pub use neighbors::{
    Algorithm, KNearestParams, KNeighborsClassifier, KNeighborsRegressor, Metric, MetricName, MetricParams,
    NearestNeighbors, NearestNeighborsModel, NeighborParams, NeighborWeights, NeighborsModel, NormKind,
    OutlierLabel, PairMetric, RadiusNeighborsClassifier, RadiusNeighborsRegressor, RadiusParams, Stretch,
    levenshtein,
};
pub use perceptron::{SpectrumPerceptron, SpectrumPerceptronModel};
pub use spectrum::{Spectrum, spectrum_kernel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<KNeighborsClassifier>(),
            Entry::of::<KNeighborsRegressor>(),
            Entry::of::<RadiusNeighborsClassifier>(),
            Entry::of::<RadiusNeighborsRegressor>(),
            Entry::of::<NearestNeighbors>(),
            Entry::of::<KernelDensity>(),
            Entry::of::<NadarayaWatson>(),
            Entry::of::<LocalLinearRegression>(),
            Entry::of::<RBFNetworkClassifier>(),
            Entry::of::<RBFNetworkRegressor>(),
            Entry::of::<SpectrumPerceptron>(),
        ]
    }
}
