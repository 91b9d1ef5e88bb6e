//! Linear models by stochastic gradient descent, one row or one small batch of rows at a time.

mod classifier;
mod descent;
mod model;
mod one_class;
mod perceptron;
mod proof;
mod regressor;
mod settings;
mod train;

pub use classifier::SGDClassifier;
pub use model::SgdModel;
pub use one_class::{OneClassModel, SGDOneClassSVM};
pub use perceptron::Perceptron;
pub use regressor::SGDRegressor;
pub use settings::{
    Average, LearningRate, SgdLoss, SgdParams, SgdPassParams, SgdPenalty, SgdScheduleParams, SgdStepParams,
};
