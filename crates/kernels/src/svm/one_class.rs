//! Outliers by a one-class machine: rows beyond a surface that holds most of them.
//!
//! # Objective
//! $$ \min_{w,\rho}\ \tfrac12\lVert w\rVert^2 - \nu n\rho + \sum_i s_i \max(0,\ \rho - \langle w,\varphi(x_i)\rangle) $$
//! A row is an outlier where $\langle w,\varphi(x)\rangle < \rho$. At the optimum $\nu$ is at least the share of outliers, and at most
//! the share of support vectors.
//!
//! # Algorithm
//! That of [`SVC`](crate::SVC), on the dual $\min \tfrac12\beta^\top K\beta$ with $\sum\beta_i = \nu n$ and $0 \le \beta_i \le s_i$.
//!
//! # Complexity
//! That of [`SVC`](crate::SVC).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_kernels::OneClassSVM;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(40, 1, |i, _| if i == 0 { 30.0 } else { (i % 7) as f64 / 10.0 });
//! let model = OneClassSVM::default().nu(0.1).fit(&Dataset::new(&x))?;
//! assert_eq!(model.predict(&x)?.class()?.0[..2], [0, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The sums of the start take a pass over $\nu n$ rows of the kernel. `tol` is in units of $\rho$. Support vectors that are not at
//! their bound lie on the surface, which is no outlier: $\rho$ is the least of their sums, where LIBSVM takes the mean, by less
//! than `tol`.
//!
//! # References
//! - B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson. Estimating the support of a
//!   high-dimensional distribution. Neural Computation 13(7), 2001. doi:10.1162/089976601750264965

use super::form::Form;
use super::model::SvmModel;
use super::params::MachineParams;
use super::svc::{kinds, told};
use super::svr::single;
use crate::kernel::{Gamma, KernelParams, KernelSpec};
use mercer_core::{Capabilities, Dataset, Kinds, Learn, Params, Result, Session};

/// A one-class machine: rows beyond a surface in the kernel's space are outliers.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "oneclass-svm",
    canon = "K4",
    task = Outliers,
    python = "svm",
    tried = "gamma=0.3,tol=1e-8 | nu=0.1,kernel=poly,gamma=auto,degree=2,coef0=1,tol=1e-6",
    session = "verbose",
    mixins = "SvmMixin",
    can = "decision weights sparse scaled ordered",
    references = "Schölkopf, Platt, Shawe-Taylor, Smola, Williamson. Estimating the support of a high-dimensional distribution. Neural Computation 13(7), 2001."
)]
pub struct OneClassSVM {
    /// At least the share of outliers, at most the share of support vectors.
    #[param(default = 0.5, range = "(0, 1]", search = "linear 0.01..0.5")]
    pub nu: f64,
    /// The kernel, and how the solution is found.
    #[param(flatten)]
    pub machine: MachineParams,
}

impl Learn for OneClassSVM {
    type Model = SvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SvmModel> {
        single(Self::NAME, Form::OneClass { nu: self.nu }, &self.machine, data, session)
    }

    fn kinds(&self) -> Kinds {
        kinds(&self.machine)
    }

    fn capabilities(&self) -> Capabilities {
        told(&self.machine, false, Self::declaration().capabilities)
    }
}
