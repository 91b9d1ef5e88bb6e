//! Support vector regression through a kernel.
//!
//! # Objective
//! $$ \min_{w,b}\ \tfrac12\lVert w\rVert^2 + C\sum_i s_i \max(0,\ |y_i - \langle w,\varphi(x_i)\rangle - b| - \varepsilon) $$
//! with $\langle\varphi(x),\varphi(z)\rangle = k(x, z)$: errors within a tube of half width $\varepsilon$ are free.
//!
//! # Algorithm
//! That of [`SVC`](crate::SVC), on the dual with two variables for each row, which share its kernel values.
//!
//! # Complexity
//! That of [`SVC`](crate::SVC).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{KernelSpec, SVR};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 5.0, 7.0]))?;
//! let model = SVR::default().kernel(KernelSpec::word("linear")).c(100.0).epsilon(0.0).tol(1e-9).fit(&data)?;
//! assert!((model.predict(&x)?.numbers()?[3] - 7.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `tol` and `epsilon` are in units of the target: scale one that is far from 1.
//!
//! # References
//! - H. Drucker, C. J. C. Burges, L. Kaufman, A. Smola, V. Vapnik. Support vector regression machines. NIPS 9, 1996.
//! - A. J. Smola, B. Schölkopf. A tutorial on support vector regression. Statistics and Computing 14, 2004.
//!   doi:10.1023/B:STCO.0000035301.49549.88

use super::form::Form;
use super::machine::Machine;
use super::model::{Scheme, SvmModel};
use super::params::{CostParams, MachineParams};
use super::svc::{kinds, told};
use crate::kernel::{Gamma, KernelParams, KernelSpec};
use mercer_core::{Capabilities, Dataset, Kinds, Learn, Params, Result, Session};

/// Support vector regression through a kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "svr",
    canon = "K4",
    task = Regression,
    twin = "SVC",
    python = "svm",
    best = "| C=10",
    tried = "gamma=0.3,tol=1e-9 | kernel=linear,C=0.5,epsilon=0.3,tol=1e-9 | kernel=poly,gamma=auto,degree=2,coef0=1,shrinking=false,tol=1e-9",
    session = "verbose",
    mixins = "SvmMixin",
    can = "weights sparse scaled ordered",
    references = "Drucker, Burges, Kaufman, Smola, Vapnik. Support vector regression machines. NIPS 9, 1996.|Smola, Schölkopf. A tutorial on support vector regression. Statistics and Computing 14, 2004."
)]
pub struct SVR {
    /// What errors cost.
    #[param(flatten)]
    pub cost: CostParams,
    /// Half the width of the tube in which errors are free.
    #[param(default = 0.1, range = "[0, inf)", search = "log 1e-3..1")]
    pub epsilon: f64,
    /// The kernel, and how the solution is found.
    #[param(flatten)]
    pub machine: MachineParams,
}

impl Learn for SVR {
    type Model = SvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SvmModel> {
        single(
            Self::NAME,
            Form::Numbers { c: self.cost.c, epsilon: self.epsilon },
            &self.machine,
            data,
            session,
        )
    }

    fn kinds(&self) -> Kinds {
        kinds(&self.machine)
    }

    fn capabilities(&self) -> Capabilities {
        told(&self.machine, false, Self::declaration().capabilities)
    }
}

/// Learns one decision function.
pub(super) fn single(
    name: &str,
    form: Form,
    machine: &MachineParams,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<SvmModel> {
    let solver = Machine { name: name.to_owned(), form, scheme: Scheme::One, class_weight: None };
    solver.learn(data, &machine.kernel, &machine.settings(), false, session)
}
