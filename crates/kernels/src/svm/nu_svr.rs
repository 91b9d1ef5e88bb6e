//! Support vector regression with a share of support vectors in place of a tube's width.
//!
//! # Objective
//! $$ \min_{w,b,\varepsilon}\ \tfrac12\lVert w\rVert^2 + C\Big(\nu n\varepsilon +
//!    \sum_i s_i \max(0,\ |y_i - \langle w,\varphi(x_i)\rangle - b| - \varepsilon)\Big) $$
//! At the optimum $\nu$ is at least the share of rows beyond the tube, and at most the share of support vectors.
//!
//! # Algorithm
//! That of [`SVR`](crate::SVR); pairs of variables that move are of one side of the tube, so that the sum of each side stays.
//!
//! # Complexity
//! That of [`SVC`](crate::SVC).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{KernelSpec, NuSVR};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 5.0, 7.0]))?;
//! let model = NuSVR::default().kernel(KernelSpec::word("linear")).c(100.0).tol(1e-9).fit(&data)?;
//! assert!((model.predict(&x)?.numbers()?[3] - 7.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `tol` is in units of the target.
//!
//! # References
//! - B. Schölkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett. New support vector algorithms. Neural Computation 12(5), 2000.
//!   doi:10.1162/089976600300015565

use super::form::Form;
use super::model::SvmModel;
use super::params::{CostParams, MachineParams};
use super::svc::{kinds, told};
use super::svr::single;
use crate::kernel::{Gamma, KernelParams, KernelSpec};
use mercer_core::{Capabilities, Dataset, Kinds, Learn, Params, Result, Session};

/// Support vector regression with a share of support vectors in place of a tube's width.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nusvr",
    canon = "K4",
    task = Regression,
    twin = "NuSVC",
    python = "svm",
    tried = "gamma=0.3,tol=1e-9 | kernel=linear,C=0.5,nu=0.3,tol=1e-9",
    session = "verbose",
    mixins = "SvmMixin",
    can = "weights sparse scaled ordered",
    references = "Schölkopf, Smola, Williamson, Bartlett. New support vector algorithms. Neural Computation 12(5), 2000."
)]
pub struct NuSVR {
    /// At most the share of support vectors, at least the share of rows beyond the tube.
    #[param(default = 0.5, range = "(0, 1]", search = "linear 0.05..0.8")]
    pub nu: f64,
    /// What errors cost.
    #[param(flatten)]
    pub cost: CostParams,
    /// The kernel, and how the solution is found.
    #[param(flatten)]
    pub machine: MachineParams,
}

impl Learn for NuSVR {
    type Model = SvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SvmModel> {
        single(Self::NAME, Form::NuNumbers { c: self.cost.c, nu: self.nu }, &self.machine, data, session)
    }

    fn kinds(&self) -> Kinds {
        kinds(&self.machine)
    }

    fn capabilities(&self) -> Capabilities {
        told(&self.machine, false, Self::declaration().capabilities)
    }
}
