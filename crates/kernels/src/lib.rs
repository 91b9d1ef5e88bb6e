//! Kernels and margins: learners that reach their data through a kernel.

mod gp;
mod kernel;
mod learners;
mod local;
mod neighbors;
mod perceptron;
mod representer;
mod structures;
mod svm;

pub use gp::{
    Distribution, GaussianProcessClassifier, GaussianProcessClassifierModel, GaussianProcessModel,
    GaussianProcessRegressor, GpMultiClass, Inducing, KernelOptimizer, LeftOut, MeanFunction, Noise,
    SearchParams, SparseGaussianProcessModel, SparseGaussianProcessRegressor, SparseMethod,
};
pub use kernel::{
    Definiteness, Gamma, Held, Hyper, Kernel, KernelParams, KernelSpec, Map, Named, PairwiseParams, Points,
    PointsRef, PolynomialMap, Scalar, Side, USUAL_BOUNDS, definiteness, marginalised,
};
pub use learners::{
    EigenSolver, KernelPCA, KernelPcaModel, KernelPerceptron, KernelPerceptronModel, KernelRidge,
    KernelRidgeModel, MercerMap, MercerMapModel, Nystroem, NystroemModel, NystroemParams, RBFSampler,
    RbfSamplerModel, SamplerGamma, TargetPenalties,
};
pub use local::{
    Bandwidth, KernelDensity, KernelDensityModel, LocalKernelName, LocalLinearRegression, LocalParams,
    NadarayaWatson, NetworkCenters, NetworkOutput, NetworkParams, NetworkWidth, RBFNetworkClassifier,
    RBFNetworkRegressor, RbfNetworkModel, ShapeParams, SmootherModel,
};
pub use neighbors::{
    Algorithm, KNearestParams, KNeighborsClassifier, KNeighborsRegressor, Metric, MetricName, MetricParams,
    NearestNeighbors, NearestNeighborsModel, NeighborParams, NeighborWeights, NeighborsModel, NormKind,
    OutlierLabel, RadiusNeighborsClassifier, RadiusNeighborsRegressor, RadiusParams, Stretch, StretchParams,
    VoteParams, levenshtein,
};
pub use perceptron::{SpectrumPerceptron, SpectrumPerceptronModel};
pub use representer::{
    AscentParams, ClassLoss, ConvexLoss, KernelMachineClassifier, KernelMachineModel, KernelMachineRegressor,
    NumberLoss,
};
pub use structures::{
    Band, Mismatch, NodeKernel, RandomWalk, Spectrum, Structure, Subsequence, Subtree, dtw, dtw_matrix,
    dtw_path, dtw_squared, envelope, log_global_alignment, lower_bound, mismatch_kernel, node_kernel,
    spectrum_kernel, subsequence_kernel,
};
pub use svm::{
    ClassMachineParams, CostParams, DecisionShape, MachineParams, NuSVC, NuSVR, OneClassSVM, SVC, SVR,
    SvcClasses, SvmModel,
};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<GaussianProcessClassifier>(),
            Entry::of::<GaussianProcessRegressor>(),
            Entry::of::<KernelMachineClassifier>(),
            Entry::of::<KernelMachineRegressor>(),
            Entry::of::<KernelPCA>(),
            Entry::of::<KernelPerceptron>(),
            Entry::of::<KernelRidge>(),
            Entry::of::<MercerMap>(),
            Entry::of::<Nystroem>(),
            Entry::of::<NuSVC>(),
            Entry::of::<NuSVR>(),
            Entry::of::<OneClassSVM>(),
            Entry::of::<RBFSampler>(),
            Entry::of::<SVC>(),
            Entry::of::<SVR>(),
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
            Entry::of::<SparseGaussianProcessRegressor>(),
            Entry::of::<SpectrumPerceptron>(),
        ]
    }
}
