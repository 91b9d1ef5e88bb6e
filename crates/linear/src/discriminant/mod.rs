//! Discriminants: classes as Gaussians, and the directions that part them.

mod class_moments;
mod fisher;
mod lda;
mod qda;
mod shrinkage;

pub use fisher::{FisherDiscriminant, FisherModel, FisherNorm};
pub use lda::{DiscriminantSolver, LdaModel, LinearDiscriminantAnalysis};
pub use qda::{QdaModel, QdaSolver, QuadraticDiscriminantAnalysis};
pub use shrinkage::{GaussianClassParams, Shrinkage};
