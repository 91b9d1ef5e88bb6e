//! Learners on any kernel.

mod approximation;
mod components;
mod eigen;
mod perceptron;
mod ridge;

pub use approximation::{Nystroem, NystroemModel, NystroemParams, RBFSampler, RbfSamplerModel, SamplerGamma};
pub use components::{KernelPCA, KernelPcaModel, MercerMap, MercerMapModel};
pub use eigen::EigenSolver;
pub use perceptron::{KernelPerceptron, KernelPerceptronModel};
pub use ridge::{KernelRidge, KernelRidgeModel, TargetPenalties};
