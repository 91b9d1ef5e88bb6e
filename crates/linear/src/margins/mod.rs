//! Linear support vector machines: one private solver for each form of the problem, and the learners over them.

mod crammer_singer;
mod dual;
mod l1;
mod linear_svc;
mod linear_svr;
mod machine;
mod model;
mod newton;
mod problem;

pub use linear_svc::{LinearSVC, MultiClass, SvcLoss, SvcPenalty};
pub use linear_svr::{LinearSVR, SvrLoss};
pub use machine::{Dual, SvmParams};
pub use model::LinearSvmModel;
