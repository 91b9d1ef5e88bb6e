//! Support vector machines: one solver under five learners.

mod evidence;
mod form;
mod joint;
mod machine;
mod model;
mod nu_svc;
mod nu_svr;
mod one_class;
mod params;
mod platt;
mod scores;
mod solver;
mod source;
mod svc;
mod svr;

pub use model::SvmModel;
pub use nu_svc::NuSVC;
pub use nu_svr::NuSVR;
pub use one_class::OneClassSVM;
pub use params::{ClassMachineParams, CostParams, DecisionShape, MachineParams, SvcClasses};
pub use svc::SVC;
pub use svr::SVR;
